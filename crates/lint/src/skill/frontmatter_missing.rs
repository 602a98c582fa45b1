//! See `frontmatter_missing.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::skill::Skill;
use canonry_model::finding::yaml_lines::{is_key_line, parse_keeping_keys};
use canonry_model::finding::{Fix, Location, Severity, TextEdit};
use canonry_text::frontmatter::{BOM, FrontmatterError};
use canonry_text::{Source, Span};

pub(super) static RULE: Rule = Rule {
    id: "frontmatter-missing",
    summary: "frontmatter is missing, not closed, or invisible to some parsers",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("frontmatter_missing.md"),
    check: Check::Each(&[
        Check::Skill(check),
        Check::Skill(check_closing),
        Check::At(Defaults::both(Severity::Warning), &Check::Skill(check_mark)),
        Check::At(Defaults::both(Severity::Warning), &Check::Skill(check_fences)),
    ]),
};

const START: &str = "start the file with a line `---`, the keys `name` and `description`, and another line `---`";

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Ok(document) = &skill.document else { return };
    let source = &document.source;
    let Err(problem) = &document.front else { return };
    let (span, message, help) = match problem {
        // `check_closing` reports it.
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

/// Frontmatter is not closed.
fn check_closing(skill: &Skill, findings: &mut Vec<Finding>) {
    let Ok(document) = &skill.document else { return };
    let Err(FrontmatterError::Unclosed { opening, dots, indented }) = &document.front else { return };
    let at = |span| Location::at(&document.source, span);
    findings.push(match (dots, indented) {
        (Some(dots), _) => RULE
            .at(at(*dots), "the frontmatter ends with `...`, which tools do not recognize")
            .help("write `---` instead of `...`")
            .related(at(*opening), "opened here"),
        (None, Some(fence)) => {
            let location = at(*fence);
            let indent = document.source.slice(*fence).len() - document.source.slice(*fence).trim_start().len();
            let edit = TextEdit::new(Span::new(fence.offset, fence.offset + indent), "");
            let message =
                format!("the frontmatter is not closed: the `---` on line {} is indented", location.position.line);
            let title = "remove the indentation";
            let fix = if ends_the_keys(&document.source, *opening, *fence) {
                Fix::safe(title, vec![edit])
            } else {
                Fix::unsafe_edits(title, vec![edit])
            };
            RULE.at(location, message).help("move it to column 1").related(at(*opening), "opened here").fix(fix)
        }
        (None, None) => RULE
            .at(at(*opening), "the frontmatter is not closed")
            .help("add a line `---` between the last key and the body"),
    });
}

/// Whether the lines above a fence are YAML in which each line with a key is one, and no key follows: otherwise the fence may
/// be part of a text.
fn ends_the_keys(source: &Source, opening: Span, fence: Span) -> bool {
    let start = source
        .text()
        .get(opening.end()..)
        .and_then(|rest| rest.find('\n'))
        .map_or(fence.offset, |at| opening.end() + at + 1);
    let yaml = Span::new(start, fence.offset.max(start));
    let below = source.text().get(fence.end()..).unwrap_or_default();
    let is_followed = below.lines().find(|line| !line.trim().is_empty()).is_some_and(is_key_line);
    !is_followed && parse_keeping_keys(source, yaml, &[]).is_some()
}

/// Byte order mark before the frontmatter.
fn check_mark(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(source) = skill.source() else { return };
    if source.text().starts_with(BOM) {
        let mark = Span::new(0, BOM.len_utf8());
        let fix = Fix::safe("remove the byte order mark", vec![TextEdit::new(mark, "")]);
        let message = "byte order mark before the first line; some tools do not recognize the `---` after it";
        let finding = RULE.at(Location::at(source, mark), message);
        findings.push(finding.help("save the file as UTF-8 without a byte order mark").fix(fix));
    }
}

/// Trailing white space after a `---` fence.
fn check_fences(skill: &Skill, findings: &mut Vec<Finding>) {
    let (Some(source), Some(front)) = (skill.source(), skill.front()) else { return };
    for fence in [front.fences.opening, front.fences.closing] {
        let bare = source.slice(fence).trim_end().len();
        if bare < fence.length {
            let trailing = Span::new(fence.offset + bare, fence.end());
            let message = "trailing white space after `---`; strict tools do not recognize the fence";
            let fix = Fix::safe("remove the white space", vec![TextEdit::new(trailing, "")]);
            findings.push(RULE.at(Location::at(source, trailing), message).help("remove it").fix(fix));
        }
    }
}
