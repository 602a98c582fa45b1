//! The GitHub Actions workflow.

use super::{FileChange, FileConflict, InstallOutcome, InstallStep, IntegrationDetails, content_of_file, repository};
use crate::app::{Environment, Error, ErrorKind};
use crate::apply::standalone_file::{self, Use};
use crate::git::config::real;
use gix::bstr::ByteSlice;
use std::path::PathBuf;

const NAME: &str = ".github/workflows/canonry.yml";
const WORKFLOW: &str = include_str!("../../install/ci_workflow.yml");

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

/// Ignores line ends, which git may convert.
fn is_ours(bytes: &[u8]) -> bool {
    bytes.replace("\r\n", "\n") == WORKFLOW.as_bytes()
}

fn change(before: Option<Vec<u8>>, after: Option<Vec<u8>>) -> FileChange {
    FileChange { name: NAME.to_owned(), before, after }
}

fn outcome(change: FileChange) -> InstallOutcome {
    InstallOutcome { steps: vec![InstallStep::File(change)], details: IntegrationDetails::Ci, conflict: None }
}

fn conflict(difference: FileChange, message: &str, help: &str) -> InstallOutcome {
    let error = Error::new(ErrorKind::Refused, format!("{NAME} {message}")).help(help);
    InstallOutcome {
        steps: Vec::new(),
        details: IntegrationDetails::Ci,
        conflict: Some(FileConflict { difference, error }),
    }
}

pub(super) fn install(environment: &Environment, dry_run: bool) -> Result<InstallOutcome, Error> {
    let path = workflow_path(environment)?;
    let before = content_of_file(NAME, standalone_file::read_path(&path)?)?;
    match before {
        Some(bytes) if is_ours(&bytes) => Ok(outcome(change(Some(bytes.clone()), Some(bytes)))),
        Some(bytes) => Ok(conflict(
            change(Some(bytes), Some(WORKFLOW.into())),
            "exists and differs from the workflow of canonry",
            "apply the difference above by hand, or rename the file and run this again",
        )),
        None => {
            let change = change(None, Some(WORKFLOW.into()));
            if !dry_run {
                change.write(&path, Use::Text)?;
            }
            Ok(outcome(change))
        }
    }
}

pub(super) fn uninstall(environment: &Environment, dry_run: bool) -> Result<InstallOutcome, Error> {
    let path = workflow_path(environment)?;
    let Some(before) = content_of_file(NAME, standalone_file::read_path(&path)?)? else {
        return Ok(InstallOutcome { steps: Vec::new(), details: IntegrationDetails::Ci, conflict: None });
    };
    if !is_ours(&before) {
        return Ok(conflict(
            change(Some(WORKFLOW.into()), Some(before)),
            "was edited since canonry wrote it",
            "keep the edits shown above, then remove the file by hand",
        ));
    }
    let change = change(Some(before), None);
    if !dry_run {
        change.write(&path, Use::Text)?;
    }
    Ok(outcome(change))
}
