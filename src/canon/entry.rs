//! What a tree holds at a path, in git's terms.

use crate::syntax::RepoPath;
use gix::ObjectId;
use std::fmt;

/// What kind of entry a path is, as git stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// `100644`
    File,
    /// `100755`
    Executable,
    /// `120000`: a symbolic link; its blob is the target's text.
    Link,
    /// `160000`: a commit of another repository.
    Submodule,
}

impl Mode {
    /// As git prints it.
    pub fn as_octal(self) -> &'static str {
        match self {
            Mode::File => "100644",
            Mode::Executable => "100755",
            Mode::Link => "120000",
            Mode::Submodule => "160000",
        }
    }

    /// From git's print.
    pub fn from_octal(text: &[u8]) -> Option<Self> {
        Some(match text {
            b"100644" => Mode::File,
            b"100755" => Mode::Executable,
            b"120000" => Mode::Link,
            b"160000" => Mode::Submodule,
            _ => return None,
        })
    }

    /// Whether it holds a file's content.
    pub fn is_file(self) -> bool {
        matches!(self, Mode::File | Mode::Executable)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_octal())
    }
}

/// A path and its kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Where.
    pub path: RepoPath,
    /// What kind.
    pub mode: Mode,
}

/// What stands at a path: the id git gives to its content after the clean filters, and its mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    /// The blob's id.
    pub id: ObjectId,
    /// The mode.
    pub mode: Mode,
}
