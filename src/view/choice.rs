//! Which files are listed.

/// Which files of a folder are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// Without what git ignores.
    LeftOut,
    /// All.
    Listed,
}
