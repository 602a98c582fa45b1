//! The parts that an agent's context is assembled from. Any command that gives an agent something to read begins here.

use crate::canon::Layout;
use crate::canon::stamp::Stamp;
use crate::canon::templates;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::remembered::{Remembered, Snapshots, document};
use crate::cli::skills::listing::Listing;
use crate::cli::skills::needs::Needs;
use crate::memory::Policy;
use crate::memory::context::{Body, Kind, Part};
use crate::memory::recall::{Asked, Recalled, Sources, recall};
use crate::memory::workspace::is_used;
use crate::registry::matches;
use crate::syntax::RepoPath;
use crate::syntax::secrets::{self, without_secrets};

/// Lessons that are tried at most; the budget ends them sooner.
const LESSONS: usize = 100;
/// Episodes that are tried at most.
const EPISODES: usize = 10;
/// Skills that are tried at most.
const SKILLS: usize = 3;

/// What is to be read, and when.
pub struct Wish<'a> {
    /// What is to be done; empty where nobody said.
    pub task: &'a str,
    /// The moment that counts as now.
    pub now: Stamp,
}

/// Gathers the parts, without secrets.
///
/// # Errors
/// A file of the memory, or the permissions, that is there and cannot be read.
pub fn gather(context: &Context<'_>, wish: &Wish<'_>) -> Result<Vec<Part>, CliError> {
    let layout = &context.layout;
    let mut parts = Vec::new();
    for (kind, path, template) in [
        (Kind::Personal, layout.preferences(), ""),
        (Kind::Workspace, layout.workspace(), templates::WORKSPACE),
        (Kind::Plan, layout.active_plan(), templates::ACTIVE_PLAN),
        (Kind::Permissions, layout.permissions(), ""),
    ] {
        let text = document(context, &path)?;
        if is_used(&text, template) {
            parts.push(part(kind, &path, Body::Document(secrets::redacted(&text).into_owned())));
        }
    }
    let remembered = Remembered::read(context, Snapshots::LeftOut)?;
    let asked = Recaller { context, wish };
    parts.push(part(Kind::Lessons, &layout.lessons(), asked.pieces(&remembered.lessons(), LESSONS)));
    parts.push(part(Kind::Episodes, &layout.log(), asked.pieces(&remembered.episodes(), EPISODES)));
    parts.extend(skills(context, wish)?);
    Ok(parts)
}

fn part(kind: Kind, path: &RepoPath, body: Body) -> Part {
    Part { kind, source: path.to_display(), body, left_out: Vec::new() }
}

struct Recaller<'a> {
    context: &'a Context<'a>,
    wish: &'a Wish<'a>,
}

impl Recaller<'_> {
    /// What speaks to the task; where nothing does, what is most salient.
    fn pieces(&self, sources: &Sources<'_>, top: usize) -> Body {
        let first = self.recall(self.wish.task, sources, top);
        let hits = if first.hits.is_empty() { self.recall("", sources, top).hits } else { first.hits };
        let named = |hit: &crate::memory::recall::Hit| hit.id.clone().unwrap_or_else(|| head(&hit.text));
        Body::Pieces(hits.iter().map(|hit| (named(hit), format!("- {}", hit.text))).collect())
    }

    fn recall(&self, text: &str, sources: &Sources<'_>, top: usize) -> Recalled {
        let policy = Policy::of(&self.context.config.memory);
        // How much room there is for each is known once all parts are.
        let asked =
            Asked { text, top, budget: usize::MAX, now: self.wish.now, policy: &policy, redact: &without_secrets };
        recall(&asked, sources)
    }
}

/// The first words of a line, as its name.
fn head(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').take(6).collect();
    if words.len() < text.split(' ').count() { format!("{} …", words.join(" ")) } else { words.join(" ") }
}

/// The skills of which a trigger stands in the task, each with its `KNOWLEDGE.md`. One whose preconditions are not met is
/// left out, with the reason.
fn skills(context: &Context<'_>, wish: &Wish<'_>) -> Result<Option<Part>, CliError> {
    if wish.task.trim().is_empty() {
        return Ok(None);
    }
    let cards = Listing::see(context)?.cards(context);
    let needs = Needs::of(context);
    let (mut pieces, mut left_out) = (Vec::new(), Vec::new());
    for found in matches(&cards, wish.task).iter().filter(|found| !found.why.triggers.is_empty()).take(SKILLS) {
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
        pieces.push((found.card.name.clone(), secrets::redacted(&text).into_owned()));
    }
    let source = context.layout.skills().to_display();
    Ok(Some(Part { kind: Kind::Skills, source, body: Body::Pieces(pieces), left_out }))
}
