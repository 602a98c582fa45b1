//! `canonry memory review`

use super::look::plain;
use super::queue::{Opponent, Waiting};
use crate::app::Environment;
use crate::app::Error;
use crate::app::Workspace;
use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::memory::review::{Entry, Kind, Standing, Word};
use crate::memory::skillforge;
use crate::render::{counted, json};
use crate::view::Basis;
use serde::Serialize;
use std::fmt::Write as _;

/// The arguments of `canonry memory review`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exits with 3 if candidates wait for a decision, otherwise with 0.")]
pub struct Args {
    /// Show only this candidate: its id or a prefix of it; a skill is shown with its draft
    candidate: Option<String>,
    /// Include the candidates that were accepted or rejected
    #[arg(long)]
    all: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

/// The document `canonry/memory-review/v1`.
#[derive(Serialize)]
struct Document {
    schema: &'static str,
    waiting: usize,
    candidates: Vec<One>,
    unreadable: Vec<Unreadable>,
}

#[derive(Serialize)]
struct One {
    candidate: String,
    kind: Kind,
    found: String,
    text: String,
    episodes: Vec<String>,
    of: usize,
    opposed_to: Vec<String>,
    standing: &'static str,
    by: Option<String>,
    reason: Option<String>,
    draft: Option<String>,
}

#[derive(Serialize)]
struct Unreadable {
    line: usize,
    reason: String,
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let context = Workspace::open(env, &Basis::WorkTree)?;
    context.require_canon()?;
    let waiting = Waiting::read(&context)?;
    let lessons = waiting.text();
    let entries: Vec<&Entry> = match &args.candidate {
        Some(name) => vec![waiting.find(name)?],
        None if args.all => waiting.queue.entries.iter().collect(),
        None => waiting.queue.waiting().collect(),
    };
    let opponents = |entry: &&Entry| match (entry.staged.kind, &entry.standing) {
        (Kind::Lesson, Standing::Waiting) => waiting.opponents(&entry.staged.text, &entry.staged.candidate, lessons),
        _ => Vec::new(),
    };
    let told = |entry: &&Entry| {
        let opposed = opponents(entry).iter().map(|opponent: &Opponent| opponent.in_words(&context, lessons)).collect();
        One::of(entry, opposed)
    };
    let candidates: Vec<One> = entries.iter().map(told).collect();
    let bad = waiting.queue.bad.iter();
    let unreadable = bad.map(|bad| Unreadable { line: bad.line.get(), reason: bad.reason.clone() }).collect();
    let count = waiting.queue.waiting().count();
    let document = Document { schema: "canonry/memory-review/v1", waiting: count, candidates, unreadable };
    match args.format {
        Format::Json => out.result(&json::to_text(&document)),
        Format::Human => {
            out.result(&in_words(&document, args.candidate.is_some()));
            for bad in &document.unreadable {
                out.remark(&format!("{}:{}: {}\n", context.layout.review(), bad.line, bad.reason));
            }
        }
    }
    Ok(if count == 0 { Status::Done } else { Status::Person })
}

impl One {
    fn of(entry: &Entry, opposed_to: Vec<String>) -> Self {
        let (standing, word): (_, Option<&Word>) = match &entry.standing {
            Standing::Waiting => ("waiting", None),
            Standing::Accepted(word) => ("accepted", Some(word)),
            Standing::Rejected(word) => ("rejected", Some(word)),
        };
        let staged = &entry.staged;
        let is_skill = staged.kind == Kind::Skill;
        Self {
            candidate: staged.candidate.clone(),
            kind: staged.kind,
            found: staged.date.clone(),
            text: staged.text.clone(),
            episodes: staged.episodes.clone(),
            of: staged.of,
            opposed_to,
            standing,
            by: word.map(|word| word.by.clone()),
            reason: word.map(|word| word.reason.clone()),
            draft: is_skill.then(|| skillforge::draft(staged)),
        }
    }
}

fn in_words(document: &Document, is_one: bool) -> String {
    let mut text = String::new();
    for one in &document.candidates {
        let what = match one.kind {
            Kind::Lesson => "lesson",
            Kind::Skill => "skill ",
            Kind::Retire => "retire",
        };
        let episodes = counted(one.of, "episode");
        let _ = writeln!(text, "{}  {what}  {}, found {}", plain(&one.candidate), episodes, plain(&one.found));
        let _ = writeln!(text, "  {}", plain(&one.text));
        for opponent in &one.opposed_to {
            let _ = writeln!(text, "  opposed to {}", plain(opponent));
        }
        if let (Some(by), Some(reason)) = (&one.by, &one.reason) {
            let _ = writeln!(text, "  {} by {}: {}", one.standing, plain(by), plain(reason));
        }
        if let (Some(draft), true) = (&one.draft, is_one) {
            text.extend(draft.lines().map(|line| format!("  | {}\n", line.replace(char::is_control, " "))));
        }
    }
    let _ = match document.waiting {
        0 => writeln!(text, "Nothing waits for a person."),
        count => writeln!(
            text,
            "{} {} for a person: `canonry memory accept NAME --reason WHY`, or `reject`.",
            counted(count, "candidate"),
            if count == 1 { "waits" } else { "wait" }
        ),
    };
    text
}
