//! Edits of YAML that are verified before they are offered as fixes: the edited text is parsed again and must differ from
//! the original in the intended value only.

use crate::canon::skill::SkillFrontmatter;
use crate::finding::{TextEdit, apply_edits};
use canonry_text::frontmatter::BOM;
use canonry_text::node::{Mapping, MappingEntry, Node, NodeValue};
use canonry_text::yaml::{self, ParsedDocument};
use canonry_text::{Source, Span};
use serde_json::Value as Json;
use std::collections::HashSet;

/// The number of edits that are verified one by one if they fail together.
const SINGLE_EDITS: usize = 20;

/// An edit that changes the intended value only.
#[derive(Clone, Debug)]
pub struct VerifiedEdit {
    pub edit: TextEdit,
    /// The edited YAML.
    pub document: ParsedDocument,
}

/// A key to rename in the mapping at a JSON pointer.
#[derive(Clone, Copy, Debug)]
pub struct KeyRename<'a> {
    pub pointer: &'a str,
    pub key: &'a str,
    pub new: &'a str,
}

/// The YAML part of a file, with the edits that fixes need.
#[derive(Clone, Copy)]
pub struct YamlEditor<'a> {
    pub source: &'a Source,
    /// The part of the file that is YAML.
    pub span: Span,
    /// The parsed YAML.
    pub document: &'a ParsedDocument,
}

impl<'a> YamlEditor<'a> {
    /// The frontmatter of a skill.
    pub fn from_frontmatter(source: &'a Source, front: &'a SkillFrontmatter) -> Option<Self> {
        Some(Self { source, span: front.fences.yaml, document: front.yaml.as_ref().ok()? })
    }

    /// A YAML file such as a plan.
    pub fn from_file(source: &'a Source, document: &'a ParsedDocument) -> Self {
        let text = source.text();
        let start = text.len() - text.trim_start_matches(BOM).len();
        Self { source, span: Span::new(start, text.len()), document }
    }

    /// Checks that `edit` makes the value at `pointer` the string `text` and changes nothing else.
    pub fn set(&self, pointer: &str, edit: TextEdit, text: &str) -> Option<VerifiedEdit> {
        self.verified(edit, pointer, |value| {
            *value = Json::String(text.to_owned());
            Some(())
        })
    }

    /// Whether all edits together make the value at each pointer the given string and change nothing else. The edits are in
    /// file order.
    pub fn set_all(&self, changes: &[(String, TextEdit, String)]) -> bool {
        let mut wanted = self.document.root.to_json();
        for (pointer, _, text) in changes {
            let Some(value) = wanted.pointer_mut(pointer) else { return false };
            *value = Json::String(text.clone());
        }
        let mut edits: Vec<TextEdit> = changes.iter().map(|(_, edit, _)| edit.clone()).collect();
        edits.sort_by_key(|edit| edit.span);
        self.is_verified(&edits, &wanted)
    }

    /// Checks that `edit` adds `key` with the string `text` to the mapping at `pointer`, after the key `after`, and changes
    /// nothing else.
    pub fn insert(&self, pointer: &str, after: &str, key: &str, edit: TextEdit, text: &str) -> Option<VerifiedEdit> {
        self.verified(edit, pointer, |value| {
            let mapping = value.as_object_mut()?;
            let at = mapping.keys().position(|other| other == after)? + 1;
            mapping.shift_insert(at, key.to_owned(), Json::String(text.to_owned()));
            Some(())
        })
    }

    /// Renames `key` in the mapping at `pointer`; `None` if the mapping already has the key `new`.
    pub fn rename(&self, pointer: &str, key: &str, new: &str) -> Option<TextEdit> {
        let edit = self.rename_edit(pointer, key, new)?;
        let mut root = self.document.root.clone();
        entry_mut(&mut root.value, pointer, key)?.key = new.to_owned();
        self.is_verified(std::slice::from_ref(&edit), &root.to_json()).then_some(edit)
    }

    /// Renames several keys. All edits are verified together, because each verification parses the text again; only if that
    /// fails, the first ones are verified one by one.
    pub fn rename_all(&self, changes: &[KeyRename<'_>]) -> Vec<Option<TextEdit>> {
        let mut root = self.document.root.clone();
        let mut targets = HashSet::new();
        let mut edits = Vec::new();
        for change in changes {
            // Two keys cannot get the same name.
            let is_first = targets.insert((change.pointer, change.new));
            let edit = self.rename_edit(change.pointer, change.key, change.new).filter(|_| is_first);
            let entry = edit.as_ref().and_then(|_| entry_mut(&mut root.value, change.pointer, change.key));
            edits.push(entry.and_then(|entry| {
                change.new.clone_into(&mut entry.key);
                edit
            }));
        }
        let mut all: Vec<TextEdit> = edits.iter().flatten().cloned().collect();
        all.sort_by_key(|edit| edit.span);
        if self.is_verified(&all, &root.to_json()) {
            return edits;
        }
        let rename = |(at, change): (usize, &KeyRename<'_>)| {
            if at < SINGLE_EDITS { self.rename(change.pointer, change.key, change.new) } else { None }
        };
        changes.iter().enumerate().map(rename).collect()
    }

    /// The same for [`Self::set`]. The edits are in file order.
    pub fn set_each(&self, changes: &[(String, TextEdit, String)]) -> Vec<Option<TextEdit>> {
        if self.set_all(changes) {
            return changes.iter().map(|(_, edit, _)| Some(edit.clone())).collect();
        }
        let set = |(at, (pointer, edit, text)): (usize, &(String, TextEdit, String))| {
            if at < SINGLE_EDITS { Some(self.set(pointer, edit.clone(), text)?.edit) } else { None }
        };
        changes.iter().enumerate().map(set).collect()
    }

    /// The edit that renames a key, not verified.
    fn rename_edit(&self, pointer: &str, key: &str, new: &str) -> Option<TextEdit> {
        let mapping = self.document.root.at_pointer(pointer)?.0.as_mapping()?;
        if mapping.get(new).is_some() {
            return None;
        }
        let span = mapping.get(key)?.key_span;
        let written = self.source.slice(span);
        let is_quoted = |quote: char| written.strip_prefix(quote).and_then(|w| w.strip_suffix(quote)) == Some(key);
        let name = match ['"', '\''].into_iter().find(|quote| is_quoted(*quote)) {
            Some(quote) => format!("{quote}{new}{quote}"),
            None if written == key => new.to_owned(),
            None => return None,
        };
        Some(TextEdit::new(span, name))
    }

    /// Checks that `edit` makes `change` to the value at `pointer` and nothing else.
    fn verified(
        &self,
        edit: TextEdit,
        pointer: &str,
        change: impl Fn(&mut Json) -> Option<()>,
    ) -> Option<VerifiedEdit> {
        if let Some(document) = self.edited_item(&edit, pointer, &change) {
            return Some(VerifiedEdit { edit, document });
        }
        let mut wanted = self.document.root.to_json();
        change(wanted.pointer_mut(pointer)?)?;
        let document = self.edited(std::slice::from_ref(&edit), &wanted)?;
        Some(VerifiedEdit { edit, document })
    }

    /// The same for an edit in one item of a list, without parsing the other ones. `None` if that proves nothing.
    fn edited_item(
        &self,
        edit: &TextEdit,
        pointer: &str,
        change: &impl Fn(&mut Json) -> Option<()>,
    ) -> Option<ParsedDocument> {
        let is_index = |part: &str| part.parse::<usize>().is_ok();
        let index = pointer.split('/').find(|part| is_index(part))?;
        let end = pointer.find(&format!("/{index}"))? + 1 + index.len();
        let (item, inside) = pointer.split_at(end);
        let text = self.source.text().get(..self.span.end()).filter(|_| self.document.duplicates.is_empty())?;
        let after = self.document.with_edited_item(text, item, edit.span, &edit.text)?;
        let mut wanted = self.document.root.at_pointer(item)?.0.to_json();
        change(wanted.pointer_mut(inside)?)?;
        equals(after.root.at_pointer(item)?.0, &wanted).then_some(after)
    }

    /// Whether the edited YAML equals `wanted`. The edits are in file order.
    pub fn is_verified(&self, changes: &[TextEdit], wanted: &Json) -> bool {
        self.edited(changes, wanted).is_some()
    }

    /// The edited YAML if it equals `wanted`. A duplicate key can hide the effect of an edit, so YAML with duplicates is never
    /// edited.
    fn edited(&self, changes: &[TextEdit], wanted: &Json) -> Option<ParsedDocument> {
        let after = parse_with(self.source, self.span, changes)?;
        let is_unique = self.document.duplicates.is_empty() && after.duplicates.is_empty();
        (is_unique && equals(&after.root, wanted)).then_some(after)
    }
}

/// Whether a node has the values of a JSON document, with the keys in the same order.
fn equals(node: &Node, wanted: &Json) -> bool {
    match (&node.value, wanted) {
        (NodeValue::Sequence(items), Json::Array(wanted)) => {
            items.len() == wanted.len() && items.iter().zip(wanted).all(|(item, wanted)| equals(item, wanted))
        }
        (NodeValue::Mapping(mapping), Json::Object(wanted)) => {
            let mut pairs = mapping.entries.iter().zip(wanted);
            let is_same = |(entry, (key, value)): (&MappingEntry, (&String, &Json))| {
                entry.key == *key && equals(&entry.value, value)
            };
            mapping.entries.len() == wanted.len() && pairs.all(is_same)
        }
        (NodeValue::Scalar(_), wanted) => node.to_json() == *wanted,
        _ => false,
    }
}

/// Parses the YAML with the edits applied; `None` if it is no longer valid.
fn parse_with(source: &Source, span: Span, edits: &[TextEdit]) -> Option<ParsedDocument> {
    let text = source.text().get(..span.end())?;
    let text = apply_edits(text, edits)?;
    // Edited text is as large as the text that was parsed before.
    yaml::parse(text.get(span.offset..)?, span.offset).ok()
}

fn entry_mut<'a>(value: &'a mut NodeValue, pointer: &str, key: &str) -> Option<&'a mut MappingEntry> {
    let mut here = value;
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        here = match here {
            NodeValue::Mapping(mapping) => &mut find(mapping, &part)?.value.value,
            NodeValue::Sequence(items) => &mut items.get_mut(part.parse::<usize>().ok()?)?.value,
            NodeValue::Scalar(_) => return None,
        };
    }
    match here {
        NodeValue::Mapping(mapping) => find(mapping, key),
        _ => None,
    }
}

fn find<'a>(mapping: &'a mut Mapping, key: &str) -> Option<&'a mut MappingEntry> {
    mapping.entries.iter_mut().find(|entry| entry.key == key)
}

/// Quotes a string for YAML: in double quotes, or in single quotes if it contains double quotes or backslashes.
pub fn quoted(text: &str) -> String {
    if text.contains(['"', '\\']) { format!("'{}'", text.replace('\'', "''")) } else { format!("\"{text}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_text::RepoPath;
    use proptest::prelude::*;

    fn edit(text: &str, change: impl Fn(YamlEditor<'_>) -> Option<TextEdit>) -> Option<String> {
        let source = Source::new(RepoPath::from("x.yaml"), text.to_owned());
        let document = yaml::parse(text, 0).ok()?;
        let change = change(YamlEditor { source: &source, span: Span::new(0, text.len()), document: &document })?;
        apply_edits(text, &[change])
    }

    #[test]
    fn renaming_keeps_the_quotes_of_a_key() {
        let rename = |text: &str| edit(text, |yaml| yaml.rename("/a/0", "nmae", "name"));
        assert_eq!(rename("a:\n- nmae: 1 # c\n  b: 2\n").as_deref(), Some("a:\n- name: 1 # c\n  b: 2\n"));
        assert_eq!(rename("{\"a\": [{\"nmae\": 1}]}").as_deref(), Some("{\"a\": [{\"name\": 1}]}"));
        assert_eq!(rename("a: [{'nmae': 1}]\n").as_deref(), Some("a: [{'name': 1}]\n"));
        assert_eq!(rename("a: [{nmae: 1, name: 2}]\n"), None);
        assert_eq!(rename("a: [{nmae: 1, b: 2, b: 3}]\n"), None);
        assert_eq!(rename("a: [{\"n\\x6dae\": 1}]\n"), None);
    }

    #[test]
    fn several_keys_are_renamed_together() {
        let renames = |text: &str| {
            let source = Source::new(RepoPath::from("x.yaml"), text.to_owned());
            let document = yaml::parse(text, 0).unwrap();
            let yaml = YamlEditor { source: &source, span: Span::new(0, text.len()), document: &document };
            let change = |pointer, key| KeyRename { pointer, key, new: "name" };
            let edits = yaml.rename_all(&[change("/0", "nmae"), change("/0", "title"), change("/1", "nmae")]);
            edits.iter().map(Option::is_some).collect::<Vec<_>>()
        };
        assert_eq!(renames("- {nmae: 1}\n- {nmae: 2}\n"), [true, false, true]);
        assert_eq!(renames("- {nmae: 1, title: 2}\n- {nmae: 2}\n"), [true, false, true]);
        assert_eq!(renames("- {nmae: 1, a: 1, a: 2}\n- {nmae: 2}\n"), [false, false, false]);
    }

    #[test]
    fn set_rejects_edits_with_side_effects() {
        let set = |raw: &'static str, text: &'static str| {
            edit("a: b\nc: &x d\ne: *x\n", |yaml| Some(yaml.set("/a", TextEdit::new(Span::new(3, 4), raw), text)?.edit))
        };
        assert_eq!(set("'f'", "f").as_deref(), Some("a: 'f'\nc: &x d\ne: *x\n"));
        assert_eq!(set("f #g", "f #g"), None);
        assert_eq!(set("f\nh: i", "f"), None);
    }

    proptest! {
        #[test]
        fn quoted_strings_round_trip(text in "[ -~é]{0,40}") {
            let document = yaml::parse(&format!("a: {}\n", quoted(&text)), 0).map(|d| d.root.to_json());
            prop_assert_eq!(document, Ok(serde_json::json!({"a": text})));
        }
    }
}
