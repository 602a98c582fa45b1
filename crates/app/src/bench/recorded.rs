//! Recorded outputs of tools: `<benchmark>/<owner>.<number>.<extension>` below a folder.

use crate::{Error, ErrorKind, RepoPath, Workspace};
use canonry_model::canon::Blob;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_repo::view::{IgnoreMode, PathKind, View};
use gix::bstr::ByteSlice;
use std::collections::BTreeMap;
use std::path::Path;

/// The recorded outputs in a folder.
pub(super) struct Recordings<'a> {
    view: &'a View,
    /// By benchmark, owner and number.
    files: BTreeMap<(String, String, u32), RepoPath>,
}

impl<'a> Recordings<'a> {
    /// Lists the recordings in a folder of the repository.
    ///
    /// # Errors
    /// There is no such folder.
    pub fn load(workspace: &'a Workspace, folder: &Path) -> Result<Self, Error> {
        let view = &workspace.view;
        let root = workspace.inside(folder)?;
        if view.kind(&root) != PathKind::Folder {
            let message = format!("there is no folder {}", folder.display());
            return Err(Error::new(ErrorKind::Unreadable, message));
        }
        let listing = view.list(&root, IgnoreMode::Include)?;
        let files =
            listing.files.into_iter().filter_map(|file| Some((name(&file.entry.path, &root)?, file.entry.path)));
        Ok(Self { view, files: files.collect() })
    }

    /// The owners with outputs for a benchmark, by name.
    pub fn owners(&self, benchmark: &str) -> Vec<String> {
        let mut owners: Vec<String> =
            self.files.keys().filter(|(of, _, _)| of == benchmark).map(|(_, owner, _)| owner.clone()).collect();
        owners.dedup();
        owners
    }

    /// The outputs of an owner for a benchmark, by number.
    ///
    /// # Errors
    /// An output cannot be read.
    pub fn outputs(&self, benchmark: &str, owner: &str) -> Result<BTreeMap<u32, String>, Error> {
        let wanted = self.files.iter().filter(|((of, by, _), _)| of == benchmark && by == owner);
        wanted.map(|((_, _, number), path)| Ok((*number, self.read(path)?))).collect()
    }

    fn read(&self, path: &RepoPath) -> Result<String, Error> {
        match self.view.read(path, DOCUMENT_LIMIT) {
            Blob::Bytes(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Blob::Missing(reason) => {
                let message = format!("cannot read the recorded output {}: {reason}", self.view.full(path));
                Err(Error::new(ErrorKind::Unreadable, message))
            }
        }
    }
}

/// The benchmark, the owner and the number of a recording.
fn name(path: &RepoPath, root: &RepoPath) -> Option<(String, String, u32)> {
    let mut parts = path.below(root)?.split_str("/");
    let benchmark = parts.next()?;
    let file = parts.next()?;
    if parts.next().is_some() {
        return None;
    }
    let (stem, _) = file.to_str().ok()?.rsplit_once('.')?;
    let (owner, number) = stem.rsplit_once('.')?;
    Some((benchmark.to_str().ok()?.to_owned(), owner.to_owned(), number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_three_parts() {
        let root = RepoPath::from("r");
        for (path, want) in [
            ("r/login/claude.1.md", Some(("login", "claude", 1))),
            ("r/login/gpt-5.1.12.json", Some(("login", "gpt-5.1", 12))),
            ("r/login/claude.md", None),
            ("r/login/claude.x.md", None),
            ("r/claude.1.md", None),
            ("r/login/more/claude.1.md", None),
        ] {
            let want = want.map(|(benchmark, owner, number)| (benchmark.to_owned(), owner.to_owned(), number));
            assert_eq!(name(&RepoPath::from(path), &root), want, "{path}");
        }
    }
}
