//! Similarity of texts: the Jaccard index of their stems, without stop words.

use crate::terms::distinct_stems;
use std::collections::HashSet;

/// Equally long texts that share half of their words have this similarity.
const ALIKE: f64 = 1.0 / 3.0;

/// The position of the text that is most similar to `text`, if one of them looks like it; of equally similar texts, the first.
pub fn most_alike(text: &str, others: &[&str]) -> Option<usize> {
    let own = stems(text);
    let indices = others.iter().map(|other| similarity(&own, &stems(other))).enumerate();
    let alike = indices.filter(|(_, index)| *index >= ALIKE);
    alike.max_by(|(a, one), (b, other)| one.total_cmp(other).then(b.cmp(a))).map(|(at, _)| at)
}

fn stems(text: &str) -> HashSet<String> {
    distinct_stems(text).into_iter().collect()
}

/// The Jaccard index of two sets.
fn similarity(a: &HashSet<String>, b: &HashSet<String>) -> f64 {
    let shared = a.intersection(b).count();
    let all = a.len() + b.len() - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
