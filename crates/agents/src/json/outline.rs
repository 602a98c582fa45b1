//! The positions of all members and separators in JSON with comments.

use canonry_text::json::jsonc_options;
use jsonc_parser::ast;
use jsonc_parser::common::{Range as TokenRange, Ranged};
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, parse_to_ast};
use serde_json::Value;
use std::ops::Range;

/// Why a text is not valid JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct OutlineError {
    /// Counted from 1.
    pub line: usize,
    pub message: String,
}

/// A value with its position.
#[derive(Clone, Debug)]
pub(super) struct JsonNode {
    pub range: Range<usize>,
    pub kind: OutlineKind,
}

#[derive(Clone, Debug)]
pub(super) enum OutlineKind {
    Object(Vec<Member>),
    Array(Vec<JsonNode>),
    Scalar,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub name: String,
    /// From the key's first quote to the value's end.
    pub range: Range<usize>,
    pub value: JsonNode,
}

/// A token between values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    Comma,
    Comment,
}

/// A whole document.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    pub root: JsonNode,
    /// In file order.
    pub separators: Vec<(Range<usize>, Separator)>,
}

impl Outline {
    /// Parses JSON with comments and trailing commas, which the tools accept.
    pub fn parse(text: &str) -> Result<Self, OutlineError> {
        // A line feed inserted after a single carriage return would turn both into one line ending.
        if let Some(at) = single_carriage_return(text) {
            let line = text[..at].matches('\n').count() + 1;
            return Err(OutlineError { line, message: "a carriage return without a line feed".to_owned() });
        }
        let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let parsed = parse_to_ast(text, &collect, &jsonc_options())
            .map_err(|e| OutlineError { line: e.line_display(), message: e.kind().to_string() })?;
        let root = parsed.value.ok_or_else(|| OutlineError { line: 1, message: "expected a value".to_owned() })?;
        let separator = |token: &Token<'_>| match token {
            Token::Comma => Some(Separator::Comma),
            Token::CommentLine(_) | Token::CommentBlock(_) => Some(Separator::Comment),
            _ => None,
        };
        let tokens = parsed.tokens.unwrap_or_default();
        let separators = tokens.iter().filter_map(|t| Some((range(t.range), separator(&t.token)?))).collect();
        Ok(Self { root: node(&root), separators })
    }

    /// Returns the first comma in a range.
    pub fn comma_in(&self, range: Range<usize>) -> Option<Range<usize>> {
        self.separators_in(range).find(|(_, separator)| *separator == Separator::Comma).map(|(at, _)| at)
    }

    /// Lists the separators in a range, in file order.
    pub fn separators_in(
        &self,
        range: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = (Range<usize>, Separator)> + '_ {
        let inside = move |(at, _): &&(Range<usize>, Separator)| range.start <= at.start && at.end <= range.end;
        self.separators.iter().filter(inside).cloned()
    }
}

fn single_carriage_return(text: &str) -> Option<usize> {
    text.match_indices('\r').map(|(at, _)| at).find(|at| !text[at + 1..].starts_with('\n'))
}

fn range(token: TokenRange) -> Range<usize> {
    token.start..token.end
}

fn node(value: &ast::Value<'_>) -> JsonNode {
    let kind = match value {
        ast::Value::Object(object) => OutlineKind::Object(object.properties.iter().map(member).collect()),
        ast::Value::Array(array) => OutlineKind::Array(array.elements.iter().map(node).collect()),
        _ => OutlineKind::Scalar,
    };
    JsonNode { range: range(value.range()), kind }
}

fn member(property: &ast::ObjectProp<'_>) -> Member {
    let name = property.name.as_str().to_owned();
    Member { name, range: range(property.range), value: node(&property.value) }
}

impl JsonNode {
    /// Lists the ranges of members or items.
    pub fn elements(&self) -> Vec<Range<usize>> {
        match &self.kind {
            OutlineKind::Object(members) => members.iter().map(|member| member.range.clone()).collect(),
            OutlineKind::Array(items) => items.iter().map(|item| item.range.clone()).collect(),
            OutlineKind::Scalar => Vec::new(),
        }
    }

    /// Returns the value. The last of several equal keys counts.
    pub fn value(&self, text: &str) -> Value {
        match &self.kind {
            OutlineKind::Object(members) => {
                Value::Object(members.iter().map(|m| (m.name.clone(), m.value.value(text))).collect())
            }
            OutlineKind::Array(items) => Value::Array(items.iter().map(|item| item.value(text)).collect()),
            OutlineKind::Scalar => {
                let raw = text.get(self.range.clone()).unwrap_or_default();
                serde_json::from_str(raw).unwrap_or_else(|_| Value::String(raw.to_owned()))
            }
        }
    }
}
