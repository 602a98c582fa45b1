//! A word of a command line, as far as it can be known without running anything.

use brush_parser::ParserOptions;
use brush_parser::word::{self, BraceExpression, BraceExpressionMember, BraceExpressionOrText, WordPiece};
use brush_parser::word::{Parameter, ParameterExpr, WordPieceWithSource};

/// What is known around a word.
pub(super) trait Known {
    /// Says once that something cannot be read.
    fn doubt(&mut self, why: &str);
    /// What a command substitution stands for.
    fn substituted(&mut self, text: &str) -> Word;
    /// A text that is read only as far as to see that nothing is run in it.
    fn watch(&mut self, text: &str);
    /// The values that a variable may have.
    fn value(&self, name: &str) -> Vec<Word>;
}

/// Stands for what cannot be known; no argument of a program can hold it.
const UNKNOWN: char = '\0';
/// Words that one word may become, by braces and by variables with several values.
const ALTERNATIVES: usize = 64;
/// Braces of a word that are put in.
const BRACES: usize = 8;

/// A word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Word {
    /// Its text, with a NUL for each piece that cannot be known.
    pub text: String,
    /// Whether the shell puts file names in its place.
    pub is_glob: bool,
}

impl Word {
    /// A word that is known.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_glob: false }
    }

    /// Nothing is known of it.
    pub fn unknown() -> Self {
        Self::new(UNKNOWN)
    }

    /// Whether all of it is known; of a glob that is its pattern.
    pub fn is_known(&self) -> bool {
        !self.text.contains(UNKNOWN)
    }

    /// As a person reads it.
    pub fn shown(&self) -> String {
        let text: String = self.text.chars().map(|c| if c == UNKNOWN || c.is_control() { '…' } else { c }).collect();
        let plain =
            |c: char| !c.is_whitespace() && !matches!(c, '\'' | '"' | '|' | '&' | ';' | '<' | '>' | '(' | ')' | '`');
        if !text.is_empty() && text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
    }

    fn push(&mut self, other: &Self) {
        self.text.push_str(&other.text);
        self.is_glob |= other.is_glob;
    }
}

/// The words that one word of a command line becomes.
pub(super) fn expand(raw: &str, known: &mut dyn Known) -> Vec<Word> {
    let options = ParserOptions::default();
    let might_brace = raw.contains('{') && (raw.contains(',') || raw.contains(".."));
    // A number that is none would end the parser.
    let has_long_number = raw.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() > 6);
    let open = if might_brace { open_braces(raw) } else { 0 };
    if open == 0 || has_long_number {
        return expand_one(raw, known);
    }
    // The parser takes twice as long for each more.
    if open > BRACES {
        known.doubt("a word of it has too many braces");
        return vec![Word::unknown()];
    }
    let Ok(Some(pieces)) = word::parse_brace_expansions(raw, &options) else { return expand_one(raw, known) };
    match braces(&pieces) {
        Some(words) => words.iter().flat_map(|word| expand_one(word, known)).take(ALTERNATIVES).collect(),
        None => {
            known.doubt("its braces stand for too many words");
            vec![Word::unknown()]
        }
    }
}

/// Braces that no quotes are around.
fn open_braces(raw: &str) -> usize {
    let pieces = word::parse(raw, &ParserOptions::default()).unwrap_or_default();
    let texts = pieces.iter().filter_map(|piece| match &piece.piece {
        WordPiece::Text(text) => Some(text.matches('{').count()),
        _ => None,
    });
    texts.sum()
}

/// `None` for more than can be looked at.
fn braces(pieces: &[BraceExpressionOrText]) -> Option<Vec<String>> {
    let mut words = vec![String::new()];
    for piece in pieces {
        let all = match piece {
            BraceExpressionOrText::Text(text) => vec![text.clone()],
            BraceExpressionOrText::Expr(members) => brace(members)?,
        };
        if all.len() * words.len() > ALTERNATIVES {
            return None;
        }
        words = words.iter().flat_map(|word| all.iter().map(move |next| format!("{word}{next}"))).collect();
    }
    Some(words)
}

fn brace(members: &BraceExpression) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for member in members {
        match member {
            BraceExpressionMember::Child(pieces) => all.extend(braces(pieces)?),
            BraceExpressionMember::NumberSequence { start, end, .. } => {
                let (from, to) = (*start.min(end), *start.max(end));
                if to.checked_sub(from)? > ALTERNATIVES as i64 {
                    return None;
                }
                all.extend((from..=to).map(|n| n.to_string()));
            }
            BraceExpressionMember::CharSequence { start, end, .. } => {
                let (from, to) = (*start.min(end), *start.max(end));
                all.extend((from..=to).take(ALTERNATIVES).map(String::from));
            }
        }
    }
    Some(all)
}

fn expand_one(raw: &str, known: &mut dyn Known) -> Vec<Word> {
    let Ok(pieces) = word::parse(raw, &ParserOptions::default()) else {
        known.doubt("a word of it cannot be read");
        return vec![Word::unknown()];
    };
    // A variable or a substitution by itself, without quotes, is as many words as its value has.
    let is_split = matches!(&pieces[..], [piece] if matches!(
        piece.piece,
        WordPiece::ParameterExpansion(_) | WordPiece::CommandSubstitution(_) | WordPiece::BackquotedCommandSubstitution(_)
    ));
    let words = joined(raw, &pieces, known);
    if !is_split {
        return words;
    }
    let split = words.iter().flat_map(|word| word.text.split_whitespace());
    split.map(|text| Word { text: text.to_owned(), is_glob: text.contains(['*', '?', '[']) }).collect()
}

fn joined(raw: &str, pieces: &[WordPieceWithSource], known: &mut dyn Known) -> Vec<Word> {
    let mut words = vec![Word::default()];
    for piece in pieces {
        let all = piece_of(raw, piece, known);
        if all.len() * words.len() > ALTERNATIVES {
            return vec![Word::unknown()];
        }
        let with = |word: &Word, next: &Word| {
            let mut word = word.clone();
            word.push(next);
            word
        };
        words = words.iter().flat_map(|word| all.iter().map(move |next| with(word, next))).collect();
    }
    words
}

fn piece_of(raw: &str, piece: &WordPieceWithSource, known: &mut dyn Known) -> Vec<Word> {
    match &piece.piece {
        WordPiece::Text(text) => vec![Word { text: text.clone(), is_glob: text.contains(['*', '?', '[']) }],
        WordPiece::SingleQuotedText(text) => vec![Word::new(text.clone())],
        WordPiece::AnsiCQuotedText(text) if !text.contains('\\') => vec![Word::new(text.clone())],
        WordPiece::AnsiCQuotedText(_) => vec![Word::unknown()],
        WordPiece::DoubleQuotedSequence(inner) | WordPiece::GettextDoubleQuotedSequence(inner) => {
            let words = joined(raw, inner, known);
            words.into_iter().map(|word| Word { is_glob: false, ..word }).collect()
        }
        WordPiece::TildeExpansion(_) => vec![Word::new(slice(raw, piece))],
        WordPiece::ParameterExpansion(expression) => parameter(expression, slice(raw, piece), known),
        WordPiece::CommandSubstitution(text) => vec![known.substituted(text)],
        WordPiece::BackquotedCommandSubstitution(text) => {
            vec![known.substituted(&text.replace("\\`", "`").replace("\\$", "$"))]
        }
        WordPiece::EscapeSequence(text) => {
            let text = text.strip_prefix('\\').unwrap_or(text);
            vec![Word::new(if text == "\n" { "" } else { text })]
        }
        WordPiece::ArithmeticExpression(expression) => {
            known.watch(&expression.value);
            vec![Word::unknown()]
        }
    }
}

fn slice<'r>(raw: &'r str, piece: &WordPieceWithSource) -> &'r str {
    raw.get(piece.start_index..piece.end_index).unwrap_or_default()
}

fn parameter(expression: &ParameterExpr, written: &str, known: &mut dyn Known) -> Vec<Word> {
    match expression {
        ParameterExpr::Parameter { parameter: Parameter::Named(name), indirect: false } => known.value(name),
        _ => {
            known.watch(written);
            vec![Word::unknown()]
        }
    }
}
