//! See `body_too_long.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, Severity};
use canonry_text::Span;

pub(super) static RULE: Rule = Rule {
    id: "body-too-long",
    summary: "skill body is longer than recommended",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("body_too_long.md"),
    check: Check::Skill(check),
};

/// Maximum number of lines that the specification recommends.
const LINES: usize = 500;
/// Maximum number of tokens that the specification recommends, and that Claude Code keeps of a skill when it compacts a session:
/// <https://code.claude.com/docs/en/skills>, "Skill content lifecycle" (2026-11).
const TOKENS: usize = 5_000;
/// Approximate number of bytes per token, the rule of thumb that vendors give for English text and code. Other scripts have
/// more bytes and more tokens per character, so the estimate is close enough for them too.
const BYTES_PER_TOKEN: usize = 4;
/// The part of a limit that is tolerated on top of it. The limits are recommendations and the count of tokens is an
/// estimate, so a body that is only slightly longer is not reported.
const TOLERANCE: usize = 10;

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let (Some(source), Some(front)) = (skill.source(), skill.front()) else { return };
    let body = source.slice(front.fences.body).trim();
    let lines = body.lines().count();
    let tokens = body.len() / BYTES_PER_TOKEN;
    let size = match (lines > LINES, tokens > TOKENS) {
        _ if !is_much_more(lines, LINES) && !is_much_more(tokens, TOKENS) => return,
        (false, false) => return,
        (true, false) => format!("{lines} lines; the recommended maximum is {LINES}"),
        (false, true) => format!("about {tokens} tokens; the recommended maximum is {TOKENS}"),
        (true, true) => {
            format!("{lines} lines and about {tokens} tokens; the recommended maximum is {LINES} and {TOKENS}")
        }
    };
    // Only the first line: highlighting hundreds of lines would fill the screen.
    let start = front.fences.body.offset
        + (source.slice(front.fences.body).len() - source.slice(front.fences.body).trim_start().len());
    let location =
        Location::at(source, Span { length: source.line_span(start).end().saturating_sub(start), offset: start });
    let help = "keep the steps here, and move details to files in `references/` that agents read when needed";
    let finding = RULE.at(location, format!("the body has {size}")).help(help);
    // No tool cuts lines.
    let is_cut = is_much_more(tokens, TOKENS);
    findings.push(if is_cut { finding } else { finding.severity(Defaults::both(Severity::Info)) });
}

fn is_much_more(count: usize, limit: usize) -> bool {
    count > limit + limit / TOLERANCE
}
