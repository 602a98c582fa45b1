//! Finds the word that somebody meant.

/// The known word that a misspelt word most likely means: the closest one with a Damerau-Levenshtein distance of at most
/// a third of the word's length.
pub fn closest_match<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let limit = (length / 3).max(1);
    known
        .into_iter()
        // The distance is at least the difference of the lengths, which is faster to compute.
        .filter(|k| k.chars().count().abs_diff(length) <= limit)
        .map(|k| (strsim::damerau_levenshtein(word, k), k))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, k)| k)
}
