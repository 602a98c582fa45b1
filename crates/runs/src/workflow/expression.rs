//! The language of conditions: keywords, fields and comparisons, joined with `AND`, `OR`, `NOT` and parentheses.
//!
//! `NOT` binds more tightly than `AND`, and `AND` more tightly than `OR`. A condition is parsed into postfix order without
//! recursion, so that no number of parentheses exhausts the stack.

use canonry_text::printable::head;
use serde_json::Value as Json;
use std::cmp::Ordering;

/// The longest part of a condition that a message repeats, in bytes.
const SHOWN: usize = 120;

/// A parsed condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression<'t> {
    /// The terms and connectives in postfix order.
    postfix: Vec<PostfixItem<'t>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PostfixItem<'t> {
    Term(Term<'t>),
    Connective(Connective),
}

/// A connective; a later variant binds more tightly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Connective {
    Or,
    And,
    Not,
}

/// A part of a condition that is true or false by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term<'t> {
    /// A keyword, or a boolean field.
    Word(&'t str),
    Comparison(Comparison<'t>),
}

/// A comparison of a field with a value, or with each value of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison<'t> {
    /// `field`, or `step.field`.
    pub field: &'t str,
    pub operator: Operator,
    /// The value, without quotes. For `in`, the values of the list.
    pub values: Vec<&'t str>,
    /// The value or list as written.
    pub written: &'t str,
}

/// The operator of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
}

impl Operator {
    /// Whether the operator needs values that have an order.
    pub fn orders(self) -> bool {
        !matches!(self, Self::Equal | Self::NotEqual | Self::In)
    }

    fn accepts(self, order: Ordering) -> bool {
        match self {
            Self::Equal | Self::In => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }
}

/// Why a condition has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    #[error("`{0}` is neither a keyword nor a comparison")]
    Syntax(String),
    #[error("the field `{0}` is missing")]
    MissingField(String),
    #[error("the field `{field}` is used as a boolean, but is {actual}")]
    NotBool { field: String, actual: &'static str },
    #[error("the field `{field}` is {actual} and cannot be compared with `{value}`")]
    NotComparable { field: String, actual: &'static str, value: String },
}

/// Evaluates a condition on the fields of outputs. `lookup` returns the value of `field` or `step.field`; `keywords` are the
/// words the worker decided with (whole words).
///
/// Two numbers are compared as numbers, also if one is a text or has a percent sign: `"80%"`, `80` and `80.0` are equal. A
/// list is `in` a list of values if one of its items is. A word in capitals that is neither a keyword of the worker nor a
/// field is false.
///
/// # Errors
/// The condition cannot be parsed, a field is missing, even if the other terms decide, or a field has the wrong type.
pub fn evaluate(
    condition: &str,
    lookup: &dyn Fn(&str) -> Option<Json>,
    keywords: &[String],
) -> Result<bool, ExpressionError> {
    Expression::parse(condition)?.evaluate(lookup, keywords)
}

impl<'t> Expression<'t> {
    /// Parses a condition.
    ///
    /// # Errors
    /// The text is not a condition.
    pub fn parse(text: &'t str) -> Result<Self, ExpressionError> {
        Self::parse_text(text).ok_or_else(|| ExpressionError::Syntax(head(text.trim(), SHOWN).to_owned()))
    }

    /// The shunting-yard algorithm. `None` in `pending` is an open parenthesis.
    fn parse_text(text: &'t str) -> Option<Self> {
        let mut scanner = Scanner { rest: text };
        let mut postfix = Vec::new();
        let mut pending: Vec<Option<Connective>> = Vec::new();
        loop {
            if scanner.skip("(") {
                pending.push(None);
                continue;
            }
            if scanner.skip_not() {
                pending.push(Some(Connective::Not));
                continue;
            }
            postfix.push(PostfixItem::Term(scanner.term()?));
            while scanner.skip(")") {
                while let Some(connective) = pending.pop()? {
                    postfix.push(PostfixItem::Connective(connective));
                }
            }
            let following = if scanner.is_done() { None } else { Some(scanner.connective()?) };
            while let Some(Some(connective)) = pending.last().copied()
                && following.is_none_or(|following| connective >= following)
            {
                postfix.push(PostfixItem::Connective(connective));
                pending.pop();
            }
            match following {
                Some(following) => pending.push(Some(following)),
                None => return pending.is_empty().then_some(Self { postfix }),
            }
        }
    }

    /// The terms in the order in which they are written.
    pub fn terms(&self) -> impl Iterator<Item = &Term<'t>> {
        self.postfix.iter().filter_map(|item| match item {
            PostfixItem::Term(term) => Some(term),
            PostfixItem::Connective(_) => None,
        })
    }

    /// The words that are not part of a comparison: keywords and boolean fields.
    pub fn words(&self) -> impl Iterator<Item = &'t str> {
        self.terms().filter_map(|term| match term {
            Term::Word(word) => Some(*word),
            Term::Comparison(_) => None,
        })
    }

    /// See [`evaluate`].
    ///
    /// # Errors
    /// A field is missing or has the wrong type.
    pub fn evaluate(
        &self,
        lookup: &dyn Fn(&str) -> Option<Json>,
        keywords: &[String],
    ) -> Result<bool, ExpressionError> {
        let mut values: Vec<bool> = Vec::new();
        for item in &self.postfix {
            let value = match item {
                PostfixItem::Term(Term::Word(word)) => word_holds(word, lookup, keywords)?,
                PostfixItem::Term(Term::Comparison(comparison)) => comparison.holds(lookup)?,
                PostfixItem::Connective(connective) => {
                    let last = values.pop().unwrap_or_default();
                    match connective {
                        Connective::Not => !last,
                        Connective::And => values.pop().unwrap_or_default() & last,
                        Connective::Or => values.pop().unwrap_or_default() | last,
                    }
                }
            };
            values.push(value);
        }
        Ok(values.pop().unwrap_or_default())
    }
}

fn word_holds(word: &str, lookup: &dyn Fn(&str) -> Option<Json>, keywords: &[String]) -> Result<bool, ExpressionError> {
    if keywords.iter().any(|keyword| keyword == word) {
        return Ok(true);
    }
    match lookup(word) {
        Some(Json::Bool(value)) => Ok(value),
        Some(value) => Err(ExpressionError::NotBool { field: shown(word), actual: kind_words(&value) }),
        None if is_keyword(word) && is_upper_case(word) => Ok(false),
        None => Err(ExpressionError::MissingField(shown(word))),
    }
}

impl Comparison<'_> {
    fn holds(&self, lookup: &dyn Fn(&str) -> Option<Json>) -> Result<bool, ExpressionError> {
        let actual = lookup(self.field).ok_or_else(|| ExpressionError::MissingField(shown(self.field)))?;
        let items = match (&actual, self.operator) {
            (Json::Array(items), Operator::In) => items.as_slice(),
            _ => std::slice::from_ref(&actual),
        };
        let mut holds = false;
        for item in items {
            for value in &self.values {
                holds |= self.accepts(item, value)?;
            }
        }
        Ok(holds)
    }

    fn accepts(&self, actual: &Json, value: &str) -> Result<bool, ExpressionError> {
        let not_comparable = || ExpressionError::NotComparable {
            field: shown(self.field),
            actual: kind_words(actual),
            value: shown(value),
        };
        let differs = self.operator == Operator::NotEqual;
        let text = match actual {
            Json::Array(_) | Json::Object(_) => return Err(not_comparable()),
            Json::Null | Json::Bool(_) if self.operator.orders() => return Err(not_comparable()),
            Json::Null => return Ok(value.eq_ignore_ascii_case("null") != differs),
            Json::Bool(actual) => match value.to_ascii_lowercase().as_str() {
                "true" => return Ok(*actual != differs),
                "false" => return Ok(*actual == differs),
                _ => return Err(not_comparable()),
            },
            Json::Number(number) => number.to_string(),
            Json::String(text) => text.clone(),
        };
        if let Some(order) = compare_numbers(&text, value) {
            return Ok(self.operator.accepts(order));
        }
        // A text and a number have no order.
        if self.operator.orders() && (parse_number(&text).is_some() || parse_number(value).is_some()) {
            return Err(not_comparable());
        }
        Ok(self.operator.accepts(text.as_str().cmp(value)))
    }
}

/// Compares two texts as numbers; `None` if one is not a number.
fn compare_numbers(one: &str, other: &str) -> Option<Ordering> {
    // Large whole numbers, such as ids, are not exact as floating point.
    if let (Ok(one), Ok(other)) = (one.trim().parse::<i128>(), other.trim().parse::<i128>()) {
        return Some(one.cmp(&other));
    }
    parse_number(one)?.partial_cmp(&parse_number(other)?)
}

/// A finite number, possibly with a percent sign, which has no meaning: `80%` is 80, as in `quality_threshold`.
pub fn parse_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let bare = text.strip_suffix('%').unwrap_or(text).trim_end();
    bare.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The type of a value for messages, with its article.
pub fn kind_words(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

fn shown(text: &str) -> String {
    head(text, SHOWN).to_owned()
}

/// A single word, optionally with hyphens. Keywords are compared as whole words.
pub fn is_keyword(text: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.starts_with(char::is_alphabetic) && text.chars().all(inside)
}

/// Whether a word has no lower-case letters and so cannot be a field name.
pub fn is_upper_case(word: &str) -> bool {
    !word.chars().any(char::is_lowercase)
}

/// Longer operators come first, so that `>=` is not read as `>`.
const OPERATORS: [(&str, Operator); 7] = [
    (">=", Operator::GreaterOrEqual),
    ("<=", Operator::LessOrEqual),
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("=", Operator::Equal),
    (">", Operator::Greater),
    ("<", Operator::Less),
];

/// The part of a condition that is not parsed yet.
struct Scanner<'t> {
    rest: &'t str,
}

impl<'t> Scanner<'t> {
    fn is_done(&mut self) -> bool {
        self.rest = self.rest.trim_start();
        self.rest.is_empty()
    }

    /// Skips a sign and the spaces before it.
    fn skip(&mut self, sign: &str) -> bool {
        self.rest = self.rest.trim_start();
        let after = self.rest.strip_prefix(sign);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// Skips a word that is followed by a space or by one of `delimiters`.
    fn skip_word(&mut self, word: &str, delimiters: &[char]) -> bool {
        self.rest = self.rest.trim_start();
        let after = self.rest.strip_prefix(word);
        let after = after.filter(|after| after.starts_with(|c: char| c.is_whitespace() || delimiters.contains(&c)));
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn skip_not(&mut self) -> bool {
        ["NOT", "not"].iter().any(|not| self.skip_word(not, &['('])) || self.skip("!")
    }

    fn connective(&mut self) -> Option<Connective> {
        let any = |scanner: &mut Self, words: [&str; 2]| words.iter().any(|word| scanner.skip_word(word, &['(', '!']));
        if self.skip("&&") || any(self, ["AND", "and"]) {
            Some(Connective::And)
        } else if self.skip("||") || any(self, ["OR", "or"]) {
            Some(Connective::Or)
        } else {
            None
        }
    }

    fn term(&mut self) -> Option<Term<'t>> {
        self.rest = self.rest.trim_start();
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let name = self.take(self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len()));
        if name.is_empty() {
            return None;
        }
        if ["in", "IN"].iter().any(|word| self.skip_word(word, &['['])) {
            let before = self.rest.trim_start();
            let values = self.list()?;
            let written = before[..before.len() - self.rest.len()].trim_end();
            return Some(Term::Comparison(Comparison { field: name, operator: Operator::In, values, written }));
        }
        let Some((_, operator)) = OPERATORS.iter().find(|(sign, _)| self.skip(sign)) else {
            return Some(Term::Word(name));
        };
        let before = self.rest.trim_start();
        let value = self.value(&[])?;
        let written = &before[..before.len() - self.rest.len()];
        Some(Term::Comparison(Comparison { field: name, operator: *operator, values: vec![value], written }))
    }

    /// `[a, 'b c']`
    fn list(&mut self) -> Option<Vec<&'t str>> {
        if !self.skip("[") {
            return None;
        }
        let mut values = Vec::new();
        loop {
            values.push(self.value(&[',', ']'])?);
            if !self.skip(",") {
                return self.skip("]").then_some(values);
            }
        }
    }

    /// A text in quotes, or a word up to a space, a parenthesis, a connective or one of `delimiters`.
    fn value(&mut self, delimiters: &[char]) -> Option<&'t str> {
        self.rest = self.rest.trim_start();
        for quote in ['"', '\''] {
            if let Some(inside) = self.rest.strip_prefix(quote) {
                let (value, after) = inside.split_once(quote)?;
                self.rest = after;
                return Some(value);
            }
        }
        let ends = |(at, c): (usize, char)| {
            let is_connective = || ["&&", "||"].iter().any(|sign| self.rest[at..].starts_with(sign));
            c.is_whitespace() || c == ')' || delimiters.contains(&c) || is_connective()
        };
        let end = self.rest.char_indices().find(|at| ends(*at)).map_or(self.rest.len(), |(at, _)| at);
        let value = self.take(end);
        (!value.is_empty() && !value.starts_with(['=', '<', '>', '!', '&', '|', '(', '['])).then_some(value)
    }

    fn take(&mut self, length: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }
}

#[cfg(test)]
#[path = "expression_tests.rs"]
mod tests;
