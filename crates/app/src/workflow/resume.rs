//! Which definition a run continues with, if the workflow changed since the run began.

use super::load::{LoadedWorkflow, content_id};
use super::open_run::OpenRun;
use crate::attempt::record_file;
use crate::{Error, ErrorKind, Workspace};
use canonry_runs::workflow::event::RunEvent;
use canonry_runs::workflow::resume::{ResumeBasis, resume_basis};
use canonry_text::node::Node;

/// Choice of the definition if it changed since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResumeChoice {
    /// By its version: a raised PATCH continues on the new definition, a raised MINOR on the old one, and anything
    /// else is refused.
    #[default]
    ByVersion,
    /// Continue on the definition that the run began with.
    Snapshot,
    /// Start again from the first step, on the current definition.
    Restart,
    /// Continue on the current definition from where the run is.
    Migrate,
}

impl ResumeChoice {
    fn word(self) -> &'static str {
        match self {
            Self::ByVersion => "current",
            Self::Snapshot => "snapshot",
            Self::Restart => "restarted",
            Self::Migrate => "migrated",
        }
    }
}

/// Chooses the definition that a run continues with, and records the choice if it is another one than before.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if the run cannot follow the change by itself, or the current definition has errors.
pub(super) fn continue_on(workspace: &Workspace, open: &mut OpenRun, choice: ResumeChoice) -> Result<(), Error> {
    if open.journal.state.is_ended() && choice != ResumeChoice::Restart {
        return Ok(());
    }
    let name = open.journal.state.start.workflow.clone();
    let current = match LoadedWorkflow::load(workspace, Some(&name)) {
        Ok(current) => current,
        // The run has its own copy.
        Err(_) if choice == ResumeChoice::Snapshot => return Ok(()),
        Err(error) => {
            let help = format!("correct it, or continue with `canonry run exec {} --snapshot`", open.folder.id);
            return Err(Error { help: Some(help), ..error });
        }
    };
    if choice == ResumeChoice::Restart {
        open.leave_step(workspace)?;
        let iteration = open.journal.state.iteration + 1;
        adopt(workspace, open, current, choice.word())?;
        let reason = Some("restarted by a person".to_owned());
        return open.record(workspace, vec![RunEvent::IterationStarted { iteration, reason }]);
    }
    if current.id()? == open.workflow.id()? || choice == ResumeChoice::Snapshot {
        return Ok(());
    }
    if choice == ResumeChoice::Migrate {
        return migrate(workspace, open, current);
    }
    let empty = Node { span: Default::default(), value: canonry_text::node::NodeValue::Sequence(Vec::new()) };
    let basis = resume_basis(open.workflow.root().unwrap_or(&empty), current.root().unwrap_or(&empty));
    match basis {
        ResumeBasis::Unchanged | ResumeBasis::Current => adopt(workspace, open, current, choice.word()),
        ResumeBasis::Snapshot => Ok(()),
        ResumeBasis::Refused(refusal) => {
            let message = format!("{} changed since the run `{}` began: {refusal}", current.path, open.folder.id);
            let help = format!(
                "continue on the old definition with `canonry run exec {0} --snapshot`, start again with \
                 `--restart`, or continue on the new one with `--migrate`",
                open.folder.id
            );
            Err(Error::new(ErrorKind::Unreadable, message).help(help))
        }
    }
}

/// Continues on a definition with another structure, if it still has the place where the run is.
fn migrate(workspace: &Workspace, open: &mut OpenRun, current: LoadedWorkflow) -> Result<(), Error> {
    use canonry_runs::workflow::run_state::RunPosition;
    let definition = current.definition()?;
    let state = &open.journal.state;
    let has_step = |name: &str| definition.steps.iter().any(|step| step.name.text == name);
    let lost = match (&state.current, &state.position) {
        (Some(step), _) if !has_step(&step.step) => Some(step.step.clone()),
        (None, RunPosition::Step(step) | RunPosition::Person { step, .. }) if !has_step(step) => Some(step.clone()),
        (None, RunPosition::Gate { id, .. }) if !definition.gates.iter().any(|gate| gate.id.text == *id) => {
            Some(id.clone())
        }
        _ => None,
    };
    if let Some(name) = lost {
        let message = format!("the run is at `{name}`, which the current definition does not have");
        return Err(Error::new(ErrorKind::Unreadable, message).help("use `--snapshot` or `--restart`"));
    }
    adopt(workspace, open, current, ResumeChoice::Migrate.word())
}

/// Replaces the run's copy of the definition.
fn adopt(workspace: &Workspace, open: &mut OpenRun, current: LoadedWorkflow, basis: &str) -> Result<(), Error> {
    if current.id()? == open.workflow.id()? {
        return Ok(());
    }
    let definition = content_id(&current.bytes)?;
    record_file::write(&open.folder.definition(), &current.bytes)?;
    open.workflow = current;
    open.record(workspace, vec![RunEvent::Resumed { definition, basis: basis.to_owned() }])
}
