//! Writes, removes and renames files of the work tree.

use super::displaced::{Displaced, Replacement};
use super::staged_folders::StagedFolders;
use super::temporary::{link_target, permission_bits, temporary_file, temporary_link};
use super::{Applied, ApplyError};
use crate::fs as writes;
use crate::view::{Probe, View};
use canonry_model::canon::{FileMode, FileState};
use canonry_model::config::{TOOLS, Target};
use canonry_model::edit::{Edit, EditContent};
use canonry_text::RepoPath;
use gix::bstr::BStr;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempPath;

/// Removes empty folders, deepest first, and the folders above them that become empty. Keeps the top folder of a tool in the
/// table, which may be installed. Removes that of a tool that only the config names, because canonry created it.
pub(super) fn remove_empty_folders(view: &View, folders: &BTreeSet<RepoPath>) {
    let is_of_known_tool = |name: &str| TOOLS.iter().any(|row| row.has_folder(name));
    let may_go = |path: &RepoPath| match path.components().count() {
        0 => false,
        1 => path.as_bstr().starts_with(b".") && !is_of_known_tool(&path.to_display()),
        _ => true,
    };
    for folder in folders.iter().rev() {
        for above in std::iter::successors(Some(folder.clone()), RepoPath::parent).take_while(may_go) {
            // The system refuses to remove a folder that is not empty. A missing one does not protect those above it.
            let gone = |e: &io::Error| e.kind() == io::ErrorKind::NotFound;
            let removed = view.on_disk(&above).map(|folder| writes::remove_dir(&folder));
            if !removed.is_some_and(|removed| removed.is_ok() || removed.is_err_and(|e| gone(&e))) {
                break;
            }
        }
    }
}

/// Writes into the work tree of a view.
pub(super) struct Writer<'a> {
    pub view: &'a View,
    pub cancel: &'a AtomicBool,
    pub displaced: &'a Displaced<'a>,
}

/// The result of writing a file.
enum WriteResult {
    Done,
    /// Somebody changed the file.
    Conflict,
    /// Somebody changed the file that it is a copy of.
    SourceChanged(RepoPath),
}

/// One file to write.
struct WriteJob<'a> {
    path: &'a RepoPath,
    content: &'a EditContent,
    was: Option<FileState>,
    now: FileState,
    mode_only: bool,
}

impl<'a> WriteJob<'a> {
    /// The file that is copied.
    fn source(&self) -> Option<&'a RepoPath> {
        match self.content {
            EditContent::CopyOf(source) => Some(source),
            EditContent::Link(_) | EditContent::Bytes(_) => None,
        }
    }
}

impl WriteJob<'_> {
    /// Writes into a temporary folder, which nobody else writes to.
    fn write_new(&self, to: &Path, source: &[u8]) -> io::Result<()> {
        let bytes = match self.content {
            EditContent::Link(text) => return writes::symlink(&link_target(text.as_ref())?, to),
            EditContent::CopyOf(_) => source,
            EditContent::Bytes(bytes) => bytes,
        };
        let mut file = writes::create_new(File::options().write(true).mode(permission_bits(self.now.mode)), to)?;
        writes::write_all(&mut file, bytes)?;
        if self.must_be_flushed() { writes::sync_all(&file) } else { Ok(()) }
    }

    /// Sets only the mode. Whoever may read the file may execute it, as with git's checkout.
    fn set_mode(&self, to: &Path) -> io::Result<()> {
        let mode = fs::metadata(to)?.permissions().mode();
        let mode = if self.now.mode == FileMode::Executable { mode | (mode & 0o444) >> 2 } else { mode & !0o111 };
        writes::set_permissions(to, Permissions::from_mode(mode))
    }

    /// A complete file with a temporary name beside its destination.
    fn temporary(&self, to: &Path, source: &[u8]) -> io::Result<TempPath> {
        let folder = to.parent().unwrap_or(Path::new("."));
        match self.content {
            EditContent::Link(text) => temporary_link(folder, text.as_ref()),
            EditContent::CopyOf(_) => self.file_in(folder, source),
            EditContent::Bytes(bytes) => self.file_in(folder, bytes),
        }
    }

    fn file_in(&self, folder: &Path, bytes: &[u8]) -> io::Result<TempPath> {
        let mut file = temporary_file(folder, self.now.mode)?;
        writes::write_all(&mut file, bytes)?;
        if self.must_be_flushed() {
            writes::sync_all(file.as_file())?;
        }
        Ok(file.into_temp_path())
    }

    /// A mirror can be created again. A canon file may hold the only copy of a user's edit.
    fn must_be_flushed(&self) -> bool {
        Target::holding(self.path).is_none()
    }
}

fn create_parent(path: &Path, created: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    let Some(folder) = path.parent().filter(|folder| !created.contains(*folder)) else { return Ok(()) };
    writes::create_dir_all(folder)?;
    created.insert(folder.to_owned());
    Ok(())
}

/// The name of the skill that a path belongs to: the component after `<tool>/skills`.
fn skill_name(path: &RepoPath) -> &BStr {
    path.components().nth(2).unwrap_or_default()
}

impl Writer<'_> {
    pub(super) fn on_disk(&self, path: &RepoPath) -> Result<PathBuf, ApplyError> {
        let none = || io::Error::new(io::ErrorKind::InvalidInput, "the file system cannot represent this name");
        self.view.on_disk(path).ok_or_else(none).map_err(ApplyError::io(path, "cannot be written"))
    }

    pub(super) fn check_cancelled(&self) -> Result<(), ApplyError> {
        if self.cancel.load(Ordering::Relaxed) { Err(ApplyError::Interrupted) } else { Ok(()) }
    }

    pub fn remove(&self, edits: &[Edit], applied: &mut Applied) -> Result<(), ApplyError> {
        let mut folders = BTreeSet::new();
        let mut probe = self.view.probe();
        for edit in edits {
            let Edit::Remove { path, was } = edit else { continue };
            self.check_cancelled()?;
            let from = self.on_disk(path)?;
            let removed = self.displaced.remove(path, &from, *was, &mut probe);
            if !removed.map_err(ApplyError::io(path, "cannot be removed"))? {
                applied.conflicts.push(path.clone());
                continue;
            }
            folders.extend(path.parent());
            applied.removed.push(path.clone());
        }
        remove_empty_folders(self.view, &folders);
        Ok(())
    }

    /// Writes in parallel. The mirrors of one skill are written by one thread, so that each source is read once.
    pub fn write(&self, edits: &[Edit], applied: &mut Applied) -> Result<(), ApplyError> {
        let mut by_skill: BTreeMap<&BStr, Vec<WriteJob<'_>>> = BTreeMap::new();
        for job in edits.iter().filter_map(write_job) {
            by_skill.entry(skill_name(job.path)).or_default().push(job);
        }
        let groups: Vec<Vec<WriteJob<'_>>> = by_skill.into_values().collect();
        let done: Result<Vec<Vec<(RepoPath, WriteResult)>>, ApplyError> =
            groups.into_par_iter().map_init(|| None, |probe, jobs| self.write_group(jobs, probe)).collect();
        for (path, written) in done?.into_iter().flatten() {
            match written {
                WriteResult::Done => applied.written.push(path),
                WriteResult::Conflict => applied.conflicts.push(path),
                WriteResult::SourceChanged(source) => {
                    applied.conflicts.push(path.clone());
                    applied.changed_sources.insert(path, source);
                }
            }
        }
        applied.written.sort();
        Ok(())
    }

    fn write_group<'s>(
        &'s self,
        mut jobs: Vec<WriteJob<'_>>,
        probe: &mut Option<Probe<'s>>,
    ) -> Result<Vec<(RepoPath, WriteResult)>, ApplyError> {
        jobs.sort_by_key(WriteJob::source);
        let staged = StagedFolders::create(self.view, jobs.iter().map(|job| job.path))?;
        let mut folders = BTreeSet::new();
        let mut done = Vec::with_capacity(jobs.len());
        for same in jobs.chunk_by(|a, b| a.source() == b.source()) {
            let bytes = match same.iter().find(|job| !job.mode_only) {
                Some(job) => self.source_bytes(job, probe)?,
                None => Some(Vec::new()),
            };
            for job in same {
                self.check_cancelled()?;
                let written = match (&bytes, job.source()) {
                    (None, Some(source)) if !job.mode_only => WriteResult::SourceChanged(source.clone()),
                    (bytes, _) => {
                        self.write_job(job, bytes.as_deref().unwrap_or_default(), &staged, &mut folders, probe)?
                    }
                };
                done.push((job.path.clone(), written));
            }
        }
        let taken = staged.publish(self.view)?;
        for (path, written) in &mut done {
            if taken.iter().any(|folder| path.is_within(folder)) {
                *written = WriteResult::Conflict;
            }
        }
        Ok(done)
    }

    fn write_job<'s>(
        &'s self,
        job: &WriteJob<'_>,
        source: &[u8],
        staged: &StagedFolders,
        folders: &mut BTreeSet<PathBuf>,
        probe: &mut Option<Probe<'s>>,
    ) -> Result<WriteResult, ApplyError> {
        let staged_path = staged.path(job.path);
        let to = staged_path.clone().map_or_else(|| self.on_disk(job.path), Ok)?;
        create_parent(&to, folders).map_err(ApplyError::io(job.path, "its folder cannot be created"))?;
        let written = match staged_path {
            Some(to) => job.write_new(&to, source).map(|()| true),
            None => self.write_in_place(job, &to, source, probe),
        };
        let is_written = written.map_err(ApplyError::io(job.path, "cannot be written"))?;
        Ok(if is_written { WriteResult::Done } else { WriteResult::Conflict })
    }

    /// `false` if the file is not the one that the plan was made for.
    fn write_in_place<'s>(
        &'s self,
        job: &WriteJob<'_>,
        to: &Path,
        source: &[u8],
        probe: &mut Option<Probe<'s>>,
    ) -> io::Result<bool> {
        if job.mode_only {
            return job.set_mode(to).map(|()| true);
        }
        let Some(was) = job.was else {
            return match writes::persist_noclobber(job.temporary(to, source)?, to) {
                Ok(()) => Ok(true),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
                Err(e) => Err(e),
            };
        };
        let probe = probe.get_or_insert_with(|| self.view.probe());
        if probe.state(job.path) != Some(was) {
            return Ok(false);
        }
        let temporary = job.temporary(to, source)?;
        self.displaced.replace(&Replacement { path: job.path, to, was, now: job.now }, temporary, probe)
    }

    /// The bytes that a job copies; `None` if they are not those that the plan was made for.
    fn source_bytes<'s>(
        &'s self,
        job: &WriteJob<'_>,
        probe: &mut Option<Probe<'s>>,
    ) -> Result<Option<Vec<u8>>, ApplyError> {
        let Some(source) = job.source() else { return Ok(Some(Vec::new())) };
        let bytes = match writes::read(&self.on_disk(source)?) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return self.source_in_index(source),
            bytes => bytes.map_err(ApplyError::io(source, "cannot be read"))?,
        };
        let plain = gix::objs::compute_hash(self.view.object_hash(), gix::objs::Kind::Blob, &bytes);
        let is_planned = plain.is_ok_and(|id| id == job.now.id)
            || probe.get_or_insert_with(|| self.view.probe()).id_of(source, &bytes) == Some(job.now.id);
        Ok(is_planned.then_some(bytes))
    }

    /// The content of a canonical file that a sparse checkout leaves out.
    fn source_in_index(&self, source: &RepoPath) -> Result<Option<Vec<u8>>, ApplyError> {
        let state = self.view.staged_state(source).filter(|_| self.view.is_outside_checkout(source));
        let bytes = state.map(|state| self.view.checked_out(source, state.id)).transpose();
        bytes.map_err(|error| ApplyError::io(source, "cannot be checked out")(io::Error::other(error)))
    }
}

fn write_job(edit: &Edit) -> Option<WriteJob<'_>> {
    match edit {
        Edit::Write { path, content, was, now } => {
            Some(WriteJob { path, content, was: *was, now: *now, mode_only: edit.is_mode_only() })
        }
        Edit::Remove { .. } | Edit::Rename { .. } => None,
    }
}

impl Writer<'_> {
    /// Renames files, after all files are written, so that each has its final content. A run that is interrupted leaves
    /// each file under one of its two names.
    pub fn rename(&self, edits: &[Edit], applied: &mut Applied) -> Result<(), ApplyError> {
        let mut probe = self.view.probe();
        for edit in edits {
            let Edit::Rename { path, to, was } = edit else { continue };
            self.check_cancelled()?;
            let is_unchanged = probe.state(path) == Some(*was);
            let from = self.on_disk(path)?;
            let new = self.on_disk(to)?;
            let renamed = if is_unchanged { rename_new(&from, &new) } else { Ok(false) };
            if renamed.map_err(ApplyError::io(path, "cannot be renamed"))? {
                applied.renamed.push((path.clone(), to.clone()))
            } else {
                applied.conflicts.push(path.clone())
            }
        }
        Ok(())
    }
}

/// Renames a file; `false` if another file has the new name.
fn rename_new(from: &Path, to: &Path) -> io::Result<bool> {
    // On a file system that ignores case, the new spelling already names the same file.
    if is_same_file(from, to)? {
        return writes::rename(from, to).map(|()| true);
    }
    match writes::rename_noreplace(from, to) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        // Without support by the file system, checking first is the best available.
        Err(e) if matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            match fs::symlink_metadata(to) {
                Ok(_) => Ok(false),
                Err(e) if e.kind() == io::ErrorKind::NotFound => writes::rename(from, to).map(|()| true),
                Err(e) => Err(e),
            }
        }
        Err(e) => Err(e),
    }
}

fn is_same_file(one: &Path, other: &Path) -> io::Result<bool> {
    let one = fs::symlink_metadata(one)?;
    match fs::symlink_metadata(other) {
        Ok(other) => Ok((one.dev(), one.ino()) == (other.dev(), other.ino())),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_name_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "mine").unwrap();
        assert!(rename_new(&at("a"), &at("b")).unwrap());
        fs::write(at("c"), "theirs").unwrap();
        assert!(!rename_new(&at("b"), &at("c")).unwrap());
        let texts = ["b", "c"].map(|name| fs::read_to_string(at(name)).unwrap());
        assert_eq!((at("a").exists(), texts), (false, ["mine".to_owned(), "theirs".to_owned()]));
    }

    /// A file system that ignores case shows two names of one file, like two hard links.
    #[test]
    fn another_name_of_the_same_file_is_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "mine").unwrap();
        fs::hard_link(at("a"), at("b")).unwrap();
        assert!(rename_new(&at("a"), &at("b")).unwrap());
        assert_eq!(fs::read_to_string(at("b")).unwrap(), "mine");
    }
}
