//! Pull requests of attempts: verified work waits for a person, and is complete once the branch has it.

use crate::attempt::{Candidate, Proposed};
use crate::plan::load::LoadedPlan;
use crate::plan::work::StepWork;
use crate::{Error, Workspace};
use canonry_model::canon::Blob;
use canonry_model::canon::plan::PlanStep;
use canonry_repo::git::integrate::has_work;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_runs::plan::CommandResult;
use canonry_runs::plan::run::Proposal;
use canonry_text::printable::{one_line, without_sequences};
use canonry_text::secrets::without_secrets;
use gix::ObjectId;
use serde_json::Value;

/// An attempt whose pull request was merged.
pub(super) struct MergedAttempt {
    /// The commit that it was forked from.
    pub base: Option<String>,
    pub report: Value,
}

/// Opens a pull request for verified work. `None` if there is no work that the branch does not have.
///
/// # Errors
/// The run was interrupted.
pub(super) fn propose(
    work: &StepWork<'_>,
    candidate: &Candidate,
    report: Option<&Value>,
    commands: &[CommandResult],
) -> Result<Option<Proposal>, Error> {
    let title = title(work.step, &work.loaded.id);
    let proposed = work.attempt_work().propose(candidate, &title, &body(work, report, commands))?;
    Ok(proposed.map(|Proposed { message, base, commit }| Proposal {
        message,
        base: base.to_string(),
        commit: commit.to_string(),
    }))
}

/// An attempt at a step that waited for its pull request, if the branch has its work.
///
/// # Errors
/// The repository cannot be read.
pub(super) fn merged(
    workspace: &Workspace,
    loaded: &LoadedPlan,
    step: &PlanStep,
    attempt: u64,
) -> Result<Option<MergedAttempt>, Error> {
    let proposed = loaded.plan.attempts_at(step).find(|one| one.number == attempt);
    let Some((proposed, result)) = proposed.and_then(|one| Some((one, one.result.as_ref()?))) else { return Ok(None) };
    let tip = result.commit.as_deref().and_then(|commit| ObjectId::from_hex(commit.as_bytes()).ok());
    let Some(tip) = tip else { return Ok(None) };
    let repo = workspace.repo()?;
    // Another clone may not have the commit.
    if !repo.has_object(tip) || !has_work(repo, tip)? {
        return Ok(None);
    }
    let Blob::Bytes(bytes) = workspace.view.read(&proposed.path, DOCUMENT_LIMIT) else { return Ok(None) };
    let Ok(report) = serde_json::from_slice(&bytes) else { return Ok(None) };
    Ok(Some(MergedAttempt { base: result.base.clone(), report }))
}

fn title(step: &PlanStep, plan: &str) -> String {
    match step.description.lines().find(|line| !line.trim().is_empty()) {
        Some(line) => format!("{}: {}", step.id_text(), one_line(line.trim())),
        None => format!("{} of plan {plan}", step.id_text()),
    }
}

/// The description: the summary of the worker, the criteria, and the commands with their exit statuses.
fn body(work: &StepWork<'_>, report: Option<&Value>, commands: &[CommandResult]) -> String {
    let StepWork { step, loaded, attempt, .. } = work;
    let details = report.and_then(|report| report.get("details")).and_then(Value::as_str).unwrap_or_default();
    let details = without_secrets(&without_sequences(details));
    let mut text =
        format!("{}\n\nStep `{}` of plan `{}`, attempt {attempt}.\n", details.trim(), step.id_text(), loaded.id);
    if !step.criteria.is_empty() {
        text.push_str("\nCriteria:\n");
        step.criteria.iter().for_each(|criterion| text.push_str(&format!("- {}\n", one_line(criterion))));
    }
    if !commands.is_empty() {
        text.push_str("\nCommands:\n");
        for CommandResult { command, exit_status } in commands {
            text.push_str(&format!("- `{}` exited {exit_status}\n", one_line(command)));
        }
    }
    text
}
