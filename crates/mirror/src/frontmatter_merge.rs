//! Merges the frontmatter keys of an overlay into a document: a key replaces the lines of the same key, a new key is
//! appended, and a key without a value removes the key. All other bytes stay unchanged.

use canonry_model::finding::{TextEdit, apply_edits};
use canonry_text::frontmatter::{self, Frontmatter, FrontmatterError};
use canonry_text::node::{MappingEntry, Node};
use canonry_text::yaml::{self, ParsedDocument};
use canonry_text::{Span, node::Mapping};
use serde_json::{Map, Value as Json};

/// Why keys cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyMergeError {
    #[error("it is empty; write frontmatter to merge, or a whole SKILL.md")]
    Empty,
    #[error("its frontmatter is not closed")]
    Unclosed,
    /// The overlay's frontmatter is not a YAML mapping.
    #[error("its frontmatter cannot be merged: {0}")]
    Yaml(String),
    /// The document has no frontmatter that keys can be merged into.
    #[error("the skill's own frontmatter cannot be merged into: {0}")]
    Skill(String),
    #[error("its frontmatter cannot be merged line by line; in both files, start each key on its own line")]
    Lines,
}

/// Use of an overlay's SKILL.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlayKind {
    /// It has only frontmatter, whose keys are merged.
    Keys,
    /// It replaces the document.
    Whole,
}

/// Returns how an overlay's SKILL.md applies.
///
/// # Errors
/// It is empty, or its frontmatter is not closed.
pub fn overlay_kind(overlay: &[u8]) -> Result<OverlayKind, KeyMergeError> {
    let Ok(text) = std::str::from_utf8(overlay) else { return Ok(OverlayKind::Whole) };
    match frontmatter::split(text) {
        Ok(front) if text[front.body.range()].trim().is_empty() => Ok(OverlayKind::Keys),
        Ok(_) | Err(FrontmatterError::Missing { .. } | FrontmatterError::NotFirst { .. }) => Ok(OverlayKind::Whole),
        Err(FrontmatterError::Empty) => Err(KeyMergeError::Empty),
        Err(FrontmatterError::Unclosed { .. }) => Err(KeyMergeError::Unclosed),
    }
}

/// Merges the keys of an overlay into a document.
///
/// # Errors
/// See [`KeyMergeError`].
pub fn merge_keys(text: &str, overlay: &str) -> Result<String, KeyMergeError> {
    let ours = ParsedFrontmatter::parse(text).map_err(KeyMergeError::Skill)?;
    let theirs = ParsedFrontmatter::parse(overlay).map_err(KeyMergeError::Yaml)?;
    let empty = Mapping::default();
    let keys = if theirs.document.root.is_null() { &empty } else { theirs.mapping().map_err(KeyMergeError::Yaml)? };
    let own = ours.mapping().map_err(KeyMergeError::Skill)?;
    let line_ending = if text[ours.front.opening.offset..].starts_with("---\r") { "\r\n" } else { "\n" };
    let mut edits = Vec::new();
    let mut appended = String::new();
    let mut expected = own.entries.iter().map(|e| (e.key.clone(), e.value.to_json())).collect::<Map<_, _>>();
    for entry in &keys.entries {
        let lines = theirs.lines(overlay, entry, keys).ok_or(KeyMergeError::Lines)?;
        let lines = overlay[lines.range()].replace("\r\n", "\n").replace('\n', line_ending);
        let replaced = match own.get(&entry.key) {
            Some(there) => Some(ours.lines(text, there, own).ok_or(KeyMergeError::Lines)?),
            None => None,
        };
        match (replaced, entry.value.is_null()) {
            (None, true) => {}
            (Some(span), true) => {
                expected.shift_remove(&entry.key);
                edits.push(TextEdit::new(span, ""));
            }
            (replaced, false) => {
                expected.insert(entry.key.clone(), entry.value.to_json());
                match replaced {
                    Some(span) => edits.push(TextEdit::new(span, lines)),
                    None => appended.push_str(&lines),
                }
            }
        }
    }
    if !appended.is_empty() {
        let at = ours.front.yaml.end();
        edits.push(TextEdit::new(Span::new(at, at), appended));
    }
    edits.sort_by_key(|edit| edit.span);
    let merged = apply_edits(text, &edits).ok_or(KeyMergeError::Lines)?;
    let body = &text[ours.front.body.range()];
    if is_as_expected(&merged, body, &expected) { Ok(merged) } else { Err(KeyMergeError::Lines) }
}

/// Verifies that the merged text has the expected keys and the unchanged body.
fn is_as_expected(merged: &str, body: &str, expected: &Map<String, Json>) -> bool {
    let Ok(now) = ParsedFrontmatter::parse(merged) else { return false };
    let root = match &now.document.root {
        root if root.is_null() => Json::Object(Map::new()),
        root => root.to_json(),
    };
    // Compared as text, because the order of the keys matters.
    let merged_keys = root.to_string();
    let expected_keys = Json::Object(expected.clone()).to_string();
    merged_keys == expected_keys && merged[now.front.body.range()] == *body
}

struct ParsedFrontmatter {
    front: Frontmatter,
    document: ParsedDocument,
}

impl ParsedFrontmatter {
    fn parse(text: &str) -> Result<Self, String> {
        let front = frontmatter::split(text).map_err(|_| "it has no frontmatter".to_owned())?;
        let document = yaml::parse(&text[front.yaml.range()], front.yaml.offset).map_err(|e| e.message)?;
        match document.duplicates.first() {
            Some(duplicate) => Err(format!("duplicate key `{}`", duplicate.key)),
            None => Ok(Self { front, document }),
        }
    }

    fn mapping(&self) -> Result<&Mapping, String> {
        let found = self.document.root.as_mapping();
        found.filter(|mapping| !mapping.flow).ok_or_else(|| "it must have one `key: value` per line".to_owned())
    }

    /// Returns the lines of an entry: up to the next key, without the blank lines and comments before that key.
    fn lines(&self, text: &str, entry: &MappingEntry, mapping: &Mapping) -> Option<Span> {
        let start = entry.key_span.offset;
        let at_line_start = start == self.front.yaml.offset || text[..start].ends_with('\n');
        let next = mapping.entries.iter().map(|other| other.key_span.offset).filter(|at| *at > start).min();
        let end = next.unwrap_or(self.front.yaml.end());
        let mut lines: Vec<&str> = text.get(start..end)?.split_inclusive('\n').collect();
        let is_loose = |line: &&str| line.trim().is_empty() || line.starts_with('#');
        while lines.len() > 1 && lines.last().is_some_and(is_loose) {
            lines.pop();
        }
        let length: usize = lines.iter().map(|line| line.len()).sum();
        at_line_start.then(|| Span::new(start, start + length))
    }
}

/// Returns the string at two nested keys of a text's frontmatter.
pub(super) fn text_at(text: &str, keys: [&str; 2]) -> Option<(String, Span)> {
    let front = ParsedFrontmatter::parse(text).ok()?;
    let value: &Node = front.document.root.get(keys[0])?.get(keys[1])?;
    Some((value.as_str()?.to_owned(), value.span))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SKILL: &str = "---\n# top\nname: a  # the name\ndescription: |\n  one\n  # two\n\n# of the next\nmodel: x\nmetadata:\n  b: c\n---\n\nbody\n";

    fn front(keys: &str) -> String {
        format!("---\n{keys}---\n")
    }

    #[test]
    fn keys_replace_append_and_remove_and_everything_else_stays() {
        for (keys, want) in [
            ("", SKILL.to_owned()),
            ("model: 'y' # mine\n", SKILL.replace("model: x\n", "model: 'y' # mine\n")),
            ("description: new\n", SKILL.replace("description: |\n  one\n  # two\n", "description: new\n")),
            ("metadata: null\nnothing:\n", SKILL.replace("metadata:\n  b: c\n", "")),
            ("new:\n- 1\n# c\n\n", SKILL.replace("  b: c\n", "  b: c\nnew:\n- 1\n")),
            (
                "name: ~\nz: 1\nmodel: y\n",
                SKILL
                    .replace("name: a  # the name\n", "")
                    .replace("model: x", "model: y")
                    .replace("  b: c\n", "  b: c\nz: 1\n"),
            ),
        ] {
            assert_eq!(merge_keys(SKILL, &front(keys)), Ok(want), "{keys}");
        }
        assert_eq!(
            merge_keys("---\r\na: 1\r\n---\r\nx", &front("a: 2\nb: 3\n")),
            Ok("---\r\na: 2\r\nb: 3\r\n---\r\nx".to_owned())
        );
        assert_eq!(merge_keys("---\na: 1\n---\nx", &front("a:\n")), Ok("---\n---\nx".to_owned()));
    }

    #[test]
    fn rejects_frontmatter_that_cannot_be_merged() {
        for (text, keys) in [
            ("# none\n", "a: 1\n"),
            ("---\n{a: 1}\n---\n", "a: 2\n"),
            ("---\na: 1\na: 2\n---\n", "a: 2\n"),
            ("---\na: &x 1\nb: *x\n---\n", "a: 2\n"),
            ("---\n a: 1\n---\n", "b: 2\n"),
            (SKILL, "- 1\n"),
            (SKILL, "{model: y}\n"),
            (SKILL, "a: b: c\n"),
        ] {
            assert!(merge_keys(text, &front(keys)).is_err(), "{text} {keys}");
        }
    }

    #[test]
    fn distinguishes_keys_from_a_whole_document() {
        for (text, want) in [
            ("---\na: 1\n---\n", Ok(OverlayKind::Keys)),
            ("---\n---\n\n \n", Ok(OverlayKind::Keys)),
            ("---\na: 1\n---\nx", Ok(OverlayKind::Whole)),
            ("# x\n", Ok(OverlayKind::Whole)),
            (" \n", Err(KeyMergeError::Empty)),
            ("---\na: 1\n", Err(KeyMergeError::Unclosed)),
        ] {
            assert_eq!(overlay_kind(text.as_bytes()), want, "{text:?}");
        }
        assert_eq!(overlay_kind(b"\xff"), Ok(OverlayKind::Whole));
    }

    fn keys() -> impl Strategy<Value = Vec<(String, String)>> {
        let value = prop_oneof![
            Just(" 1"),
            Just(" 'x # y'"),
            Just(""),
            Just(" null"),
            Just("\n- a\n- b"),
            Just("\n  b: c # d"),
            Just(" |\n  t\n\n  # u"),
        ];
        let loose = prop_oneof![Just(""), Just("# c\n"), Just("\n")];
        let pair =
            ("[a-f]", value, loose).prop_map(|(key, value, loose)| (key.clone(), format!("{key}:{value}\n{loose}")));
        prop::collection::vec(pair, 0..5).prop_map(|mut pairs| {
            let mut seen = std::collections::BTreeSet::new();
            pairs.retain(|(key, _)| seen.insert(key.clone()));
            pairs
        })
    }

    fn text(pairs: &[(String, String)]) -> String {
        pairs.iter().map(|(_, lines)| lines.as_str()).collect()
    }

    proptest! {
        #[test]
        fn every_other_byte_stays(ours in keys(), theirs in keys(), body in "[a-z\n]{0,10}") {
            let skill = format!("---\n{}---\n{body}", text(&ours));
            if let Ok(merged) = merge_keys(&skill, &front(&text(&theirs))) {
                let end = format!("---\n{body}");
                prop_assert!(merged.ends_with(&end));
                // Lines of other keys stay, in the same order.
                let mut rest = merged.as_str();
                for (key, lines) in &ours {
                    if theirs.iter().all(|(other, _)| other != key) {
                        let at = rest.find(lines.as_str());
                        prop_assert!(at.is_some(), "{lines:?} in {merged:?}");
                        rest = &rest[at.unwrap_or(0) + lines.len()..];
                    }
                }
            } else {
                prop_assert!(ours.is_empty(), "{skill:?} {theirs:?}");
            }
        }
    }
}
