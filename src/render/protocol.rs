//! Output of `protocol explain`.

use super::counted;
use super::excerpt::escape_line;
use canonry_app::protocol::CallExplanation;
use canonry_guard::{CallPart, Verdict, VerdictReason};
use serde_json::{Value, json};

/// The decision for people.
pub fn human(outcome: &CallExplanation) -> String {
    let mut text = String::new();
    for part in &outcome.verdict.parts {
        text.push_str(&format!("{:<9} {}\n", part.verdict.as_str(), part.text));
        let Some(reason) = part.deciding_reason() else { continue };
        text.push_str(&format!("          {reason}\n"));
        if let Some(alternative) = part.alternative() {
            text.push_str(&format!("          instead: {alternative}\n"));
        }
        if part.reasons.len() > 1 {
            let others = counted(part.reasons.len() - 1, "more reason");
            text.push_str(&format!("          {others}: `--format json`\n"));
        }
    }
    for (path, origin) in &outcome.origins {
        text.push_str(&format!("origin    {path} comes from {}\n", escape_line(origin)));
    }
    for note in &outcome.notes {
        text.push_str(&format!("note      {note}\n"));
    }
    if !outcome.has_policy {
        text.push_str("note      there is no canon here, so only the built-in guards and your own config apply\n");
    }
    for problem in &outcome.problems {
        text.push_str(&format!("skipped   {problem}\n"));
    }
    let summary = match outcome.verdict.verdict {
        Verdict::Allow => "Allowed: every part is always allowed, or has no effect of its own.",
        Verdict::Unlisted => "Not decided: no entry matches, so the tool's own permissions apply.",
        Verdict::Ask => "Needs approval. A tool that cannot ask a person denies it.",
        Verdict::Deny => "Denied.",
    };
    text.push_str(summary);
    text.push('\n');
    text
}

/// `canonry/ruling/v1`
pub fn json(outcome: &CallExplanation) -> String {
    let reason = |reason: &VerdictReason| {
        json!({
            "verdict": reason.verdict.as_str(),
            "rule": reason.rule,
            "path": reason.location.as_ref().map(|at| &at.path),
            "line": reason.location.as_ref().map(|at| at.line),
            "message": reason.message,
            "alternative": reason.alternative(),
        })
    };
    let part = |part: &CallPart| {
        let reasons: Vec<Value> = part.reasons.iter().map(reason).collect();
        json!({"shown": part.text, "verdict": part.verdict.as_str(), "reasons": reasons})
    };
    let document = json!({
        "schema": "canonry/ruling/v1",
        "call": outcome.call.to_string(),
        "verdict": outcome.verdict.verdict.as_str(),
        "parts": outcome.verdict.parts.iter().map(part).collect::<Vec<_>>(),
        "troubles": outcome.problems,
        "notes": outcome.notes,
        "origins": outcome.origins.iter().map(|(path, from)| json!({"path": path, "from": from})).collect::<Vec<_>>(),
    });
    format!("{document:#}\n")
}
