//! Detects the tools that already have skills, and chooses the targets of the canon.

use super::tools::ToolSelection;
use crate::configuration::Origin;
use crate::{Error, Workspace};
use canonry_mirror::MirrorRoot;
use canonry_model::canon::inventory::is_skill_document;
use canonry_model::canon::{FileMode, TreeEntry};
use canonry_model::config::Target;
use canonry_repo::view::IgnoreMode;

/// The targets of the canon, and the tools that have skills.
pub struct DetectedTargets {
    /// The targets after the run.
    pub targets: Vec<Target>,
    /// The targets to write to the config; `None` if the defaults apply or a config exists.
    pub to_configure: Option<Vec<Target>>,
    /// Tools with skills that the existing config does not list.
    pub unconfigured: Vec<Target>,
}

impl DetectedTargets {
    /// Lists the directories of all tools. Tools that are selected by name become the targets, besides those with skills.
    ///
    /// # Errors
    /// git's own files cannot be read.
    pub fn detect(workspace: &Workspace, selection: &ToolSelection) -> Result<Self, Error> {
        let mut with_skills = Vec::new();
        for target in Target::ALL {
            if has_skills(workspace, target)? {
                with_skills.push(target);
            }
        }
        if workspace.origin != Origin::Elsewhere {
            let targets = workspace.config.targets.clone();
            with_skills.retain(|target| !targets.contains(target));
            return Ok(Self { targets, to_configure: None, unconfigured: with_skills });
        }
        if let ToolSelection::Only(tools) = selection {
            let is_wanted = |target: &Target| tools.contains(target) || with_skills.contains(target);
            let targets: Vec<Target> = Target::ALL.into_iter().filter(is_wanted).collect();
            let to_configure = (targets != Target::DEFAULT).then(|| targets.clone());
            return Ok(Self { targets, to_configure, unconfigured: Vec::new() });
        }
        // A canon has its own config, so the user's config no longer applies.
        if !with_skills.contains(&Target::AGENTS) {
            let is_wanted = |target: &Target| Target::DEFAULT.contains(target) || with_skills.contains(target);
            let targets: Vec<Target> = Target::ALL.into_iter().filter(is_wanted).collect();
            let to_configure = (targets != Target::DEFAULT).then(|| targets.clone());
            return Ok(Self { targets, to_configure, unconfigured: Vec::new() });
        }
        // `.agents/skills` reaches every tool except Claude Code, so other targets are kept only if they already exist.
        let targets: Vec<Target> =
            Target::ALL.into_iter().filter(|t| *t == Target::CLAUDE || with_skills.contains(t)).collect();
        Ok(Self { to_configure: Some(targets.clone()), targets, unconfigured: Vec::new() })
    }
}

fn has_skills(workspace: &Workspace, target: Target) -> Result<bool, Error> {
    let root = target.skills_root();
    if workspace.view.root(&root) != MirrorRoot::Folder {
        return Ok(false);
    }
    let listing = workspace.view.list(&root, IgnoreMode::Include)?;
    let is_link = |entry: &TreeEntry| entry.mode == FileMode::Link && entry.path.parent().as_ref() == Some(&root);
    Ok(listing.files.iter().any(|file| is_skill_document(&file.entry.path) || is_link(&file.entry)))
}
