//! Reads commits and trees of a cache, or of the repository itself.

use super::process::FetchError;
use canonry_exchange::remote_skills::{RemoteItem, SkillTree, TreeFile};
use canonry_model::canon::{FileMode, TreeEntry};
use canonry_text::RepoPath;
use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};

/// The most folders inside each other.
const MAX_DEPTH: usize = 100;

/// All files of a commit, sorted by path.
///
/// # Errors
/// An object cannot be read.
pub fn list_files(repo: &gix::Repository, commit: ObjectId) -> Result<Vec<TreeEntry>, FetchError> {
    let mut entries = Vec::new();
    let mut add = |path: &BString, mode, _| {
        entries.push(TreeEntry { path: RepoPath::new(path), mode });
        Ok(())
    };
    walk(repo, tree_of(repo, commit)?, &BString::default(), 0, &mut add)?;
    entries.sort();
    Ok(entries)
}

/// Reads a file in a commit, to show the name or the licence of an item. `None` also on an error: [`read_item`] reports it.
pub fn read_file(repo: &gix::Repository, commit: ObjectId, path: &RepoPath) -> Option<Vec<u8>> {
    read_blob(repo, commit, path).ok().flatten()
}

fn read_blob(repo: &gix::Repository, commit: ObjectId, path: &RepoPath) -> Result<Option<Vec<u8>>, FetchError> {
    let fail = FetchError::git("read a file of the source");
    let tree = repo.find_tree(tree_of(repo, commit)?).map_err(&fail)?;
    let entry = tree.lookup_entry(path.components().map(|part| part.as_bytes())).map_err(&fail)?;
    let blob = entry.filter(|entry| entry.mode().is_blob()).map(|entry| repo.find_blob(entry.object_id()));
    Ok(blob.transpose().map_err(fail)?.map(|mut blob| blob.take_data()))
}

/// A skill or a file of a canon in a commit; `None` if it is not there.
///
/// # Errors
/// An object cannot be read.
pub fn read_item(
    repo: &gix::Repository,
    commit: ObjectId,
    item: &RemoteItem,
    path: &RepoPath,
) -> Result<Option<SkillTree>, FetchError> {
    match item {
        RemoteItem::Skill(_) => read_skill(repo, commit, path),
        RemoteItem::File(_) => Ok(read_blob(repo, commit, path)?.and_then(|bytes| item.tree_of_file(bytes))),
    }
}

fn read_skill(repo: &gix::Repository, commit: ObjectId, folder: &RepoPath) -> Result<Option<SkillTree>, FetchError> {
    let mut id = tree_of(repo, commit)?;
    if !folder.is_empty() {
        let fail = FetchError::git("read a tree");
        let tree = repo.find_tree(id).map_err(&fail)?;
        let entry = tree.lookup_entry(folder.components().map(|part| part.as_bytes())).map_err(fail)?;
        match entry.filter(|entry| entry.mode().is_tree()) {
            Some(entry) => id = entry.object_id(),
            None => return Ok(None),
        }
    }
    read_tree(repo, id).map(Some)
}

/// A skill or a file by the id of its content, if the repository has all of it. Otherwise it is fetched.
pub fn read_stored_item(repo: &gix::Repository, item: &RemoteItem, content: ObjectId) -> Option<SkillTree> {
    match item {
        RemoteItem::Skill(_) => read_tree(repo, content).ok(),
        RemoteItem::File(_) => item.tree_of_file(repo.find_blob(content).ok()?.take_data()),
    }
}

pub(in crate::git) fn read_tree(repo: &gix::Repository, tree: ObjectId) -> Result<SkillTree, FetchError> {
    let mut skill = SkillTree::default();
    let mut add = |path: &BString, mode, id| {
        let bytes = match mode {
            FileMode::Submodule => Vec::new(),
            _ => repo.find_blob(id).map_err(FetchError::git("read a file of the source"))?.take_data(),
        };
        skill.files.insert(path.clone(), TreeFile { mode, bytes });
        Ok(())
    };
    walk(repo, tree, &BString::default(), 0, &mut add)?;
    Ok(skill)
}

fn walk(
    repo: &gix::Repository,
    tree: ObjectId,
    folder: &BString,
    depth: usize,
    add: &mut dyn FnMut(&BString, FileMode, ObjectId) -> Result<(), FetchError>,
) -> Result<(), FetchError> {
    if depth > MAX_DEPTH {
        return Err(FetchError::Failed { message: format!("more than {MAX_DEPTH} folders inside each other") });
    }
    let fail = FetchError::git("read a tree");
    let tree = repo.find_tree(tree).map_err(&fail)?;
    for entry in tree.iter() {
        let entry = entry.map_err(&fail)?;
        let mut path = folder.clone();
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(entry.filename());
        match FileMode::from_kind(entry.mode().kind()) {
            Some(mode) => add(&path, mode, entry.object_id())?,
            None => walk(repo, entry.object_id(), &path, depth + 1, add)?,
        }
    }
    Ok(())
}

/// `None` for a folder.
fn tree_of(repo: &gix::Repository, commit: ObjectId) -> Result<ObjectId, FetchError> {
    let fail = FetchError::git("read a commit");
    let commit = repo.find_commit(commit).map_err(&fail)?;
    commit.tree_id().map(gix::Id::detach).map_err(fail)
}
