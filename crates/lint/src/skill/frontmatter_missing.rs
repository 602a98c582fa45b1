//! See `frontmatter_missing.md`.

use super::byte_order_mark;
use super::fence_trailing_space;
use super::frontmatter_unclosed;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, Severity};
use canonry_text::frontmatter::FrontmatterError;
use canonry_text::{Source, Span};

pub(super) static RULE: Rule = Rule {
    id: "frontmatter-missing",
    summary: "frontmatter is missing, not closed, or invisible to some parsers",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("frontmatter_missing.md"),
    check: Check::Each(&[
        Check::Skill(check),
        Check::Skill(frontmatter_unclosed::check),
        Check::At(Defaults::both(Severity::Warning), &Check::Skill(byte_order_mark::check)),
        Check::At(Defaults::both(Severity::Warning), &Check::Skill(fence_trailing_space::check)),
    ]),
};

const START: &str = "start the file with a line `---`, the keys `name` and `description`, and another line `---`";

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Ok(document) = &skill.document else { return };
    let source = &document.source;
    let Err(problem) = &document.front else { return };
    let (span, message, help) = match problem {
        // `frontmatter_unclosed` reports it.
        FrontmatterError::Unclosed { .. } => return,
        FrontmatterError::Empty => (Span::default(), "the file is empty".to_owned(), START.to_owned()),
        FrontmatterError::Missing { first } => missing(source, *first),
        FrontmatterError::NotFirst { fence } => {
            let line = source.position(fence.offset).line;
            let message = format!("the frontmatter starts on line {line} instead of line 1");
            let is_fenced = source.text().trim_start().starts_with("```");
            let help = if is_fenced {
                "remove the code fence around the file: its first and its last line"
            } else {
                "move everything above the `---`, including blank lines, below the frontmatter"
            };
            (*fence, message, help.to_owned())
        }
    };
    findings.push(RULE.at(Location::at(source, span), message).help(help));
}

fn missing(source: &Source, first: Span) -> (Span, String, String) {
    let line = source.slice(first);
    let dashes = line.trim();
    let is_almost_fence = !dashes.is_empty() && dashes.chars().all(|c| matches!(c, '-' | '\u{2013}' | '\u{2014}'));
    if is_almost_fence {
        let message = format!("the first line is `{line}`, which does not open the frontmatter");
        return (first, message, "write exactly three hyphens: `---`".to_owned());
    }
    let message = "the file does not start with frontmatter".to_owned();
    (first, message, open_fence(&source.text()[first.offset..]).unwrap_or_else(|| START.to_owned()))
}

/// The help for frontmatter without its first fence: the text starts with the keys.
fn open_fence(text: &str) -> Option<String> {
    let is_fence = |line: &str| line.trim_end() == "---";
    let keys = text.lines().take_while(|line| !line.trim().is_empty() && !line.starts_with('#') && !is_fence(line));
    let keys: Vec<&str> = keys.collect();
    let has = |key: &str| keys.iter().any(|line| line.starts_with(key));
    let starts_with_key = keys.first()?.split_once(':').is_some_and(|(key, _)| !key.contains(char::is_whitespace));
    let is_closed = text.lines().take_while(|line| !line.starts_with('#')).any(is_fence);
    (starts_with_key && has("name:") && has("description:")).then(|| {
        if is_closed {
            "put a line `---` before line 1".to_owned()
        } else {
            format!("put a line `---` before line 1, and another one after line {}, where the keys end", keys.len())
        }
    })
}
