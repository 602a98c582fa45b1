//! The combined report of a plan: every attempt with its result, as JSON and Markdown.

use super::CommandResult;
use super::markdown_page::is_placeholder;
use super::verification::VERIFICATION_FILES;
use canonry_model::canon::plan::{Plan, PlanStep, StepStatus};
use canonry_model::canon::plan_graph::PlanGraph;
use canonry_model::canon::report::{AttemptOutcome, AttemptResult, StepAttempt};
use canonry_model::canon::timestamp::Timestamp;
use canonry_text::json;
use canonry_text::markup::{markdown_code, markdown_text};
use canonry_text::node::Node;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

/// The schema of the JSON document.
pub const COMBINED_SCHEMA: &str = "canonry/combined/v1";

/// Marks a page that canonry wrote and may replace.
pub const MARKER: &str = "<!-- Written by `canonry run report`. -->";

/// The combined report of a plan.
#[derive(Clone, Debug)]
pub struct CombinedReport {
    /// The plan's id.
    pub plan: String,
    pub title: Option<String>,
    pub goal: Option<String>,
    pub outcome: PlanOutcome,
    /// The steps in file order.
    pub steps: Vec<CombinedStep>,
    /// The attempts by step in file order, then by number.
    pub attempts: Vec<CombinedAttempt>,
    /// The index of the earliest attempt that did not succeed, of the steps whose last attempt did not succeed.
    pub first_failure: Option<usize>,
    pub verification: CombinedVerification,
}

/// Result of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanOutcome {
    /// Every step is complete, its last report is a success, and the verification holds.
    Success,
    /// The last attempt at a step failed, or the verification does not hold.
    Failure,
    /// A step is blocked.
    Blocked,
    /// Work remains.
    Incomplete,
}

impl PlanOutcome {
    /// The outcome as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Blocked => "blocked",
            Self::Incomplete => "incomplete",
        }
    }
}

/// The verification of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CombinedVerification {
    /// Where it is; `None` if there is none.
    pub path: Option<String>,
    /// Problem of the entry; `None` if it holds.
    pub problem: Option<String>,
}

impl CombinedVerification {
    /// Whether there is a verification and it holds.
    pub fn holds(&self) -> bool {
        self.path.is_some() && self.problem.is_none()
    }
}

/// A step with its attempts.
#[derive(Clone, Debug)]
pub struct CombinedStep {
    pub id: String,
    pub owner: String,
    pub description: String,
    pub criteria: Vec<String>,
    pub status: StepStatus,
    /// The steps that it depends on, by index.
    pub deps: Vec<usize>,
    /// Its attempts, as indexes of [`CombinedReport::attempts`].
    pub attempts: std::ops::Range<usize>,
}

/// An attempt with what its report says.
#[derive(Clone, Debug)]
pub struct CombinedAttempt {
    /// The index of the step.
    pub step: usize,
    pub number: u64,
    /// The report's path.
    pub path: String,
    /// `None` if the report is invalid.
    pub outcome: Option<AttemptOutcome>,
    pub cause: Option<&'static str>,
    pub owner: Option<String>,
    pub timestamp: Option<Timestamp>,
    pub details: String,
    pub error: Option<String>,
    pub commit: Option<String>,
    pub commands: Vec<CommandResult>,
    /// Changed files and executed tests, each with its status or result.
    pub artifacts: Vec<(String, String)>,
    /// The report itself.
    document: Map<String, Value>,
}

impl CombinedAttempt {
    /// The outcome in words.
    pub fn outcome_word(&self) -> &'static str {
        match self.outcome {
            Some(AttemptOutcome::Success) => "success",
            Some(AttemptOutcome::Failure) => "failure",
            Some(AttemptOutcome::Blocked) => "blocked",
            None => "invalid report",
        }
    }
}

impl CombinedReport {
    /// Combines a plan that has its attempts.
    pub fn build(id: &str, plan: &Plan, verification: CombinedVerification) -> Self {
        let document = plan.document.as_ref().ok();
        let steps: &[PlanStep] = document.map(|document| document.steps.as_slice()).unwrap_or_default();
        let root = document.and_then(|document| document.yaml.as_ref().ok()).map(|yaml| &yaml.root);
        let text = |key: &str| root.and_then(|root| root.get(key)).and_then(Node::as_str).map(str::to_owned);
        let mut by_step: HashMap<&str, Vec<&StepAttempt>> = HashMap::new();
        for attempt in counted(&plan.attempts) {
            by_step.entry(attempt.step.as_str()).or_default().push(attempt);
        }
        let graph = PlanGraph::new(steps);
        let mut attempts = Vec::new();
        let mut combined = Vec::with_capacity(steps.len());
        for (at, step) in steps.iter().enumerate() {
            let start = attempts.len();
            let mut own = by_step.remove(step.id_text()).unwrap_or_default();
            own.sort_by_key(|attempt| attempt.number);
            attempts.extend(own.into_iter().map(|attempt| CombinedAttempt::new(at, attempt)));
            combined.push(CombinedStep::new(step, graph.deps(at), start..attempts.len()));
        }
        // An attempt that a later one made good is no failure of the plan.
        let is_failure = |attempt: &CombinedAttempt| {
            attempt.outcome != Some(AttemptOutcome::Success) && combined[attempt.step].is_failed(&attempts)
        };
        let failures = attempts.iter().enumerate().filter(|(_, attempt)| is_failure(attempt));
        let first_failure = failures.min_by_key(|(at, attempt)| (attempt.timestamp.is_none(), attempt.timestamp, *at));
        Self {
            plan: id.to_owned(),
            title: text("title"),
            goal: text("goal"),
            outcome: outcome(&combined, &attempts, &verification),
            first_failure: first_failure.map(|(at, _)| at),
            steps: combined,
            attempts,
            verification,
        }
    }

    /// The number of steps with a status.
    pub fn count(&self, status: StepStatus) -> usize {
        self.steps.iter().filter(|step| step.status == status).count()
    }

    /// The id of the step of an attempt.
    pub fn step_id(&self, attempt: &CombinedAttempt) -> &str {
        self.steps.get(attempt.step).map_or("", |step| step.id.as_str())
    }

    /// The document `canonry/combined/v1`, which `combined.json` holds.
    pub fn to_json(&self) -> String {
        let steps: Vec<Value> = self.steps.iter().map(|step| self.step_to_json(step)).collect();
        let (valid, invalid): (Vec<_>, Vec<_>) = self.attempts.iter().partition(|attempt| attempt.outcome.is_some());
        let reports: Vec<Value> = valid.iter().map(|attempt| Value::Object(attempt.document.clone())).collect();
        let invalid: Vec<&str> = invalid.iter().map(|attempt| attempt.path.as_str()).collect();
        let verification = self.verification.path.as_ref().map(
            |path| json!({"path": path, "holds": self.verification.holds(), "problem": self.verification.problem}),
        );
        let document = json!({
            "schema": COMBINED_SCHEMA,
            "plan": self.plan,
            "title": self.title,
            "outcome": self.outcome.as_str(),
            "verification": verification,
            "steps": steps,
            "reports": reports,
            "invalid_reports": invalid,
        });
        serde_json::to_string_pretty(&document).expect("a JSON value has a text") + "\n"
    }

    fn step_to_json(&self, step: &CombinedStep) -> Value {
        let attempts = self.attempts.get(step.attempts.clone()).unwrap_or_default();
        json!({
            "id": step.id,
            "owner": step.owner,
            "status": step.status.as_str(),
            "attempts": attempts.len(),
            "outcome": attempts.last().filter(|last| last.outcome.is_some()).map(CombinedAttempt::outcome_word),
        })
    }

    /// The report as a page for people.
    pub fn to_markdown(&self) -> String {
        let mut text =
            format!("# Report: {}\n\n{MARKER}\n\n", markdown_text(self.title.as_deref().unwrap_or(&self.plan)));
        let _ = writeln!(
            text,
            "Outcome: **{}**. {} of {} steps complete, {} attempts.\n",
            self.outcome.as_str(),
            self.count(StepStatus::Complete),
            self.steps.len(),
            self.attempts.len()
        );
        if let Some(goal) = self.goal.as_deref().filter(|goal| !is_placeholder(goal)) {
            let _ = writeln!(text, "{}\n", markdown_text(goal));
        }
        let verification = match (&self.verification.path, &self.verification.problem) {
            (None, _) => "There is no verification.".to_owned(),
            (Some(path), None) => format!("The verification holds: {}.", markdown_code(path)),
            (Some(path), Some(problem)) => format!("{}: {}.", markdown_code(path), markdown_text(problem)),
        };
        let _ = writeln!(text, "{verification}\n");
        if let Some(attempt) = self.first_failure.and_then(|at| self.attempts.get(at)) {
            let _ = writeln!(
                text,
                "First failure: {}, attempt {} ({}){}\n",
                markdown_code(self.step_id(attempt)),
                attempt.number,
                attempt.outcome_word(),
                attempt.error.as_deref().map(|error| format!(": {}", markdown_text(error))).unwrap_or_default()
            );
        }
        text.push_str("## Criteria\n\n| step | status | owner | criterion |\n|---|---|---|---|\n");
        for step in &self.steps {
            let criteria: Vec<String> = step.criteria.iter().map(|text| markdown_text(text)).collect();
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} |",
                markdown_code(&step.id),
                step.status.as_str(),
                markdown_text(&step.owner),
                if criteria.is_empty() { markdown_text(&step.description) } else { criteria.join("; ") }
            );
        }
        text.push_str("\n## What changed\n\n");
        for attempt in self.attempts.iter().filter(|attempt| attempt.outcome == Some(AttemptOutcome::Success)) {
            let details = attempt.details.lines().next().unwrap_or_default();
            let _ = writeln!(
                text,
                "- {}: {}{}",
                markdown_code(self.step_id(attempt)),
                markdown_text(details),
                commit_note(attempt)
            );
            for (name, state) in &attempt.artifacts {
                let _ = writeln!(text, "  - {} ({})", markdown_code(name), markdown_text(state));
            }
        }
        text.push_str("\n## Attempts\n\n| step | attempt | result | time | commands |\n|---|---|---|---|---|\n");
        for attempt in &self.attempts {
            let commands: Vec<String> = attempt
                .commands
                .iter()
                .map(|run| format!("{} exit {}", markdown_code(&run.command), run.exit_status))
                .collect();
            let _ = writeln!(
                text,
                "| {} | {} | {}{} | {} | {} |",
                markdown_code(self.step_id(attempt)),
                attempt.number,
                attempt.outcome_word(),
                attempt.cause.map(|cause| format!(" ({cause})")).unwrap_or_default(),
                attempt.timestamp.map(|time| time.to_string()).unwrap_or_default(),
                commands.join("; ")
            );
        }
        text.push_str("\n## What remains\n\n");
        let open = self.steps.iter().filter(|step| step.status != StepStatus::Complete);
        let remains: String =
            open.map(|step| format!("- {} is {}\n", markdown_code(&step.id), step.status.as_str())).collect();
        text.push_str(if remains.is_empty() { "Nothing in this plan.\n" } else { &remains });
        text
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

fn commit_note(attempt: &CombinedAttempt) -> String {
    attempt.commit.as_deref().map(|commit| format!(" ({})", markdown_code(commit))).unwrap_or_default()
}

fn outcome(steps: &[CombinedStep], attempts: &[CombinedAttempt], verification: &CombinedVerification) -> PlanOutcome {
    let last_failed = |step: &CombinedStep| {
        let last = attempts.get(step.attempts.clone()).unwrap_or_default().last();
        step.status != StepStatus::Complete && last.is_some_and(|last| last.outcome == Some(AttemptOutcome::Failure))
    };
    if steps.iter().any(|step| step.status == StepStatus::Blocked) {
        return PlanOutcome::Blocked;
    }
    // A status that somebody wrote proves nothing.
    let is_complete = steps.iter().all(|step| step.is_proved(attempts));
    let has_failed = if is_complete { verification.path.is_some() } else { steps.iter().any(last_failed) };
    if is_complete && verification.holds() {
        PlanOutcome::Success
    } else if has_failed {
        PlanOutcome::Failure
    } else {
        PlanOutcome::Incomplete
    }
}

impl CombinedStep {
    /// Whether it is complete, and its last attempt succeeded.
    pub fn is_proved(&self, attempts: &[CombinedAttempt]) -> bool {
        let last = attempts.get(self.attempts.clone()).unwrap_or_default().last();
        self.status == StepStatus::Complete && last.is_some_and(|last| last.outcome == Some(AttemptOutcome::Success))
    }

    /// Whether it is not complete and its last attempt did not succeed.
    fn is_failed(&self, attempts: &[CombinedAttempt]) -> bool {
        let last = attempts.get(self.attempts.clone()).unwrap_or_default().last();
        self.status != StepStatus::Complete && last.is_some_and(|last| last.outcome != Some(AttemptOutcome::Success))
    }

    fn new(step: &PlanStep, deps: &[usize], attempts: std::ops::Range<usize>) -> Self {
        Self {
            id: step.id_text().to_owned(),
            owner: step.owner.as_ref().map(|owner| owner.text.clone()).unwrap_or_default(),
            description: step.description.clone(),
            criteria: step.criteria.clone(),
            status: step.status,
            deps: deps.to_vec(),
            attempts,
        }
    }
}

impl CombinedAttempt {
    fn new(step: usize, attempt: &StepAttempt) -> Self {
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
        Self {
            step,
            number: attempt.number,
            path: attempt.path.to_display(),
            outcome: result.map(|result| result.outcome),
            cause: result.and_then(|result| result.cause).map(canonry_model::canon::report::AttemptCause::as_str),
            owner: result.and_then(|result| result.owner.clone()),
            timestamp: result.and_then(|result| result.timestamp),
            details: result.map(|result| result.details.clone()).unwrap_or_default(),
            error: result.and_then(|result| result.error.clone()),
            commit: result.and_then(|result| result.commit.clone()),
            commands: items("commands").iter().filter_map(command).collect(),
            artifacts: items("artifacts").iter().filter_map(artifact).collect(),
            document,
        }
    }
}
