//! The GitHub Actions workflow.

use super::{
    FileConflict, InstallFileChange, InstallOutcome, InstallStep, IntegrationDetails, content_of_file, repository,
};
use crate::install_text::ci::{has_dream, workflow, workflow_state};
use crate::install_text::generated::GeneratedState;
use crate::{Environment, Error, ErrorKind};
use canonry_repo::apply::standalone_file::{self, Use};
use canonry_repo::git::config::real;
use gix::bstr::ByteSlice;
use std::path::PathBuf;

const NAME: &str = ".github/workflows/canonry.yml";

/// The path of the workflow. Refuses a link that leaves the repository.
fn workflow_path(environment: &Environment) -> Result<PathBuf, Error> {
    let (_, top) = repository(environment)?;
    let path = top.join(NAME);
    let directory = path.parent().map(real).transpose()?;
    if directory.is_some_and(|directory| directory.starts_with(&top)) {
        return Ok(path);
    }
    Err(Error::new(ErrorKind::Refused, ".github/workflows is outside the repository: a link leads there"))
}

fn change(before: Option<Vec<u8>>, after: Option<Vec<u8>>) -> InstallFileChange {
    InstallFileChange { name: NAME.to_owned(), before, after }
}

fn outcome(change: Option<InstallFileChange>, dream: bool) -> InstallOutcome {
    let steps = change.map(InstallStep::File).into_iter().collect();
    InstallOutcome { steps, details: IntegrationDetails::Ci { dream }, conflict: None }
}

fn conflict(difference: InstallFileChange, message: &str, help: &str) -> InstallOutcome {
    let error = Error::new(ErrorKind::Refused, format!("{NAME} {message}")).help(help);
    InstallOutcome { conflict: Some(FileConflict { difference, error }), ..outcome(None, false) }
}

pub(super) fn install(environment: &Environment, dream: bool, dry_run: bool) -> Result<InstallOutcome, Error> {
    let path = workflow_path(environment)?;
    let before = content_of_file(NAME, standalone_file::read_path(&path)?)?;
    let dream = dream || before.as_deref().is_some_and(has_dream);
    let after = workflow(dream);
    match before {
        Some(bytes) if workflow_state(&bytes) != GeneratedState::Owned => Ok(conflict(
            change(Some(bytes), Some(after.into())),
            "exists and differs from the workflow of canonry",
            "apply the difference above by hand, or rename the file and run this again",
        )),
        // Only git's conversion of line ends differs.
        Some(bytes) if bytes.replace("\r\n", "\n") == after.as_bytes() => {
            Ok(outcome(Some(change(Some(bytes.clone()), Some(bytes))), dream))
        }
        before => {
            let change = change(before, Some(after.into()));
            if !dry_run {
                change.write(&path, Use::Text)?;
            }
            Ok(outcome(Some(change), dream))
        }
    }
}

pub(super) fn uninstall(environment: &Environment, dry_run: bool) -> Result<InstallOutcome, Error> {
    let path = workflow_path(environment)?;
    let Some(before) = content_of_file(NAME, standalone_file::read_path(&path)?)? else {
        return Ok(outcome(None, false));
    };
    if workflow_state(&before) != GeneratedState::Owned {
        return Ok(conflict(
            change(Some(before), None),
            "was edited since canonry wrote it",
            "keep what you need of it, then remove the file by hand",
        ));
    }
    let change = change(Some(before), None);
    if !dry_run {
        change.write(&path, Use::Text)?;
    }
    Ok(outcome(Some(change), false))
}
