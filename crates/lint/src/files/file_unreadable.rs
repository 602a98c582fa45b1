//! See `file_unreadable.md`.

use super::symlink_absolute::target_of;
use crate::memory::log_rows;
use crate::repo_facts::RepoFacts;
use crate::{Check, Defaults, Finding, Rule, unreadable};
use canonry_model::canon::benchmark::Benchmark;
use canonry_model::canon::blob::{BlobError, DocumentError};
use canonry_model::canon::context_file::ContextFile;
use canonry_model::canon::episode::EpisodeError;
use canonry_model::canon::file_kind::is_plan;
use canonry_model::canon::inventory::is_skill_document;
use canonry_model::canon::log::{EpisodeLog, InvalidRow};
use canonry_model::canon::memory_file::MemoryFile;
use canonry_model::canon::page::Page;
use canonry_model::canon::phase_artifact::PhaseArtifact;
use canonry_model::canon::plan::Plan;
use canonry_model::canon::report::Report;
use canonry_model::canon::review_log::ReviewLog;
use canonry_model::canon::skill::Skill;
use canonry_model::canon::task::TaskFile;
use canonry_model::canon::tool_file::ToolFile;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::{Location, Severity};
use canonry_text::RepoPath;

pub(super) static RULE: Rule = Rule {
    id: "file-unreadable",
    summary: "file, directory, link or log row cannot be read",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("file_unreadable.md"),
    check: Check::Each(&[
        Check::Skill(skill),
        Check::Plan(plan),
        Check::Workflow(workflow),
        Check::Report(report),
        Check::Benchmark(benchmark),
        Check::Task(task),
        Check::Log(log),
        Check::Log(rows),
        Check::Memory(memory),
        Check::Context(context),
        Check::ToolFile(tool_file),
        Check::Page(page),
        Check::PhaseArtifact(phase_artifact),
        Check::Review(review),
        Check::Repo(special_files),
        Check::Repo(folders),
        Check::Repo(skill_links),
        Check::Skill(skill_encoding),
    ]),
};

/// A `SKILL.md` that is not UTF-8 is for `skill_encoding`, and a link with an absolute target is for `symlink-absolute`.
fn skill(skill: &Skill, findings: &mut Vec<Finding>) {
    let problem = skill.document.as_ref().err().filter(|problem| target_of(problem).is_none());
    if let Some(DocumentError::Missing(why)) = problem {
        findings.push(unreadable::missing(&RULE, skill.path(), "skill", why));
    }
}

/// The check of one kind of file, which has a path and a document.
macro_rules! unreadable {
    ($($name:ident($kind:ty) $word:literal,)+) => {$(
        fn $name(file: &$kind, findings: &mut Vec<Finding>) {
            let why = file.document.as_ref().err();
            findings.extend(why.map(|why| unreadable::finding(&RULE, &file.path, $word, why)));
        }
    )+};
}

unreadable! {
    plan(Plan) "plan",
    workflow(Workflow) "workflow",
    report(Report) "report",
    benchmark(Benchmark) "benchmark",
    task(TaskFile) "task",
    memory(MemoryFile) "file",
    page(Page) "page",
    phase_artifact(PhaseArtifact) "file",
}

fn context(file: &ContextFile, findings: &mut Vec<Finding>) {
    findings.extend(file.document.as_ref().err().and_then(|why| file_for_tools(&file.path, why)));
}

fn tool_file(file: &ToolFile, findings: &mut Vec<Finding>) {
    findings.extend(file.document.as_ref().err().and_then(|why| file_for_tools(&file.path, why)));
}

/// A link with an absolute target is for `symlink-absolute`.
fn file_for_tools(path: &RepoPath, why: &DocumentError) -> Option<Finding> {
    target_of(why).is_none().then(|| unreadable::finding(&RULE, path, "file", why))
}

fn review(log: &ReviewLog, findings: &mut Vec<Finding>) {
    match &log.document {
        Err(why) => findings.push(unreadable::finding(&RULE, &log.path, "review queue", why)),
        Ok(document) => findings.extend(document.unreadable.iter().map(|(span, message)| {
            RULE.at(Location::at(&document.source, *span), format!("invalid JSON: {message}"))
                .help("complete the row or remove it; until then `canonry memory review` skips it")
        })),
    }
}

fn log(log: &EpisodeLog, findings: &mut Vec<Finding>) {
    let Err(why) = &log.document else { return };
    let finding = unreadable::missing(&RULE, &log.path, "log", why);
    findings.push(match why {
        BlobError::TooLarge { .. } => finding.help("run `canonry dream`, which moves old rows to the snapshots"),
        _ => finding,
    });
}

fn rows(log: &EpisodeLog, findings: &mut Vec<Finding>) {
    let finding = |line: &InvalidRow| {
        let location = log_rows::row_location(&log.path, line.row);
        RULE.at(location, line.error.to_string()).help(row_help(&line.error))
    };
    log_rows::report(log, |document| &document.unreadable, finding, findings);
}

/// Remedy for a row before `dream` moves it out of the log.
fn row_help(bad: &EpisodeError) -> String {
    let repair = match bad {
        EpisodeError::ConflictMarker => {
            return "resolve the merge: keep the rows of both sides and remove the lines with markers".to_owned();
        }
        EpisodeError::NotJson(why) if why.starts_with("EOF") => "the row is cut off: complete it or remove it",
        EpisodeError::NotJson(_) | EpisodeError::NotAnObject(_) => "write one JSON object per line",
        EpisodeError::Nul(_) => "remove the NUL bytes; a system crash leaves them behind",
        EpisodeError::NotUtf8(_) => "write the row as UTF-8",
        EpisodeError::NoTimestamp | EpisodeError::Timestamp(_) | EpisodeError::Type { field: "timestamp", .. } => {
            "add the time of the episode, such as \"timestamp\": \"2026-05-01T09:30:00Z\""
        }
        EpisodeError::Type { wanted: "a number", .. } => {
            "write a number without quotes, or omit the key for its default"
        }
        EpisodeError::Type { .. } => "write the text in quotes, or omit the key",
    };
    format!("{repair}; otherwise `canonry dream` ignores the row and moves it to `quarantine.txt` next to the log")
}

/// Pipe, socket or device in the canon.
fn special_files(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    // These are reported as documents that cannot be read.
    for path in repo.special_files.iter().filter(|path| !is_skill_document(path) && !is_plan(path)) {
        let message = "pipe, socket or device; git does not store it, and it is not mirrored";
        findings.push(
            RULE.at(Location::file(path), message).help("replace it with a regular file, or add it to .gitignore"),
        );
    }
}

/// Directory cannot be listed.
fn folders(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    for (path, reason) in &repo.unreadable_folders {
        let message = format!("cannot read this directory: {reason}");
        let help = reason.advice.unwrap_or("correct its permissions, or remove it from the canon");
        findings.push(RULE.at(Location::file(path), message).help(help));
    }
}

/// Link to a skill directory is broken.
fn skill_links(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    for (path, why) in repo.dead_skill_links.iter() {
        let message = format!("cannot read the skill: {why}");
        findings.push(RULE.at(Location::file(path), message).help(unreadable::help_for_folder(why)));
    }
}

/// `SKILL.md` is not valid UTF-8.
fn skill_encoding(skill: &Skill, findings: &mut Vec<Finding>) {
    if let Err(DocumentError::NotUtf8(bad)) = &skill.document {
        findings.push(unreadable::not_utf8(&RULE, skill.path(), bad));
    }
}
