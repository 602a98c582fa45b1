//! Reads words and expressions of PowerShell.

use super::methods::method;
use super::value::{Piece, Value, printed};
use super::{DEPTH, LENGTH};
use std::collections::BTreeMap;

/// The maximum length of all texts within a text, each as often as it is run.
const WORK: usize = 16 * LENGTH;

/// Reads a text and translates it. The methods of statements are in `statements.rs`.
pub(super) struct Translator {
    text: Vec<char>,
    at: usize,
    pub depth: usize,
    /// The bytes of texts within the text so far.
    nested: usize,
    pub doubts: Vec<String>,
    /// The texts that variables were last set to.
    pub texts: BTreeMap<String, String>,
    /// The commands that the text defines other names for.
    pub aliases: BTreeMap<String, String>,
}

impl Translator {
    pub fn new(text: &str) -> Self {
        Self {
            text: text.chars().collect(),
            at: 0,
            depth: 0,
            nested: 0,
            doubts: Vec::new(),
            texts: BTreeMap::new(),
            aliases: BTreeMap::new(),
        }
    }

    /// Translates a text within the text, with the same variables.
    pub fn nested(&mut self, text: &str) -> String {
        if self.depth >= DEPTH {
            self.doubt("it is nested too deeply");
            return String::new();
        }
        self.nested += text.len();
        if self.nested > WORK {
            self.doubt("it expands to too much");
            return String::new();
        }
        let outer = std::mem::replace(&mut self.text, text.chars().collect());
        let at = std::mem::take(&mut self.at);
        self.depth += 1;
        let script = self.statements(None);
        self.depth -= 1;
        (self.text, self.at) = (outer, at);
        script
    }

    pub fn doubt(&mut self, message: &str) {
        self.doubts.push(message.to_owned());
    }

    pub fn position(&self) -> usize {
        self.at
    }

    /// Continues at an earlier position.
    pub fn rewind(&mut self, position: usize) {
        self.at = position;
    }

    pub fn peek(&self) -> Option<char> {
        self.peek_at(0)
    }

    pub fn peek_at(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at.saturating_add(ahead)).copied()
    }

    pub fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    pub fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, c)| self.peek_at(ahead) == Some(c))
    }

    pub fn skip(&mut self, count: usize) {
        self.at = self.at.saturating_add(count).min(self.text.len());
    }

    /// Skips blanks, comments and continued lines; with `lines` also line breaks.
    pub fn skip_blanks(&mut self, lines: bool) {
        while let Some(c) = self.peek() {
            match c {
                '\n' if !lines => return,
                '`' if matches!(self.peek_at(1), Some('\n' | '\r')) => self.skip(2),
                '#' => self.skip_until('\n'),
                '<' if self.peek_at(1) == Some('#') => {
                    while self.peek().is_some() && !self.starts_with("#>") {
                        self.skip(1);
                    }
                    self.skip(2);
                }
                c if c.is_whitespace() => self.skip(1),
                _ => return,
            }
        }
    }

    fn skip_until(&mut self, end: char) {
        while self.peek().is_some_and(|c| c != end) {
            self.skip(1);
        }
    }

    /// Reads an argument of a command: text, quoted texts, variables and groups up to a blank or an operator.
    pub fn argument(&mut self) -> Value {
        let mut value = Value::default();
        while let Some(c) = self.peek() {
            match c {
                '\'' | '\u{2018}' | '\u{2019}' => value.pieces.push(Piece::Text(self.single_quoted())),
                '"' | '\u{201c}' | '\u{201d}' => value.pieces.extend(self.double_quoted()),
                '@' if matches!(self.peek_at(1), Some('\'' | '"')) && value.pieces.is_empty() => {
                    value.pieces.extend(self.here_string());
                }
                '$' => {
                    value.pieces.extend(self.dollar());
                    self.members(&mut value);
                }
                '`' => {
                    self.skip(1);
                    if let Some(c) = self.next() {
                        push_bare(&mut value, escaped(c));
                    }
                }
                '(' if value.pieces.is_empty() => value = self.group_value(),
                '@' if self.peek_at(1) == Some('(') && value.pieces.is_empty() => {
                    self.skip(1);
                    value = self.group_value();
                }
                c if ends_word(c) => break,
                c => {
                    self.skip(1);
                    push_bare(&mut value, c);
                }
            }
        }
        value
    }

    /// Reads `(…)` with the members that follow.
    fn group_value(&mut self) -> Value {
        let mut value = self.group();
        self.members(&mut value);
        value
    }

    /// Reads `(…)`: the value of an expression, or the output of commands.
    pub fn group(&mut self) -> Value {
        self.skip(1);
        if self.depth >= DEPTH {
            self.doubt("it is nested too deeply");
            self.at = self.text.len();
            return Value::unknown();
        }
        self.depth += 1;
        let values = self.expression_list();
        let value = match values {
            Some(values) if values.len() == 1 => values.into_iter().next().unwrap_or_default(),
            Some(values) => Value::new(Piece::Output(printed(&values))),
            None => {
                let commands = self.statements(Some(')'));
                if commands.is_empty() { Value::unknown() } else { Value::new(Piece::Output(commands)) }
            }
        };
        self.depth -= 1;
        value
    }

    /// Reads `'a', $b)`; `None`, and nothing is read, if there is more than values and commas before the end.
    fn expression_list(&mut self) -> Option<Vec<Value>> {
        let (start, doubts) = (self.at, self.doubts.len());
        let mut values = Vec::new();
        loop {
            self.skip_blanks(true);
            let begins = self.peek().is_some_and(|c| matches!(c, '\'' | '"' | '$') || c.is_ascii_digit());
            if begins && !self.starts_with("$(") {
                values.push(self.argument());
            }
            self.skip_blanks(true);
            match self.peek() {
                Some(',') if begins => self.skip(1),
                Some(')') if begins => {
                    self.skip(1);
                    return Some(values);
                }
                _ => {
                    self.at = start;
                    self.doubts.truncate(doubts);
                    return None;
                }
            }
        }
    }

    /// Reads members, elements and method calls after a value: `.Name`, `[0]`, `::Name(…)`.
    pub fn members(&mut self, value: &mut Value) {
        loop {
            let is_static = self.starts_with("::");
            let is_member = self.peek() == Some('.') && self.peek_at(1).is_some_and(char::is_alphabetic);
            if is_static || is_member {
                self.skip(if is_static { 2 } else { 1 });
                let mut name = String::new();
                while let Some(c) = self.peek().filter(|c| c.is_alphanumeric() || *c == '_') {
                    name.push(c);
                    self.skip(1);
                }
                if self.peek() == Some('(') {
                    let arguments = self.call_arguments();
                    *value = method(&name, value, &arguments);
                }
            } else if self.peek() == Some('[') && !value.pieces.is_empty() {
                self.skip_brackets();
            } else {
                return;
            }
        }
    }

    /// Skips `[…]`.
    pub fn skip_brackets(&mut self) -> String {
        let mut inner = String::new();
        let mut open = 0_usize;
        while let Some(c) = self.next() {
            match c {
                '[' => open += 1,
                ']' => open = open.saturating_sub(1),
                c => inner.push(c),
            }
            if open == 0 {
                break;
            }
        }
        inner
    }

    /// Reads the arguments of a method.
    fn call_arguments(&mut self) -> Vec<Value> {
        self.skip(1);
        let mut values = Vec::new();
        loop {
            self.skip_blanks(true);
            match self.peek() {
                None => {
                    self.doubt("a parenthesis is not closed");
                    return values;
                }
                Some(')') => {
                    self.skip(1);
                    return values;
                }
                Some(',') => self.skip(1),
                Some('[') => drop(self.skip_brackets()),
                Some('{') => values.push(Value::new(Piece::Output(self.block()))),
                Some(_) => {
                    let start = self.at;
                    values.push(self.argument());
                    if self.at == start {
                        self.skip(1);
                    }
                }
            }
        }
    }

    /// Reads `{…}`.
    pub fn block(&mut self) -> String {
        self.skip(1);
        if self.depth >= DEPTH {
            self.doubt("it is nested too deeply");
            self.at = self.text.len();
            return String::new();
        }
        self.depth += 1;
        let inner = self.statements(Some('}'));
        self.depth -= 1;
        inner
    }

    fn single_quoted(&mut self) -> String {
        self.skip(1);
        let is_quote = |c: char| matches!(c, '\'' | '\u{2018}' | '\u{2019}');
        let mut text = String::new();
        loop {
            match self.next() {
                None => {
                    self.doubt("a quote is not closed");
                    return text;
                }
                Some(c) if is_quote(c) && self.peek().is_some_and(is_quote) => {
                    self.skip(1);
                    text.push('\'');
                }
                Some(c) if is_quote(c) => return text,
                Some(c) => text.push(c),
            }
        }
    }

    fn double_quoted(&mut self) -> Vec<Piece> {
        self.skip(1);
        let is_quote = |c: char| matches!(c, '"' | '\u{201c}' | '\u{201d}');
        let mut pieces = vec![Piece::Text(String::new())];
        loop {
            match self.peek() {
                None => {
                    self.doubt("a quote is not closed");
                    return pieces;
                }
                Some(c) if is_quote(c) => {
                    self.skip(1);
                    if !self.peek().is_some_and(is_quote) {
                        return pieces;
                    }
                    self.skip(1);
                    push_text(&mut pieces, '"');
                }
                Some('`') => {
                    self.skip(1);
                    let c = self.next().map(escaped);
                    c.into_iter().for_each(|c| push_text(&mut pieces, c));
                }
                Some('$') => pieces.extend(self.dollar()),
                Some(c) => {
                    self.skip(1);
                    push_text(&mut pieces, c);
                }
            }
        }
    }

    /// Reads `@'…'@` or `@"…"@`.
    fn here_string(&mut self) -> Vec<Piece> {
        let quote = self.peek_at(1).unwrap_or('\'');
        self.skip(2);
        self.skip_until('\n');
        self.skip(1);
        let end = format!("\n{quote}@");
        let mut text = String::from("\n");
        while self.peek().is_some() {
            if text.ends_with('\n') && self.peek() == Some(quote) && self.peek_at(1) == Some('@') {
                break;
            }
            text.extend(self.next());
        }
        if self.peek().is_none() {
            self.doubt("a quote is not closed");
        }
        self.skip(end.chars().count() - 1);
        let text = text.trim_start_matches('\n').to_owned();
        if quote == '\'' || !text.contains('$') {
            return vec![Piece::Text(text)];
        }
        // Its subexpressions are read as those of a text in double quotes.
        let mut inner = Self {
            text: format!("\"{}\"", text.replace('"', "\"\"")).chars().collect(),
            at: 0,
            depth: self.depth + 1,
            ..Self::new("")
        };
        if self.depth >= DEPTH {
            self.doubt("it is nested too deeply");
            return vec![Piece::Unknown];
        }
        let pieces = inner.double_quoted();
        self.doubts.append(&mut inner.doubts);
        pieces
    }

    /// Reads a variable or `$(…)`.
    fn dollar(&mut self) -> Option<Piece> {
        self.skip(1);
        match self.peek() {
            Some('(') => match self.group().pieces.into_iter().next() {
                Some(piece) => Some(piece),
                None => Some(Piece::Unknown),
            },
            Some('{') => {
                self.skip(1);
                let mut name = String::new();
                while let Some(c) = self.next().filter(|c| *c != '}') {
                    name.push(c);
                }
                Some(Piece::Variable(name.to_lowercase()))
            }
            Some(c) if c.is_alphanumeric() || matches!(c, '_' | '?' | '^' | '$') => {
                let mut name = String::new();
                let is_name = |c: char| c.is_alphanumeric() || c == '_';
                // `$env:NAME`, but not `$name::Member` or `"$name: text"`.
                while let Some(c) = self
                    .peek()
                    .filter(|c| is_name(*c) || *c == ':' && !name.contains(':') && self.peek_at(1).is_some_and(is_name))
                {
                    name.push(c);
                    self.skip(1);
                }
                if name.is_empty() {
                    self.skip(1);
                    return Some(Piece::Unknown);
                }
                let lower = name.to_lowercase();
                let scoped = ["script:", "global:", "local:", "private:", "using:", "variable:"];
                let name = scoped.iter().find_map(|scope| lower.strip_prefix(scope)).unwrap_or(&lower);
                Some(Piece::Variable(name.to_owned()))
            }
            _ => Some(Piece::Text("$".to_owned())),
        }
    }
}

fn push_text(pieces: &mut Vec<Piece>, c: char) {
    match pieces.last_mut() {
        Some(Piece::Text(text)) => text.push(c),
        _ => pieces.push(Piece::Text(c.to_string())),
    }
}

fn push_bare(value: &mut Value, c: char) {
    match value.pieces.last_mut() {
        Some(Piece::Bare(text)) => text.push(c),
        _ => value.pieces.push(Piece::Bare(c.to_string())),
    }
}

fn escaped(c: char) -> char {
    match c {
        'n' | 'r' => '\n',
        't' => '\t',
        '0' => ' ',
        c => c,
    }
}

/// Checks for a character that ends a word.
pub(super) fn ends_word(c: char) -> bool {
    c.is_whitespace() || matches!(c, ';' | '|' | '&' | '(' | ')' | '{' | '}' | ',' | '<' | '>' | '\0')
}
