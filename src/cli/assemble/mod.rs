//! `canonry context`

mod fitting;
pub(super) mod gather;
pub(super) mod shelf;

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

/// Prints what an agent is to read before it begins, within a budget of tokens.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "What is to be done first, preferences, workspace, active plan, skills that keep failing, lessons, episodes, skills\n\
                  that fit, and permissions. What each cost and what was left out goes to stderr. A token is taken for four\n\
                  characters; the text never costs more than the budget."
)]
pub struct Args {
    /// What is to be done; it chooses the skills, and the lessons and episodes that are told first
    #[arg(long = "for", value_name = "TEXT")]
    task: Option<String>,
    /// Tokens that all of it may cost
    #[arg(long, value_name = "TOKENS", default_value_t = 4_000)]
    budget: usize,
    /// The moment that counts as now, RFC 3339; without a zone it is UTC
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
    /// How it is written
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
