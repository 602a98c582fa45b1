//! `canonry memory explain`

use super::look::{Look, Words};
use crate::app::Environment;
use crate::app::Workspace;
use crate::app::{Error, ErrorKind};
use crate::canon::timestamp::Timestamp;
use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::cli::when;
use crate::memory::standing::{Ranked, leaves_in};
use crate::memory::{Row, RowId, Scoring, Terms};
use crate::render::{counted, json};
use crate::view::Basis;
use serde::Serialize;
use std::fmt::Write as _;

/// The arguments of `canonry memory explain`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Id of the row: its `id` key, or the 16 digits in lessons and in `memory status --format json`
    id: String,
    /// Use this time as the current time: RFC 3339, UTC if it has no zone
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

/// The document `canonry/memory-explain/v1`.
#[derive(Serialize)]
struct Document {
    schema: &'static str,
    now: String,
    id: String,
    skill: String,
    action: String,
    timestamp: String,
    age_days: i64,
    salience: f64,
    terms: JsonTerms,
    pattern: Option<Pattern>,
    archived: bool,
    leaves: Option<String>,
}

#[derive(Serialize)]
struct JsonTerms {
    recency: f64,
    pain: f64,
    importance: f64,
    recurrence: f64,
}

#[derive(Serialize)]
struct Pattern {
    best: String,
    rows: Vec<String>,
    salience: f64,
    promoted: bool,
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let now = when::now(args.now.as_deref())?;
    let context = Workspace::open(env, &Basis::WorkTree)?;
    let look = Look::at(&context, now)?;
    let decision = &look.dreamt.decision;
    let Some(row) = (0..decision.rows.len()).find(|row| decision.id(*row) == args.id) else {
        return archived(&look, &args.id, out);
    };
    let words = look.words(&[row])?.pop().unwrap_or(Words { skill: String::new(), action: String::new() });
    let document = document(&look, row, words);
    out.result(&match args.format {
        Format::Json => json::to_text(&document),
        Format::Human => in_words(&look, row, &document),
    });
    Ok(Status::Done)
}

/// A row that is not in the log.
fn archived(look: &Look<'_>, id: &str, out: &Out<'_>) -> Result<Status, Error> {
    let is_it = |row: &Row| match &row.id {
        RowId::Own(own) => **own == *id,
        RowId::Content(hash) => id.split('-').next() == Some(format!("{hash:016x}").as_str()),
        RowId::Line => false,
    };
    for (path, _, rows) in look.archive()? {
        if let Some(row) = rows.iter().find(|row| is_it(row)) {
            let line = row.line;
            out.result(&format!("{id} has left the log: it is in {path}:{line}, and weighs nothing any more.\n"));
            return Ok(Status::Done);
        }
    }
    Err(Error::new(ErrorKind::Unreadable, format!("there is no row `{id}` in the log or its snapshots"))
        .help("`canonry memory status --format json` and the lessons name rows by their ids"))
}

fn document(look: &Look<'_>, row: usize, words: Words) -> Document {
    let (decision, night) = (&look.dreamt.decision, &look.dreamt.night);
    let this = &decision.rows[row];
    let (salience, recurrence) = look.standing.weight(row, &decision.rows, night);
    let Terms { recency, pain, importance, recurrence: factor } = night.policy.terms(this, recurrence, night.now);
    let pattern = look.standing.patterns.iter().find(|pattern| pattern.rows.contains(&row));
    let archived = decision.archived.contains(&row);
    // One whose time has come, and which stays, shows that an old pattern recurs.
    let days = leaves_in(this, recurrence, night).filter(|days| *days > 0 || archived);
    Document {
        schema: "canonry/memory-explain/v1",
        now: night.now.to_string(),
        id: decision.id(row),
        skill: words.skill,
        action: words.action,
        timestamp: this.at.to_string(),
        age_days: this.at.days_before(night.now).max(0),
        salience,
        terms: JsonTerms { recency, pain, importance, recurrence: factor },
        pattern: pattern.map(|pattern| told(look, pattern)),
        archived,
        leaves: days.map(|days| date_in(night.now, days)),
    }
}

fn date_in(now: Timestamp, days: i64) -> String {
    now.minus_days(-days).date()
}

fn told(look: &Look<'_>, pattern: &Ranked) -> Pattern {
    let decision = &look.dreamt.decision;
    Pattern {
        best: decision.id(pattern.best),
        rows: pattern.rows.iter().map(|row| decision.id(*row)).collect(),
        salience: pattern.salience,
        promoted: pattern.salience >= look.dreamt.night.policy.promote_at,
    }
}

fn in_words(look: &Look<'_>, row: usize, document: &Document) -> String {
    let (policy, this) = (&look.dreamt.night.policy, &look.dreamt.decision.rows[row]);
    let (age, terms) = (document.age_days, &document.terms);
    let mut text = format!("{}  {}: {}\n", document.id, document.skill, document.action);
    let _ = writeln!(text, "happened    {}, {} ago", document.timestamp, counted_days(age));
    let _ = writeln!(text, "salience    {:.4}, the product of", document.salience);
    let half = match policy.scoring {
        Scoring::HalfLife { days, .. } => format!("10 x 2^(-{age} / {days})"),
        Scoring::Seed => format!("10 - {age} x 0.3"),
    };
    let weights = match policy.scoring {
        Scoring::HalfLife { weights, .. } => [weights.recency, weights.pain, weights.importance, weights.recurrence],
        Scoring::Seed => [1.0; 4],
    };
    let stated = match &document.pattern {
        Some(pattern) if pattern.best == document.id => pattern.rows.len() as f64,
        _ => this.recurrence,
    };
    let terms = [
        ("recency", half, terms.recency),
        ("pain", format!("{} / 10", this.pain), terms.pain),
        ("importance", format!("{} / 10", this.importance), terms.importance),
        ("recurrence", format!("min({stated}, 3)"), terms.recurrence),
    ];
    for ((name, how, value), weight) in terms.iter().zip(weights) {
        let weight = if weight == 1.0 { String::new() } else { format!(", to the power of {weight}") };
        let _ = writeln!(text, "  {name:<10}  {value:.4} = {how}{weight}");
    }
    text.push_str(&pattern_in_words(document, policy.promote_at));
    text.push_str(&fate_in_words(look, document));
    text
}

fn counted_days(days: i64) -> String {
    counted(usize::try_from(days).unwrap_or_default(), "day")
}

fn pattern_in_words(document: &Document, promote_at: f64) -> String {
    let Some(pattern) = &document.pattern else {
        return "pattern     none: nothing else in the log is like it\n".to_owned();
    };
    let all = counted(pattern.rows.len(), "row");
    let role = match pattern.best == document.id {
        true => format!("speaks for {all}"),
        false => format!("one of {all}; {} speaks for them, and weighs {:.4}", pattern.best, pattern.salience),
    };
    let lesson = if pattern.promoted { "a lesson" } else { "no lesson" };
    let sign = if pattern.promoted { "at least" } else { "below" };
    format!("pattern     {role}: {sign} {promote_at}, so {lesson}\n")
}

fn fate_in_words(look: &Look<'_>, document: &Document) -> String {
    let policy = &look.dreamt.night.policy;
    let why = format!("older than {} days and below {}", policy.archive_after_days, policy.archive_below);
    match &document.leaves {
        _ if document.archived => format!("log         leaves with the next dream: {why}\n"),
        Some(day) => format!("log         stays until {day}, if nothing is added: then it is {why}\n"),
        None if document.pattern.is_some() => "log         stays: it shows that its pattern recurs\n".to_owned(),
        None => "log         stays\n".to_owned(),
    }
}
