//! `skills list --remote`: the skills from elsewhere.

use super::local::{self, LocalState, SkillFolders};
use super::pinned::load_pinned;
use super::pins::load_lock;
use crate::app::{Error, Workspace};
use crate::remote_skills::PinnedSkill;
use crate::syntax::RepoPath;

/// The skills from elsewhere, sorted by name.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub skills: Vec<ListedRemoteSkill>,
}

/// A skill from elsewhere.
#[derive(Clone, Debug)]
pub struct ListedRemoteSkill {
    pub name: String,
    pub folder: RepoPath,
    pub pin: PinnedSkill,
    pub state: LocalState,
}

/// Lists the skills that the lock names. Needs no network.
///
/// # Errors
/// The lock or a skill cannot be read.
pub fn run(workspace: &Workspace) -> Result<Outcome, Error> {
    let lock = load_lock(workspace)?;
    let folders = SkillFolders::load(workspace)?;
    let mut skills = Vec::new();
    for (name, pin) in lock.skills {
        let folder = folders.folder(&name);
        let state = match local::is_pinned(workspace, &folder, pin.content)? {
            true => LocalState::Unchanged,
            false => load_pinned(workspace, &folder, &pin)?.0.state(pin.content),
        };
        skills.push(ListedRemoteSkill { name, folder, pin, state });
    }
    Ok(Outcome { skills })
}
