//! `canonry recall`

use super::format::Format;
use super::output::Out;
use super::status::Status;
use super::when;
use crate::app::Environment;
use crate::app::Error;
use crate::app::Workspace;
use crate::app::recorded::{Remembered, Snapshots};
use crate::memory::Policy;
use crate::memory::budget::cost;
use crate::memory::recall::{Asked, Hit, Kind, recall};
use crate::render::{counted, json};
use crate::syntax::secrets::{self, without_secrets};
use crate::view::Basis;
use serde::Serialize;

/// Print the lessons and episodes that match a text
#[derive(Debug, clap::Args)]
#[command(after_help = "canonry counts four characters as a token. The output never exceeds the budget.\n\
                  Example: canonry recall -k 3 'deploy failed after the migration'")]
pub struct Args {
    /// Text to match, such as a task or an error message
    #[arg(value_name = "TEXT", required = true)]
    text: Vec<String>,
    /// Maximum number of results
    #[arg(short = 'k', long, value_name = "N", default_value_t = 5)]
    top: usize,
    /// Maximum size of the output, in tokens
    #[arg(long, value_name = "TOKENS", default_value_t = 1_000)]
    budget: usize,
    /// Also search the snapshots of archived episodes
    #[arg(long)]
    snapshots: bool,
    /// Use this time as the current time: RFC 3339, UTC if it has no zone
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    query: &'a str,
    now: String,
    budget: usize,
    used: usize,
    looked_at: usize,
    left_out: usize,
    unreadable: usize,
    hits: Vec<One<'a>>,
}

#[derive(Serialize)]
struct One<'a> {
    kind: &'static str,
    id: &'a Option<String>,
    text: &'a str,
    score: f64,
    words: f64,
    salience: f64,
    times: usize,
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let now = when::now(args.now.as_deref())?;
    let context = Workspace::open(env, &Basis::WorkTree)?;
    context.require_canon()?;
    let which = if args.snapshots { Snapshots::Read } else { Snapshots::LeftOut };
    let remembered = Remembered::read(&context, which)?;
    let (text, policy) = (args.text.join(" "), Policy::of(&context.config.memory));
    let asked =
        Asked { text: &text, top: args.top, budget: args.budget, now, policy: &policy, redact: &without_secrets };
    let got = recall(&asked, &remembered.sources());
    let lines: String = got.hits.iter().map(|hit| format!("{}\n", hit.text)).collect();
    match args.format {
        Format::Human => out.result(&lines),
        Format::Json => out.result(&json::to_text(&Document {
            schema: "canonry/recall/v1",
            query: &secrets::redact(&text),
            now: now.to_string(),
            budget: args.budget,
            used: cost(&lines),
            looked_at: got.looked_at,
            left_out: got.left_out,
            unreadable: got.unreadable,
            hits: got.hits.iter().map(One::of).collect(),
        })),
    }
    if got.hits.is_empty() && args.format == Format::Human {
        out.remark(&format!("Of {} in the log and the lessons none speaks to it.\n", counted(got.looked_at, "entry")));
    }
    if got.unreadable > 0 {
        out.remark(&format!(
            "passed over: {} that cannot be read; `canonry check` names them\n",
            counted(got.unreadable, "line")
        ));
    }
    Ok(Status::Done)
}

impl<'a> One<'a> {
    fn of(hit: &'a Hit) -> Self {
        let rounded = |value: f64| (value * 10_000.0).round() / 10_000.0;
        Self {
            kind: match hit.kind {
                Kind::Lesson => "lesson",
                Kind::Episode => "episode",
            },
            id: &hit.id,
            text: &hit.text,
            score: rounded(hit.score),
            words: rounded(hit.words),
            salience: rounded(hit.salience),
            times: hit.times,
        }
    }
}
