//! Output of `status`.

use super::counted;
use super::run::status::{runs_to_json, steps_text};
use canonry_app::overview::{MemorySummary, MirrorSummary, Overview};
use canonry_app::runs::status::RunPhase;
use canonry_runs::exec::RunKind;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The name of the document.
const SCHEMA: &str = "canonry/status/v1";

/// A line for each part, then what waits for a person.
pub fn to_text(overview: &Overview) -> String {
    let canon = overview.canon.to_string();
    let mut text = format!("{}/\n", if canon.is_empty() { "." } else { &canon });
    let mut line = |name: &str, state: &str| {
        let _ = writeln!(text, "{name:<10}  {}", state.trim_end());
    };
    let unreadable = |reason: &str| format!("cannot be read: {reason}");
    match &overview.check {
        Ok(check) => {
            let found = match (check.errors, check.warnings) {
                (0, 0) => "no errors or warnings".to_owned(),
                (errors, warnings) => format!("{}, {}", counted(errors, "error"), counted(warnings, "warning")),
            };
            line("skills", &format!("{}; {found}", check.skills));
        }
        Err(reason) => line("skills", &unreadable(reason)),
    }
    line("mirrors", &overview.mirrors.as_ref().map_or_else(|reason| unreadable(reason), mirrors));
    for run in &overview.runs {
        match (run.kind, &run.phase) {
            (RunKind::Workflow, phase) => line("workflow", &format!("{}: {phase}", run.name)),
            (RunKind::Plan, phase @ RunPhase::Unreadable { .. }) => line("plan", &format!("{}: {phase}", run.name)),
            (RunKind::Plan, _) => line("plan", &format!("{}: {}", run.name, steps_text(run))),
        }
    }
    match &overview.memory {
        Ok(memory) => {
            line("memory", &memory_text(memory));
            line("last dream", memory.nights.last_success.as_deref().unwrap_or("none recorded in this clone"));
            memory.nights.problems().iter().for_each(|problem| line("", problem));
        }
        Err(reason) => line("memory", &unreadable(reason)),
    }
    let waiting = overview.waiting();
    if waiting.is_empty() {
        text.push_str("\nNothing waits for you.\n");
        return text;
    }
    text.push_str("\nWaits for you\n");
    for item in waiting {
        let _ = writeln!(text, "  {}: `{}`", item.what, item.command);
    }
    text
}

fn mirrors(mirrors: &MirrorSummary) -> String {
    let MirrorSummary { never_synced, written, removed, refused, omitted, untrusted: _ } = mirrors;
    if written + removed + refused + omitted == 0 {
        return "up to date".to_owned();
    }
    let since = if *never_synced { "not synced: " } else { "" };
    let omitted = if *omitted == 0 { String::new() } else { format!(", {omitted} that a tool does not get") };
    format!("{since}{written} to write, {removed} to remove, {refused} refused{omitted}")
}

fn memory_text(memory: &MemorySummary) -> String {
    let MemorySummary { rows, lessons, candidates, nights: _ } = memory;
    let waiting =
        if *candidates == 0 { String::new() } else { format!(", {} to review", counted(*candidates, "candidate")) };
    format!("{}, {}{waiting}", counted(*rows, "episode"), counted(*lessons, "lesson"))
}

/// The document `canonry/status/v1`.
pub fn to_json(overview: &Overview) -> String {
    fn part<T>(result: &Result<T, String>, value: impl FnOnce(&T) -> Value) -> Value {
        result.as_ref().map_or_else(|error| json!({ "error": error }), value)
    }
    let waiting = overview.waiting().into_iter().map(|item| json!({ "what": item.what, "command": item.command }));
    let document = json!({
        "schema": SCHEMA,
        "canon": overview.canon.to_display(),
        "check": part(&overview.check, |check| {
            json!({ "skills": check.skills, "errors": check.errors, "warnings": check.warnings })
        }),
        "mirrors": part(&overview.mirrors, |mirrors| {
            json!({
                "never_synced": mirrors.never_synced,
                "written": mirrors.written,
                "removed": mirrors.removed,
                "refused": mirrors.refused,
                "omitted": mirrors.omitted,
            })
        }),
        "runs": runs_to_json(&overview.runs),
        "memory": part(&overview.memory, |memory| {
            json!({
                "episodes": memory.rows,
                "lessons": memory.lessons,
                "candidates": memory.candidates,
                "nights": memory.nights,
            })
        }),
        "waiting": waiting.collect::<Vec<_>>(),
    });
    super::json::to_text(&document)
}
