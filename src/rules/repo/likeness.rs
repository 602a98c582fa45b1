//! Which of many texts are alike, in time in proportion to their number.
//!
//! Two texts are as alike as the words they share are among all their words (Jaccard's index). Texts that reach a threshold
//! must share one of their rarest words (prefix filtering: Chaudhuri, Ganti and Kaushik, 2006), so that only texts below the
//! same rare word are compared.

use rayon::prelude::*;
use std::collections::HashMap;

/// Two texts that are alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    /// The earlier one.
    pub first: usize,
    /// The later one.
    pub second: usize,
    /// Shared words of all words, from the threshold to 1.
    pub likeness: f64,
}

/// Texts below a word that a further one is compared with: where a word is in so many, it says little.
const COMPARED: usize = 64;

/// Words that stand in every text.
const COMMON: [&str; 30] = [
    "a", "an", "the", "and", "or", "of", "to", "in", "on", "for", "with", "when", "use", "uses", "using", "this",
    "that", "is", "are", "be", "as", "by", "it", "its", "from", "at", "skill", "user", "asks", "any",
];

/// For each text the earlier one that is most like it, where their likeness is at least `threshold`.
pub(super) fn pairs(texts: &[&str], threshold: f64) -> Vec<Pair> {
    let sets = ranked(texts);
    let mut below: HashMap<u32, Vec<usize>> = HashMap::new();
    for (at, set) in sets.iter().enumerate() {
        prefix(set, threshold).iter().for_each(|word| below.entry(*word).or_default().push(at));
    }
    let best = |second: usize| {
        let set = &sets[second];
        let mut candidates = Vec::new();
        for known in prefix(set, threshold).iter().filter_map(|word| below.get(word)) {
            let earlier = &known[..known.partition_point(|first| *first < second)];
            let compared = &earlier[earlier.len().saturating_sub(COMPARED)..];
            candidates.extend(compared.iter().filter(|first| near(&sets[**first], set, threshold)));
        }
        candidates.sort_unstable();
        candidates.dedup();
        let pairs = candidates.into_iter().map(|first| Pair { first, second, likeness: likeness(&sets[first], set) });
        pairs.filter(|pair| pair.likeness >= threshold).max_by(|a, b| a.likeness.total_cmp(&b.likeness))
    };
    (0..sets.len()).into_par_iter().filter_map(best).collect()
}

/// Each text as the ranks of its words, the rarest word first.
fn ranked(texts: &[&str]) -> Vec<Vec<u32>> {
    let lower: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
    let mut vocabulary = Vocabulary::default();
    let mut sets: Vec<Vec<u32>> = lower.iter().map(|text| vocabulary.set(text)).collect();
    let ranks = vocabulary.ranks();
    for set in &mut sets {
        set.iter_mut().for_each(|word| *word = ranks[*word as usize]);
        set.sort_unstable();
    }
    sets
}

/// Words by number, in the order in which they were met.
#[derive(Default)]
struct Vocabulary<'t> {
    /// `None` for words that stand in every text.
    numbers: HashMap<&'t str, Option<u32>>,
    /// By number: in how many texts it stands, and the word.
    counts: Vec<(u32, &'t str)>,
}

impl<'t> Vocabulary<'t> {
    /// The words of a text in lower case, each once.
    fn set(&mut self, text: &'t str) -> Vec<u32> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let mut set: Vec<u32> = words.filter_map(|word| self.number(word)).collect();
        set.sort_unstable();
        set.dedup();
        set.iter().for_each(|word| self.counts[*word as usize].0 += 1);
        set
    }

    fn number(&mut self, word: &'t str) -> Option<u32> {
        let counts = &mut self.counts;
        *self.numbers.entry(word).or_insert_with(|| {
            let next = u32::try_from(counts.len()).ok().filter(|_| !COMMON.contains(&word))?;
            counts.push((0, word));
            Some(next)
        })
    }

    /// By number: how many words are rarer; words that are as rare go by the alphabet.
    fn ranks(self) -> Vec<u32> {
        let mut by_rarity: Vec<usize> = (0..self.counts.len()).collect();
        by_rarity.sort_unstable_by_key(|number| self.counts[*number]);
        let mut ranks = vec![0; by_rarity.len()];
        for (rank, number) in (0..).zip(by_rarity) {
            ranks[number] = rank;
        }
        ranks
    }
}

/// Whether two sets are near enough in size to be alike.
fn near(a: &[u32], b: &[u32], threshold: f64) -> bool {
    let (few, many) = (a.len().min(b.len()), a.len().max(b.len()));
    few as f64 >= many as f64 * threshold - 1e-9
}

/// The words of which a text that is alike must have one: all but so many that the rest would be too few.
fn prefix(set: &[u32], threshold: f64) -> &[u32] {
    // Rounded down a little, so that no pair at the threshold itself is lost.
    let needed = (set.len() as f64 * threshold - 1e-9).ceil() as usize;
    &set[..(set.len() + 1).saturating_sub(needed.max(1)).min(set.len())]
}

/// Jaccard's index of two sorted sets.
fn likeness(a: &[u32], b: &[u32]) -> f64 {
    let shared = shared(a, b);
    let all = a.len() + b.len() - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

/// How many numbers are in both of two sorted sets.
fn shared(mut a: &[u32], mut b: &[u32]) -> usize {
    let mut shared = 0;
    while let ([first, rest @ ..], [other, others @ ..]) = (a, b) {
        shared += usize::from(first == other);
        (a, b) = (if first <= other { rest } else { a }, if other <= first { others } else { b });
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_most_alike_is_told() {
        let texts = [
            "Drafts release notes from merged changes",
            "Triages bugs",
            "Drafts release notes from all merged changes",
            "Drafts release notes from merged pull requests",
        ];
        let found = pairs(&texts, 0.6);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].first, found[0].second), (0, 2));
        assert_eq!(pairs(&["", "the", ""], 0.6), []);
    }

    proptest! {
        /// What the index finds is what comparing each with each finds.
        #[test]
        fn no_pair_is_lost(texts in prop::collection::vec("[b-f]( [b-f]){0,6}", 0..20)) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let sets = ranked(&texts);
            let plainly = (0..sets.len())
                .filter(|at| (0..*at).any(|first| likeness(&sets[first], &sets[*at]) >= 0.6))
                .collect::<Vec<_>>();
            let found: Vec<usize> = pairs(&texts, 0.6).iter().map(|pair| pair.second).collect();
            prop_assert_eq!(found, plainly);
        }
    }
}
