//! The state of paths in the work tree, and whether a commit includes them.

use std::collections::HashMap;
use std::path::PathBuf;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::{Flags, Stat};
use gix::index::fs::Metadata;
use gix::objs::tree::EntryKind;

use super::CommitError;
use super::content::WorktreeContent;
use super::head::Leaf;

/// The new state of a path in index and commit.
pub(in crate::git) enum PathOutcome {
    Put(Staged),
    Gone,
}

/// A new index entry.
#[derive(Clone, Copy)]
pub(in crate::git) struct Staged {
    pub id: ObjectId,
    pub kind: EntryKind,
    pub stat: Stat,
    /// Whether a sparse checkout leaves the file out.
    pub skip_worktree: bool,
}

impl Staged {
    pub fn new(id: ObjectId, kind: EntryKind, stat: Stat) -> Self {
        Self { id, kind, stat, skip_worktree: false }
    }

    /// The state in a tree.
    pub fn leaf(&self) -> Leaf {
        Leaf { id: self.id, kind: self.kind }
    }
}

/// The staged state of an entry that the work tree does not have.
fn staged(entry: &gix::index::Entry) -> Option<Staged> {
    let kind = entry.mode.to_tree_entry_mode()?.kind();
    Some(Staged { skip_worktree: true, ..Staged::new(entry.id, kind, entry.stat) })
}

/// The type of a parent folder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ParentFolder {
    Folder,
    Repository,
    /// A link, a file, or nothing; git follows none of them.
    Other,
}

/// Evaluates paths one by one. Sorted paths are fastest, because attributes and ignore rules of the current folder are
/// cached.
pub(in crate::git) struct Worktree<'a> {
    index: &'a gix::index::File,
    content: WorktreeContent<'a>,
    stat: gix::index::entry::stat::Options,
    sparse_checkout: bool,
    ignored_too: bool,
    parents: HashMap<BString, ParentFolder>,
}

impl<'a> Worktree<'a> {
    pub fn new(repo: &'a gix::Repository, index: &'a gix::index::File) -> Result<Self, CommitError> {
        let fail = CommitError::git("read the configuration of the file system");
        Ok(Self {
            index,
            content: WorktreeContent::new(repo, index)?,
            stat: repo.stat_options().map_err(fail)?,
            sparse_checkout: repo.config_snapshot().boolean("core.sparseCheckout").unwrap_or(false),
            ignored_too: false,
            parents: HashMap::new(),
        })
    }

    /// Includes untracked files that git ignores.
    #[must_use]
    pub fn include_ignored(self) -> Self {
        Self { ignored_too: true, ..self }
    }

    /// The new state of `path`, which HEAD has as `head`. `None` if nothing changes.
    pub fn evaluate(&mut self, path: &BStr, head: Option<Leaf>) -> Result<Option<PathOutcome>, CommitError> {
        let entry = self.entry(path)?;
        // Read before the content, so that git notices a change in between.
        let disk = self.metadata(path)?;
        if let Some(entry) = entry.filter(|entry| self.is_skipped(entry, disk.is_some())) {
            return Ok(staged(entry).filter(|staged| head != Some(staged.leaf())).map(PathOutcome::Put));
        }
        let known = entry
            .and_then(|entry| entry.mode.to_tree_entry_mode())
            .map(|mode| mode.kind())
            .or(head.map(|leaf| leaf.kind));
        let disk = disk.filter(|disk| !disk.is_dir() || known == Some(EntryKind::Commit));
        match disk {
            None => Ok(known.map(|_| PathOutcome::Gone)),
            Some(_) if entry.is_none() && self.is_not_ours(path, head)? => Ok(head.map(|_| PathOutcome::Gone)),
            Some(disk) => match entry.and_then(|entry| self.unchanged(entry, &disk)) {
                Some(same) if head == Some(same.leaf()) => Ok(None),
                Some(same) => Ok(Some(PathOutcome::Put(same))),
                None => self.read(path, &disk, known),
            },
        }
    }

    /// The index entry of `path`, which must not have a conflict.
    fn entry(&self, path: &BStr) -> Result<Option<&'a gix::index::Entry>, CommitError> {
        let Ok(at) = self.index.entry_index_by_path(path) else {
            return Ok(None);
        };
        let entry = self.index.entry(at);
        match entry.stage_raw() {
            0 => Ok(Some(entry)),
            _ => Err(CommitError::Unmerged { path: path.to_owned() }),
        }
    }

    /// Whether the work tree does not count for an entry: a sparse checkout leaves it out, or the user has git skip it. As in
    /// git, a file that exists despite the sparse checkout counts.
    fn is_skipped(&self, entry: &gix::index::Entry, is_on_disk: bool) -> bool {
        entry.flags.contains(Flags::SKIP_WORKTREE) && !(self.sparse_checkout && is_on_disk)
    }

    /// Whether the untracked `path` is ignored, or removed from the index and now in a nested repository. A new path in a
    /// nested repository is an error.
    fn is_not_ours(&mut self, path: &BStr, head: Option<Leaf>) -> Result<bool, CommitError> {
        for slash in path.find_iter("/") {
            let folder = path[..slash].as_bstr();
            if self.parents.get(folder) == Some(&ParentFolder::Repository) {
                return match head {
                    Some(_) => Ok(true),
                    None => Err(CommitError::OtherRepository { path: path.to_owned(), root: folder.to_owned() }),
                };
            }
        }
        if self.ignored_too { Ok(false) } else { self.content.is_ignored(path) }
    }

    /// The existing entry, if its stat proves that the file is unchanged.
    fn unchanged(&self, entry: &gix::index::Entry, disk: &Metadata) -> Option<Staged> {
        let fs = self.content.fs();
        let kind = entry.mode.to_tree_entry_mode()?.kind();
        let stat = Stat::from_fs(disk).ok()?;
        // git clears the size of entries whose file must be read again.
        let smudged = entry.stat.size == 0 && !entry.id.is_empty_blob();
        let same = kind != EntryKind::Commit
            && !smudged
            && !entry.flags.contains(Flags::INTENT_TO_ADD)
            && stat.matches(&entry.stat, self.stat)
            && !entry.stat.is_racy(self.index.timestamp(), self.stat)
            && entry.mode.change_to_match_fs(disk, fs.symlink, fs.executable_bit).is_none();
        same.then(|| Staged::new(entry.id, kind, entry.stat))
    }

    fn read(
        &mut self,
        path: &BStr,
        disk: &Metadata,
        known: Option<EntryKind>,
    ) -> Result<Option<PathOutcome>, CommitError> {
        let Some(kind) = self.content.kind(disk, known) else {
            // An untracked socket is ignored; in place of a tracked file it is an error.
            return match known {
                Some(_) => Err(CommitError::NotAFile { path: path.to_owned() }),
                None => Ok(None),
            };
        };
        let Some(id) = self.content.store(path, disk, kind)? else {
            return Ok(None);
        };
        let stat = Stat::from_fs(disk).map_err(|error| CommitError::Git {
            doing: "store the time of a file",
            source: gix::Error::from_error(error),
        })?;
        Ok(Some(PathOutcome::Put(Staged::new(id, kind, stat))))
    }

    /// The metadata of `path`; `None` if a parent is a link.
    fn metadata(&mut self, path: &BStr) -> Result<Option<Metadata>, CommitError> {
        if let Some(slash) = path.rfind_byte(b'/')
            && self.parent(path[..slash].as_bstr())? == ParentFolder::Other
        {
            return Ok(None);
        }
        lstat(self.content.absolute(path)?)
    }

    fn parent(&mut self, folder: &BStr) -> Result<ParentFolder, CommitError> {
        if let Some(known) = self.parents.get(folder) {
            return Ok(*known);
        }
        let above = match folder.rfind_byte(b'/') {
            Some(slash) => self.parent(folder[..slash].as_bstr())?,
            None => ParentFolder::Folder,
        };
        let parent = match above {
            ParentFolder::Other => ParentFolder::Other,
            ParentFolder::Folder | ParentFolder::Repository => parent_at(self.content.absolute(folder)?)?,
        };
        self.parents.insert(folder.to_owned(), parent);
        Ok(parent)
    }
}

fn parent_at(folder: PathBuf) -> Result<ParentFolder, CommitError> {
    let dot_git = folder.join(".git");
    Ok(match lstat(folder)? {
        Some(disk) if disk.is_dir() => match lstat(dot_git)? {
            Some(_) => ParentFolder::Repository,
            None => ParentFolder::Folder,
        },
        _ => ParentFolder::Other,
    })
}

/// Only a confirmed absence counts as absent: an unreadable folder must not look like a deletion.
pub(in crate::git) fn lstat(path: PathBuf) -> Result<Option<Metadata>, CommitError> {
    match Metadata::from_path_no_follow(&path) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if gix::fs::io_err::is_not_found(error.kind(), error.raw_os_error()) => Ok(None),
        Err(source) => Err(CommitError::File { path, source }),
    }
}
