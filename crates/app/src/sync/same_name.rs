//! Skills whose names the user's own canon has too: a tool then sees both, and not every tool takes the repository's.

use crate::Environment;
use crate::sync::state::SyncState;
use canonry_mirror::Lock;
use canonry_model::config::{TOOLS, Target, ToolRow};
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Skills that exist in both canons, with the tools that do not simply take the repository's.
#[derive(Clone, Debug)]
pub struct SameNameSkills {
    /// The skills' names.
    pub names: BTreeSet<String>,
    /// The tools.
    pub readers: Vec<&'static ToolRow>,
}

/// The mirrors that contain a skill, by its name.
type TargetsByName = BTreeMap<String, BTreeSet<Target>>;

/// Finds the skills that both canons have, grouped by the tools that are affected. The user's mirrors are known from the
/// lock that `sync --user` left, so that this reads one file at most. Without a readable lock, none are known.
pub fn find_same_names(env: &Environment, state: &SyncState) -> Vec<SameNameSkills> {
    let folder = env.user_config.as_deref().and_then(Path::parent);
    let lock = folder.and_then(|folder| canonry_repo::fs::read(folder.join("mirrors.lock")).ok());
    let Some(lock) = lock.and_then(|bytes| Lock::parse(&bytes).ok()) else { return Vec::new() };
    let user = targets_by_name(lock.entries().iter().map(|(path, _)| path));
    let repository = targets_by_name(state.survey.desired.files.iter().map(|want| &want.path));
    // Many other tools read the same folders, and most teams use none of them.
    let mirrored: BTreeSet<Target> = repository.values().flatten().copied().collect();
    let is_used = |tool: &ToolRow| Target::DEFAULT.iter().chain(&mirrored).any(|target| target.name() == tool.id);
    let mut groups: BTreeMap<Vec<usize>, BTreeSet<String>> = BTreeMap::new();
    for name in user.keys().filter(|name| repository.contains_key(*name)) {
        let reads = |tool: &ToolRow, names: &TargetsByName| {
            let is_read = |target: &Target| tool.skill_folders().any(|folder| folder == target.mirror());
            names.get(name).is_some_and(|targets| targets.iter().any(is_read))
        };
        let readers = TOOLS.iter().enumerate().filter(|(_, tool)| tool.skills.same_name.is_some() && is_used(tool));
        let readers = readers.filter(|(_, tool)| reads(tool, &user) && reads(tool, &repository));
        groups.entry(readers.map(|(at, _)| at).collect()).or_default().insert(name.clone());
    }
    let groups = groups.into_iter().filter(|(readers, _)| !readers.is_empty());
    groups
        .map(|(readers, names)| SameNameSkills { names, readers: readers.into_iter().map(|at| &TOOLS[at]).collect() })
        .collect()
}

fn targets_by_name<'a>(paths: impl Iterator<Item = &'a RepoPath>) -> TargetsByName {
    let mut names = TargetsByName::new();
    for path in paths {
        let (Some(target), Some(name)) = (Target::holding(path), path.components().nth(2)) else { continue };
        names.entry(name.to_string()).or_default().insert(target);
    }
    names
}
