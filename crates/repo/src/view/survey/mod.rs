//! Surveys the mirrors and tool files: what they should contain, and what they contain.

mod equality;
mod inspection;
mod overlays;
mod overrides;
mod skills;

pub use inspection::{InspectedSkill, Inspection, inspect_skill};
pub use overlays::OverlaySummary;

pub use super::locks::SurveyPurpose;
use super::locks::{self, Locks, SurveyError, lock_of_mirrors};
use super::skill_registry::{self, ListedSkills};
use super::tool_files::{self, ToolFileStates, ToolFileSurvey, may_be_owned};
use super::written::WrittenHistory;
use super::{ListedFile, PathKind, View, ViewError};
use canonry_agents::{Executable, required_sources};
use canonry_mirror::skipped::{SkipReason, Skipped};
use canonry_mirror::state::is_owned;
use canonry_mirror::{DesiredMirrors, FolderStatus, Lock, MirrorRoot, MirrorState};
use canonry_model::canon::inventory::{Inventory, SkillFolder, is_skill_document};
use canonry_model::canon::io_diagnosis::IoDiagnosis;
use canonry_model::canon::{FileMode, FileState, Layout, TreeEntry};
use canonry_model::config::{Config, Target};
use canonry_text::RepoPath;
use gix::ObjectId;
use overlays::Overlays;
use skills::{Deliveries, SkillSurvey};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Subject of a survey.
pub struct SurveyRequest<'a> {
    /// Where the canon is.
    pub layout: &'a Layout,
    /// The targets of the mirrors.
    pub targets: &'a [Target],
    /// Folders of the canon that cannot be listed. Their content is unknown, so no mirror is removed.
    pub unreadable: &'a [(RepoPath, IoDiagnosis)],
    /// States that count as owned besides those in the lock: what an unfinished run may have written.
    pub pending: Vec<(RepoPath, FileState)>,
    /// Purpose of the survey.
    pub purpose: SurveyPurpose,
    /// The folder with canonry's own state; `None` for a commit.
    pub git_dir: Option<PathBuf>,
    /// The configuration.
    pub config: &'a Config,
    /// Inspects the documents of a skill. Called only for skills whose mirrors differ from the canon.
    pub inspect: &'a (dyn Fn(&SkillFolder, Inspection) -> InspectedSkill + Sync),
}

/// Everything that a sync plan depends on.
#[derive(Debug)]
pub struct Survey {
    /// Desired content of the mirrors.
    pub desired: DesiredMirrors,
    /// Actual content of the mirrors.
    pub actual: MirrorState,
    /// The owned files and their states.
    pub lock: Lock,
    /// The locks as they are.
    pub recorded: Lock,
    /// Folders in mirrors that equal the canon and were not compared file by file.
    pub in_sync: BTreeSet<RepoPath>,
    /// Content that sync wrote in the past.
    pub history: WrittenHistory,
    /// Whether there is a lock, or an interrupted run was about to write one.
    pub has_lock: bool,
    /// Whether the lock has conflict markers.
    pub lock_conflict: bool,
    /// The tool files that users write too.
    pub tool_files: ToolFileStates,
    /// The paths of the generated lists of skills.
    pub registry: [RepoPath; 2],
    /// The overlays.
    pub overlays: OverlaySummary,
}

/// The skills that are mirrored: those below `skills/`. A SKILL.md in `skills/` itself is not a skill, because all other
/// skills would be nested in it. `all` is the inventory of all `entries`.
pub fn mirrored(entries: &[TreeEntry], all: Inventory, layout: &Layout) -> Inventory {
    let skills = layout.skills();
    // True for almost every canon.
    if all.skills.iter().all(|skill| skill.path != skills && skill.path.is_within(&skills)) {
        return all;
    }
    let is_mirrored = |entry: &&TreeEntry| {
        let is_in_root = entry.path.parent().as_ref() == Some(&skills) && is_skill_document(&entry.path);
        entry.path.is_within(&skills) && !is_in_root
    };
    Inventory::from_entries(&entries.iter().filter(is_mirrored).cloned().collect::<Vec<_>>(), layout)
}

/// Surveys the mirrors of the skills in `inventory`; `canon` are the listed files of the canon. `trusts` says whether a person
/// trusts an entry that makes tools execute commands.
///
/// # Errors
/// See [`SurveyError`].
pub fn survey(
    view: &View,
    canon: &[ListedFile],
    inventory: &Inventory,
    request: SurveyRequest<'_>,
    trusts: &dyn Fn(&Executable) -> bool,
) -> Result<Survey, SurveyError> {
    let layout = request.layout;
    let config = request.config;
    let unmerged = view.unmerged();
    let Locks { owned, recorded, has_conflict } = locks::read(view, layout, unmerged.get(&layout.lock()))?;
    let lock = lock_of_mirrors(view, layout, &config.files);
    // A run that was interrupted was about to write one into the work tree; into the index it writes all at once.
    let is_pending = view.is_work_tree() && !request.pending.is_empty();
    // An index with an unmerged lock has no version of it.
    let has_lock = is_pending || view.unmerged_in_index().contains(&lock) || view.kind(&lock) != PathKind::Nothing;
    let owned = owned.with(request.pending.iter().cloned());
    // Ignored mirrors are in no index and in no commit.
    let mirrored = if config.files.git.ignore && !view.is_work_tree() { &[] } else { request.targets };
    let deliveries = Deliveries::new(view, mirrored, config);
    let overlays = Overlays::load(view, inventory, &request)?;
    let skill_survey = SkillSurvey {
        view,
        request: &request,
        deliveries: &deliveries,
        overlays: &overlays,
        lines: mirrored.iter().map(|target| (*target, owned.children(&target.skills_root()))).collect(),
        unmerged: &unmerged,
    };
    let in_sync = match request.purpose {
        SurveyPurpose::Check => skill_survey.folders_in_sync(canon, inventory),
        SurveyPurpose::Sync => BTreeSet::new(),
    };
    let build = || {
        let skills = skill_survey.skills(canon, inventory, &in_sync);
        DesiredMirrors::build(&skills, mirrored, view.object_hash(), |folder| {
            if in_sync.contains(folder) {
                FolderStatus::InSync
            } else if owned.owns_below(folder) || owned.owns(folder) {
                FolderStatus::PartlyOwned
            } else {
                FolderStatus::New
            }
        })
    };
    let (mut desired, actual) = rayon::join(build, || actual_mirrors(view, mirrored, &owned, &in_sync));
    let mut actual = actual?;
    let both_sides_owned = |path: &RepoPath, sides: &[FileState]| {
        let written: Vec<(RepoPath, FileState)> = owned.states(path).map(|state| (path.clone(), state)).collect();
        !sides.is_empty() && sides.iter().all(|side| is_owned(&written, *side))
    };
    actual.unmerged = unmerged
        .iter()
        .filter(|(path, sides)| {
            actual.state(path).is_some() && both_sides_owned(path, sides) && view.has_conflict(path)
        })
        .map(|(path, _)| path.clone())
        .collect();
    desired
        .skipped
        .extend(overlays.unreadable.iter().map(|path| Skipped { path: path.clone(), reason: SkipReason::Unreadable }));
    name_failed_filters(view, &mut desired.skipped);
    desired.skipped.extend(repositories_beside_skills(canon, inventory, &layout.skills()));
    let sources = required_sources(layout, &config.files);
    let sources = sources.into_iter().chain([layout.skills(), layout.overlays(), layout.lock(), layout.config()]);
    desired.skipped.extend(unmerged_in_index(view, &sources.collect::<Vec<_>>()));
    if !request.unreadable.is_empty() || !overlays.unreadable.is_empty() {
        desired.frozen =
            known_mirrors(request.targets, &owned).into_iter().map(|target| target.skills_root()).collect();
        desired.frozen.sort();
    }
    // Without skills, a pointer to a mirror would lead to nothing.
    let has_no_skills =
        inventory.skills.is_empty() && inventory.linked_skills.is_empty() && request.unreadable.is_empty();
    let targets = if has_no_skills { &[] } else { request.targets };
    // With unreadable folders, the list of skills is unknown.
    let has_registry = request.unreadable.is_empty() && skill_registry::is_enabled(view, layout, config, &owned);
    let listed = ListedSkills { layout, listed: canon, inventory };
    let registry = if has_registry {
        skill_registry::generated_files(layout, &skill_registry::entries(view, listed))
    } else {
        Vec::new()
    };
    if !request.unreadable.is_empty() {
        desired.frozen.extend(layout.registry());
    }
    // The same holds for the list in `AGENTS.md`, which then keeps its block.
    let available_skills = (config.files.agents.skills && request.unreadable.is_empty())
        .then(|| skill_registry::available_skills(view, listed, config, request.targets));
    let tool_file_survey = ToolFileSurvey {
        available_skills,
        registry,
        layout,
        config,
        configured: request.targets,
        mirrored,
        targets,
        skills: &inventory.skills,
        trusts,
    };
    let tool_files = tool_files::survey(view, &tool_file_survey, &owned, &mut desired, &mut actual)?;
    let owned = owned.with(skill_registry::sealed(view, layout, &unmerged, &actual));
    let history = WrittenHistory::new(view, layout, request.git_dir.clone());
    let equality = equality::EqualityRequest { layout, history: &history, has_lock };
    let lock = equality::find_equal(view, &desired, &mut actual, owned, &equality);
    Ok(Survey {
        desired,
        actual,
        lock,
        recorded,
        in_sync,
        history,
        has_lock,
        lock_conflict: has_conflict,
        tool_files,
        overlays: overlays.summary(),
        registry: layout.registry(),
    })
}

/// Submodules and other repositories in place of skills.
fn repositories_beside_skills(canon: &[ListedFile], inventory: &Inventory, skills: &RepoPath) -> Vec<Skipped> {
    let in_skill = |path: &RepoPath| inventory.skills.iter().any(|skill| path.is_within(&skill.path));
    let paths = canon.iter().filter(|file| file.entry.mode == FileMode::Submodule).map(|file| &file.entry.path);
    let beside = paths.filter(|path| path.is_within(skills) && !in_skill(path));
    beside.map(|path| Skipped { path: path.clone(), reason: SkipReason::Submodule }).collect()
}

/// The files of the index that a merge has left unmerged, as far as mirrors are made from them or are such files.
fn unmerged_in_index(view: &View, sources: &[RepoPath]) -> Vec<Skipped> {
    let is_concerned = |path: &RepoPath| sources.iter().any(|source| path.is_within(source)) || may_be_owned(path);
    let unmerged = view.unmerged_in_index().into_iter().filter(is_concerned);
    let reason = |file: &RepoPath| SkipReason::UnresolvedConflict { file: file.clone() };
    unmerged.map(|path| Skipped { reason: reason(&path), path }).collect()
}

/// Says which files cannot be read because a filter of git fails.
fn name_failed_filters(view: &View, skipped: &mut [Skipped]) {
    for skipped in skipped.iter_mut().filter(|skipped| skipped.reason == SkipReason::Unreadable) {
        if let Some(filter) = view.failed_filter(&skipped.path) {
            skipped.reason = SkipReason::FilterFailed { filter };
        }
    }
}

/// The targets of the table, the configured ones, and those that the lock still has files of: a row that was removed from
/// the config leaves its mirror to the next sync.
fn known_mirrors(configured: &[Target], owned: &Lock) -> BTreeSet<Target> {
    let mut known = Target::with_all(configured.iter().copied());
    for root in owned.mirror_roots() {
        if !known.iter().any(|target| target.contains(&root)) {
            let name = root.parent().unwrap_or_default().to_display();
            known.insert(Target::custom(name.trim_start_matches('.'), &root.to_display()));
        }
    }
    known
}

/// The content of the configured mirrors, and of other mirrors with owned files.
fn actual_mirrors(
    view: &View,
    configured: &[Target],
    owned: &Lock,
    in_sync: &BTreeSet<RepoPath>,
) -> Result<MirrorState, ViewError> {
    let is_relevant = |target: &Target| configured.contains(target) || owned.owns_below(&target.skills_root());
    let mut known: Vec<Target> = known_mirrors(configured, owned).into_iter().filter(is_relevant).collect();
    known.sort_by_cached_key(|target| target.skills_root());
    let mut roots = BTreeMap::new();
    let mut listed: Vec<ListedFile> = Vec::new();
    let mut special = BTreeSet::new();
    for target in known {
        let root = view.root(&target.skills_root());
        if root == MirrorRoot::Folder {
            let listing = view.list_except(&target.skills_root(), in_sync)?;
            listed.extend(listing.files);
            special.extend(listing.odd);
        }
        roots.insert(target, root);
    }
    listed.sort_by(|a, b| a.entry.path.cmp(&b.entry.path));
    let states = view.states(&listed);
    let mut actual = MirrorState { roots, special, ..MirrorState::default() };
    for (file, state) in listed.into_iter().zip(states) {
        // An unreadable file gets an id that no file has, so that it is never overwritten.
        let unknown = FileState { id: ObjectId::null(view.object_hash()), mode: file.entry.mode };
        let path = file.entry.path;
        let text = (file.entry.mode == FileMode::Link).then(|| view.link_text(&path)).flatten();
        if let Some(to) = text.and_then(|text| path.resolve_beside(&text)) {
            actual.links.insert(path.clone(), to);
        }
        if view.is_outside_checkout(&path) {
            actual.outside_checkout.insert(path.clone());
        }
        actual.files.push((path, state.unwrap_or(unknown)));
    }
    Ok(actual)
}
