//! What a tree holds at a path, in git's terms.

use crate::syntax::RepoPath;
use gix::ObjectId;
use std::fmt;

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
