//! Reading the files of the memory. Jobs that write them use the strict functions, which refuse links and distinguish a
//! missing file from an empty one.

use crate::{Error, ErrorKind, Workspace};
use canonry_memory::Ruleset;
use canonry_memory::failures::{TAIL_BYTES, log_tail};
use canonry_mirror::MirrorRoot;
use canonry_model::canon::Blob;
use canonry_model::canon::blob::BlobError;
use canonry_repo::apply::log_file::with_missing;
use canonry_repo::apply::pending_log::PendingLog;
use canonry_repo::view::load::{DOCUMENT_LIMIT, LOG_LIMIT};
use canonry_repo::view::log::{LogRead, read_log};
use canonry_repo::view::{PathKind, View, leads_inside};
use canonry_text::RepoPath;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// A document as text, without a byte order mark and with `\n` line endings; empty if it does not exist.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if it exists and cannot be read.
pub fn read_document(view: &View, path: &RepoPath) -> Result<String, Error> {
    let text = read_or_empty(view, path, DOCUMENT_LIMIT)?;
    let text = String::from_utf8_lossy(&text);
    Ok(text.trim_start_matches('\u{feff}').replace("\r\n", "\n"))
}

/// The content of a file; empty if it does not exist.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if it exists and cannot be read.
pub fn read_or_empty(view: &View, path: &RepoPath, limit: u64) -> Result<Vec<u8>, Error> {
    if view.kind(path) == PathKind::Folder {
        return Err(unreadable(path, &BlobError::NotAFile.to_string()));
    }
    if leaves_repository(view, path) {
        return Err(unreadable(path, "a directory above it is a link that leads out of the repository"));
    }
    match view.read(path, limit) {
        Blob::Bytes(bytes) => Ok(bytes),
        Blob::Missing(BlobError::Absent) => Ok(Vec::new()),
        Blob::Missing(error) => Err(unreadable(path, &error.to_string())),
    }
}

/// Whether a folder above a file is a link that leads out of the repository. Agents read these files, and a repository may
/// come from anyone.
fn leaves_repository(view: &View, path: &RepoPath) -> bool {
    let folder = view.on_disk(path).and_then(|at| at.parent().map(Path::to_owned));
    folder.is_some_and(|folder| !leads_inside(&folder, |real| view.inside(real)))
}

/// The content of a memory file; `None` if it does not exist.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if it exists and cannot be read.
pub fn read_optional(workspace: &Workspace, path: &RepoPath) -> Result<Option<Vec<u8>>, Error> {
    match workspace.view.read(path, DOCUMENT_LIMIT) {
        Blob::Bytes(bytes) => Ok(Some(bytes)),
        Blob::Missing(BlobError::Absent) => Ok(None),
        Blob::Missing(error) => Err(unreadable(path, &error.to_string())),
    }
}

/// The text of a file; `None` if it does not exist.
///
/// # Errors
/// It cannot be read, or is not UTF-8.
pub fn read_text(workspace: &Workspace, path: &RepoPath) -> Result<Option<String>, Error> {
    let bytes = read_optional(workspace, path)?;
    bytes.map(String::from_utf8).transpose().map_err(|_| {
        Error::new(ErrorKind::Unreadable, format!("{path} is not valid UTF-8")).help("save the file as UTF-8")
    })
}

/// Refuses a path whose change would end up elsewhere.
///
/// # Errors
/// The path or a folder above it is a link, or the path is not a file.
pub fn require_file(workspace: &Workspace, path: &RepoPath) -> Result<(), Error> {
    let view = &workspace.view;
    let is_file = matches!(view.kind(path), PathKind::File | PathKind::Nothing) && view.link_text(path).is_none();
    if view.root(&path.parent().unwrap_or_default()) == MirrorRoot::Folder && is_file {
        return Ok(());
    }
    let message = format!("{path} is a link or below one, or not a file");
    Err(Error::new(ErrorKind::Refused, message).help("replace it with a file"))
}

/// The rows of the log or of a snapshot; `None` if the file does not exist.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if it exists and cannot be read.
pub fn read_rows(workspace: &Workspace, path: &RepoPath, ruleset: Ruleset) -> Result<Option<LogRead>, Error> {
    let Some(on_disk) = workspace.view.on_disk(path) else { return Ok(None) };
    read_log(&on_disk, ruleset).map_err(|error| unreadable(path, &format!("cannot read the log: {error}")))
}

/// The rows of the log as it is once the pending rows are in it; `None` if it does not exist and no row is pending.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if one of them exists and cannot be read.
pub fn read_all_rows(workspace: &Workspace, ruleset: Ruleset) -> Result<Option<LogRead>, Error> {
    let pending = workspace.pending_log().map(|pending| read_pending(&pending)).transpose()?.unwrap_or_default();
    if pending.is_empty() {
        return read_rows(workspace, &workspace.layout.log(), ruleset);
    }
    let bytes = with_missing(read_or_empty(&workspace.view, &workspace.layout.log(), u64::MAX)?, &pending);
    Ok(Some(LogRead::parse(bytes, ruleset)))
}

/// The bytes of the log as it is once the pending rows are in it.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if one of them exists and cannot be read.
pub fn read_whole_log(view: &View, log: &RepoPath, pending: Option<&PendingLog>) -> Result<Vec<u8>, Error> {
    let bytes = read_or_empty(view, log, LOG_LIMIT)?;
    let pending = pending.map(read_pending).transpose()?.unwrap_or_default();
    Ok(with_missing(bytes, &pending))
}

fn read_pending(pending: &PendingLog) -> Result<Vec<u8>, Error> {
    let file = pending.file();
    let read = read_tail(file, LOG_LIMIT);
    read.map_err(|error| Error::new(ErrorKind::Unreadable, format!("{}: cannot be read: {error}", file.display())))
}

/// The text of `LESSONS.md`, unchanged; `None` if it does not exist.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if it exists and cannot be read or is not UTF-8.
pub fn read_lessons(workspace: &Workspace) -> Result<Option<String>, Error> {
    let path = workspace.layout.lessons();
    let Some(bytes) = read_optional(workspace, &path)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let line = 1 + e.as_bytes()[..at].iter().filter(|b| **b == b'\n').count();
        Error::new(ErrorKind::Unreadable, format!("{path}:{line}: the lessons are not valid UTF-8"))
            .help("save the file as UTF-8, then run this again")
    })
}

fn unreadable(path: &RepoPath, reason: &str) -> Error {
    Error::new(ErrorKind::Unreadable, format!("{path}: {reason}")).help("fix this, then run the command again")
}

/// The complete rows at the end of the log on disk, and then of the pending log, as many as are searched for failures. A log that
/// cannot be read or is a link has none.
pub fn read_log_tail(view: &View, log: &RepoPath, pending: Option<&PendingLog>) -> Vec<u8> {
    let at = view.on_disk(log).filter(|_| !leaves_repository(view, log) && view.link_text(log).is_none());
    let tail = |file: &Path| read_tail(file, TAIL_BYTES as u64).unwrap_or_default();
    let logged = at.map(|at| tail(&at)).unwrap_or_default();
    let mut bytes = with_missing(logged, &pending.map(|pending| tail(pending.file())).unwrap_or_default());
    let cut = bytes.len() - log_tail(&bytes, TAIL_BYTES).len();
    bytes.drain(..cut);
    bytes
}

/// The complete rows among the last `limit` bytes of a file; none if it does not exist.
fn read_tail(file: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut file = match canonry_repo::fs::open(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(bytes),
        file => file?,
    };
    let length = file.metadata()?.len();
    // One more byte shows whether the first row is complete.
    file.seek(SeekFrom::Start(length.saturating_sub(limit + 1)))?;
    file.take(length.min(limit + 1)).read_to_end(&mut bytes)?;
    let cut = bytes.len() - log_tail(&bytes, usize::try_from(limit).unwrap_or(usize::MAX)).len();
    bytes.drain(..cut);
    Ok(bytes)
}

/// Refuses a log that is a link, or is below one: rows would go elsewhere.
///
/// # Errors
/// [`ErrorKind::Unreadable`].
pub fn refuse_linked_log(workspace: &Workspace) -> Result<(), Error> {
    let log = workspace.layout.log();
    let folder = log.parent().unwrap_or_default();
    if workspace.view.root(&folder) == MirrorRoot::Folder && workspace.view.link_text(&log).is_none() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Unreadable, format!("{log}: the log, or a directory above it, is a link"))
        .help("replace the link with the real file or directory"))
}

/// Refuses links in place of memory files and folders: the target may belong to someone else, and a rename would replace the
/// link.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if there is a link, or a file instead of a folder.
pub fn refuse_links(workspace: &Workspace) -> Result<(), Error> {
    let refused = |path: &RepoPath, what: &str, help: &str| {
        Err(Error::new(ErrorKind::Unreadable, format!("{path}: {what}")).help(help))
    };
    let layout = &workspace.layout;
    let files = [
        layout.log(),
        layout.lessons(),
        layout.review(),
        layout.retired_lessons(),
        layout.workspace(),
        layout.active_plan(),
        layout.quarantine(),
    ];
    let folders = files.iter().filter_map(RepoPath::parent).chain([layout.snapshots()]);
    for folder in folders {
        match workspace.view.root(&folder) {
            MirrorRoot::Folder => {}
            MirrorRoot::Submodule(path) => {
                return refused(
                    &path,
                    "is a submodule or another repository",
                    "choose another directory with `root:` in canonry.yaml",
                );
            }
            MirrorRoot::NotAFolder(path) => return refused(&path, "is not a directory", "move it away"),
            MirrorRoot::LinkInside(_) | MirrorRoot::LinkOutside(_) => {
                return refused(&folder, "is a link, or is below one", "replace the link with a directory");
            }
        }
    }
    match files.iter().find(|file| workspace.view.link_text(file).is_some()) {
        Some(link) => refused(link, "is a link", "replace the link with the file it points to"),
        None => Ok(()),
    }
}

/// The folders in which a log transaction writes temporary files.
pub fn staging_folders(workspace: &Workspace) -> Vec<RepoPath> {
    let layout = &workspace.layout;
    let files = [layout.log(), layout.lessons(), layout.workspace(), layout.retired_lessons()];
    files.iter().filter_map(RepoPath::parent).chain([layout.snapshots()]).collect()
}
