//! What the parts of the config share: problems, severities, and what a misspelt word means.

use crate::finding::Severity;
use crate::syntax::Span;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Something in a config that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// Where.
    pub span: Span,
    /// What is wrong.
    pub message: String,
}

/// The known word that a misspelt one most likely means: Damerau-Levenshtein distance of at most a third of its length.
pub fn closest_match<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|k| (strsim::damerau_levenshtein(word, k), k))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, k)| k)
}

/// Severities by their words.
pub(super) fn severities<'de, D: serde::Deserializer<'de>>(de: D) -> Result<BTreeMap<String, Severity>, D::Error> {
    let words = BTreeMap::<String, String>::deserialize(de)?;
    words
        .into_iter()
        .map(|(rule, word)| match Severity::from_word(&word) {
            Some(severity) => Ok((rule, severity)),
            None => Err(serde::de::Error::custom(format!("`{word}` is no severity"))),
        })
        .collect()
}
