//! Writing files whole, and removing them.

use super::stage::Stages;
use super::temporary::{link_in, link_target, mode_bits, open_in};
use super::{Applied, ApplyError};
use crate::canon::{FileMode, FileState};
use crate::config::Target;
use crate::edit::{Edit, EditContent};
use crate::fs as writes;
use crate::syntax::RepoPath;
use crate::view::{Probe, View};
use gix::bstr::BStr;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempPath;

/// Removes folders, deepest first, each up to the first one that still holds something; the system refuses to remove
/// that. A tool's own folder stays.
pub(super) fn remove_empty(view: &View, folders: &BTreeSet<RepoPath>) {
    let within_tool_folder = |path: &RepoPath| path.components().count() > 1;
    for folder in folders.iter().rev() {
        for above in std::iter::successors(Some(folder.clone()), RepoPath::parent).take_while(within_tool_folder) {
            // A folder that is gone does not keep those above it.
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
}

/// One file to write, with the source's bytes at hand.
struct Job<'a> {
    path: &'a RepoPath,
    content: &'a EditContent,
    was: Option<FileState>,
    now: FileState,
    mode_only: bool,
}

impl<'a> Job<'a> {
    /// The file it copies.
    fn source(&self) -> Option<&'a RepoPath> {
        match self.content {
            EditContent::CopyOf(source) => Some(source),
            EditContent::Link(_) | EditContent::Bytes(_) => None,
        }
    }
}

impl Job<'_> {
    /// Into a folder that no one else knows yet.
    fn write_new(&self, to: &Path, source: &[u8]) -> io::Result<()> {
        let bytes = match self.content {
            EditContent::Link(text) => return writes::symlink(&link_target(text.as_ref())?, to),
            EditContent::CopyOf(_) => source,
            EditContent::Bytes(bytes) => bytes,
        };
        let mut file = writes::create_new(File::options().write(true).mode(mode_bits(self.now.mode)), to)?;
        writes::write_all(&mut file, bytes)?;
        if self.is_precious() { writes::sync_all(&file) } else { Ok(()) }
    }

    /// By a rename over what stands there; `false` where something stands that was not there before.
    fn write_in_place(&self, to: &Path, source: &[u8]) -> io::Result<bool> {
        if self.mode_only {
            let mode = fs::metadata(to)?.permissions().mode();
            // Execution for those who may read, as git's checkout does.
            let mode = if self.now.mode == FileMode::Executable { mode | (mode & 0o444) >> 2 } else { mode & !0o111 };
            return writes::set_permissions(to, Permissions::from_mode(mode)).map(|()| true);
        }
        let folder = to.parent().unwrap_or(Path::new("."));
        let temporary = match self.content {
            EditContent::Link(text) => link_in(folder, text.as_ref())?,
            EditContent::CopyOf(_) => self.file_in(folder, source)?,
            EditContent::Bytes(bytes) => self.file_in(folder, bytes)?,
        };
        if self.was.is_some() {
            return writes::persist(temporary, to).map(|()| true);
        }
        match writes::persist_noclobber(temporary, to) {
            Ok(()) => Ok(true),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(e) => Err(e),
        }
    }

    fn file_in(&self, folder: &Path, bytes: &[u8]) -> io::Result<TempPath> {
        let mut file = open_in(folder, self.now.mode)?;
        writes::write_all(&mut file, bytes)?;
        if self.is_precious() {
            writes::sync_all(file.as_file())?;
        }
        Ok(file.into_temp_path())
    }

    /// A mirror can be made again; what a person wrote, taken into the canon, is flushed to disk.
    fn is_precious(&self) -> bool {
        Target::holding(self.path).is_none()
    }
}

fn make_folder(path: &Path, made: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    let Some(folder) = path.parent().filter(|folder| !made.contains(*folder)) else { return Ok(()) };
    writes::create_dir_all(folder)?;
    made.insert(folder.to_owned());
    Ok(())
}

/// The name of the skill's folder that a path lies in: the component behind `<tool>/skills`.
fn skill_name(path: &RepoPath) -> &BStr {
    path.components().nth(2).unwrap_or_default()
}

impl Writer<'_> {
    pub(super) fn on_disk(&self, path: &RepoPath) -> Result<PathBuf, ApplyError> {
        let none = || io::Error::new(io::ErrorKind::InvalidInput, "this name cannot stand on this file system");
        self.view.on_disk(path).ok_or_else(none).map_err(ApplyError::io(path, "cannot be written"))
    }

    pub(super) fn go_on(&self) -> Result<(), ApplyError> {
        if self.cancel.load(Ordering::Relaxed) { Err(ApplyError::Interrupted) } else { Ok(()) }
    }

    pub fn remove(&self, edits: &[Edit], applied: &mut Applied) -> Result<(), ApplyError> {
        let mut folders = BTreeSet::new();
        let mut probe = self.view.probe();
        for edit in edits {
            let Edit::Remove { path, was } = edit else { continue };
            self.go_on()?;
            if probe.state(path) != Some(*was) {
                applied.conflicts.push(path.clone());
                continue;
            }
            writes::remove_file(&self.on_disk(path)?).map_err(ApplyError::io(path, "cannot be removed"))?;
            folders.extend(path.parent());
            applied.removed.push(path.clone());
        }
        remove_empty(self.view, &folders);
        Ok(())
    }

    /// Writes on all cores, a skill's mirrors on one; each source is read once, whatever the number of its copies.
    pub fn write(&self, edits: &[Edit], applied: &mut Applied) -> Result<(), ApplyError> {
        let mut by_skill: BTreeMap<&BStr, Vec<Job<'_>>> = BTreeMap::new();
        for job in edits.iter().filter_map(job) {
            by_skill.entry(skill_name(job.path)).or_default().push(job);
        }
        let groups: Vec<Vec<Job<'_>>> = by_skill.into_values().collect();
        let done: Result<Vec<Vec<(RepoPath, bool)>>, ApplyError> =
            groups.into_par_iter().map_init(|| None, |probe, jobs| self.write_group(jobs, probe)).collect();
        for (path, written) in done?.into_iter().flatten() {
            if written { applied.written.push(path) } else { applied.conflicts.push(path) }
        }
        applied.written.sort();
        Ok(())
    }

    fn write_group<'s>(
        &'s self,
        mut jobs: Vec<Job<'_>>,
        probe: &mut Option<Probe<'s>>,
    ) -> Result<Vec<(RepoPath, bool)>, ApplyError> {
        jobs.sort_by_key(Job::source);
        let stages = Stages::begin(self.view, jobs.iter().map(|job| job.path))?;
        let mut folders = BTreeSet::new();
        let mut done = Vec::with_capacity(jobs.len());
        for same in jobs.chunk_by(|a, b| a.source() == b.source()) {
            let bytes = self.source_bytes(same)?;
            for job in same {
                self.go_on()?;
                let staged = stages.path(job.path);
                let to = staged.clone().map_or_else(|| self.on_disk(job.path), Ok)?;
                make_folder(&to, &mut folders).map_err(ApplyError::io(job.path, "its folder cannot be created"))?;
                let written = match staged {
                    Some(to) => job.write_new(&to, &bytes).map(|()| true),
                    None if self.is_overtaken(job, probe) => Ok(false),
                    None => job.write_in_place(&to, &bytes),
                };
                let written = written.map_err(ApplyError::io(job.path, "cannot be written"))?;
                done.push((job.path.clone(), written));
            }
        }
        let taken = stages.publish(self.view)?;
        for (path, written) in &mut done {
            *written &= !taken.iter().any(|folder| path.is_within(folder));
        }
        Ok(done)
    }

    /// Whether something else stands there by now than what was decided upon.
    fn is_overtaken<'s>(&'s self, job: &Job<'_>, probe: &mut Option<Probe<'s>>) -> bool {
        let changes = job.was.is_some() && !job.mode_only;
        changes && probe.get_or_insert_with(|| self.view.probe()).state(job.path) != job.was
    }

    /// What the jobs copy; nothing where none of them copies.
    fn source_bytes(&self, same: &[Job<'_>]) -> Result<Vec<u8>, ApplyError> {
        match same.first().and_then(Job::source) {
            Some(source) if same.iter().any(|job| !job.mode_only) => {
                fs::read(self.on_disk(source)?).map_err(ApplyError::io(source, "cannot be read"))
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Replaces a file of the work tree and flushes it to disk.
    pub fn write_durably(&self, path: &RepoPath, bytes: &[u8]) -> Result<(), ApplyError> {
        let to = self.on_disk(path)?;
        let folder = to.parent().unwrap_or(Path::new("."));
        let write = || {
            writes::create_dir_all(folder)?;
            let mut file = open_in(folder, FileMode::File)?;
            writes::write_all(&mut file, bytes)?;
            writes::sync_all(file.as_file())?;
            writes::persist(file.into_temp_path(), &to)
        };
        write().map_err(ApplyError::io(path, "cannot be written"))
    }

    /// Removes a file of the work tree that has no state to be compared.
    pub fn remove_lock(&self, path: &RepoPath) -> Result<(), ApplyError> {
        match writes::remove_file(&self.on_disk(path)?) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(ApplyError::io(path, "cannot be removed")(e)),
            _ => Ok(()),
        }
    }
}

fn job(edit: &Edit) -> Option<Job<'_>> {
    match edit {
        Edit::Write { path, content, was, now } => {
            Some(Job { path, content, was: *was, now: *now, mode_only: edit.is_mode_only() })
        }
        Edit::Remove { .. } | Edit::Rename { .. } => None,
    }
}
