//! Output of `import`.

use super::{counted, json};
use canonry_app::import::ImportOutcome;
use canonry_exchange::import::{GeneratedConfig, ImportedItem, SkippedItem, SourceKind};
use canonry_text::RepoPath;
use serde_json::json;

/// Shown if there is nothing to import.
pub const NO_SOURCE: &str = "Nothing to import: found no files of rulesync, ruler, Trellis, agentic-stack, just-do-it or the tools themselves.\n";

/// `canonry/import/v1`
pub fn document(outcome: &ImportOutcome) -> String {
    json::to_text(&json!({
        "schema": "canonry/import/v1",
        "from": outcome.source.map(SourceKind::name),
        "also_found": outcome.other_sources.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
        "written": outcome.written,
        "taken": outcome.result.imported,
        "left": outcome.result.skipped,
        "refused": outcome.result.refused,
        "config": outcome.result.config,
        "next": outcome.result.next_steps,
    }))
}

/// The outcome for people.
pub fn human(outcome: &ImportOutcome) -> String {
    let mut text = imported(outcome);
    if let Some(config) = &outcome.result.config {
        text.push_str(&generated_config(outcome, config));
    }
    text.push_str(&skipped(&outcome.result.skipped));
    for refusal in &outcome.result.refused {
        text.push_str(&format!("refused   {} -> {}: {}\n", refusal.from, refusal.to, refusal.reason));
    }
    if !outcome.result.refused.is_empty() {
        text.push_str("          Merge them by hand, or rename the file and import again: an import never overwrites the canon.\n");
    }
    text.extend(
        outcome.ignored.iter().map(|path| {
            format!("note      git ignores {path}, so that no commit has it: add `!/{path}` to .gitignore\n")
        }),
    );
    text.push_str(&summary(outcome));
    text.push_str(&next_steps(outcome));
    text
}

/// Paths that a line about several names; a monorepo can have hundreds.
const MAX_PATHS: usize = 4;

/// One line per reason.
fn skipped(items: &[SkippedItem]) -> String {
    let mut groups: Vec<(&SkippedItem, Vec<String>)> = Vec::new();
    for item in items {
        let is_same = |(first, _): &&mut (&SkippedItem, _)| first.reason == item.reason && first.advice == item.advice;
        match groups.iter_mut().find(is_same) {
            Some((_, paths)) => paths.push(item.path.to_display()),
            None => groups.push((item, vec![item.path.to_display()])),
        }
    }
    let line = |(item, mut paths): (&SkippedItem, Vec<String>)| {
        let hidden = paths.len().saturating_sub(MAX_PATHS);
        paths.truncate(MAX_PATHS);
        let more = if hidden > 0 { format!(" and {hidden} more") } else { String::new() };
        let advice = item.advice.iter().map(|advice| format!("\n          {advice}")).collect::<String>();
        format!("skipped   {}{more}: {}{advice}\n", paths.join(", "), item.reason)
    };
    groups.into_iter().map(line).collect()
}

/// One line for the files of a folder that are alike: same folder in the canon, same changes.
fn imported(outcome: &ImportOutcome) -> String {
    let is_alike = |a: &ImportedItem, b: &ImportedItem| alike(a).is_some_and(|key| alike(b) == Some(key));
    let groups = outcome.result.imported.chunk_by(is_alike);
    let text = |group: &[ImportedItem]| match group {
        [first, ..] if group.len() > MAX_PATHS => imported_folder(outcome, first, group),
        group => group.iter().map(|item| imported_item(outcome, item)).collect(),
    };
    groups.map(text).collect()
}

/// Common features of the files of one line; `None` for an item that has a line of its own.
fn alike(item: &ImportedItem) -> Option<(RepoPath, RepoPath, bool, &[String])> {
    match item.from.as_slice() {
        [from] if item.files == 1 => Some((from.parent()?, item.to.parent()?, item.new_files == 0, &item.changes)),
        _ => None,
    }
}

fn imported_folder(outcome: &ImportOutcome, first: &ImportedItem, group: &[ImportedItem]) -> String {
    let folder = |path: Option<&RepoPath>| path.and_then(RepoPath::parent).unwrap_or_default();
    let from = group.iter().filter_map(|item| item.from.first());
    let names: Vec<String> = from.take(MAX_PATHS).map(RepoPath::file_name_lossy).collect();
    format!(
        "{:9} {}: {} and {} more -> {}\n{}",
        verb(outcome, first),
        folder(first.from.first()),
        names.join(", "),
        group.len() - names.len(),
        folder(Some(&first.to)),
        changes(first)
    )
}

fn imported_item(outcome: &ImportOutcome, item: &ImportedItem) -> String {
    let from = item.from.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let files = if item.files > 1 { format!(" ({})", counted(item.files, "file")) } else { String::new() };
    format!("{:9} {from} -> {}{files}\n{}", verb(outcome, item), item.to, changes(item))
}

fn verb(outcome: &ImportOutcome, item: &ImportedItem) -> &'static str {
    match (item.new_files, outcome.dry_run) {
        (0, _) => "exists",
        (_, false) => "imported",
        (_, true) => "to import",
    }
}

fn changes(item: &ImportedItem) -> String {
    let changes = if item.new_files == 0 { &[][..] } else { &item.changes };
    changes.iter().map(|change| format!("          {change}\n")).collect()
}

fn generated_config(outcome: &ImportOutcome, config: &GeneratedConfig) -> String {
    let mut text = String::new();
    if config.is_written {
        let verb = match (config.is_new, outcome.dry_run) {
            (true, false) => "wrote",
            (true, true) => "to write",
            (false, false) => "changed",
            (false, true) => "to change",
        };
        text.push_str(&format!(
            "{verb:9} {}: the settings for the tools that the source was written for\n",
            config.path
        ));
    }
    if let Some(lines) = &config.by_hand {
        let lines: String = lines.lines().map(|line| format!("            {line}\n")).collect();
        text.push_str(&format!("note      add to the config to write for the same tools as before:\n{lines}"));
    }
    text
}

fn summary(outcome: &ImportOutcome) -> String {
    let name = outcome.source.map_or("", SourceKind::name);
    let existing = outcome.result.imported.iter().filter(|item| item.new_files == 0).count();
    let counts = [
        (existing, "already in the canon"),
        (outcome.result.skipped.len(), "skipped"),
        (outcome.result.refused.len(), "refused"),
    ];
    let rest: String =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}")).collect();
    if outcome.written.is_empty() {
        return format!("Nothing to import from {name}{rest}.\n");
    }
    let [written, end] = if outcome.dry_run { ["to write", "; nothing was written."] } else { ["written", "."] };
    format!("From {name}: {} {written}{rest}{end}\n", counted(outcome.written.len(), "file"))
}

fn next_steps(outcome: &ImportOutcome) -> String {
    if outcome.written.is_empty() || outcome.dry_run {
        return String::new();
    }
    let mut text = "\nNext:\n  canonry check    checks the canon\n  canonry sync     mirrors the skills for each tool; commits nothing\n".to_owned();
    if outcome.source == Some(SourceKind::Tools) {
        text.push_str(
            "  canonry sync --adopt --all    then claims the copies in the directories of tools that equal the canon\n",
        );
    }
    text.extend(outcome.result.next_steps.iter().map(|step| format!("  - {step}\n")));
    if !outcome.other_sources.is_empty() {
        let commands: Vec<String> =
            outcome.other_sources.iter().map(|kind| format!("`canonry import --from {}`", kind.name())).collect();
        text.push_str(&format!("  - to import the other sources, run {}\n", commands.join(", ")));
    }
    text
}
