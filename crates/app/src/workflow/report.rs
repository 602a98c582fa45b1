//! The report of a run: its path, the input and the answer of each task, and what people decided.

use super::open_run::run_journal;
use super::run_folder::RunFolder;
use super::run_journal::RunJournal;
use super::status::{self, RunStatus};
use crate::{Error, Workspace};
use canonry_runs::workflow::diagram::WorkflowDiagram;
use canonry_runs::workflow::engine::task_name;
pub use canonry_runs::workflow::event::{TaskEnd, TaskOutcome};
pub use canonry_runs::workflow::run_state::{EndedStep, PersonAnswer, TaskState};
use canonry_text::secrets::without_secrets;
use std::collections::BTreeMap;

/// The report.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// Where the run is, with all steps that ended.
    pub status: RunStatus,
    /// The values of parameters.
    pub parameters: BTreeMap<String, String>,
    /// The graph with the path; `None` if the definition is not readable any more.
    pub diagram: Option<WorkflowDiagram>,
    /// The step at work, or at which the run was aborted.
    pub current_step: String,
    /// Its tasks.
    pub current: Vec<TaskState>,
    /// Decisions of people, oldest first.
    pub answers: Vec<PersonAnswer>,
    /// Texts of each task that are not in the journal.
    pub texts: BTreeMap<u64, TaskTexts>,
}

/// The texts of a task.
#[derive(Clone, Debug, Default)]
pub struct TaskTexts {
    /// The step, or the part of it.
    pub name: String,
    /// The input.
    pub prompt: Option<String>,
    /// The whole answer.
    pub answer: Option<String>,
}

/// Reads a run: by default the open one, or else the last.
///
/// # Errors
/// [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable) if there is no such run, or its journal is damaged.
pub fn run(workspace: &Workspace, run: Option<&str>) -> Result<RunReport, Error> {
    let (folder, journal) = run_journal(workspace, run)?;
    let RunJournal { state, entries, .. } = journal;
    // Without the definition, the run is shown without a diagram.
    let loaded = super::open_run::snapshot_for_look(workspace, &folder, &state).ok();
    let definition = loaded.as_ref().and_then(|loaded| loaded.definition().ok());
    let diagram = definition.map(|definition| WorkflowDiagram::new(definition).with_run(definition, &state, &entries));
    let ended = state.ended_steps.iter().map(|ended| (&ended.step, &ended.tasks));
    let current = state.current.iter().map(|current| (&current.step, &current.tasks));
    let mut texts = BTreeMap::new();
    for (name, tasks) in ended.chain(current) {
        let step = definition.and_then(|definition| definition.steps.iter().find(|step| step.name.text == *name));
        for task in tasks {
            let name = step.map_or_else(|| name.clone(), |step| task_name(step, task.role));
            texts.insert(task.number, read_texts(&folder, name, task.number));
        }
    }
    Ok(RunReport {
        parameters: state.start.parameters.clone(),
        diagram,
        current_step: state.current.as_ref().map(|current| current.step.clone()).unwrap_or_default(),
        current: state.current.as_ref().map(|current| current.tasks.clone()).unwrap_or_default(),
        answers: state.answers.clone(),
        texts,
        status: status::status(workspace, &folder, state, workspace.env.clock.now()),
    })
}

fn read_texts(folder: &RunFolder, name: String, task: u64) -> TaskTexts {
    // A prompt has the texts of templates and of the task as they are.
    let shown = |text: Option<String>| text.map(|text| without_secrets(&text));
    TaskTexts { name, prompt: shown(folder.saved_prompt(task)), answer: shown(folder.answer(task)) }
}

impl RunReport {
    /// All tasks of the run with the name of their step, by number.
    pub fn tasks(&self) -> impl Iterator<Item = (&str, &TaskState)> {
        let ended =
            self.status.ended.iter().flat_map(|ended| ended.tasks.iter().map(|task| (ended.step.as_str(), task)));
        ended.chain(self.current.iter().map(|task| (self.current_step.as_str(), task)))
    }

    /// The name of a task.
    pub fn task_name(&self, number: u64) -> &str {
        self.texts.get(&number).map_or("", |texts| texts.name.as_str())
    }
}
