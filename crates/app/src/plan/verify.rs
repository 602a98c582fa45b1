//! Runs the commands of every step again, in a clean checkout of the last commit.

use super::committed::CommittedCommands;
use super::gate::{self, Gates};
use super::load::LoadedPlan;
use super::run::records::Records;
use super::verification::{COMMAND_TIMEOUT, Checks, Verifier};
use super::{StepStatus, edits};
use crate::{Error, ErrorKind, Progress, RepoPath, Workspace};
use canonry_model::canon::Blob;
use canonry_model::canon::plan::PlanStep;
use canonry_model::canon::plan_graph::PlanGraph;
use canonry_model::canon::report::{AttemptCause, AttemptOutcome};
use canonry_repo::git::attempt::{NamedObject, find_object};
use canonry_repo::git::integrate::{Integrated, revert};
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_runs::plan::{AttemptFacts, CommandResult, attempt_report};
use serde_json::{Value, json};
use std::cell::RefCell;

/// Which plan to verify.
#[derive(Clone, Debug, Default)]
pub struct VerifyPlanRequest {
    /// The plan's id; the only plan by default.
    pub plan: Option<String>,
    /// Take the work of the steps that fail back by new commits.
    pub revert: bool,
}

/// The result of a verification.
#[derive(Clone, Debug)]
pub struct PlanVerification {
    /// The plan's id.
    pub plan: String,
    /// The verified commit.
    pub commit: String,
    /// Number of commands that were run.
    pub commands: usize,
    /// The steps whose commands failed, with the failure. They are pending again.
    pub failures: Vec<(String, String)>,
    /// Result of reverting the work of these steps, if it was requested.
    pub reverted: Vec<(String, Reverted)>,
    /// The file with the results, from the top of the repository.
    pub path: RepoPath,
}

/// Result of reverting the work of a failed step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reverted {
    /// This commit takes it back.
    Commit(String),
    /// It stays, for this reason.
    Kept(String),
}

/// Verifies a plan whose steps are all complete.
///
/// # Errors
/// [`ErrorKind::Refused`] if a step is not complete, needs approval or is forbidden, or the plan has no commands or
/// uncommitted ones;
/// [`ErrorKind::Unreadable`] if there is no commit.
pub fn run(
    workspace: &Workspace,
    request: &VerifyPlanRequest,
    progress: &dyn Progress,
) -> Result<PlanVerification, Error> {
    let loaded = LoadedPlan::load_with_reports(workspace, request.plan.as_deref())?;
    let steps = &loaded.document()?.steps;
    let path = verification_path(workspace, &loaded)?;
    if request.revert
        && let Some(earlier) = earlier_failures(workspace, &loaded, &path)?
    {
        return Ok(earlier);
    }
    if let Some(open) = steps.iter().find(|step| step.status != StepStatus::Complete) {
        let message = format!("`{}` is {}: only a complete plan is verified", open.id_text(), open.status.as_str());
        return Err(Error::new(ErrorKind::Refused, message).help("run `canonry run show` to see what is left"));
    }
    let committed = CommittedCommands::load(workspace, &loaded)?;
    let gates = Gates::new(workspace, &loaded.id);
    steps.iter().try_for_each(|step| committed.require(step).and_then(|()| gates.require(step)))?;
    if steps.iter().all(|step| gate::commands(step).next().is_none()) {
        let message = format!("no step of `{}` has a `Run:` command, so nothing can be verified", loaded.id);
        return Err(Error::new(ErrorKind::Refused, message).help("add `Run: …` to `commands` of the steps"));
    }
    let repo = workspace.repo()?;
    let head = repo.head_id().map_err(|_| Error::new(ErrorKind::Unreadable, "there is no commit to verify"))?.detach();
    let setup = crate::owners::setup(workspace)?;
    let checks = Checks {
        setup: setup.as_deref(),
        timeout: COMMAND_TIMEOUT,
        cancel: &workspace.env.cancel,
        tree: &RefCell::default(),
    };
    let log = Records::new(workspace, &loaded.id)?.log("verification", 0);
    let verifier = Verifier { workspace, gates: &gates, log, checks: &checks };
    let checkout = verifier.checkout(head)?;
    let graph = PlanGraph::new(steps);
    let order = graph.components().into_iter().flatten().filter_map(|at| steps.get(at));
    let mut reports: Vec<Value> = Vec::new();
    let mut failures: Vec<(String, String)> = Vec::new();
    let mut commands = 0;
    progress.start("steps", steps.len());
    for step in order {
        let verification = verifier.run(step, &checkout)?;
        progress.advance(1);
        commands += verification.results.len();
        reports.push(step_report(workspace, step, &verification.results, verification.failure.clone()));
        if let Some(failure) = verification.failure {
            failures.push((step.id_text().to_owned(), failure));
        }
    }
    progress.finish();
    let document = json!({
        "plan": loaded.id,
        "outcome": if failures.is_empty() { "success" } else { "failure" },
        "commit": head.to_string(),
        "timestamp": workspace.env.clock.now().to_string(),
        "reports": reports,
    });
    let reverted = if request.revert { revert_steps(workspace, &loaded, &failures)? } else { Vec::new() };
    write(workspace, &loaded, &path, &document, &failures)?;
    Ok(PlanVerification {
        commit: head.to_string(),
        commands,
        failures,
        reverted,
        path: workspace.view.full(&path),
        plan: loaded.id,
    })
}

/// Reverts the steps that the last verification found wrong, if nothing else of the plan is open.
fn earlier_failures(
    workspace: &Workspace,
    loaded: &LoadedPlan,
    path: &RepoPath,
) -> Result<Option<PlanVerification>, Error> {
    let Blob::Bytes(bytes) = workspace.view.read(path, DOCUMENT_LIMIT) else { return Ok(None) };
    let Ok(document) = serde_json::from_slice::<Value>(&bytes) else { return Ok(None) };
    let text = |node: &Value, key: &str| node.get(key).and_then(Value::as_str).map(str::to_owned);
    let reports = document.get("reports").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let failed = reports.iter().filter(|report| text(report, "outcome").as_deref() == Some("failure"));
    let failures: Vec<(String, String)> = failed
        .filter_map(|report| Some((text(report, "step_id")?, text(report, "error").unwrap_or_default())))
        .collect();
    let mut open = loaded.document()?.steps.iter().filter(|step| step.status != StepStatus::Complete).peekable();
    if open.peek().is_none() || !open.all(|step| failures.iter().any(|(id, _)| id == step.id_text())) {
        return Ok(None);
    }
    Ok(Some(PlanVerification {
        plan: loaded.id.clone(),
        commit: text(&document, "commit").unwrap_or_default(),
        commands: 0,
        reverted: revert_steps(workspace, loaded, &failures)?,
        failures,
        path: workspace.view.full(path),
    }))
}

/// Takes the work of steps back.
fn revert_steps(
    workspace: &Workspace,
    loaded: &LoadedPlan,
    failures: &[(String, String)],
) -> Result<Vec<(String, Reverted)>, Error> {
    // Later steps first: their work builds on that of the earlier ones.
    let failed = failures.iter().rev();
    failed.map(|(step, _)| Ok((step.clone(), revert_step(workspace, loaded, step)?))).collect()
}

fn step_report(workspace: &Workspace, step: &PlanStep, results: &[CommandResult], failure: Option<String>) -> Value {
    let outcome = if failure.is_none() { AttemptOutcome::Success } else { AttemptOutcome::Failure };
    let details = match (&failure, results.is_empty()) {
        (None, true) => "The step has no commands.",
        (None, false) => "Every command of the step exited 0 in a clean checkout.",
        (Some(_), _) => "A command of the step failed in a clean checkout.",
    };
    let facts = AttemptFacts {
        step: step.id_text(),
        attempt: 1,
        owner: step.owner.as_ref().map_or("", |owner| &owner.text),
        timestamp: workspace.env.clock.now(),
        outcome,
        cause: failure.is_some().then_some(AttemptCause::Unverified),
        error: failure,
        waiting_until: None,
        commands: results,
        commit: None,
        base: None,
    };
    let mut report = attempt_report(Some(&json!({"details": details})), &facts);
    // A verification is no attempt.
    if let Some(object) = report.as_object_mut() {
        object.remove("attempt");
    }
    report
}

/// Takes the work of a step back.
fn revert_step(workspace: &Workspace, loaded: &LoadedPlan, id: &str) -> Result<Reverted, Error> {
    let steps = &loaded.document()?.steps;
    let step = steps.iter().find(|step| step.id_text() == id);
    let mut results =
        step.into_iter().flat_map(|step| loaded.plan.attempts_at(step)).filter_map(|attempt| attempt.result.as_ref());
    // The last success: the report on the verification follows it.
    let success = results.rfind(|result| result.outcome == AttemptOutcome::Success);
    let ends = success.and_then(|result| Some((result.base.as_deref()?, result.commit.as_deref()?)));
    let Some((base, commit)) = ends else {
        return Ok(Reverted::Kept("its report names no commits".to_owned()));
    };
    let repo = workspace.repo()?;
    let find = |hex: &str| find_object(repo, hex).map_err(|e| Error::new(ErrorKind::Internal, e.to_string()));
    let (NamedObject::Commit(from), NamedObject::Commit(to)) = (find(base)?, find(commit)?) else {
        return Ok(Reverted::Kept("its commits are not in the repository".to_owned()));
    };
    let message = format!("Revert {id} (plan {})\n\nThe verification of the plan failed.\n", loaded.id);
    let names = |paths: &[RepoPath]| paths.iter().map(RepoPath::to_display).collect::<Vec<_>>().join(", ");
    Ok(match revert(repo, from, to, &message)? {
        Integrated::Merged { commit, .. } => Reverted::Commit(commit.to_string()),
        Integrated::UpToDate => Reverted::Kept("nothing of it is left".to_owned()),
        Integrated::Conflict { paths } => Reverted::Kept(format!("later work changed {} too", names(&paths))),
        Integrated::Dirty { paths } => Reverted::Kept(format!("{} changed in the work tree", names(&paths))),
        Integrated::Moved => Reverted::Kept("the branch moved in the meantime".to_owned()),
    })
}

/// `verification.json` beside the reports on the plan's steps.
fn verification_path(workspace: &Workspace, loaded: &LoadedPlan) -> Result<RepoPath, Error> {
    let folder = workspace.layout.reports_on(&loaded.plan.path).ok_or_else(|| {
        Error::new(ErrorKind::Refused, format!("plan `{}` can have no reports", loaded.id))
            .help(super::load::NO_REPORT_HELP)
    })?;
    Ok(folder.join("verification.json"))
}

/// Writes the results. A step that failed is pending again, with the failure as its reason.
fn write(
    workspace: &Workspace,
    loaded: &LoadedPlan,
    path: &RepoPath,
    document: &Value,
    failures: &[(String, String)],
) -> Result<(), Error> {
    let mut session = edits::begin_patiently(workspace)?;
    edits::write(workspace, &mut session, edits::json_edit(workspace, path.clone(), document)?)?;
    for (step, failure) in failures {
        let loaded = LoadedPlan::load_with_reports(workspace, Some(&loaded.id))?;
        let steps = &loaded.document()?.steps;
        let Some((at, found)) = steps.iter().enumerate().find(|(_, one)| one.id_text() == step) else { continue };
        if found.status != StepStatus::Complete {
            continue;
        }
        let Some((report, attempt)) = loaded.next_report(&workspace.layout, found) else { continue };
        let facts = AttemptFacts {
            step,
            attempt,
            owner: found.owner.as_ref().map_or("", |owner| &owner.text),
            timestamp: workspace.env.clock.now(),
            outcome: AttemptOutcome::Failure,
            cause: Some(AttemptCause::Reopened),
            error: Some(format!("the verification failed: {failure}")),
            waiting_until: None,
            commands: &[],
            commit: None,
            base: None,
        };
        let report_edit = edits::json_edit(workspace, report, &attempt_report(None, &facts))?;
        let status_edit = edits::status_edit(workspace, &loaded, at, StepStatus::Pending)?;
        edits::write(workspace, &mut session, report_edit)?;
        edits::write(workspace, &mut session, status_edit)?;
    }
    Ok(())
}
