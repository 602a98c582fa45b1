//! English word stems.

use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;

/// The stem of a lower-case word: `deploying` and `deployment` become `deploy`. Words with other characters than ASCII letters
/// are identifiers or not English, and stay as they are.
pub fn stem(word: &str) -> Cow<'_, str> {
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    Stemmer::create(Algorithm::English).stem(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_endings() {
        for (word, want) in [
            ("deployments", "deploy"),
            ("deploying", "deploy"),
            ("migrations", "migrat"),
            ("queries", "queri"),
            ("e0042s", "e0042s"),
            ("écoles", "écoles"),
            ("is", "is"),
            ("", ""),
        ] {
            assert_eq!(stem(word), want, "{word}");
        }
    }
}
