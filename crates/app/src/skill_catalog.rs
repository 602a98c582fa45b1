//! The skills of a canon and the preconditions they state, as several jobs need them.

use crate::memory::single_line;
use crate::{Error, ErrorKind, Workspace};
use canonry_mirror::registry::{ManifestEntry, Requirement, SearchableSkill, parse_requirements};
use canonry_model::canon::Blob;
use canonry_model::canon::inventory::Inventory;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_repo::view::skill_registry::{ListedSkills, entries};
use canonry_repo::view::survey::mirrored;
use canonry_repo::view::{IgnoreMode, ListedFile, PathKind, View};
use canonry_text::{RepoPath, frontmatter};
use rayon::prelude::*;

/// The skills of a canon.
pub struct SkillCatalog {
    listed: Vec<ListedFile>,
    /// The files of the skills.
    pub inventory: Inventory,
}

impl SkillCatalog {
    /// Lists the skills.
    ///
    /// # Errors
    /// Git's own files cannot be read.
    pub fn load(workspace: &Workspace) -> Result<Self, Error> {
        let listing = workspace.view.list(&workspace.layout.skills(), IgnoreMode::Exclude)?;
        let entries = listing.entries();
        let inventory = mirrored(&entries, Inventory::from_entries(&entries, &workspace.layout), &workspace.layout);
        Ok(Self { listed: listing.files, inventory })
    }

    /// The manifest entries of the skills that tools can read.
    pub fn entries(&self, workspace: &Workspace) -> Vec<ManifestEntry> {
        let skills = ListedSkills { layout: &workspace.layout, listed: &self.listed, inventory: &self.inventory };
        entries(&workspace.view, skills)
    }

    /// The skills that tools can read, with their instructions.
    pub fn searchable(&self, workspace: &Workspace) -> Vec<SearchableSkill> {
        // The workspace has a repository handle, which threads cannot share.
        let view = &workspace.view;
        let searchable = |entry: ManifestEntry| {
            let body = instructions(view, &RepoPath::from(entry.path.as_str()));
            SearchableSkill { entry, body }
        };
        self.entries(workspace).into_par_iter().map(searchable).collect()
    }
}

/// The text of a `SKILL.md` after its frontmatter; empty if it cannot be read.
fn instructions(view: &View, path: &RepoPath) -> String {
    let Blob::Bytes(bytes) = view.read(path, DOCUMENT_LIMIT) else { return String::new() };
    let text = String::from_utf8_lossy(&bytes);
    let start = frontmatter::split(&text).map_or(0, |parts| parts.body.offset);
    text.get(start..).unwrap_or_default().to_owned()
}

/// Finds a skill by the name of its folder.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if there is none.
pub fn find_skill(workspace: &Workspace, name: &str) -> Result<RepoPath, Error> {
    let skills = SkillCatalog::load(workspace)?.inventory.skills;
    let names: Vec<String> = skills.iter().map(|skill| skill.path.file_name_lossy()).collect();
    if let Some(at) = names.iter().position(|known| known == name) {
        return Ok(skills[at].path.clone());
    }
    let error = Error::new(ErrorKind::Unreadable, format!("there is no skill `{}`", single_line(name)));
    Err(error.suggest(name, names.iter().map(String::as_str), "run `canonry skills list` to see all skills"))
}

/// The unmet preconditions, one message each. Looks for files in the repository and the canon, and for commands in the
/// environment's `PATH`. Preconditions that name no file or command are ignored.
pub fn unmet(workspace: &Workspace, preconditions: &[String]) -> Vec<String> {
    let requirements = preconditions.iter().flat_map(|precondition| parse_requirements(precondition));
    let mut unmet: Vec<String> = requirements.filter_map(|requirement| problem(workspace, &requirement)).collect();
    unmet.dedup();
    unmet
}

fn problem(workspace: &Workspace, requirement: &Requirement) -> Option<String> {
    match requirement {
        Requirement::File(name) => {
            let roots = [RepoPath::default(), workspace.layout.root().clone()];
            let exists = |root: &RepoPath| workspace.view.kind(&root.join(name)) != PathKind::Nothing;
            (!roots.iter().any(exists)).then(|| format!("there is no `{name}`"))
        }
        Requirement::Command(name) => {
            workspace.env.program(name).is_none().then(|| format!("the command `{name}` is not on the path"))
        }
    }
}
