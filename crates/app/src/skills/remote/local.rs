//! The files of a skill in the work tree, or a shared file of the canon.

use crate::skill_catalog::SkillCatalog;
use crate::{Error, ErrorKind, Workspace};
use canonry_exchange::remote_skills::{RemoteItem, SkillTree, TreeFile};
use canonry_model::canon::tree::tree_id;
use canonry_model::canon::{FileMode, FileState};
use canonry_repo::view::{IgnoreMode, PathKind};
use canonry_text::RepoPath;
use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice as _};
use std::collections::{BTreeMap, BTreeSet};

/// The state of a pinned skill in the work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocalState {
    /// As it was pinned.
    Unchanged,
    /// Edited.
    Edited,
    /// There is no such folder.
    Missing,
}

/// A skill or a shared file in the work tree.
#[derive(Clone, Debug)]
pub struct LocalSkill {
    pub item: RemoteItem,
    pub folder: RepoPath,
    /// The files as git stores them, without those that git ignores and no version from elsewhere has.
    pub tree: SkillTree,
    /// The states of the files, with the ids of this repository.
    pub states: BTreeMap<BString, FileState>,
}

impl LocalSkill {
    pub fn exists(&self) -> bool {
        !self.tree.files.is_empty()
    }

    /// Difference from the pinned content.
    pub fn state(&self, content: ObjectId) -> LocalState {
        if !self.exists() {
            LocalState::Missing
        } else if self.item.content_id(&self.tree) == content {
            LocalState::Unchanged
        } else {
            LocalState::Edited
        }
    }
}

/// The folders of skills, which may be in a category.
pub struct SkillFolders<'w> {
    workspace: &'w Workspace,
    by_name: BTreeMap<String, Vec<RepoPath>>,
}

impl<'w> SkillFolders<'w> {
    /// Lists the skills of the canon.
    ///
    /// # Errors
    /// Git's own files cannot be read.
    pub fn load(workspace: &'w Workspace) -> Result<Self, Error> {
        let mut by_name: BTreeMap<String, Vec<RepoPath>> = BTreeMap::new();
        for skill in SkillCatalog::load(workspace)?.inventory.skills {
            by_name.entry(skill.path.file_name_lossy()).or_default().push(skill.path);
        }
        Ok(Self { workspace, by_name })
    }

    /// The folder of a skill: directly in `skills/`, or the only one with this name in a category. The folder that contains
    /// a file.
    pub fn folder(&self, item: &RemoteItem) -> RepoPath {
        let direct = item.folder(&self.workspace.layout);
        let RemoteItem::Skill(name) = item else { return direct };
        match self.by_name.get(name).map(Vec::as_slice) {
            Some([one]) if self.workspace.view.kind(&direct) == PathKind::Nothing => one.clone(),
            _ => direct,
        }
    }

    /// A skill with another spelling of a name, which some file systems cannot keep apart.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn clash(&self, item: &RemoteItem) -> Result<Option<RepoPath>, Error> {
        let RemoteItem::Skill(name) = item else { return self.file_clash(item) };
        let same = |other: &String| other.to_lowercase() == name.to_lowercase() && other != name;
        let other = self.by_name.iter().find(|(other, _)| same(other));
        Ok(other.and_then(|(_, paths)| paths.first().cloned()))
    }

    fn file_clash(&self, item: &RemoteItem) -> Result<Option<RepoPath>, Error> {
        let view = &self.workspace.view;
        let folder = item.folder(&self.workspace.layout);
        let path = item.listed(&folder);
        let is_other =
            |other: &RepoPath| *other != path && other.as_bstr().to_lowercase() == path.as_bstr().to_lowercase();
        let root = self.workspace.layout.root();
        let Some(top) = path.below(root).and_then(|below| below.split_str("/").next()) else { return Ok(None) };
        let listing = view.list(&root.join(top), IgnoreMode::Include)?;
        Ok(listing.files.into_iter().map(|file| file.entry.path).find(is_other))
    }
}

/// Whether a skill is as it was pinned, by the ids of its files alone. If in doubt, the answer is `false`.
///
/// # Errors
/// Git's own files cannot be read.
pub fn is_pinned(
    workspace: &Workspace,
    item: &RemoteItem,
    folder: &RepoPath,
    content: ObjectId,
) -> Result<bool, Error> {
    let view = &workspace.view;
    let listed = item.listed(folder);
    if view.object_hash() != content.kind() || view.link_text(&listed).is_some() {
        return Ok(false);
    }
    let listing = view.list(&listed, IgnoreMode::Include)?;
    let states: Option<Vec<FileState>> = view.states(&listing.files).into_iter().collect();
    let paths = listing.files.iter().filter_map(|file| file.entry.path.below(folder));
    let files: Vec<(&BStr, FileState)> = paths.zip(states.unwrap_or_default()).collect();
    let is_whole = files.len() == listing.files.len() && listing.odd.is_empty() && listing.unreadable.is_empty();
    let id = match (item, files.first()) {
        (RemoteItem::File(_), Some((_, state))) => state.id,
        _ => tree_id(&files, content.kind()),
    };
    Ok(is_whole && !files.is_empty() && id == content)
}

/// Reads the files of an item. `known` are its versions from elsewhere: what they have counts even if git ignores it.
///
/// # Errors
/// The folder is a link, or a file cannot be read.
pub fn load(
    workspace: &Workspace,
    item: &RemoteItem,
    folder: &RepoPath,
    known: &[&SkillTree],
) -> Result<LocalSkill, Error> {
    let view = &workspace.view;
    let listed = item.listed(folder);
    let fail = |path: &RepoPath, what: &str| {
        Error::new(ErrorKind::Unreadable, format!("{path}: {what}"))
            .help("nothing was changed; check it and run this again")
    };
    if view.link_text(folder).is_some() || view.link_text(&listed).is_some() {
        return Err(fail(&listed, "it is a symbolic link; what comes from elsewhere must be a real file or folder"));
    }
    if item.is_file() && view.kind(&listed) == PathKind::Folder {
        return Err(fail(&listed, "it is a folder; the source has a file with this name"));
    }
    if view.tracked(&listed).any(|path| view.is_outside_checkout(&path)) {
        return Err(fail(
            &listed,
            "your sparse checkout leaves files of it out; add it with `git sparse-checkout add`",
        ));
    }
    let listing = view.list(&listed, IgnoreMode::Include)?;
    if let Some(path) = listing.odd.first() {
        return Err(fail(path, "it is neither a file nor a link"));
    }
    if let Some((path, _)) = listing.unreadable.first() {
        return Err(fail(path, "the folder cannot be read"));
    }
    let mut skill =
        LocalSkill { item: item.clone(), folder: folder.clone(), tree: SkillTree::default(), states: BTreeMap::new() };
    if listing.files.is_empty() {
        return Ok(skill);
    }
    let paths: Vec<RepoPath> = listing.files.iter().map(|file| file.entry.path.clone()).collect();
    let ignored: BTreeSet<RepoPath> = view.ignored(&paths)?;
    let states = view.states(&listing.files);
    let mut texts = view.texts();
    for (path, state) in paths.into_iter().zip(states) {
        let Some(below) = path.below(folder).map(BString::from) else { continue };
        let is_known = known.iter().any(|tree| tree.files.contains_key(&below));
        if ignored.contains(&path) && !view.is_tracked(&path) && !is_known {
            continue;
        }
        let state = state.ok_or_else(|| fail(&path, "it cannot be read"))?;
        let bytes = match state.mode {
            FileMode::Link => view.link_text(&path).map(Vec::from),
            FileMode::Submodule => return Err(fail(&path, "it is a submodule")),
            FileMode::File | FileMode::Executable => texts.stored(&path),
        };
        let bytes = bytes.ok_or_else(|| fail(&path, "it cannot be read"))?;
        skill.tree.files.insert(below.clone(), TreeFile { mode: state.mode, bytes });
        skill.states.insert(below, state);
    }
    Ok(skill)
}
