//! Which files are listed.

/// Which files of a folder are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoreMode {
    /// Without what git ignores.
    Exclude,
    /// All.
    Include,
}
