//! Expands the words of a command line as far as possible without running anything.

use super::escapes;
use super::limits::{LENGTH, parsed};
use brush_parser::ParserOptions;
use brush_parser::word::{self, BraceExpression, BraceExpressionMember, BraceExpressionOrText, WordPiece};
use brush_parser::word::{Parameter, ParameterExpr, SpecialParameter, TildeExpr, WordPieceWithSource};

/// The state that the expansion of a word depends on.
pub(super) trait ShellContext {
    /// Pays for work beyond reading the text once. False if none is left; then the result of the work is unknown.
    fn spend(&mut self, cost: usize) -> bool;
    /// Notes once that something cannot be analysed.
    fn doubt(&mut self, why: &str);
    /// Returns the result of a command substitution.
    fn substituted(&mut self, text: &str) -> Word;
    /// Checks that a text runs no command.
    fn check_no_command(&mut self, text: &str);
    /// Lists the possible values of a variable.
    fn value(&self, name: &str) -> Vec<Word>;
    /// Returns a positional parameter, counted from 0.
    fn positional(&self, at: usize) -> Word;
    /// Lists the positional parameters from 1 on.
    fn all_positional(&self) -> Vec<Word>;
    /// Checks whether unquoted values are split at blanks, as they are unless `IFS` is set.
    fn splits_at_blanks(&self) -> bool;
}

/// Marks an unknown piece. No program argument can contain this character.
const UNKNOWN: char = '\0';
/// The maximum number of alternatives of a word.
const ALTERNATIVES: usize = 64;
/// The work for each further word that a word becomes.
const WORD: usize = 32;
/// The maximum number of brace expressions in a word.
const BRACES: usize = 8;

/// An expanded word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Word {
    /// The text, with a NUL for each unknown piece.
    pub text: String,
    /// Whether the shell replaces the word by matching file names.
    pub is_glob: bool,
    /// Whether it contains a variable that the command line does not assign, which the environment may set.
    pub is_inherited: bool,
}

impl Word {
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub fn unknown() -> Self {
        Self::new(UNKNOWN)
    }

    /// The value of a variable that the command line does not assign.
    pub fn inherited() -> Self {
        Self { is_inherited: true, ..Self::unknown() }
    }

    /// An unquoted text.
    pub fn pattern(text: String) -> Self {
        Self { is_glob: text.contains(['*', '?', '[']), ..Self::new(text) }
    }

    /// Checks whether the whole text, or the whole pattern, is known.
    pub fn is_known(&self) -> bool {
        !self.text.contains(UNKNOWN)
    }

    pub fn shown(&self) -> String {
        let text: String = self.text.chars().map(|c| if c == UNKNOWN || c.is_control() { '…' } else { c }).collect();
        let plain =
            |c: char| !c.is_whitespace() && !matches!(c, '\'' | '"' | '|' | '&' | ';' | '<' | '>' | '(' | ')' | '`');
        if !text.is_empty() && text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
    }

    /// Replaces a mark by a text; unknown if the result is too long.
    pub(super) fn replaced(&self, mark: &str, by: &Self) -> Self {
        let count = if mark.is_empty() { 0 } else { self.text.matches(mark).count() };
        match count {
            0 => self.clone(),
            _ if count * by.text.len() > LENGTH => Self::unknown(),
            _ => Self {
                text: self.text.replace(mark, &by.text),
                is_glob: self.is_glob || by.is_glob,
                is_inherited: self.is_inherited || by.is_inherited,
            },
        }
    }

    fn push(&mut self, other: &Self) {
        self.text.push_str(&other.text);
        self.is_glob |= other.is_glob;
        self.is_inherited |= other.is_inherited;
    }
}

/// Expands a word.
pub(super) fn expand(raw: &str, known: &mut dyn ShellContext) -> Vec<Word> {
    let words: Vec<Word> = alternatives(raw, known).into_iter().flatten().collect();
    if known.spend(WORD * words.len().saturating_sub(1)) { words } else { vec![Word::unknown()] }
}

/// Lists what a word may expand to: each possibility is a list of words.
pub(super) fn alternatives(raw: &str, known: &mut dyn ShellContext) -> Vec<Vec<Word>> {
    let options = ParserOptions::default();
    let might_brace = raw.contains('{') && (raw.contains(',') || raw.contains(".."));
    // The parser fails on numbers that are too large.
    let has_long_number = raw.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() > 6);
    let open = if might_brace { open_braces(raw) } else { 0 };
    if open == 0 || has_long_number {
        return expand_one(raw, known);
    }
    // The parser's time doubles with each brace expression.
    if open > BRACES {
        known.doubt("a word has too many brace expressions");
        return vec![vec![Word::unknown()]];
    }
    let Some(Ok(Some(pieces))) = parsed(|| word::parse_brace_expansions(raw, &options)) else {
        return expand_one(raw, known);
    };
    match braces(&pieces) {
        Some(words) => {
            vec![words.iter().flat_map(|word| expand_one(word, known)).flatten().take(ALTERNATIVES).collect()]
        }
        None => {
            known.doubt("a brace expression has too many alternatives");
            vec![vec![Word::unknown()]]
        }
    }
}

/// The pieces of a word; `None` if it cannot be parsed.
fn parse(text: &str) -> Option<Vec<WordPieceWithSource>> {
    parsed(|| word::parse(text, &ParserOptions::default()))?.ok()
}

/// Counts the braces outside quotes.
fn open_braces(raw: &str) -> usize {
    let pieces = parse(raw).unwrap_or_default();
    let texts = pieces.iter().filter_map(|piece| match &piece.piece {
        WordPiece::Text(text) => Some(text.matches('{').count()),
        _ => None,
    });
    texts.sum()
}

/// Returns `None` if there are too many alternatives.
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
                let from = *start.min(end);
                let to = *start.max(end);
                if to.checked_sub(from)? > ALTERNATIVES as i64 {
                    return None;
                }
                all.extend((from..=to).map(|n| n.to_string()));
            }
            BraceExpressionMember::CharSequence { start, end, .. } => {
                let from = *start.min(end);
                let to = *start.max(end);
                all.extend((from..=to).take(ALTERNATIVES).map(String::from));
            }
        }
    }
    Some(all)
}

fn expand_one(raw: &str, known: &mut dyn ShellContext) -> Vec<Vec<Word>> {
    let Some(pieces) = parse(raw) else {
        known.doubt("a word cannot be parsed");
        return vec![vec![Word::unknown()]];
    };
    // An unquoted variable or substitution alone is split into several words.
    let is_split = matches!(&pieces[..], [piece] if matches!(
        piece.piece,
        WordPiece::ParameterExpansion(_) | WordPiece::CommandSubstitution(_) | WordPiece::BackquotedCommandSubstitution(_)
    ));
    let words = joined(raw, &pieces, known);
    if is_list(&pieces) {
        return vec![words];
    }
    if !is_split {
        return words.into_iter().map(|word| vec![word]).collect();
    }
    if !known.splits_at_blanks() {
        return vec![vec![Word::unknown()]];
    }
    let fields = |word: &Word| {
        let field = |text: &str| Word { is_inherited: word.is_inherited, ..Word::pattern(text.to_owned()) };
        word.text.split_whitespace().map(field).collect()
    };
    words.iter().map(fields).collect()
}

/// Checks for `$@`, `"$@"` and `${a[@]}`, which stand for several words.
fn is_list(pieces: &[WordPieceWithSource]) -> bool {
    let [piece] = pieces else { return false };
    match &piece.piece {
        WordPiece::DoubleQuotedSequence(inner) => is_list(inner),
        WordPiece::ParameterExpansion(ParameterExpr::Parameter { parameter, .. }) => matches!(
            parameter,
            Parameter::NamedWithAllIndices { .. }
                | Parameter::Special(SpecialParameter::AllPositionalParameters { .. })
        ),
        _ => false,
    }
}

fn joined(raw: &str, pieces: &[WordPieceWithSource], known: &mut dyn ShellContext) -> Vec<Word> {
    let mut words = vec![Word::default()];
    // What is written in the word costs nothing more.
    let mut size = 0;
    let mut paid = raw.len();
    for piece in pieces {
        let all = piece_of(raw, piece, known);
        size += all.iter().map(|next| next.text.len()).sum::<usize>() * words.len();
        if size > paid {
            if !known.spend(size - paid) {
                return vec![Word::unknown()];
            }
            paid = size;
        }
        if all.len() * words.len() > ALTERNATIVES {
            return vec![Word::unknown()];
        }
        if let [next] = &all[..] {
            words.iter_mut().for_each(|word| word.push(next));
            continue;
        }
        size += words.iter().map(|word| word.text.len()).sum::<usize>() * all.len();
        let with = |word: &Word, next: &Word| {
            let mut word = word.clone();
            word.push(next);
            word
        };
        words = words.iter().flat_map(|word| all.iter().map(move |next| with(word, next))).collect();
    }
    words
}

fn piece_of(raw: &str, piece: &WordPieceWithSource, known: &mut dyn ShellContext) -> Vec<Word> {
    match &piece.piece {
        WordPiece::Text(text) => vec![Word::pattern(text.clone())],
        WordPiece::SingleQuotedText(text) => vec![Word::new(text.clone())],
        WordPiece::AnsiCQuotedText(text) => vec![Word::new(escapes::decode(text))],
        WordPiece::DoubleQuotedSequence(inner) | WordPiece::GettextDoubleQuotedSequence(inner) => {
            let words = joined(raw, inner, known);
            words.into_iter().map(|word| Word { is_glob: false, ..word }).collect()
        }
        WordPiece::TildeExpansion(TildeExpr::WorkingDir) => known.value("PWD"),
        WordPiece::TildeExpansion(TildeExpr::Home | TildeExpr::UserHome(_)) => vec![Word::new(slice(raw, piece))],
        WordPiece::ParameterExpansion(expression) => parameter(expression, slice(raw, piece), known),
        WordPiece::TildeExpansion(_) => vec![Word::unknown()],
        WordPiece::CommandSubstitution(text) => vec![known.substituted(text)],
        WordPiece::BackquotedCommandSubstitution(text) => {
            vec![known.substituted(&text.replace("\\`", "`").replace("\\$", "$"))]
        }
        WordPiece::EscapeSequence(text) => {
            let text = text.strip_prefix('\\').unwrap_or(text);
            vec![Word::new(if text == "\n" { "" } else { text })]
        }
        WordPiece::ArithmeticExpression(expression) => {
            known.check_no_command(&expression.value);
            vec![Word::unknown()]
        }
    }
}

fn slice<'r>(raw: &'r str, piece: &WordPieceWithSource) -> &'r str {
    // More than the piece is searched for commands, never less.
    raw.get(piece.start_index..piece.end_index).unwrap_or(raw)
}

fn parameter(expression: &ParameterExpr, written: &str, known: &mut dyn ShellContext) -> Vec<Word> {
    use ParameterExpr as Expr;
    match expression {
        Expr::Parameter { parameter, indirect: false } => value_of(parameter, known),
        Expr::UseDefaultValues { parameter, indirect: false, default_value, .. }
        | Expr::AssignDefaultValues { parameter, indirect: false, default_value, .. } => {
            let mut values = value_of(parameter, known);
            values.extend(text_of(default_value.as_deref(), known));
            values
        }
        Expr::UseAlternativeValue { alternative_value, .. } => {
            let mut values = vec![Word::default()];
            values.extend(text_of(alternative_value.as_deref(), known));
            values
        }
        Expr::IndicateErrorIfNullOrUnset { parameter, indirect: false, .. } => {
            known.check_no_command(written);
            value_of(parameter, known)
        }
        Expr::ReplaceSubstring { replacement, .. } => {
            known.check_no_command(written);
            let mut values = vec![Word::unknown()];
            values.extend(text_of(replacement.as_deref(), known));
            values
        }
        _ => {
            known.check_no_command(written);
            vec![Word::unknown()]
        }
    }
}

fn text_of(text: Option<&str>, known: &mut dyn ShellContext) -> Vec<Word> {
    let text = text.unwrap_or_default();
    match parse(text) {
        Some(pieces) => joined(text, &pieces, known),
        None => vec![Word::unknown()],
    }
}

fn value_of(parameter: &Parameter, known: &dyn ShellContext) -> Vec<Word> {
    match parameter {
        Parameter::Named(name)
        | Parameter::NamedWithIndex { name, .. }
        | Parameter::NamedWithAllIndices { name, .. } => known.value(name),
        Parameter::Positional(at) => vec![known.positional(*at as usize)],
        Parameter::Special(SpecialParameter::AllPositionalParameters { .. }) => known.all_positional(),
        Parameter::Special(SpecialParameter::ShellName) => vec![known.positional(0)],
        Parameter::Special(_) => vec![Word::unknown()],
    }
}
