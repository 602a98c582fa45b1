//! `--all`: runs a command in several repositories and prints one summary.

use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::render::repositories::{AllCommand, RepositoryRow, RunSummary, document, text};
use canonry_app::repositories::{RepositoryRun, find, run_in_each};
use canonry_app::{Environment, Error, ErrorKind};
use std::io::Read as _;
use std::path::PathBuf;

/// The result of the command in one repository.
pub struct RepositoryResult {
    /// The exit status.
    pub status: Status,
    /// The JSON document, if there is one.
    pub document: Option<String>,
    /// The counts.
    pub summary: RunSummary,
    /// An error after the document was complete.
    pub error: Option<Error>,
}

/// The command in one repository.
pub type RepositoryJob<'a> = &'a (dyn Fn(&Environment) -> Result<RepositoryResult, Error> + Sync);

/// Runs a job in the repositories that `given` names, and prints the summary.
///
/// # Errors
/// No repository is named, or the list on stdin cannot be read.
pub fn run(
    given: &[PathBuf],
    command: AllCommand,
    format: Format,
    env: &Environment,
    out: &Out<'_>,
    job: RepositoryJob<'_>,
) -> Result<Status, Error> {
    let repositories = find(&with_stdin(given)?, env)?;
    let runs = run_in_each(&repositories, env, job);
    let rows: Vec<RepositoryRow<'_>> = runs.iter().map(row).collect();
    out.result(&match format {
        Format::Json => document(command, &rows),
        Format::Human => text(command, &rows, repositories.without_canon),
    });
    Ok(runs.iter().map(status).fold(Status::Done, Status::and))
}

fn status(run: &RepositoryRun<RepositoryResult>) -> Status {
    match &run.result {
        Ok(result) => result.status,
        Err(error) => error.kind.into(),
    }
}

fn row(run: &RepositoryRun<RepositoryResult>) -> RepositoryRow<'_> {
    let result = run.result.as_ref().ok();
    RepositoryRow {
        folder: &run.folder,
        status: status(run).code(),
        document: result.and_then(|result| result.document.as_deref()),
        summary: result.map(|result| &result.summary),
        error: result.map_or(run.result.as_ref().err(), |result| result.error.as_ref()),
    }
}

/// Replaces `-` by the paths on stdin, one per line.
fn with_stdin(given: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut paths = Vec::new();
    for path in given {
        if path.as_os_str() != "-" {
            paths.push(path.clone());
            continue;
        }
        let mut text = String::new();
        std::io::stdin().lock().read_to_string(&mut text).map_err(|e| {
            Error::new(ErrorKind::Unreadable, format!("the list of repositories on stdin is not readable: {e}"))
        })?;
        paths.extend(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(PathBuf::from));
    }
    Ok(paths)
}
