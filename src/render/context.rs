//! An assembled context.

use super::json;
use crate::app::context::Outcome;
use crate::memory::context::SectionUsage;
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
pub fn to_json(outcome: &Outcome) -> String {
    json::to_text(&ContextDocument {
        schema: "canonry/context/v1",
        now: outcome.now.to_string(),
        budget: outcome.budget,
        used: outcome.used,
        parts: outcome.sections.iter().map(SectionDocument::new).collect(),
        text: &outcome.text,
    })
}

/// The usage of each section and the total, for stderr.
pub fn usage(outcome: &Outcome) -> String {
    let mut text = String::new();
    for SectionUsage { kind, cost, left_out, .. } in &outcome.sections {
        let _ = writeln!(text, "{:12} {cost:>6} tokens", kind.name());
        text.extend(left_out.iter().map(|what| format!("  left out   {what}\n")));
    }
    let _ = writeln!(text, "{} of {} tokens used.", outcome.used, outcome.budget);
    text
}
