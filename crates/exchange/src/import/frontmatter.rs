//! Edits single keys in the frontmatter of a Markdown file, and keeps everything else byte for byte.

use canonry_text::frontmatter::{self, Frontmatter, FrontmatterError};
use canonry_text::node::{Mapping, MappingEntry, Node, ScalarStyle};
use canonry_text::yaml;
use std::ops::Range;

/// A file with frontmatter.
pub(super) struct MarkdownFile<'t> {
    text: &'t str,
    parts: Frontmatter,
    root: Node,
}

/// A file has no usable frontmatter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum HeaderError {
    /// It has none.
    #[error("it has no frontmatter")]
    Missing,
    /// It has an invalid one.
    #[error("line {line}: {reason}")]
    Invalid {
        /// The line, from 1.
        line: usize,
        /// Description of the problem.
        reason: String,
    },
}

/// A replacement of a range of the text.
pub(super) struct HeaderEdit {
    range: Range<usize>,
    new: String,
}

/// Keys of a section, moved to the top level.
pub(super) struct LiftedKeys {
    /// The edit that moves them.
    pub edit: HeaderEdit,
    /// Their names.
    pub keys: Vec<String>,
}

impl<'t> MarkdownFile<'t> {
    /// Parses a file.
    pub fn parse(text: &'t str) -> Result<Self, HeaderError> {
        let invalid = |line: usize, reason: String| HeaderError::Invalid { line, reason };
        let parts = match frontmatter::split(text) {
            Ok(parts) => parts,
            Err(FrontmatterError::Unclosed { .. }) => {
                return Err(invalid(1, "the frontmatter is not closed".to_owned()));
            }
            Err(_) => return Err(HeaderError::Missing),
        };
        let line = |offset: usize| text[..offset].matches('\n').count() + 1;
        let document = yaml::parse(&text[parts.yaml.range()], parts.yaml.offset)
            .map_err(|e| invalid(line(e.span.offset), format!("the frontmatter is not valid YAML: {}", e.message)))?;
        if document.root.as_mapping().is_some_and(|mapping| !mapping.flow) || document.root.is_null() {
            Ok(Self { text, parts, root: document.root })
        } else {
            Err(invalid(1, "the frontmatter is not a block mapping".to_owned()))
        }
    }

    /// The frontmatter.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The text after the frontmatter.
    pub fn body(&self) -> &'t str {
        &self.text[self.parts.body.range()]
    }

    /// The top-level keys.
    pub fn entries(&self) -> &[MappingEntry] {
        self.root.entries()
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.root.get(key)
    }

    /// The value of a key as text; `None` if it is empty or not a scalar.
    pub fn field(&self, key: &str) -> Option<String> {
        let scalar = self.get(key)?.as_scalar()?;
        Some(scalar.text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// The value of a key as a list of strings; a scalar is a list of one.
    pub fn list(&self, key: &str) -> Vec<String> {
        let Some(node) = self.get(key) else { return Vec::new() };
        let text = |node: &Node| node.as_scalar().map(|scalar| scalar.text.clone());
        match node.as_sequence() {
            Some(items) => items.iter().filter_map(text).collect(),
            None => text(node).into_iter().filter(|text| !text.is_empty()).collect(),
        }
    }

    /// Whether the value of a key is `true`.
    pub fn is_true(&self, key: &str) -> bool {
        self.field(key).is_some_and(|text| text == "true")
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// The whole lines of the entry at `index`; `end` is the end of the mapping.
    fn entry_lines(&self, mapping: &Mapping, index: usize, end: usize) -> Range<usize> {
        let start = |entry: &MappingEntry| self.line_start(entry.key_span.offset);
        let from = mapping.entries.get(index).map_or(end, start);
        from..mapping.entries.get(index + 1).map_or(end, start)
    }

    /// Removes a key.
    pub fn remove(&self, key: &str) -> Option<HeaderEdit> {
        let mapping = self.root.as_mapping()?;
        let index = mapping.entries.iter().position(|entry| entry.key == key)?;
        Some(HeaderEdit { range: self.entry_lines(mapping, index, self.parts.yaml.end()), new: String::new() })
    }

    /// Sets the value of a key, or adds the key at the top.
    pub fn set(&self, key: &str, value: &str) -> HeaderEdit {
        // A value on one line is replaced alone, so that a comment after it stays.
        let on_one_line = |node: &&Node| {
            let is_inline = node.as_scalar().is_some_and(|scalar| scalar.style != ScalarStyle::Block);
            is_inline && !node.is_null() && !self.text[node.span.range()].contains('\n')
        };
        if let Some(node) = self.get(key).filter(on_one_line) {
            return HeaderEdit { range: node.span.range(), new: value.to_owned() };
        }
        let start = self.parts.yaml.offset;
        let range = self.remove(key).map_or(start..start, |edit| edit.range);
        HeaderEdit { range, new: format!("{key}: {value}{}", self.eol()) }
    }

    /// Adds lines to a section, or a new section at the end. `None` if the section has another form.
    pub fn add_to_section(&self, section: &str, entries: &[(&str, String)]) -> Option<HeaderEdit> {
        let (at, indent) = match self.get(section).filter(|node| !node.is_null()) {
            None => (self.parts.yaml.end(), None),
            Some(node) => {
                let mapping = node.as_mapping().filter(|mapping| !mapping.flow)?;
                let first = mapping.entries.first()?.key_span.offset;
                let start = self.line_start(first);
                (start, Some(" ".repeat(first - start)))
            }
        };
        let mut new = String::new();
        if indent.is_none() {
            if self.get(section).is_some() {
                return None;
            }
            new.push_str(&format!("{section}:{}", self.eol()));
        }
        let indent = indent.unwrap_or_else(|| "  ".to_owned());
        new.extend(entries.iter().map(|(key, value)| format!("{indent}{key}: {}{}", quoted(value), self.eol())));
        Some(HeaderEdit { range: at..at, new })
    }

    /// Replaces a section with its keys, except those that exist at the top level.
    pub fn lift(&self, section: &str) -> Option<LiftedKeys> {
        let mapping = self.root.as_mapping()?;
        let section_index = mapping.entries.iter().position(|entry| entry.key == section)?;
        let whole = self.entry_lines(mapping, section_index, self.parts.yaml.end());
        let inner = mapping.entries[section_index].value.as_mapping()?;
        let mut new = String::new();
        let mut keys = Vec::new();
        for (index, entry) in inner.entries.iter().enumerate().filter(|(_, entry)| self.get(&entry.key).is_none()) {
            keys.push(entry.key.clone());
            if inner.flow {
                new.push_str(&format!("{}: {}{}", entry.key, &self.text[entry.value.span.range()], self.eol()));
                continue;
            }
            let lines = self.entry_lines(inner, index, whole.end);
            let indent = entry.key_span.offset - lines.start;
            for line in self.text[lines].split_inclusive('\n') {
                let blank = line.len() - line.trim_start_matches(' ').len();
                new.push_str(&line[blank.min(indent)..]);
            }
        }
        Some(LiftedKeys { edit: HeaderEdit { range: whole, new }, keys })
    }

    fn eol(&self) -> &'static str {
        if self.text[..self.parts.yaml.offset].ends_with("\r\n") { "\r\n" } else { "\n" }
    }

    /// The text with the edits, which must not overlap.
    pub fn apply(&self, mut edits: Vec<HeaderEdit>) -> String {
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        let mut text = self.text.to_owned();
        for edit in edits.into_iter().rev() {
            text.replace_range(edit.range, &edit.new);
        }
        text
    }
}

/// Quotes a text as a YAML value.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// `` `a`, `b` ``
pub(super) fn code_list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\nname: a\ntargets: [\"*\"]\n# why\ndescription: >-\n  One\n  two\nclaudecode:\n  model: inherit\n  tools:\n    - Read\ncursor: {x: 1}\n---\nbody\n";

    fn parse(text: &str) -> MarkdownFile<'_> {
        MarkdownFile::parse(text).unwrap()
    }

    #[test]
    fn removes_and_lifts_keys() {
        let file = parse(TEXT);
        let lifted = file.lift("claudecode").unwrap();
        assert_eq!(lifted.keys, ["model", "tools"]);
        let edits = vec![file.remove("targets").unwrap(), lifted.edit, file.remove("cursor").unwrap()];
        let want = "---\nname: a\ndescription: >-\n  One\n  two\nmodel: inherit\ntools:\n  - Read\n---\nbody\n";
        assert_eq!(file.apply(edits), want);
        let lifted = file.lift("cursor").unwrap();
        assert_eq!((lifted.edit.new.as_str(), lifted.keys.as_slice()), ("x: 1\n", &["x".to_owned()][..]));
    }

    #[test]
    fn sets_and_adds_a_name() {
        let set = |text: &str| {
            let file = parse(text);
            file.apply(vec![file.set("name", "b")])
        };
        assert_eq!(set("---\nname: \"A b\"\n---\n"), "---\nname: b\n---\n");
        assert_eq!(set("---\r\nx: y\r\n---\r\n"), "---\r\nname: b\r\nx: y\r\n---\r\n");
        assert_eq!(set("---\nname:\nx: y\n---\n"), "---\nname: b\nx: y\n---\n");
        assert_eq!(set("---\n---\n"), "---\nname: b\n---\n");
        assert_eq!(set("---\nname: >-\n  A\n  b\nx: y\n---\n"), "---\nname: b\nx: y\n---\n");
        assert_eq!(set("---\nname: [a]\nx: y\n---\n"), "---\nname: b\nx: y\n---\n");
        assert_eq!(set("---\nname: a # why\n---\n"), "---\nname: b # why\n---\n");
    }
}
