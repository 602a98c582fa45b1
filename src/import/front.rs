//! The frontmatter of a Markdown file, and edits of single keys that leave all else to the byte.

use crate::syntax::frontmatter::{self, Frontmatter, FrontmatterError};
use crate::syntax::node::{Mapping, MappingEntry, Node, ScalarStyle};
use crate::syntax::yaml;
use std::ops::Range;

/// A file with frontmatter.
pub(super) struct Front<'t> {
    text: &'t str,
    parts: Frontmatter,
    root: Node,
}

/// Why there is nothing to edit.
pub(super) enum NoFront {
    /// There is none: all is body.
    None,
    /// There is one that cannot be read, with the line.
    Broken(String),
}

/// A change of a range.
pub(super) struct Change {
    at: Range<usize>,
    new: String,
}

impl<'t> Front<'t> {
    /// Reads it.
    pub fn of(text: &'t str) -> Result<Self, NoFront> {
        let parts = match frontmatter::split(text) {
            Ok(parts) => parts,
            Err(FrontmatterError::Unclosed { .. }) => {
                return Err(NoFront::Broken("line 1: its frontmatter has no end".to_owned()));
            }
            Err(_) => return Err(NoFront::None),
        };
        let line = |offset: usize| text[..offset].matches('\n').count() + 1;
        let document = yaml::parse(&text[parts.yaml.range()], parts.yaml.offset).map_err(|e| {
            NoFront::Broken(format!("line {}: its frontmatter is not valid YAML: {}", line(e.span.offset), e.message))
        })?;
        match document.root.as_mapping().is_some_and(|mapping| !mapping.flow) || document.root.is_null() {
            true => Ok(Self { text, parts, root: document.root }),
            false => Err(NoFront::Broken("line 1: its frontmatter has no keys on lines of their own".to_owned())),
        }
    }

    /// What stands behind it.
    pub fn body(&self) -> &'t str {
        &self.text[self.parts.body.range()]
    }

    /// The keys.
    pub fn entries(&self) -> &[MappingEntry] {
        self.root.as_mapping().map_or(&[], |mapping| mapping.entries.as_slice())
    }

    /// A key's value.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.root.get(key)
    }

    /// A key's value as text; nothing where it says nothing.
    pub fn field(&self, key: &str) -> Option<String> {
        let scalar = self.get(key)?.as_scalar()?;
        Some(scalar.text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// A key's value as a list of texts; a single text counts as one.
    pub fn list(&self, key: &str) -> Vec<String> {
        let Some(node) = self.get(key) else { return Vec::new() };
        let text = |node: &Node| node.as_scalar().map(|scalar| scalar.text.clone());
        match node.as_sequence() {
            Some(items) => items.iter().filter_map(text).collect(),
            None => text(node).into_iter().filter(|text| !text.is_empty()).collect(),
        }
    }

    /// Whether a key says `true`.
    pub fn says(&self, key: &str) -> bool {
        self.field(key).is_some_and(|text| text == "true")
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// The whole lines of an entry.
    fn lines_of(&self, mapping: &Mapping, at: usize, end: usize) -> Range<usize> {
        let start = |entry: &MappingEntry| self.line_start(entry.key_span.offset);
        let from = mapping.entries.get(at).map_or(end, start);
        from..mapping.entries.get(at + 1).map_or(end, start)
    }

    /// Takes a key out.
    pub fn without(&self, key: &str) -> Option<Change> {
        let mapping = self.root.as_mapping()?;
        let at = mapping.entries.iter().position(|entry| entry.key == key)?;
        Some(Change { at: self.lines_of(mapping, at, self.parts.yaml.end()), new: String::new() })
    }

    /// Gives a key another value, or adds it as the first.
    pub fn with(&self, key: &str, value: &str) -> Change {
        // On its line, with a comment that may stand behind it.
        let in_line = |node: &&Node| {
            let is_inline = node.as_scalar().is_some_and(|scalar| scalar.style != ScalarStyle::Block);
            is_inline && !node.is_null() && !self.text[node.span.range()].contains('\n')
        };
        if let Some(node) = self.get(key).filter(in_line) {
            return Change { at: node.span.range(), new: value.to_owned() };
        }
        let start = self.parts.yaml.offset;
        let at = self.without(key).map_or(start..start, |change| change.at);
        Change { at, new: format!("{key}: {value}{}", self.eol()) }
    }

    /// The keys of a section as keys of the whole, in the place of the section; those that stand there already are left
    /// out. Gives the names of those that moved.
    pub fn lifted(&self, section: &str) -> Option<(Change, Vec<String>)> {
        let mapping = self.root.as_mapping()?;
        let at = mapping.entries.iter().position(|entry| entry.key == section)?;
        let whole = self.lines_of(mapping, at, self.parts.yaml.end());
        let inner = mapping.entries[at].value.as_mapping()?;
        let (mut new, mut moved) = (String::new(), Vec::new());
        for (index, entry) in inner.entries.iter().enumerate().filter(|(_, entry)| self.get(&entry.key).is_none()) {
            moved.push(entry.key.clone());
            if inner.flow {
                new.push_str(&format!("{}: {}{}", entry.key, &self.text[entry.value.span.range()], self.eol()));
                continue;
            }
            let lines = self.lines_of(inner, index, whole.end);
            let indent = entry.key_span.offset - lines.start;
            for line in self.text[lines].split_inclusive('\n') {
                let blank = line.len() - line.trim_start_matches(' ').len();
                new.push_str(&line[blank.min(indent)..]);
            }
        }
        Some((Change { at: whole, new }, moved))
    }

    fn eol(&self) -> &'static str {
        if self.text[..self.parts.yaml.offset].ends_with("\r\n") { "\r\n" } else { "\n" }
    }

    /// The text with changes that do not overlap.
    pub fn changed(&self, mut changes: Vec<Change>) -> String {
        changes.sort_by_key(|change| (change.at.start, change.at.end));
        let mut text = self.text.to_owned();
        for change in changes.into_iter().rev() {
            text.replace_range(change.at, &change.new);
        }
        text
    }
}

/// A text as a YAML value that nothing in it can break.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\nname: a\ntargets: [\"*\"]\n# why\ndescription: >-\n  One\n  two\nclaudecode:\n  model: inherit\n  tools:\n    - Read\ncursor: {x: 1}\n---\nbody\n";

    fn front(text: &str) -> Front<'_> {
        Front::of(text).unwrap_or_else(|_| panic!("no frontmatter"))
    }

    #[test]
    fn keys_are_taken_out_and_lifted() {
        let front = front(TEXT);
        let (lifted, moved) = front.lifted("claudecode").unwrap();
        assert_eq!(moved, ["model", "tools"]);
        let changes = vec![front.without("targets").unwrap(), lifted, front.without("cursor").unwrap()];
        let want = "---\nname: a\ndescription: >-\n  One\n  two\nmodel: inherit\ntools:\n  - Read\n---\nbody\n";
        assert_eq!(front.changed(changes), want);
        let (lifted, moved) = front.lifted("cursor").unwrap();
        assert_eq!((lifted.new.as_str(), moved.as_slice()), ("x: 1\n", &["x".to_owned()][..]));
    }

    #[test]
    fn a_name_is_set_and_added() {
        let set = |text: &str| {
            let front = front(text);
            front.changed(vec![front.with("name", "b")])
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
