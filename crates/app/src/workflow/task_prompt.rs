//! The prompt of a task: the template with its variables, the policy, and what the step may see.

use super::open_run::OpenRun;
use super::task_trees::TaskTrees;
use crate::workers::{Library, REFERENCE_BUDGET};
use crate::{Error, ErrorKind, Workspace};
use canonry_model::canon::Blob;
use canonry_model::canon::workflow::references::reference_paths;
use canonry_model::canon::workflow::{ReferenceKind, WorkflowDialect, WorkflowStep, is_template_path};
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_runs::workflow::engine::{TaskSpec, contract, task_name};
use canonry_runs::workflow::event::{StepOutcome, TaskRole};
use canonry_runs::workflow::prompt::{self, TaskPromptInput, WorkPlace, report_files};
use canonry_runs::workflow::run_state::RunState;
use canonry_runs::workflow::step_context::{ContextPart, EarlierOutput, step_context};
use canonry_runs::workflow::template::render;
use canonry_text::RepoPath;
use canonry_text::node::SpannedText;
use serde_json::Value;

/// The reason why a task has no prompt.
#[derive(Debug)]
pub(super) enum PromptError {
    /// A template is missing, or a variable or an input has no value: the task cannot be done.
    Task(String),
    /// The definition is not readable.
    Run(Error),
}

impl From<Error> for PromptError {
    fn from(error: Error) -> Self {
        Self::Run(error)
    }
}

/// Builds the prompt of a task.
pub(super) fn build(
    workspace: &Workspace,
    open: &OpenRun,
    spec: &TaskSpec,
    is_isolated: bool,
    has_report_file: bool,
) -> Result<String, PromptError> {
    let definition = open.definition()?;
    let missing = || Error::new(ErrorKind::Unreadable, "the workflow has no such step any more");
    let step = definition.steps.get(spec.step).ok_or_else(missing)?;
    let state = &open.journal.state;
    let variable = |name: &str| match name {
        "candidate" => Some(candidate(spec.role)),
        "attempt" => Some(spec.attempt.to_string()),
        "step" => Some(step.name.text.clone()),
        "agent" | "owner" => Some(spec.owner.clone().unwrap_or_default()),
        name => match name.strip_prefix("report.").or_else(|| name.strip_prefix("reports.")) {
            Some(report) => report_text(open, report),
            None => open.with_engine(|engine| engine.variable(name)).expect("the definition was read above"),
        },
    };
    let written = match spec.role {
        TaskRole::Child(at) => step.fan_out.children.get(at).and_then(|child| child.prompt.as_ref()),
        _ => None,
    };
    let written = written.or(step.prompt.as_ref());
    let (name, text) = match written {
        Some(prompt) => match template(workspace, &open.workflow.name, ReferenceKind::Template, &prompt.text) {
            Template::Text(text) => (None, text),
            Template::File(path, text) => (Some(path.to_string()), text),
            Template::Missing => {
                return Err(PromptError::Task(format!("the template `{}` does not exist", prompt.text)));
            }
        },
        None => (None, default_text(step, spec, &state.start.task)),
    };
    let text = match render(&text, &variable) {
        Ok(text) => text,
        Err(unknown) => {
            let names: Vec<String> = unknown.iter().map(|unknown| format!("`{{{{{}}}}}`", unknown.name)).collect();
            let place = name.map(|name| format!(" of {name}")).unwrap_or_default();
            let message = format!("the prompt{place} uses {}, which has no value yet", names.join(", "));
            return Err(PromptError::Task(message));
        }
    };
    let mut answers = earlier_answers(open);
    if step.context.mode.as_ref().is_some_and(|mode| mode.text == "last_only") {
        // A step that is visited again follows the step that led to it, not itself.
        answers.retain(|(at, _)| state.ended_steps[*at].step != step.name.text);
    }
    let earlier: Vec<EarlierOutput<'_>> = answers
        .iter()
        .map(|(at, answer)| {
            let ended = &state.ended_steps[*at];
            EarlierOutput { step: &ended.step, output: ended.output.as_ref(), answer }
        })
        .collect();
    let mut context = step_context(step, &earlier).map_err(|error| PromptError::Task(error.to_string()))?;
    if definition.dialect != WorkflowDialect::Durable {
        context.extend(report_files(&text).into_iter().filter_map(|name| {
            let text = report_text(open, name).or_else(|| part_text(open, name)).filter(|text| !text.is_empty())?;
            Some(ContextPart { source: format!("reports/{name}.md"), field: None, text })
        }));
    }
    let policy = definition.policy.as_ref().and_then(|policy| {
        match template(workspace, &open.workflow.name, ReferenceKind::Policy, &policy.text) {
            Template::File(_, text) | Template::Text(text) => Some(text),
            Template::Missing => None,
        }
    });
    let marker = step.idempotency.as_ref().and_then(|idempotency| idempotency.marker.as_ref());
    let marker = marker.map(|marker| render(&marker.text, &variable).unwrap_or_else(|_| marker.text.clone()));
    // Before a worker is paid.
    output_file(open, step, spec.role).map_err(PromptError::Task)?;
    let feedback = state.current.as_ref().map_or(&[][..], |current| &current.feedback);
    let is_told = step.retry.feedback.as_ref().is_none_or(|mode| mode.text != "none");
    let product = product(open, spec);
    let folder = if !has_report_file && is_isolated {
        Some(TaskTrees::new(workspace, &open.folder.id).folder(&step.name.text, spec.number)?)
    } else {
        None
    };
    let folder = folder.map(|folder| folder.to_string_lossy().into_owned());
    let part = task_name(step, spec.role);
    let names = [step.name.text.as_str(), &part, spec.owner.as_deref().unwrap_or_default()];
    let error = feedback.last().map(String::as_str);
    let references = Library::load(workspace).matching(&names, &text, error, REFERENCE_BUDGET);
    let place = if is_isolated { WorkPlace::Own } else { WorkPlace::Shared };
    Ok(prompt::build(&TaskPromptInput {
        workflow: &open.workflow.name,
        run: &state.start.run,
        step,
        role: spec.role,
        attempt: spec.attempt,
        task: Some(state.start.task.as_str()).filter(|task| !text.contains(*task)),
        text: &text,
        policy: policy.as_deref(),
        context: &context,
        product: product.as_deref(),
        feedback: if is_told { feedback } else { &[] },
        marker: marker.as_deref(),
        references: &references,
        budget: REFERENCE_BUDGET,
        place: workspace.repo().is_ok().then_some(place),
        folder: folder.as_deref(),
        has_report_file,
    }))
}

/// The file that the output of a task goes to, relative to the outputs of the run; `None` if the step names none.
///
/// # Errors
/// Its name uses a variable without a value.
pub(super) fn output_file(open: &OpenRun, step: &WorkflowStep, role: TaskRole) -> Result<Option<String>, String> {
    let Some(file) = contract(step, role).and_then(|output| output.file.as_ref()) else { return Ok(None) };
    let variable = |name: &str| match (name, role) {
        ("candidate", TaskRole::Candidate(number)) => Some(number.to_string()),
        ("candidate", _) => Some("1".to_owned()),
        ("step", _) => Some(step.name.text.clone()),
        // `step` is a part of the definition.
        _ => open.with_engine(|engine| engine.variable(name)).ok().flatten(),
    };
    let problem = |_| "the name of the output file uses a variable without a value".to_owned();
    render(&file.text, &variable).map(Some).map_err(problem)
}

/// The schema file that the output of a task names. One that cannot be read is reported by `check`, and counts as none.
pub(super) fn schema_file(workspace: &Workspace, open: &OpenRun, step: &WorkflowStep, role: TaskRole) -> Option<Value> {
    let name = contract(step, role)?.schema_file.as_ref()?;
    let candidates = candidates(workspace, &open.workflow.name, ReferenceKind::Schema, &name.text);
    candidates.into_iter().find_map(|path| {
        let bytes = workspace.view.read(&path, DOCUMENT_LIMIT).into_bytes()?;
        serde_json::from_slice(&bytes).ok()
    })
}

/// The number of a candidate; 1 for every other task.
pub(super) fn candidate(role: TaskRole) -> String {
    match role {
        TaskRole::Candidate(number) => number.to_string(),
        _ => "1".to_owned(),
    }
}

/// The text of a step without a prompt.
fn default_text(step: &WorkflowStep, spec: &TaskSpec, task: &str) -> String {
    let name = task_name(step, spec.role);
    match spec.role {
        TaskRole::Evaluator => format!("Evaluate the work of the step `{}`.", step.name.text),
        _ if task.is_empty() => format!("Do the step `{name}`."),
        _ => format!("Do the step `{name}` of this task: {task}"),
    }
}

/// A prompt or a policy in a definition.
pub(super) enum Template {
    /// The text itself.
    Text(String),
    File(RepoPath, String),
    Missing,
}

/// A text, or the content of the file that it names.
pub(super) fn template(workspace: &Workspace, workflow: &str, kind: ReferenceKind, text: &str) -> Template {
    if !is_template_path(text) {
        return Template::Text(text.to_owned());
    }
    for path in candidates(workspace, workflow, kind, text) {
        if let Blob::Bytes(bytes) = workspace.view.read(&path, DOCUMENT_LIMIT) {
            return match String::from_utf8(bytes) {
                Ok(text) => Template::File(path, text),
                Err(_) => Template::Missing,
            };
        }
    }
    Template::Missing
}

/// The places where a file that a workflow names is looked for.
pub(super) fn candidates(workspace: &Workspace, workflow: &str, kind: ReferenceKind, name: &str) -> Vec<RepoPath> {
    let layout = &workspace.layout;
    reference_paths(kind, name, &layout.workflows().join(format!("{workflow}.yaml").as_str()), layout)
}

/// `{{report.X}}`: the last answer of a step or of a part of it, by its name or by the name of its report. Empty if the
/// step has not ended yet, because a loop may use it later; `None` if nothing has the name.
fn report_text(open: &OpenRun, name: &str) -> Option<String> {
    let definition = open.definition().ok()?;
    let bare = |text: &str| text.rsplit_once('.').map_or(text, |(stem, _)| stem).to_owned();
    let is_named =
        |text: &Option<SpannedText>| text.as_ref().is_some_and(|text| text.text == name || bare(&text.text) == name);
    let own = definition.steps.iter().find(|step| step.name.text == name || is_named(&step.report));
    if let Some(step) = own {
        let Some(ended) = open.journal.state.last_end(&step.name.text) else { return Some(String::new()) };
        let answer = ended.task.and_then(|task| open.folder.answer(task));
        return Some(answer.unwrap_or_else(|| joined_answers(open, ended)));
    }
    definition.steps.iter().find_map(|step| {
        let child = step.fan_out.children.iter().position(|child| is_named(&child.name) || is_named(&child.report))?;
        Some(child_text(open, step, child))
    })
}

/// The answer of a part of a step, by the name of the step's report and the number of the part from 0: `review_0`.
fn part_text(open: &OpenRun, name: &str) -> Option<String> {
    let (report, child) = name.rsplit_once('_')?;
    let definition = open.definition().ok()?;
    let is_own =
        |step: &&WorkflowStep| step.name.text == report || step.report.as_ref().is_some_and(|own| own.text == report);
    let child: usize = child.parse().ok()?;
    let step = definition.steps.iter().find(is_own).filter(|step| child < step.fan_out.children.len())?;
    Some(child_text(open, step, child))
}

/// The last answer of a part of a step; empty if it has not ended yet.
fn child_text(open: &OpenRun, step: &WorkflowStep, child: usize) -> String {
    let ended = open.journal.state.last_end(&step.name.text);
    let mut tasks = ended.iter().flat_map(|ended| &ended.tasks);
    let task = tasks.rfind(|task| task.role == TaskRole::Child(child) && task.is_finished());
    task.and_then(|task| open.folder.answer(task.number)).unwrap_or_default()
}

/// The answers of all parts of a step.
fn joined_answers(open: &OpenRun, ended: &canonry_runs::workflow::run_state::EndedStep) -> String {
    let answers = ended.tasks.iter().filter(|task| task.is_finished());
    let texts: Vec<String> = answers.filter_map(|task| open.folder.answer(task.number)).collect();
    if texts.is_empty() { ended.answer.clone() } else { texts.join("\n\n") }
}

/// The steps whose work counts, in order, each once with its last answer.
fn earlier_answers(open: &OpenRun) -> Vec<(usize, String)> {
    let state: &RunState = &open.journal.state;
    let mut found: Vec<(usize, String)> = Vec::new();
    for (at, ended) in state.ended_steps.iter().enumerate() {
        if ended.outcome == StepOutcome::Failed || ended.iteration != state.iteration {
            continue;
        }
        found.retain(|(earlier, _)| state.ended_steps[*earlier].step != ended.step);
        let answer = ended.task.and_then(|task| open.folder.answer(task));
        found.push((at, answer.unwrap_or_else(|| joined_answers(open, ended))));
    }
    found
}

/// Input of an evaluator: the generator's answer of the same attempt.
fn product(open: &OpenRun, spec: &TaskSpec) -> Option<String> {
    let current = open.journal.state.current.as_ref().filter(|_| spec.role == TaskRole::Evaluator)?;
    let task = current.task(TaskRole::Generator)?;
    open.folder.answer(task.number)
}
