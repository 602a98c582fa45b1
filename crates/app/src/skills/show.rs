//! Shows a skill with its files and mirrors.

use crate::skill_catalog::{SkillCatalog, unmet};
use crate::sync::state::SyncState;
use crate::{Error, ErrorKind, Workspace};
use canonry_mirror::SyncPlan;
use canonry_mirror::registry::ManifestEntry;
use canonry_model::canon::Blob;
use canonry_model::canon::inventory::SkillFolder;
use canonry_model::config::Target;
use canonry_model::edit::OverwriteMode;
use canonry_repo::apply::unfinished;
use canonry_repo::view::PathKind;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_text::{RepoPath, frontmatter};

/// A skill.
#[derive(Clone, Debug)]
pub struct SkillDetails {
    /// The manifest entry.
    pub entry: ManifestEntry,
    /// The text of the frontmatter.
    pub frontmatter: String,
    /// The files, relative to the repository.
    pub files: Vec<RepoPath>,
    /// The unmet preconditions, one message each.
    pub unmet: Vec<String>,
    /// The mirror in each configured target.
    pub mirrors: Vec<SkillMirror>,
}

/// A mirror of a skill.
#[derive(Clone, Debug)]
pub struct SkillMirror {
    /// The name of the target.
    pub target: &'static str,
    /// The path of the mirror.
    pub path: RepoPath,
    /// The state.
    pub state: SkillMirrorState,
}

/// The state of a mirror.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkillMirrorState {
    /// It equals the canon.
    InSync,
    /// It exists, and a sync would change it.
    Outdated,
    /// It does not exist, and a sync would write it.
    Missing,
    /// It exists, and canonry does not own it.
    Foreign,
    /// The config or the skill excludes it.
    Excluded,
    /// A sync would refuse to write it.
    Refused {
        /// The path that is refused.
        path: RepoPath,
        /// The reason.
        reason: String,
    },
}

/// Finds a skill by its name, or else by the name of its folder.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if there is no such skill, or no tool can read it.
pub fn run(workspace: &Workspace, name: &str) -> Result<SkillDetails, Error> {
    let catalog = SkillCatalog::load(workspace)?;
    let entries = catalog.entries(workspace);
    let skills = &catalog.inventory.skills;
    let folder_of = |entry: &ManifestEntry| skills.iter().find(|skill| skill.document.path.to_display() == entry.path);
    let has_folder_name =
        |entry: &&ManifestEntry| folder_of(entry).is_some_and(|skill| skill.path.file_name_lossy() == name);
    let entry = entries.iter().find(|entry| entry.name == name).or_else(|| entries.iter().find(has_folder_name));
    let Some((entry, skill)) = entry.and_then(|entry| Some((entry, folder_of(entry)?))) else {
        return Err(not_found(name, &entries, &catalog));
    };
    let state = SyncState::load(workspace, &workspace.view, unfinished(&workspace.git_dir()?))?;
    let plan = state.plan(OverwriteMode::OwnedOnly);
    Ok(SkillDetails {
        entry: entry.clone(),
        frontmatter: frontmatter_text(workspace, skill),
        files: skill.files.iter().map(|file| file.path.clone()).collect(),
        unmet: unmet(workspace, &entry.preconditions),
        mirrors: mirrors(workspace, skill, &state, &plan),
    })
}

fn not_found(name: &str, entries: &[ManifestEntry], catalog: &SkillCatalog) -> Error {
    let skill = catalog.inventory.skills.iter().find(|skill| skill.path.file_name_lossy() == name);
    if let Some(skill) = skill {
        let message = format!("{}: no tool can read this skill", skill.document.path);
        return Error::new(ErrorKind::Unreadable, message).help("run `canonry check` to see what is wrong");
    }
    let error = Error::new(ErrorKind::Unreadable, format!("there is no skill `{name}`"));
    error.suggest(name, entries.iter().map(|entry| entry.name.as_str()), "run `canonry skills list` to see all skills")
}

fn frontmatter_text(workspace: &Workspace, skill: &SkillFolder) -> String {
    let Blob::Bytes(bytes) = workspace.view.read(&skill.document.path, DOCUMENT_LIMIT) else { return String::new() };
    let text = String::from_utf8_lossy(&bytes);
    frontmatter::split(&text).map_or_else(|_| String::new(), |fences| text[fences.yaml.range()].to_owned())
}

fn mirrors(workspace: &Workspace, skill: &SkillFolder, state: &SyncState, plan: &SyncPlan) -> Vec<SkillMirror> {
    let mirror = |target: &Target| {
        let path = target.skills_root().join(skill.path.file_name());
        SkillMirror { target: target.name(), state: mirror_state(workspace, &path, state, plan), path }
    };
    workspace.config.targets.iter().map(mirror).collect()
}

fn mirror_state(workspace: &Workspace, mirror: &RepoPath, state: &SyncState, plan: &SyncPlan) -> SkillMirrorState {
    let refusal = plan.refused.iter().find(|refusal| refusal.path.is_within(mirror) || mirror.is_within(&refusal.path));
    if let Some(refusal) = refusal {
        return SkillMirrorState::Refused { path: refusal.path.clone(), reason: refusal.reason.to_string() };
    }
    let changes = plan.edits.iter().any(|edit| edit.path().is_within(mirror));
    let exists = workspace.view.kind(mirror) != PathKind::Nothing;
    let wanted = state.survey.desired.files.iter().any(|file| file.path.is_within(mirror));
    match (changes, exists, wanted) {
        (true, true, _) => SkillMirrorState::Outdated,
        (true, false, _) => SkillMirrorState::Missing,
        (false, true, true) => SkillMirrorState::InSync,
        (false, true, false) => SkillMirrorState::Foreign,
        (false, false, _) => SkillMirrorState::Excluded,
    }
}
