//! Lessons that say yes and no to the same thing.
//!
//! Two texts are opposed when they say the same but for a word that turns them round: `always` and `never`, `use` and
//! `avoid`, `before` and `after`, or the two sides of `X over Y`. What is the same is told as for
//! [patterns](super::wording): numbers, names and conditions are equal, and of the other words the shorter text's stand in
//! the longer one in their order and are three quarters of its words. What stands under a condition is not opposed to what
//! stands under none, nor under another: both may hold.

use super::alike::{Phrase, leaders};
use super::wording::{self, Wording};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Words that say yes to what follows, and nothing else.
const YES: [&str; 11] = ["always", "do", "keep", "make", "must", "please", "prefer", "should", "shall", "sure", "use"];

/// Words that say no to what follows, and nothing else.
const NO: [&str; 22] = [
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

/// Words that are each other's opposite, and that tell what it is about: one that speaks of neither is about another thing.
const PAIRS: [(&str, &str); 16] = [
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

/// What stands between the thing that is chosen and the thing that is not.
const OVER: [&str; 3] = [" instead of ", " rather than ", " over "];

/// A text apart from which way it is turned.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stance {
    block: u64,
    words: Box<[u32]>,
    is_no: bool,
}

impl Stance {
    /// `None` where nothing is left to be for or against.
    fn of(text: &str) -> Option<Self> {
        let lowered = text.replace('’', "'").to_lowercase();
        let (chosen, is_swapped) = in_order(&lowered);
        let mut is_no = is_swapped;
        let mut axes = DefaultHasher::new();
        let mut rest: Vec<&str> = Vec::new();
        for word in chosen.split_whitespace() {
            let bare = wording::bare(word);
            let pair = (0..).zip(PAIRS).find(|(_, (one, other))| bare == *one || bare == *other);
            match pair {
                Some((axis, (_, other))) => {
                    u32::hash(&axis, &mut axes);
                    is_no ^= bare == other;
                }
                None if YES.contains(&bare) => {}
                None if NO.contains(&bare) => is_no = !is_no,
                None => rest.push(word),
            }
        }
        let wording = Wording::of(&rest.join(" "));
        if wording.text.is_empty() {
            return None;
        }
        wording.marked.hash(&mut axes);
        Some(Self { block: axes.finish(), words: wording.plain, is_no })
    }
}

/// The two sides of `X over Y` in an order of their own, and whether they were swapped for it.
fn in_order(text: &str) -> (String, bool) {
    let Some((chosen, other)) = OVER.iter().find_map(|word| text.split_once(word)) else {
        return (text.to_owned(), false);
    };
    let of = |side: &str| Wording::of(side.trim_start_matches("prefer ").trim_start_matches("use ")).text;
    let (one, two) = (of(chosen), of(other));
    if one <= two { (format!("{one} over {two}"), false) } else { (format!("{two} over {one}"), true) }
}

/// For each text, the positions of those that it is opposed to, in their order.
pub fn opposed(texts: &[&str]) -> Vec<Vec<usize>> {
    let stances: Vec<(usize, Stance)> =
        texts.iter().enumerate().filter_map(|(at, text)| Some((at, Stance::of(text)?))).collect();
    let phrases: Vec<Phrase<'_>> =
        stances.iter().map(|(_, stance)| Phrase { block: stance.block, words: &stance.words }).collect();
    let mut groups: HashMap<u32, [Vec<usize>; 2]> = HashMap::new();
    for ((at, stance), leader) in stances.iter().zip(leaders(&phrases)) {
        groups.entry(leader).or_default()[usize::from(stance.is_no)].push(*at);
    }
    let mut opposed = vec![Vec::new(); texts.len()];
    for [yes, no] in groups.into_values() {
        yes.iter().for_each(|at| opposed[*at].clone_from(&no));
        no.iter().for_each(|at| opposed[*at].clone_from(&yes));
    }
    opposed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn are_opposed(one: &str, other: &str) -> bool {
        opposed(&[one, other]) == [[1], [0]]
    }

    #[test]
    fn yes_and_no_to_the_same() {
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
            assert!(are_opposed(one, other), "{one:?} {other:?}");
        }
    }

    #[test]
    fn both_may_hold() {
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
            assert!(!are_opposed(one, other), "{one:?} {other:?}");
        }
    }

    #[test]
    fn each_is_told_of_all_that_it_is_opposed_to() {
        let texts = ["use tabs", "x", "avoid tabs", "never use tabs", "always use tabs"];
        let none: Vec<usize> = Vec::new();
        assert_eq!(opposed(&texts), [vec![2, 3], none, vec![0, 4], vec![0, 4], vec![2, 3]]);
    }

    fn lesson() -> impl Strategy<Value = String> {
        let words = ["always", "never", "use", "avoid", "tabs", "cache", "before", "after", "over", "if", "3"];
        prop::collection::vec(prop::sample::select(words.to_vec()), 0..6).prop_map(|words| words.join(" "))
    }

    proptest! {
        /// Whoever opposes is opposed, and nothing is opposed to what says the same.
        #[test]
        fn it_goes_both_ways(mut lessons in prop::collection::vec(lesson(), 0..12)) {
            lessons.extend(lessons.first().cloned());
            let texts: Vec<&str> = lessons.iter().map(String::as_str).collect();
            let found = opposed(&texts);
            for (at, others) in found.iter().enumerate() {
                for other in others {
                    prop_assert!(found[*other].contains(&at) && texts[at] != texts[*other]);
                }
            }
            prop_assert_eq!(found.first(), found.last());
        }
    }
}
