//! `--all`: one command in many repositories at once, with one summary.
//!
//! Each repository has its own lock, journal and config, and is told from its own JSON document: one that fails does not
//! stop the others.

mod report;
mod repositories;
mod row;

use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::app::{Environment, RepositoryScope};
use crate::app::{Error, ErrorKind};
use crate::render::human::Style;
use rayon::prelude::*;
use repositories::{Found, find};
pub use row::Command;
use row::Row;
use serde_json::value::RawValue;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// What is asked for.
pub struct Asked<'a> {
    /// Repositories or patterns; `-` for a list on stdin. None for those that the user's own config lists.
    pub given: &'a [PathBuf],
    /// Which command.
    pub command: Command,
    /// How the summary is written.
    pub format: Format,
}

/// The command in one repository, whose document it prints.
pub type One<'a> = &'a (dyn Fn(&Environment, &Out<'_>) -> Result<Status, Error> + Sync);

/// Runs a command in all of them.
///
/// # Errors
/// No repository is named, or the list cannot be read.
pub fn run(asked: &Asked<'_>, one: One<'_>, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let found = find(asked.given, env)?;
    let rows: Vec<Row> = found.repositories.par_iter().map(|top| row(top, one, env, out.style)).collect();
    let rows = in_order(&found, rows);
    let status = rows.iter().fold(Status::Done, |worst, row| worst.and(row.status));
    out.result(&match asked.format {
        Format::Json => report::to_json(asked.command, &rows),
        Format::Human => report::in_words(asked.command, &rows, found.without_canon),
    });
    Ok(status)
}

fn row(top: &Path, one: One<'_>, env: &Environment, style: Style) -> Row {
    let env = Environment { cwd: top.to_owned(), scope: RepositoryScope::Standalone, ..env.clone() };
    let (mut results, mut remarks) = (Vec::new(), Vec::new());
    // A bug that one repository brings to light is told of that one.
    let ended = catch_unwind(AssertUnwindSafe(|| one(&env, &Out::new(&mut results, &mut remarks, style))));
    let ended = ended.unwrap_or_else(|_| Err(Error::new(ErrorKind::Internal, "internal error; please report it")));
    let document = String::from_utf8(results).ok().and_then(|text| RawValue::from_string(text.trim().to_owned()).ok());
    let (status, error) = match ended {
        Ok(status) => (status, None),
        Err(error) => (Status::from(error.kind), Some(error)),
    };
    Row { path: top.to_owned(), status, document, error }
}

/// Those that could not be opened among the others, by path.
fn in_order(found: &Found, rows: Vec<Row>) -> Vec<Row> {
    let failed = found.failed.iter().map(|(path, error)| Row {
        path: path.clone(),
        status: Status::from(error.kind),
        document: None,
        error: Some(error.clone()),
    });
    let mut rows: Vec<Row> = rows.into_iter().chain(failed).collect();
    rows.sort_by(|a, b| a.path.cmp(&b.path));
    rows
}
