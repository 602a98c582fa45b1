//! Frontmatter whose keys are merged into a skill's: a key that is given replaces that key's lines, a new one is
//! appended, and one without a value removes it. All other bytes stay.

use crate::finding::{TextEdit, apply_edits};
use crate::syntax::frontmatter::{self, Frontmatter, FrontmatterError};
use crate::syntax::node::{MappingEntry, Node};
use crate::syntax::yaml::{self, ParsedDocument};
use crate::syntax::{Span, node::Mapping};
use serde_json::{Map, Value as Json};

/// Why keys cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyMergeError {
    /// The file is empty.
    #[error("it is empty; write frontmatter to merge, or a whole SKILL.md")]
    Empty,
    /// The frontmatter has no end.
    #[error("its frontmatter has no end")]
    Unclosed,
    /// It is no mapping of keys to values, or no YAML.
    #[error("its frontmatter cannot be merged: {0}")]
    Yaml(String),
    /// There are no keys to merge it into.
    #[error("the skill's own frontmatter cannot be merged into: {0}")]
    Skill(String),
    /// The two cannot be joined line by line.
    #[error("its frontmatter cannot be merged line by line; write each key at the start of a line, in both files")]
    Lines,
}

/// What an overlay's SKILL.md is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlayKind {
    /// Frontmatter alone: its keys are merged.
    Keys,
    /// A whole document: it stands in the place of the skill's.
    Whole,
}

/// Tells what an overlay's SKILL.md is.
///
/// # Errors
/// It is empty, or its frontmatter has no end.
pub fn overlay_kind(overlay: &[u8]) -> Result<OverlayKind, KeyMergeError> {
    let Ok(text) = std::str::from_utf8(overlay) else { return Ok(OverlayKind::Whole) };
    match frontmatter::split(text) {
        Ok(front) if text[front.body.range()].trim().is_empty() => Ok(OverlayKind::Keys),
        Ok(_) | Err(FrontmatterError::Missing { .. } | FrontmatterError::NotFirst { .. }) => Ok(OverlayKind::Whole),
        Err(FrontmatterError::Empty) => Err(KeyMergeError::Empty),
        Err(FrontmatterError::Unclosed { .. }) => Err(KeyMergeError::Unclosed),
    }
}

/// A document's text with an overlay's keys in it.
///
/// # Errors
/// See [`KeyMergeError`].
pub fn merge_keys(text: &str, overlay: &str) -> Result<String, KeyMergeError> {
    let ours = Front::of(text).map_err(KeyMergeError::Skill)?;
    let theirs = Front::of(overlay).map_err(KeyMergeError::Yaml)?;
    let empty = Mapping::default();
    let keys = match theirs.document.root.is_null() {
        true => &empty,
        false => theirs.mapping().map_err(KeyMergeError::Yaml)?,
    };
    let own = ours.mapping().map_err(KeyMergeError::Skill)?;
    let end = if text[ours.front.opening.offset..].starts_with("---\r") { "\r\n" } else { "\n" };
    let mut splices = Vec::new();
    let mut appended = String::new();
    let mut wanted = own.entries.iter().map(|e| (e.key.clone(), e.value.to_json())).collect::<Map<_, _>>();
    for entry in &keys.entries {
        let lines = theirs.lines(overlay, entry, keys).ok_or(KeyMergeError::Lines)?;
        let lines = overlay[lines.range()].replace("\r\n", "\n").replace('\n', end);
        let place = match own.get(&entry.key) {
            Some(there) => Some(ours.lines(text, there, own).ok_or(KeyMergeError::Lines)?),
            None => None,
        };
        match (place, entry.value.is_null()) {
            (None, true) => {}
            (Some(place), true) => {
                wanted.shift_remove(&entry.key);
                splices.push(TextEdit::new(place, ""));
            }
            (place, false) => {
                wanted.insert(entry.key.clone(), entry.value.to_json());
                match place {
                    Some(place) => splices.push(TextEdit::new(place, lines)),
                    None => appended.push_str(&lines),
                }
            }
        }
    }
    if !appended.is_empty() {
        let at = ours.front.yaml.end();
        splices.push(TextEdit::new(Span::new(at, at), appended));
    }
    splices.sort_by_key(|apply_edits| apply_edits.span);
    let merged = apply_edits(text, &splices).ok_or(KeyMergeError::Lines)?;
    if proven(&merged, (text, &ours.front), &wanted) { Ok(merged) } else { Err(KeyMergeError::Lines) }
}

/// Whether the text holds just what was wanted, and the body that it had.
fn proven(merged: &str, (text, front): (&str, &Frontmatter), wanted: &Map<String, Json>) -> bool {
    let Ok(now) = Front::of(merged) else { return false };
    let body = merged[now.front.body.range()] == text[front.body.range()];
    let root = match &now.document.root {
        root if root.is_null() => Json::Object(Map::new()),
        root => root.to_json(),
    };
    // Compared as text: the order of the keys counts.
    body && serde_json::to_string(&root).ok() == serde_json::to_string(wanted).ok()
}

struct Front {
    front: Frontmatter,
    document: ParsedDocument,
}

impl Front {
    fn of(text: &str) -> Result<Self, String> {
        let front = frontmatter::split(text).map_err(|_| "there is none".to_owned())?;
        let document = yaml::parse(&text[front.yaml.range()], front.yaml.offset).map_err(|e| e.message)?;
        match document.duplicates.first() {
            Some(twice) => Err(format!("the key `{}` stands twice", twice.key)),
            None => Ok(Self { front, document }),
        }
    }

    fn mapping(&self) -> Result<&Mapping, String> {
        let found = self.document.root.as_mapping();
        found
            .filter(|mapping| !mapping.flow)
            .ok_or_else(|| "it is not written as `key: value`, line by line".to_owned())
    }

    /// The lines of an entry: up to the next key, but for blank lines and comments before that.
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

/// The string at two keys of a text's frontmatter, where there is one.
pub(super) fn text_at(text: &str, keys: [&str; 2]) -> Option<(String, Span)> {
    let front = Front::of(text).ok()?;
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
    fn keys_replace_append_and_remove_and_all_else_stays() {
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
    fn says_what_cannot_be_merged() {
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
    fn tells_keys_from_a_whole_document() {
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
                // Lines of keys that are not given stand as they did, in their order.
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
