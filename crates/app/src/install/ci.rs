//! The GitHub Actions workflow.

use super::{
    FileConflict, InstallFileChange, InstallOutcome, InstallStep, IntegrationDetails, content_of_file, repository,
};
use crate::install_text::ci::{CiSource, source_of, workflow};
use crate::{Environment, Error, ErrorKind};
use canonry_repo::apply::standalone_file::{self, Use};
use canonry_repo::git::config::real;
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

fn source_in(bytes: &[u8]) -> Option<CiSource> {
    source_of(std::str::from_utf8(bytes).ok()?)
}

fn change(before: Option<Vec<u8>>, after: Option<Vec<u8>>) -> InstallFileChange {
    InstallFileChange { name: NAME.to_owned(), before, after }
}

fn outcome(change: InstallFileChange) -> InstallOutcome {
    InstallOutcome { steps: vec![InstallStep::File(change)], details: IntegrationDetails::Ci, conflict: None }
}

fn conflict(difference: InstallFileChange, message: &str, help: &str) -> InstallOutcome {
    let error = Error::new(ErrorKind::Refused, format!("{NAME} {message}")).help(help);
    InstallOutcome {
        steps: Vec::new(),
        details: IntegrationDetails::Ci,
        conflict: Some(FileConflict { difference, error }),
    }
}

pub(super) fn install(
    environment: &Environment,
    source: Option<&CiSource>,
    dry_run: bool,
) -> Result<InstallOutcome, Error> {
    let path = workflow_path(environment)?;
    let before = content_of_file(NAME, standalone_file::read_path(&path)?)?;
    let installed = before.as_deref().and_then(source_in);
    let Some(source) = source.or(installed.as_ref()) else {
        return Err(Error::new(ErrorKind::Usage, "the workflow must know where to get canonry from").help(
            "name a git repository that you trust and a commit of it, such as \
             `--source https://git.example.com/team/canonry@<commit id>`",
        ));
    };
    let after = workflow(source);
    match before {
        Some(bytes) if installed.is_none() => Ok(conflict(
            change(Some(bytes), Some(after.into())),
            "exists and differs from the workflow of canonry",
            "apply the difference above by hand, or rename the file and run this again",
        )),
        // Only git's conversion of line ends differs.
        Some(bytes) if installed.as_ref() == Some(source) => Ok(outcome(change(Some(bytes.clone()), Some(bytes)))),
        before => {
            let change = change(before, Some(after.into()));
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
    if source_in(&before).is_none() {
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
    Ok(outcome(change))
}
