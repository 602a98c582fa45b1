//! Output of `canonry pack`.

use super::{counted, json};
use canonry_app::RepoPath;
use canonry_app::pack::{PackOutcome, PackRefusal};
use serde_json::json;

/// Paths that are listed for one kind of change.
const MAX_LISTED: usize = 10;

/// A pack that was written.
pub fn packed(outcome: &PackOutcome) -> String {
    let version = version(outcome);
    if outcome.is_current() {
        return format!("{} is up to date: version {version}, {}.\n", folder(&outcome.out), contents(outcome));
    }
    let changes = changes(outcome);
    format!("Packed {} {version} into {}: {}; {changes}.\n", outcome.name, folder(&outcome.out), contents(outcome))
}

/// Changes of a pack, for `--check`.
pub fn stale(outcome: &PackOutcome) -> String {
    let mut text = String::new();
    let paths = [("missing or old", &outcome.written), ("left over", &outcome.removed)];
    for (label, paths) in paths {
        for path in paths.iter().take(MAX_LISTED) {
            text.push_str(&format!("{path}: {label}\n"));
        }
        if paths.len() > MAX_LISTED {
            text.push_str(&format!("… {} more\n", paths.len() - MAX_LISTED));
        }
    }
    if !outcome.is_current() {
        let folder = folder(&outcome.out);
        text.push_str(&format!("{folder} is not what the canon makes of it; run `canonry pack`.\n"));
    }
    text
}

/// The summary of a preview.
pub fn preview(outcome: &PackOutcome) -> String {
    if outcome.is_current() {
        packed(outcome)
    } else {
        format!("Would pack {} {}: {}.\n", outcome.name, version(outcome), changes(outcome))
    }
}

/// Obstacles, and items that are left out.
pub fn remarks(outcome: &PackOutcome) -> String {
    let mut text: String = outcome.notes.iter().map(|note| format!("note: {note}\n")).collect();
    for (path, refusal) in &outcome.refused {
        text.push_str(&format!("refused: {path}: {refusal}\n"));
    }
    if !outcome.refused.is_empty() {
        text.push_str(
            "Nothing was written, because a plugin with some of its files would be broken.\n  help: move these files away, \
             or restore what the last pack wrote, and run this again\n",
        );
    }
    text
}

fn version(outcome: &PackOutcome) -> String {
    match &outcome.previous {
        Some(previous) if *previous != outcome.version => format!("{} (was {previous})", outcome.version),
        _ => outcome.version.to_string(),
    }
}

fn contents(outcome: &PackOutcome) -> String {
    counted(outcome.skills.len(), "skill")
}

fn changes(outcome: &PackOutcome) -> String {
    let counts =
        [(outcome.written.len(), "written"), (outcome.removed.len(), "removed"), (outcome.unchanged, "unchanged")];
    let parts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    format!("files: {}", parts.join(", "))
}

fn folder(path: &RepoPath) -> String {
    if path.is_empty() { "the top of the repository".to_owned() } else { path.to_display() }
}

/// The document `canonry/pack/v1`.
pub fn document(outcome: &PackOutcome) -> String {
    let refused = |(path, refusal): &(RepoPath, PackRefusal)| json!({"path": path, "reason": refusal.to_string()});
    json::to_text(&json!({
        "schema": "canonry/pack/v1",
        "name": outcome.name,
        "out": outcome.out,
        "version": outcome.version.to_string(),
        "previous_version": outcome.previous.as_ref().map(ToString::to_string),
        "current": outcome.is_current(),
        "skills": outcome.skills,
        "written": outcome.written,
        "removed": outcome.removed,
        "unchanged": outcome.unchanged,
        "refused": outcome.refused.iter().map(refused).collect::<Vec<_>>(),
        "notes": outcome.notes,
    }))
}
