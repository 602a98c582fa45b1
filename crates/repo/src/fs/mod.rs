//! Calls that change the file system, and those that open files.
//!
//! Only regular files are opened, and no call waits for a pipe: a repository can have a pipe or a device in place of any
//! file. Every write of a repository's files goes through these functions. Each reports to [`failpoint::reach`] first, so that
//! tests can stop a run before any of its writes. Release builds contain no failpoints.

pub mod failpoint;
pub mod lock;

use rustix::fs::{CWD, Dir, Mode, OFlags, RenameFlags, openat, renameat_with};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tempfile::{Builder, NamedTempFile, TempDir, TempPath};

/// Opens a regular file for reading.
pub fn open(path: impl AsRef<Path>) -> io::Result<File> {
    open_regular(File::options().read(true), path.as_ref(), OFlags::empty())
}

/// The content of a regular file.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    let mut bytes = Vec::with_capacity(file.metadata().map_or(0, |meta| usize::try_from(meta.len()).unwrap_or(0)));
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The content of a regular file; `None` if nothing is at the path. A file that cannot be read is an error, not a missing one.
pub fn read_if_exists(path: impl AsRef<Path>) -> io::Result<Option<Vec<u8>>> {
    match read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        bytes => bytes.map(Some),
    }
}

/// The last `limit` bytes of a file, as text.
///
/// # Errors
/// The file cannot be read.
pub fn read_tail(file: &mut File, limit: u64) -> io::Result<String> {
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(limit)))?;
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The content of a regular file, as text.
pub fn read_to_string(path: impl AsRef<Path>) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// The entries of a folder.
pub fn read_dir(folder: &Path) -> io::Result<fs::ReadDir> {
    failpoint::list(folder, Path::new(""))?;
    fs::read_dir(folder)
}

/// Free space of a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreeSpace {
    /// Bytes that the user may still write.
    pub bytes: u64,
    /// Each file takes whole blocks of this size.
    pub block: u64,
}

/// The free space where a folder is, or will be created.
pub fn free_space(folder: &Path) -> io::Result<FreeSpace> {
    let exists = folder.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
    let stat = rustix::fs::statvfs(exists)?;
    let block = stat.f_frsize.max(1);
    Ok(FreeSpace { bytes: stat.f_bavail.saturating_mul(block), block })
}

/// A folder that stays open, so that folders below it are listed by short paths, which the system resolves faster.
#[derive(Debug)]
pub struct OpenFolder {
    path: PathBuf,
    fd: OwnedFd,
}

impl OpenFolder {
    /// Opens a folder.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), fd: open_folder(CWD, path, OFlags::empty())? })
    }

    /// The entries of a folder below this one, which must not be a link. An empty path is this folder. `parent` is the open folder
    /// that contains it.
    pub fn list(&self, below: &Path, parent: Option<&Dir>) -> io::Result<Dir> {
        failpoint::list(&self.path, below)?;
        Ok(Dir::new(match (parent, below.file_name()) {
            (Some(parent), Some(name)) => open_folder(parent.fd()?, Path::new(name), OFlags::NOFOLLOW)?,
            (_, None) => open_folder(&self.fd, Path::new("."), OFlags::NOFOLLOW)?,
            _ => open_folder(&self.fd, below, OFlags::NOFOLLOW)?,
        })?)
    }
}

fn open_folder(at: impl AsFd, path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    openat(at, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | flags, Mode::empty())
}

/// Opens a regular file that exists for appending.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    open_regular(File::options().append(true), path, OFlags::empty())
}

/// Opens a regular file and creates it if it is missing.
pub fn open_or_create(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    open_or_create_with(options, path, OFlags::empty())
}

/// The same, but a link is an error: it could lead the content to any file.
pub fn open_or_create_unfollowed(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    open_or_create_with(options, path, OFlags::NOFOLLOW)
}

fn open_or_create_with(options: &mut OpenOptions, path: &Path, flags: OFlags) -> io::Result<File> {
    if cfg!(debug_assertions) && fs::symlink_metadata(path).is_err() {
        failpoint::reach("create")?;
    }
    open_regular(options.create(true), path, flags)
}

/// Opens a file without waiting for the other end of a pipe, and checks what was opened.
fn open_regular(options: &mut OpenOptions, path: &Path, flags: OFlags) -> io::Result<File> {
    let flags = i32::try_from((flags | OFlags::NONBLOCK).bits()).expect("flags of `open` fit in a C int");
    let not_regular = || io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
    let file = options.custom_flags(flags).open(path).map_err(|error| match fs::metadata(path) {
        // A socket, or a pipe without a reader.
        Ok(meta) if !meta.is_file() && !meta.is_dir() => not_regular(),
        _ => error,
    })?;
    let kind = file.metadata()?.file_type();
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if kind.is_file() { Ok(file) } else { Err(not_regular()) }
}

/// Creates a file that does not exist.
pub fn create_new(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    failpoint::reach("create")?;
    options.create_new(true).open(path)
}

pub fn write_all(file: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    failpoint::reach("write")?;
    file.write_all(bytes)
}

/// Copies everything that is left of `from`.
pub fn copy(from: &mut impl io::Read, to: &mut impl Write) -> io::Result<u64> {
    failpoint::reach("write")?;
    io::copy(from, to)
}

pub fn sync_all(file: &File) -> io::Result<()> {
    failpoint::reach("fsync")?;
    file.sync_all()
}

pub fn set_len(file: &File, length: u64) -> io::Result<()> {
    failpoint::reach("truncate")?;
    file.set_len(length)
}

pub fn set_modified(file: &File, time: SystemTime) -> io::Result<()> {
    failpoint::reach("utime")?;
    file.set_modified(time)
}

pub fn set_permissions(path: &Path, permissions: Permissions) -> io::Result<()> {
    failpoint::reach("chmod")?;
    fs::set_permissions(path, permissions)
}

pub fn set_file_permissions(file: &File, permissions: Permissions) -> io::Result<()> {
    failpoint::reach("chmod")?;
    file.set_permissions(permissions)
}

pub fn create_dir_all(folder: &Path) -> io::Result<()> {
    // One failpoint for each folder that is missing.
    if cfg!(debug_assertions) && !folder.is_dir() {
        let mut missing: Vec<&Path> =
            folder.ancestors().take_while(|above| fs::symlink_metadata(above).is_err()).collect();
        missing.retain(|path| !path.as_os_str().is_empty());
        for path in missing.into_iter().rev() {
            failpoint::reach("mkdir")?;
            match fs::create_dir(path) {
                Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(e),
                _ => {}
            }
        }
    }
    fs::create_dir_all(folder)
}

pub fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    failpoint::reach("symlink")?;
    std::os::unix::fs::symlink(target, link)
}

pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    failpoint::reach("rename")?;
    fs::rename(from, to)
}

/// Renames a file unless the new name is taken.
pub fn rename_noreplace(from: &Path, to: &Path) -> io::Result<()> {
    failpoint::reach("rename")?;
    renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE).map_err(io::Error::from)
}

/// Exchanges two files in one step, so that no version of either is lost.
pub fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    failpoint::reach("rename")?;
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).map_err(io::Error::from)
}

pub fn hard_link(from: &Path, to: &Path) -> io::Result<()> {
    failpoint::reach("link")?;
    fs::hard_link(from, to)
}

pub fn remove_file(path: &Path) -> io::Result<()> {
    failpoint::reach("unlink")?;
    fs::remove_file(path)
}

pub fn remove_dir(folder: &Path) -> io::Result<()> {
    failpoint::reach("rmdir")?;
    fs::remove_dir(folder)
}

pub fn remove_dir_all(folder: &Path) -> io::Result<()> {
    failpoint::reach("rmdir")?;
    fs::remove_dir_all(folder)
}

pub fn temporary_file(builder: &Builder<'_, '_>, folder: &Path) -> io::Result<NamedTempFile> {
    failpoint::reach("create")?;
    builder.tempfile_in(folder)
}

pub fn temporary_dir(builder: &Builder<'_, '_>, folder: &Path) -> io::Result<TempDir> {
    failpoint::reach("mkdir")?;
    builder.tempdir_in(folder)
}

/// Gives a temporary file its final name, replacing what has it.
pub fn persist(temporary: TempPath, to: &Path) -> io::Result<()> {
    failpoint::reach("rename")?;
    temporary.persist(to).map_err(|e| e.error)
}

/// Gives a temporary file its final name unless the name is taken.
pub fn persist_noclobber(temporary: TempPath, to: &Path) -> io::Result<()> {
    failpoint::reach("rename")?;
    temporary.persist_noclobber(to).map_err(|e| e.error)
}

/// A temporary file below a buffer: each call of the buffer is a write of its own.
#[derive(Debug)]
pub struct DirectWriter(pub NamedTempFile);

impl Write for DirectWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        failpoint::reach("write")?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
