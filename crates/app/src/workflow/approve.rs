//! Records what a person decides at a gate, at a step of a person, or after a failure.

use super::open_run::OpenRun;
use crate::{Error, ErrorKind, Workspace};
use canonry_repo::git::commit::committer;
use canonry_runs::workflow::WorkflowGraph;
use canonry_runs::workflow::engine::{AnswerError, Decided, Engine, RunnerAction, answer, approving, rejecting};
use canonry_runs::workflow::event::RunEvent;
use canonry_runs::workflow::log_line::destination;

/// A decision.
#[derive(Clone, Debug, Default)]
pub struct ApproveGateRequest {
    /// The run's id.
    pub run: String,
    /// The gate or step; the open question by default.
    pub gate: Option<String>,
    /// The chosen option; the only affirmative one by default.
    pub option: Option<String>,
    /// Choose the option that rejects by default.
    pub rejects: bool,
    /// Why.
    pub reason: Option<String>,
}

/// Recorded answer.
#[derive(Clone, Debug)]
pub struct ApprovedGate {
    /// The run's id.
    pub run: String,
    /// The gate or step.
    pub gate: String,
    /// The chosen option.
    pub option: String,
    /// Who decided.
    pub by: String,
    /// Where the run goes, for people.
    pub next: String,
}

/// Records a decision.
///
/// # Errors
/// [`ErrorKind::Refused`] if the question was answered before; [`ErrorKind::Usage`] if it has no such option;
/// [`ErrorKind::Unreadable`] if nobody is asked, or git knows no author.
pub fn run(workspace: &Workspace, request: &ApproveGateRequest) -> Result<ApprovedGate, Error> {
    let mut open = OpenRun::open(workspace, &request.run)?;
    let by = committer(workspace.repo()?)?;
    let now = workspace.env.clock.now();
    // The question may be due, but not asked yet.
    if let Ok(_lock) = open.folder.lock() {
        ask_due_question(workspace, &mut open)?;
    }
    let definition = open.workflow.definition()?;
    let graph = WorkflowGraph::new(definition);
    let id = open.folder.id.clone();
    let expired = open.journal.update(now, |state| {
        Ok(match Engine::new(definition, &graph, state).next(now) {
            RunnerAction::Record(events) if matches!(events.as_slice(), [RunEvent::GateExpired { .. }]) => {
                (events, state.question.as_ref().map(|question| question.name.clone()))
            }
            _ => (Vec::new(), None),
        })
    })?;
    if let Some(gate) = expired {
        open.record(workspace, Vec::new())?;
        return Err(Error::new(ErrorKind::Refused, format!("the time to decide at `{gate}` is over"))
            .help(format!("see `canonry run status {id}`")));
    }
    let event = open.journal.update(now, |state| {
        let engine = Engine::new(definition, &graph, state);
        let options = state.question.as_ref().map_or(&[][..], |question| &question.options);
        let option = match &request.option {
            Some(option) => option.clone(),
            None => default_option(options, request.rejects, &id)?,
        };
        let decided =
            Decided { name: request.gate.as_deref(), option: &option, by: &by, why: request.reason.as_deref() };
        let event = answer(&engine, decided).map_err(|error| refusal(&error, &id))?;
        Ok((vec![event.clone()], event))
    })?;
    open.record(workspace, Vec::new())?;
    let RunEvent::PersonAnswered { name, option, by, next, .. } = event else {
        return Err(Error::new(ErrorKind::Internal, "the decision is not recorded"));
    };
    Ok(ApprovedGate { run: id, gate: name, option, by, next: destination(&next) })
}

fn ask_due_question(workspace: &Workspace, open: &mut OpenRun) -> Result<(), Error> {
    use canonry_runs::workflow::run_state::RunPosition;
    loop {
        let state = &open.journal.state;
        let is_due =
            matches!(state.position, RunPosition::Gate { .. } | RunPosition::Person { .. } | RunPosition::Step(_));
        if state.question.is_some() || state.current.is_some() || !is_due {
            return Ok(());
        }
        // Only a question: a step is begun by a runner.
        let action = open.with_engine(|engine| engine.next(workspace.env.clock.now()))?;
        let RunnerAction::Record(events) = action else { return Ok(()) };
        if !matches!(events.as_slice(), [RunEvent::PersonAsked(_)]) {
            return Ok(());
        }
        open.advance_once(workspace)?;
    }
}

/// The option that approves, or the one that rejects.
fn default_option(options: &[String], rejects: bool, run: &str) -> Result<String, Error> {
    let chosen = if rejects { rejecting(options) } else { approving(options) };
    match (chosen, options) {
        (Some(option), _) => Ok(option.to_owned()),
        (None, []) => Err(Error::new(ErrorKind::Refused, format!("the run `{run}` waits for no decision"))
            .help(format!("see `canonry run status {run}`"))),
        (None, options) => Err(Error::new(ErrorKind::Usage, "choose one of the options with `--option`")
            .help(format!("the options are {}", options.join(", ")))),
    }
}

fn refusal(error: &AnswerError, run: &str) -> Error {
    let kind = match error {
        AnswerError::UnknownOption { .. } => ErrorKind::Usage,
        AnswerError::AlreadyAnswered { .. } | AnswerError::NotAsked(_) => ErrorKind::Refused,
    };
    Error::new(kind, error.to_string()).help(format!("see `canonry run status {run}`"))
}
