//! `canonry skills match`

use super::listing::Listing;
use super::needs::Needs;
use crate::app::Error;
use crate::app::Workspace;
use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::registry::{SkillMatch, match_skills};
use crate::render::json;
use serde::Serialize;

/// Rank the skills that fit a task, and explain why
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A trigger that occurs in the text ranks first; the words of names and descriptions (BM25) rank the rest. \
                  The output marks skills whose preconditions name a missing file or command."
)]
pub struct Args {
    /// Task to find skills for
    #[arg(value_name = "TEXT", required = true)]
    text: Vec<String>,
    /// Maximum number of results
    #[arg(short = 'k', long, value_name = "N", default_value_t = 5)]
    top: usize,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    matches: Vec<One<'a>>,
}

#[derive(Serialize)]
struct One<'a> {
    name: &'a str,
    path: &'a str,
    description: &'a str,
    triggers: &'a [String],
    words: f64,
    preconditions: &'a [String],
    missing: Vec<String>,
    constraints: &'a [String],
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub(super) fn run(args: &Args, context: &Workspace, out: &Out<'_>) -> Result<Status, Error> {
    let cards = Listing::see(context)?.cards(context);
    let found = match_skills(&cards, &args.text.join(" "));
    let needs = Needs::of(context);
    let found: Vec<One<'_>> = found.iter().take(args.top).map(|matched| One::of(matched, &needs)).collect();
    if found.is_empty() {
        out.remark("No skill fits.\n");
    }
    match args.format {
        Format::Json => out.result(&json::to_text(&Document { schema: "canonry/skill-matches/v1", matches: found })),
        Format::Human => found.iter().for_each(|one| out.result(&one.in_words())),
    }
    Ok(Status::Done)
}

impl<'a> One<'a> {
    fn of(matched: &'a SkillMatch<'a>, needs: &Needs<'_>) -> Self {
        let card = matched.card;
        Self {
            name: &card.name,
            path: &card.path,
            description: &card.description,
            triggers: &matched.why.triggers,
            words: (matched.why.words * 1_000.0).round() / 1_000.0,
            preconditions: &card.preconditions,
            missing: needs.missing(&card.preconditions),
            constraints: &card.constraints,
        }
    }

    fn in_words(&self) -> String {
        let triggers: Vec<String> = self.triggers.iter().map(|trigger| format!("`{trigger}`")).collect();
        let by_trigger = (!triggers.is_empty()).then(|| format!("trigger {}", triggers.join(", ")));
        let by_words = (self.words > 0.0).then(|| format!("words {:.3}", self.words));
        let why: Vec<String> = by_trigger.into_iter().chain(by_words).collect();
        let mut text = format!("{}  {}\n  why: {}\n", self.name, self.path, why.join("; "));
        for missing in &self.missing {
            text.push_str(&format!("  not ready: {missing}\n"));
        }
        text
    }
}

/// The first characters of a text, in all no more than these.
pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}
