//! `canonry skills list`

use super::listing::Listing;
use crate::app::Error;
use crate::app::Workspace;
use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::registry::{ManifestEntry, render_xml};
use crate::render::json;
use serde::Serialize;

/// List the skills by name
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print the <available_skills> block for an agent's prompt
    #[arg(long, conflicts_with = "format")]
    xml: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    skills: &'a [ManifestEntry],
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub(super) fn run(args: &Args, context: &Workspace, out: &Out<'_>) -> Result<Status, Error> {
    let cards = Listing::see(context)?.cards(context);
    match (args.xml, args.format) {
        (true, _) => out.result(&render_xml(&cards)),
        (false, Format::Json) => out.result(&json::to_text(&Document { schema: "canonry/skills/v1", skills: &cards })),
        (false, Format::Human) => out.result(&in_words(&cards, out.style.width)),
    }
    if cards.is_empty() {
        out.remark(&format!("There is no skill in {}.\n", context.layout.skills()));
    }
    Ok(Status::Done)
}

fn in_words(cards: &[ManifestEntry], width: usize) -> String {
    let longest = cards.iter().map(|card| card.name.chars().count()).max().unwrap_or_default();
    let room = width.saturating_sub(longest + 2).max(20);
    let line = |card: &ManifestEntry| {
        let said = super::matching::shortened(&card.description, room);
        format!("{:longest$}  {said}\n", card.name)
    };
    cards.iter().map(line).collect()
}
