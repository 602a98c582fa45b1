//! Patterns whose actions say the same with words added: joined, without holding each against each.
//!
//! A pattern joins the earliest one of its skill and its marked words with which it shares at least three quarters of all
//! plain words of either, and of which one's words stand in the other in the same order. Such pairs are found by prefix
//! filtering (Chaudhuri, Ganti, Kaushik: "A primitive operator for similarity joins", 2006): with words sorted from the
//! rarest to the commonest, two sets of that likeness have one of their first few words in common.

use rayon::prelude::*;
use std::collections::HashMap;

/// Of all plain words of two actions, those that both must have, in quarters.
const QUARTERS: usize = 3;
/// Earlier patterns that are looked at for one rare word. Beyond it a word says too little to be worth more time.
const LOOKED_AT: usize = 64;

/// The words of a pattern.
#[derive(Clone, Copy, Debug)]
pub struct Phrase<'a> {
    /// The skill and the marked words: only patterns that have the same are held against each other.
    pub block: u64,
    /// Hashes of the plain words, each once, in their order.
    pub words: &'a [u32],
}

/// For each phrase, in the order of first appearance, the earliest one that it joins: itself where there is none.
pub fn leaders(phrases: &[Phrase<'_>]) -> Vec<u32> {
    let mut leaders: Vec<u32> = (0..).zip(phrases).map(|(at, _)| at).collect();
    let mut blocks = leaders.clone();
    blocks.par_sort_unstable_by_key(|at| (phrases[*at as usize].block, *at));
    let several: Vec<&[u32]> = blocks
        .chunk_by(|a, b| phrases[*a as usize].block == phrases[*b as usize].block)
        .filter(|block| block.len() > 1)
        .collect();
    let joined: Vec<(u32, u32)> = several.par_iter().flat_map_iter(|block| joins(phrases, block)).collect();
    for (at, leader) in joined {
        leaders[at as usize] = leader;
    }
    leaders
}

/// The phrases of a block that join an earlier one, with that one.
fn joins(phrases: &[Phrase<'_>], block: &[u32]) -> Vec<(u32, u32)> {
    let words = |at: u32| phrases[at as usize].words;
    let mut common: HashMap<u32, u32> = HashMap::new();
    for word in block.iter().flat_map(|at| words(*at)) {
        *common.entry(*word).or_insert(0) += 1;
    }
    let mut by_word: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut joins = Vec::new();
    for at in block {
        let rare = rarest(words(*at), &common);
        // A word that stands nowhere else leads to no other phrase.
        let known = rare.iter().filter_map(|word| by_word.get(word));
        let leader =
            known.flat_map(|list| list.iter().take(LOOKED_AT)).filter(|led| is_alike(words(**led), words(*at)));
        match leader.min() {
            Some(leader) => joins.push((*at, *leader)),
            None => {
                for word in rare.iter().filter(|word| common.get(word).is_some_and(|count| *count > 1)) {
                    by_word.entry(*word).or_default().push(*at);
                }
            }
        }
    }
    joins
}

/// The rarest words, as many as a phrase of that likeness must have one of.
fn rarest(words: &[u32], common: &HashMap<u32, u32>) -> Vec<u32> {
    let mut words = words.to_vec();
    words.sort_unstable_by_key(|word| (common.get(word).copied().unwrap_or(0), *word));
    let shared = (words.len() * QUARTERS).div_ceil(4);
    words.truncate((words.len() + 1).saturating_sub(shared));
    words
}

/// Whether one says what the other does with few words added.
pub(super) fn is_alike(one: &[u32], other: &[u32]) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let mut rest = long.iter();
    short.len() * 4 >= long.len() * QUARTERS && short.iter().all(|word| rest.any(|other| other == word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::wording::Wording;
    use proptest::prelude::*;

    fn led(actions: &[&str]) -> Vec<u32> {
        let wordings: Vec<Wording> = actions.iter().map(|action| Wording::of(action)).collect();
        let phrases: Vec<Phrase<'_>> = wordings.iter().map(|w| Phrase { block: w.marked, words: &w.plain }).collect();
        leaders(&phrases)
    }

    #[test]
    fn words_may_be_added_and_not_changed() {
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
            assert_eq!(led(&[long, other]), [0, leader], "{other}");
        }
    }

    #[test]
    fn the_earliest_leads_and_leaders_never_join() {
        let actions = ["a b c d e", "a b c d e f g", "a b c d e f", "a b c d e f g h"];
        // The second is too far from the first, and stays a leader though the third would join both.
        let spelled: Vec<String> = actions.iter().map(|a| a.replace(' ', "x ") + "x").collect();
        let spelled: Vec<&str> = spelled.iter().map(String::as_str).collect();
        assert_eq!(led(&spelled), [0, 1, 0, 1]);
    }

    fn phrase() -> impl Strategy<Value = Vec<u32>> {
        prop::sample::subsequence((0u32..12).collect::<Vec<_>>(), 1..8).prop_shuffle()
    }

    proptest! {
        /// The filter finds what holding each against each does.
        #[test]
        fn nothing_is_missed(phrases in prop::collection::vec(phrase(), 0..40)) {
            let all: Vec<Phrase<'_>> = phrases.iter().map(|words| Phrase { block: 0, words }).collect();
            let mut want: Vec<u32> = Vec::new();
            for at in 0..all.len() {
                let earlier = (0..at).filter(|led| want[*led] == *led as u32);
                let leader = earlier.filter(|led| is_alike(all[*led].words, all[at].words)).min();
                want.push(leader.unwrap_or(at) as u32);
            }
            prop_assert_eq!(leaders(&all), want);
        }
    }
}
