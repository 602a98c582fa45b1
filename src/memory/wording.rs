//! What an action says, apart from how: the words by which two rows are held to be about the same.
//!
//! A word is *marked* where another one in its place would make it another thing: a number, a name with `/`, `.`, `_` and the
//! like, a negation, a condition, an outcome. Rows of one pattern have the same marked words in the same order, so that
//! `PR #260` and `PR #480`, or `always` and `never`, are never one.

use std::hash::{DefaultHasher, Hasher as _};

/// Words of an action that are compared one by one.
pub const PLAIN_LIMIT: usize = 64;

/// Words that carry nothing on their own.
const EMPTY: [&str; 17] =
    ["a", "an", "and", "as", "at", "be", "by", "for", "in", "is", "it", "of", "on", "the", "this", "was", "with"];

/// Negations, conditions and outcomes.
const TURNING: [&str; 36] = [
    "always",
    "before",
    "after",
    "broke",
    "broken",
    "can't",
    "cannot",
    "didn't",
    "doesn't",
    "don't",
    "error",
    "except",
    "failed",
    "fails",
    "failure",
    "from",
    "if",
    "isn't",
    "mustn't",
    "never",
    "no",
    "none",
    "not",
    "nothing",
    "only",
    "passed",
    "shouldn't",
    "succeeded",
    "to",
    "unless",
    "until",
    "wasn't",
    "when",
    "without",
    "won't",
    "wouldn't",
];

/// What is said of the occasion at the end of an action.
const OCCASIONS: [&str; 6] = [" again", " on retry", " once more", " as before", " one more time", " a second time"];

/// What counts runs of the same thing, in brackets at the end of an action.
const COUNTED: [&str; 7] = ["run", "try", "attempt", "retry", "build", "pass", "round"];

/// The words of an action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wording {
    /// The words that count, in their order, with a blank between them.
    pub text: String,
    /// Hash of the marked words, in their order.
    pub marked: u64,
    /// Hashes of the other words, each once, in their order; of a long text the first [`PLAIN_LIMIT`].
    pub plain: Box<[u32]>,
}

impl Wording {
    /// Reads an action.
    pub fn of(action: &str) -> Self {
        let lowered = action.to_lowercase();
        let said = without_occasion(lowered.trim());
        let words = || said.split_whitespace().map(bare).filter(|word| !word.is_empty());
        let counting = Self::from(words(), |word| !EMPTY.contains(&word));
        // Where nothing else is said, even these tell one action from the other.
        if counting.text.is_empty() { Self::from(words(), |_| true) } else { counting }
    }

    fn from<'a>(words: impl Iterator<Item = &'a str>, counts: impl Fn(&str) -> bool) -> Self {
        let mut text = String::new();
        let mut marked = DefaultHasher::new();
        let mut plain = Vec::new();
        for word in words {
            let parts = if is_marked(word) { None } else { Some(word.split('-').filter(|part| !part.is_empty())) };
            let Some(parts) = parts else {
                marked.write(word.as_bytes());
                marked.write_u8(0);
                add(&mut text, word);
                continue;
            };
            for part in parts.filter(|part| counts(part)) {
                let hash = hash(part);
                if plain.len() < PLAIN_LIMIT && !plain.contains(&hash) {
                    plain.push(hash);
                }
                add(&mut text, part);
            }
        }
        Self { text, marked: marked.finish(), plain: plain.into() }
    }
}

fn add(text: &mut String, word: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(word);
}

/// Without the punctuation around it.
pub(super) fn bare(word: &str) -> &str {
    let is_edge =
        |c: char| matches!(c, '"' | '\'' | '`' | ',' | ';' | '!' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>');
    word.trim_matches(is_edge).trim_end_matches(['.', ':']).trim_matches(is_edge)
}

fn is_marked(word: &str) -> bool {
    let is_sign = |c: char| c.is_numeric() || "/\\_.:#@=$*%&|~+<>^".contains(c);
    word.contains(is_sign) || word.starts_with('-') || TURNING.contains(&word)
}

fn without_occasion(action: &str) -> &str {
    let mut said = action;
    loop {
        let shorter = OCCASIONS.iter().find_map(|end| said.strip_suffix(end)).or_else(|| without_count(said));
        match shorter.map(str::trim_end).filter(|shorter| !shorter.is_empty()) {
            Some(shorter) => said = shorter,
            None => return said,
        }
    }
}

/// `… (run 12)`
fn without_count(said: &str) -> Option<&str> {
    let (before, inside) = said.strip_suffix(')')?.rsplit_once('(')?;
    let (word, number) = inside.split_once(' ')?;
    let is_count = number.trim_start_matches('#').bytes().all(|b| b.is_ascii_digit());
    (COUNTED.contains(&word) && is_count && number.len() > usize::from(number.starts_with('#'))).then_some(before)
}

fn hash(word: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    hasher.write(word.as_bytes());
    hasher.finish() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(action: &str) -> String {
        Wording::of(action).text
    }

    #[test]
    fn the_same_in_other_words() {
        for (one, other) in [
            ("Reran the flaky test", "reran flaky test"),
            ("reran the flaky test (run 12)", "reran the flaky test (run #480) again"),
            ("force-push to main", "Force push to `main`."),
            ("deployed the api on retry", "deployed the API"),
            ("a", "A"),
        ] {
            assert_eq!(Wording::of(one), Wording::of(other), "{one:?} {other:?}");
        }
    }

    #[test]
    fn another_thing() {
        for (one, other) in [
            ("merged PR #260", "merged PR #480"),
            ("always rebase", "never rebase"),
            ("moved from staging to prod", "moved from prod to staging"),
            ("edit src/a.rs", "edit src/b.rs"),
            ("ran cargo test -p auth", "ran cargo test --p auth"),
            ("run (12)", "run (13)"),
            ("the", "a"),
            ("use x", "use x only"),
        ] {
            assert_ne!(text(one), text(other), "{one:?} {other:?}");
        }
        assert_eq!(text("(run 1)"), "run 1");
    }
}
