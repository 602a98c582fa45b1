//! Words looked for together, in one pass over a text.

use aho_corasick::{AhoCorasick, MatchKind};
use std::sync::OnceLock;

/// Some words of which a text may hold any. Upper and lower case are told apart.
pub struct WordMatcher {
    words: &'static [&'static str],
    automaton: OnceLock<Option<AhoCorasick>>,
}

impl WordMatcher {
    /// Nothing is worked out before the first text.
    pub const fn new(words: &'static [&'static str]) -> Self {
        Self { words, automaton: OnceLock::new() }
    }

    /// Whether a text holds one of them.
    pub fn any_in(&self, text: &str) -> bool {
        self.automaton().is_some_and(|automaton| automaton.is_match(text))
    }

    /// Where in a text they stand, and which. Of words that overlap the one that begins first, of two that begin together
    /// the one that is listed first.
    pub fn all_in<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (usize, &'static str)> + 't {
        let found = self.automaton().into_iter().flat_map(move |automaton| automaton.find_iter(text));
        found.map(|found| (found.start(), self.words[found.pattern().as_usize()]))
    }

    /// `None` for more words than its states can be counted, which no list in a program has.
    fn automaton(&self) -> Option<&AhoCorasick> {
        // Its search for many bytes at once is for leftmost matches only.
        let build = || AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(self.words).ok();
        self.automaton.get_or_init(build).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::WordMatcher;
    use proptest::prelude::*;

    static FEW: WordMatcher = WordMatcher::new(&["ab", "b/c", ":/c/", "/c/"]);

    #[test]
    fn finds_each_place() {
        let found: Vec<_> = FEW.all_in("ab x:/c/ ab/c").collect();
        assert_eq!(found, [(0, "ab"), (4, ":/c/"), (9, "ab")]);
    }

    proptest! {
        #[test]
        fn is_as_thorough_as_one_word_after_another(text in "[abc:/é]{0,12}") {
            prop_assert_eq!(FEW.any_in(&text), FEW.words.iter().any(|word| text.contains(word)));
            for (at, word) in FEW.all_in(&text) {
                prop_assert!(text[at..].starts_with(word));
            }
        }
    }
}
