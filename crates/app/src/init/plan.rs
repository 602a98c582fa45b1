//! Plans what `init` creates, given what exists.

use super::InitRefusal;
use super::known_skills::KnownSkills;
use super::targets::DetectedTargets;
use super::tools::ToolSwitches;
use crate::config_change::ConfigChange;
use crate::configuration::Origin;
use crate::scaffold::switches::section;
use crate::scaffold::{CanonPart, PathStatus, Scaffold, ScaffoldRequest, ScaffoldRole, plan_scaffold, scaffold_paths};
use crate::sync::reverse_merge::renders_unchanged;
use crate::sync::state::SyncState;
use crate::{Error, Workspace};
use canonry_exchange::remote_skills::is_shared;
use canonry_lint::repo_facts::SkillSummary;
use canonry_mirror::adopt::AdoptContext;
use canonry_mirror::adopt_error::AdoptError;
use canonry_mirror::adopt_skills::{SkillAdoptReader, SkillAdoption, adopt_skills};
use canonry_mirror::{Lock, MirrorRoot, RefusalReason, fold_name};
use canonry_model::canon::FileState;
use canonry_model::canon::file_kind::{FileKind, is_plan};
use canonry_model::canon::inventory::SkillFolder;
use canonry_model::canon::schema::{SchemaKind, Schemas};
use canonry_model::config::{Target, mirror_root};
use canonry_repo::view::survey::{Inspection, inspect_skill};
use canonry_repo::view::tool_files::may_be_owned;
use canonry_repo::view::{IgnoreMode, PathKind, View, load};
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// Files that a run creates, and those that it does not touch.
pub struct InitPlan {
    /// The skills to adopt from tools' directories.
    pub adoption: SkillAdoption,
    /// The other files of a new canon.
    pub scaffold: Scaffold,
    /// Paths that are not changed, and why.
    pub refused: Vec<InitRefusal>,
    /// New files that git ignores.
    pub ignored: BTreeSet<RepoPath>,
    /// Folders of mirrors that git ignores although the config has them committed.
    pub ignored_mirrors: Vec<RepoPath>,
    /// The number of files in the canon's directory that do not belong to a canon, if there are no others.
    pub foreign_files: usize,
    /// Whether no sync has run yet.
    pub is_first_sync_due: bool,
    /// Lines that a person adds to the existing config.
    pub to_configure: Option<String>,
}

impl InitPlan {
    /// Plans a run. `pending` are the files that an interrupted run was about to write.
    ///
    /// # Errors
    /// git's own files cannot be read.
    pub fn build(
        workspace: &Workspace,
        detected: &DetectedTargets,
        switches: &ToolSwitches,
        parts: &[CanonPart],
        pending: Vec<(RepoPath, FileState)>,
    ) -> Result<Self, Error> {
        let view = &workspace.view;
        // Adopts skills that no tool can read as well, so that nothing is lost.
        let state = SyncState::load_with(workspace, view, pending, &|folder, _| {
            inspect_skill(view, folder, Inspection::Markers)
        })?;
        let adoption = plan_adoption(workspace, &state)?;
        let ignored_mirrors = ignored_mirrors(workspace)?;
        let existing = ExistingParts::find(workspace, &state, &adoption)?;
        let mut scaffold = plan_scaffold(&ScaffoldRequest {
            parts,
            layout: &workspace.layout,
            hash: view.object_hash(),
            targets: detected.is_new.then_some(&detected.targets),
            switches: &switches.on,
            git_ignores_mirrors: !ignored_mirrors.is_empty(),
            status: &|path| path_status(view, path),
            needs_document: !workspace.expects_canon() && workspace.origin == Origin::Top && adoption.skills.is_empty(),
            has_own: &|part| existing.contains(part),
        });
        let is_configured = workspace.origin != Origin::Elsewhere && !switches.on.is_empty();
        let section = if is_configured { section(&switches.on) } else { String::new() };
        let config = ConfigChange::add_files(workspace, section)?;
        let mut refused = refused_roots(workspace, &state);
        let refusal = |path: &RepoPath, reason: String| InitRefusal { path: path.clone(), reason };
        refused.extend(adoption.refused.iter().map(|(path, error)| refusal(path, error.to_string())));
        let unknown = unknown_folders(workspace, &state, &adoption, detected)?;
        refused.extend(unknown.iter().map(|target| {
            let error = AdoptError::NotATarget { target: *target, targets: detected.targets.clone() };
            refusal(&target.skills_root(), format!("{error}; {}", error.help()))
        }));
        refused.extend(scaffold.blocked.iter().map(|(path, by)| refusal(path, format!("{by} is in the way"))));
        refused.sort();
        scaffold.edits.extend(config.edit);
        let new_files: Vec<RepoPath> = scaffold.edits.iter().map(|edit| edit.path().clone()).collect();
        let ignored = view.ignored(&new_files)?;
        let is_first_sync_due = workspace.is_unsynced() || workspace.first_sync_is_due();
        let foreign_files = foreign_files(workspace)?;
        Ok(Self {
            adoption,
            scaffold,
            refused,
            ignored,
            ignored_mirrors,
            foreign_files,
            is_first_sync_due,
            to_configure: config.by_hand,
        })
    }
}

/// The tools outside the config whose folders have skills that the canon does not have.
fn unknown_folders(
    workspace: &Workspace,
    state: &SyncState,
    adoption: &SkillAdoption,
    detected: &DetectedTargets,
) -> Result<Vec<Target>, Error> {
    if detected.unconfigured.is_empty() {
        return Ok(Vec::new());
    }
    let known = KnownSkills::load(workspace, state, adoption)?;
    let mut unknown = Vec::new();
    for target in &detected.unconfigured {
        if !known.has_all_of(*target)? {
            unknown.push(*target);
        }
    }
    Ok(unknown)
}

/// The folders of the targets' mirrors in which git ignores a skill.
fn ignored_mirrors(workspace: &Workspace) -> Result<Vec<RepoPath>, Error> {
    if workspace.config.files.git.ignore {
        return Ok(Vec::new());
    }
    let roots = workspace.config.targets.iter().map(|target| target.skills_root());
    let roots: Vec<(RepoPath, RepoPath)> = roots.map(|root| (root.join("plan/SKILL.md"), root)).collect();
    let documents: Vec<RepoPath> = roots.iter().map(|(document, _)| document.clone()).collect();
    let ignored = workspace.view.ignored(&documents)?;
    Ok(roots.into_iter().filter(|(document, _)| ignored.contains(document)).map(|(_, root)| root).collect())
}

/// The number of files in the directory of a canon that does not exist yet. The directory may belong to another program.
fn foreign_files(workspace: &Workspace) -> Result<usize, Error> {
    let view = &workspace.view;
    let layout = &workspace.layout;
    if layout.root().is_empty() || workspace.has_canon() {
        return Ok(0);
    }
    let files = view.list(layout.root(), IgnoreMode::Exclude)?.files;
    let is_of_canon = |path: &RepoPath| {
        let below = path.below(layout.root()).map(RepoPath::new).unwrap_or_default();
        let first = below.components().next().map(|part| layout.root().join(part)).unwrap_or_default();
        let is_lock = [layout.lock(), layout.skills_lock(), layout.pack_lock(), layout.local_lock()].contains(path);
        let is_known = || is_lock || is_shared(&below) || FileKind::from_path(path, layout).is_some();
        scaffold_paths(layout).any(|(known, _)| known.is_within(&first)) || is_known()
    };
    Ok(files.iter().filter(|file| !is_of_canon(&file.entry.path)).count())
}

fn plan_adoption(workspace: &Workspace, state: &SyncState) -> Result<SkillAdoption, Error> {
    let view = &workspace.view;
    let survey = &state.survey;
    let context = AdoptContext { desired: &survey.desired, state: &survey.actual, lock: &survey.lock, prefer: None };
    let canon = canon_skills(workspace, state);
    let reader = SkillAdoptReader {
        link_text: &|path| state.link_text(view, path),
        is_broken_link: &|path| view.dead_link(path).is_some(),
        renders_unchanged: &|path, canon| renders_unchanged(view, state, path, canon),
        excluded: &ignored_in_canon(workspace, state)?,
        canon: &canon,
    };
    let mut adoption = adopt_skills(&context, &workspace.layout, &reader);
    // The journal of an interrupted run also lists files of the canon, which are no mirrors.
    let mirrors = adoption.adoption.lock.entries().iter().filter(|(path, _)| may_be_owned(path));
    adoption.adoption.lock = Lock::new(mirrors.cloned().collect());
    Ok(adoption)
}

/// The directories of the canon's skills by name.
fn canon_skills(workspace: &Workspace, state: &SyncState) -> BTreeMap<String, RepoPath> {
    let inventory = &state.inventory;
    let folders = inventory.skills.iter().filter(|skill| skill.nested_in.is_none()).map(|skill| &skill.path);
    let links = inventory.linked_skills.iter().map(|link| &link.path);
    let is_direct = |path: &&RepoPath| path.parent().as_ref() == Some(&workspace.layout.skills());
    // A rule reports duplicate names. Of two, the skill directly in `skills/` wins.
    let (direct, nested): (Vec<_>, Vec<_>) = folders.chain(links).partition(is_direct);
    nested.into_iter().chain(direct).map(|path| (fold_name(path.file_name()), path.clone())).collect()
}

/// Files in tools' directories that git would ignore in the canon.
fn ignored_in_canon(workspace: &Workspace, state: &SyncState) -> Result<BTreeSet<RepoPath>, Error> {
    let skills = workspace.layout.skills();
    let in_canon = |path: &RepoPath| {
        let root = mirror_root(path)?;
        Some(skills.join(path.below(&root)?))
    };
    let files = state.survey.actual.files.iter();
    let (mirrored, canonical): (Vec<RepoPath>, Vec<RepoPath>) =
        files.filter_map(|(path, _)| Some((path.clone(), in_canon(path)?))).unzip();
    let ignored = workspace.view.ignored(&canonical)?;
    let pairs = mirrored.into_iter().zip(&canonical);
    Ok(pairs.filter(|(_, canon)| ignored.contains(*canon)).map(|(path, _)| path).collect())
}

/// Tools' directories from which no skill can be adopted.
fn refused_roots(workspace: &Workspace, state: &SyncState) -> Vec<InitRefusal> {
    let skills = workspace.layout.skills();
    let is_mirror = |to: &RepoPath| mirror_root(to).as_ref() == Some(to);
    let refused = state.survey.actual.roots.iter().filter_map(|(target, root)| {
        let reason = match root {
            MirrorRoot::Folder => return None,
            MirrorRoot::LinkInside(to) if *to == skills || is_mirror(to) => return None,
            MirrorRoot::LinkInside(to) => RefusalReason::RootIsLink { to: to.to_display() },
            MirrorRoot::LinkOutside(to) => RefusalReason::RootIsLink { to: to.clone() },
            MirrorRoot::NotAFolder(by) => RefusalReason::RootIsFile { by: by.clone() },
            MirrorRoot::Submodule(by) => RefusalReason::RootIsSubmodule { by: by.clone() },
        };
        Some(InitRefusal { path: target.skills_root(), reason: reason.to_string() })
    });
    refused.collect()
}

fn path_status(view: &View, path: &RepoPath) -> PathStatus {
    let folder = path.parent().unwrap_or_default();
    match (view.root(&folder), view.kind(path)) {
        (MirrorRoot::NotAFolder(by) | MirrorRoot::Submodule(by), _) => PathStatus::Blocked(by),
        (MirrorRoot::LinkInside(_) | MirrorRoot::LinkOutside(_), _) => PathStatus::Blocked(folder),
        (MirrorRoot::Folder, PathKind::Nothing) => PathStatus::Free,
        (MirrorRoot::Folder, PathKind::File) => PathStatus::Taken,
        (MirrorRoot::Folder, PathKind::Folder) => PathStatus::Blocked(path.clone()),
    }
}

/// The team's own content that replaces parts of the scaffold.
struct ExistingParts {
    /// Skill names, folded by [`fold_name`].
    skills: BTreeSet<String>,
    /// The other parts.
    parts: Vec<ScaffoldRole>,
}

impl ExistingParts {
    fn find(workspace: &Workspace, state: &SyncState, adoption: &SkillAdoption) -> Result<Self, Error> {
        let view = &workspace.view;
        let layout = &workspace.layout;
        let mut skills = adoption.names.clone();
        for folder in &state.inventory.skills {
            skills.insert(fold_name(folder.path.file_name()));
            skills.extend(declared_name(view, folder));
        }
        skills.extend(state.inventory.linked_skills.iter().map(|link| fold_name(link.path.file_name())));
        // Anything at the path of a skill belongs to the team, even if it is not a skill yet.
        for (_, part) in scaffold_paths(layout) {
            if let ScaffoldRole::Skill(name) = part
                && view.kind(&layout.skills().join(name)) != PathKind::Nothing
            {
                skills.insert(name.to_owned());
            }
        }
        let files = view.list(layout.root(), IgnoreMode::Include)?.files;
        let team_has = |is_wanted: &dyn Fn(&RepoPath) -> bool| files.iter().any(|file| is_wanted(&file.entry.path));
        let plans = layout.plans();
        let reports = layout.root().join("reports");
        let mut parts = Vec::new();
        // Existing plans and reports may not match the schemas of the scaffold.
        if team_has(&|path| path.is_within(&plans) || is_plan(path)) {
            parts.push(ScaffoldRole::Schema(SchemaKind::Plan));
        }
        if team_has(&|path| path.is_within(&reports)) {
            parts.push(ScaffoldRole::Schema(SchemaKind::Report));
        }
        // A config at the top of the repository hides one in the canon.
        if workspace.origin == Origin::Top {
            parts.push(ScaffoldRole::Config);
        }
        Ok(Self { skills, parts })
    }

    fn contains(&self, part: ScaffoldRole) -> bool {
        match part {
            ScaffoldRole::Skill(name) => self.skills.contains(name),
            part => self.parts.contains(&part),
        }
    }
}

/// The `name` in a skill's frontmatter, which may differ from its directory's.
fn declared_name(view: &View, folder: &SkillFolder) -> Option<String> {
    let summary = SkillSummary::new(&load::skill(view, folder, &Schemas::default()));
    summary.name.map(|name| fold_name(name.as_bytes()))
}
