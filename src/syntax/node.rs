//! A YAML document as a tree in which every node knows its span.

use super::Span;
use serde_json::{Map, Number, Value as Json};

/// One node.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it stands. For an alias: where the alias stands.
    pub span: Span,
    /// What it holds.
    pub value: NodeValue,
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeValue {
    /// One value.
    Scalar(Scalar),
    /// A list.
    Sequence(Vec<Node>),
    /// Keys and values in file order.
    Mapping(Mapping),
}

/// Keys and values in file order. A key that stands twice is here once, with its first value.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Mapping {
    /// Its entries.
    pub entries: Vec<MappingEntry>,
    /// Written as `{a: b}`.
    pub flow: bool,
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct MappingEntry {
    /// The key's text.
    pub key: String,
    /// Where the key stands.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

/// One value as written and as YAML 1.2's core schema reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    /// The text with quotes and escapes resolved.
    pub text: String,
    /// What the core schema makes of it.
    pub kind: ScalarKind,
    /// How it is written.
    pub style: ScalarStyle,
}

/// What YAML 1.2's core schema makes of a scalar (`yes`, `0777` and `1:20` are strings there).
#[derive(Clone, Debug, PartialEq)]
pub enum ScalarKind {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// Text.
    String,
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarStyle {
    /// Without quotes.
    Plain,
    /// In single or double quotes.
    Quoted,
    /// As a `|` or `>` block.
    Block,
}

impl Node {
    /// The mapping, where it is one.
    pub fn as_mapping(&self) -> Option<&Mapping> {
        match &self.value {
            NodeValue::Mapping(mapping) => Some(mapping),
            _ => None,
        }
    }

    /// The items, where it is a list.
    pub fn as_sequence(&self) -> Option<&[Node]> {
        match &self.value {
            NodeValue::Sequence(items) => Some(items),
            _ => None,
        }
    }

    /// The scalar, where it is one.
    pub fn as_scalar(&self) -> Option<&Scalar> {
        match &self.value {
            NodeValue::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The text, where it is a string.
    pub fn as_str(&self) -> Option<&str> {
        self.as_scalar().filter(|s| s.kind == ScalarKind::String).map(|s| s.text.as_str())
    }

    /// Whether it is `null`, `~` or nothing.
    pub fn is_null(&self) -> bool {
        self.as_scalar().is_some_and(|s| s.kind == ScalarKind::Null)
    }

    /// The value of `key`, where this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.as_mapping()?.get(key).map(|entry| &entry.value)
    }

    /// What it is, in words: `string`, `list`, …
    pub fn kind_name(&self) -> &'static str {
        match &self.value {
            NodeValue::Sequence(_) => "list",
            NodeValue::Mapping(_) => "mapping",
            NodeValue::Scalar(scalar) => match &scalar.kind {
                ScalarKind::Null => "empty value",
                ScalarKind::Bool(_) => "boolean",
                ScalarKind::Number(_) => "number",
                ScalarKind::String => "string",
            },
        }
    }

    /// The same document for a JSON Schema validator.
    pub fn to_json(&self) -> Json {
        match &self.value {
            NodeValue::Sequence(items) => Json::Array(items.iter().map(Node::to_json).collect()),
            NodeValue::Mapping(mapping) => {
                let pairs = mapping.entries.iter().map(|e| (e.key.clone(), e.value.to_json()));
                Json::Object(pairs.collect::<Map<_, _>>())
            }
            NodeValue::Scalar(scalar) => match &scalar.kind {
                ScalarKind::Null => Json::Null,
                ScalarKind::Bool(b) => Json::Bool(*b),
                ScalarKind::Number(n) => Json::Number(n.clone()),
                ScalarKind::String => Json::String(scalar.text.clone()),
            },
        }
    }

    /// The node at a JSON pointer (RFC 6901), and the span of its key where it has one.
    pub fn at_pointer(&self, pointer: &str) -> Option<(&Node, Option<Span>)> {
        let mut here = (self, None);
        for part in pointer.split('/').skip(1) {
            let part = part.replace("~1", "/").replace("~0", "~");
            here = match &here.0.value {
                NodeValue::Mapping(mapping) => {
                    let entry = mapping.get(&part)?;
                    (&entry.value, Some(entry.key_span))
                }
                NodeValue::Sequence(items) => (items.get(part.parse::<usize>().ok()?)?, None),
                NodeValue::Scalar(_) => return None,
            };
        }
        Some(here)
    }
}

impl Mapping {
    /// The entry of `key`.
    pub fn get(&self, key: &str) -> Option<&MappingEntry> {
        self.entries.iter().find(|entry| entry.key == key)
    }
}
