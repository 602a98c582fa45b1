//! `skills.lock` of a workspace.

use crate::app::{Error, ErrorKind, Workspace};
use crate::canon::Blob;
use crate::canon::blob::BlobError;
use crate::config::closest_match;
use crate::remote_skills::{PinnedSkill, SkillsLock};
use crate::syntax::RepoPath;
use crate::view::load::DOCUMENT_LIMIT;
use std::collections::{BTreeMap, BTreeSet};

/// The names of the skills from elsewhere.
///
/// # Errors
/// `skills.lock` cannot be read.
pub(in crate::app) fn pinned_names(workspace: &Workspace) -> Result<BTreeSet<String>, Error> {
    Ok(load_lock(workspace)?.skills.into_keys().collect())
}

/// The lock; empty if there is none.
///
/// # Errors
/// It cannot be read, or is invalid.
pub fn load_lock(workspace: &Workspace) -> Result<SkillsLock, Error> {
    let path = workspace.layout.skills_lock();
    let unreadable = |message: String| {
        Error::new(ErrorKind::Unreadable, format!("{path}: {message}")).help(format!(
            "restore it with `git checkout HEAD -- {path}`; after a merge, keep the entries of both sides"
        ))
    };
    if workspace.view.link_text(&path).is_some() {
        return Err(unreadable("it is a symbolic link".to_owned()));
    }
    match workspace.view.read(&path, DOCUMENT_LIMIT) {
        Blob::Missing(BlobError::Absent) => Ok(SkillsLock::default()),
        Blob::Missing(error) => Err(unreadable(error.to_string())),
        Blob::Bytes(bytes) => {
            let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not valid UTF-8".to_owned()))?;
            SkillsLock::parse(&text).map_err(|error| unreadable(error.to_string()))
        }
    }
}

/// The pinned skills with these names; all of them if there are no names.
///
/// # Errors
/// A name is not in the lock.
pub fn select(lock: &SkillsLock, names: &[String]) -> Result<BTreeMap<String, PinnedSkill>, Error> {
    let mut selected = BTreeMap::new();
    for name in names {
        let pin = lock.skills.get(name).ok_or_else(|| not_pinned(lock, name))?;
        selected.insert(name.clone(), pin.clone());
    }
    Ok(if names.is_empty() { lock.skills.clone() } else { selected })
}

fn not_pinned(lock: &SkillsLock, name: &str) -> Error {
    let shown = RepoPath::from(name);
    let error = Error::new(
        ErrorKind::Unreadable,
        format!("`{shown}` is not a skill from elsewhere: the lock does not name it"),
    );
    match closest_match(name, lock.skills.keys().map(String::as_str)) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help("run `canonry skills list --remote` to see these skills"),
    }
}
