//! `skills update`: takes new versions of skills, and merges them with local edits.

use super::local::{self, LocalSkill, SkillFolders};
use super::outdated::by_url;
use super::pinned::{cached_tree, committed_tree};
use super::pins::{load_lock, select};
use super::review::{self, Incoming, IncomingReview, LicenceFiles};
use super::source::{LatestCommits, open_cache};
use super::upstream::{Upstream, look};
use super::write::{SkillChanges, WriteOptions, Written, write};
use super::{Approval, Approver, ask};
use crate::app::{Error, ErrorKind, Progress, Workspace};
use crate::git::source_cache::{SourceCache, list_files};
use crate::git::tree_merge::{MergedSkill, merge_skills};
use crate::remote_skills::{FoundSkill, PinnedSkill, RemoteItem, SkillSource, SkillTree};
use crate::syntax::RepoPath;
use gix::ObjectId;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// What to update.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The names of the skills; empty for all.
    pub names: Vec<String>,
    /// Security rules whose errors are accepted.
    pub allow: Vec<String>,
    /// Only show what would change.
    pub dry_run: bool,
    /// Commit what was written.
    pub commit: bool,
}

/// What was updated.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub skills: BTreeMap<RemoteItem, UpdateResult>,
    /// Whether the person was asked, and the answer.
    pub approval: Option<Approval>,
    pub written: Written,
}

/// The result for one skill. Only [`UpdateResult::Updated`] changes anything.
#[derive(Clone, Debug)]
pub enum UpdateResult {
    UpToDate,
    Updated {
        from: ObjectId,
        to: ObjectId,
        /// Whether local edits were merged with the new version.
        merged: bool,
        /// Its new folder at the source, if it moved.
        moved_to: Option<RepoPath>,
    },
    /// The new version and local edits change the same lines of these files.
    Conflict(Vec<RepoPath>),
    /// The new version is not accepted, or local edits cannot be distinguished from the pinned version.
    Refused(Vec<String>),
    /// The skill is not in the work tree.
    Missing,
    /// The source has no such skill any more.
    Gone {
        similar: Option<FoundSkill>,
    },
    /// The source did not answer.
    Failed(Error),
}

/// A new version that waits for approval.
struct Candidate {
    item: RemoteItem,
    pin: PinnedSkill,
    local: LocalSkill,
    merged: SkillTree,
    review: IncomingReview,
    result: UpdateResult,
}

/// Updates skills. A conflict leaves a skill as it is.
///
/// # Errors
/// The lock cannot be read, a name is not in it, or the run was interrupted; see also [`write`].
pub fn run(
    workspace: &Workspace,
    request: &Request,
    approver: &mut dyn Approver,
    progress: &dyn Progress,
) -> Result<Outcome, Error> {
    super::add::prepare(workspace, &request.allow, request.commit && !request.dry_run)?;
    let lock = load_lock(workspace)?;
    let selected = select(workspace, &lock, &request.names)?;
    let folders = SkillFolders::load(workspace)?;
    let mut outcome = Outcome::default();
    let mut candidates = Vec::new();
    progress.start("skills", selected.len());
    for (url, pins) in by_url(&selected) {
        let (mut latest, mut licences) = (LatestCommits::default(), BTreeMap::new());
        let cache = open_cache(workspace, url);
        for (item, pin) in pins {
            progress.advance(1);
            let plan = match &cache {
                Ok(cache) => latest.fetch(cache, pin.source.reference.as_deref()).and_then(|commit| {
                    Skill { workspace, cache, item, pin, commit }.plan(&folders, &mut licences, &request.allow)
                }),
                Err(error) => Err(error.clone()),
            };
            match plan {
                Err(error) if error.kind == ErrorKind::Interrupted => return Err(error),
                Err(error) => drop(outcome.skills.insert(item.clone(), UpdateResult::Failed(error))),
                Ok(Plan::Decided(result)) => drop(outcome.skills.insert(item.clone(), result)),
                Ok(Plan::Candidate(candidate)) => candidates.push(*candidate),
            }
        }
    }
    progress.finish();
    if candidates.is_empty() {
        return Ok(outcome);
    }
    let (blocked, approval) = ask(&mut candidates, |candidate| &candidate.review, approver)?;
    for blocked in blocked {
        outcome.skills.insert(blocked.item, UpdateResult::Refused(blocked.review.blocked));
    }
    outcome.approval = Some(approval);
    if candidates.is_empty() || approval != Approval::Accepted {
        return Ok(outcome);
    }
    let (mut changes, mut after, mut names) = (SkillChanges::default(), lock.clone(), Vec::new());
    let mut texts = workspace.view.texts();
    for candidate in candidates {
        changes.replace(workspace, &mut texts, &candidate.local, &candidate.merged)?;
        outcome.skills.insert(candidate.item.clone(), candidate.result);
        names.push(candidate.item.to_string());
        after.items.insert(candidate.item, candidate.pin);
    }
    if request.dry_run {
        return Ok(outcome);
    }
    let options = WriteOptions { commit: request.commit, message: format!("skills: update {}", names.join(", ")) };
    outcome.written = write(workspace, &changes, &lock, &after, &options, progress)?;
    Ok(outcome)
}

/// What happens to one skill.
enum Plan {
    Decided(UpdateResult),
    Candidate(Box<Candidate>),
}

/// What the source has now.
struct NewVersion {
    source: SkillSource,
    licence: Option<String>,
    tree: SkillTree,
}

/// A pinned skill, and the commit that its source has now.
struct Skill<'a> {
    workspace: &'a Workspace,
    cache: &'a SourceCache<'a>,
    item: &'a RemoteItem,
    pin: &'a PinnedSkill,
    commit: ObjectId,
}

impl Skill<'_> {
    fn plan(
        &self,
        folders: &SkillFolders<'_>,
        licences: &mut BTreeMap<ObjectId, LicenceFiles>,
        allow: &[String],
    ) -> Result<Plan, Error> {
        let (source, theirs) = match look(self.cache, self.commit, self.item, self.pin)? {
            Upstream::Same => return Ok(Plan::Decided(UpdateResult::UpToDate)),
            Upstream::Gone { similar } => return Ok(Plan::Decided(UpdateResult::Gone { similar })),
            Upstream::New { source, tree } => (source, tree),
        };
        let pinned = cached_tree(self.cache, self.item, self.pin)
            .or_else(|| committed_tree(self.workspace, self.item, self.pin));
        let known: Vec<&SkillTree> = pinned.iter().chain([&theirs]).collect();
        let local = local::load(self.workspace, self.item, &folders.folder(self.item), &known)?;
        if !local.exists() {
            return Ok(Plan::Decided(UpdateResult::Missing));
        }
        let files = match licences.entry(self.commit) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(LicenceFiles::select(&list_files(self.cache.repo(), self.commit)?)),
        };
        let licence = files.licence(self.cache.repo(), self.commit, &source.path, &theirs);
        let theirs = NewVersion { source, licence, tree: theirs };
        let is_edited = self.item.content_id(&local.tree) != self.pin.content;
        let base = if is_edited { pinned } else { Some(local.tree.clone()) };
        let Some(base) = base else {
            // A run that was killed after the files were written, or a copy by hand.
            if theirs.tree.contains(&local.tree) {
                let merged = theirs.tree.clone();
                return self.candidate(local, &SkillTree::default(), merged, theirs, allow);
            }
            let reason = "its pinned version is gone from the source and not in git's history, so canonry cannot find out which lines you edited";
            return Ok(Plan::Decided(UpdateResult::Refused(vec![reason.to_owned()])));
        };
        let merged = match merge_skills(self.cache.repo(), &base, &local.tree, &theirs.tree)? {
            MergedSkill::Merged(merged) => merged,
            MergedSkill::Conflict(paths) => {
                let paths = paths.iter().map(|path| local.folder.join(path.as_bstr())).collect();
                return Ok(Plan::Decided(UpdateResult::Conflict(paths)));
            }
        };
        self.candidate(local, &base, merged, theirs, allow)
    }

    fn candidate(
        &self,
        local: LocalSkill,
        base: &SkillTree,
        merged: SkillTree,
        theirs: NewVersion,
        allow: &[String],
    ) -> Result<Plan, Error> {
        let NewVersion { source, licence, tree: theirs } = theirs;
        let incoming = Incoming {
            item: self.item,
            source: &source,
            commit: self.commit,
            tree: &theirs,
            accepted: Some(base),
            allow,
        };
        let mut review = review::review(self.workspace, &incoming, licence.clone())?;
        // Each side may be fine alone, and both together not, such as two spellings of a name.
        let together =
            merged.problems().into_iter().map(|p| format!("{}: {}", local.folder.join(p.path.as_bstr()), p.reason));
        review.blocked.extend(together.filter(|_| merged != theirs));
        review.diffs = review::diffs(&self.workspace.view.full(&local.folder), &local.tree, &merged);
        if licence != self.pin.licence {
            let stated = |licence: &Option<String>| licence.clone().unwrap_or_else(|| "none stated".to_owned());
            review.notes.push(format!(
                "its licence changes from `{}` to `{}`",
                stated(&self.pin.licence),
                stated(&licence)
            ));
        }
        let moved_to = (source.path != self.pin.source.path).then(|| source.path.clone());
        if let Some(path) = &moved_to {
            review.notes.push(format!("at the source, it is now in {path}"));
        }
        let result =
            UpdateResult::Updated { from: self.pin.commit, to: self.commit, merged: merged != theirs, moved_to };
        let pin = PinnedSkill { source, commit: self.commit, content: self.item.content_id(&theirs), licence };
        let item = self.item.clone();
        Ok(Plan::Candidate(Box::new(Candidate { item, pin, local, merged, review, result })))
    }
}
