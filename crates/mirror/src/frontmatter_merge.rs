//! Merges the frontmatter keys of an overlay into a document: a key replaces the lines of the same key, a new key is
//! appended, and a key without a value removes the key. All other bytes stay unchanged.

use canonry_text::frontmatter::{self, FrontmatterError};
use canonry_text::{HeaderError, MarkdownFile, Span, TextEdit};
use serde_json::{Map, Value as Json};

/// Why keys cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyMergeError {
    #[error("it is empty; write frontmatter to merge, or a whole SKILL.md")]
    Empty,
    #[error("its frontmatter is not closed")]
    Unclosed,
    #[error("its frontmatter cannot be merged: {0}")]
    Overlay(HeaderError),
    /// The document has no frontmatter that keys can be merged into.
    #[error("the skill's own frontmatter cannot be merged into: {0}")]
    Skill(HeaderError),
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
    let ours = MarkdownFile::editable(text).map_err(KeyMergeError::Skill)?;
    let theirs = MarkdownFile::editable(overlay).map_err(KeyMergeError::Overlay)?;
    let mut edits = Vec::new();
    let mut appended = String::new();
    let mut expected = ours.entries().iter().map(|e| (e.key.clone(), e.value.to_json())).collect::<Map<_, _>>();
    for entry in theirs.entries() {
        let lines = theirs.lines(&entry.key).expect("each key of an editable file has lines");
        let lines = overlay[lines.range()].replace("\r\n", "\n").replace('\n', ours.line_ending());
        let replaced = ours.lines(&entry.key);
        if entry.value.is_null() {
            expected.shift_remove(&entry.key);
            edits.extend(replaced.map(|span| TextEdit::new(span, "")));
            continue;
        }
        expected.insert(entry.key.clone(), entry.value.to_json());
        match replaced {
            Some(span) => edits.push(TextEdit::new(span, lines)),
            None => appended.push_str(&lines),
        }
    }
    edits.push(ours.append(appended));
    let merged = ours.apply(edits);
    if is_as_expected(&merged, ours.body(), &expected) { Ok(merged) } else { Err(KeyMergeError::Lines) }
}

/// Verifies that the merged text has the expected keys in this order, and the unchanged body.
fn is_as_expected(merged: &str, body: &str, expected: &Map<String, Json>) -> bool {
    let Ok(now) = MarkdownFile::editable(merged) else { return false };
    let keys = now.entries().iter().map(|entry| (&entry.key, entry.value.to_json()));
    keys.eq(expected.iter().map(|(key, value)| (key, value.clone()))) && now.body() == body
}

/// Returns the string at two nested keys of a text's frontmatter.
pub(super) fn text_at(text: &str, keys: [&str; 2]) -> Option<(String, Span)> {
    let file = MarkdownFile::editable(text).ok()?;
    let value = file.get(keys[0])?.get(keys[1])?;
    Some((value.as_str()?.to_owned(), value.span))
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
