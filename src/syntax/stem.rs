//! Stems of words: inflected forms of an English word have the same stem.

use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;

/// The stem of a lower-case word. Words of other languages and scripts are mostly returned unchanged.
pub(crate) fn stem(word: &str) -> Cow<'_, str> {
    // Creating a stemmer only selects a function.
    match Stemmer::create(Algorithm::English).stem(word) {
        Cow::Borrowed(stem) => Cow::Borrowed(stem),
        Cow::Owned(stem) => Cow::Owned(stem),
    }
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn inflected_forms_share_a_stem() {
        for (one, other) in [("deployed", "deploys"), ("migrations", "migration"), ("merges", "merging")] {
            assert_eq!(stem(one), stem(other));
        }
        assert_ne!(stem("deploy"), stem("merge"));
        assert_eq!(stem(""), "");
        assert_eq!(stem("回す"), "回す");
    }
}
