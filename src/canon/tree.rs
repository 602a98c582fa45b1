//! The id that git gives to a folder.

use crate::syntax::RepoPath;
use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};
use gix::hash::Kind;
use std::collections::BTreeMap;
use std::fmt;

/// An item of a folder: a file, or a folder of files.
enum TreeItem<'a> {
    File(FileState),
    Folder(Vec<(&'a BStr, FileState)>),
}

/// The tree id of a folder by its files, each named by its path below it. The same content gives the same id wherever the
/// folder lies; git has a tree of that id once the files are committed.
pub fn tree_id(files: &[(&BStr, FileState)], hash: Kind) -> ObjectId {
    let mut items: BTreeMap<Vec<u8>, TreeItem<'_>> = BTreeMap::new();
    for (path, state) in files {
        match path.split_once_str("/") {
            None => drop(items.insert(path.to_vec(), TreeItem::File(*state))),
            Some((folder, below)) => {
                // Git sorts a folder as if its name ended in a slash.
                let key = [folder, b"/"].concat();
                let item = items.entry(key).or_insert_with(|| TreeItem::Folder(Vec::new()));
                if let TreeItem::Folder(files) = item {
                    files.push((below.as_bstr(), *state));
                }
            }
        }
    }
    let mut text: Vec<u8> = Vec::new();
    for (name, item) in items {
        let (mode, id) = match item {
            TreeItem::File(FileState { id, mode }) => (mode.as_octal(), id),
            TreeItem::Folder(files) => ("40000", tree_id(&files, hash)),
        };
        let name = name.strip_suffix(b"/").unwrap_or(&name);
        text.extend([mode.as_bytes(), b" ", name, b"\0", id.as_bytes()].concat());
    }
    // An id that nothing has, where git cannot name the content, which it can of any.
    gix::objs::compute_hash(hash, gix::objs::Kind::Tree, &text).unwrap_or_else(|_| ObjectId::null(hash))
}

/// What kind of entry a path is, as git stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileMode {
    /// `100644`
    File,
    /// `100755`
    Executable,
    /// `120000`: a symbolic link; its blob is the target's text.
    Link,
    /// `160000`: a commit of another repository.
    Submodule,
}

impl FileMode {
    /// As git prints it.
    pub fn as_octal(self) -> &'static str {
        match self {
            FileMode::File => "100644",
            FileMode::Executable => "100755",
            FileMode::Link => "120000",
            FileMode::Submodule => "160000",
        }
    }

    /// From git's print.
    pub fn from_octal(text: &[u8]) -> Option<Self> {
        Some(match text {
            b"100644" => FileMode::File,
            b"100755" => FileMode::Executable,
            b"120000" => FileMode::Link,
            b"160000" => FileMode::Submodule,
            _ => return None,
        })
    }

    /// Whether it holds a file's content.
    pub fn is_file(self) -> bool {
        matches!(self, FileMode::File | FileMode::Executable)
    }
}

impl fmt::Display for FileMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_octal())
    }
}

/// A path and its kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TreeEntry {
    /// Where.
    pub path: RepoPath,
    /// What kind.
    pub mode: FileMode,
}

/// What stands at a path: the id git gives to its content after the clean filters, and its mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    /// The blob's id.
    pub id: ObjectId,
    /// The mode.
    pub mode: FileMode,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(text: &str, mode: FileMode) -> FileState {
        FileState { id: gix::objs::compute_hash(Kind::Sha1, gix::objs::Kind::Blob, text.as_bytes()).unwrap(), mode }
    }

    #[test]
    fn ids_are_those_of_git() {
        assert_eq!(tree_id(&[], Kind::Sha1), ObjectId::empty_tree(Kind::Sha1));
        // `git mktree` of the same: `a-b`, the folder `a` and the file `a.c` sort as git has them.
        let files: Vec<(&BStr, FileState)> = vec![
            ("a-b".into(), state("1\n", FileMode::File)),
            ("a.c".into(), state("2\n", FileMode::Executable)),
            ("a/x/y".into(), state("3\n", FileMode::File)),
            ("a/z".into(), state("x/y", FileMode::Link)),
        ];
        assert_eq!(tree_id(&files, Kind::Sha1).to_string(), "2bc398fa220a78397c67f0193c20be9b11dd2227");
    }
}
