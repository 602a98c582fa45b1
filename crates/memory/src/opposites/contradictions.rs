//! Contradictions: two texts that are the same except for a reversing word: `always` and `never`, `use` and `avoid`, `before` and
//! `after`, or the two sides of `X over Y`.
//!
//! A lesson with a condition does not contradict one without it or with another one: both can hold.

use super::words::{antonym, only_negates, says_nothing};
use canonry_text::terms::stem;
use std::collections::HashMap;

/// Separators of a preferred and a rejected alternative.
const PREFERENCES: [&str; 3] = [" instead of ", " rather than ", " over "];

/// Subject of a text, and whether it is for or against it.
#[derive(Debug, Default)]
struct SubjectStance {
    /// The words that are left, in order.
    subject: Vec<String>,
    is_negative: bool,
}

impl SubjectStance {
    fn parse(text: &str) -> Self {
        let lowered = text.replace('’', "'").to_lowercase();
        let Some((preferred, rejected)) = PREFERENCES.iter().find_map(|word| lowered.split_once(word)) else {
            return Self::of_words(&lowered);
        };
        // The sides in alphabetical order, so that both preferences have the same subject.
        let preferred = Self::of_words(preferred);
        let rejected = Self::of_words(rejected);
        let is_swapped = preferred.subject > rejected.subject;
        let (first, second) = if is_swapped { (rejected, preferred) } else { (preferred, rejected) };
        let between = std::iter::once("over".to_owned());
        Self {
            is_negative: is_swapped ^ first.is_negative ^ second.is_negative,
            subject: first.subject.into_iter().chain(between).chain(second.subject).collect(),
        }
    }

    fn of_words(text: &str) -> Self {
        let mut stance = Self::default();
        for word in text.split_whitespace().map(without_punctuation).filter(|word| !word.is_empty()) {
            if let Some((first, is_second)) = antonym(word) {
                stance.is_negative ^= is_second;
                stance.subject.push(stem(first).into_owned());
            } else if only_negates(word) {
                stance.is_negative = !stance.is_negative;
            } else if !says_nothing(word) {
                stance.subject.push(stem(word).into_owned());
            }
        }
        stance
    }
}

/// Removes the punctuation around a word.
fn without_punctuation(word: &str) -> &str {
    let is_edge =
        |c: char| matches!(c, '"' | '\'' | '`' | ',' | ';' | '!' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>');
    word.trim_matches(is_edge).trim_end_matches(['.', ':']).trim_matches(is_edge)
}

/// For each text, the positions of the texts it contradicts, in ascending order.
pub fn find_contradictions(texts: &[&str]) -> Vec<Vec<usize>> {
    let mut groups: HashMap<Vec<String>, [Vec<usize>; 2]> = HashMap::new();
    for (at, text) in texts.iter().enumerate() {
        let SubjectStance { subject, is_negative } = SubjectStance::parse(text);
        if !subject.is_empty() {
            groups.entry(subject).or_default()[usize::from(is_negative)].push(at);
        }
    }
    let mut contradictions = vec![Vec::new(); texts.len()];
    for [positive, negative] in groups.into_values() {
        positive.iter().for_each(|at| contradictions[*at].clone_from(&negative));
        negative.iter().for_each(|at| contradictions[*at].clone_from(&positive));
    }
    contradictions
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn contradict(one: &str, other: &str) -> bool {
        find_contradictions(&[one, other]) == [[1], [0]]
    }

    #[test]
    fn reversing_words_contradict() {
        for (one, other) in [
            ("always rebase before a push", "never rebase before a push"),
            ("Use tabs.", "Avoid tabs"),
            ("Use tabs", "Do not use tabs"),
            ("Don't cache the token", "Cache the token."),
            ("run migrations before the deploy", "run migrations after the deploy"),
            ("enable the cache in CI", "Disable the cache in CI"),
            ("prefer rebase over merge", "prefer merge over rebase"),
            ("Use pnpm instead of npm", "Use npm rather than pnpm"),
            ("deploy without the smoke test", "deploy the smoke test"),
            ("retry 3 times", "never retry 3 times"),
            ("keep src/a.rs small", "Don’t keep src/a.rs small"),
            ("never skip the smoke test of the deploy", "skip the smoke test of the deploy"),
        ] {
            assert!(contradict(one, other), "{one:?} {other:?}");
        }
    }

    #[test]
    fn compatible_texts_do_not_contradict() {
        for (one, other) in [
            ("always rebase", "always rebase"),
            ("always rebase", "rebase"),
            ("never rebase", "do not rebase"),
            ("use tabs", "never use spaces"),
            ("use tabs", "use tabs only in makefiles"),
            ("use the cache", "never use the cache when the lock file changed"),
            ("retry 3 times", "never retry 5 times"),
            ("keep src/a.rs small", "never keep src/b.rs small"),
            ("run migrations before the deploy", "run migrations"),
            ("prefer rebase over merge", "prefer rebase over squash"),
            ("use pnpm instead of npm", "prefer pnpm over npm"),
            ("deploy on monday", "never deploy on friday"),
            ("", "never"),
            ("always", "never"),
        ] {
            assert!(!contradict(one, other), "{one:?} {other:?}");
        }
    }

    #[test]
    fn each_text_lists_all_its_contradictions() {
        let texts = ["use tabs", "x", "avoid tabs", "never use tabs", "always use tabs"];
        let none: Vec<usize> = Vec::new();
        assert_eq!(find_contradictions(&texts), [vec![2, 3], none, vec![0, 4], vec![0, 4], vec![2, 3]]);
    }

    fn lesson() -> impl Strategy<Value = String> {
        let words = ["always", "never", "use", "avoid", "tabs", "cache", "before", "after", "over", "if", "3"];
        prop::collection::vec(prop::sample::select(words.to_vec()), 0..6).prop_map(|words| words.join(" "))
    }

    proptest! {
        /// The relation is symmetric, and equal texts never contradict each other.
        #[test]
        fn contradictions_are_symmetric(mut lessons in prop::collection::vec(lesson(), 0..12)) {
            lessons.extend(lessons.first().cloned());
            let texts: Vec<&str> = lessons.iter().map(String::as_str).collect();
            let found = find_contradictions(&texts);
            for (at, others) in found.iter().enumerate() {
                for other in others {
                    prop_assert!(found[*other].contains(&at) && texts[at] != texts[*other]);
                }
            }
            prop_assert_eq!(found.first(), found.last());
        }
    }
}
