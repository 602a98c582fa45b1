//! Changes to YAML that are proven before they are proposed: the text is spliced, read anew, and must hold just what was
//! wanted, with all else as it was.

use crate::canon::skill::SkillFrontmatter;
use crate::finding::{TextEdit, apply_edits};
use crate::syntax::yaml::{self, ParsedDocument};
use crate::syntax::yaml_node::{Mapping, MappingEntry, NodeValue};
use crate::syntax::{Source, Span};
use serde_json::Value as Json;

/// A YAML text that is part of a file.
#[derive(Clone, Copy)]
pub(super) struct Yaml<'a> {
    pub source: &'a Source,
    /// The YAML in it.
    pub span: Span,
    /// The same, read.
    pub document: &'a ParsedDocument,
}

impl<'a> Yaml<'a> {
    /// The frontmatter of a skill.
    pub fn of_front(source: &'a Source, front: &'a SkillFrontmatter) -> Option<Self> {
        Some(Self { source, span: front.fences.yaml, document: front.yaml.as_ref().ok()? })
    }

    /// `raw` in the place of `span`, where the value at `pointer` then is the string `text`, and nothing else changed.
    pub fn set(&self, pointer: &str, apply_edits: TextEdit, text: &str) -> Option<TextEdit> {
        let mut wanted = self.document.root.to_json();
        *wanted.pointer_mut(pointer)? = Json::String(text.to_owned());
        self.proven(apply_edits, &wanted)
    }

    /// Another name for the key that stands at `key` in the mapping at `pointer`; only where the mapping has no such key.
    pub fn rename(&self, pointer: &str, key: &str, new: &str) -> Option<TextEdit> {
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
        let mut root = self.document.root.clone();
        entry_mut(&mut root.value, pointer, key)?.key = new.to_owned();
        self.proven(TextEdit::new(span, name), &root.to_json())
    }

    /// A key that stands twice may hide what a change does, so that such a text is left alone.
    fn proven(&self, change: TextEdit, wanted: &Json) -> Option<TextEdit> {
        let after = read_with(self.source, self.span, std::slice::from_ref(&change))?;
        let holds = self.document.duplicates.is_empty() && after.duplicates.is_empty();
        // Compared as text: the order of the keys counts.
        let text = |json: &Json| serde_json::to_string(json).ok();
        (holds && text(&after.root.to_json()) == text(wanted)).then_some(change)
    }
}

/// The YAML of a file as it reads once the splices are made in it; `None` where it is none then.
pub(super) fn read_with(source: &Source, span: Span, splices: &[TextEdit]) -> Option<ParsedDocument> {
    let text = source.text().get(..span.end())?;
    let text = apply_edits(text, splices)?;
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

/// A text in quotes that YAML reads as the same text: double quotes, or single ones where the text has double quotes or
/// backslashes in it.
pub(super) fn quoted(text: &str) -> String {
    if text.contains(['"', '\\']) { format!("'{}'", text.replace('\'', "''")) } else { format!("\"{text}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::RepoPath;
    use proptest::prelude::*;

    fn with(text: &str, change: impl Fn(Yaml<'_>) -> Option<TextEdit>) -> Option<String> {
        let source = Source::new(RepoPath::from("x.yaml"), text.to_owned());
        let document = yaml::parse(text, 0).ok()?;
        let change = change(Yaml { source: &source, span: Span::new(0, text.len()), document: &document })?;
        apply_edits(text, &[change])
    }

    #[test]
    fn renames_keys_as_they_are_written() {
        let rename = |text: &str| with(text, |yaml| yaml.rename("/a/0", "nmae", "name"));
        assert_eq!(rename("a:\n- nmae: 1 # c\n  b: 2\n").as_deref(), Some("a:\n- name: 1 # c\n  b: 2\n"));
        assert_eq!(rename("{\"a\": [{\"nmae\": 1}]}").as_deref(), Some("{\"a\": [{\"name\": 1}]}"));
        assert_eq!(rename("a: [{'nmae': 1}]\n").as_deref(), Some("a: [{'name': 1}]\n"));
        assert_eq!(rename("a: [{nmae: 1, name: 2}]\n"), None);
        assert_eq!(rename("a: [{nmae: 1, b: 2, b: 3}]\n"), None);
        assert_eq!(rename("a: [{\"n\\x6dae\": 1}]\n"), None);
    }

    #[test]
    fn sets_only_what_is_proven() {
        let set = |raw: &'static str, text: &'static str| {
            with("a: b\nc: &x d\ne: *x\n", |yaml| yaml.set("/a", TextEdit::new(Span::new(3, 4), raw), text))
        };
        assert_eq!(set("'f'", "f").as_deref(), Some("a: 'f'\nc: &x d\ne: *x\n"));
        assert_eq!(set("f #g", "f #g"), None);
        assert_eq!(set("f\nh: i", "f"), None);
    }

    proptest! {
        #[test]
        fn quoted_text_is_read_as_it_was(text in "[ -~é]{0,40}") {
            let document = yaml::parse(&format!("a: {}\n", quoted(&text)), 0).map(|d| d.root.to_json());
            prop_assert_eq!(document, Ok(serde_json::json!({"a": text})));
        }
    }
}
