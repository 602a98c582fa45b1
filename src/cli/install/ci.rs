//! `canonry install ci`

use crate::app::Environment;
use crate::app::{Error, ErrorKind};
use crate::apply::standalone_file::{self, Use};
use crate::cli::install::shared::{Rehearsal, file_or_nothing, rehearse, repository};
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::git::hooks::real;
use crate::render::diff;
use gix::bstr::ByteSlice;
use std::path::PathBuf;

const NAME: &str = ".github/workflows/canonry.yml";
const WORKFLOW: &str = include_str!("workflow.yml");

/// Where the workflow goes; not through a link that leaves the repository.
fn place(env: &Environment) -> Result<PathBuf, Error> {
    let (_, top) = repository(env)?;
    let path = top.join(NAME);
    let folder = path.parent().map(real).transpose()?;
    if folder.is_some_and(|folder| folder.starts_with(&top)) {
        return Ok(path);
    }
    Err(Error::new(ErrorKind::Refused, ".github/workflows leads out of the repository through a link"))
}

/// Line ends are git's to convert.
fn is_ours(bytes: &[u8]) -> bool {
    bytes.replace("\r\n", "\n") == WORKFLOW.as_bytes()
}

/// Writes the workflow.
///
/// # Errors
/// See [`Error`].
pub fn install(rehearsal: Rehearsal, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let path = place(env)?;
    let was = file_or_nothing(NAME, standalone_file::look(&path)?)?;
    match was {
        Some(bytes) if is_ours(&bytes) => {
            out.result(&format!("unchanged {NAME}\n"));
            return Ok(Status::Done);
        }
        Some(bytes) => {
            out.remark(&diff::unified(NAME, Some(&bytes), Some(WORKFLOW.as_bytes())));
            return Err(Error::new(
                ErrorKind::Refused,
                format!("{NAME} is there, and differs from what canonry writes"),
            )
            .help("take over by hand what you want of the difference above, or move the file away first"));
        }
        None => {}
    }
    if rehearsal.dry_run {
        return Ok(rehearse(NAME, None, Some(WORKFLOW.as_bytes()), out));
    }
    standalone_file::replace(&path, WORKFLOW.as_bytes(), Use::Text)?;
    out.result(&format!(
        "wrote     {NAME}\n\
         Commit it: then each push and pull request is checked, and every night `canonry dream` runs on the default branch\n\
         and pushes what it commits.\n\
         To take it back: `canonry uninstall ci`.\n"
    ));
    Ok(Status::Done)
}

/// Removes the workflow.
///
/// # Errors
/// See [`Error`].
pub fn uninstall(rehearsal: Rehearsal, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let path = place(env)?;
    let Some(was) = file_or_nothing(NAME, standalone_file::look(&path)?)? else {
        out.result(&format!("Nothing to take out: there is no {NAME}.\n"));
        return Ok(Status::Done);
    };
    if !is_ours(&was) {
        out.remark(&diff::unified(NAME, Some(WORKFLOW.as_bytes()), Some(&was)));
        return Err(Error::new(ErrorKind::Refused, format!("{NAME} is not as canonry wrote it"))
            .help("the difference above is someone's work; remove the file by hand if it is not wanted"));
    }
    if rehearsal.dry_run {
        return Ok(rehearse(NAME, Some(&was), None, out));
    }
    standalone_file::remove(&path)?;
    out.result(&format!("removed   {NAME}\n"));
    Ok(Status::Done)
}
