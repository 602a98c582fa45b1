//! Human gates: whether a step needs the approval of a person, and whether it has one.

use crate::app::plain_repository::PlainRepository;
use crate::app::{Error, ErrorKind, RepoPath, Workspace};
use crate::canon::Blob;
use crate::canon::plan::PlanStep;
use crate::plan::{Approval, approval};
use crate::protocol::{CallContext, Policy, ToolCall, Verdict, evaluate};
use crate::view::load::DOCUMENT_LIMIT;

/// What a person must do before a step starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Nothing.
    Open,
    /// A person has approved the step.
    Approved,
    /// A person must approve the step, for this reason.
    NeedsApproval(String),
    /// The team's permissions forbid a command of the step, for this reason.
    Forbidden(String),
}

/// Decides about the gates of one plan.
pub(super) struct Gates<'w> {
    workspace: &'w Workspace,
    plan: String,
    policy: Policy,
    context: CallContext,
}

impl<'w> Gates<'w> {
    /// Loads the team's permissions.
    ///
    /// # Errors
    /// The permissions cannot be read: then nothing may run.
    pub fn load(workspace: &'w Workspace, plan: &str) -> Result<Self, Error> {
        let unreadable = |message: String| Error::new(ErrorKind::Unreadable, message);
        let env = &workspace.env;
        let repository = PlainRepository::find(&env.cwd, env)
            .ok_or_else(|| unreadable(format!("`{}` is not in a git repository", env.cwd.display())))?;
        let policy = repository.policy();
        if let Some(problem) = policy.load_errors.first() {
            return Err(unreadable(format!("the permissions cannot be read: {problem}")));
        }
        let context = repository.call_context(&repository.top, env.home.as_deref());
        Ok(Self { workspace, plan: plan.to_owned(), policy, context })
    }

    /// The gate of a step.
    ///
    /// # Errors
    /// The step's approval cannot be read.
    pub fn gate(&self, step: &PlanStep) -> Result<Gate, Error> {
        let mut reason = step.approval.then(|| "the plan says `approval: true`".to_owned());
        for command in commands(step) {
            let call = ToolCall::Shell { command: command.to_owned(), cwd: None };
            let verdict = evaluate(&call, &self.policy, &self.context);
            match verdict.verdict {
                Verdict::Deny => return Ok(Gate::Forbidden(first_line(&verdict.explanation()))),
                Verdict::Ask if reason.is_none() => reason = Some(first_line(&verdict.explanation())),
                _ => {}
            }
        }
        let Some(reason) = reason else { return Ok(Gate::Open) };
        let is_approved = self.approval(step)?.is_some_and(|approval| approval.covers(&self.plan, step));
        Ok(if is_approved { Gate::Approved } else { Gate::NeedsApproval(reason) })
    }

    /// The approval of a step, whether or not the step changed since.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn approval(&self, step: &PlanStep) -> Result<Option<Approval>, Error> {
        let path = path(self.workspace, &self.plan, step);
        match self.workspace.view.read(&path, DOCUMENT_LIMIT) {
            Blob::Bytes(bytes) => {
                let invalid = |e: String| {
                    let message = format!("{}: invalid approval: {e}", self.workspace.view.full(&path));
                    Error::new(ErrorKind::Unreadable, message)
                        .help("restore the file with git, or delete it and approve again")
                };
                let text = String::from_utf8(bytes).map_err(|e| invalid(e.to_string()))?;
                Approval::parse(&text).map(Some).map_err(|e| invalid(e.to_string()))
            }
            Blob::Missing(_) => Ok(None),
        }
    }
}

/// The path of a step's approval.
pub(super) fn path(workspace: &Workspace, plan: &str, step: &PlanStep) -> RepoPath {
    let folder = workspace.layout.approvals().join(approval::file_name(plan).as_str());
    folder.join(format!("{}.json", approval::file_name(step.id_text())).as_str())
}

/// The command lines that canonry runs for a step.
pub(super) fn commands(step: &PlanStep) -> impl Iterator<Item = &str> {
    step.commands.iter().filter_map(|command| command.text.strip_prefix("Run:")).map(str::trim)
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim().to_owned()
}
