//! See `yaml_invalid.md`.

use crate::canon::skill::Skill;
use crate::finding::{Fix, Location, RawFinding, Severity, TextEdit};
use crate::rules::yaml_edit::{parse_with, quoted};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::yaml::YamlError;
use crate::syntax::{Source, Span};

pub(super) static RULE: Rule = Rule {
    id: "yaml-invalid",
    summary: "frontmatter that is not valid YAML",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("yaml_invalid.md"),
    check: Check::Skill(check),
};

const COLON: &str = "a `: ` in an unquoted value starts a new key";

fn check(skill: &Skill, findings: &mut RawFindings) {
    let (Some(source), Some(front)) = (skill.source(), skill.front()) else { return };
    let Err(error) = &front.yaml else { return };
    let message = format!("the frontmatter is not valid YAML: {}", error.message);
    let finding = RawFinding::new(Location::at(source, error.span), message);
    let finding = finding.fix(fix(source, front.fences.yaml));
    findings.push(match help(source, front.fences.yaml, error) {
        Some(help) => finding.help(help),
        None => finding,
    });
}

/// Quotes around the values that YAML stumbles over. Proposed only where the whole is YAML then, and each such value the
/// same text as before.
fn fix(source: &Source, yaml: Span) -> Option<Fix> {
    let values = lines(source, yaml).filter_map(|line| value_to_quote(source, line));
    let values: Vec<(&str, Span)> = values.collect();
    let quote = |(_, value): &(&str, Span)| TextEdit::new(*value, quoted(source.slice(*value)));
    let splices: Vec<TextEdit> = values.iter().map(quote).collect();
    let after = parse_with(source, yaml, &splices)?;
    let same = |(key, value): &(&str, Span)| after.root.get(key)?.as_str().filter(|text| *text == source.slice(*value));
    let holds = after.duplicates.is_empty() && values.iter().all(|value| same(value).is_some());
    holds.then(|| Fix::safe(if splices.len() == 1 { "quote the value" } else { "quote the values" }, splices))
}

fn lines(source: &Source, within: Span) -> impl Iterator<Item = Span> {
    source.slice(within).split_inclusive('\n').scan(within.offset, |at, line| {
        let span = Span::new(*at, *at + line.trim_end_matches(['\n', '\r']).len());
        *at += line.len();
        Some(span)
    })
}

/// The key and the value of a line at the top level that needs quotes. What may be a comment is left to a person.
fn value_to_quote(source: &Source, line: Span) -> Option<(&str, Span)> {
    let text = source.slice(line);
    let (key, value) = unquoted(text)?;
    let is_key = !key.is_empty() && text.starts_with(key) && !key.starts_with('#');
    let needs_quotes = colon(text).or_else(|| odd_start(text)).is_some();
    let start = line.offset + text.find(": ")? + 2;
    let rest = source.slice(Span::new(start, line.end()));
    let start = start + rest.len() - rest.trim_start().len();
    (is_key && needs_quotes && !value.contains(" #")).then(|| (key, Span::new(start, start + value.len())))
}

/// What most likely went wrong. The parser often notices a line late, so the line before the error's is looked at too.
fn help(source: &Source, yaml: Span, error: &YamlError) -> Option<String> {
    let line = source.line_span(error.span.offset);
    let before = (line.offset > yaml.offset).then(|| source.line_span(line.offset - 1));
    let text = |span: Span| if span.offset < yaml.end() { source.slice(span) } else { "" };
    let (line, before) = (text(line), before.map_or("", text));
    tab(line)
        .or_else(|| colon(line))
        .or_else(|| odd_start(line))
        .or_else(|| colon(before))
        // A value that runs over several lines has its key further up.
        .or_else(|| error.message.starts_with("mapping values").then(|| format!("quote the value: {COLON}")))
}

fn tab(line: &str) -> Option<String> {
    let indent = &line[..line.len() - line.trim_start().len()];
    indent.contains('\t').then(|| "indent with spaces; YAML does not allow tabs there".to_owned())
}

fn colon(line: &str) -> Option<String> {
    let (key, value) = unquoted(line)?;
    let is_split = value.contains(": ") || value.ends_with(':');
    is_split.then(|| format!("quote the value of `{key}`: {COLON}"))
}

/// Not for a whole `[list]` or `{mapping}`, with which nothing is wrong.
fn odd_start(line: &str) -> Option<String> {
    let (key, value) = unquoted(line)?;
    let is_whole = value.ends_with([']', '}']);
    let is_odd = value.starts_with(['[', ']', '{', '}', '*', '&', '!', '@', '`', '%', ','])
        || value.starts_with("- ")
        || value.starts_with("? ");
    let said = || format!("quote the value of `{key}`: an unquoted value cannot start like this");
    (is_odd && !is_whole).then(said)
}

/// The key and the value of a line `key: value` whose value stands on the line and has no quotes.
fn unquoted(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(": ")?;
    let (key, value) = (key.trim(), value.trim());
    let is_plain = !key.contains([' ', '"', '\'', '{', '[']) && !value.starts_with(['"', '\'', '|', '>']);
    is_plain.then_some((key, value))
}
