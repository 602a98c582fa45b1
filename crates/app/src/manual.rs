//! `man --dir`: writes manual pages.

use crate::{Environment, Error};
use canonry_repo::apply::standalone_file::{self, Use};
use std::path::Path;

/// A manual page.
pub struct ManualPage {
    /// Its file name, such as `canonry-check.1`.
    pub name: String,
    /// Its source in roff.
    pub text: Vec<u8>,
}

/// Writes the pages into a directory, which is created if it does not exist.
///
/// # Errors
/// The directory is not writable.
pub fn write_pages(environment: &Environment, directory: &Path, pages: &[ManualPage]) -> Result<(), Error> {
    let directory = environment.cwd.join(directory);
    for page in pages {
        standalone_file::replace(&directory.join(&page.name), &page.text, Use::Text)?;
    }
    Ok(())
}
