//! The checkout whose run created an attempt's work tree. Its path is in the private git directory of that tree, so that
//! any process in the tree finds it, whatever its environment is and whichever branch the worker has switched to.

use crate::fs as writes;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

const FILE: &str = "canonry/checkout";

/// Records the top of the checkout.
pub(super) fn record(git_dir: &Path, checkout: &Path) -> io::Result<()> {
    let file = git_dir.join(FILE);
    file.parent().map_or(Ok(()), writes::create_dir_all)?;
    let mut opened = writes::open_or_create(std::fs::File::options().write(true).truncate(true), &file)?;
    writes::write_all(&mut opened, checkout.as_os_str().as_bytes())
}

/// The top of the checkout whose run created the work tree with this private git directory; `None` for all others.
pub fn checkout_of(git_dir: &Path) -> Option<PathBuf> {
    // Without it, a worker's episodes are logged in its tree, from which they are collected.
    let path = std::fs::read(git_dir.join(FILE)).ok().filter(|path| !path.is_empty())?;
    Some(PathBuf::from(OsStr::from_bytes(&path)))
}
