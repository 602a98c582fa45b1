//! What links groups of texts: their common words.
//!
//! Texts of one theme have several words in common. Texts of two themes often have one: both are about tests, or about requests.
//! So a single word counts at most as much as all others together.

use super::vectors::{CommonWords, Term, Vector};
use std::collections::BTreeMap;

/// For each word, the groups that have it, with the sum of its weights in their texts.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupWords {
    groups: usize,
    postings: BTreeMap<Term, Vec<(usize, f32)>>,
}

impl GroupWords {
    pub fn new(vectors: &[Vector], groups: &[Vec<usize>]) -> Self {
        let mut postings: BTreeMap<Term, Vec<(usize, f32)>> = BTreeMap::new();
        for (at, group) in groups.iter().enumerate() {
            for (term, weight) in sum(vectors, group) {
                postings.entry(term).or_default().push((at, weight));
            }
        }
        Self { groups: groups.len(), postings }
    }

    /// What these texts have in common with each group.
    pub fn common(&self, vectors: &[Vector], texts: &[usize]) -> Vec<CommonWords> {
        let mut common = vec![CommonWords::default(); self.groups];
        for (term, weight) in sum(vectors, texts) {
            for (group, other) in self.postings.get(&term).into_iter().flatten() {
                common[*group].add(weight * other);
            }
        }
        common
    }
}

fn sum(vectors: &[Vector], texts: &[usize]) -> BTreeMap<Term, f32> {
    let mut sum = BTreeMap::new();
    for (term, weight) in texts.iter().flat_map(|text| &vectors[*text]) {
        *sum.entry(*term).or_insert(0.0) += weight;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_counts_at_most_as_much_as_all_others() {
        let vectors = [vec![(0, 0.8), (1, 0.6)], vec![(0, 1.0)], vec![(0, 0.8), (1, 0.3), (2, 0.5)], vec![(3, 1.0)]];
        let words = GroupWords::new(&vectors, &[vec![0, 1], vec![2], vec![3]]);
        let broad =
            |texts: &[usize]| words.common(&vectors, texts).into_iter().map(CommonWords::broad).collect::<Vec<_>>();
        // One word in common says nothing by itself.
        assert_eq!(broad(&[1]), [0.0; 3]);
        // 0.8 x 1.8 for the first word, 0.3 x 0.6 for the second.
        let found = broad(&[2]);
        assert!((found[0] - 2.0 * 0.18).abs() < 1e-6 && found[1] > 0.6 && found[2] == 0.0, "{found:?}");
        let total = words.common(&vectors, &[2])[0].total;
        assert!((total - (0.8 * 1.8 + 0.3 * 0.6)).abs() < 1e-6, "{total}");
    }
}
