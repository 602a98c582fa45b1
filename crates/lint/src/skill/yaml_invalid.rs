//! See `yaml_invalid.md`.

use super::duplicate_key;
use super::known_keys::KNOWN_KEYS;
use crate::yaml_problems::quotes_inside;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::skill::Skill;
use canonry_model::finding::yaml_edit::quoted;
use canonry_model::finding::yaml_lines::{is_of_key, parse_keeping_keys};
use canonry_model::finding::{Applicability, Fix, Location, Severity, TextEdit};
use canonry_text::conflict::ConflictMarker;
use canonry_text::yaml::YamlError;
use canonry_text::{Source, Span};
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "yaml-invalid",
    summary: "frontmatter is not valid YAML",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("yaml_invalid.md"),
    check: Check::Each(&[Check::Skill(check), Check::Skill(duplicate_key::check)]),
};

const COLON: &str = "a `: ` in an unquoted value starts a new key";

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let (Some(source), Some(front)) = (skill.source(), skill.front()) else { return };
    let Err(error) = &front.yaml else { return };
    if let Some(conflict) = conflict(source, front.fences.yaml) {
        let finding = RULE.at(Location::at(source, conflict), "an unresolved merge conflict starts here");
        findings.push(finding.help("keep one of the two versions, and remove the lines with markers"));
        return;
    }
    if let Some(finding) = heading_of_keys(&RULE, source, front.fences.yaml, error.span.offset) {
        findings.push(finding);
        return;
    }
    let message = format!("the frontmatter is not valid YAML: {}", error.message);
    let finding = RULE.at(Location::at(source, error.span), message);
    let swallowed = swallowed_key(source, front.fences.yaml);
    if let Some(swallowed) = swallowed {
        findings.push(finding.help(swallowed.help()).fix(swallowed.fix(source, front.fences.yaml)));
        return;
    }
    let finding = finding.fix(fix(source, front.fences.yaml));
    let help = help(source, front.fences.yaml, error);
    findings.push(finding.help(help.unwrap_or_else(|| "correct the YAML at this position".to_owned())));
}

/// The first line of a merge conflict.
fn conflict(source: &Source, yaml: Span) -> Option<Span> {
    lines(source, yaml).find(|line| ConflictMarker::of(source.slice(*line).as_bytes()) == Some(ConflictMarker::Ours))
}

/// Reports a heading that a formatter made of the last keys and the fence below them: Markdown reads a text with `---` on
/// the next line as a heading, and YAML reads the heading as a comment. `limit` is where reading the YAML failed.
pub(super) fn heading_of_keys(rule: &'static Rule, source: &Arc<Source>, yaml: Span, limit: usize) -> Option<Finding> {
    let has_key =
        |line: &Span| ["## name: ", "## description: "].iter().any(|key| source.slice(*line).starts_with(key));
    let heading = lines(source, yaml).take_while(|line| line.offset <= limit).find(has_key)?;
    let message = "the frontmatter is not closed before the text: this heading was a key";
    Some(
        rule.at(Location::at(source, heading), message)
            .help("write each key on a line of its own without `##`, and `---` on the line after the last one"),
    )
}

/// Keys of skills that no sentence contains before a colon. A description may well contain `version: 2`.
const UNMISTAKABLE_KEYS: [&str; 7] = [
    "license",
    "compatibility",
    "allowed-tools",
    "metadata",
    "argument-hint",
    "disable-model-invocation",
    "user-invocable",
];

/// A key that is part of the value of another key.
struct SwallowedKey<'a> {
    key: &'a str,
    /// The key whose value contains it.
    inside: &'a str,
    /// The white space before it.
    gap: Span,
}

impl SwallowedKey<'_> {
    fn help(&self) -> String {
        format!("`{}:` is inside the {}; put it on its own line", self.key, self.inside)
    }

    /// Puts the key at the start of a line. Offered only if the result is valid and the key has the rest of the line. Safe after
    /// the end of a sentence; other text may be about the key.
    fn fix(&self, source: &Source, yaml: Span) -> Option<Fix> {
        let edits = vec![TextEdit::new(self.gap, "\n")];
        let after = parse_keeping_keys(source, yaml, &edits)?;
        let line = source.line_span(self.gap.end());
        let rest = source.slice(Span::new(self.gap.end(), line.end()));
        let value = rest.strip_prefix(self.key)?.strip_prefix(':')?.split(" #").next()?.trim();
        let is_kept = match after.root.get(self.key)?.as_scalar() {
            Some(scalar) => scalar.text == value.trim_matches(['"', '\'']),
            None => value.starts_with(['[', '{']),
        };
        let before = source.text().get(..self.gap.offset)?.trim_end();
        let is_own_line = source.slice(self.gap).contains('\n');
        let applicability = if is_own_line || before.ends_with(['.', '!', '?', ';']) {
            Applicability::Safe
        } else {
            Applicability::Unsafe
        };
        let title = format!("put `{}:` on its own line", self.key);
        is_kept.then_some(Fix { title, applicability, edits, rename: None })
    }
}

/// Finds `description: Formats notes. license: MIT`, also with the second key on an indented line.
fn swallowed_key(source: &Source, yaml: Span) -> Option<SwallowedKey<'_>> {
    let mut inside: Option<&str> = None;
    for line in lines(source, yaml) {
        let text = source.slice(line);
        let is_top = !text.starts_with([' ', '\t']);
        if is_top {
            // Values with quotes and blocks may contain anything, and a key without a value may have a mapping.
            inside = unquoted(text).map(|(key, _)| key).filter(|key| *key != "metadata");
        }
        let Some(outer) = inside else { continue };
        for key in UNMISTAKABLE_KEYS.iter().filter(|key| **key != outer) {
            let from = if is_top { text.find(": ").map_or(0, |at| at + 1) } else { 0 };
            let found = text[from..].match_indices(*key).map(|(at, _)| from + at).find(|at| {
                let before = &text[..*at];
                text[at + key.len()..].starts_with(": ") && (before.ends_with(' ') || before.ends_with('\t'))
            });
            let Some(at) = found else { continue };
            let white = text[..at].len() - text[..at].trim_end().len();
            // An indented line keeps its line break.
            let start = if text[..at].trim().is_empty() { line.offset - 1 } else { line.offset + at - white };
            return Some(SwallowedKey { key, inside: outer, gap: Span::new(start, line.offset + at) });
        }
    }
    None
}

/// Quotes the values that break the YAML. Offered only if the result is valid, every quoted value keeps its text, and every
/// line with a key keeps it. Unsafe if a value may contain another key whose line break was lost.
fn fix(source: &Source, yaml: Span) -> Option<Fix> {
    let values = lines(source, yaml).filter_map(|line| value_to_quote(source, line));
    let values: Vec<(&str, Span)> = values.collect();
    let quote = |(_, value): &(&str, Span)| TextEdit::new(*value, quoted(source.slice(*value)));
    let edits: Vec<TextEdit> = values.iter().map(quote).collect();
    let after = parse_keeping_keys(source, yaml, &edits)?;
    let same = |(key, value): &(&str, Span)| after.root.get(key)?.as_str().filter(|text| *text == source.slice(*value));
    let is_valid = values.iter().all(|value| same(value).is_some());
    let may_hide = values.iter().any(|(key, value)| may_hide_key(key, source.slice(*value)));
    let title = if edits.len() == 1 { "quote the value" } else { "quote the values" };
    is_valid.then(|| if may_hide { Fix::unsafe_edits(title, edits) } else { Fix::safe(title, edits) })
}

/// Keys with sentences in which a colon is nothing unusual.
const PROSE: [&str; 4] = ["description", "compatibility", "argument-hint", "when_to_use"];

/// Whether a value may contain another key, as in `stack: cloud/awscontext: fork`, where a line break was lost: a known key, or a
/// word that another character joins to the text before it; in a value that is no prose, any word.
pub(super) fn may_hide_key(key: &str, value: &str) -> bool {
    let is_split = |at: &usize| matches!(value[at + 1..].chars().next(), None | Some(' ' | '\t'));
    value.match_indices(':').map(|(at, _)| at).filter(is_split).any(|at| {
        let before = &value[..at];
        let above = before.trim_end_matches(is_of_key);
        let word = &before[above.len()..];
        let is_joined = !above.is_empty() && !above.ends_with([' ', '\t', '\'', '"', '`', '(', '[', '*']);
        let is_known = KNOWN_KEYS.iter().any(|known| word.ends_with(known.key));
        !word.is_empty() && (is_known || is_joined || !PROSE.contains(&key))
    })
}

fn lines(source: &Source, within: Span) -> impl Iterator<Item = Span> {
    source.slice(within).split_inclusive('\n').scan(within.offset, |at, line| {
        let span = Span::new(*at, *at + line.trim_end_matches(['\n', '\r']).len());
        *at += line.len();
        Some(span)
    })
}

/// The key and the value of a top-level line that needs quotes. A value that may contain a comment is not touched.
fn value_to_quote(source: &Source, line: Span) -> Option<(&str, Span)> {
    let text = source.slice(line);
    let (key, value) = unquoted(text)?;
    let is_key = !key.is_empty() && text.starts_with(key) && !key.starts_with('#');
    let needs_quotes = colon(text).or_else(|| invalid_start(text)).is_some();
    let start = line.offset + text.find(": ")? + 2;
    let rest = source.slice(Span::new(start, line.end()));
    let start = start + rest.len() - rest.trim_start().len();
    (is_key && needs_quotes && !value.contains(" #")).then(|| (key, Span::new(start, start + value.len())))
}

/// The most likely cause. The parser often reports the following line, so the line before the error is considered too.
fn help(source: &Source, yaml: Span, error: &YamlError) -> Option<String> {
    let line = source.line_span(error.span.offset);
    let before = (line.offset > yaml.offset).then(|| source.line_span(line.offset - 1));
    let text = |span: Span| if span.offset < yaml.end() { source.slice(span) } else { "" };
    let line = text(line);
    let before = before.map_or("", text);
    second_document(line)
        .or_else(|| tab(line))
        .or_else(|| list_on_same_line(line))
        .or_else(|| several_brackets(line))
        .or_else(|| colon(line))
        .or_else(|| invalid_start(line))
        .or_else(|| quotes_inside(line))
        .or_else(|| item_without_dash(line, before))
        .or_else(|| colon(before))
        // The key of a multi-line value is further up.
        .or_else(|| error.message.starts_with("mapping values").then(|| format!("quote the value: {COLON}")))
}

fn second_document(line: &str) -> Option<String> {
    line.starts_with("--- ").then(|| "write `---` alone on the line that ends the frontmatter".to_owned())
}

fn tab(line: &str) -> Option<String> {
    let indent = &line[..line.len() - line.trim_start().len()];
    indent.contains('\t').then(|| "indent with spaces; YAML does not allow tabs".to_owned())
}

fn colon(line: &str) -> Option<String> {
    let (key, value) = unquoted(line)?;
    let is_split = value.contains(": ") || value.ends_with(':');
    is_split.then(|| format!("quote the value of `{key}`: {COLON}"))
}

/// Matches `allowed-tools: - Read`.
fn list_on_same_line(line: &str) -> Option<String> {
    let (key, value) = unquoted(line)?;
    let items: Vec<&str> = value.strip_prefix("- ")?.split(" - ").map(str::trim).collect();
    Some(match key {
        "allowed-tools" => format!("write `allowed-tools: {}`, or start the list on the next line", items.join(" ")),
        _ => format!("start the list of `{key}` on the next line, or quote the value"),
    })
}

/// Matches `argument-hint: [title] [message]`.
fn several_brackets(line: &str) -> Option<String> {
    let (key, value) = unquoted(line)?;
    let is_several = value.starts_with('[') && value.ends_with(']') && value.matches('[').count() > 1;
    is_several.then(|| format!("quote it: `{key}: \"{value}\"`"))
}

/// Matches a quoted line below an item of a list.
fn item_without_dash(line: &str, before: &str) -> Option<String> {
    let is_item = before.trim_start().starts_with("- ");
    let is_value = line.trim_start().starts_with(['"', '\'']) && !line.contains(": ");
    (is_item && is_value).then(|| "start each item of the list with `- `".to_owned())
}

/// Ignores complete `[lists]` and `{mappings}`, which are valid.
fn invalid_start(line: &str) -> Option<String> {
    let (key, value) = unquoted(line)?;
    let is_whole = value.ends_with([']', '}']);
    let is_invalid = value.starts_with(['[', ']', '{', '}', '*', '&', '!', '@', '`', '%', ','])
        || value.starts_with("- ")
        || value.starts_with("? ");
    let help = || format!("quote the value of `{key}`: an unquoted value cannot start with this character");
    (is_invalid && !is_whole).then(help)
}

/// The key and the value of a line `key: value` with an unquoted single-line value.
fn unquoted(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(": ")?;
    let key = key.trim();
    let value = value.trim();
    let is_plain = !key.contains([' ', '"', '\'', '{', '[']) && !value.starts_with(['"', '\'', '|', '>']);
    is_plain.then_some((key, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::finding::apply_fixes;
    use canonry_text::{RepoPath, frontmatter};
    use proptest::prelude::*;

    #[test]
    fn keys_in_values_are_noticed() {
        for (key, value, want) in [
            ("stack", "cloud/awscontext: fork", true),
            ("metadata", "author: bob", true),
            ("description", "Formats notes.license: MIT", true),
            ("description", "Formats noteslicense: MIT", true),
            ("description", "Formats notes/tags: all", true),
            ("description", "Use when asked: format the notes.", false),
            ("description", "Say \"release\": format the user's notes.", false),
            ("description", "Handles these cases (all of them): a, b", false),
            ("description", "See https://example.org", false),
            ("compatibility", "Needs: git", false),
        ] {
            assert_eq!(may_hide_key(key, value), want, "{key}: {value}");
        }
    }

    /// The text after all safe fixes.
    fn fixed(text: &str) -> String {
        let source = Arc::new(Source::new(RepoPath::from("s/SKILL.md"), text.to_owned()));
        let Ok(front) = frontmatter::split(text) else { return text.to_owned() };
        let yaml = front.yaml;
        let fix = match swallowed_key(&source, yaml) {
            Some(swallowed) => swallowed.fix(&source, yaml),
            None => fix(&source, yaml),
        };
        apply_fixes(text, fix.iter().filter(|fix| fix.applicability == Applicability::Safe)).text
    }

    fn pair() -> impl Strategy<Value = (String, String)> {
        let known: Vec<String> = KNOWN_KEYS.iter().map(|known| known.key.to_owned()).collect();
        let key = prop_oneof![prop::sample::select(known), "[a-z]{3,8}"];
        let value = prop_oneof![
            "[A-Za-z]{1,8}( [a-z]{1,6}){0,4}[.]?",
            "[A-Z][a-z]{1,6} [a-z]{1,6}: [a-z]{1,6}[.]?",
            "[a-z]{1,6}/[a-z]{1,6}",
            "[@*%][a-z]{1,8}",
            Just("\"open".to_owned()),
            Just("|".to_owned()),
        ];
        (key, value)
    }

    proptest! {
        /// However the lines are broken, no pair becomes part of a text: neither on a line of its own nor where a line break was
        /// lost.
        #[test]
        fn no_pair_disappears_into_a_text(
            pairs in prop::collection::vec((pair(), prop::sample::select(vec!["\n", "\n", "\n  ", "\n\t", " ", ""])), 1..6),
        ) {
            let mut text = "---\nname: s\n".to_owned();
            for ((key, value), end) in &pairs {
                text.push_str(&format!("{key}: {value}{end}"));
            }
            let text = format!("{}\n---\nBody.\n", text.trim_end());
            let after = fixed(&text);
            if after != text {
                let source = Source::new(RepoPath::from("s/SKILL.md"), after.clone());
                let yaml = frontmatter::split(&after).unwrap().yaml;
                prop_assert!(parse_keeping_keys(&source, yaml, &[]).is_some(), "{text}\n{after}");
                let quoted = |line: &&str| line.contains(['"', '\'']) && text.lines().all(|before| before != *line);
                for ((key, _), _) in &pairs {
                    let is_known = KNOWN_KEYS.iter().any(|known| known.key == key);
                    let pair = format!("{key}: ");
                    for line in source.slice(yaml).lines().filter(quoted) {
                        let quoted = line.split_once(": ").map_or("", |(_, value)| value);
                        prop_assert!(!is_known || !quoted.contains(&pair), "{text}\n{after}");
                    }
                }
            }
        }
    }
}
