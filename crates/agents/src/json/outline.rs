//! JSON with comments, and the positions of its members and separators.

use canonry_text::json;
use canonry_text::node::{MappingEntry, Node};
use canonry_text::yaml::{DuplicateKey, ParsedDocument};
use jsonc_parser::errors::ParseError;
use jsonc_parser::tokens::Token;
use jsonc_parser::{Scanner, ScannerOptions};
use std::ops::Range;

/// Why a text is not valid JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct OutlineError {
    /// Counted from 1.
    pub line: usize,
    pub message: String,
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
    pub root: Node,
    pub duplicates: Vec<DuplicateKey>,
    /// In file order.
    pub separators: Vec<(Range<usize>, Separator)>,
}

impl Outline {
    /// Parses JSON with comments and trailing commas, which the tools accept.
    pub fn parse(text: &str) -> Result<Self, OutlineError> {
        let error = |at: usize, message: String| OutlineError { line: text[..at].matches('\n').count() + 1, message };
        // A line feed inserted after a single carriage return would turn both into one line ending.
        if let Some(at) = single_carriage_return(text) {
            return Err(error(at, "a carriage return without a line feed".to_owned()));
        }
        let ParsedDocument { root, duplicates, .. } =
            json::parse_jsonc(text, 0).map_err(|invalid| error(invalid.span.offset, invalid.message))?;
        let mut scanner = Scanner::new(text, &ScannerOptions::default());
        let mut separators = Vec::new();
        // Text that only the parser accepts, such as half of a surrogate pair, has no known separators.
        let invalid = |e: ParseError| OutlineError { line: e.line_display(), message: e.kind().to_string() };
        while let Some(token) = scanner.scan().map_err(invalid)? {
            let separator = match token {
                Token::Comma => Separator::Comma,
                Token::CommentLine(_) | Token::CommentBlock(_) => Separator::Comment,
                _ => continue,
            };
            separators.push((scanner.token_start()..scanner.token_end(), separator));
        }
        Ok(Self { root, duplicates, separators })
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

/// The ranges of the members or items of a value, in file order.
pub(super) fn elements(node: &Node) -> Vec<Range<usize>> {
    let members = node.entries().iter().map(member_range);
    let items = node.as_sequence().into_iter().flatten().map(|item| item.span.range());
    let mut ranges: Vec<Range<usize>> = members.chain(items).collect();
    ranges.sort_by_key(|range| range.start);
    ranges
}

/// From the key's first quote to the value's end.
pub(super) fn member_range(member: &MappingEntry) -> Range<usize> {
    member.key_span.offset..member.value.span.end()
}
