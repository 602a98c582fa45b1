//! See `context_placeholder.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_agents::block::{self, BlockMarkers};
use canonry_model::canon::context_file::{ContextFile, ContextKind};
use canonry_model::finding::{Location, Severity};
use canonry_text::Span;
use canonry_text::markdown::{TASK_TAGS, outline};

pub(super) static RULE: Rule = Rule {
    id: "context-placeholder",
    summary: "placeholder in the root instructions",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("context_placeholder.md"),
    check: Check::Context(check),
};

fn check(file: &ContextFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    if file.kind != ContextKind::Agents {
        return;
    }
    let text = source.text();
    let mut skipped: Vec<Span> = outline(text, 0).blocks.into_iter().map(|block| block.span).collect();
    // The block is a copy of the canon's file, where the finding is.
    if let Ok(Some(block)) = block::find(text, BlockMarkers::Markdown) {
        skipped.push(Span::new(block.range.start, block.range.end));
    }
    let mut at = 0;
    for whole in text.split_inclusive('\n') {
        let item = whole.trim_start_matches(['-', '*', ' ']);
        let start = at + whole.len() - item.len();
        at += whole.len();
        let tag = TASK_TAGS.into_iter().find(|tag| item.strip_prefix(tag).is_some_and(|rest| rest.starts_with(':')));
        let Some(tag) = tag else { continue };
        if skipped.iter().any(|span| (span.offset..span.end()).contains(&start)) {
            continue;
        }
        let span = Span::new(start, start + item.trim_end().len());
        let message = format!("every session reads this `{tag}` instead of an instruction");
        findings.push(RULE.at(Location::at(source, span), message).help("write the instruction, or remove the line"));
    }
}
