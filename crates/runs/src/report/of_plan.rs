//! The report of a plan, from the reports of its attempts.

use super::{
    ReportOutcome, ReportedAttempt, ReportedStatus, ReportedStep, ReportedVerification, RunReport, first_failure,
};
use crate::exec::RunKind;
use crate::plan::CommandResult;
use crate::plan::verification::VERIFICATION_FILES;
use canonry_model::canon::plan::{Plan, PlanStep, StepStatus};
use canonry_model::canon::plan_graph::PlanGraph;
use canonry_model::canon::report::{AttemptCause, AttemptOutcome, AttemptResult, StepAttempt};
use canonry_model::canon::worker_usage::WorkerUsage;
use canonry_text::json;
use canonry_text::node::Node;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

impl RunReport {
    /// The report of a plan that has its attempts.
    pub fn of_plan(id: &str, plan: &Plan, verification: Option<ReportedVerification>) -> Self {
        let document = plan.document.as_ref().ok();
        let steps: &[PlanStep] = document.map(|document| document.steps.as_slice()).unwrap_or_default();
        let root = document.and_then(|document| document.yaml.as_ref().ok()).map(|yaml| &yaml.root);
        let text = |key: &str| root.and_then(|root| root.get(key)).and_then(Node::as_str).map(str::to_owned);
        let mut by_step: HashMap<&str, Vec<&StepAttempt>> = HashMap::new();
        for attempt in counted(&plan.attempts) {
            by_step.entry(attempt.step.as_str()).or_default().push(attempt);
        }
        let graph = PlanGraph::new(steps);
        let reported = steps.iter().enumerate().map(|(at, step)| {
            let mut own = by_step.remove(step.id_text()).unwrap_or_default();
            own.sort_by_key(|attempt| attempt.number);
            reported_step(step, graph.deps(at), &own)
        });
        let steps: Vec<ReportedStep> = reported.collect();
        Self {
            name: id.to_owned(),
            kind: RunKind::Plan,
            title: text("title"),
            goal: text("goal"),
            workflow: None,
            outcome: outcome(&steps, verification.as_ref()),
            reason: None,
            started: None,
            last: None,
            parameters: BTreeMap::new(),
            verification,
            question: None,
            diagram: None,
            first_failure: first_failure(&steps, |step| {
                // An attempt that a later one made good is no failure of the plan.
                step.status != ReportedStatus::Complete && step.attempts.last().is_some_and(|last| !last.is_success())
            }),
            steps,
            decisions: Vec::new(),
            usage: WorkerUsage::default(),
        }
    }
}

/// The attempts without those that a verification or an earlier combined report repeats.
fn counted(attempts: &[Arc<StepAttempt>]) -> Vec<&StepAttempt> {
    let is_named = |attempt: &&StepAttempt, name: &str| attempt.path.file_name() == name;
    let is_own = |attempt: &&StepAttempt| {
        !is_named(attempt, "combined.json") && !VERIFICATION_FILES.iter().any(|name| is_named(attempt, name))
    };
    let mut counted: Vec<&StepAttempt> = attempts.iter().map(Arc::as_ref).filter(is_own).collect();
    let known: HashSet<(&str, u64)> = counted.iter().map(|attempt| (attempt.step.as_str(), attempt.number)).collect();
    let combined = attempts.iter().map(Arc::as_ref).filter(|attempt| is_named(attempt, "combined.json"));
    counted.extend(combined.filter(|attempt| !known.contains(&(attempt.step.as_str(), attempt.number))));
    counted
}

fn outcome(steps: &[ReportedStep], verification: Option<&ReportedVerification>) -> ReportOutcome {
    let last_failed = |step: &ReportedStep| {
        let last = step.attempts.last();
        step.status != ReportedStatus::Complete
            && last.is_some_and(|last| last.outcome == Some(AttemptOutcome::Failure))
    };
    if steps.iter().any(|step| step.status == ReportedStatus::Blocked) {
        return ReportOutcome::Blocked;
    }
    // A status that somebody wrote proves nothing.
    let is_complete = steps.iter().all(ReportedStep::is_proved);
    match verification {
        Some(verification) if is_complete && verification.problem.is_none() => ReportOutcome::Success,
        Some(_) if is_complete => ReportOutcome::Failure,
        _ if !is_complete && steps.iter().any(last_failed) => ReportOutcome::Failure,
        _ => ReportOutcome::Incomplete,
    }
}

fn reported_step(step: &PlanStep, deps: &[usize], attempts: &[&StepAttempt]) -> ReportedStep {
    ReportedStep {
        name: step.id_text().to_owned(),
        owner: step.owner.as_ref().map(|owner| owner.text.clone()).unwrap_or_default(),
        description: step.description.clone(),
        criteria: step.criteria.clone(),
        status: match step.status {
            StepStatus::Pending | StepStatus::Unknown => ReportedStatus::Pending,
            StepStatus::InProgress => ReportedStatus::InProgress,
            StepStatus::Complete => ReportedStatus::Complete,
            StepStatus::Blocked => ReportedStatus::Blocked,
        },
        deps: deps.to_vec(),
        attempts: attempts.iter().map(|attempt| reported_attempt(attempt)).collect(),
        ..ReportedStep::default()
    }
}

fn reported_attempt(attempt: &StepAttempt) -> ReportedAttempt {
    let result = attempt.result.as_ref();
    let root = result.and_then(report_node);
    let items =
        |key: &str| root.as_ref().and_then(|root| root.get(key)).and_then(Node::as_sequence).unwrap_or_default();
    let text = |node: &Node, key: &str| node.get(key).and_then(Node::as_str).map(str::to_owned);
    let command = |node: &Node| {
        let exit_status = node.get("exit_status")?.spanned_text()?.text.parse().ok()?;
        Some(CommandResult { command: text(node, "command")?, exit_status })
    };
    let artifact = |node: &Node| {
        let state = |first: &str, second: &str| Some((text(node, first)?, text(node, second)?));
        state("test", "result").or_else(|| state("file", "status"))
    };
    let mut document = match root.as_ref().map(Node::to_json) {
        Some(Value::Object(document)) => document,
        _ => Map::new(),
    };
    // Reports may leave them out; in a combined report the path does not say them.
    document.entry("step_id").or_insert_with(|| attempt.step.clone().into());
    document.entry("attempt").or_insert_with(|| attempt.number.into());
    document.insert("path".to_owned(), attempt.path.to_display().into());
    ReportedAttempt {
        number: attempt.number,
        outcome: result.map(|result| result.outcome),
        cause: result.and_then(|result| result.cause).map(AttemptCause::as_str),
        owner: result.and_then(|result| result.owner.clone()),
        ended: result.and_then(|result| result.timestamp),
        details: result.map(|result| result.details.clone()).unwrap_or_default(),
        error: result.and_then(|result| result.error.clone()),
        commit: result.and_then(|result| result.commit.clone()),
        commands: items("commands").iter().filter_map(command).collect(),
        artifacts: items("artifacts").iter().filter_map(artifact).collect(),
        path: Some(attempt.path.to_display()),
        document,
        ..ReportedAttempt::default()
    }
}

/// The report of an attempt: the whole file, or an entry of an earlier combined report.
fn report_node(result: &AttemptResult) -> Option<Node> {
    let root = json::parse(result.source.text(), 0).ok()?.root;
    match root.get("reports").and_then(Node::as_sequence).filter(|_| root.get("step_id").is_none()) {
        None => Some(root),
        Some(entries) => {
            let holds = |node: &&Node| node.span.offset <= result.span.offset && result.span.end() <= node.span.end();
            entries.iter().find(holds).cloned()
        }
    }
}
