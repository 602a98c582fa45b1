//! Git's folder of a repository, found without opening the repository: hooks have little time.

use std::path::{Path, PathBuf};

/// Git's folder that all work trees of a repository share, by the git directory of one of them.
pub fn common_dir(git_dir: &Path) -> PathBuf {
    // Only a linked work tree has the file.
    let common = crate::fs::read_to_string(git_dir.join("commondir")).ok();
    common.map_or_else(|| git_dir.to_owned(), |common| git_dir.join(common.trim()))
}
