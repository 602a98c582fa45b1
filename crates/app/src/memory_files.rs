//! Reading the files of the memory. Jobs that write them use the strict functions, which refuse links and distinguish a
//! missing file from an empty one.

use crate::{Error, ErrorKind, Workspace};
use canonry_memory::Ruleset;
use canonry_memory::failures::{TAIL_BYTES, log_tail};
use canonry_mirror::MirrorRoot;
use canonry_model::canon::Blob;
use canonry_model::canon::blob::BlobError;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_repo::view::log::{LogRead, read_log};
use canonry_repo::view::{PathKind, View, leads_inside};
use canonry_text::RepoPath;
use std::io::{Read as _, Seek as _, SeekFrom};
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

/// The rows of the log or of a snapshot; `None` if the file does not exist.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if it exists and cannot be read.
pub fn read_rows(workspace: &Workspace, path: &RepoPath, ruleset: Ruleset) -> Result<Option<LogRead>, Error> {
    let Some(on_disk) = workspace.view.on_disk(path) else { return Ok(None) };
    read_log(&on_disk, ruleset).map_err(|error| unreadable(path, &format!("cannot read the log: {error}")))
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

/// The complete rows at the end of the log on disk, as many as are searched for failures; empty if the log cannot be read or is a
/// link.
pub fn read_log_tail(view: &View, log: &RepoPath) -> Vec<u8> {
    let mut bytes = Vec::new();
    let Some(at) = view.on_disk(log).filter(|_| !leaves_repository(view, log) && view.link_text(log).is_none()) else {
        return bytes;
    };
    let Ok(mut file) = canonry_repo::fs::open(at) else { return bytes };
    let length = file.metadata().map_or(0, |meta| if meta.is_file() { meta.len() } else { 0 });
    // One more byte shows whether the first row is complete.
    let limit = TAIL_BYTES as u64 + 1;
    let _ = file.seek(SeekFrom::Start(length.saturating_sub(limit)));
    let _ = file.take(length.min(limit)).read_to_end(&mut bytes);
    let cut = bytes.len() - log_tail(&bytes, TAIL_BYTES).len();
    bytes.drain(..cut);
    bytes
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
