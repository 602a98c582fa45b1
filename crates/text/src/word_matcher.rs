//! Searches a text for several words in one pass.

use aho_corasick::{AhoCorasick, MatchKind};
use std::borrow::Cow;
use std::sync::OnceLock;

/// A set of words to search for. The search is case-sensitive.
pub struct WordMatcher {
    words: Cow<'static, [&'static str]>,
    automaton: OnceLock<AhoCorasick>,
}

impl WordMatcher {
    /// The search automaton is built on first use.
    pub const fn new(words: &'static [&'static str]) -> Self {
        Self { words: Cow::Borrowed(words), automaton: OnceLock::new() }
    }

    /// The same for words that are collected when the program runs.
    pub fn from_words(words: Vec<&'static str>) -> Self {
        Self { words: Cow::Owned(words), automaton: OnceLock::new() }
    }

    /// The offset and word of each match. Of overlapping matches the leftmost wins, then the word that is listed first.
    pub fn all_in<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (usize, &'static str)> + 't {
        self.automaton().find_iter(text).map(|found| (found.start(), self.words[found.pattern().as_usize()]))
    }

    /// Whether any word is in `bytes`.
    pub fn is_in(&self, bytes: impl AsRef<[u8]>) -> bool {
        self.automaton().is_match(bytes.as_ref())
    }

    fn automaton(&self) -> &AhoCorasick {
        // Leftmost matching is the mode that searches for many bytes at once.
        let build = || AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(&*self.words);
        self.automaton.get_or_init(|| build().expect("static words compile"))
    }
}

#[cfg(test)]
mod tests {
    use super::WordMatcher;
    use proptest::prelude::*;

    static FEW: WordMatcher = WordMatcher::new(&["ab", "b/c", ":/c/", "/c/"]);

    #[test]
    fn finds_every_match() {
        let found: Vec<_> = FEW.all_in("ab x:/c/ ab/c").collect();
        assert_eq!(found, [(0, "ab"), (4, ":/c/"), (9, "ab")]);
    }

    proptest! {
        #[test]
        fn finds_the_same_as_separate_searches(text in "[abc:/é]{0,12}") {
            let is_in = FEW.words.iter().any(|word| text.contains(word));
            prop_assert_eq!(FEW.all_in(&text).next().is_some(), is_in);
            prop_assert_eq!(FEW.is_in(&text), is_in);
            for (at, word) in FEW.all_in(&text) {
                prop_assert!(text[at..].starts_with(word));
            }
        }
    }
}
