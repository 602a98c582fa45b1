//! Texts that look like another one. Likeness is for the eyes of a person: nothing is decided by it.

use canonry_text::bm25::Query;
use std::cmp::Reverse;

/// The position of the text that shares the most words with `text`, if these are at least half of its words. Inflections of a
/// word are one word, and words such as `the` do not count.
pub fn most_alike(text: &str, others: &[&str]) -> Option<usize> {
    let words = Query::parse(text);
    let shared = others.iter().map(|other| words.count([*other]).matched()).enumerate();
    let half = shared.filter(|(_, shared)| *shared > 0 && shared * 2 >= words.len());
    half.max_by_key(|(at, shared)| (*shared, Reverse(*at))).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::most_alike;

    #[test]
    fn half_of_the_words_are_alike() {
        for (text, others, want) in [
            ("rotate the keys every month", &["warm the cache", "keys are rotated monthly"][..], Some(1)),
            ("rotate the keys every month", &["rotate the logs"], None),
            ("rotate the keys", &["rotate it", "rotating keys", "rotate keys"], Some(1)),
            ("", &["", "a"], None),
            ("rotate", &[], None),
        ] {
            assert_eq!(most_alike(text, others), want, "{text}: {others:?}");
        }
    }
}
