//! A Markdown file with frontmatter, and edits of single keys that keep every other byte.
//!
//! The lines of a key end before the blank lines and comments above the next key, which belong to that key.

use super::frontmatter::{self, Frontmatter, FrontmatterError};
use super::node::{Mapping, MappingEntry, Node, ScalarStyle};
use super::text_edit::{TextEdit, apply_edits};
use super::{Span, yaml};
use serde_json::json;
use std::collections::BTreeSet;

pub struct MarkdownFile<'t> {
    text: &'t str,
    parts: Frontmatter,
    root: Node,
    /// A key that occurs twice, also in a nested mapping.
    duplicate: Option<String>,
}

/// Why the frontmatter of a file cannot be read or edited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    #[error("it has no frontmatter")]
    Missing,
    #[error("the frontmatter is not closed")]
    Unclosed,
    #[error("line {line}: the frontmatter is not valid YAML: {message}")]
    Yaml { line: usize, message: String },
    /// The frontmatter is `{a: b}`, or not a mapping.
    #[error("the frontmatter must have one `key: value` per line")]
    NotLines,
    /// An edit of the first value would make the second one count.
    #[error("the frontmatter has the key `{0}` twice")]
    Duplicate(String),
}

/// Keys of a section, moved to the top level.
pub struct LiftedKeys {
    pub edit: TextEdit,
    pub keys: Vec<String>,
}

impl<'t> MarkdownFile<'t> {
    /// Parses a file to read it.
    ///
    /// # Errors
    /// It has no frontmatter, or one that is not valid YAML.
    pub fn parse(text: &'t str) -> Result<Self, HeaderError> {
        let parts = frontmatter::split(text).map_err(|error| match error {
            FrontmatterError::Unclosed { .. } => HeaderError::Unclosed,
            _ => HeaderError::Missing,
        })?;
        let document = yaml::parse(&text[parts.yaml.range()], parts.yaml.offset).map_err(|error| {
            let line = text[..error.span.offset].matches('\n').count() + 1;
            HeaderError::Yaml { line, message: error.message }
        })?;
        let duplicate = document.duplicates.into_iter().next().map(|duplicate| duplicate.key);
        Ok(Self { text, parts, root: document.root, duplicate })
    }

    /// Parses a file to edit its keys, one or more lines each.
    ///
    /// # Errors
    /// Those of [`Self::parse`], a flow mapping, another value, or a duplicate key.
    pub fn editable(text: &'t str) -> Result<Self, HeaderError> {
        let file = Self::parse(text)?;
        file.obstacle().map_or(Ok(file), Err)
    }

    fn obstacle(&self) -> Option<HeaderError> {
        if let Some(key) = &self.duplicate {
            return Some(HeaderError::Duplicate(key.clone()));
        }
        let is_block = self.root.as_mapping().is_some_and(|mapping| !mapping.flow);
        (!is_block && !self.root.is_null()).then_some(HeaderError::NotLines)
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
        let scalar = self.get(key).filter(|node| !node.is_null())?.as_scalar()?;
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

    /// The lines of the entry at `index` of a block mapping whose lines end at `end`.
    fn lines_at(&self, mapping: &Mapping, index: usize, end: usize) -> Span {
        let entry = &mapping.entries[index];
        let start = self.line_start(entry.key_span.offset);
        let indent = entry.key_span.offset - start;
        let mut end = mapping.entries.get(index + 1).map_or(end, |next| self.line_start(next.key_span.offset));
        for line in self.text[start..end].split_inclusive('\n').rev() {
            let rest = line.trim_start_matches(' ');
            // A line of a value has a deeper indent: <https://yaml.org/spec/1.2.2/#63-line-prefixes>.
            let is_comment = rest.starts_with('#') && line.len() - rest.len() <= indent;
            if !is_comment && !rest.trim().is_empty() {
                break;
            }
            end -= line.len();
        }
        Span::new(start, end)
    }

    /// The lines of a key of an editable file.
    pub fn lines(&self, key: &str) -> Option<Span> {
        let mapping = self.root.as_mapping().filter(|mapping| !mapping.flow)?;
        let index = mapping.entries.iter().position(|entry| entry.key == key)?;
        Some(self.lines_at(mapping, index, self.parts.yaml.end()))
    }

    /// Removes a key.
    pub fn remove(&self, key: &str) -> Option<TextEdit> {
        self.lines(key).map(|lines| TextEdit::new(lines, ""))
    }

    /// The text without these keys; `None` if it has none of them, or cannot be edited.
    pub fn without(&self, keys: &[&str]) -> Option<String> {
        let edits: Vec<TextEdit> = keys.iter().filter_map(|key| self.remove(key)).collect();
        (self.obstacle().is_none() && !edits.is_empty()).then(|| self.apply(edits))
    }

    /// Sets the value of a key, or adds the key at the top.
    pub fn set(&self, key: &str, value: &str) -> TextEdit {
        // A value on one line is replaced alone, so that a comment after it stays.
        let on_one_line = |node: &&Node| {
            let is_inline = node.as_scalar().is_some_and(|scalar| scalar.style != ScalarStyle::Block);
            is_inline && !node.is_null() && !self.text[node.span.range()].contains('\n')
        };
        if let Some(node) = self.get(key).filter(on_one_line) {
            return TextEdit::new(node.span, value);
        }
        let first = self.entries().first().map_or(self.parts.yaml.offset, |entry| entry.key_span.offset);
        let indent = &self.text[self.line_start(first)..first];
        let top = Span::new(self.parts.yaml.offset, self.parts.yaml.offset);
        TextEdit::new(self.lines(key).unwrap_or(top), format!("{indent}{key}: {value}{}", self.line_ending()))
    }

    /// Adds whole lines at the end of the frontmatter.
    pub fn append(&self, lines: String) -> TextEdit {
        let end = self.parts.yaml.end();
        TextEdit::new(Span::new(end, end), lines)
    }

    /// Adds lines to a section, or a new section at the end. `None` if the section has another form.
    pub fn add_to_section(&self, section: &str, entries: &[(&str, String)]) -> Option<TextEdit> {
        let lines = |indent: &str| -> String {
            let line = |(key, value): &(&str, String)| format!("{indent}{key}: {}{}", json!(value), self.line_ending());
            entries.iter().map(line).collect()
        };
        match self.get(section) {
            None => Some(self.append(format!("{section}:{}{}", self.line_ending(), lines("  ")))),
            Some(node) => {
                let mapping = node.as_mapping().filter(|mapping| !mapping.flow)?;
                let first = mapping.entries.first()?.key_span.offset;
                let start = self.line_start(first);
                Some(TextEdit::new(Span::new(start, start), lines(&" ".repeat(first - start))))
            }
        }
    }

    /// Replaces a section with its keys, except those that exist at the top level.
    pub fn lift(&self, section: &str) -> Option<LiftedKeys> {
        let whole = self.lines(section)?;
        let inner = self.get(section)?.as_mapping()?;
        let known: BTreeSet<&str> = self.entries().iter().map(|entry| entry.key.as_str()).collect();
        let is_new = |entry: &&MappingEntry| !known.contains(entry.key.as_str());
        let keys = inner.entries.iter().filter(is_new).map(|entry| entry.key.clone()).collect();
        let mut new = String::new();
        if inner.flow {
            for entry in inner.entries.iter().filter(is_new) {
                let value = &self.text[entry.value.span.range()];
                new.push_str(&format!("{}: {value}{}", entry.key, self.line_ending()));
            }
        } else if let Some(first) = inner.entries.first() {
            let indent = first.key_span.offset - self.line_start(first.key_span.offset);
            let mut at = self.text[whole.range()].find('\n').map_or(whole.end(), |newline| whole.offset + newline + 1);
            let mut add = |start: usize, end: usize| {
                for line in self.text[start..end].split_inclusive('\n') {
                    let blank = line.len() - line.trim_start_matches(' ').len();
                    new.push_str(&line[blank.min(indent)..]);
                }
            };
            for (index, _) in inner.entries.iter().enumerate().filter(|(_, entry)| !is_new(entry)) {
                let lines = self.lines_at(inner, index, whole.end());
                add(at, lines.offset);
                at = lines.end();
            }
            add(at, whole.end());
        }
        Some(LiftedKeys { edit: TextEdit::new(whole, new), keys })
    }

    /// The line ending of the file.
    pub fn line_ending(&self) -> &'static str {
        if self.text[..self.parts.yaml.offset].ends_with("\r\n") { "\r\n" } else { "\n" }
    }

    /// The text with the edits, which must not overlap.
    pub fn apply(&self, mut edits: Vec<TextEdit>) -> String {
        edits.sort_by_key(|edit| edit.span);
        apply_edits(self.text, &edits).expect("edits of different keys do not overlap")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value as Json;

    const TEXT: &str = "---\nname: a\ntargets: [\"*\"]\n# why\ndescription: >-\n  One\n  two\nclaudecode: # section\n  model: inherit\n  # all\n  tools:\n    - Read\ncursor: {x: 1}\n---\nbody\n";

    fn editable(text: &str) -> MarkdownFile<'_> {
        MarkdownFile::editable(text).unwrap()
    }

    #[test]
    fn removes_and_lifts_keys() {
        let file = editable(TEXT);
        let lifted = file.lift("claudecode").unwrap();
        assert_eq!(lifted.keys, ["model", "tools"]);
        let edits = vec![file.remove("targets").unwrap(), lifted.edit, file.remove("cursor").unwrap()];
        let want =
            "---\nname: a\n# why\ndescription: >-\n  One\n  two\nmodel: inherit\n# all\ntools:\n  - Read\n---\nbody\n";
        assert_eq!(file.apply(edits), want);
        let lifted = file.lift("cursor").unwrap();
        assert_eq!((lifted.edit.text.as_str(), lifted.keys.as_slice()), ("x: 1\n", &["x".to_owned()][..]));
        let own = "---\nmodel: x\ns:\n  model: y\n  # b\n  b: |\n    # c\n\n---\n";
        let file = editable(own);
        assert_eq!(file.apply(vec![file.lift("s").unwrap().edit]), "---\nmodel: x\n# b\nb: |\n  # c\n\n---\n");
    }

    #[test]
    fn keys_are_removed_with_their_lines() {
        for (text, want) in [
            ("---\nname: a\nmodels: {cursor: x}\nmodel: y\n---\nB\n", Some("---\nname: a\nmodel: y\n---\nB\n")),
            ("---\nmodels:\n  cursor: x\n  codex: y\ntargets: [claude]\nname: a\n---\n", Some("---\nname: a\n---\n")),
            ("---\nname: a\ntargets: claude\n---\n\ntargets: x\n", Some("---\nname: a\n---\n\ntargets: x\n")),
            ("---\nmodels: {}\n# by hand\nname: a\n---\n", Some("---\n# by hand\nname: a\n---\n")),
            ("---\r\ntargets:\r\n- x\r\n\r\na: b\r\n---\r\n", Some("---\r\n\r\na: b\r\n---\r\n")),
            ("---\n  models: x\n  a: b\n---\n", Some("---\n  a: b\n---\n")),
            ("---\n{name: a, models: {}}\n---\n", None),
            ("---\nmodels: x\nmodels: y\n---\n", None),
            ("---\nname: a\n---\n", None),
        ] {
            let file = MarkdownFile::parse(text).unwrap();
            assert_eq!(file.without(&["models", "targets"]).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn sets_and_adds_a_name() {
        let set = |text: &str| {
            let file = editable(text);
            file.apply(vec![file.set("name", "b")])
        };
        for (text, want) in [
            ("---\nname: \"A b\"\n---\n", "---\nname: b\n---\n"),
            ("---\r\nx: y\r\n---\r\n", "---\r\nname: b\r\nx: y\r\n---\r\n"),
            ("---\nname:\nx: y\n---\n", "---\nname: b\nx: y\n---\n"),
            ("---\n---\n", "---\nname: b\n---\n"),
            ("---\nname: >-\n  A\n  b\n# of x\nx: y\n---\n", "---\nname: b\n# of x\nx: y\n---\n"),
            ("---\nname: [a]\nx: y\n---\n", "---\nname: b\nx: y\n---\n"),
            ("---\nname: a # why\n---\n", "---\nname: b # why\n---\n"),
            ("---\n  x: y\n---\n", "---\n  name: b\n  x: y\n---\n"),
        ] {
            assert_eq!(set(text), want);
        }
    }

    #[test]
    fn only_keys_on_lines_of_their_own_are_editable() {
        let error = |text| MarkdownFile::editable(text).err().map(|error| error.to_string());
        for (text, want) in [
            ("# T\n", Some("it has no frontmatter")),
            ("---\na: 1\n", Some("the frontmatter is not closed")),
            ("---\na: b: c\n---\n", Some("line 2: the frontmatter is not valid YAML")),
            ("---\n{a: 1}\n---\n", Some("the frontmatter must have one `key: value` per line")),
            ("---\n- a\n---\n", Some("the frontmatter must have one `key: value` per line")),
            ("---\na: 1\na: 2\n---\n", Some("the frontmatter has the key `a` twice")),
            ("---\n---\n", None),
        ] {
            let found = error(text);
            assert_eq!(found.is_some(), want.is_some(), "{text}");
            assert!(found.unwrap_or_default().starts_with(want.unwrap_or_default()), "{text}");
        }
        assert_eq!(MarkdownFile::parse("---\n{a: 1}\n---\n").unwrap().field("a").as_deref(), Some("1"));
    }

    /// A key, the lines of its value, and what is loose after them.
    type Entry = (String, &'static str, &'static str);

    fn entries() -> impl Strategy<Value = Vec<Entry>> {
        let value = prop_oneof![
            Just(" 1\n"),
            Just(" 'x # y'\n"),
            Just(" \"x\n  # y\"\n"),
            Just("\n"),
            Just(" null # z\n"),
            Just("\n- a\n- b\n"),
            Just("\n  b: c # d\n  # e\n  f: [1]\n"),
            Just(" |\n  t\n\n  # u\n"),
        ];
        let loose = prop_oneof![Just(""), Just("# c\n"), Just("\n")];
        prop::collection::vec(("[a-f]", value, loose), 0..5).prop_map(|mut entries: Vec<Entry>| {
            let mut seen = BTreeSet::new();
            entries.retain(|(key, ..)| seen.insert(key.clone()));
            entries
        })
    }

    fn file(entries: &[Entry], body: &str, line_ending: &str) -> String {
        let yaml: String = entries.iter().map(|(key, value, loose)| format!("{key}:{value}{loose}")).collect();
        format!("---\n{yaml}---\n{body}").replace('\n', line_ending)
    }

    fn values(text: &str) -> Json {
        MarkdownFile::editable(text).map_or(Json::Null, |file| file.root().to_json())
    }

    proptest! {
        #[test]
        fn every_other_byte_stays(
            entries in entries(),
            at in 0..5_usize,
            body in "[a-z\n]{0,10}",
            line_ending in prop_oneof![Just("\n"), Just("\r\n")],
        ) {
            let text = file(&entries, &body, line_ending);
            let parsed = editable(&text);
            let Some((key, value, _)) = entries.get(at % entries.len().max(1)) else { return Ok(()) };
            let whole = format!("{key}:{value}").replace('\n', line_ending);
            let rest: Vec<Entry> = entries.iter().filter(|entry| entry.0 != *key).cloned().collect();

            let removed = parsed.apply(vec![parsed.remove(key).unwrap()]);
            prop_assert_eq!(&removed, &text.replacen(&whole, "", 1));
            let expected = values(&file(&rest, &body, line_ending));
            prop_assert!(values(&removed) == expected || rest.is_empty(), "{removed:?}");

            let set = parsed.apply(vec![parsed.set(key, "new")]);
            prop_assert_eq!(&values(&set)[key.as_str()], "new");
            let before = &text[..text.find(&whole).unwrap()];
            prop_assert!(set.starts_with(before), "{set:?}");
            let behind = &text[before.len() + whole.len()..];
            prop_assert!(set.ends_with(behind), "{set:?}");

            if let Some(lifted) = parsed.lift(key) {
                let text = parsed.apply(vec![lifted.edit]);
                prop_assert!(text.starts_with(before) && text.ends_with(behind), "{text:?}");
                let all = values(&text);
                prop_assert!(lifted.keys.iter().all(|lifted| all.get(lifted).is_some()), "{text:?}");
                // The comments of keys that exist at the top level go with them.
                let new = &text[before.len()..text.len() - behind.len()];
                prop_assert_eq!(new.contains("# d"), lifted.keys.contains(&"b".to_owned()), "{:?}", text);
                prop_assert!(new.contains("# e"), "{text:?}");
            }
        }
    }
}
