//! JSON with comments as a tree of places: where each member and each comma stands.

use crate::syntax::json::jsonc_options;
use jsonc_parser::ast;
use jsonc_parser::common::{Range as Place, Ranged};
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, parse_to_ast};
use serde_json::Value;
use std::ops::Range;

/// Why a file cannot be edited by key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct JsonError {
    /// From 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub range: Range<usize>,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Scalar,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub name: String,
    /// From the key's first quote to the value's end.
    pub range: Range<usize>,
    pub value: Node,
}

/// What stands between values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Comma,
    Comment,
}

/// A whole document.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    pub root: Node,
    /// Commas and comments, in file order.
    pub marks: Vec<(Range<usize>, Mark)>,
}

impl Outline {
    /// Comments and trailing commas are allowed, as the tools do; nothing else that is no JSON.
    pub fn of(text: &str) -> Result<Self, JsonError> {
        // Behind a carriage return that stands alone a line feed of ours would make another line end of both.
        if let Some(at) = lone_return(text) {
            let line = text[..at].matches('\n').count() + 1;
            return Err(JsonError { line, message: "a carriage return without a line feed".to_owned() });
        }
        let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let parsed = parse_to_ast(text, &collect, &jsonc_options())
            .map_err(|e| JsonError { line: e.line_display(), message: e.kind().to_string() })?;
        let root = parsed.value.ok_or_else(|| JsonError { line: 1, message: "it holds no value".to_owned() })?;
        let mark = |token: &Token<'_>| match token {
            Token::Comma => Some(Mark::Comma),
            Token::CommentLine(_) | Token::CommentBlock(_) => Some(Mark::Comment),
            _ => None,
        };
        let tokens = parsed.tokens.unwrap_or_default();
        let marks = tokens.iter().filter_map(|t| Some((range(t.range), mark(&t.token)?))).collect();
        Ok(Self { root: node(&root), marks })
    }

    /// The first comma in a range.
    pub fn comma_in(&self, range: Range<usize>) -> Option<Range<usize>> {
        self.marks_in(range).find(|(_, mark)| *mark == Mark::Comma).map(|(at, _)| at)
    }

    /// What stands in a range, in file order.
    pub fn marks_in(&self, range: Range<usize>) -> impl DoubleEndedIterator<Item = (Range<usize>, Mark)> + '_ {
        let inside = move |(at, _): &&(Range<usize>, Mark)| range.start <= at.start && at.end <= range.end;
        self.marks.iter().filter(inside).cloned()
    }
}

fn lone_return(text: &str) -> Option<usize> {
    text.match_indices('\r').map(|(at, _)| at).find(|at| !text[at + 1..].starts_with('\n'))
}

fn range(place: Place) -> Range<usize> {
    place.start..place.end
}

fn node(value: &ast::Value<'_>) -> Node {
    let kind = match value {
        ast::Value::Object(object) => Kind::Object(object.properties.iter().map(member).collect()),
        ast::Value::Array(array) => Kind::Array(array.elements.iter().map(node).collect()),
        _ => Kind::Scalar,
    };
    Node { range: range(value.range()), kind }
}

fn member(property: &ast::ObjectProp<'_>) -> Member {
    let name = property.name.as_str().to_owned();
    Member { name, range: range(property.range), value: node(&property.value) }
}

impl Node {
    /// Where its members or items stand; nothing of a scalar.
    pub fn parts(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => members.iter().map(|member| member.range.clone()).collect(),
            Kind::Array(items) => items.iter().map(|item| item.range.clone()).collect(),
            Kind::Scalar => Vec::new(),
        }
    }

    /// What it says; of a key that stands twice the last value.
    pub fn value(&self, text: &str) -> Value {
        match &self.kind {
            Kind::Object(members) => {
                Value::Object(members.iter().map(|m| (m.name.clone(), m.value.value(text))).collect())
            }
            Kind::Array(items) => Value::Array(items.iter().map(|item| item.value(text)).collect()),
            Kind::Scalar => {
                let raw = text.get(self.range.clone()).unwrap_or_default();
                serde_json::from_str(raw).unwrap_or_else(|_| Value::String(raw.to_owned()))
            }
        }
    }
}
