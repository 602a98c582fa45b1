//! Contradictions between lessons.
//!
//! Two texts contradict each other if they are the same except for a reversing word: `always` and `never`, `use` and
//! `avoid`, `before` and `after`, or the two sides of `X over Y`. "The same" is the similarity of [`super::similarity`]:
//! numbers, names and conditions are equal, and the other terms of the shorter text occur in the longer one in order and
//! make up three quarters of it. A lesson with a condition does not contradict one without it or with another one: both
//! can hold.

use super::similarity::{ActionTerms, TermSet, find_leaders, without_punctuation};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Words that only affirm what follows.
const AFFIRMATIONS: [&str; 11] =
    ["always", "do", "keep", "make", "must", "please", "prefer", "should", "shall", "sure", "use"];

/// Words that only negate what follows.
const NEGATIONS: [&str; 22] = [
    "avoid",
    "can't",
    "cannot",
    "didn't",
    "doesn't",
    "don't",
    "dont",
    "isn't",
    "mustn't",
    "never",
    "no",
    "none",
    "nor",
    "not",
    "refuse",
    "shouldn't",
    "skip",
    "stop",
    "wasn't",
    "without",
    "won't",
    "wouldn't",
];

/// Antonyms. Unlike [`NEGATIONS`] they carry meaning: a text with neither word of a pair is about something else.
const ANTONYMS: [(&str, &str); 16] = [
    ("accept", "reject"),
    ("add", "remove"),
    ("after", "before"),
    ("allow", "forbid"),
    ("allowed", "forbidden"),
    ("disable", "enable"),
    ("disabled", "enabled"),
    ("exclude", "include"),
    ("fewer", "more"),
    ("faster", "slower"),
    ("increase", "decrease"),
    ("largest", "smallest"),
    ("later", "earlier"),
    ("raise", "lower"),
    ("safe", "unsafe"),
    ("long", "short"),
];

/// Separators of a preferred and a rejected alternative.
const PREFERENCES: [&str; 3] = [" instead of ", " rather than ", " over "];

/// Subject of a text, and whether it is for or against it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SubjectStance {
    block: u64,
    terms: Box<[u32]>,
    is_negative: bool,
}

impl SubjectStance {
    /// `None` if the text has no words besides affirmations and negations.
    fn parse(text: &str) -> Option<Self> {
        let lowered = text.replace('’', "'").to_lowercase();
        let preference = OrderedPreference::parse(&lowered);
        let mut is_negative = preference.is_swapped;
        let mut topics = DefaultHasher::new();
        let mut rest: Vec<&str> = Vec::new();
        for word in preference.text.split_whitespace() {
            let bare = without_punctuation(word);
            let pair = (0..).zip(ANTONYMS).find(|(_, (one, other))| bare == *one || bare == *other);
            match pair {
                Some((topic, (_, other))) => {
                    u32::hash(&topic, &mut topics);
                    is_negative ^= bare == other;
                }
                None if AFFIRMATIONS.contains(&bare) => {}
                None if NEGATIONS.contains(&bare) => is_negative = !is_negative,
                None => rest.push(word),
            }
        }
        let terms = ActionTerms::parse(&rest.join(" "));
        if terms.text.is_empty() {
            return None;
        }
        terms.fixed.hash(&mut topics);
        Some(Self { block: topics.finish(), terms: terms.free, is_negative })
    }
}

/// A text in which the sides of `X over Y` are in alphabetical order, so that both preferences have the same terms.
struct OrderedPreference {
    text: String,
    is_swapped: bool,
}

impl OrderedPreference {
    fn parse(text: &str) -> Self {
        let Some((preferred, rejected)) = PREFERENCES.iter().find_map(|word| text.split_once(word)) else {
            return Self { text: text.to_owned(), is_swapped: false };
        };
        let terms = |side: &str| ActionTerms::parse(side.trim_start_matches("prefer ").trim_start_matches("use ")).text;
        let one = terms(preferred);
        let two = terms(rejected);
        if one <= two {
            Self { text: format!("{one} over {two}"), is_swapped: false }
        } else {
            Self { text: format!("{two} over {one}"), is_swapped: true }
        }
    }
}

/// For each text, the positions of the texts it contradicts, in ascending order.
pub fn find_contradictions(texts: &[&str]) -> Vec<Vec<usize>> {
    let stances: Vec<(usize, SubjectStance)> =
        texts.iter().enumerate().filter_map(|(at, text)| Some((at, SubjectStance::parse(text)?))).collect();
    let sets: Vec<TermSet<'_>> =
        stances.iter().map(|(_, stance)| TermSet { block: stance.block, terms: &stance.terms }).collect();
    let mut groups: HashMap<u32, [Vec<usize>; 2]> = HashMap::new();
    for ((at, stance), leader) in stances.iter().zip(find_leaders(&sets)) {
        groups.entry(leader).or_default()[usize::from(stance.is_negative)].push(*at);
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
