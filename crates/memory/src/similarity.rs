//! Similarity of actions: which texts describe the same thing although their words differ slightly.
//!
//! [`ActionTerms`] splits an action into *fixed* terms (numbers, paths, negations, conditions, outcomes), which must be equal,
//! and *free* terms, which may differ: two actions are similar if the shorter one's free terms occur in the longer one in
//! the same order and make up at least three quarters of them. So `PR #260` and `PR #480`, or `always` and `never`, are
//! never the same pattern.
//!
//! [`find_leaders`] finds similar actions without comparing all pairs, by prefix filtering (Chaudhuri, Ganti, Kaushik: "A
//! primitive operator for similarity joins", 2006): if terms are sorted from the rarest to the most common, two sets of that
//! similarity share one of their first few terms.

use rayon::prelude::*;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher as _};

/// Free terms of an action that are compared.
pub const MAX_FREE_TERMS: usize = 64;
/// The share of free terms that similar actions have in common, in quarters.
const SIMILARITY_QUARTERS: usize = 3;
/// Candidates compared per rare term. A term with more candidates is too common to be worth the time.
const MAX_CANDIDATES_PER_TERM: usize = 64;

/// Words without meaning of their own.
const STOP_WORDS: [&str; 17] =
    ["a", "an", "and", "as", "at", "be", "by", "for", "in", "is", "it", "of", "on", "the", "this", "was", "with"];

/// Negations, conditions and outcomes.
const FIXED_WORDS: [&str; 36] = [
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

/// Suffixes that say which occurrence of an action this is.
const OCCURRENCE_SUFFIXES: [&str; 6] =
    [" again", " on retry", " once more", " as before", " one more time", " a second time"];

/// Nouns of a run counter in brackets at the end of an action, as in `(run 12)`.
const COUNTER_NOUNS: [&str; 7] = ["run", "try", "attempt", "retry", "build", "pass", "round"];

/// The terms of an action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionTerms {
    /// All terms in order, separated by spaces.
    pub text: String,
    /// Hash of the fixed terms in order.
    pub fixed: u64,
    /// Hashes of the free terms, without duplicates, in order; at most [`MAX_FREE_TERMS`].
    pub free: Box<[u32]>,
}

impl ActionTerms {
    /// Splits an action into terms.
    pub fn parse(action: &str) -> Self {
        let lowered = action.to_lowercase();
        let action = without_occurrence(lowered.trim());
        let words = || action.split_whitespace().map(without_punctuation).filter(|word| !word.is_empty());
        let terms = Self::from_words(words(), |word| !STOP_WORDS.contains(&word));
        // An action of nothing but stop words keeps them.
        if terms.text.is_empty() { Self::from_words(words(), |_| true) } else { terms }
    }

    fn from_words<'a>(words: impl Iterator<Item = &'a str>, counts: impl Fn(&str) -> bool) -> Self {
        let mut text = String::new();
        let mut fixed = DefaultHasher::new();
        let mut free = Vec::new();
        for word in words {
            if is_fixed(word) {
                fixed.write(word.as_bytes());
                fixed.write_u8(0);
                push_word(&mut text, word);
                continue;
            }
            for part in word.split('-').filter(|part| !part.is_empty() && counts(part)) {
                let hash = hash(part);
                if free.len() < MAX_FREE_TERMS && !free.contains(&hash) {
                    free.push(hash);
                }
                push_word(&mut text, part);
            }
        }
        Self { text, fixed: fixed.finish(), free: free.into() }
    }
}

fn push_word(text: &mut String, word: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(word);
}

/// Removes the punctuation around a word.
pub(super) fn without_punctuation(word: &str) -> &str {
    let is_edge =
        |c: char| matches!(c, '"' | '\'' | '`' | ',' | ';' | '!' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>');
    word.trim_matches(is_edge).trim_end_matches(['.', ':']).trim_matches(is_edge)
}

/// Whether replacing the word would change what the action is about.
fn is_fixed(word: &str) -> bool {
    let is_sign = |c: char| c.is_numeric() || "/\\_.:#@=$*%&|~+<>^".contains(c);
    word.contains(is_sign) || word.starts_with('-') || FIXED_WORDS.contains(&word)
}

fn without_occurrence(action: &str) -> &str {
    let mut rest = action;
    loop {
        let shorter =
            OCCURRENCE_SUFFIXES.iter().find_map(|suffix| rest.strip_suffix(suffix)).or_else(|| without_counter(rest));
        match shorter.map(str::trim_end).filter(|shorter| !shorter.is_empty()) {
            Some(shorter) => rest = shorter,
            None => return rest,
        }
    }
}

/// Removes `(run 12)` from the end.
fn without_counter(action: &str) -> Option<&str> {
    let (before, inside) = action.strip_suffix(')')?.rsplit_once('(')?;
    let (noun, number) = inside.split_once(' ')?;
    let is_number = number.trim_start_matches('#').bytes().all(|b| b.is_ascii_digit());
    (COUNTER_NOUNS.contains(&noun) && is_number && number.len() > usize::from(number.starts_with('#')))
        .then_some(before)
}

fn hash(word: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    hasher.write(word.as_bytes());
    hasher.finish() as u32
}

/// The terms of one of many texts that are compared with each other.
#[derive(Clone, Copy, Debug)]
pub struct TermSet<'a> {
    /// Only sets with equal blocks are compared.
    pub block: u64,
    /// Hashes of the free terms, without duplicates, in order.
    pub terms: &'a [u32],
}

/// For each set, the position of the earliest set it is similar to and joins, or its own. A set that joins another is
/// never joined itself.
pub fn find_leaders(sets: &[TermSet<'_>]) -> Vec<u32> {
    let mut leaders: Vec<u32> = (0..).zip(sets).map(|(at, _)| at).collect();
    let mut by_block = leaders.clone();
    by_block.par_sort_unstable_by_key(|at| (sets[*at as usize].block, *at));
    let blocks: Vec<&[u32]> = by_block
        .chunk_by(|a, b| sets[*a as usize].block == sets[*b as usize].block)
        .filter(|block| block.len() > 1)
        .collect();
    let joined: Vec<Join> = blocks.par_iter().flat_map_iter(|block| joins_in_block(sets, block)).collect();
    for Join { set, leader } in joined {
        leaders[set as usize] = leader;
    }
    leaders
}

struct Join {
    set: u32,
    leader: u32,
}

fn joins_in_block(sets: &[TermSet<'_>], block: &[u32]) -> Vec<Join> {
    let terms = |at: u32| sets[at as usize].terms;
    let mut frequency: HashMap<u32, u32> = HashMap::new();
    for term in block.iter().flat_map(|at| terms(*at)) {
        *frequency.entry(*term).or_insert(0) += 1;
    }
    let mut leaders_by_term: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut joins = Vec::new();
    for at in block {
        let rare = rarest_terms(terms(*at), &frequency);
        let candidates = rare.iter().filter_map(|term| leaders_by_term.get(term));
        let leader = candidates
            .flat_map(|list| list.iter().take(MAX_CANDIDATES_PER_TERM))
            .filter(|leader| is_similar(terms(**leader), terms(*at)))
            .min();
        match leader {
            Some(leader) => joins.push(Join { set: *at, leader: *leader }),
            None => {
                // A term that occurs once leads to no other set.
                for term in rare.iter().filter(|term| frequency.get(term).is_some_and(|count| *count > 1)) {
                    leaders_by_term.entry(*term).or_default().push(*at);
                }
            }
        }
    }
    joins
}

/// The rarest terms of a set, as many as are needed so that every similar set has one of them.
fn rarest_terms(terms: &[u32], frequency: &HashMap<u32, u32>) -> Vec<u32> {
    let mut terms = terms.to_vec();
    terms.sort_unstable_by_key(|term| (frequency.get(term).copied().unwrap_or(0), *term));
    let shared = (terms.len() * SIMILARITY_QUARTERS).div_ceil(4);
    terms.truncate((terms.len() + 1).saturating_sub(shared));
    terms
}

/// Whether one list of terms is the other with few terms added.
pub(super) fn is_similar(one: &[u32], other: &[u32]) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let mut rest = long.iter();
    short.len() * 4 >= long.len() * SIMILARITY_QUARTERS && short.iter().all(|term| rest.any(|other| other == term))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(action: &str) -> String {
        ActionTerms::parse(action).text
    }

    #[test]
    fn ignores_case_stop_words_and_occurrence() {
        for (one, other) in [
            ("Reran the flaky test", "reran flaky test"),
            ("reran the flaky test (run 12)", "reran the flaky test (run #480) again"),
            ("force-push to main", "Force push to `main`."),
            ("deployed the api on retry", "deployed the API"),
            ("a", "A"),
        ] {
            assert_eq!(ActionTerms::parse(one), ActionTerms::parse(other), "{one:?} {other:?}");
        }
    }

    #[test]
    fn fixed_terms_tell_actions_apart() {
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

    fn leaders(actions: &[&str]) -> Vec<u32> {
        let parsed: Vec<ActionTerms> = actions.iter().map(|action| ActionTerms::parse(action)).collect();
        let sets: Vec<TermSet<'_>> =
            parsed.iter().map(|action| TermSet { block: action.fixed, terms: &action.free }).collect();
        find_leaders(&sets)
    }

    #[test]
    fn similar_actions_add_terms_but_do_not_change_them() {
        let long = "reverted the migration of orders table";
        for (other, leader) in [
            ("reverted the migration of orders table quickly", 0),
            ("reverted migration of orders", 0),
            ("reverted the migration of users table", 1),
            ("reverted the orders migration table", 1),
            ("never reverted the migration of orders table", 1),
            ("reverted the migration of orders table 2", 1),
            ("reverted the migration", 1),
        ] {
            assert_eq!(leaders(&[long, other]), [0, leader], "{other}");
        }
    }

    #[test]
    fn the_earliest_set_leads_and_leaders_never_join() {
        let actions = ["a b c d e", "a b c d e f g", "a b c d e f", "a b c d e f g h"];
        // The second is too far from the first and stays a leader, although the third could join both.
        let spelled: Vec<String> = actions.iter().map(|a| a.replace(' ', "x ") + "x").collect();
        let spelled: Vec<&str> = spelled.iter().map(String::as_str).collect();
        assert_eq!(leaders(&spelled), [0, 1, 0, 1]);
    }

    fn terms() -> impl Strategy<Value = Vec<u32>> {
        prop::sample::subsequence((0u32..12).collect::<Vec<_>>(), 1..8).prop_shuffle()
    }

    proptest! {
        #[test]
        fn prefix_filtering_equals_comparing_all_pairs(drawn in prop::collection::vec(terms(), 0..40)) {
            let sets: Vec<TermSet<'_>> = drawn.iter().map(|terms| TermSet { block: 0, terms }).collect();
            let mut want: Vec<u32> = Vec::new();
            for at in 0..sets.len() {
                let earlier = (0..at).filter(|leader| want[*leader] == *leader as u32);
                let leader = earlier.filter(|leader| is_similar(sets[*leader].terms, sets[at].terms)).min();
                want.push(leader.unwrap_or(at) as u32);
            }
            prop_assert_eq!(find_leaders(&sets), want);
        }
    }
}
