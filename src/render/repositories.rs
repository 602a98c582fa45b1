//! The summary of a command that ran in several repositories (`--all`).

use super::{counted, json};
use canonry_app as app;
use canonry_app::sync::SyncOutcome;
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::path::Path;

/// The command that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllCommand {
    /// `canonry sync`.
    Sync,
    /// `canonry sync` without writing.
    SyncPreview,
    /// `canonry check`.
    Check,
}

/// The result in one repository.
pub struct RepositoryRow<'a> {
    /// The repository's folder.
    pub folder: &'a Path,
    /// The exit status of the command in this repository.
    pub status: u8,
    /// The command's JSON document, if there is one.
    pub document: Option<&'a str>,
    /// The counts, if the command ran to its end.
    pub summary: Option<&'a RunSummary>,
    /// Why the command failed.
    pub error: Option<&'a app::Error>,
}

/// The counts of a command in one repository.
#[derive(Clone, Debug)]
pub enum RunSummary {
    /// Of `canonry sync`.
    Sync {
        /// Files written.
        written: usize,
        /// Files removed.
        removed: usize,
        /// Files and skills refused.
        refused: usize,
        /// Mirrored files that were up to date.
        unchanged: usize,
        /// The commit, abbreviated.
        commit: Option<String>,
    },
    /// Of `canonry check`.
    Check {
        /// Skills checked.
        skills: usize,
        /// Errors found.
        errors: usize,
        /// Warnings found.
        warnings: usize,
        /// Infos found.
        infos: usize,
    },
}

impl RunSummary {
    /// The counts of a sync of all canons.
    pub fn from_sync(outcome: &SyncOutcome) -> Self {
        let sum = |count: fn(&app::sync::CanonOutcome) -> usize| outcome.synced().map(count).sum();
        let commit = outcome.commit.as_ref().and_then(|commit| commit.result.as_ref().ok()?.as_ref());
        Self::Sync {
            written: sum(|canon| canon.written.len()),
            removed: sum(|canon| canon.removed.len()),
            refused: sum(|canon| canon.refused.len()),
            unchanged: sum(|canon| canon.unchanged),
            commit: commit.map(|made| made.id.to_hex_with_len(10).to_string()),
        }
    }
}

/// One line for each repository, and a last one for all of them.
pub fn text(command: AllCommand, rows: &[RepositoryRow<'_>], without_canon: usize) -> String {
    let mut text = String::new();
    let mut verbs: BTreeMap<&'static str, usize> = BTreeMap::new();
    for row in rows {
        let (verb, details) = line(command, row);
        *verbs.entry(verb).or_default() += 1;
        let details = if details.is_empty() { details } else { format!(": {details}") };
        text.push_str(&format!("{verb:9} {}{details}\n", row.folder.display()));
    }
    let repositories = match rows.len() {
        1 => "1 repository".to_owned(),
        count => format!("{count} repositories"),
    };
    let verbs: Vec<String> = verbs.iter().map(|(verb, count)| format!("{count} {verb}")).collect();
    let verbs = if verbs.is_empty() { String::new() } else { format!(": {}", verbs.join(", ")) };
    let more = match without_canon {
        0 => String::new(),
        count => format!("; {count} more without a canon"),
    };
    text.push_str(&format!("{repositories}{verbs}{more}.\n"));
    text
}

/// A verb for the repository, and the details.
fn line(command: AllCommand, row: &RepositoryRow<'_>) -> (&'static str, String) {
    if let Some(error) = row.error {
        return ("failed", error.message.lines().next().unwrap_or_default().to_owned());
    }
    match row.summary {
        Some(RunSummary::Sync { written, removed, refused, unchanged, commit }) => {
            let (verb, mut details) = sync_line(command, [*written, *removed, *refused], *unchanged);
            if let Some(commit) = commit {
                details.push_str(&format!("; committed as {commit}"));
            }
            (verb, details)
        }
        Some(RunSummary::Check { skills, errors, warnings, infos }) => {
            check_line(*skills, [(*errors, "error"), (*warnings, "warning"), (*infos, "info")])
        }
        None => ("failed", String::new()),
    }
}

fn sync_line(command: AllCommand, [written, removed, refused]: [usize; 3], unchanged: usize) -> (&'static str, String) {
    let is_preview = command == AllCommand::SyncPreview;
    let verb = match (written + removed, refused) {
        (_, 1..) => "refused",
        (1.., _) if is_preview => "differs",
        (1.., _) => "wrote",
        _ => return ("unchanged", counted(unchanged, "mirrored file")),
    };
    let [write, remove] = if is_preview { ["to write", "to remove"] } else { ["written", "removed"] };
    let written = counted(written, "file");
    (verb, format!("{written} {write}, {removed} {remove}, {refused} refused, {unchanged} unchanged"))
}

fn check_line(skills: usize, counts: [(usize, &str); 3]) -> (&'static str, String) {
    if counts.iter().all(|(count, _)| *count == 0) {
        return ("clean", counted(skills, "skill"));
    }
    let found = counts.iter().filter(|(count, _)| *count > 0).map(|(count, noun)| counted(*count, noun));
    let verb = if counts[0].0 > 0 { "findings" } else { "passed" };
    (verb, found.collect::<Vec<String>>().join(", "))
}

#[derive(Serialize)]
struct AllDocument<'a> {
    schema: &'static str,
    command: &'static str,
    repositories: Vec<RepositoryEntry<'a>>,
    summary: AllSummary,
}

#[derive(Serialize)]
struct RepositoryEntry<'a> {
    path: String,
    status: u8,
    error: Option<RepositoryError<'a>>,
    document: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct RepositoryError<'a> {
    message: &'a str,
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct AllSummary {
    repositories: usize,
    done: usize,
    findings: usize,
    refused: usize,
    failed: usize,
}

/// The `canonry/all/v1` document.
pub fn document(command: AllCommand, rows: &[RepositoryRow<'_>]) -> String {
    let with_status = |status: u8| rows.iter().filter(|row| row.error.is_none() && row.status == status).count();
    let done = with_status(0);
    let findings = with_status(1);
    let refused = with_status(5);
    let failed = rows.len() - done - findings - refused;
    json::to_text(&AllDocument {
        schema: "canonry/all/v1",
        command: if command == AllCommand::Check { "check" } else { "sync" },
        summary: AllSummary { repositories: rows.len(), done, findings, refused, failed },
        repositories: rows.iter().map(entry).collect(),
    })
}

fn entry<'a>(row: &RepositoryRow<'a>) -> RepositoryEntry<'a> {
    RepositoryEntry {
        path: row.folder.display().to_string(),
        status: row.status,
        error: row.error.map(|error| RepositoryError { message: &error.message, help: error.help.as_deref() }),
        document: row.document.map(|text| {
            RawValue::from_string(text.trim().to_owned()).expect("`check` and `sync` print a JSON document")
        }),
    }
}
