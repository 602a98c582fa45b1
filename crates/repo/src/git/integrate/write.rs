//! Writes the files of a merge into the work tree, and takes them back.

use std::io;
use std::path::Path;

use gix::bstr::{BString, ByteSlice};
use gix::index::entry::Stat;
use gix::objs::tree::EntryKind;

use super::plan::{CheckoutPlan, FileMove};
use super::smudge::Smudger;
use super::temporary::{sweep, temporary_file, temporary_link};
use crate::fs as writes;
use crate::git::commit::CommitError;
use crate::git::commit::head::Leaf;
use crate::git::commit::worktree::lstat;

impl CheckoutPlan<'_> {
    /// Removes the files of the old tree, then writes those of the new one. Returns the path of a file that changed after
    /// the plan was made, at which it stops.
    pub fn write(&self) -> Result<Option<BString>, CommitError> {
        for each in self.moves.iter().rev().filter(|each| each.new.is_none() && each.disk.is_some()) {
            if self.has_changed(each)? {
                return Ok(Some(each.path.clone()));
            }
            self.remove(each)?;
        }
        let mut smudger = Smudger::new(self.repo, &self.new_index)?;
        for each in self.moves.iter().filter(|each| !each.skip && !each.is_current) {
            let Some(leaf) = each.new else { continue };
            if self.has_changed(each)? || !self.put(each, leaf, each.disk.is_some(), &mut smudger)? {
                return Ok(Some(each.path.clone()));
            }
        }
        Ok(None)
    }

    /// Brings the old files back wherever [`Self::write`] has written or removed one.
    pub fn undo(&self) -> Result<(), CommitError> {
        let mut old = Smudger::new(self.repo, &self.old_index)?;
        let mut new = Smudger::new(self.repo, &self.new_index)?;
        let mut restored = Vec::new();
        for each in self.moves.iter().rev().filter(|each| !each.is_current && !each.skip) {
            let disk = lstat(self.absolute(each.path.as_bstr())?)?;
            let Some(leaf) = each.new else {
                if each.disk.is_some() && disk.is_none() {
                    restored.push((each, false));
                }
                continue;
            };
            if disk.is_none_or(|disk| disk.is_dir()) || !self.is_written(each, leaf, &mut new)? {
                continue;
            }
            match each.disk {
                Some(_) => restored.push((each, true)),
                None => self.remove(each)?,
            }
        }
        for (each, replaces) in restored {
            if let Some(leaf) = each.old {
                self.put(each, leaf, replaces, &mut old)?;
            }
        }
        Ok(())
    }

    /// Removes temporary files that an interrupted integration left beside the files of this one.
    pub fn sweep(&self) -> Result<(), CommitError> {
        let paths: Result<Vec<_>, _> = self.moves.iter().map(|each| self.absolute(each.path.as_bstr())).collect();
        let mut folders: Vec<_> = paths?.iter().filter_map(|path| Some(path.parent()?.to_owned())).collect();
        folders.dedup();
        for folder in folders {
            sweep(&folder)?;
        }
        Ok(())
    }

    fn has_changed(&self, each: &FileMove) -> Result<bool, CommitError> {
        let disk = lstat(self.absolute(each.path.as_bstr())?)?;
        let stat = disk.filter(|disk| !disk.is_dir()).and_then(|disk| Stat::from_fs(&disk).ok());
        Ok(stat != each.disk)
    }

    fn is_written(&self, each: &FileMove, leaf: Leaf, smudger: &mut Smudger<'_>) -> Result<bool, CommitError> {
        let path = self.absolute(each.path.as_bstr())?;
        let read = |source| CommitError::File { path: path.clone(), source };
        if leaf.kind == EntryKind::Link && self.fs.symlink {
            let target = std::fs::read_link(&path).ok();
            let target = target.and_then(|target| Some(gix::path::into_bstr(target).ok()?.into_owned()));
            return Ok(target.is_some_and(|target| smudger.blob(leaf.id).is_ok_and(|blob| target == blob)));
        }
        Ok(crate::fs::read(&path).map_err(read)? == self.content(each, leaf, smudger)?)
    }

    fn content(&self, each: &FileMove, leaf: Leaf, smudger: &mut Smudger<'_>) -> Result<Vec<u8>, CommitError> {
        match leaf.kind {
            EntryKind::Link => smudger.blob(leaf.id),
            _ => smudger.file(each.path.as_bstr(), leaf.id),
        }
    }

    /// Puts a file or a link in place with one rename. `false` if there is a file that was not there before.
    fn put(&self, each: &FileMove, leaf: Leaf, replaces: bool, smudger: &mut Smudger<'_>) -> Result<bool, CommitError> {
        let path = self.absolute(each.path.as_bstr())?;
        let content = self.content(each, leaf, smudger)?;
        let folder = path.parent().unwrap_or(&self.top);
        let put = || {
            writes::create_dir_all(folder)?;
            let temporary = match leaf.kind {
                EntryKind::Link if self.fs.symlink => temporary_link(folder, &content)?,
                kind => temporary_file(folder, kind, &content)?,
            };
            if replaces {
                return writes::persist(temporary, &path).map(|()| true);
            }
            remove_empty_folders_at(&path)?;
            match writes::persist_noclobber(temporary, &path) {
                Ok(()) => Ok(true),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
                Err(error) => Err(error),
            }
        };
        put().map_err(|source| CommitError::File { path: path.clone(), source })
    }

    /// Removes a file, and the folders above it that become empty.
    fn remove(&self, each: &FileMove) -> Result<(), CommitError> {
        let path = self.absolute(each.path.as_bstr())?;
        writes::remove_file(&path).map_err(|source| CommitError::File { path: path.clone(), source })?;
        let above = path.ancestors().skip(1).take_while(|folder| *folder != self.top);
        for folder in above {
            // The system refuses to remove a folder that is not empty.
            if writes::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }
}

/// Removes the folder at a path, which contains nothing but empty folders.
fn remove_empty_folders_at(path: &Path) -> io::Result<()> {
    if !std::fs::symlink_metadata(path).is_ok_and(|disk| disk.is_dir()) {
        return Ok(());
    }
    for entry in std::fs::read_dir(path)? {
        remove_empty_folders_at(&entry?.path())?;
    }
    writes::remove_dir(path)
}
