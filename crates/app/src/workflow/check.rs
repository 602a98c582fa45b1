//! Checks one workflow, or all of them.

use super::load::names;
use crate::check::{self, CheckReport, CheckRequest};
use crate::{Environment, Error, ErrorKind, Progress, Workspace};
use canonry_repo::view::Basis;
use std::path::PathBuf;

/// Checks a workflow, or all of them, with all rules.
///
/// # Errors
/// See [`check::run`]; also if there is no such workflow.
pub fn run(env: &Environment, workflow: Option<&str>, progress: &dyn Progress) -> Result<CheckReport, Error> {
    let mut workspace = Workspace::open(env, &Basis::WorkTree)?;
    workspace.require_canon()?;
    let all = names(&workspace)?;
    let paths: Vec<PathBuf> = match workflow {
        None => all.values().filter_map(|path| workspace.view.on_disk(path)).collect(),
        Some(name) => {
            let path = all.get(name).and_then(|path| workspace.view.on_disk(path));
            let names: Vec<&str> = all.keys().map(String::as_str).collect();
            vec![path.ok_or_else(|| {
                Error::new(ErrorKind::Unreadable, format!("there is no workflow `{name}`"))
                    .help(format!("the workflows are {}", names.join(", ")))
            })?]
        }
    };
    if paths.is_empty() {
        Ok(CheckReport::default())
    } else {
        check::check(&mut workspace, &CheckRequest { paths, ..CheckRequest::default() }, progress)
    }
}
