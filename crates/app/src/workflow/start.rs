//! Starts a run: its folder, its journal, and a snapshot of the definition. Nothing is executed yet.

use super::load::LoadedWorkflow;
use super::run_folder::RunFolder;
use super::run_journal::RunJournal;
use crate::{Error, ErrorKind, Workspace};
use canonry_repo::apply::write_atomically;
use canonry_runs::workflow::event::{JOURNAL_SCHEMA, RunEvent, RunStart};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Workflow and task of a new run.
#[derive(Clone, Debug, Default)]
pub struct StartRunRequest {
    /// The name of the workflow; the only one by default.
    pub workflow: Option<String>,
    /// Task of the run: `{{task}}` in the prompts.
    pub task: String,
    /// The values of parameters.
    pub parameters: BTreeMap<String, String>,
}

/// A started run.
#[derive(Clone, Debug)]
pub struct StartedWorkflow {
    /// The id of the run.
    pub run: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The name of the first step.
    pub first: String,
}

/// Starts a run.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if the workflow has errors; [`ErrorKind::Usage`] if the task or a parameter is missing;
/// [`ErrorKind::Internal`] if the file system refused.
pub fn run(workspace: &Workspace, request: &StartRunRequest) -> Result<StartedWorkflow, Error> {
    let loaded = LoadedWorkflow::load(workspace, request.workflow.as_deref())?;
    let definition = loaded.definition()?;
    let parameters = loaded.parameters(workspace, &request.parameters)?;
    let is_needed = std::str::from_utf8(&loaded.bytes).is_ok_and(names_task);
    if request.task.trim().is_empty() && is_needed {
        let message = format!("the workflow `{}` needs a task: its prompts use {{{{task}}}}", loaded.name);
        let help = format!("run `canonry workflow start {} --task \"what to do\"`", loaded.name);
        return Err(Error::new(ErrorKind::Usage, message).help(help));
    }
    let folder = RunFolder::create(workspace, &loaded.name)?;
    let path = folder.definition();
    write_atomically(&folder.path, &path, &loaded.bytes)
        .map_err(|e| Error::new(ErrorKind::Internal, format!("{}: {e}", path.display())))?;
    let start = RunStart {
        schema: JOURNAL_SCHEMA.to_owned(),
        run: folder.id.clone(),
        workflow: loaded.name.clone(),
        version: definition.version.as_ref().map(|version| version.text.clone()),
        definition: loaded.id()?,
        task: request.task.clone(),
        parameters,
    };
    // The journal comes last: a folder without one is no run.
    RunJournal::create(&folder, RunEvent::RunStarted(start), workspace.env.clock.now())?;
    let first = definition.steps.first().map(|step| step.name.text.clone()).unwrap_or_default();
    Ok(StartedWorkflow { run: folder.id, folder: folder.path, first })
}

/// Whether a text uses the variable `task`. Templates in other files are rendered later, with an empty task.
fn names_task(text: &str) -> bool {
    text.match_indices("{{").any(|(at, _)| {
        text.get(at + 2..).is_some_and(|rest| {
            rest.trim_start().strip_prefix("task").is_some_and(|rest| rest.trim_start().starts_with("}}"))
        })
    })
}
