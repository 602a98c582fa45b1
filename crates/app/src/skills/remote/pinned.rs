//! The pinned version of a skill: from the repository, from the cache, or from its source.

use super::local::{self, LocalSkill, LocalState};
use super::source::open_cache;
use crate::{Error, ErrorKind, Workspace};
use canonry_exchange::remote_skills::{PinnedSkill, RemoteItem, SkillTree};
use canonry_repo::git::source_cache::{FetchError, ResolvedReference, SourceCache, read_item, read_stored_item};
use canonry_text::RepoPath;

/// A skill in the work tree, with its pinned version if it is needed to tell edits, and known without the network.
///
/// # Errors
/// See [`local::load`].
pub fn load_pinned(
    workspace: &Workspace,
    item: &RemoteItem,
    folder: &RepoPath,
    pin: &PinnedSkill,
) -> Result<(LocalSkill, Option<SkillTree>), Error> {
    let skill = local::load(workspace, item, folder, &[])?;
    if skill.state(pin.content) == LocalState::Unchanged {
        return Ok((skill, None));
    }
    // Files of the pinned version count even if git ignores them.
    let Some(pinned) = pinned_tree(workspace, item, pin) else { return Ok((skill, None)) };
    Ok((local::load(workspace, item, folder, &[&pinned])?, Some(pinned)))
}

/// The pinned version without the network: from the repository itself, where it was committed, or from the cache.
pub fn pinned_tree(workspace: &Workspace, item: &RemoteItem, pin: &PinnedSkill) -> Option<SkillTree> {
    committed_tree(workspace, item, pin)
        .or_else(|| cached_tree(&open_cache(workspace, &pin.source.url).ok()?, item, pin))
}

/// The pinned version in the repository itself, where it was committed.
pub fn committed_tree(workspace: &Workspace, item: &RemoteItem, pin: &PinnedSkill) -> Option<SkillTree> {
    let repo = workspace.repo().ok()?;
    // In a repository with SHA-256, trees have other ids.
    let tree = (repo.object_hash() == pin.content.kind()).then(|| read_stored_item(repo, item, pin.content)).flatten();
    tree.filter(|tree| item.content_id(tree) == pin.content)
}

/// The pinned version in a cache that is open.
pub fn cached_tree(cache: &SourceCache<'_>, item: &RemoteItem, pin: &PinnedSkill) -> Option<SkillTree> {
    let tree = cache.has(pin.commit).then(|| read_item(cache.repo(), pin.commit, item, &pin.source.path).ok()?)??;
    (item.content_id(&tree) == pin.content).then_some(tree)
}

/// Fetches the pinned version. If its commit is gone, another one with the same content will do.
///
/// # Errors
/// See [`FetchError`]; [`ErrorKind::Refused`] if the commit has other content than the lock says.
pub fn fetch_pinned(workspace: &Workspace, item: &RemoteItem, pin: &PinnedSkill) -> Result<SkillTree, Error> {
    let cache = open_cache(workspace, &pin.source.url)?;
    let pinned = ResolvedReference { name: None, commit: pin.commit };
    let error = match cache.fetch(&pinned) {
        Ok(_) => FetchError::Vanished(pin.commit),
        Err(error @ FetchError::Exec(_)) => return Err(error.into()),
        Err(error) => error,
    };
    if let Some(tree) = cached_tree(&cache, item, pin) {
        return Ok(tree);
    }
    let latest = cache.resolve(pin.source.reference.as_deref()).and_then(|name| cache.fetch(&name));
    let tree = latest.and_then(|commit| read_item(cache.repo(), commit, item, &pin.source.path));
    match tree {
        Ok(Some(tree)) if item.content_id(&tree) == pin.content => Ok(tree),
        _ if cache.has(pin.commit) => {
            let message =
                format!("the commit {} of {} has other content than the lock says", pin.commit, pin.source.url);
            Err(Error::new(ErrorKind::Refused, message)
                .help("somebody changed the lock by hand: restore it, or remove it and add it again"))
        }
        Ok(_) => Err(FetchError::Vanished(pin.commit).into()),
        Err(_) => Err(error.into()),
    }
}
