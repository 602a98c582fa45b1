//! `skills install`: writes the skills that the lock names and that are missing, exactly as they are pinned.

use super::local::{self, LocalState, SkillFolders};
use super::pinned::{fetch_pinned, load_pinned, pinned_tree};
use super::pins::{load_lock, select};
use super::review::{Incoming, Neighbours, review};
use super::write::{SkillChanges, Written, recover, write};
use crate::{Error, ErrorKind, Progress, Workspace};
use canonry_exchange::remote_skills::{PinnedSkill, RemoteItem, SkillTree};

/// Installed items.
#[derive(Clone, Debug, Default)]
pub struct InstalledSkills {
    pub installed: Vec<RemoteItem>,
    pub unchanged: Vec<RemoteItem>,
    /// Skills with local edits, which stay.
    pub edited: Vec<RemoteItem>,
    /// Skills that were not installed, and why.
    pub failed: Vec<(String, Error)>,
    pub written: Written,
}

/// Installs what is missing of the named skills, or of all if `names` is empty. A skill that exists is never changed, and the lock
/// is never written. `allow` are security rules whose errors are accepted.
///
/// # Errors
/// The lock cannot be read; see also [`write`]. A skill that cannot be fetched is in the outcome.
pub fn run(
    workspace: &Workspace,
    names: &[String],
    allow: &[String],
    progress: &dyn Progress,
) -> Result<InstalledSkills, Error> {
    super::add::check_allowed(allow)?;
    recover(workspace)?;
    let lock = load_lock(workspace)?;
    let folders = SkillFolders::load(workspace)?;
    let mut outcome = InstalledSkills::default();
    let mut changes = SkillChanges::default();
    if names.is_empty() {
        outcome.failed = super::unfetched::missing(workspace, &lock)?;
    }
    let selected = select(workspace, &lock, names)?;
    let neighbours = Neighbours::load(workspace, selected.keys())?;
    let mut texts = workspace.view.texts();
    progress.start("skills", selected.len());
    for (item, pin) in selected {
        progress.advance(1);
        let folder = folders.folder(&item);
        if local::is_pinned(workspace, &item, &folder, pin.content)? {
            outcome.unchanged.push(item);
            continue;
        }
        let (skill, pinned) = load_pinned(workspace, &item, &folder, &pin)?;
        match skill.state(pin.content) {
            LocalState::Unchanged => outcome.unchanged.push(item),
            LocalState::Edited => match pinned.filter(|pinned| pinned.contains(&skill.tree)) {
                // A run that was killed leaves a part of the files, each as it is pinned.
                Some(pinned) => {
                    changes.replace(workspace, &mut texts, &skill, &pinned)?;
                    outcome.installed.push(item);
                }
                None => outcome.edited.push(item),
            },
            LocalState::Missing => match installable(workspace, &item, &pin, allow, &neighbours) {
                Ok(tree) => {
                    // Now that the tree is known, files that git ignores count, too.
                    let skill = local::load(workspace, &item, &folder, &[&tree])?;
                    if !tree.contains(&skill.tree) {
                        outcome.edited.push(item);
                        continue;
                    }
                    changes.replace(workspace, &mut texts, &skill, &tree)?;
                    outcome.installed.push(item);
                }
                Err(error) if error.kind == ErrorKind::Interrupted => return Err(error),
                Err(error) => outcome.failed.push((item.to_string(), error)),
            },
        }
    }
    progress.finish();
    if !changes.edits.is_empty() {
        outcome.written = write(workspace, &changes, &lock, &lock, None, progress)?;
    }
    Ok(outcome)
}

/// The pinned files, checked like those of a new skill: whoever can change the lock could name anything.
fn installable(
    workspace: &Workspace,
    item: &RemoteItem,
    pin: &PinnedSkill,
    allow: &[String],
    neighbours: &Neighbours,
) -> Result<SkillTree, Error> {
    let tree = match pinned_tree(workspace, item, pin) {
        Some(tree) => tree,
        None => fetch_pinned(workspace, item, pin)?,
    };
    let source = &pin.source;
    let incoming = Incoming { item, source, commit: pin.commit, tree: &tree, accepted: None, allow, neighbours };
    let review = review(workspace, &incoming, pin.licence.clone())?;
    if review.blocked.is_empty() {
        Ok(tree)
    } else {
        Err(Error::new(ErrorKind::Refused, review.blocked.join("; "))
            .help("look at it at its source; `--allow RULE` accepts the errors of a security rule"))
    }
}
