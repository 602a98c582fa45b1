//! Output of `hook`.

use canonry_app::hook::{Grant, LoggedDecision, LoggedReason};
use canonry_text::printable::one_line;
use serde_json::{Value, json};

/// The answer for the tool: one line of JSON.
pub fn answer(answer: &Value) -> String {
    // Kiro reads text.
    match answer {
        Value::String(text) => format!("{text}\n"),
        answer => format!("{answer}\n"),
    }
}

/// A problem for the user.
pub fn notice(message: &str) -> String {
    format!("canonry hook: {message}\n")
}

/// A permission for one call.
pub fn granted(grant: &Grant) -> String {
    let LoggedDecision { call, repository, .. } = &grant.decision;
    format!(
        "Allowed once, until {}: {}\n  in {}\nThe tool's own permissions still apply.\n",
        grant.expires,
        one_line(call),
        one_line(repository)
    )
}

/// The decisions, one per line.
pub fn log(rows: &[LoggedDecision]) -> String {
    if rows.is_empty() {
        return "No decisions.\n".to_owned();
    }
    let line = |row: &LoggedDecision| {
        let rule = row.reasons.first().map(|reason| format!(" ({})", reason.rule)).unwrap_or_default();
        format!("{}  {:<10} {}  {:<11} {}{rule}\n", row.time, row.decision, row.code, row.tool, one_line(&row.call))
    };
    rows.iter().map(line).collect()
}

/// `canonry/hook-log/v1`
pub fn log_json(rows: &[LoggedDecision]) -> String {
    format!("{:#}\n", json!({"schema": "canonry/hook-log/v1", "decisions": rows}))
}

/// A decision with its reasons.
pub fn why(row: &LoggedDecision) -> String {
    let LoggedDecision { time, decision, code, tool, repository, call, reasons, .. } = row;
    let mut text = format!("{decision}  {}\n", one_line(call));
    text.push_str(&format!("  {time}, {tool}, in {}, code {code}\n", one_line(repository)));
    for LoggedReason { verdict, rule, part, message, path, line, alternative } in reasons {
        text.push_str(&format!("\n{verdict}: {}\n", one_line(message)));
        text.push_str(&format!("  command: {}\n  rule:    {rule}\n", one_line(part)));
        if let Some(path) = path {
            let line = line.map(|line| format!(":{line}")).unwrap_or_default();
            text.push_str(&format!("  policy:  {path}{line}\n"));
        }
        if let Some(alternative) = alternative {
            text.push_str(&format!("  instead: {alternative}\n"));
        }
    }
    if let Some(own) = row.denied_by.as_ref().filter(|_| row.is_stopped()) {
        text.push_str(&format!("\n{}.\n", one_line(&own.hint())));
    } else if row.is_stopped() {
        text.push_str(&format!("\nTo allow this call once, run `canonry hook allow-once {code}`.\n"));
    }
    text
}
