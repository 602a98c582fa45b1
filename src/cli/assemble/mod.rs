//! `canonry context`

mod fitting;
pub(crate) mod gather;
pub(crate) mod shelf;

use super::format::Format;
use super::output::Out;
use super::status::Status;
use super::when;
use crate::app::Environment;
use crate::app::Error;
use crate::app::Workspace;
use crate::memory::context::{Account, Assembled, assemble};
use crate::render::json;
use crate::view::Basis;
use gather::{Wish, gather};
use serde::Serialize;

/// Print the context that an agent reads before a task
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The context contains the task, preferences, workspace, active plan, failing skills, lessons, episodes, matching \
                  skills and permissions, in this order. The size of each part and the omitted entries go to stderr. canonry counts four \
                  characters as a token. The output never exceeds the budget."
)]
pub struct Args {
    /// Task; it selects the skills and ranks the lessons and episodes
    #[arg(long = "for", value_name = "TEXT")]
    task: Option<String>,
    /// Maximum size of the output, in tokens
    #[arg(long, value_name = "TOKENS", default_value_t = 4_000)]
    budget: usize,
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
    now: String,
    budget: usize,
    used: usize,
    parts: Vec<One<'a>>,
    text: &'a str,
}

#[derive(Serialize)]
struct One<'a> {
    part: &'static str,
    source: &'a str,
    cost: usize,
    whole: usize,
    left_out: &'a [String],
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let now = when::now(args.now.as_deref())?;
    let context = Workspace::open(env, &Basis::WorkTree)?;
    context.require_canon()?;
    let wish = Wish { task: args.task.as_deref().unwrap_or_default(), now };
    let mut parts = gather(&context, &wish)?;
    parts.extend(fitting::skills(&context, &wish)?);
    let Assembled { text, accounts, used } = assemble(parts, args.budget);
    match args.format {
        Format::Json => {
            let parts = accounts.iter().map(One::of).collect();
            let (schema, now, budget) = ("canonry/context/v1", now.to_string(), args.budget);
            out.result(&json::to_text(&Document { schema, now, budget, used, parts, text: &text }));
        }
        Format::Human => {
            out.result(&text);
            out.remark(&accounts.iter().map(in_words).collect::<String>());
            out.remark(&format!("{used} of {} tokens.\n", args.budget));
        }
    }
    Ok(Status::Done)
}

impl<'a> One<'a> {
    fn of(account: &'a Account) -> Self {
        let Account { kind, source, cost, whole, left_out } = account;
        Self { part: kind.name(), source, cost: *cost, whole: *whole, left_out }
    }
}

fn in_words(account: &Account) -> String {
    let Account { kind, cost, left_out, .. } = account;
    let mut text = format!("{:12} {cost:>6} tokens\n", kind.name());
    text.extend(left_out.iter().map(|what| format!("  left out   {what}\n")));
    text
}
