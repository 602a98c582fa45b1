//! `--staged`: mirrors of what is staged, staged themselves, so that one commit holds both.
//!
//! What is decided upon is the index alone; the work tree follows only where its mirrors are as a sync left them.

use super::apply::{Todo, shared_lock_change, write};
use super::args::Args;
use super::ended::Ended;
use super::look::look;
use super::others::{Others, is_mirrored, join};
use super::report::Outcome;
use crate::app::Workspace;
use crate::app::sync::state::{Seen, see};
use crate::app::{Error, ErrorKind};
use crate::apply::{Session, unfinished};
use crate::canon::{FileMode, FileState};
use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::edit::{Edit, EditContent, OverwriteMode};
use crate::fs::failpoint;
use crate::git::commit::{Staging, ToStage};
use crate::mirror::work_tree::{WorkTreeMirrors, WorkTreePlan, plan_work_tree};
use crate::mirror::{Lock, MirrorRoot, SyncPlan};
use crate::syntax::RepoPath;
use crate::view::{Basis, PathKind, View};
use std::collections::BTreeSet;

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, context: &Workspace, out: &Out<'_>) -> Result<Option<Ended>, Error> {
    if context.view.kind(context.layout.root()) == PathKind::Nothing {
        out.remark(&format!("Nothing to mirror: no folder `{}` is staged.\n", context.layout.root()));
        return Ok(None);
    }
    context.require_canon()?;
    let work = Work::find(context)?;
    if !args.writes() {
        return look(args, context, &work.seen, out).map(Some);
    }
    if work.is_done() {
        return Ok(Some(work.tell(args, context, &[], out)));
    }
    let mut session = Session::begin(&context.git_dir())?;
    let staging = Staging::begin(&context.repo)?;
    // Once more, now that nobody else can stage anything.
    let context = Workspace::open(&context.env, &Basis::Index)?;
    let work = Work::find(&context)?;
    // The work tree first: what is staged says whether a run that was killed is to be repeated.
    let tree = Tree::see(&context, &mut session);
    let left = match &tree {
        Ok(tree) => tree.follow(&work, &context, &mut session)?,
        Err(error) => {
            out.remark(&format!("the work tree's mirrors stay as they are: {}\n", error.message));
            Vec::new()
        }
    };
    let changes = match tree {
        Ok(tree) => work.to_stage(&context, &tree.context.view)?,
        Err(_) => work.to_stage(&context, &context.look(&Basis::WorkTree)?)?,
    };
    staging.put(&context.repo, &changes)?;
    Ok(Some(work.tell(args, &context, &left, out)))
}

/// What is to be staged.
struct Work {
    seen: Seen,
    decision: SyncPlan,
    /// The lock's new text, where it says something new.
    lock: Option<(RepoPath, Vec<u8>)>,
    /// Paths that git ignores, and that are therefore not staged.
    ignored: BTreeSet<RepoPath>,
}

impl Work {
    fn find(context: &Workspace) -> Result<Self, Error> {
        // What the work tree's lock says we wrote is ours where it is staged, too.
        let mut ours = unfinished(&context.git_dir());
        ours.extend(locks_on_disk(context));
        let seen = see(context, &context.view, ours)?;
        let decision = seen.decide(OverwriteMode::OwnedOnly);
        let nothing_to_own = seen.survey.desired.files.is_empty() && decision.lock.is_empty();
        let lock = shared_lock_change(context, &decision.lock, nothing_to_own);
        let paths: Vec<RepoPath> =
            decision.edits.iter().map(|edit| edit.path().clone()).chain([context.layout.lock()]).collect();
        let ignored =
            if decision.edits.is_empty() && lock.is_none() { BTreeSet::new() } else { context.view.ignored(&paths)? };
        let lock = lock.filter(|(path, _)| !ignored.contains(path));
        Ok(Self { seen, decision, lock, ignored })
    }

    fn is_done(&self) -> bool {
        self.lock.is_none() && self.edits().next().is_none()
    }

    /// Those that are staged.
    fn edits(&self) -> impl Iterator<Item = &Edit> {
        self.decision.edits.iter().filter(|edit| !self.ignored.contains(edit.path()))
    }

    /// Stores what is not stored yet; a mirror's content is the canon's object.
    fn to_stage(&self, context: &Workspace, tree: &View) -> Result<Vec<ToStage>, Error> {
        let mut probe = tree.probe();
        let mut on_disk =
            |path: &RepoPath, now: FileState| tree.on_disk(path).filter(|_| probe.state(path) == Some(now));
        let mut changes = Vec::new();
        for edit in self.edits() {
            if let Edit::Write { content: EditContent::Link(text), .. } = edit {
                store(context, text)?;
            }
            if let Edit::Write { content: EditContent::Bytes(bytes), .. } = edit {
                store(context, bytes)?;
            }
            let now = edit.now();
            let on_disk = now.and_then(|now| on_disk(edit.path(), now));
            changes.push(ToStage { path: tree.full(edit.path()).as_bstr().to_owned(), now, on_disk });
        }
        if let Some((path, text)) = &self.lock {
            let now = FileState { id: store(context, text)?, mode: FileMode::File };
            let on_disk = on_disk(path, now);
            changes.push(ToStage { path: tree.full(path).as_bstr().to_owned(), now: Some(now), on_disk });
        }
        Ok(changes)
    }

    fn tell(&self, args: &Args, context: &Workspace, left: &[RepoPath], out: &Out<'_>) -> Ended {
        let mut told = self.decision.clone();
        told.edits.retain(|edit| !self.ignored.contains(edit.path()));
        let outcome = Outcome::foreseen(context, &self.seen, &told);
        if args.format == Format::Human {
            out.result(&outcome.staged_in_words(left));
        }
        let status = outcome.status();
        Ended::new(outcome, status)
    }
}

fn store(context: &Workspace, bytes: &[u8]) -> Result<gix::ObjectId, Error> {
    let stored = failpoint::reach("object").map_err(gix::Error::from_error);
    let stored = stored.and_then(|()| context.repo.write_blob(bytes).map(|id| id.detach()));
    stored.map_err(|e| Error::new(ErrorKind::Internal, format!("an object cannot be stored: {e}")))
}

/// What the work tree's locks say; nothing where none can be read.
fn locks_on_disk(context: &Workspace) -> Vec<(RepoPath, FileState)> {
    let read = |lock: RepoPath| {
        let path = context.view.on_disk(&lock)?;
        let is_file = std::fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file());
        Some(lock_of(&std::fs::read(path).ok().filter(|_| is_file)?).entries().to_vec())
    };
    [context.layout.lock(), context.layout.local_lock()].into_iter().filter_map(read).flatten().collect()
}

/// What either side says is ours, where a merge has left a conflict.
fn lock_of(bytes: &[u8]) -> Lock {
    Lock::parse(bytes).or_else(|_| Lock::parse_conflicted(bytes)).unwrap_or_default()
}

/// The work tree, which may hold another canon than what is staged.
struct Tree {
    context: Workspace,
    seen: Seen,
    lock: Lock,
}

impl Tree {
    fn see(staged: &Workspace, session: &mut Session) -> Result<Self, Error> {
        let context = Workspace::open(&staged.env, &Basis::WorkTree)?;
        if context.layout.root() != staged.layout.root() {
            let message =
                format!("its canon is `{}`, and the staged one `{}`", context.layout.root(), staged.layout.root());
            return Err(Error::new(ErrorKind::Refused, message));
        }
        let seen = see(&context, &context.view, session.pending())?;
        let lock = Lock::new(locks_on_disk(&context));
        session.sweep(&context.view);
        // An unfinished run's intents are forgotten once this one is done.
        let lock = lock.with(session.pending());
        Ok(Self { context, seen, lock })
    }

    /// Writes what may be written, and gives the paths that someone changed.
    fn follow(&self, work: &Work, staged: &Workspace, session: &mut Session) -> Result<Vec<RepoPath>, Error> {
        let survey = &self.seen.survey;
        let ours = survey.lock.with(work.seen.survey.lock.entries().iter().cloned());
        let tree = WorkTreeMirrors { desired: &survey.desired, actual: &survey.actual, ours: &ours, lock: &self.lock };
        let (mirrored, others) = work.decision.edits.iter().cloned().partition(|edit| is_mirrored(edit.path()));
        let others: Vec<Edit> = others;
        let decision = SyncPlan { edits: mirrored, ..work.decision.clone() };
        let mut beside = plan_work_tree(&decision, &tree);
        let others = Others { edits: &others, staged: &decision.lock, tree: &self.lock };
        join(&mut beside, &others, self.standing());
        let edits = self.contents(&mut beside, staged)?;
        let (before, after) = (&self.lock, &beside.lock);
        let todo = Todo { edits: &edits, keep_aside: &[], before, after, nothing_to_own: after.is_empty() };
        let applied = write(&self.context, session, &todo)?;
        session.first_sync_is_done();
        beside.left.extend(applied.overtaken);
        Ok(beside.left)
    }

    /// What stands at paths outside the mirrors; `None` where no file could be written.
    fn standing(&self) -> impl FnMut(&RepoPath) -> Option<Option<FileState>> {
        let view = &self.context.view;
        let mut probe = view.probe();
        move |path| {
            let is_free = view.root(&path.parent()?) == MirrorRoot::Folder && view.kind(path) != PathKind::Folder;
            is_free.then(|| probe.state(path))
        }
    }

    /// All changes, removals first, with the bytes of what is staged where no file of the work tree holds them.
    fn contents(&self, beside: &mut WorkTreePlan, staged: &Workspace) -> Result<Vec<Edit>, Error> {
        let mut edits = std::mem::take(&mut beside.edits);
        for mut edit in std::mem::take(&mut beside.staged) {
            if let Edit::Write { path, content, now, .. } = &mut edit
                && let EditContent::CopyOf(_) = content
            {
                *content = EditContent::Bytes(staged.view.checked_out(path, now.id)?);
            }
            edits.push(edit);
        }
        edits.sort_by_key(|edit| (edit.now().is_some(), edit.path().clone()));
        Ok(edits)
    }
}
