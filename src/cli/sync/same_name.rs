//! Skills whose names the user's own canon has as well: the tools read both, and not all of them take the repository's.

use crate::app::Environment;
use crate::app::sync::state::Seen;
use crate::config::{NameConflict, Target, USER_SKILL_READERS, UserSkillReader};
use crate::mirror::Lock;
use crate::syntax::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// Names that are told before the rest is counted.
const NAMED: usize = 5;

/// One remark; empty where there is nothing to say. What stands below the home is known from the lock that `--user` left
/// there: one file is read, and none where there is none.
pub fn remark(env: &Environment, seen: &Seen) -> String {
    let folder = env.user_config.as_deref().and_then(std::path::Path::parent);
    let lock = folder.and_then(|folder| std::fs::read(folder.join("mirrors.lock")).ok());
    let Some(lock) = lock.and_then(|bytes| Lock::parse(&bytes).ok()) else { return String::new() };
    let users = names(lock.entries().iter().map(|(path, _)| path));
    let repositorys = names(seen.survey.desired.files.iter().map(|want| &want.path));
    let mut by_tools: BTreeMap<Vec<String>, BTreeSet<String>> = BTreeMap::new();
    for name in users.keys().filter(|name| repositorys.contains_key(*name)) {
        let is_read = |reader: &&UserSkillReader| {
            let reads = |names: &Names| names.get(name).is_some_and(|in_| in_.iter().any(|t| reader.reads.contains(t)));
            reads(&users) && reads(&repositorys)
        };
        let tools: Vec<String> = USER_SKILL_READERS.iter().filter(is_read).map(said).collect();
        by_tools.entry(tools).or_default().insert(name.clone());
    }
    by_tools.iter().filter(|(tools, _)| !tools.is_empty()).map(|(tools, names)| line(tools, names)).collect()
}

/// The mirrors that a skill of a name is in.
type Names = BTreeMap<String, BTreeSet<Target>>;

fn names<'a>(paths: impl Iterator<Item = &'a RepoPath>) -> Names {
    let mut names = Names::new();
    for path in paths {
        let (Some(target), Some(name)) = (Target::holding(path), path.components().nth(2)) else { continue };
        names.entry(name.to_string()).or_default().insert(target);
    }
    names
}

fn said(reader: &UserSkillReader) -> String {
    match reader.does {
        NameConflict::TakesUsers => format!("{} takes yours", reader.name),
        NameConflict::ListsBoth => format!("{} lists both", reader.name),
    }
}

fn line(tools: &[String], names: &BTreeSet<String>) -> String {
    let mut shown: Vec<String> = names.iter().take(NAMED).cloned().collect();
    if names.len() > NAMED {
        shown.push(format!("{} more", names.len() - NAMED));
    }
    let plural = if names.len() == 1 { "a skill of this name is" } else { "skills of these names are" };
    format!("twice     {}: {plural} also in your own canon; {}\n", shown.join(", "), tools.join(", "))
}
