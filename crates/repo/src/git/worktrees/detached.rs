//! A temporary work tree of a commit.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use gix::ObjectId;
use gix::bstr::BString;
use gix::index::entry::{Flags, Mode};
use gix::refs::Target;

use super::WorktreeError;
use super::create::{register, set_head};
use super::populate::{Populated, index_of, populate};
use super::registration::{Registration, drop_half_registered, exclusive, exclusive_in, real};
use crate::fs as writes;
use crate::git::commit::CommitError;

/// A file in the private git directory of a temporary work tree. Its creator keeps it locked, so that an unlocked one
/// shows that the creator is gone.
const MARKER: &str = "canonry-temporary";
/// The files in the private git directory of a new work tree.
const PRIVATE_FILES: [&str; 4] = ["HEAD", "commondir", "gitdir", MARKER];

/// Begins the names of temporary work trees.
const PREFIX: &str = "verify-";

/// A temporary work tree with a detached HEAD, removed with everything in it when this is dropped.
#[derive(Debug)]
pub struct DetachedTree {
    pub folder: PathBuf,
    git_dir: PathBuf,
    /// Content of its file `.git`.
    link: Vec<u8>,
    /// The files of the last checkout; `None` if it failed.
    files: Option<Populated>,
    /// The locked marker.
    lock: Option<File>,
}

impl DetachedTree {
    /// Checks another commit out into the same folder, which is as clean as a new one then. Files that nobody has touched are
    /// kept, and others are written anew, not created: ext4 searches long for an inode after many files were deleted.
    ///
    /// # Errors
    /// See [`WorktreeError`]. The tree must not be used then.
    pub fn check_out(
        &mut self,
        repo: &gix::Repository,
        commit: ObjectId,
        cancel: &AtomicBool,
    ) -> Result<(), WorktreeError> {
        let io = |source| CommitError::File { path: self.folder.clone(), source };
        let is_linked = std::fs::read(self.folder.join(".git")).map_err(io)? == self.link;
        let found = Registration::at(repo, &self.folder)?.filter(|found| is_linked && found.git_dir == self.git_dir);
        let registration = found.ok_or_else(|| WorktreeError::NoWorktree { folder: self.folder.clone() })?;
        for entry in std::fs::read_dir(&self.git_dir).map_err(io)? {
            let entry = entry.map_err(io)?;
            if !PRIVATE_FILES.iter().any(|name| entry.file_name() == *name) {
                remove_entry(&entry).map_err(io)?;
            }
        }
        let linked = registration.open(repo)?;
        set_head(&linked, Target::Object(commit), "checkout".into())?;
        let index = index_of(&linked, commit)?;
        clean(&index, &self.folder, &BString::default()).map_err(io)?;
        let before = self.files.take();
        self.files = Some(populate(&linked, &self.folder, commit, before.as_ref(), cancel)?);
        Ok(())
    }

    /// Leaves everything behind, as a kill does.
    #[cfg(test)]
    pub(super) fn abandon(mut self) {
        self.lock = None;
    }
}

impl Drop for DetachedTree {
    fn drop(&mut self) {
        if self.lock.is_some() {
            // The private directory is `<common directory>/worktrees/<name>`.
            let common_dir = self.git_dir.ancestors().nth(2);
            let _exclusive = common_dir.and_then(|common_dir| exclusive_in(common_dir).ok());
            // A failure leaves it to the next `checkout_detached`.
            let _ = remove(&self.folder, &self.git_dir);
        }
    }
}

/// Removes everything but folders of the index and those of its files that a checkout only has to write.
fn clean(index: &gix::index::State, top: &Path, folder: &BString) -> io::Result<()> {
    for entry in std::fs::read_dir(top.join(gix::path::from_bstr(folder).map_err(io::Error::other)?))? {
        let entry = entry?;
        let name = entry.file_name();
        if folder.is_empty() && name == OsStr::new(".git") {
            continue;
        }
        let mut path = folder.clone();
        path.extend_from_slice(gix::path::os_str_into_bstr(&name).map_err(io::Error::other)?);
        let disk = entry.metadata()?;
        if disk.is_dir() {
            path.push(b'/');
            if index.prefixed_entries(path.as_ref()).is_some() {
                clean(index, top, &path)?;
                continue;
            }
        } else if let Some(tracked) = index.entry_by_path(path.as_ref()) {
            let mode = if disk.mode() & 0o111 == 0 { Mode::FILE } else { Mode::FILE_EXECUTABLE };
            // A file with another name may be anywhere.
            let is_plain = disk.is_file() && disk.nlink() == 1 && disk.mode() & 0o600 == 0o600;
            if is_plain && tracked.mode == mode && !tracked.flags.contains(Flags::SKIP_WORKTREE) {
                continue;
            }
        }
        remove_entry(&entry)?;
    }
    Ok(())
}

fn remove_entry(entry: &std::fs::DirEntry) -> io::Result<()> {
    if entry.file_type()?.is_dir() { writes::remove_dir_all(&entry.path()) } else { writes::remove_file(&entry.path()) }
}

fn remove(folder: &Path, git_dir: &Path) -> io::Result<()> {
    if folder.is_dir() {
        writes::remove_dir_all(folder)?;
    }
    writes::remove_dir_all(git_dir)
}

/// Checks a commit out into a new folder below `folder`. Temporary work trees that killed processes left are removed.
///
/// # Errors
/// See [`WorktreeError`].
pub fn checkout_detached(
    repo: &gix::Repository,
    folder: &Path,
    commit: ObjectId,
    cancel: &AtomicBool,
) -> Result<DetachedTree, WorktreeError> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| CommitError::File { path, source }
    };
    let (registration, lock) = {
        let _exclusive = exclusive(repo)?;
        remove_abandoned(repo, folder)?;
        writes::create_dir_all(folder).map_err(io(folder))?;
        let made = writes::temporary_dir(tempfile::Builder::new().prefix(PREFIX), folder).map_err(io(folder))?;
        let registration = register(repo, made.path(), commit, cancel)?;
        let _ = made.keep();
        let marker = registration.git_dir.join(MARKER);
        let file = writes::create_new(File::options().write(true), &marker).map_err(io(&marker))?;
        file.lock().map_err(io(&marker))?;
        (registration, file)
    };
    let linked = registration.open(repo)?;
    let link = std::fs::read(registration.folder.join(".git")).map_err(io(&registration.folder))?;
    let Registration { folder, git_dir, .. } = registration;
    let mut tree = DetachedTree { folder, git_dir, link, files: None, lock: Some(lock) };
    tree.files = Some(populate(&linked, &tree.folder, commit, None, cancel)?);
    Ok(tree)
}

/// Whether the work tree with this private git directory is a temporary one.
pub(super) fn is_temporary(git_dir: &Path) -> bool {
    git_dir.join(MARKER).exists()
}

/// Removes the temporary work trees, and the registrations in `folder` without a commit, that killed processes left.
///
/// # Errors
/// See [`WorktreeError`].
pub fn sweep(repo: &gix::Repository, folder: &Path) -> Result<(), WorktreeError> {
    let _exclusive = exclusive(repo)?;
    Ok(remove_abandoned(repo, folder)?)
}

fn remove_abandoned(repo: &gix::Repository, folder: &Path) -> Result<(), CommitError> {
    drop_half_registered(repo, folder)?;
    for tree in Registration::all(repo)? {
        let is_abandoned = match crate::fs::open(tree.git_dir.join(MARKER)).map(|marker| marker.try_lock()) {
            Ok(Ok(())) => true,
            Ok(Err(TryLockError::WouldBlock | TryLockError::Error(_))) => false,
            // Its creator would have the exclusive lock until there is one.
            Err(_) => is_named(&tree.folder) && tree.folder.parent().map(real) == Some(real(folder)),
        };
        if is_abandoned {
            // What cannot be removed now stays for the next time.
            let _ = remove(&tree.folder, &tree.git_dir);
        }
    }
    // Folders that were never registered are empty.
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_named(&entry.path()) {
            let _ = writes::remove_dir(&entry.path());
        }
    }
    Ok(())
}

fn is_named(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()))
}
