//! What the places share.

use crate::app::Environment;
use crate::app::{Error, ErrorKind};
use crate::apply::standalone_file::Standing;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::git::hooks::{HooksError, real};
use crate::git::open::open;
use crate::render::diff;
use std::path::{Path, PathBuf};

/// Whether anything is written.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Rehearsal {
    /// Write nothing; print the change as a unified diff
    #[arg(long)]
    pub dry_run: bool,
}

/// The repository and the top of its work tree, without links.
///
/// # Errors
/// There is none, or no work tree.
pub fn repository(env: &Environment) -> Result<(gix::Repository, PathBuf), Error> {
    let repo = open(&env.cwd)?;
    let top = repo.workdir().map(real).transpose()?.ok_or(HooksError::Bare)?;
    Ok((repo, top))
}

/// A path as a person knows it: from the top where it is below it.
pub fn shown(path: &Path, top: &Path) -> String {
    path.strip_prefix(top).unwrap_or(path).display().to_string()
}

/// One file's change as a unified diff.
pub fn rehearse(name: &str, was: Option<&[u8]>, now: Option<&[u8]>, out: &Out<'_>) -> Status {
    out.result(&diff::unified(name.trim_start_matches('/'), was, now));
    Status::Done
}

/// What stands at a path that canonry wants for a file; neither a link nor a folder is touched.
///
/// # Errors
/// Something else than a file stands there.
pub fn file_or_nothing(name: &str, standing: Standing) -> Result<Option<Vec<u8>>, Error> {
    let what = match standing {
        Standing::Nothing => return Ok(None),
        Standing::File { bytes, .. } => return Ok(Some(bytes)),
        Standing::Link => "a link, and canonry does not write through one",
        Standing::Folder => "a folder",
        Standing::Special => "not a file",
    };
    Err(Error::new(ErrorKind::Refused, format!("{name} is {what}")))
}
