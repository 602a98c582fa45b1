//! What stands at a path, and which of it is listed.

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file or a link.
    File,
    /// A folder.
    Folder,
    /// Nothing.
    Nothing,
}

/// Which files of a folder are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// Without what git ignores.
    LeftOut,
    /// All.
    Listed,
}
