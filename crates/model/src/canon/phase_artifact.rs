//! Artifacts of a plan's phases besides the plan and its reports: `intake.md`, `verification.md` and `report.md`.

use super::Blob;
use super::blob::DocumentError;
use canonry_text::markdown::TASK_TAGS;
use canonry_text::{RepoPath, Source};
use serde_json::Value as Json;
use std::sync::Arc;

/// An artifact of a phase.
#[derive(Debug)]
pub struct PhaseArtifact {
    pub path: RepoPath,
    pub document: Result<Arc<Source>, DocumentError>,
}

/// Why an artifact says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingContent {
    /// No text at all.
    Empty,
    /// Only headings, placeholders and comments.
    Placeholders,
}

impl PhaseArtifact {
    /// Parses an artifact.
    pub fn parse(path: RepoPath, blob: Blob) -> Self {
        let document = blob.into_source(&path);
        Self { path, document }
    }

    /// Why it says nothing; `None` if it says something.
    pub fn missing_content(&self) -> Option<MissingContent> {
        let text = self.document.as_ref().ok()?.text();
        if self.path.as_bstr().ends_with(b".json") { missing_in_json(text) } else { missing_content(text) }
    }
}

fn missing_in_json(text: &str) -> Option<MissingContent> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let is_empty = match serde_json::from_str(text) {
        Ok(Json::Object(map)) => map.is_empty(),
        Ok(Json::Array(items)) => items.is_empty(),
        Ok(value) => value.is_null(),
        Err(_) => text.is_empty(),
    };
    is_empty.then_some(MissingContent::Empty)
}

/// Why Markdown says nothing: it has no line besides headings, frontmatter, comments, rules and placeholders.
pub fn missing_content(text: &str) -> Option<MissingContent> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Some(MissingContent::Empty);
    }
    let body = canonry_text::frontmatter::split(text).map_or(text, |parts| &text[parts.body.range()]);
    let body = without_comments(body);
    let mut lines = body.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let is_underlined = lines.peek().is_some_and(|next| is_rule(next, &['=', '-']) && !line.is_empty());
        if !is_underlined && !says_nothing(line) {
            return None;
        }
    }
    Some(MissingContent::Placeholders)
}

fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        out.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, rest)| rest);
    }
    out + rest
}

fn is_rule(line: &str, characters: &[char]) -> bool {
    line.len() >= 3 && line.chars().all(|c| characters.contains(&c))
}

/// Whether a line is a heading, a rule, or a placeholder.
fn says_nothing(line: &str) -> bool {
    let is_heading = line.starts_with('#') && line.trim_start_matches('#').starts_with([' ', '\t']);
    let is_markup =
        line.chars().all(|c| matches!(c, '#' | '=' | '-' | '*' | '_' | '|' | ':' | '>' | '`' | '.' | '…' | ' '));
    is_heading || is_markup || is_placeholder(line)
}

/// Whether the text of a line is a placeholder: `TODO`, `- [ ]`, `<what changes>`, `**Goal:** TBD`.
fn is_placeholder(line: &str) -> bool {
    let item = line.trim_start_matches(['-', '*', '+', '>', ' ']).trim_start();
    let item = item.strip_prefix("[ ]").unwrap_or(item).trim();
    // A label: `**Goal:** TBD`.
    let value = match item.split_once(':') {
        Some((label, value)) if label.split_whitespace().count() <= 3 && !label.contains('<') => value,
        _ => item,
    };
    let value = value.trim_matches(|c: char| matches!(c, '*' | '_' | '`' | '.' | '…' | '!' | ' ' | '|'));
    let is_word = TASK_TAGS.iter().any(|tag| value.eq_ignore_ascii_case(tag));
    let is_bracketed = (value.starts_with('<') && value.ends_with('>') && !value.contains("://"))
        || (value.starts_with('[') && value.ends_with(']'))
        || (value.starts_with("{{") && value.ends_with("}}"));
    value.is_empty() || is_word || is_bracketed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_placeholders_say_nothing() {
        use MissingContent::{Empty, Placeholders};
        for (text, want) in [
            ("", Some(Empty)),
            (" \n\n", Some(Empty)),
            ("\u{feff}", Some(Empty)),
            ("# Intake\n", Some(Placeholders)),
            ("Intake\n======\n\n## Goal\n", Some(Placeholders)),
            ("# Intake\n\n## Goal\n\nTODO\n\n## Scope\n\n- TBD\n- [ ]\n- ...\n", Some(Placeholders)),
            ("# Intake\n<!-- what is\nwanted -->\n---\n", Some(Placeholders)),
            ("---\nid: x\n---\n# Intake\n", Some(Placeholders)),
            ("# Intake\n\n**Goal:** <what changes>\n\n[describe it]\n", Some(Placeholders)),
            ("| step | result |\n|---|---|\n", None),
            ("# Intake\n\nUsers can send a CSV file.\n", None),
            ("Users can send a CSV file.", None),
            ("# Verification\n\n- [x] all tests pass\n", None),
            ("**Goal:** send a CSV file\n", None),
            ("TODO: ask who needs it\n", None),
        ] {
            assert_eq!(missing_content(text), want, "{text:?}");
        }
        for (text, want) in
            [("", true), ("{}", true), ("[]", true), ("null", true), ("{\"a\": 1}", false), ("{", false)]
        {
            assert_eq!(missing_in_json(text).is_some(), want, "{text}");
        }
    }
}
