//! The texts of the memory that are recalled from.

use crate::app::Workspace;
use crate::app::{Error, ErrorKind};
use crate::canon::Blob;
use crate::canon::blob::BlobError;
use crate::memory::recall::Sources;
use crate::syntax::RepoPath;
use crate::view::load::{DOCUMENT_LIMIT, LOG_LIMIT};
use crate::view::{IgnoreMode, PathKind};

/// Whether the snapshots are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Snapshots {
    /// They are.
    Read,
    /// They are not.
    LeftOut,
}

/// The texts.
pub struct Remembered {
    /// The lessons.
    lessons: String,
    logs: Vec<Vec<u8>>,
}

impl Remembered {
    /// Reads them; what is not there holds nothing.
    ///
    /// # Errors
    /// A file that is there and cannot be read.
    pub fn read(context: &Workspace, snapshots: Snapshots) -> Result<Self, Error> {
        let layout = &context.layout;
        let mut logs = vec![layout.log()];
        if snapshots == Snapshots::Read {
            let files = context.view.list(&layout.snapshots(), IgnoreMode::Exclude)?.files;
            let paths = files.into_iter().map(|file| file.entry.path);
            logs.extend(paths.filter(|path| path.as_bstr().ends_with(b".jsonl")));
        }
        let logs = logs.iter().map(|path| bytes(context, path, LOG_LIMIT)).collect::<Result<_, _>>()?;
        Ok(Self { lessons: document(context, &layout.lessons())?, logs })
    }

    /// All of them.
    pub fn sources(&self) -> Sources<'_> {
        Sources { lessons: &self.lessons, logs: self.logs.iter().map(Vec::as_slice).collect() }
    }
}

/// A document of the canon as text; empty where there is none.
///
/// # Errors
/// It is there and cannot be read.
pub fn document(context: &Workspace, path: &RepoPath) -> Result<String, Error> {
    let bytes = bytes(context, path, DOCUMENT_LIMIT)?;
    Ok(plain(&bytes))
}

/// Bytes as text, without what only editors and systems see.
pub fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.trim_start_matches('\u{feff}').replace("\r\n", "\n")
}

/// The log; empty where there is none.
///
/// # Errors
/// It is there and cannot be read.
pub fn log(context: &Workspace) -> Result<Vec<u8>, Error> {
    bytes(context, &context.layout.log(), LOG_LIMIT)
}

fn bytes(context: &Workspace, path: &RepoPath, limit: u64) -> Result<Vec<u8>, Error> {
    let unreadable =
        |why: String| Error::new(ErrorKind::Unreadable, format!("{path}: {why}")).help("mend that and run this again");
    if context.view.kind(path) == PathKind::Folder {
        return Err(unreadable(BlobError::NotAFile.to_string()));
    }
    match context.view.read(path, limit) {
        Blob::Bytes(bytes) => Ok(bytes),
        Blob::Missing(BlobError::Absent) => Ok(Vec::new()),
        Blob::Missing(missing) => Err(unreadable(missing.to_string())),
    }
}
