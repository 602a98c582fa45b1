//! Files that a run replaced or removed, until it is certain that nobody wrote to them meanwhile.
//!
//! A file that somebody else may be editing is not overwritten: it and the new file exchange their names. The old file is
//! then inspected under a name that nobody knows, and put back if it is not the one that the plan was made for. A writer
//! that opened it before the exchange may still write to it, so it is inspected again at the end of the run. Other files
//! than mirrors, which people edit, stay until the next run inspects them once more. A text is therefore lost only if its
//! writer holds the old file open for that long.

use super::ApplyError;
use super::backup::Backups;
use super::temporary::{PREFIX, content_id, remove_quietly};
use crate::fs as writes;
use crate::view::{Probe, View};
use canonry_model::canon::FileState;
use canonry_model::config::Target;
use canonry_text::RepoPath;
use gix::bstr::ByteSlice;
use rayon::prelude::*;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use tempfile::TempPath;

/// Longest part of a path in the name of a displaced file; a file name has at most 255 bytes.
const MAX_PATH_IN_NAME: usize = 180;

/// A prefix of temporary names for files that may be an old version.
const OLD: &str = "old-";

/// The files that a run displaced.
pub(super) struct Displaced<'a> {
    folder: PathBuf,
    backups: Backups<'a>,
    files: Mutex<Vec<DisplacedFile>>,
    taken: Mutex<Vec<(RepoPath, PathBuf)>>,
    count: AtomicUsize,
}

struct DisplacedFile {
    path: RepoPath,
    at: PathBuf,
    was: FileState,
    /// The state that the run gave the path.
    now: Option<FileState>,
}

/// Files that somebody changed while they were displaced.
#[derive(Debug, Default)]
pub(super) struct Settled {
    /// Their paths.
    pub conflicts: Vec<RepoPath>,
    /// Backups of versions whose path has a newer one.
    pub backups: Vec<(RepoPath, PathBuf)>,
}

/// A file to replace.
pub(super) struct Replacement<'a> {
    pub path: &'a RepoPath,
    pub to: &'a Path,
    pub was: FileState,
    pub now: FileState,
}

impl<'a> Displaced<'a> {
    /// Displaced files are in canonry's `own` folder in git's.
    pub fn new(view: &'a View, own: &'a Path) -> Self {
        Self {
            folder: own.join("displaced"),
            backups: Backups::new(view, own),
            files: Mutex::default(),
            taken: Mutex::default(),
            count: AtomicUsize::new(0),
        }
    }

    /// Gives a temporary file its final name, which a file in the state `was` has; `false` if that is not so.
    pub fn replace(
        &self,
        replacement: &Replacement<'_>,
        temporary: TempPath,
        probe: &mut Probe<'_>,
    ) -> io::Result<bool> {
        let Replacement { path, to, was, now } = *replacement;
        let old = old_name(&temporary);
        writes::persist(temporary, &old)?;
        match writes::exchange(&old, to) {
            Ok(()) => {}
            // A sparse checkout leaves the file out, and the state is that in the index.
            Err(e) if e.kind() == ErrorKind::NotFound && probe.state(path) == Some(was) => {
                let is_new = restore(&old, to)?;
                return if is_new { Ok(true) } else { writes::remove_file(&old).map(|()| false) };
            }
            Err(e) if e.kind() == ErrorKind::NotFound => return writes::remove_file(&old).map(|()| false),
            Err(e) if is_unsupported(&e) => return self.replace_without_exchange(replacement, &old, probe),
            Err(e) => {
                remove_quietly(&old);
                return Err(e);
            }
        }
        if probe.state_at(path, &old) != Some(was) {
            if !put_back(path, &old, to, now, probe)? {
                self.take(path, &old)?;
            }
            return Ok(false);
        }
        self.keep(path, &old, was, Some(now)).map(|()| true)
    }

    /// The old file keeps a second name, so that it can be inspected, too.
    fn replace_without_exchange(
        &self,
        replacement: &Replacement<'_>,
        new: &Path,
        probe: &mut Probe<'_>,
    ) -> io::Result<bool> {
        let Replacement { path, to, was, now } = *replacement;
        let mut second = new.as_os_str().to_owned();
        second.push("-2");
        let old = PathBuf::from(second);
        // Not every file system has hard links.
        let has_second_name = writes::hard_link(to, &old).is_ok();
        let is_unchanged = probe.state(path) == Some(was);
        if is_unchanged {
            writes::rename(new, to)?;
        } else {
            writes::remove_file(new)?;
        }
        if has_second_name && is_unchanged {
            self.keep(path, &old, was, Some(now))?;
        } else if has_second_name {
            writes::remove_file(&old)?;
        }
        Ok(is_unchanged)
    }

    /// Removes a file in the state `was`; `false` if it is in another one.
    pub fn remove(&self, path: &RepoPath, from: &Path, was: FileState, probe: &mut Probe<'_>) -> io::Result<bool> {
        if probe.state(path) != Some(was) {
            return Ok(false);
        }
        let at = match self.place(path, from) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(false),
            at => at?,
        };
        match writes::rename(from, &at) {
            Ok(()) => {}
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(false),
            // Git's folder is on another file system.
            Err(e) if e.kind() == ErrorKind::CrossesDevices => return writes::remove_file(from).map(|()| true),
            Err(e) => return Err(e),
        }
        if probe.state_at(path, &at) != Some(was) {
            if !restore(&at, from)? {
                self.take(path, &at)?;
            }
            return Ok(false);
        }
        self.add(DisplacedFile { path: path.clone(), at, was, now: None });
        Ok(true)
    }

    fn keep(&self, path: &RepoPath, old: &Path, was: FileState, now: Option<FileState>) -> io::Result<()> {
        let mut at = self.place(path, old)?;
        match writes::rename(old, &at) {
            Ok(()) => {}
            Err(e) if e.kind() == ErrorKind::CrossesDevices => at = old.to_owned(),
            Err(e) => return Err(e),
        }
        self.add(DisplacedFile { path: path.clone(), at, was, now });
        Ok(())
    }

    fn add(&self, file: DisplacedFile) {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).push(file);
    }

    /// Moves a version that is not the latest one to the backups.
    fn take(&self, path: &RepoPath, at: &Path) -> io::Result<()> {
        let backup = self.backups.take(path, at)?;
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).push((path.clone(), backup));
        Ok(())
    }

    /// A free name in the folder. It has the id of the content and the path, for a run after a killed one.
    fn place(&self, path: &RepoPath, file: &Path) -> io::Result<PathBuf> {
        writes::create_dir_all(&self.folder)?;
        let id = content_id(file)?;
        let name = path.to_display().replace('%', "%25").replace('/', "%2F");
        let mut start = name.len().saturating_sub(MAX_PATH_IN_NAME);
        while !name.is_char_boundary(start) {
            start += 1;
        }
        loop {
            let count = self.count.fetch_add(1, Ordering::Relaxed);
            let at = self.folder.join(format!("{id}.{count}.{}", &name[start..]));
            if at.symlink_metadata().is_err() {
                return Ok(at);
            }
        }
    }

    /// Inspects the files again, at the end of the run.
    pub fn settle(&self, view: &View) -> Result<Settled, ApplyError> {
        let files = std::mem::take(&mut *self.files.lock().unwrap_or_else(PoisonError::into_inner));
        let settle = |probe: &mut Probe<'_>, file: DisplacedFile| {
            let is_unchanged = self.settle_file(view, &file, probe);
            let is_unchanged = is_unchanged.map_err(ApplyError::io(&file.path, "its old version cannot be removed"))?;
            Ok((!is_unchanged).then_some(file.path))
        };
        let settled: Result<Vec<Option<RepoPath>>, ApplyError> =
            files.into_par_iter().map_init(|| view.probe(), settle).collect();
        let backups = std::mem::take(&mut *self.taken.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(Settled { conflicts: settled?.into_iter().flatten().collect(), backups })
    }

    /// `false` if somebody wrote to the file.
    fn settle_file(&self, view: &View, file: &DisplacedFile, probe: &mut Probe<'_>) -> io::Result<bool> {
        let DisplacedFile { path, at, was, now } = file;
        if probe.state_at(path, at) == Some(*was) {
            // A mirror can be created again, and there are many.
            if Target::holding(path).is_some() || !at.starts_with(&self.folder) {
                writes::remove_file(at)?;
            }
            return Ok(true);
        }
        let to = view.on_disk(path).ok_or(ErrorKind::InvalidInput)?;
        let is_back = probe.state(path) == *now
            && match now {
                Some(now) => put_back(path, at, &to, *now, probe)?,
                None => restore(at, &to)?,
            };
        if !is_back {
            self.take(path, at)?;
        }
        Ok(false)
    }
}

/// Puts an old version back where a run put its own file, which is removed. `false` if somebody has replaced that file:
/// then theirs stays, and the old version, too.
fn put_back(path: &RepoPath, old: &Path, to: &Path, now: FileState, probe: &mut Probe<'_>) -> io::Result<bool> {
    match writes::exchange(old, to) {
        Ok(()) => {}
        Err(e) if e.kind() == ErrorKind::NotFound => return restore(old, to),
        Err(e) if is_unsupported(&e) => return Ok(false),
        Err(e) => return Err(e),
    }
    if probe.state_at(path, old) == Some(now) {
        return writes::remove_file(old).map(|()| true);
    }
    writes::exchange(old, to)?;
    Ok(false)
}

/// Gives a file its old name back; `false` if the name is taken.
fn restore(at: &Path, to: &Path) -> io::Result<bool> {
    match writes::rename_noreplace(at, to) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(e) if is_unsupported(&e) => match writes::hard_link(at, to) {
            Ok(()) => writes::remove_file(at).map(|()| true),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(e) => Err(e),
        },
        Err(e) => Err(e),
    }
}

/// A file system without exchange answers `EINVAL`, an old kernel `ENOSYS`.
fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported)
}

fn old_name(temporary: &Path) -> PathBuf {
    let name = temporary.file_name().unwrap_or_default().to_string_lossy();
    temporary.with_file_name(format!("{PREFIX}{OLD}{}", name.trim_start_matches(PREFIX)))
}

/// Whether a temporary file may be an old version that a killed run displaced.
pub(super) fn may_be_old(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|rest| rest.starts_with(OLD))
}

/// Inspects what an earlier run displaced, and removes what nobody has written to.
pub(super) fn inspect_left(own: &Path, backups: &Backups<'_>) -> io::Result<Vec<(RepoPath, PathBuf)>> {
    let mut changed = Vec::new();
    let entries = match fs::read_dir(own.join("displaced")) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(changed),
        entries => entries?,
    };
    for entry in entries {
        let at = entry?.path();
        let name = at.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut parts = name.splitn(3, '.');
        let id = parts.next();
        let _ = parts.next();
        let path = parts.next().unwrap_or_default();
        if content_id(&at).is_ok_and(|now| id == Some(now.to_string().as_str())) {
            writes::remove_file(&at)?;
            continue;
        }
        let path = RepoPath::new(path.replace("%2F", "/").replace("%25", "%").as_bytes().as_bstr());
        let backup = backups.take(&path, &at)?;
        changed.push((path, backup));
    }
    Ok(changed)
}
