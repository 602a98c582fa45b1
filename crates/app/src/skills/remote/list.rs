//! `skills list --remote`: the skills from elsewhere.

use super::local::{self, LocalState, SkillFolders};
use super::pinned::load_pinned;
use super::pins::load_lock;
use crate::{Error, Workspace};
use canonry_exchange::remote_skills::{PinnedSkill, RemoteItem};
use canonry_text::RepoPath;

/// A skill or a file from elsewhere.
#[derive(Clone, Debug)]
pub struct ListedRemoteSkill {
    pub item: RemoteItem,
    pub folder: RepoPath,
    pub pin: PinnedSkill,
    pub state: LocalState,
}

/// Lists the skills that the lock names, sorted by name, then the files. Needs no network.
///
/// # Errors
/// The lock or a skill cannot be read.
pub fn run(workspace: &Workspace) -> Result<Vec<ListedRemoteSkill>, Error> {
    let lock = load_lock(workspace)?;
    let folders = SkillFolders::load(workspace)?;
    let mut skills = Vec::new();
    for (item, pin) in lock.items {
        let folder = folders.folder(&item);
        let state = if local::is_pinned(workspace, &item, &folder, pin.content)? {
            LocalState::Unchanged
        } else {
            load_pinned(workspace, &item, &folder, &pin)?.0.state(pin.content)
        };
        skills.push(ListedRemoteSkill { item, folder, pin, state });
    }
    Ok(skills)
}
