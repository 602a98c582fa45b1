//! Checks the repository as a whole: computes the facts that its rules ask for.

use super::exports::stale_exports;
use super::permission_servers::permission_servers;
use super::scope::{CheckScope, ListedCanon};
use crate::configuration::Origin;
use crate::sync::plan::{drop_ignored_tool_files, plan};
use crate::sync::staged::owned_in_index;
use crate::trust::ExecutableTrust;
use crate::{Error, Workspace, pack};
use canonry_lint::repo_facts::{
    CanonContext, Lazy, MirrorSurvey, OverlayProblems, RepoFacts, SkillSummary, StaleRegistry, SubagentSummary,
};
use canonry_lint::{Finding, RuleSet};
use canonry_memory::lessons::{Citation, find_citations, retain_unresolved};
use canonry_memory::{ParsedLog, Ruleset};
use canonry_mirror::overlay::unused_overlays;
use canonry_mirror::overlay_check::OverlayContext;
use canonry_mirror::{LockDrift, SyncPlan};
use canonry_model::canon::file_kind::FileKind;
use canonry_model::canon::inventory::{SkillFolder, is_skill_document};
use canonry_model::canon::{Blob, TreeEntry};
use canonry_model::edit::OverwriteMode;
use canonry_model::finding::Location;
use canonry_repo::apply::unfinished;
use canonry_repo::view::load::{DOCUMENT_LIMIT, LOG_LIMIT};
use canonry_repo::view::locks::lock_of_mirrors;
use canonry_repo::view::skill_registry::{self, ListedSkills, StaleList};
use canonry_repo::view::survey::{self, InspectedSkill, Inspection, SurveyPurpose, inspect_skill, survey};
use canonry_repo::view::tool_files::may_be_owned;
use canonry_repo::view::{Basis, IgnoreMode, PathKind, View, load};
use canonry_text::conflict::first_marker;
use canonry_text::{RepoPath, Source};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The findings of the rules about the whole repository; `skills` and `subagents` are the checked ones.
///
/// # Errors
/// A lock or git's own files cannot be read.
pub(super) fn check(
    workspace: &Workspace,
    scope: &CheckScope,
    rules: &RuleSet,
    skills: &[SkillSummary],
    subagents: Vec<SubagentSummary>,
) -> Result<Vec<Finding>, Error> {
    let view = &workspace.view;
    let outermost: BTreeSet<&RepoPath> =
        scope.files.skills.iter().filter(|skill| skill.nested_in.is_none()).map(|skill| &skill.path).collect();
    let is_other = |skill: &&SkillSummary| {
        let is_of_canon = scope.canon.is_some() && skill.folder.is_within(workspace.layout.root());
        outermost.contains(&skill.folder) && !is_of_canon
    };
    let other_skills: Vec<SkillSummary> = skills.iter().filter(is_other).cloned().collect();
    let listed = scope.canon.as_ref();
    let is_own = |skill: &&SkillSummary| listed.is_some_and(|canon| canon.is_outermost_skill(&skill.folder));
    let own_skills: Vec<SkillSummary> = skills.iter().filter(is_own).cloned().collect();
    // A file that is checked by itself is reported as an unreadable document.
    let is_checked = |path: &RepoPath| scope.files.file_lists().iter().flatten().any(|entry| entry.path == *path);
    let skills_folder = &workspace.layout.skills();
    let links = |is_own: bool| {
        let links = scope.files.linked_skills.iter();
        links.filter(move |link| link.path.is_within(skills_folder) == is_own).map(|link| link.path.clone())
    };
    // The error of a fact ends the check, whichever rule asked for it.
    let error = OnceCell::new();
    let facts = RepoFacts {
        skills: &own_skills,
        other_skills: &other_skills,
        subagents,
        special_files: scope.special_files.iter().filter(|path| !is_checked(path)).cloned().collect(),
        unreadable_folders: scope.unreadable.clone(),
        canon: lazy(|| canon_context(workspace, listed?, own_skills.len())),
        survey: lazy(|| match mirror_survey(workspace, scope, listed?, skills) {
            Ok(survey) => Some(survey),
            Err(failed) => {
                error.get_or_init(|| failed);
                None
            }
        }),
        permission_servers: lazy(|| listed.and_then(|_| permission_servers(workspace))),
        unmerged: lazy(|| listed.map_or_else(Vec::new, |_| unmerged(workspace))),
        dead_skill_links: lazy(|| {
            links(true).filter_map(|path| Some((path.clone(), view.dead_link(&path)?))).collect()
        }),
        absolute_skill_links: lazy(|| links(false).filter_map(|path| absolute_link(view, path)).collect()),
        overlays: lazy(|| listed.map(|listed| overlays(workspace, listed)).unwrap_or_default()),
        missing_episodes: lazy(|| {
            let memory = scope.files.files(FileKind::Memory);
            // A staged check reads the log only if the lessons or the log changed.
            let is_in_scope = memory.iter().any(|entry| entry.path == workspace.layout.lessons())
                || !scope.files.files(FileKind::Log).is_empty();
            if listed.is_some() && is_in_scope { missing_episodes(workspace) } else { Vec::new() }
        }),
        stale_registries: lazy(|| listed.map_or_else(Vec::new, |listed| stale_registries(workspace, listed))),
        stale_exports: lazy(|| listed.map_or_else(Vec::new, |_| stale_exports(workspace))),
        stale_pack: lazy(|| listed.and_then(|_| pack::drift(workspace, &scope.basis))),
    };
    let findings = rules.check(&facts);
    drop(facts);
    error.into_inner().map_or(Ok(findings), Err)
}

fn lazy<'a, T>(compute: impl FnOnce() -> T + 'a) -> Lazy<'a, T> {
    Lazy::new(Box::new(compute))
}

fn absolute_link(view: &View, path: RepoPath) -> Option<(RepoPath, String)> {
    let target = view.link_text(&path)?.to_string();
    target.starts_with('/').then_some((path, target))
}

fn conflict_in_lock(workspace: &Workspace) -> Location {
    let lock = workspace.layout.lock();
    let marker = workspace.view.read_kept(&lock, u64::MAX).into_bytes().and_then(|bytes| first_marker(&bytes));
    marker.map_or_else(|| Location::file(&lock), |at| Location::byte(&lock, at.offset, at.line))
}

/// The unmerged files of the index that belong to the canon or to its mirrors and tool files.
fn unmerged(workspace: &Workspace) -> Vec<RepoPath> {
    let root = workspace.layout.root();
    let unmerged = workspace.view.unmerged_in_index().into_iter();
    unmerged.filter(|path| path.is_within(root) || may_be_owned(path)).collect()
}

/// The folders of mirrors of which git ignores the first file that a sync would add to the index or a commit.
fn ignored_mirrors(workspace: &Workspace, plan: &SyncPlan) -> Result<Vec<RepoPath>, Error> {
    if workspace.view.is_work_tree() {
        return Ok(Vec::new());
    }
    let targets = workspace.config.known_targets();
    let mut missing: BTreeMap<RepoPath, &RepoPath> = BTreeMap::new();
    for edit in plan.edits.iter().filter(|edit| edit.was().is_none() && edit.now().is_some()) {
        if let Some(target) = targets.iter().find(|target| target.contains(edit.path())) {
            missing.entry(target.skills_root()).or_insert(edit.path());
        }
    }
    let files: Vec<RepoPath> = missing.values().copied().cloned().collect();
    let ignored = if files.is_empty() { BTreeSet::new() } else { workspace.view.ignored(&files)? };
    Ok(missing.into_iter().filter(|(_, file)| ignored.contains(*file)).map(|(root, _)| root).collect())
}

fn mirror_survey(
    workspace: &Workspace,
    scope: &CheckScope,
    listed: &ListedCanon,
    skills: &[SkillSummary],
) -> Result<MirrorSurvey, Error> {
    let pending = match scope.basis {
        Basis::WorkTree if workspace.view.is_work_tree() => unfinished(&workspace.git_dir()?),
        Basis::Index => owned_in_index(workspace)?,
        Basis::WorkTree | Basis::Commit(_) => Vec::new(),
    };
    let first_sync_is_due = workspace.first_sync_is_due();
    let known = skills
        .iter()
        .map(|skill| (&skill.folder, InspectedSkill { is_broken: skill.broken, may_differ: skill.may_differ }))
        .collect();
    let view = &workspace.view;
    let inspect = |folder: &SkillFolder, _| inspected(view, &known, folder);
    let trust = ExecutableTrust::new(workspace, view);
    let request = survey::SurveyRequest {
        layout: &workspace.layout,
        targets: &workspace.config.targets,
        config: &workspace.config,
        unreadable: &scope.unreadable,
        pending,
        purpose: SurveyPurpose::Check,
        // A commit is checked alike in every clone.
        git_dir: workspace.git_dir().ok().filter(|_| !matches!(scope.basis, Basis::Commit(_))),
        inspect: &inspect,
    };
    let trusts = |entry: &_| trust.trusts(entry);
    let survey = survey(&workspace.view, &listed.listed, &listed.inventory, request, &trusts)?;
    let mut plan = plan(&survey, OverwriteMode::OwnedOnly, workspace.view.object_hash());
    // A rule of their own reports the lists of the skills.
    let is_registry = |path: &RepoPath| survey.registry.contains(path);
    plan.edits.retain(|edit| !is_registry(edit.path()));
    plan.refused.retain(|refusal| !is_registry(&refusal.path));
    drop_ignored_tool_files(workspace, &mut plan)?;
    if first_sync_is_due || plan.never_synced {
        // What the first sync will write is no drift. What it would refuse is reported.
        plan.edits.clear();
        plan.lock_drift = LockDrift::default();
    }
    plan.never_synced &= !first_sync_is_due;
    let is_new = plan.never_synced;
    let lock = if survey.lock_conflict {
        workspace.layout.lock()
    } else {
        lock_of_mirrors(&workspace.view, &workspace.layout, &workspace.config.files)
    };
    Ok(MirrorSurvey {
        ignored_mirrors: ignored_mirrors(workspace, &plan)?,
        lock,
        plan,
        tool_file_problems: if is_new { Vec::new() } else { survey.tool_files.desired.problems },
        unenforced: survey.tool_files.desired.unenforced,
        unmirrored: survey.desired.skipped,
        lock_conflict: survey.lock_conflict.then(|| conflict_in_lock(workspace)),
    })
}

/// Uses what the check has found out about a skill, so that its documents are not read again. A staged check does not
/// load unchanged skills; they count as valid.
fn inspected(view: &View, known: &BTreeMap<&RepoPath, InspectedSkill>, folder: &SkillFolder) -> InspectedSkill {
    let is_broken = known.get(&folder.path).is_some_and(|skill| skill.is_broken);
    let documents = folder.files.iter().filter(|entry| is_skill_document(&entry.path));
    let may_differ = documents.map(|entry| known.get(&entry.path.parent()?).map(|skill| skill.may_differ));
    let may_differ = may_differ.collect::<Option<Vec<bool>>>().map(|all| all.contains(&true));
    let may_differ = may_differ.unwrap_or_else(|| inspect_skill(view, folder, Inspection::Markers).may_differ);
    InspectedSkill { is_broken, may_differ }
}

/// Overlays without effect, and overlay files that cannot be used.
fn overlays(workspace: &Workspace, listed: &ListedCanon) -> OverlayProblems {
    let view = &workspace.view;
    let root = workspace.layout.overlays();
    let entries = listed.listed.iter().map(|file| &file.entry);
    let entries: Vec<TreeEntry> = entries.filter(|entry| entry.path.is_within(&root)).cloned().collect();
    let targets = &workspace.config.targets;
    let context = OverlayContext {
        root: &root,
        entries: &entries,
        targets,
        inventory: &listed.inventory,
        read: &|path| view.read(path, DOCUMENT_LIMIT).into_bytes(),
        link: &|path| view.link_text(path),
    };
    let unused = unused_overlays(entries.iter().map(|entry| &entry.path), &root, targets, &context.names());
    OverlayProblems { unused: unused.into_iter().collect(), unusable: context.invalid_files() }
}

/// Episodes that lessons cite and that no log and no snapshot contains. Without a readable log and
/// readable snapshots nothing is reported: they may be kept elsewhere, and an unreadable log has a finding of its own.
fn missing_episodes(workspace: &Workspace) -> Vec<(Location, String)> {
    let view = &workspace.view;
    let layout = &workspace.layout;
    let Some(source) = load::source(view, &layout.lessons()) else { return Vec::new() };
    let mut left = find_citations(source.text());
    if left.is_empty()
        || view.kind(&layout.log()) != PathKind::File
        || !remove_existing(workspace, &layout.log(), &mut left)
    {
        return Vec::new();
    }
    if left.is_empty() {
        return Vec::new();
    }
    let Ok(snapshots) = view.list(&layout.snapshots(), IgnoreMode::Exclude) else { return Vec::new() };
    for file in snapshots.files {
        let path = file.entry.path;
        let has_rows = path.as_bstr().ends_with(b".jsonl");
        if has_rows && !left.is_empty() && !remove_existing(workspace, &path, &mut left) {
            return Vec::new();
        }
    }
    left.into_iter().map(|Citation { id, span }| (Location::at(&source, span), id)).collect()
}

/// Removes the citations of episodes in a file; `false` if the file cannot be read.
fn remove_existing(workspace: &Workspace, path: &RepoPath, citations: &mut Vec<Citation>) -> bool {
    let Blob::Bytes(bytes) = workspace.view.read(path, LOG_LIMIT) else { return false };
    retain_unresolved(citations, &ParsedLog::parse(bytes, Ruleset::Current).rows);
    true
}

fn stale_registries(workspace: &Workspace, listed: &ListedCanon) -> Vec<StaleRegistry> {
    let skills = ListedSkills { layout: &workspace.layout, listed: &listed.listed, inventory: &listed.inventory };
    let stale = skill_registry::stale_lists(&workspace.view, skills, &workspace.config).into_iter();
    let registry = |StaleList { path, text, desired }: StaleList| {
        let source = text.map(|text| Arc::new(Source::new(path.clone(), text)));
        StaleRegistry { path, source, wanted: desired }
    };
    stale.map(registry).collect()
}

/// The canon as a whole. Rules that compare skills or count them need all of them.
fn canon_context(workspace: &Workspace, listed: &ListedCanon, checked: usize) -> Option<CanonContext> {
    let all = listed.inventory.skills.iter().filter(|skill| skill.nested_in.is_none()).count();
    if checked != all {
        return None;
    }
    let config = match workspace.origin {
        Origin::Top => load::source(&workspace.view, &RepoPath::from("canonry.yaml")),
        Origin::Canon => load::source(&workspace.view, &workspace.layout.config()),
        Origin::Elsewhere => None,
    };
    let linked = listed.inventory.linked_skills.iter().map(|link| link.path.file_name_lossy()).collect();
    let canon = CanonContext::new(workspace.layout.skills(), workspace.config.clone(), config);
    Some(CanonContext { linked, ..canon })
}
