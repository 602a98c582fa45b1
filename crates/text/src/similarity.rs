//! Similarity of texts: the Jaccard index of their stems, without stop words.
//!
//! Texts that reach a threshold share one of their rarest words (prefix filtering: Chaudhuri, Ganti and Kaushik, "A primitive
//! operator for similarity joins", 2006), so [`pairs`] compares only texts with a common rare word.

use crate::terms::distinct_stems;
use std::collections::HashMap;

/// Equally long texts that share half of their words have this similarity.
const ALIKE: f64 = 1.0 / 3.0;

/// The position of the text that is most similar to `text`, if one of them looks like it; of equally similar texts, the first.
pub fn most_alike(text: &str, others: &[&str]) -> Option<usize> {
    let own = sorted_stems(text);
    let indices = others.iter().map(|other| similarity(&own, &sorted_stems(other))).enumerate();
    let alike = indices.filter(|(_, index)| *index >= ALIKE);
    alike.max_by(|(a, one), (b, other)| one.total_cmp(other).then(b.cmp(a))).map(|(at, _)| at)
}

fn sorted_stems(text: &str) -> Vec<String> {
    let mut stems = distinct_stems(text);
    stems.sort_unstable();
    stems
}

/// Two similar texts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimilarPair {
    /// The index of the earlier text.
    pub first: usize,
    /// The index of the later text.
    pub second: usize,
    /// Their Jaccard index, from the threshold to 1.
    pub similarity: f64,
}

/// Maximum number of texts per word to compare with. A word in more texts is not significant.
const MAX_COMPARED: usize = 64;

/// For each text the most similar earlier one, if their similarity is at least `threshold`.
pub fn pairs(texts: &[&str], threshold: f64) -> Vec<SimilarPair> {
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
            let compared = &earlier[earlier.len().saturating_sub(MAX_COMPARED)..];
            candidates.extend(compared.iter().filter(|first| sizes_match(&sets[**first], set, threshold)));
        }
        candidates.sort_unstable();
        candidates.dedup();
        let pairs = candidates.into_iter().map(|first| SimilarPair {
            first,
            second,
            similarity: similarity(&sets[first], set),
        });
        pairs.filter(|pair| pair.similarity >= threshold).max_by(|a, b| a.similarity.total_cmp(&b.similarity))
    };
    (0..sets.len()).filter_map(best).collect()
}

/// Each text as the ranks of its words, the rarest word first.
fn ranked(texts: &[&str]) -> Vec<Vec<u32>> {
    let mut vocabulary = Vocabulary::default();
    let mut sets: Vec<Vec<u32>> = texts.iter().map(|text| vocabulary.set(text)).collect();
    let ranks = vocabulary.ranks();
    for set in &mut sets {
        set.iter_mut().for_each(|word| *word = ranks[*word as usize]);
        set.sort_unstable();
    }
    sets
}

/// The words of all texts, numbered in order of appearance.
#[derive(Default)]
struct Vocabulary {
    numbers: HashMap<String, u32>,
    /// For each number the number of texts with the word, and the word.
    counts: Vec<(u32, String)>,
}

impl Vocabulary {
    /// The distinct words of a text.
    fn set(&mut self, text: &str) -> Vec<u32> {
        distinct_stems(text).into_iter().map(|word| self.count(word)).collect()
    }

    fn count(&mut self, word: String) -> u32 {
        let next = u32::try_from(self.counts.len()).expect("texts have fewer distinct words");
        let number = *self.numbers.entry(word.clone()).or_insert(next);
        if number == next {
            self.counts.push((0, word));
        }
        self.counts[number as usize].0 += 1;
        number
    }

    /// For each number the number of rarer words; equally rare words are in alphabetical order.
    fn ranks(self) -> Vec<u32> {
        let mut by_rarity: Vec<usize> = (0..self.counts.len()).collect();
        by_rarity.sort_unstable_by_key(|number| &self.counts[*number]);
        let mut ranks = vec![0; by_rarity.len()];
        for (rank, number) in (0..).zip(by_rarity) {
            ranks[number] = rank;
        }
        ranks
    }
}

/// Whether the sizes of two sets allow the threshold.
fn sizes_match(a: &[u32], b: &[u32], threshold: f64) -> bool {
    let few = a.len().min(b.len());
    let many = a.len().max(b.len());
    few as f64 >= many as f64 * threshold - 1e-9
}

/// The rarest words of a set. Every similar set contains one of them, because the others are too few.
fn prefix(set: &[u32], threshold: f64) -> &[u32] {
    // Rounded down slightly, so that no pair exactly at the threshold is lost.
    let needed = (set.len() as f64 * threshold - 1e-9).ceil() as usize;
    &set[..(set.len() + 1).saturating_sub(needed.max(1)).min(set.len())]
}

/// The Jaccard index of two sorted sets.
fn similarity<T: Ord>(a: &[T], b: &[T]) -> f64 {
    let shared = count_shared(a, b);
    let all = a.len() + b.len() - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

/// The number of common elements of two sorted sets.
fn count_shared<T: Ord>(mut a: &[T], mut b: &[T]) -> usize {
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
    fn finds_the_most_similar_text() {
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

    #[test]
    fn a_text_that_shares_half_of_the_words_is_alike() {
        for (text, others, want) in [
            ("rotate the keys monthly", &["warm the cache", "keys are rotated monthly"][..], Some(1)),
            ("rotate the keys monthly", &["rotate the logs"], None),
            ("rotate the keys", &["rotate it", "rotating keys", "rotate keys"], Some(1)),
            ("", &["", "a"], None),
            ("rotate", &[], None),
        ] {
            assert_eq!(most_alike(text, others), want, "{text}: {others:?}");
        }
    }

    proptest! {
        /// The index finds the same pairs as comparing all texts.
        #[test]
        fn no_pair_is_lost(texts in prop::collection::vec("[b-f]( [b-f]){0,6}", 0..20)) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let sets = ranked(&texts);
            let expected = (0..sets.len())
                .filter(|at| (0..*at).any(|first| similarity(&sets[first], &sets[*at]) >= 0.6))
                .collect::<Vec<_>>();
            let found: Vec<usize> = pairs(&texts, 0.6).iter().map(|pair| pair.second).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
