//! Starts a run: its folder, its journal, and a snapshot of the definition. Nothing is executed yet.

use super::load::LoadedWorkflow;
use super::open_run::open_runs;
use super::run_folder::RunFolder;
use super::run_journal::RunJournal;
use super::task_prompt::{Template, template};
use crate::attempt::record_file;
use crate::task_queue::{self, QueuedTask};
use crate::{Error, ErrorKind, Workspace};
use canonry_model::canon::workflow::ReferenceKind;
use canonry_runs::workflow::event::{JOURNAL_SCHEMA, RunEvent, RunStart};
use canonry_text::node::SpannedText;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Workflow and task of a new run.
#[derive(Clone, Debug, Default)]
pub struct StartRunRequest {
    /// The name of the workflow; the only one by default.
    pub workflow: Option<String>,
    /// Task of the run: `{{task}}` in the prompts. Without one, a workflow that uses it takes the next task of the canon.
    pub task: Option<String>,
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
    /// The task of the canon that it has, by its id.
    pub task_id: Option<String>,
}

/// Starts a run. `None` if it would have the next task of the canon, and none is left.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if the workflow or a task has errors; [`ErrorKind::Usage`] if the task or a parameter is missing;
/// [`ErrorKind::Internal`] if the file system refused.
pub fn run(workspace: &Workspace, request: &StartRunRequest) -> Result<Option<StartedWorkflow>, Error> {
    let loaded = LoadedWorkflow::load(workspace, request.workflow.as_deref())?;
    let definition = loaded.definition()?;
    let parameters = loaded.parameters(workspace, &request.parameters)?;
    let given = request.task.as_deref().map(str::trim).filter(|task| !task.is_empty());
    let mut task = QueuedTask { id: None, text: given.unwrap_or_default().to_owned() };
    if given.is_none() && task_queue::has_tasks(workspace)? && uses_task(workspace, &loaded)? {
        match task_queue::take_next(workspace)? {
            Some(next) => task = next,
            None => return Ok(None),
        }
    } else if given.is_none() && names_task(&String::from_utf8_lossy(&loaded.bytes)) {
        let message = format!("the workflow `{}` needs a task: its prompts use {{{{task}}}}", loaded.name);
        let help = format!(
            "run `canonry run start {} --task \"what to do\"`, or add {}/<id>/task.yaml",
            loaded.name,
            workspace.view.full(&workspace.layout.tasks())
        );
        return Err(Error::new(ErrorKind::Usage, message).help(help));
    }
    let folder = RunFolder::create(workspace, &loaded.name)?;
    record_file::write(&folder.definition(), &loaded.bytes)?;
    let start = RunStart {
        schema: JOURNAL_SCHEMA.to_owned(),
        run: folder.id.clone(),
        workflow: loaded.name.clone(),
        version: definition.version.as_ref().map(|version| version.text.clone()),
        definition: loaded.id()?,
        task: task.text,
        task_id: task.id.clone(),
        parameters,
    };
    // The journal comes last: a folder without one is no run.
    RunJournal::create(&folder, RunEvent::RunStarted(start), workspace.env.clock.now())?;
    let first = definition.steps.first().map(|step| step.name.text.clone()).unwrap_or_default();
    Ok(Some(StartedWorkflow { run: folder.id, folder: folder.path, first, task_id: task.id }))
}

/// Whether a prompt of the workflow uses the variable `task`, also one in a template.
///
/// # Errors
/// The workflow is not readable.
pub(super) fn uses_task(workspace: &Workspace, loaded: &LoadedWorkflow) -> Result<bool, Error> {
    let steps = &loaded.definition()?.steps;
    let children = steps.iter().flat_map(|step| &step.fan_out.children);
    let prompts = steps.iter().map(|step| &step.prompt).chain(children.map(|child| &child.prompt)).flatten();
    let text = |prompt: &SpannedText| match template(workspace, &loaded.name, ReferenceKind::Template, &prompt.text) {
        Template::Text(text) | Template::File(_, text) => text,
        Template::Missing => String::new(),
    };
    Ok(prompts.map(text).any(|text| names_task(&text)))
}

/// An open run of a workflow.
///
/// # Errors
/// The folder of runs cannot be read.
pub fn open_run(workspace: &Workspace, workflow: &str) -> Result<Option<String>, Error> {
    Ok(open_runs(workspace, workflow)?.into_iter().next())
}

/// Whether a text uses the variable `task`. Templates in other files are rendered later, with an empty task.
fn names_task(text: &str) -> bool {
    text.match_indices("{{").any(|(at, _)| {
        text.get(at + 2..).is_some_and(|rest| {
            rest.trim_start().strip_prefix("task").is_some_and(|rest| rest.trim_start().starts_with("}}"))
        })
    })
}
