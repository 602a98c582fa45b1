//! See `code_fence_unclosed.md`.

use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::Span;
use crate::syntax::markdown::MarkdownOutline;

pub(super) static RULE: Rule = Rule {
    id: "code-fence-unclosed",
    summary: "code block is not closed",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("code_fence_unclosed.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    for (source, outline) in skill.all_texts() {
        let Some(span) = outline.and_then(|outline| unclosed(source.text(), outline)) else { continue };
        findings.push(
            RawFinding::new(Location::at(source, span), "a code block starts here and is not closed")
                .help("close it; a block that contains fences of its own starts and ends with one more backtick"),
        );
    }
}

/// The opening fence of a block that ends with the text and not with a fence.
fn unclosed(text: &str, outline: &MarkdownOutline) -> Option<Span> {
    let block = outline.blocks.last()?;
    let code = &text[block.span.range()];
    let mut lines = code.lines();
    let first = lines.next()?;
    let mark = first.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let least = first.chars().take_while(|c| *c == mark).count();
    let is_closed = lines.next_back().is_some_and(|last| {
        let last = last.trim_matches(|c: char| c.is_whitespace() || c == '>');
        last.len() >= least && last.chars().all(|c| c == mark)
    });
    let is_last = text[block.span.end()..].trim().is_empty();
    (is_last && least >= 3 && !is_closed).then(|| Span::new(block.span.offset, block.span.offset + first.len()))
}
