//! `skills update`: takes new versions of skills, and merges them with local edits.

use super::local::{self, LocalSkill, SkillFolders};
use super::outdated::by_url;
use super::pinned::{cached_tree, committed_tree};
use super::pins::{load_lock, select};
use super::review::{self, Incoming, IncomingReview, LicenceFiles, Neighbours};
use super::source::{LatestCommits, open_cache};
use super::upstream::{Upstream, look};
use super::write::{SkillChanges, Written, write};
use super::{Approver, IncomingApproval, ask};
use crate::diffs::FileDiff;
use crate::{Error, ErrorKind, Progress, Workspace, trust};
use canonry_exchange::remote_skills::{DiscoveredSkill, PinnedSkill, RemoteItem, SkillSource, SkillTree};
use canonry_model::canon::FileState;
use canonry_repo::git::source_cache::{SourceCache, list_files};
use canonry_repo::git::tree_merge::{MergedSkill, merge_preferring, merge_skills};
use canonry_text::RepoPath;
use gix::ObjectId;
use gix::bstr::BString;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Skills to update.
#[derive(Clone, Debug, Default)]
pub struct UpdateSkillsRequest {
    /// The names of the skills; empty for all.
    pub names: Vec<String>,
    /// Security rules whose errors are accepted.
    pub allow: Vec<String>,
    /// Who wins where local edits and the new version change the same lines; nobody if `None`.
    pub prefer: Option<PreferredVersion>,
    /// Only show what would change.
    pub dry_run: bool,
    /// Commit what was written.
    pub commit: bool,
}

/// Who wins where local edits and the new version change the same lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreferredVersion {
    /// The local edits.
    Ours,
    /// The new version; the edited files are backed up.
    Theirs,
}

/// Results of an update.
#[derive(Clone, Debug, Default)]
pub struct UpdatedSkills {
    pub skills: BTreeMap<RemoteItem, UpdateResult>,
    /// Whether the person was asked, and the answer.
    pub approval: Option<IncomingApproval>,
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
    Conflict {
        paths: Vec<RepoPath>,
        /// Differences that the new version makes in them.
        incoming: Vec<FileDiff>,
    },
    /// The new version is not accepted, or local edits cannot be distinguished from the pinned version.
    Refused(Vec<String>),
    /// The skill is not in the work tree.
    Missing,
    /// The source has no such skill any more.
    Gone {
        similar: Option<DiscoveredSkill>,
    },
    /// The source did not answer.
    Failed(Error),
}

/// A new version that waits for approval.
struct UpdateCandidate {
    item: RemoteItem,
    pin: PinnedSkill,
    local: LocalSkill,
    merged: SkillTree,
    /// Edited files that lose edits.
    back_up: Vec<RepoPath>,
    review: IncomingReview,
    result: UpdateResult,
}

impl UpdatedSkills {
    /// The addresses of the sources that did not answer.
    ///
    /// # Errors
    /// The lock cannot be read.
    pub(super) fn failed_urls(&self, workspace: &Workspace) -> Result<BTreeSet<String>, Error> {
        let lock = load_lock(workspace)?;
        let failed = self.skills.iter().filter(|(_, result)| matches!(result, UpdateResult::Failed(_)));
        Ok(failed.filter_map(|(item, _)| Some(lock.items.get(item)?.source.url.clone())).collect())
    }
}

/// Updates skills. A conflict leaves a skill as it is.
///
/// # Errors
/// The lock cannot be read, a name is not in it, or the run was interrupted; see also [`write`].
pub fn run(
    workspace: &Workspace,
    request: &UpdateSkillsRequest,
    approver: &mut dyn Approver,
    progress: &dyn Progress,
) -> Result<UpdatedSkills, Error> {
    super::add::prepare(workspace, &request.allow, request.commit && !request.dry_run)?;
    let lock = load_lock(workspace)?;
    let selected = select(workspace, &lock, &request.names)?;
    let folders = SkillFolders::load(workspace)?;
    let neighbours = Neighbours::load(workspace, selected.keys())?;
    let mut outcome = UpdatedSkills::default();
    let mut candidates = Vec::new();
    progress.start("skills", selected.len());
    for (url, pins) in by_url(&selected) {
        let mut latest = LatestCommits::default();
        let mut licences = BTreeMap::new();
        let cache = open_cache(workspace, url);
        for (item, pin) in pins {
            progress.advance(1);
            let plan = match &cache {
                Ok(cache) => latest.fetch(cache, pin.source.reference.as_deref()).and_then(|commit| {
                    UpdatedSkill { workspace, cache, item, pin, commit, neighbours: &neighbours }.plan(
                        &folders,
                        &mut licences,
                        request,
                    )
                }),
                Err(error) => Err(error.clone()),
            };
            match plan {
                Err(error) if error.kind == ErrorKind::Interrupted => return Err(error),
                Err(error) => drop(outcome.skills.insert(item.clone(), UpdateResult::Failed(error))),
                Ok(UpdatePlan::Decided(result)) => drop(outcome.skills.insert(item.clone(), result)),
                Ok(UpdatePlan::Candidate(candidate)) => candidates.push(*candidate),
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
    if candidates.is_empty() || approval != IncomingApproval::Accepted {
        return Ok(outcome);
    }
    let mut changes = SkillChanges::default();
    let mut after = lock.clone();
    let mut names = Vec::new();
    let mut texts = workspace.view.texts();
    for candidate in candidates {
        changes.replace(workspace, &mut texts, &candidate.local, &candidate.merged)?;
        changes.back_up.extend(candidate.back_up);
        outcome.skills.insert(candidate.item.clone(), candidate.result);
        names.push(candidate.item.to_string());
        after.items.insert(candidate.item, candidate.pin);
    }
    if request.dry_run {
        return Ok(outcome);
    }
    let subject = request.commit.then(|| format!("skills: update {}", names.join(", ")));
    outcome.written = write(workspace, &changes, &lock, &after, subject, progress)?;
    trust::pin_files(workspace, &outcome.written.paths)?;
    Ok(outcome)
}

/// Planned action for one skill.
enum UpdatePlan {
    Decided(UpdateResult),
    Candidate(Box<UpdateCandidate>),
}

/// Current version at the source.
struct NewVersion {
    source: SkillSource,
    licence: Option<String>,
    tree: SkillTree,
}

/// A pinned skill, and the commit that its source has now.
struct UpdatedSkill<'a> {
    workspace: &'a Workspace,
    cache: &'a SourceCache<'a>,
    item: &'a RemoteItem,
    pin: &'a PinnedSkill,
    commit: ObjectId,
    neighbours: &'a Neighbours,
}

impl UpdatedSkill<'_> {
    fn plan(
        &self,
        folders: &SkillFolders<'_>,
        licences: &mut BTreeMap<ObjectId, LicenceFiles>,
        request: &UpdateSkillsRequest,
    ) -> Result<UpdatePlan, Error> {
        let (source, theirs) = match look(self.cache, self.commit, self.item, self.pin)? {
            Upstream::Same => return Ok(UpdatePlan::Decided(UpdateResult::UpToDate)),
            Upstream::Gone { similar } => return Ok(UpdatePlan::Decided(UpdateResult::Gone { similar })),
            Upstream::New { source, tree } => (source, tree),
        };
        let pinned = cached_tree(self.cache, self.item, self.pin)
            .or_else(|| committed_tree(self.workspace, self.item, self.pin));
        let known: Vec<&SkillTree> = pinned.iter().chain([&theirs]).collect();
        let local = local::load(self.workspace, self.item, &folders.folder(self.item), &known)?;
        if !local.exists() {
            return Ok(UpdatePlan::Decided(UpdateResult::Missing));
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
            let merged = match request.prefer {
                _ if theirs.tree.contains(&local.tree) => Some(theirs.tree.clone()),
                Some(PreferredVersion::Theirs) => Some(theirs.tree.clone()),
                Some(PreferredVersion::Ours) => Some(local.tree.clone()),
                None => None,
            };
            if let Some(merged) = merged {
                return self.candidate(local, &SkillTree::default(), merged, theirs, request);
            }
            let reason = format!(
                "its pinned version is gone from the source and not in git's history, so canonry cannot find out which lines you \
                 edited: `canonry skills update {0} --theirs` takes the new version and backs up yours, `--ours` keeps yours",
                self.item
            );
            return Ok(UpdatePlan::Decided(UpdateResult::Refused(vec![reason])));
        };
        let merged = match merge_skills(self.cache.repo(), &base, &local.tree, &theirs.tree)? {
            MergedSkill::Merged(merged) => merged,
            MergedSkill::Conflict(paths) => match request.prefer {
                Some(PreferredVersion::Ours) => merge_preferring(self.cache.repo(), &base, &local.tree, &theirs.tree)?,
                Some(PreferredVersion::Theirs) => {
                    merge_preferring(self.cache.repo(), &base, &theirs.tree, &local.tree)?
                }
                None => {
                    let paths: Vec<RepoPath> = paths.iter().map(|path| local.folder.join(path.as_bstr())).collect();
                    let mut incoming = review::diffs(&local.folder, &base, &theirs.tree);
                    incoming.retain(|diff| matches!(diff, FileDiff::Changed { path, .. } if paths.contains(path)));
                    return Ok(UpdatePlan::Decided(UpdateResult::Conflict { paths, incoming }));
                }
            },
        };
        self.candidate(local, &base, merged, theirs, request)
    }

    fn candidate(
        &self,
        local: LocalSkill,
        base: &SkillTree,
        merged: SkillTree,
        theirs: NewVersion,
        request: &UpdateSkillsRequest,
    ) -> Result<UpdatePlan, Error> {
        let allow = request.allow.as_slice();
        let NewVersion { source, licence, tree: theirs } = theirs;
        let incoming = Incoming {
            item: self.item,
            source: &source,
            commit: self.commit,
            tree: &theirs,
            accepted: Some(base),
            allow,
            neighbours: self.neighbours,
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
        let loses_edits = |(below, _): &(&BString, &FileState)| {
            let now = local.tree.files.get(*below);
            base.files.get(*below) != now && merged.files.get(*below) != now
        };
        let back_up = match request.prefer {
            Some(PreferredVersion::Theirs) => {
                local.states.iter().filter(loses_edits).map(|(below, _)| local.folder.join(below)).collect()
            }
            Some(PreferredVersion::Ours) | None => Vec::new(),
        };
        Ok(UpdatePlan::Candidate(Box::new(UpdateCandidate { item, pin, local, merged, back_up, review, result })))
    }
}
