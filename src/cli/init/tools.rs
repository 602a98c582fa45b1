//! What the tools' folders hold before there is a canon, and which tools the canon will be mirrored for.

use crate::app::Error;
use crate::app::Workspace;
use crate::app::configuration::Origin;
use crate::canon::inventory::is_skill_document;
use crate::canon::{FileMode, TreeEntry};
use crate::config::Target;
use crate::mirror::MirrorRoot;
use crate::view::IgnoreMode;

/// What was found.
pub struct Found {
    /// The targets from now on.
    pub targets: Vec<Target>,
    /// The targets that the config has to name, since they are not the default ones.
    pub to_configure: Option<Vec<Target>>,
    /// Tools with skills that the team's config does not name.
    pub strangers: Vec<Target>,
}

/// Looks.
///
/// # Errors
/// Git's own files cannot be read.
pub fn find(context: &Workspace) -> Result<Found, Error> {
    let mut with_skills = Vec::new();
    for target in Target::ALL {
        if has_skills(context, target)? {
            with_skills.push(target);
        }
    }
    if context.origin != Origin::Elsewhere {
        let targets = context.config.targets.clone();
        with_skills.retain(|target| !targets.contains(target));
        return Ok(Found { targets, to_configure: None, strangers: with_skills });
    }
    // From here on the team has a config of its own, and the user's no longer counts.
    if !with_skills.contains(&Target::Agents) {
        return Ok(Found { targets: Target::DEFAULT.to_vec(), to_configure: None, strangers: Vec::new() });
    }
    // `.agents/skills` reaches every tool but Claude Code: only folders that are there already are kept beside it.
    let targets: Vec<Target> =
        Target::ALL.into_iter().filter(|t| *t == Target::Claude || with_skills.contains(t)).collect();
    Ok(Found { to_configure: Some(targets.clone()), targets, strangers: Vec::new() })
}

fn has_skills(context: &Workspace, target: Target) -> Result<bool, Error> {
    let root = target.skills_root();
    if context.view.root(&root) != MirrorRoot::Folder {
        return Ok(false);
    }
    let listing = context.view.list(&root, IgnoreMode::Include)?;
    let is_link = |entry: &TreeEntry| entry.mode == FileMode::Link && entry.path.parent().as_ref() == Some(&root);
    Ok(listing.files.iter().any(|file| is_skill_document(&file.entry.path) || is_link(&file.entry)))
}
