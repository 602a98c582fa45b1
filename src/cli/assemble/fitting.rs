//! The skills that fit what is to be done.

use super::gather::Wish;
use crate::app::Error;
use crate::app::Workspace;
use crate::app::recorded::document;
use crate::canon::Layout;
use crate::cli::skills::listing::Listing;
use crate::cli::skills::needs::Needs;
use crate::memory::context::{Body, Kind, Part};
use crate::registry::match_skills;
use crate::syntax::{RepoPath, secrets};

/// Skills that are tried at most.
const SKILLS: usize = 3;

/// The skills of which a trigger stands in the task, each with its `KNOWLEDGE.md`. One whose preconditions are not met is
/// left out, with the reason.
///
/// # Errors
/// A skill that cannot be read.
pub fn skills(context: &Workspace, wish: &Wish<'_>) -> Result<Option<Part>, Error> {
    if wish.task.trim().is_empty() {
        return Ok(None);
    }
    let cards = Listing::see(context)?.cards(context);
    let needs = Needs::of(context);
    let (mut pieces, mut left_out) = (Vec::new(), Vec::new());
    for found in match_skills(&cards, wish.task).iter().filter(|found| !found.why.triggers.is_empty()).take(SKILLS) {
        let missing = needs.missing(&found.card.preconditions);
        if !missing.is_empty() {
            left_out.push(format!("{}: {}", found.card.name, missing.join(", ")));
            continue;
        }
        let path = RepoPath::from(found.card.path.as_str());
        let knowledge = Layout::knowledge(&path.parent().unwrap_or_default());
        let mut text = format!("## {} ({path})\n\n{}\n", found.card.name, document(context, &path)?.trim());
        let known = document(context, &knowledge)?;
        if !known.trim().is_empty() {
            text.push_str(&format!("\n### {knowledge}\n\n{}\n", known.trim()));
        }
        pieces.push((found.card.name.clone(), secrets::redact(&text).into_owned()));
    }
    let source = context.layout.skills().to_display();
    Ok(Some(Part { kind: Kind::Skills, source, body: Body::Pieces(pieces), left_out }))
}
