//! Tree entries in git's terms, and the ids of trees.

use bstr::{BStr, ByteSlice};
use canonry_text::RepoPath;
use gix_hash::Kind;
use gix_hash::ObjectId;
use gix_object::tree::EntryKind;
use std::collections::BTreeMap;
use std::fmt;

enum TreeItem<'a> {
    File(FileState),
    Folder(Vec<(&'a BStr, FileState)>),
}

/// Computes git's tree id of a folder from its files, given by their paths below it. The id depends only on the
/// content.
pub fn tree_id(files: &[(&BStr, FileState)], hash: Kind) -> ObjectId {
    let mut items: BTreeMap<Vec<u8>, TreeItem<'_>> = BTreeMap::new();
    for (path, state) in files {
        match path.split_once_str("/") {
            None => drop(items.insert(path.to_vec(), TreeItem::File(*state))),
            Some((folder, below)) => {
                // Git sorts a folder as if its name ended with a slash.
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
    // Hashing fails only on a detected SHA-1 collision; the null id equals no tree.
    gix_object::compute_hash(hash, gix_object::Kind::Tree, &text).unwrap_or_else(|_| ObjectId::null(hash))
}

/// Computes git's id of a content.
pub fn blob_id(bytes: &[u8], hash: Kind) -> ObjectId {
    // Hashing fails only on a detected SHA-1 collision; the null id equals no content.
    gix_object::compute_hash(hash, gix_object::Kind::Blob, bytes).unwrap_or_else(|_| ObjectId::null(hash))
}

/// The mode of a tree entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileMode {
    /// `100644`
    File,
    /// `100755`
    Executable,
    /// `120000`, a symbolic link. Its blob is the target path.
    Link,
    /// `160000`, a commit of another repository.
    Submodule,
}

impl FileMode {
    /// The mode in octal, as git prints it.
    pub fn as_octal(self) -> &'static str {
        match self {
            FileMode::File => "100644",
            FileMode::Executable => "100755",
            FileMode::Link => "120000",
            FileMode::Submodule => "160000",
        }
    }

    /// Parses [`Self::as_octal`].
    pub fn from_octal(text: &[u8]) -> Option<Self> {
        Some(match text {
            b"100644" => FileMode::File,
            b"100755" => FileMode::Executable,
            b"120000" => FileMode::Link,
            b"160000" => FileMode::Submodule,
            _ => return None,
        })
    }

    /// The mode of a tree entry; `None` for a folder.
    pub fn from_kind(kind: EntryKind) -> Option<Self> {
        Some(match kind {
            EntryKind::Blob => FileMode::File,
            EntryKind::BlobExecutable => FileMode::Executable,
            EntryKind::Link => FileMode::Link,
            EntryKind::Commit => FileMode::Submodule,
            EntryKind::Tree => return None,
        })
    }

    pub fn kind(self) -> EntryKind {
        match self {
            FileMode::File => EntryKind::Blob,
            FileMode::Executable => EntryKind::BlobExecutable,
            FileMode::Link => EntryKind::Link,
            FileMode::Submodule => EntryKind::Commit,
        }
    }

    /// Whether it is a regular file.
    pub fn is_file(self) -> bool {
        matches!(self, FileMode::File | FileMode::Executable)
    }
}

impl fmt::Display for FileMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_octal())
    }
}

/// A path with its mode.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TreeEntry {
    pub path: RepoPath,
    pub mode: FileMode,
}

/// The state of a file: its blob id after clean filters, and its mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    pub id: ObjectId,
    pub mode: FileMode,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(text: &str, mode: FileMode) -> FileState {
        FileState { id: gix_object::compute_hash(Kind::Sha1, gix_object::Kind::Blob, text.as_bytes()).unwrap(), mode }
    }

    #[test]
    fn tree_ids_match_git() {
        assert_eq!(tree_id(&[], Kind::Sha1), ObjectId::empty_tree(Kind::Sha1));
        // Verified with `git mktree`: `a-b`, the folder `a` and the file `a.c` are in git's order.
        let files: Vec<(&BStr, FileState)> = vec![
            ("a-b".into(), state("1\n", FileMode::File)),
            ("a.c".into(), state("2\n", FileMode::Executable)),
            ("a/x/y".into(), state("3\n", FileMode::File)),
            ("a/z".into(), state("x/y", FileMode::Link)),
        ];
        assert_eq!(tree_id(&files, Kind::Sha1).to_string(), "2bc398fa220a78397c67f0193c20be9b11dd2227");
    }
}
