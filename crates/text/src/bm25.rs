//! Ranks texts by BM25: rare words count more, repetitions of a word count less and less, and long texts count less.

use super::terms::{distinct_stems, each_word, stem};

/// Saturation of repeated words.
const K1: f64 = 1.2;
/// Weight of the length of a text.
const B: f64 = 0.75;

/// Words of a query beyond which its length no longer dilutes a match: a task of a hundred words shares few with any text.
const FULL_QUERY: f64 = 8.0;

/// The words of a query, as stems.
#[derive(Clone, Debug)]
pub struct Query {
    /// The distinct stems.
    stems: Vec<String>,
    prefixes: Prefixes,
}

/// The first two bytes of words. A stem begins like its word, so most words of a text need no stemming.
#[derive(Clone, Debug, Default)]
struct Prefixes(Vec<bool>);

impl Prefixes {
    fn new<'s>(stems: impl Iterator<Item = &'s str>) -> Self {
        let mut known = Self(vec![false; 1 << 16]);
        for stem in stems {
            known.0[Self::position(stem)] = true;
            // `dying` becomes `die`, and likewise `lying` and `tying`.
            if stem.len() == 3 && stem.ends_with("ie") {
                known.0[Self::position(&stem.replace("ie", "y"))] = true;
            }
        }
        known
    }

    fn position(word: &str) -> usize {
        let byte = |at: usize| usize::from(word.as_bytes().get(at).copied().unwrap_or_default());
        byte(0) << 8 | byte(1)
    }

    fn contains(&self, word: &str) -> bool {
        self.0.get(Self::position(word)).copied().unwrap_or_default()
    }
}

/// The frequency of each query word in a text, and the length of the text in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermCounts {
    /// In the order of the query's stems; empty if none occurs.
    found: Vec<u32>,
    length: u32,
}

/// The weight of each query word in a corpus.
#[derive(Clone, Debug)]
pub struct TermWeights {
    /// In the order of the query's stems.
    inverse: Vec<f64>,
    average: f64,
    /// The weight of the whole query, for the coverage.
    whole: f64,
    /// The share of the query's words that no document has.
    unknown: f64,
}

impl Query {
    pub fn parse(text: &str) -> Self {
        let stems = distinct_stems(text);
        let prefixes = Prefixes::new(stems.iter().map(String::as_str));
        Self { stems, prefixes }
    }

    pub fn is_empty(&self) -> bool {
        self.stems.is_empty()
    }

    /// The number of words of a text if the query has all of them, otherwise 0.
    pub fn contained_words(&self, text: &str) -> usize {
        let wanted = distinct_stems(text);
        if wanted.iter().all(|stem| self.stems.contains(stem)) { wanted.len() } else { 0 }
    }

    /// The number of distinct words.
    pub fn len(&self) -> usize {
        self.stems.len()
    }

    /// Counts the query's words in a document with several parts.
    pub fn count<'t>(&self, parts: impl IntoIterator<Item = &'t str>) -> TermCounts {
        let mut counts = TermCounts::default();
        for part in parts {
            each_word(part, |word| {
                counts.length = counts.length.saturating_add(1);
                if !self.prefixes.contains(word) {
                    return;
                }
                let term = stem(word);
                if let Some(at) = self.stems.iter().position(|stem| *stem == *term) {
                    if counts.found.is_empty() {
                        counts.found = vec![0; self.stems.len()];
                    }
                    counts.found[at] = counts.found[at].saturating_add(1);
                }
            });
        }
        counts
    }

    /// Empty statistics for this query.
    pub fn corpus_stats(&self) -> CorpusStats {
        CorpusStats { holding: vec![0; self.stems.len()], count: 0, length: 0 }
    }
}

/// Frequencies of the query's words in a corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusStats {
    holding: Vec<u64>,
    count: u64,
    length: u64,
}

impl CorpusStats {
    /// Adds a document.
    pub fn add(&mut self, counts: &TermCounts) {
        self.count += 1;
        self.length += u64::from(counts.length);
        for (holding, found) in self.holding.iter_mut().zip(&counts.found) {
            *holding += u64::from(*found > 0);
        }
    }

    /// Adds the documents of another corpus for the same query. The sums are integers, so the order does not matter.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.length += other.length;
        self.holding.iter_mut().zip(&other.holding).for_each(|(holding, more)| *holding += more);
    }

    /// The weights of the words of the query that the statistics were made for.
    pub fn weights(&self) -> TermWeights {
        let all = self.count as f64;
        // This variant of the formula is never negative, even for words in most documents.
        let inverse = |holding: &u64| (1.0 + (all - *holding as f64 + 0.5) / (*holding as f64 + 0.5)).ln();
        let average = self.length as f64 / all.max(1.0);
        let words = self.holding.len().max(1) as f64;
        // A word that occurs nowhere weighs like one that occurs once, otherwise one unknown word would outweigh several known ones.
        let whole: f64 = self.holding.iter().map(|holding| inverse(&(*holding).max(1))).sum();
        let whole = whole * (FULL_QUERY / words).min(1.0);
        let unknown = self.holding.iter().filter(|holding| **holding == 0).count() as f64 / words;
        TermWeights { inverse: self.holding.iter().map(inverse).collect(), average, whole, unknown }
    }
}

impl TermCounts {
    /// The number of the query's words that occur.
    pub fn matched(&self) -> usize {
        self.found.iter().filter(|found| **found > 0).count()
    }

    /// The occurrences of all words of the query.
    pub fn occurrences(&self) -> u32 {
        self.found.iter().fold(0, |sum, found| sum.saturating_add(*found))
    }

    /// The counts of two parts of a document together.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let at = |counts: &Self, nth: usize| counts.found.get(nth).copied().unwrap_or_default();
        let terms = self.found.len().max(other.found.len());
        Self {
            found: (0..terms).map(|nth| at(self, nth).saturating_add(at(other, nth))).collect(),
            length: self.length.saturating_add(other.length),
        }
    }

    /// Whether any word of the query occurs.
    pub fn has_any(&self) -> bool {
        !self.found.is_empty()
    }
}

impl TermWeights {
    /// The share of the query that a document covers, from 0 to 1: the weights of the words that occur, divided by those of all
    /// words.
    pub fn coverage(&self, counts: &TermCounts) -> f64 {
        let covered = self.sum(counts, |_| 1.0);
        if self.whole > 0.0 { (covered / self.whole).min(1.0) } else { 0.0 }
    }

    /// The share of the query's words that no document has.
    pub fn unknown_share(&self) -> f64 {
        self.unknown
    }

    /// The score of a document; 0 if no word occurs.
    pub fn score(&self, counts: &TermCounts) -> f64 {
        let relative = f64::from(counts.length) / self.average.max(1.0);
        self.sum(counts, |often| often * (K1 + 1.0) / (often + K1 * (1.0 - B + B * relative)))
    }

    fn sum(&self, counts: &TermCounts, saturate: impl Fn(f64) -> f64) -> f64 {
        let occurring = self.inverse.iter().zip(&counts.found).filter(|(_, found)| **found > 0);
        occurring.map(|(weight, found)| weight * saturate(f64::from(*found))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scores(query: &str, texts: &[&str]) -> Vec<f64> {
        let query = Query::parse(query);
        let counts: Vec<TermCounts> = texts.iter().map(|text| query.count([*text])).collect();
        let mut stats = query.corpus_stats();
        counts.iter().for_each(|counts| stats.add(counts));
        let weights = stats.weights();
        counts.iter().map(|counts| weights.score(counts)).collect()
    }

    #[test]
    fn matches_the_published_formula() {
        // Two documents of 2 and 4 words, with the word once in the first: idf = ln(1 + 1.5
        // 1.5), average length 3.
        let got = scores("cache", &["cache miss", "one two three four"]);
        let want = 2f64.ln() * 2.2 / (1.0 + 1.2 * (0.25 + 0.75 * 2.0 / 3.0));
        assert!((got[0] - want).abs() < 1e-12 && got[1] == 0.0, "{got:?} {want}");
    }

    #[test]
    fn rare_words_and_short_texts_score_higher() {
        let got = scores("rare common", &["rare one", "common one", "common two", "common one two three four five"]);
        assert!(got[0] > got[1] && got[0] > got[3] && (got[1] - got[2]).abs() < 1e-12, "{got:?}");
    }

    #[test]
    fn stems_of_words_match() {
        let got = scores("deploying migrations", &["deployments migrate", "unrelated words"]);
        assert!(got[0] > 1.0 && got[1] == 0.0, "{got:?}");
    }

    #[test]
    fn coverage_is_the_share_of_the_weights() {
        let query = Query::parse("red green blue unknown");
        let counts: Vec<TermCounts> = ["red", "red green blue", "other"].map(|text| query.count([text])).to_vec();
        let mut stats = query.corpus_stats();
        counts.iter().for_each(|counts| stats.add(counts));
        let coverage: Vec<f64> = counts.iter().map(|counts| stats.weights().coverage(counts)).collect();
        assert!(coverage[0] < 0.25 && coverage[1] > 0.5 && coverage[1] < 1.0 && coverage[2] == 0.0, "{coverage:?}");
        let long: String = (0..100).map(|n| format!("word{n} ")).collect();
        let query = Query::parse(&long);
        let counts = query.count(["word1 word2"]);
        let mut stats = query.corpus_stats();
        stats.add(&counts);
        assert!(stats.weights().coverage(&counts) > 0.2);
    }

    #[test]
    fn words_in_no_document_are_unknown() {
        let query = Query::parse("the history of the umbrella migration");
        let counts: Vec<TermCounts> = ["history of main", "schema first"].map(|text| query.count([text])).to_vec();
        let mut stats = query.corpus_stats();
        counts.iter().for_each(|counts| stats.add(counts));
        assert!((stats.weights().unknown_share() - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(counts.iter().map(TermCounts::matched).collect::<Vec<_>>(), [1, 0]);
    }

    proptest! {
        #[test]
        fn scores_are_not_negative(texts in prop::collection::vec("[ab ]{0,9}", 1..6), query in "[ab ]{0,5}") {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            for score in scores(&query, &texts) {
                prop_assert!(score >= 0.0 && score.is_finite());
            }
        }
    }
}
