//! The summary of `--all`, in words and as JSON.

use super::row::{Command, Row};
use crate::cli::status::Status;
use crate::render::{counted, json};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    command: &'static str,
    repositories: Vec<Repository<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct Repository<'a> {
    path: String,
    status: u8,
    error: Option<Error<'a>>,
    document: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct Error<'a> {
    message: &'a str,
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct Summary {
    repositories: usize,
    done: usize,
    findings: usize,
    refused: usize,
    failed: usize,
}

/// What is counted of a repository's document.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Synced {
    written: Vec<serde::de::IgnoredAny>,
    removed: Vec<serde::de::IgnoredAny>,
    refused: Vec<serde::de::IgnoredAny>,
    unchanged: usize,
    commit: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Checked {
    summary: Counts,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Counts {
    skills: usize,
    errors: usize,
    warnings: usize,
    infos: usize,
}

/// `canonry/all/v1`
pub fn to_json(command: Command, rows: &[Row]) -> String {
    let of = |wanted: &[Status]| rows.iter().filter(|row| row.error.is_none() && wanted.contains(&row.status)).count();
    let (done, findings, refused) = (of(&[Status::Done]), of(&[Status::Findings]), of(&[Status::Refused]));
    let failed = rows.len() - done - findings - refused;
    json::to_text(&Document {
        schema: "canonry/all/v1",
        command: if command == Command::Check { "check" } else { "sync" },
        summary: Summary { repositories: rows.len(), done, findings, refused, failed },
        repositories: rows.iter().map(repository).collect(),
    })
}

fn repository(row: &Row) -> Repository<'_> {
    Repository {
        path: row.path.display().to_string(),
        status: row.status.code(),
        error: row.error.as_ref().map(|error| Error { message: &error.message, help: error.help.as_deref() }),
        document: row.document.as_deref(),
    }
}

/// A line a repository, and one on all of them.
pub fn in_words(command: Command, rows: &[Row], without_canon: usize) -> String {
    let mut text = String::new();
    let mut verbs: BTreeMap<&'static str, usize> = BTreeMap::new();
    for row in rows {
        let (verb, rest) = line(command, row);
        *verbs.entry(verb).or_default() += 1;
        let rest = if rest.is_empty() { rest } else { format!(": {rest}") };
        text.push_str(&format!("{verb:9} {}{rest}\n", row.path.display()));
    }
    let verbs: Vec<String> = verbs.iter().map(|(verb, count)| format!("{count} {verb}")).collect();
    let more = match without_canon {
        0 => String::new(),
        count => format!("; {count} more without a canon"),
    };
    let repositories = match rows.len() {
        1 => "1 repository".to_owned(),
        count => format!("{count} repositories"),
    };
    let verbs = if verbs.is_empty() { String::new() } else { format!(": {}", verbs.join(", ")) };
    text.push_str(&format!("{repositories}{verbs}{more}.\n"));
    text
}

/// What became of a repository in a word, and more of it.
fn line(command: Command, row: &Row) -> (&'static str, String) {
    if let Some(error) = &row.error {
        return ("failed", error.message.lines().next().unwrap_or_default().to_owned());
    }
    let document = row.document.as_deref().map_or("{}", RawValue::get);
    match command {
        Command::Check => checked(&serde_json::from_str(document).unwrap_or_default()),
        Command::Sync | Command::Look => synced(command, &serde_json::from_str(document).unwrap_or_default()),
    }
}

fn synced(command: Command, done: &Synced) -> (&'static str, String) {
    let [written, removed, refused] = [&done.written, &done.removed, &done.refused].map(Vec::len);
    let verb = match (command, written + removed, refused) {
        (_, _, 1..) => "refused",
        (Command::Look, 1.., _) => "differs",
        (_, 1.., _) => "wrote",
        _ => "unchanged",
    };
    let [will, remove] = if command == Command::Look { ["to write", "to remove"] } else { ["written", "removed"] };
    let mut text = match verb {
        "unchanged" => counted(done.unchanged, "mirrored file"),
        _ => format!(
            "{} {will}, {removed} {remove}, {refused} refused, {} unchanged",
            counted(written, "file"),
            done.unchanged
        ),
    };
    if let Some(commit) = &done.commit {
        text.push_str(&format!("; committed as {}", &commit[..commit.len().min(10)]));
    }
    (verb, text)
}

fn checked(done: &Checked) -> (&'static str, String) {
    let Counts { skills, errors, warnings, infos } = done.summary;
    if errors + warnings + infos == 0 {
        return ("clean", counted(skills, "skill"));
    }
    let counts = [(errors, "error"), (warnings, "warning"), (infos, "info")];
    let told: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, noun)| counted(*count, noun)).collect();
    (if errors > 0 { "findings" } else { "passed" }, told.join(", "))
}
