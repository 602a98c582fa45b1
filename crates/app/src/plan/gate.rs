//! Human gates of the steps of a plan: gathers what [`Gate::decide`] needs.

use crate::command_guard::{CommandGuard, reason};
use crate::{Error, ErrorKind, RepoPath, Workspace};
use canonry_guard::Verdict;
use canonry_model::canon::Blob;
use canonry_model::canon::approval::{self, Approval};
use canonry_model::canon::plan::PlanStep;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_runs::plan::gate::{Gate, LineVerdict};
use canonry_runs::plan::run::PersonRequest;
use std::cell::OnceCell;

/// Decides about the gates of one plan.
pub(super) struct Gates<'w> {
    workspace: &'w Workspace,
    plan: String,
    /// Loaded for the first command: most steps of a plan are not asked about.
    guard: OnceCell<CommandGuard>,
}

impl<'w> Gates<'w> {
    pub fn new(workspace: &'w Workspace, plan: &str) -> Self {
        Self { workspace, plan: plan.to_owned(), guard: OnceCell::new() }
    }

    /// The gate of a step.
    ///
    /// # Errors
    /// The step's approval or the team's permissions cannot be read: then nothing may run.
    pub fn gate(&self, step: &PlanStep) -> Result<Gate, Error> {
        let lines = commands(step).map(|command| self.decide(command)).collect::<Result<Vec<_>, Error>>()?;
        // Without anything to approve, no approval is read.
        if Gate::decide(step, lines.iter().cloned(), true) == Gate::Open {
            return Ok(Gate::Open);
        }
        let is_approved = self.approval(step)?.is_some_and(|approval| approval.covers(&self.plan, step));
        Ok(Gate::decide(step, lines, is_approved))
    }

    /// Why a step does not start, and the command that lets it; `None` if it may start.
    ///
    /// # Errors
    /// See [`Self::gate`].
    pub fn obstacle(&self, step: &PlanStep) -> Result<Option<PersonRequest>, Error> {
        let gate = self.gate(step)?;
        let Some(reason) = gate.obstacle() else { return Ok(None) };
        let approve = format!("canonry run approve {} {} --reason TEXT", self.plan, step.id_text());
        Ok(Some(match gate {
            Gate::NeedsApproval(_) => PersonRequest::with_command(&reason, approve, "approves it"),
            _ => reason.into(),
        }))
    }

    /// Checks that nobody has to decide before the step is started, run or finished.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] if a person is needed; see also [`Self::gate`].
    pub fn require(&self, step: &PlanStep) -> Result<(), Error> {
        let id = step.id_text();
        let plan = &self.plan;
        match self.gate(step)? {
            Gate::Open | Gate::Approved => Ok(()),
            Gate::NeedsApproval(reason) => {
                Err(Error::new(ErrorKind::Refused, format!("`{id}` needs approval: {reason}"))
                    .help(format!("ask a person to run `canonry run approve {plan} {id} --reason TEXT`")))
            }
            Gate::Forbidden(reason) => Err(Error::new(ErrorKind::Refused, format!("`{id}` is forbidden: {reason}"))
                .help("change the command in the plan; if it is needed, a person runs it outside of the plan")),
        }
    }

    fn decide(&self, command: &str) -> Result<LineVerdict, Error> {
        let guard = match self.guard.get() {
            Some(guard) => guard,
            None => {
                let loaded = CommandGuard::load(self.workspace)?;
                self.guard.get_or_init(|| loaded)
            }
        };
        let verdict = guard.decide(command);
        Ok(match verdict.verdict {
            Verdict::Allow | Verdict::Unlisted => LineVerdict::Free,
            Verdict::Ask => LineVerdict::Asked(reason(&verdict)),
            Verdict::Deny => LineVerdict::Denied(reason(&verdict)),
        })
    }

    /// The approval of a step, whether or not the step changed since.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn approval(&self, step: &PlanStep) -> Result<Option<Approval>, Error> {
        let path = path(self.workspace, &self.plan, step);
        match self.workspace.view.read(&path, DOCUMENT_LIMIT) {
            Blob::Bytes(bytes) => Approval::parse(&bytes).map(Some).map_err(|e| {
                let message = format!("{}: invalid approval: {e}", self.workspace.view.full(&path));
                Error::new(ErrorKind::Unreadable, message)
                    .help("restore the file with git, or delete it and approve again")
            }),
            Blob::Missing(_) => Ok(None),
        }
    }
}

/// The path of a step's approval.
pub(super) fn path(workspace: &Workspace, plan: &str, step: &PlanStep) -> RepoPath {
    approval::path(&workspace.layout, plan, step.id_text())
}

/// The command lines that canonry runs for a step.
pub(super) fn commands(step: &PlanStep) -> impl Iterator<Item = &str> {
    step.commands.iter().filter_map(|command| command.text.strip_prefix("Run:")).map(str::trim)
}
