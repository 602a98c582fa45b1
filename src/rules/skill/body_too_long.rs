//! See `body_too_long.md`.

use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::Span;

pub(super) static RULE: Rule = Rule {
    id: "body-too-long",
    summary: "a body of more than 500 lines or 5,000 tokens",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("body_too_long.md"),
    check: Check::Skill(check),
};

/// What the specification recommends at most.
const LINES: usize = 500;
/// The same.
const TOKENS: usize = 5_000;
/// Bytes that make a token, about: the rule of thumb that vendors give for English text and code. Text in other scripts has
/// more bytes a character and more tokens a character, so that it comes out near enough.
const BYTES_A_TOKEN: usize = 4;

fn check(skill: &Skill, findings: &mut RawFindings) {
    let (Some(source), Some(front)) = (skill.source(), skill.front()) else { return };
    let body = source.slice(front.fences.body).trim();
    let (lines, tokens) = (body.lines().count(), body.len() / BYTES_A_TOKEN);
    let much = match (lines > LINES, tokens > TOKENS) {
        (false, false) => return,
        (true, false) => format!("{lines} lines; at most {LINES} are recommended"),
        (false, true) => format!("about {tokens} tokens; at most {TOKENS} are recommended"),
        (true, true) => {
            format!("{lines} lines and about {tokens} tokens; at most {LINES} and {TOKENS} are recommended")
        }
    };
    // At its first line: a marked span of hundreds of lines would fill the screen.
    let start = front.fences.body.offset
        + (source.slice(front.fences.body).len() - source.slice(front.fences.body).trim_start().len());
    let place =
        Location::at(source, Span { length: source.line_span(start).end().saturating_sub(start), offset: start });
    let help =
        "keep the steps here, and move details into files below `references/` that are read when they are needed";
    findings.push(RawFinding::new(place, format!("the body has {much}")).help(help));
}
