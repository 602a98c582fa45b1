//! `--commit`: the canon's files that were mirrored, the mirrors that are ours, and the lock.

use super::args::Args;
use crate::app::Error;
use crate::app::Workspace;
use crate::app::configuration;
use crate::app::configuration::Origin;
use crate::app::sync::state::Seen;
use crate::canon::Blob;
use crate::config::{Config, Target, ToolFilesConfig};
use crate::git::commit::{CommitRequest, Committed, Selection, commit};
use crate::mirror::{Lock, SyncPlan};
use crate::render::counted;
use crate::syntax::RepoPath;
use crate::toolfiles::{self, ManagedPart};
use crate::view::load::DOCUMENT_LIMIT;
use crate::view::tools::{may_be_ours, without_ours};
use crate::view::{Basis, View};
use gix::bstr::BString;
use std::collections::BTreeSet;

/// What the sync saw and decided.
pub struct Done<'a> {
    /// What it saw.
    pub seen: &'a Seen,
    /// What it decided.
    pub decision: &'a SyncPlan,
}

/// What a commit takes.
#[derive(Default)]
pub struct ToCommit {
    /// From the top of the repository, as all paths in here.
    paths: BTreeSet<RepoPath>,
    /// Shared files that it leaves out, since they hold changes of people's that are not committed.
    pub left_out: Vec<RepoPath>,
}

impl ToCommit {
    /// Literal paths: the canonical files that are mirrored, those that are gone from the canon, the mirrors that are or
    /// were ours, and the lock. So a commit never holds a canon and mirrors that disagree.
    pub fn find(context: &Workspace, done: &Done<'_>) -> Self {
        let head = Head::open(context);
        let mut paths = owned(context, done, &head.lock);
        let shared: BTreeSet<RepoPath> =
            paths.iter().filter_map(ManagedPart::from_lock_path).map(|(file, _)| file).collect();
        paths.retain(|path| ManagedPart::from_lock_path(path).is_none());
        let ours = toolfiles::relevant_files(&done.seen.survey.shared.wanted, done.decision.lock.entries());
        let held = |file: &&RepoPath| head.differs(context, file, &done.decision.lock);
        let held: BTreeSet<RepoPath> = shared.union(&ours).filter(held).cloned().collect();
        paths.extend(shared.difference(&held).cloned());
        let skills = context.layout.skills();
        let pieces = done.seen.survey.shared.wanted.parts.iter().map(|piece| piece.canon.clone());
        paths.extend(pieces.filter(|path| !path.is_within(&skills)));
        paths.extend(config(context, &done.seen.survey.lock, &head));
        // What a person edited in a mirror stays out: it would be committed as if it were the canon's.
        let refused: BTreeSet<&RepoPath> = done.decision.refused.iter().map(|refusal| &refusal.path).collect();
        paths.retain(|path| !refused.contains(path));
        if context.config.files.git.ignore {
            paths.retain(|path| Target::holding(path).is_none());
        }
        paths.insert(context.layout.lock());
        let full = |path: &RepoPath| context.view.full(path);
        Self { paths: paths.iter().map(full).collect(), left_out: ours.intersection(&held).map(full).collect() }
    }

    /// Takes what another canon's takes as well.
    pub fn extend(&mut self, other: Self) {
        self.paths.extend(other.paths);
        self.left_out.extend(other.left_out);
    }

    /// Commits; `None` where there was nothing to commit.
    ///
    /// # Errors
    /// See [`crate::git::commit::CommitError`].
    pub fn commit(&self, args: &Args, context: &Workspace) -> Result<Option<Committed>, Error> {
        let paths: Vec<BString> = self.paths.iter().map(|path| path.as_bstr().to_owned()).collect();
        let default = "Sync skills to their mirrors".to_owned();
        let message = args.message.clone().unwrap_or(default);
        let request = CommitRequest { selection: Selection::Literal(&paths), message: &message };
        Ok(commit(&context.repo, &request)?)
    }
}

/// What a commit run says.
pub fn in_words(made: Option<&Committed>) -> String {
    match made {
        None => "Nothing to commit.\n".to_owned(),
        Some(made) => {
            format!("Committed {} as {}.\n", counted(made.changes.len(), "file"), made.id.to_hex_with_len(10))
        }
    }
}

/// Files of the canon and entries of the locks, before and after.
fn owned(context: &Workspace, done: &Done<'_>, committed: &Lock) -> BTreeSet<RepoPath> {
    let survey = &done.seen.survey;
    let mut paths: BTreeSet<RepoPath> = survey.desired.sources().cloned().collect();
    let gone = |path: &RepoPath| {
        let on_disk = context.view.on_disk(path);
        on_disk.is_some_and(|path| std::fs::symlink_metadata(path).is_err())
    };
    paths.extend(survey.overlays.used.iter().cloned());
    for folder in [context.layout.skills(), context.layout.overlays()] {
        paths.extend(context.view.tracked(&folder).filter(gone));
    }
    paths.extend(done.decision.lock.entries().iter().map(|(path, _)| path.clone()));
    // Mirrors that an earlier run removed are still in HEAD; its lock names them.
    paths.extend(committed.entries().iter().map(|(path, _)| path.clone()).filter(gone));
    paths.extend(survey.lock.entries().iter().map(|(path, _)| path.clone()));
    // Whatever a lock says: nothing but the canon and what sync writes is committed.
    let skills = context.layout.skills();
    let overlays = context.layout.overlays();
    let canon: BTreeSet<&RepoPath> = survey.desired.files.iter().map(|want| &want.canon).collect();
    let is_canon = |path: &RepoPath| path.is_within(&skills) || path.is_within(&overlays) || canon.contains(path);
    paths.retain(|path| is_canon(path) || may_be_ours(path));
    paths
}

/// What is committed before.
struct Head {
    /// `None` where there is no commit yet.
    view: Option<View>,
    /// An empty one where there is none that can be read.
    lock: Lock,
}

impl Head {
    fn open(context: &Workspace) -> Self {
        let view = context.look(&Basis::Commit("HEAD".to_owned())).ok();
        let lock = match view.as_ref().map(|head| head.read(&context.layout.lock(), u64::MAX)) {
            Some(Blob::Bytes(bytes)) => Lock::parse(&bytes).unwrap_or_default(),
            _ => Lock::default(),
        };
        Self { view, lock }
    }

    /// Whether the config that is committed says the same of the mirrors; none says what the defaults say.
    fn mirrors_as(&self, context: &Workspace) -> bool {
        let read = |path: RepoPath| match self.view.as_ref()?.read(&path, DOCUMENT_LIMIT) {
            Blob::Bytes(bytes) => Some(configuration::parse(&path, bytes)),
            Blob::Missing(_) => None,
        };
        match [RepoPath::from("canonry.yaml"), context.layout.config()].into_iter().find_map(read) {
            None => context.config.mirrors_as(&Config::default()),
            Some(committed) => committed.is_ok_and(|committed| context.config.mirrors_as(&committed)),
        }
    }

    /// Whether a shared file differs from what is committed by more than what is ours, which `lock` says.
    fn differs(&self, context: &Workspace, file: &RepoPath, lock: &Lock) -> bool {
        let here = without_ours(&context.view, file, lock);
        match &self.view {
            Some(head) => here != without_ours(head, file, &self.lock),
            None => here.is_some(),
        }
    }
}

/// The config, where it is a part of the repository and says of the mirrors what is not committed yet, or which of the tools'
/// files are written, now or before.
fn config(context: &Workspace, before: &Lock, head: &Head) -> Vec<RepoPath> {
    let concerned = before.entries().iter().any(|(path, _)| toolfiles::is_tool_file_entry(path));
    let has_files = context.config.files != ToolFilesConfig::default() || concerned;
    if !has_files && head.mirrors_as(context) {
        return Vec::new();
    }
    let top = RepoPath::from("canonry.yaml");
    let stands = |path: &RepoPath| context.view.on_disk(path).is_some_and(|path| path.exists());
    match context.origin {
        Origin::Canon => vec![context.layout.config()],
        Origin::Top if stands(&RepoPath::from("canonry.local.yaml")) => Vec::new(),
        Origin::Top => vec![top],
        Origin::Elsewhere => {
            let tracked = |path: &RepoPath| context.view.tracked(path).next().is_some();
            [top, context.layout.config()].into_iter().filter(|path| tracked(path) && !stands(path)).collect()
        }
    }
}
