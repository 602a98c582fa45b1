//! Sources in `extends` of the config that the canon has nothing of yet.

use super::pins::load_lock;
use super::source::parse_source;
use crate::{Error, ErrorKind, Workspace};
use canonry_exchange::remote_skills::{SkillSource, SkillsLock};

/// The sources in `extends` that the canon has nothing from yet; none if that is not known.
pub(crate) fn unfetched(workspace: &Workspace) -> Vec<String> {
    if workspace.config.extends.is_empty() {
        return Vec::new();
    }
    let missing = load_lock(workspace).and_then(|lock| missing(workspace, &lock)).unwrap_or_default();
    missing.into_iter().map(|(source, _)| source).collect()
}

/// The sources in `extends` that the lock has nothing of.
///
/// # Errors
/// One is no source.
pub(super) fn missing(workspace: &Workspace, lock: &SkillsLock) -> Result<Vec<(String, Error)>, Error> {
    let mut missing = Vec::new();
    for text in &workspace.config.extends {
        let (source, _) = parse_source(workspace, text)?;
        let is_from = |pinned: &SkillSource| {
            pinned.url == source.url
                && (source.path.is_empty() || pinned.path == source.path || pinned.path.is_within(&source.path))
        };
        if !lock.items.values().any(|pin| is_from(&pin.source)) {
            let error = Error::new(ErrorKind::Refused, "`extends` names it, and skills.lock has nothing of it");
            missing.push((text.clone(), error.help("run `canonry skills update`, and commit the files and the lock")));
        }
    }
    Ok(missing)
}
