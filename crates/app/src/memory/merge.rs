//! Merges a file of the memory for git's merge driver.

use crate::{Environment, Error, ErrorKind, Progress};
use canonry_memory::merge::{MergeFileKind, MergeInput};
use canonry_repo::apply::standalone_file::{self, PathContent, Use};
use std::path::{Path, PathBuf};

/// The files of a merge. Relative paths start from the environment's current folder.
#[derive(Clone, Debug)]
pub struct MergeMemoryRequest {
    /// The common ancestor.
    pub base: PathBuf,
    /// Our version; replaced by the result.
    pub ours: PathBuf,
    /// Their version.
    pub theirs: PathBuf,
    /// The path in the repository, which determines the kind of the file.
    pub path: String,
}

/// The result of the merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedMemory {
    /// The path in the repository.
    pub path: String,
    /// The number of conflicts, which are marked in the file.
    pub conflicts: usize,
}

/// Merges the versions and writes the result over ours.
///
/// # Errors
/// [`ErrorKind::Usage`] if the path is not a file of the memory; [`ErrorKind::Unreadable`] if a version does not exist;
/// [`ErrorKind::Internal`] if the result cannot be written.
pub fn run(env: &Environment, request: &MergeMemoryRequest, _progress: &dyn Progress) -> Result<MergedMemory, Error> {
    let Some(kind) = MergeFileKind::from_path(&request.path) else {
        return Err(Error::new(ErrorKind::Usage, format!("{}: not a memory file", request.path))
            .help("expected a log or snapshot (.jsonl), the quarantine (.txt), or lessons (.md)"));
    };
    let ours = env.cwd.join(&request.ours);
    let [base, our, their] =
        [&env.cwd.join(&request.base), &ours, &env.cwd.join(&request.theirs)].map(|path| read(path));
    let merged = kind.merge(&MergeInput { base: &base?, ours: &our?, theirs: &their? });
    standalone_file::replace(&ours, &merged.bytes, Use::Text)?;
    Ok(MergedMemory { path: request.path.clone(), conflicts: merged.conflicts })
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    match standalone_file::read_path(path)? {
        PathContent::File { bytes, .. } => Ok(bytes),
        _ => Err(Error::new(ErrorKind::Unreadable, format!("{}: no such file", path.display()))
            .help("git runs this command with temporary files; you do not need to run it yourself")),
    }
}
