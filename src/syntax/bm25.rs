//! BM25: how well texts answer a question, by the question's words in them. Words that few texts have count more, a word that
//! stands often in a text counts less each time, and long texts count less.

use super::terms::{each_term, query_terms};

/// How soon a word that stands again counts no more.
const K1: f64 = 1.2;
/// How much a text's length counts.
const B: f64 = 0.75;

/// The words that are looked for.
#[derive(Clone, Debug)]
pub struct Query {
    terms: Vec<String>,
}

/// How often each word of a question stands in a text, and how many words the text has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermCounts {
    /// By the question's words, in their order; empty where the text has none of them.
    found: Vec<u32>,
    length: u32,
}

/// What all texts together say of each word.
#[derive(Clone, Debug)]
pub struct TermWeights {
    inverse: Vec<f64>,
    average: f64,
}

impl Query {
    /// Of a text.
    pub fn parse(text: &str) -> Self {
        Self { terms: query_terms(text) }
    }

    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Counts its words in a document that stands in several parts.
    pub fn count<'t>(&self, parts: impl IntoIterator<Item = &'t str>) -> TermCounts {
        let mut counts = TermCounts::default();
        for part in parts {
            each_term(part, |term| {
                counts.length = counts.length.saturating_add(1);
                if let Some(at) = self.terms.iter().position(|query_terms| query_terms == term) {
                    if counts.found.is_empty() {
                        counts.found = vec![0; self.terms.len()];
                    }
                    counts.found[at] = counts.found[at].saturating_add(1);
                }
            });
        }
        counts
    }

    /// To be told of every document.
    pub fn tally(&self) -> CorpusStats {
        CorpusStats { holding: vec![0; self.terms.len()], count: 0, length: 0 }
    }
}

/// What all documents together hold of a question's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusStats {
    holding: Vec<u64>,
    count: u64,
    length: u64,
}

impl CorpusStats {
    /// Takes in a document.
    pub fn add(&mut self, counts: &TermCounts) {
        self.count += 1;
        self.length += u64::from(counts.length);
        for (holding, found) in self.holding.iter_mut().zip(&counts.found) {
            *holding += u64::from(*found > 0);
        }
    }

    /// Takes in the documents of another one, of the same question. Whole numbers alone are added, so that the order in
    /// which parts of a log are read does not count.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.length += other.length;
        self.holding.iter_mut().zip(&other.holding).for_each(|(holding, more)| *holding += more);
    }

    /// What each word counts.
    pub fn weights(&self) -> TermWeights {
        let all = self.count as f64;
        // Never below zero, as the plain formula is for words that most texts have.
        let inverse = |holding: &u64| (1.0 + (all - *holding as f64 + 0.5) / (*holding as f64 + 0.5)).ln();
        let average = self.length as f64 / all.max(1.0);
        TermWeights { inverse: self.holding.iter().map(inverse).collect(), average }
    }
}

impl TermCounts {
    /// Whether any word of the question stands in the text.
    pub fn any(&self) -> bool {
        !self.found.is_empty()
    }
}

impl TermWeights {
    /// How well a document answers; 0 where it has none of the words.
    pub fn score(&self, counts: &TermCounts) -> f64 {
        let relative = f64::from(counts.length) / self.average.max(1.0);
        let of_term = |(found, inverse): (&u32, &f64)| {
            let often = f64::from(*found);
            inverse * often * (K1 + 1.0) / (often + K1 * (1.0 - B + B * relative))
        };
        counts.found.iter().zip(&self.inverse).filter(|(found, _)| **found > 0).map(of_term).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scores(question: &str, texts: &[&str]) -> Vec<f64> {
        let question = Query::parse(question);
        let counts: Vec<TermCounts> = texts.iter().map(|text| question.count([*text])).collect();
        let mut tally = question.tally();
        counts.iter().for_each(|counts| tally.add(counts));
        let weights = tally.weights();
        counts.iter().map(|counts| weights.score(counts)).collect()
    }

    #[test]
    fn the_formula_is_the_published_one() {
        // Two documents of 2 and 4 words, the word once in the first: idf = ln(1 + 1.5 / 1.5), average length 3.
        let got = scores("cache", &["cache miss", "one two three four"]);
        let want = 2f64.ln() * 2.2 / (1.0 + 1.2 * (0.25 + 0.75 * 2.0 / 3.0));
        assert!((got[0] - want).abs() < 1e-12 && got[1] == 0.0, "{got:?} {want}");
    }

    #[test]
    fn rare_words_and_short_texts_count_more() {
        let got = scores("rare common", &["rare one", "common one", "common two", "common one two three four five"]);
        assert!(got[0] > got[1] && got[0] > got[3] && (got[1] - got[2]).abs() < 1e-12, "{got:?}");
    }

    proptest! {
        #[test]
        fn no_score_is_below_zero(texts in prop::collection::vec("[ab ]{0,9}", 1..6), question in "[ab ]{0,5}") {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            for score in scores(&question, &texts) {
                prop_assert!(score >= 0.0 && score.is_finite());
            }
        }
    }
}
