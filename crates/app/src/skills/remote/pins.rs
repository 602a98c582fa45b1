//! `skills.lock` of a workspace.

use crate::{Error, ErrorKind, Workspace, lock_file};
use canonry_exchange::remote_skills::{PinnedSkill, RemoteItem, SkillsLock};
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// The names of the skills from elsewhere.
///
/// # Errors
/// `skills.lock` cannot be read.
pub(crate) fn pinned_names(workspace: &Workspace) -> Result<BTreeSet<String>, Error> {
    let skill = |item| match item {
        RemoteItem::Skill(name) => Some(name),
        RemoteItem::File(_) => None,
    };
    Ok(load_lock(workspace)?.items.into_keys().filter_map(skill).collect())
}

/// The lock; empty if there is none.
///
/// # Errors
/// It cannot be read, or is invalid.
pub fn load_lock(workspace: &Workspace) -> Result<SkillsLock, Error> {
    let path = workspace.layout.skills_lock();
    let help = format!("restore it with `git checkout HEAD -- {path}`; after a merge, keep the entries of both sides");
    Ok(lock_file::load(workspace, &path, &help, SkillsLock::parse)?.unwrap_or_default())
}

/// The pinned skills and files with these names; all of them if there are no names. A file is named by its path, below the
/// canon or from the top of the repository.
///
/// # Errors
/// A name is not in the lock.
pub fn select(
    workspace: &Workspace,
    lock: &SkillsLock,
    names: &[String],
) -> Result<BTreeMap<RemoteItem, PinnedSkill>, Error> {
    let mut selected = BTreeMap::new();
    for name in names {
        let path = RepoPath::from(name.as_str());
        let below = path.below(workspace.layout.root()).map(RepoPath::new);
        let named = [RemoteItem::Skill(name.clone()), RemoteItem::File(path)];
        let item = named.into_iter().chain(below.map(RemoteItem::File)).find(|item| lock.items.contains_key(item));
        let found = item.and_then(|item| Some((lock.items.get(&item)?.clone(), item)));
        let (pin, item) = found.ok_or_else(|| not_pinned(lock, name))?;
        selected.insert(item, pin);
    }
    Ok(if names.is_empty() { lock.items.clone() } else { selected })
}

fn not_pinned(lock: &SkillsLock, name: &str) -> Error {
    let shown = RepoPath::from(name);
    let error =
        Error::new(ErrorKind::Unreadable, format!("`{shown}` does not come from elsewhere: the lock does not name it"));
    let known: Vec<String> = lock.items.keys().map(RemoteItem::to_string).collect();
    error.suggest(name, known.iter().map(String::as_str), "run `canonry skills list --remote` to see these skills")
}
