//! An assembled context.

use super::json;
use canonry_app::context::ContextOutcome;
use canonry_memory::context::SectionUsage;
use serde::Serialize;
use std::fmt::Write as _;

/// The document `canonry/context/v1`.
#[derive(Serialize)]
struct ContextDocument<'a> {
    schema: &'static str,
    now: String,
    budget: usize,
    used: usize,
    parts: Vec<SectionDocument<'a>>,
    text: &'a str,
}

#[derive(Serialize)]
struct SectionDocument<'a> {
    part: &'static str,
    source: &'a str,
    cost: usize,
    whole: usize,
    left_out: &'a [String],
}

impl<'a> SectionDocument<'a> {
    fn new(section: &'a SectionUsage) -> Self {
        let SectionUsage { kind, source, cost, whole, left_out } = section;
        Self { part: kind.name(), source, cost: *cost, whole: *whole, left_out }
    }
}

/// The document `canonry/context/v1`.
pub fn to_json(outcome: &ContextOutcome) -> String {
    json::to_text(&ContextDocument {
        schema: "canonry/context/v1",
        now: outcome.now.to_string(),
        budget: outcome.budget,
        used: outcome.used,
        parts: outcome.sections.iter().map(SectionDocument::new).collect(),
        text: &outcome.text,
    })
}

/// One line for stderr: agents read it too, so it counts what was left out, and the JSON document names it.
pub fn summary(outcome: &ContextOutcome) -> String {
    let ContextOutcome { used, budget, .. } = outcome;
    let mut text = if used > budget {
        format!("Used {used} tokens, more than the budget of {budget}: what is never allowed is not cut.")
    } else {
        format!("Used {used} of {budget} tokens.")
    };
    let incomplete = outcome.sections.iter().filter(|section| !section.left_out.is_empty());
    let counts: Vec<String> =
        incomplete.map(|section| format!("{} {}", section.kind.name(), section.left_out.len())).collect();
    if !counts.is_empty() {
        let _ = write!(text, " Left out: {} (list: --format json).", counts.join(", "));
    }
    text + "\n"
}
