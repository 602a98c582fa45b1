//! The report on an attempt: what the worker says, corrected and completed by what was verified.

use canonry_model::canon::report::{AttemptCause, AttemptOutcome};
use canonry_model::canon::timestamp::Timestamp;
use canonry_text::printable::without_sequences;
use canonry_text::secrets::without_secrets;
use serde_json::{Map, Value, json};

/// Longest text in a report, in characters.
const MAX_TEXT: usize = 16_000;
/// Most items of a list in a report.
const MAX_ITEMS: usize = 1_000;
/// Deepest nesting of a report.
const MAX_DEPTH: usize = 16;
/// Most keys that are taken over from a worker's report.
const MAX_KEYS: usize = 100;

/// Facts about an attempt, whatever its worker says.
#[derive(Clone, Debug)]
pub struct AttemptFacts<'a> {
    pub step: &'a str,
    pub attempt: u64,
    pub owner: &'a str,
    pub timestamp: Timestamp,
    pub outcome: AttemptOutcome,
    pub cause: Option<AttemptCause>,
    pub error: Option<String>,
    pub waiting_until: Option<Timestamp>,
    /// The step's commands that were run, with their exit statuses.
    pub commands: &'a [CommandResult],
    /// The commit with the work.
    pub commit: Option<String>,
    /// The commit that the work was forked from.
    pub base: Option<String>,
}

/// A command of a step that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandResult {
    pub command: String,
    /// 128 plus the signal number if a signal ended it.
    pub exit_status: i32,
}

/// The report on an attempt. The worker's report is data: secrets are redacted, control characters escaped and sizes
/// bounded; the facts replace its keys of the same names.
pub fn attempt_report(worker: Option<&Value>, facts: &AttemptFacts<'_>) -> Value {
    let mut report = match worker {
        Some(Value::Object(object)) => {
            object.iter().take(MAX_KEYS).map(|(key, value)| (clean_text(key), clean(value, 0))).collect()
        }
        _ => Map::new(),
    };
    for key in ["cause", "waiting_until", "commit", "base", "commands"] {
        report.remove(key);
    }
    let is_success = facts.outcome == AttemptOutcome::Success;
    let outcome = match facts.outcome {
        AttemptOutcome::Success => "success",
        AttemptOutcome::Failure => "failure",
        AttemptOutcome::Blocked => "blocked",
    };
    let error = facts.error.as_deref().map(clean_text);
    report.insert("step_id".to_owned(), json!(facts.step));
    report.insert("attempt".to_owned(), json!(facts.attempt));
    report.insert("owner".to_owned(), json!(facts.owner));
    report.insert("outcome".to_owned(), json!(outcome));
    if is_success {
        report.remove("error");
        report.insert("passed".to_owned(), json!(true));
    } else {
        report.insert("passed".to_owned(), json!(false));
    }
    let details = report.get("details").and_then(Value::as_str).map(str::to_owned);
    report.insert("details".to_owned(), json!(details.or_else(|| error.clone()).unwrap_or_default()));
    if !report.get("artifacts").is_some_and(Value::is_array) {
        report.insert("artifacts".to_owned(), json!([]));
    }
    report.insert("timestamp".to_owned(), json!(facts.timestamp.to_string()));
    if let Some(error) = error {
        report.insert("error".to_owned(), json!(error));
    }
    if let Some(cause) = facts.cause {
        report.insert("cause".to_owned(), json!(cause.as_str()));
    }
    if let Some(until) = facts.waiting_until {
        report.insert("waiting_until".to_owned(), json!(until.to_string()));
    }
    if !facts.commands.is_empty() {
        let command =
            |one: &CommandResult| json!({"command": clean_text(&one.command), "exit_status": one.exit_status});
        report.insert("commands".to_owned(), facts.commands.iter().map(command).collect());
    }
    if let Some(commit) = &facts.commit {
        report.insert("commit".to_owned(), json!(commit));
    }
    if let Some(base) = &facts.base {
        report.insert("base".to_owned(), json!(base));
    }
    Value::Object(report)
}

fn clean(value: &Value, depth: usize) -> Value {
    match value {
        Value::String(text) => Value::String(clean_text(text)),
        Value::Array(_) | Value::Object(_) if depth >= MAX_DEPTH => Value::Null,
        Value::Array(items) => items.iter().take(MAX_ITEMS).map(|item| clean(item, depth + 1)).collect(),
        Value::Object(object) => {
            let pairs = object.iter().take(MAX_ITEMS);
            Value::Object(pairs.map(|(key, value)| (clean_text(key), clean(value, depth + 1))).collect())
        }
        other => other.clone(),
    }
}

fn clean_text(text: &str) -> String {
    let bounded: String = text.chars().take(MAX_TEXT).collect();
    let mut clean = String::with_capacity(bounded.len());
    for char in without_secrets(&without_sequences(&bounded)).chars() {
        match char {
            '\n' | '\t' => clean.push(char),
            '\r' => {}
            char if char.is_control() => clean.extend(char.escape_default()),
            char => clean.push(char),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::canon::schema::{SchemaKind, Schemas};
    use canonry_text::json;

    fn facts(outcome: AttemptOutcome) -> AttemptFacts<'static> {
        AttemptFacts {
            step: "api",
            attempt: 3,
            owner: "Backend",
            timestamp: Timestamp::parse("2026-01-05T14:20:00Z").unwrap(),
            outcome,
            cause: None,
            error: None,
            waiting_until: None,
            commands: &[],
            commit: None,
            base: None,
        }
    }

    fn is_valid(report: &Value) -> bool {
        let text = report.to_string();
        Schemas::default().validate(SchemaKind::Report, &json::parse(&text, 0).unwrap().root).is_empty()
    }

    #[test]
    fn facts_replace_what_the_worker_claims() {
        let worker = json!({
            "step_id": "other", "attempt": 9, "outcome": "success", "passed": true, "details": "did it",
            "artifacts": [{"file": "a", "status": "created"}], "timestamp": "never", "commit": "abc1234",
            "commands": [{"command": "true", "exit_status": 0}], "team_key": 1,
        });
        let commands = [CommandResult { command: "false".to_owned(), exit_status: 1 }];
        let unverified = AttemptFacts {
            cause: Some(AttemptCause::Unverified),
            error: Some("`false` exited 1".to_owned()),
            commands: &commands,
            ..facts(AttemptOutcome::Failure)
        };
        let report = attempt_report(Some(&worker), &unverified);
        assert!(is_valid(&report), "{report}");
        assert_eq!(report["step_id"], "api");
        assert_eq!(report["attempt"], 3);
        assert_eq!((&report["outcome"], &report["passed"]), (&json!("failure"), &json!(false)));
        assert_eq!(report["commands"], json!([{"command": "false", "exit_status": 1}]));
        assert_eq!(report["commit"], Value::Null);
        assert_eq!((&report["details"], &report["team_key"]), (&json!("did it"), &json!(1)));
    }

    #[test]
    fn a_report_without_a_worker_is_valid() {
        for (outcome, cause) in
            [(AttemptOutcome::Blocked, AttemptCause::UsageLimit), (AttemptOutcome::Failure, AttemptCause::Timeout)]
        {
            let until = Timestamp::parse("2026-01-05T15:00:00Z");
            let facts = AttemptFacts {
                cause: Some(cause),
                waiting_until: until,
                error: Some("why".to_owned()),
                ..facts(outcome)
            };
            let report = attempt_report(None, &facts);
            assert!(is_valid(&report), "{report}");
            assert_eq!((&report["details"], &report["cause"]), (&json!("why"), &json!(cause.as_str())));
        }
    }

    #[test]
    fn worker_texts_are_data() {
        // Built at run time, so that no scanner reports this file.
        let token = format!("ghp_{}", "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo");
        let worker = json!({"details": format!("\u{1b}[31m{token}\r\nend"), "artifacts": vec![json!({}); 5_000], "x": "y".repeat(100_000)});
        let report = attempt_report(Some(&worker), &facts(AttemptOutcome::Success));
        let details = report["details"].as_str().unwrap();
        assert!(!details.contains('\u{1b}') && !details.contains(&token) && details.ends_with("\nend"), "{details}");
        assert_eq!(report["artifacts"].as_array().unwrap().len(), MAX_ITEMS);
        assert_eq!(report["x"].as_str().unwrap().len(), MAX_TEXT);
    }
}
