//! The report of a run: its path, the input and the answer of each task, and what people decided.

use super::open_run::{run_journal, snapshot_for_look};
use super::run_folder::RunFolder;
use super::run_journal::RunJournal;
use super::status;
use crate::runs::run_status::RunPhase;
use crate::{Error, Workspace};
use canonry_runs::report::{ReportOutcome, RunReport, TaskTexts};
use canonry_runs::workflow::diagram::WorkflowDiagram;
use canonry_runs::workflow::engine::task_name;
use canonry_text::secrets::without_secrets;
use std::collections::BTreeMap;

/// Reads a run.
///
/// # Errors
/// [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable) if there is no such run, or its journal is damaged.
pub(crate) fn read(workspace: &Workspace, id: &str) -> Result<RunReport, Error> {
    let (folder, journal) = run_journal(workspace, id)?;
    let RunJournal { state, entries, .. } = journal;
    // Without the definition, the run is shown without a diagram.
    let loaded = snapshot_for_look(workspace, &folder, &state).ok();
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
    let status = status::status(workspace, &folder, state.clone());
    let outcome = match status.phase {
        RunPhase::Complete => ReportOutcome::Success,
        RunPhase::Aborted { .. } => ReportOutcome::Failure,
        RunPhase::NeedsPerson | RunPhase::StepLimit { .. } => ReportOutcome::Blocked,
        _ => ReportOutcome::Incomplete,
    };
    let reason = match &status.phase {
        RunPhase::NeedsPerson if status.is_overdue => "nobody answered in time".to_owned(),
        RunPhase::Aborted { reason: Some(reason) } => format!("aborted: {reason}"),
        phase => phase.to_string(),
    };
    let next = status.workflow.and_then(|workflow| workflow.step).filter(|step| step.visit.is_none());
    let reason = reason + &next.map(|step| format!("; next is {}", step.name)).unwrap_or_default();
    let report = RunReport::of_workflow(&folder.id, &state, &texts, outcome, reason);
    Ok(RunReport { question: status.question, diagram, ..report })
}

fn read_texts(folder: &RunFolder, name: String, task: u64) -> TaskTexts {
    // A prompt has the texts of templates and of the task as they are.
    let shown = |text: Option<String>| text.map(|text| without_secrets(&text));
    TaskTexts { name, prompt: shown(folder.saved_prompt(task)), answer: shown(folder.answer(task)) }
}
