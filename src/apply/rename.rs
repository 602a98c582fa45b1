//! Giving files other names.

use super::write::Writer;
use super::{Applied, ApplyError};
use crate::edit::Edit;
use crate::fs as writes;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

impl Writer<'_> {
    /// After all that is written, so that a file is renamed with what it shall hold. One rename each: a run that is cut
    /// off leaves each file under one of its names.
    pub fn rename(&self, edits: &[Edit], applied: &mut Applied) -> Result<(), ApplyError> {
        let mut probe = self.view.probe();
        for edit in edits {
            let Edit::Rename { path, to, was } = edit else { continue };
            self.go_on()?;
            let is_as_it_was = probe.state(path) == Some(*was);
            let (from, new) = (self.on_disk(path)?, self.on_disk(to)?);
            let done = if is_as_it_was { rename(&from, &new) } else { Ok(false) };
            match done.map_err(ApplyError::io(path, "cannot be renamed"))? {
                true => applied.renamed.push((path.clone(), to.clone())),
                false => applied.conflicts.push(path.clone()),
            }
        }
        Ok(())
    }
}

/// Renames a file; `false` where another one has the name.
fn rename(from: &Path, to: &Path) -> io::Result<bool> {
    // Where the file system ignores case, the new spelling names the file already.
    if is_same(from, to)? {
        return writes::rename(from, to).map(|()| true);
    }
    match writes::rename_noreplace(from, to) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(false),
        // A file system without this: all that is left is to look first.
        Err(e) if matches!(e.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
            match fs::symlink_metadata(to) {
                Ok(_) => Ok(false),
                Err(e) if e.kind() == ErrorKind::NotFound => writes::rename(from, to).map(|()| true),
                Err(e) => Err(e),
            }
        }
        Err(e) => Err(e),
    }
}

fn is_same(one: &Path, other: &Path) -> io::Result<bool> {
    let one = fs::symlink_metadata(one)?;
    match fs::symlink_metadata(other) {
        Ok(other) => Ok((one.dev(), one.ino()) == (other.dev(), other.ino())),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_taken_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "mine").unwrap();
        assert!(rename(&at("a"), &at("b")).unwrap());
        fs::write(at("c"), "theirs").unwrap();
        assert!(!rename(&at("b"), &at("c")).unwrap());
        let texts = ["b", "c"].map(|name| fs::read_to_string(at(name)).unwrap());
        assert_eq!((at("a").exists(), texts), (false, ["mine".to_owned(), "theirs".to_owned()]));
    }

    /// Two names of one file are what a file system that ignores case shows.
    #[test]
    fn another_name_of_the_same_file_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "mine").unwrap();
        fs::hard_link(at("a"), at("b")).unwrap();
        assert!(rename(&at("a"), &at("b")).unwrap());
        assert_eq!(fs::read_to_string(at("b")).unwrap(), "mine");
    }
}
