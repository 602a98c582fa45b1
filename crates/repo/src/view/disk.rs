//! Files on the plain disk. Opening a git repository would take longer than a hook's whole answer.

use canonry_model::canon::blob::BlobError;
use canonry_model::canon::file_source::Identity;
use canonry_model::canon::io_diagnosis::IoDiagnosis;
use canonry_model::canon::{
    Blob, FileMode, FileSource, IgnoreMode, ListedFile, Listing, PathKind, SourceError, TreeEntry,
};
use canonry_text::RepoPath;
use gix::bstr::{BStr, BString};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use walkdir::WalkDir;

/// A folder on disk, read without git. It knows no ignore rules and applies no filters.
#[derive(Clone, Debug)]
pub struct DiskSource {
    top: PathBuf,
    /// The same folder without links in its path, resolved when a link is followed.
    real: OnceLock<PathBuf>,
}

impl DiskSource {
    /// The folder at `top`.
    pub fn new(top: impl Into<PathBuf>) -> Self {
        Self { top: top.into(), real: OnceLock::new() }
    }

    /// Whether the folder of a path is really in this folder, also if a link leads there.
    pub fn is_inside(&self, path: &RepoPath) -> bool {
        let Some(folder) = self.path_on_disk(path).and_then(|at| at.parent().map(Path::to_owned)) else { return true };
        leads_inside(&folder, |real| self.path_of(real))
    }
}

impl FileSource for DiskSource {
    fn list(&self, folder: &RepoPath, _ignored: IgnoreMode) -> Result<Listing, SourceError> {
        let mut listing = Listing::default();
        let Some(top) = self.path_on_disk(folder) else { return Ok(listing) };
        let entries = WalkDir::new(top).follow_root_links(false).into_iter().filter_entry(|e| e.file_name() != ".git");
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    if error.io_error().is_none_or(|error| error.kind() != ErrorKind::NotFound) {
                        let path = error.path().and_then(|path| path_below(&self.top, path)).unwrap_or_default();
                        listing.unreadable.push((path, walk_error(&error)));
                    }
                    continue;
                }
            };
            let Some(path) = path_below(&self.top, entry.path()) else { continue };
            let mode = match entry.file_type() {
                kind if kind.is_dir() => continue,
                kind if kind.is_symlink() => FileMode::Link,
                kind if kind.is_file() => match entry.metadata() {
                    Ok(meta) if is_executable(&meta) => FileMode::Executable,
                    _ => FileMode::File,
                },
                _ => {
                    listing.odd.push(path);
                    continue;
                }
            };
            listing.files.push(ListedFile { entry: TreeEntry { path, mode }, identity: Identity::Unknown });
        }
        listing.files.sort_unstable_by(|a, b| a.entry.path.cmp(&b.entry.path));
        listing.odd.sort();
        Ok(listing)
    }

    fn read(&self, path: &RepoPath, limit: u64) -> Blob {
        let Some(at) = self.path_on_disk(path) else { return Blob::Missing(BlobError::Absent) };
        if !self.is_inside(path) {
            return Blob::Missing(BlobError::Outside { target: "a directory above it".to_owned() });
        }
        read(&at, limit, |real| self.path_of(real).is_some_and(|path| !is_of_git(&path)))
            .map_or_else(Blob::Missing, Blob::Bytes)
    }

    fn kind(&self, path: &RepoPath) -> PathKind {
        self.path_on_disk(path).map_or(PathKind::Nothing, |at| kind(&at))
    }

    #[cfg(not(unix))]
    fn mode(&self, _path: &RepoPath) -> Option<FileMode> {
        None
    }

    fn link_text(&self, path: &RepoPath) -> Option<BString> {
        link_text(&self.path_on_disk(path)?)
    }

    fn folders(&self, folder: &RepoPath) -> Vec<String> {
        self.path_on_disk(folder).map(|at| folders(&at)).unwrap_or_default()
    }

    fn resolve_link(&self, link: &RepoPath, text: &BStr) -> Option<RepoPath> {
        match self.path_on_disk(link).and_then(|path| std::fs::canonicalize(path).ok()) {
            Some(real) => self.path_of(&real),
            None => link.resolve_beside(text),
        }
    }

    fn path_on_disk(&self, path: &RepoPath) -> Option<PathBuf> {
        join(&self.top, path)
    }

    fn path_of(&self, absolute: &Path) -> Option<RepoPath> {
        let real = self.real.get_or_init(|| std::fs::canonicalize(&self.top).unwrap_or_else(|_| self.top.clone()));
        path_below(real, absolute)
    }
}

/// Whether a folder is really in the repository, and not in git's own folder; true if it does not exist.
pub fn leads_inside(folder: &Path, path_of: impl Fn(&Path) -> Option<RepoPath>) -> bool {
    match std::fs::canonicalize(folder) {
        Ok(real) => path_of(&real).is_some_and(|path| !is_of_git(&path)),
        Err(_) => true,
    }
}

/// Whether a path is in git's own folder, whose files may contain credentials.
pub(super) fn is_of_git(path: &RepoPath) -> bool {
    path.components().any(|part| part.eq_ignore_ascii_case(b".git"))
}

/// Where a path is below a folder on disk; `None` for a name that the file system cannot have.
pub(super) fn join(top: &Path, path: &RepoPath) -> Option<PathBuf> {
    gix::path::from_bstr(path.as_bstr()).ok().map(|path| top.join(path))
}

/// The path of `absolute` below `top`; `None` if it is not below it.
pub(super) fn path_below(top: &Path, absolute: &Path) -> Option<RepoPath> {
    let bytes = gix::path::into_bstr(absolute.strip_prefix(top).ok()?).ok()?;
    Some(RepoPath::new(gix::path::to_unix_separators_on_windows(bytes).as_ref()))
}

pub(super) fn kind(at: &Path) -> PathKind {
    match std::fs::symlink_metadata(at) {
        Err(_) => PathKind::Nothing,
        Ok(meta) if meta.is_dir() => PathKind::Folder,
        Ok(_) => PathKind::File,
    }
}

pub(super) fn link_text(at: &Path) -> Option<BString> {
    let target = std::fs::read_link(at).ok()?;
    gix::path::into_bstr(target).ok().map(|text| text.into_owned())
}

/// The folders in a folder; none if it cannot be listed, as in a shell.
pub(super) fn folders(at: &Path) -> Vec<String> {
    let entries = crate::fs::read_dir(at).ok().into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let names: BTreeSet<String> = folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.into_iter().collect()
}

pub(super) fn walk_error(error: &walkdir::Error) -> IoDiagnosis {
    error.io_error().map_or_else(|| IoDiagnosis::from_message(error), IoDiagnosis::from)
}

#[cfg(unix)]
fn is_executable(meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_meta: &std::fs::Metadata) -> bool {
    false
}

/// Reads a file up to `limit` bytes. Follows a link only if `is_inside` accepts the real path of its target.
pub(super) fn read(at: &Path, limit: u64, is_inside: impl Fn(&Path) -> bool) -> Result<Vec<u8>, BlobError> {
    match open_unfollowed(at) {
        Ok(file) => read_open(file, limit, None),
        Err(error) => read_special(at, &error, limit, is_inside),
    }
}

/// Handles what [`open_unfollowed`] cannot open, above all links. Most paths are files, so this is the slow path.
fn read_special(
    at: &Path,
    error: &io::Error,
    limit: u64,
    is_inside: impl Fn(&Path) -> bool,
) -> Result<Vec<u8>, BlobError> {
    let meta = std::fs::symlink_metadata(at).map_err(|e| missing(&e, None))?;
    if !meta.is_symlink() {
        return Err(if meta.is_file() { missing(error, None) } else { BlobError::NotAFile });
    }
    let target = std::fs::read_link(at).unwrap_or_default().to_string_lossy().into_owned();
    let real = std::fs::canonicalize(at).map_err(|e| missing(&e, Some(&target)))?;
    if !is_inside(&real) {
        return Err(BlobError::Outside { target });
    }
    let file = open_unfollowed(&real).map_err(|e| missing(&e, Some(&target)))?;
    read_open(file, limit, Some(&target))
}

/// Opens a file but no link, and does not wait for a pipe that has no writer.
#[cfg(unix)]
fn open_unfollowed(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open_unfollowed(path: &Path) -> io::Result<File> {
    if std::fs::symlink_metadata(path)?.is_file() { File::open(path) } else { Err(ErrorKind::Unsupported.into()) }
}

/// One `fstat` and, for a file whose size it reports correctly, one `read`. Both use the open file, so nothing can be
/// replaced in between.
fn read_open(mut file: File, limit: u64, target: Option<&str>) -> Result<Vec<u8>, BlobError> {
    let meta = file.metadata().map_err(|e| missing(&e, target))?;
    if !meta.is_file() {
        return Err(BlobError::NotAFile);
    }
    let size = usize::try_from(meta.len()).ok().filter(|_| meta.len() <= limit);
    let size = size.ok_or(BlobError::TooLarge { size: meta.len(), limit })?;
    // One extra byte, so that a read of exactly `size` bytes proves the end of the file.
    let mut bytes = vec![0; size + 1];
    let first = file.read(&mut bytes).map_err(|e| missing(&e, target))?;
    bytes.truncate(first);
    if first == size {
        return Ok(bytes);
    }
    let left = limit.saturating_add(1).saturating_sub(first as u64);
    file.take(left).read_to_end(&mut bytes).map_err(|e| missing(&e, target))?;
    if bytes.len() as u64 > limit {
        return Err(BlobError::TooLarge { size: bytes.len() as u64, limit });
    }
    Ok(bytes)
}

fn missing(error: &io::Error, target: Option<&str>) -> BlobError {
    match (error.kind(), target) {
        (ErrorKind::NotFound | ErrorKind::NotADirectory, None) => BlobError::Absent,
        (ErrorKind::NotFound, Some(target)) => BlobError::Dangling { target: target.to_owned() },
        (_, Some(target)) if is_link_loop(error) => BlobError::Loop { target: target.to_owned() },
        _ => BlobError::Refused { reason: IoDiagnosis::from(error) },
    }
}

/// `ELOOP` on Linux (40), macOS and the BSDs (62). The standard library has no stable name for it.
fn is_link_loop(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(40 | 62))
}
