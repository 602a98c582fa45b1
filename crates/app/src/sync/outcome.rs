//! The outcome of a sync.

use crate::diffs::FileDiff;
use crate::skills::remote::unfetched::unfetched;
use crate::sync::awaited_trust::{AwaitedTrust, awaited_trust};
use crate::sync::same_name::SameNameSkills;
use crate::sync::state::SyncState;
use crate::{Error, RepositoryScope, Workspace};
use canonry_mirror::repeated::{RepeatedReader, repeated_readers};
use canonry_mirror::skipped::SkipReason;
use canonry_mirror::{DesiredMirrors, Lock, RefusalReason, SyncPlan};
use canonry_model::canon::io_diagnosis::IoDiagnosis;
use canonry_model::config::{ExclusionReason, Target};
use canonry_model::edit::Edit;
use canonry_repo::apply::Applied;
use canonry_repo::git::commit::Committed;
use canonry_repo::view::locks::lock_of_mirrors;
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Result of a sync, or of a preview.
#[derive(Debug)]
pub struct SyncOutcome {
    /// The canons, in the order in which they were synced.
    pub canons: Vec<CanonSync>,
    /// Whether the repository's config lists several canons.
    pub has_nested_canons: bool,
    /// The commit, if one was requested.
    pub commit: Option<SyncCommit>,
}

/// The sync of one canon.
#[derive(Debug)]
pub struct CanonSync {
    /// The canon's folder, from the top of the repository.
    pub folder: RepoPath,
    pub result: CanonResult,
}

/// Result of the sync of one canon.
#[derive(Debug)]
pub enum CanonResult {
    /// It ran to its end.
    Synced(Box<CanonOutcome>),
    /// Only staged files were requested, and no file of the canon is staged or committed.
    NotStaged,
    /// It failed. The other canons are synced nevertheless, unless the run was interrupted.
    Failed(Error),
}

/// The commit of a sync.
#[derive(Debug)]
pub struct SyncCommit {
    /// The commit; `None` if there was nothing to commit. On failure the mirrors are written all the same.
    pub result: Result<Option<Committed>, Error>,
    /// Shared files that are not committed, because they also hold uncommitted changes of the user.
    pub left_out: Vec<RepoPath>,
    /// Mirrors and tool files in HEAD that differ from its canon, each for a reason that the outcome has: the sync refused
    /// them, they are left out, or git ignores them.
    pub drift: BTreeSet<RepoPath>,
}

/// Changes of the sync of one canon, or of its preview. Paths are relative to `base`.
#[derive(Debug, Default)]
pub struct CanonOutcome {
    /// The folder that contains the canon; empty for the repository's own.
    pub base: RepoPath,
    /// The canon's folder.
    pub canon: RepoPath,
    /// Whether it is the user's own canon.
    pub is_user: bool,
    /// Whether there is no lock yet. Then no difference counts as drift.
    pub never_synced: bool,
    /// Files that were written, or would be.
    pub written: Vec<RepoPath>,
    /// Files that were removed, or would be.
    pub removed: Vec<RepoPath>,
    /// Whether removed mirrors only leave the index and stay in the work tree, because git ignores them now.
    pub untracks_mirrors: bool,
    /// Files and skills that were left alone.
    pub refused: Vec<SyncRefusal>,
    /// The lock, if the sync only corrects lines of it or would correct them.
    pub repaired_lock: Option<RepoPath>,
    /// Whether `--adopt` can take a refused file into the canon.
    pub can_adopt: bool,
    /// Whether `--force` would write or remove a refused file.
    pub can_force: bool,
    /// Number of refusals that prevent an overwrite of content that canonry does not own.
    pub overwrites_refused: usize,
    /// Files in a mirror that canonry did not write.
    pub unowned: Vec<RepoPath>,
    /// Entries that make tools execute commands, by their file: tools get them once a person trusts them.
    pub untrusted: BTreeMap<RepoPath, Vec<String>>,
    /// Number of mirrored files that were up to date.
    pub unchanged: usize,
    /// Files that were overwritten by force, each with its backup.
    pub backups: Vec<(RepoPath, PathBuf)>,
    /// Removed files whose content is in no commit and not in the index, each with its backup.
    pub only_copies: Vec<(RepoPath, PathBuf)>,
    /// Skills that some targets do not get, by the skill's folder and the reason.
    pub left_out: BTreeMap<(RepoPath, ExclusionReason), Vec<Target>>,
    /// Overlays without effect, each with the reason.
    pub unused_overlays: Vec<(RepoPath, String)>,
    /// The lock, if it held a merge conflict that the sync resolved or would resolve.
    pub lock_conflict: Option<RepoPath>,
    /// Canon files that an adoption wrote.
    pub adopted: Vec<RepoPath>,
    /// Number of files that an adoption without changes to the canon recorded as owned.
    pub claimed: Option<usize>,
    /// Configured targets that have no known folder for the user's own skills.
    pub unsupported_targets: Vec<Target>,
    /// Skills whose name the user's own canon has too.
    pub same_names: Vec<SameNameSkills>,
    /// Restrictions that a tool gets, but was seen not to follow.
    pub unenforced: Vec<String>,
    /// Tools that ignore what this run wrote for them until a person trusts it.
    pub awaiting_trust: Vec<AwaitedTrust>,
    /// Tools that see each skill several times since this run, because it wrote one more mirror that they read.
    pub repeated: Vec<RepeatedReader>,
    /// Sources in `extends` that the canon has nothing from yet.
    pub unfetched: Vec<String>,
    /// Number of mirrored files that git tracks although `.gitignore` lists them.
    pub tracked_though_ignored: usize,
    /// Folders of mirrors that git ignores although the config has them committed.
    pub ignored_mirrors: Vec<RepoPath>,
    /// The differences that were made or would be made.
    pub diffs: Vec<FileDiff>,
    /// The differences that were refused.
    pub refused_diffs: Vec<FileDiff>,
    /// Mirror files of the work tree that a staged sync left alone, because the user changed them.
    pub left_in_work_tree: Vec<RepoPath>,
    /// Why a staged sync left all mirrors of the work tree alone.
    pub work_tree_error: Option<String>,
}

/// A file or skill that a sync left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncRefusal {
    /// The file, or the skill's folder.
    pub path: RepoPath,
    /// Why.
    pub reason: SyncRefusalReason,
}

/// Why a sync left something alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SyncRefusalReason {
    /// The mirror holds something that canonry must not overwrite.
    #[error(transparent)]
    Mirror(RefusalReason),
    /// The canon's file or skill cannot be mirrored.
    #[error(transparent)]
    Canon(SkipReason),
    /// A folder of the canon cannot be read.
    #[error("not readable: {0}")]
    Unreadable(IoDiagnosis),
    /// The file changed between planning and writing.
    #[error("the file changed during this run; run this again when the change is done")]
    ChangedMeanwhile,
}

/// Severity of the outcome of one canon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncSeverity {
    /// Everything is in order.
    Clean,
    /// Part of the canon could not be mirrored.
    Incomplete,
    /// An overwrite was refused.
    Refused,
}

impl CanonOutcome {
    /// Outcome of a plan that is not written.
    pub(super) fn preview(workspace: &Workspace, state: &SyncState, plan: &SyncPlan) -> Self {
        let mut outcome = Self::new(workspace, state, plan);
        let paths = |edits: &mut dyn Iterator<Item = &Edit>| edits.map(|edit| edit.path().clone()).collect::<Vec<_>>();
        outcome.written.extend(paths(&mut plan.edits.iter().filter(|edit| edit.now().is_some())));
        outcome.removed = paths(&mut plan.edits.iter().filter(|edit| edit.now().is_none()));
        outcome
    }

    /// Outcome of a plan that was written.
    pub(super) fn applied(workspace: &Workspace, state: &SyncState, plan: &SyncPlan, applied: Applied) -> Self {
        let mut outcome = Self::new(workspace, state, plan);
        // Tools always read the user's own settings.
        if !outcome.is_user && !applied.written.is_empty() {
            outcome.awaiting_trust = awaited_trust(&state.survey.lock, &plan.lock, &applied.written);
        }
        let changed: BTreeSet<RepoPath> = applied.changed().cloned().collect();
        outcome.written.extend(applied.written);
        outcome.removed = applied.removed;
        outcome.backups = applied.backups;
        outcome.only_copies = applied.only_copies;
        outcome.overwrites_refused += changed.len();
        let conflict = |path| SyncRefusal { path, reason: SyncRefusalReason::ChangedMeanwhile };
        outcome.refused.extend(changed.into_iter().map(conflict));
        outcome
    }

    fn new(workspace: &Workspace, state: &SyncState, plan: &SyncPlan) -> Self {
        let desired = &state.survey.desired;
        let refusal = |path: &RepoPath, reason| SyncRefusal { path: path.clone(), reason };
        let mirror = plan.refused.iter().map(|r| refusal(&r.path, SyncRefusalReason::Mirror(r.reason.clone())));
        let canon = desired.skipped.iter().map(|s| refusal(&s.path, SyncRefusalReason::Canon(s.reason.clone())));
        let unreadable = state.unreadable.iter();
        let unreadable = unreadable.map(|(path, error)| refusal(path, SyncRefusalReason::Unreadable(error.clone())));
        let is_clash = |reason: &SkipReason| {
            matches!(
                reason,
                SkipReason::NameClash { .. }
                    | SkipReason::FileNameClash { .. }
                    | SkipReason::UnicodeClash { .. }
                    | SkipReason::FileUnicodeClash { .. }
            )
        };
        let clashes = desired.skipped.iter().filter(|skipped| is_clash(&skipped.reason)).count();
        let lock_conflict = state.survey.lock_conflict.then(|| state.layout.lock());
        let lock = lock_of_mirrors(&workspace.view, &state.layout, &workspace.config.files);
        let repaired_lock = (!plan.lock_drift.is_empty() && lock_conflict.is_none()).then_some(lock);
        Self {
            base: workspace.view.base().clone(),
            canon: workspace.layout.root().clone(),
            is_user: workspace.env.scope == RepositoryScope::User,
            never_synced: plan.never_synced,
            // The lock is listed only when a merge left a conflict in it, or when its lines were wrong.
            written: lock_conflict.iter().chain(&repaired_lock).cloned().collect(),
            repaired_lock,
            can_adopt: plan.refused.iter().any(|refusal| refusal.reason.can_be_adopted()),
            can_force: !plan.forcible.is_empty(),
            refused: mirror.chain(canon).chain(unreadable).collect(),
            overwrites_refused: plan.refused.len() + clashes,
            unowned: plan.unowned.clone(),
            untrusted: untrusted(state),
            unchanged: plan.unchanged,
            left_out: left_out(desired),
            unused_overlays: state.survey.overlays.unused.clone(),
            lock_conflict,
            unsupported_targets: workspace.placeless.clone(),
            unenforced: state.survey.tool_files.desired.unenforced.iter().map(ToString::to_string).collect(),
            repeated: newly_repeated(workspace, &state.survey.lock, &plan.lock),
            unfetched: unfetched(workspace),
            ..Self::default()
        }
    }

    /// Adds what a repeated sync did.
    pub(super) fn follow(&mut self, next: Self) {
        let mut earlier = std::mem::replace(self, next);
        let join = |earlier: &mut Vec<RepoPath>, later: &mut Vec<RepoPath>| {
            earlier.retain(|path| !later.contains(path));
            later.splice(..0, earlier.drain(..));
        };
        join(&mut earlier.written, &mut self.written);
        join(&mut earlier.removed, &mut self.removed);
        join(&mut earlier.adopted, &mut self.adopted);
        self.backups.splice(..0, earlier.backups);
        self.only_copies.splice(..0, earlier.only_copies);
        self.repeated.splice(..0, earlier.repeated);
        self.awaiting_trust.splice(..0, earlier.awaiting_trust);
        self.refused_diffs = earlier.refused_diffs;
        self.claimed = earlier.claimed.or(self.claimed);
        self.repaired_lock = earlier.repaired_lock.or(self.repaired_lock.take());
        self.lock_conflict = earlier.lock_conflict.or(self.lock_conflict.take());
    }

    /// Severity of the outcome.
    pub fn severity(&self) -> SyncSeverity {
        match (self.overwrites_refused, self.refused.len()) {
            (0, 0) => SyncSeverity::Clean,
            (0, _) => SyncSeverity::Incomplete,
            _ => SyncSeverity::Refused,
        }
    }

    /// Whether the mirrors differ from what the canon says.
    pub fn has_drift(&self) -> bool {
        self.has_changes() || !self.refused.is_empty()
    }

    /// Whether anything was written or removed, or would be.
    pub fn has_changes(&self) -> bool {
        !self.written.is_empty() || !self.removed.is_empty()
    }

    /// A path from the top of the repository.
    pub fn full(&self, path: &RepoPath) -> RepoPath {
        self.base.join(path.as_bstr())
    }
}

fn newly_repeated(workspace: &Workspace, before: &Lock, after: &Lock) -> Vec<RepeatedReader> {
    let targets = &workspace.config.targets;
    let is_new = |folder: &&str| {
        let root = RepoPath::from(*folder);
        after.owns_below(&root) && !before.owns_below(&root)
    };
    let readers = repeated_readers(targets).into_iter();
    readers.filter(|reader| reader.folders.iter().any(&is_new)).collect()
}

fn untrusted(state: &SyncState) -> BTreeMap<RepoPath, Vec<String>> {
    let mut found: BTreeMap<RepoPath, Vec<String>> = BTreeMap::new();
    for entry in &state.survey.tool_files.desired.untrusted {
        found.entry(entry.canon(&state.layout)).or_default().push(entry.to_string());
    }
    found
}

fn left_out(desired: &DesiredMirrors) -> BTreeMap<(RepoPath, ExclusionReason), Vec<Target>> {
    let mut skills: BTreeMap<(RepoPath, ExclusionReason), Vec<Target>> = BTreeMap::new();
    for withheld in &desired.withheld {
        skills.entry((withheld.skill.clone(), withheld.reason.clone())).or_default().push(withheld.target);
    }
    skills
}

impl SyncOutcome {
    /// The outcomes of the canons that were synced.
    pub fn synced(&self) -> impl Iterator<Item = &CanonOutcome> {
        self.canons.iter().filter_map(|canon| match &canon.result {
            CanonResult::Synced(outcome) => Some(&**outcome),
            CanonResult::NotStaged | CanonResult::Failed(_) => None,
        })
    }

    /// The errors of the canons that failed.
    pub fn errors(&self) -> impl Iterator<Item = &Error> {
        self.canons.iter().filter_map(|canon| match &canon.result {
            CanonResult::Failed(error) => Some(error),
            CanonResult::Synced(_) | CanonResult::NotStaged => None,
        })
    }
}
