//! Detects the tools that already have skills, and chooses the targets of the canon.

use crate::configuration::Origin;
use crate::{Error, Workspace};
use canonry_mirror::MirrorRoot;
use canonry_mirror::repeated::choose_targets;
use canonry_model::canon::inventory::is_skill_document;
use canonry_model::canon::{FileMode, TreeEntry};
use canonry_model::config::Target;
use canonry_repo::view::IgnoreMode;
use canonry_text::RepoPath;

/// The targets of the canon, and the tools that have skills.
pub struct DetectedTargets {
    /// The targets after the run.
    pub targets: Vec<Target>,
    /// Whether a new config lists the targets.
    pub is_new: bool,
    /// Tools with skills that the existing config does not list.
    pub unconfigured: Vec<Target>,
}

impl DetectedTargets {
    /// Chooses the targets for the tools in use. Folders with skills become targets, because their skills are adopted.
    ///
    /// # Errors
    /// git's own files cannot be read.
    pub fn detect(workspace: &Workspace, tools: &[Target]) -> Result<Self, Error> {
        let mut with_skills = Vec::new();
        for target in Target::ALL {
            if has_skills(workspace, target)? {
                with_skills.push(target);
            }
        }
        if workspace.origin != Origin::Elsewhere {
            let targets = workspace.config.targets.clone();
            with_skills.retain(|target| !targets.contains(target));
            return Ok(Self { targets, is_new: false, unconfigured: with_skills });
        }
        Ok(Self { targets: choose_targets(tools, &with_skills), is_new: true, unconfigured: Vec::new() })
    }
}

fn has_skills(workspace: &Workspace, target: Target) -> Result<bool, Error> {
    Ok(!tool_skills(workspace, target)?.is_empty())
}

/// A skill in the folder of a tool.
#[derive(Debug)]
pub struct ToolSkill {
    /// The folder, or the link in place of one.
    pub path: RepoPath,
    pub is_link: bool,
}

/// The skills in the folder of a tool.
///
/// # Errors
/// git's own files cannot be read.
pub fn tool_skills(workspace: &Workspace, target: Target) -> Result<Vec<ToolSkill>, Error> {
    let root = target.skills_root();
    if workspace.view.root(&root) != MirrorRoot::Folder {
        return Ok(Vec::new());
    }
    let listing = workspace.view.list(&root, IgnoreMode::Include)?;
    let skill = |entry: &TreeEntry| {
        let parent = entry.path.parent();
        if entry.mode == FileMode::Link && parent.as_ref() == Some(&root) {
            return Some(ToolSkill { path: entry.path.clone(), is_link: true });
        }
        let path = parent.filter(|_| is_skill_document(&entry.path))?;
        Some(ToolSkill { path, is_link: false })
    };
    Ok(listing.files.iter().filter_map(|file| skill(&file.entry)).collect())
}
