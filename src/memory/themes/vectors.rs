//! Texts as TF-IDF vectors, and the similarities of all pairs.

use super::ThemeText;
use super::cluster::Matrix;
use super::words::{Word, words};
use crate::syntax::related_words::related_stems;
use std::collections::{BTreeMap, HashMap};

/// The similarity of two reflections from which contrary statements oppose each other, and are not about different things.
const OPPOSITION: f32 = 0.2;

/// The weight of a related word that a text does not have, compared with the word it has.
const RELATED: f32 = 0.2;

/// The weight of the word right after a negation: in `do not squash when merging`, merging is not what the texts disagree about.
const NEGATED_HEAD: f32 = 2.0;

/// Stems of the shortest text that is compared. A single word in common says too little.
const MIN_TERMS: usize = 2;

/// The number of a stem.
pub(super) type Term = usize;

/// A sparse vector of length 1.
pub(super) type Vector = Vec<(Term, f32)>;

/// The vectors of texts.
pub(super) struct TextVectors {
    /// Over actions and reflections, and the words related to theirs.
    pub texts: Vec<Vector>,
    /// Over the reflections, with a minus sign for negated words.
    stances: Vec<Vector>,
    terms: usize,
}

impl TextVectors {
    pub fn new(texts: &[ThemeText]) -> Self {
        let mut numbers: HashMap<String, Term> = HashMap::new();
        let mut number = |words: Vec<Word>| -> BTreeMap<Term, f32> {
            let mut terms: BTreeMap<Term, f32> = BTreeMap::new();
            for word in words {
                let next = numbers.len();
                let term = *numbers.entry(word.stem).or_insert(next);
                // The first mention decides. A harm is a hint, and too weak to keep groups apart.
                let weight = match (word.is_negated && !word.is_harmful, word.is_negated_head) {
                    (true, true) => -NEGATED_HEAD,
                    (true, false) => -1.0,
                    (false, _) => 1.0,
                };
                terms.entry(term).or_insert(weight);
            }
            terms
        };
        let parsed: Vec<[BTreeMap<Term, f32>; 2]> =
            texts.iter().map(|text| [number(words(&text.action)), number(words(&text.reflection))]).collect();
        let mut frequency = vec![0usize; numbers.len()];
        for [action, reflection] in &parsed {
            action.keys().for_each(|term| frequency[*term] += 1);
            reflection.keys().filter(|term| !action.contains_key(term)).for_each(|term| frequency[*term] += 1);
        }
        let count = texts.len() as f32;
        let rarity: Vec<f32> = frequency.iter().map(|frequency| (count / *frequency as f32).ln_1p()).collect();
        let related = related_terms(&numbers);
        let mut vectors = Self { texts: Vec::new(), stances: Vec::new(), terms: numbers.len() };
        for [action, reflection] in parsed {
            let mut both: BTreeMap<Term, f32> = action.keys().map(|term| (*term, 1.0)).collect();
            reflection.keys().for_each(|term| *both.entry(*term).or_insert(0.0) += 1.0);
            let is_comparable = both.len() >= MIN_TERMS;
            add_related(&mut both, &related, &rarity);
            vectors.texts.push(weighted(both.into_iter().filter(|_| is_comparable), &rarity));
            vectors.stances.push(weighted(reflection.into_iter(), &rarity));
        }
        vectors
    }

    /// The cosine of each pair.
    pub fn similarity(&self) -> Products {
        products(&self.texts, self.terms)
    }

    /// Whether the reflections of a pair say the opposite of each other: they share words, and negate more of them on one side
    /// only than on both or neither.
    pub fn opposed(&self) -> Matrix<bool> {
        let count = self.stances.len();
        let mut opposed = Matrix::filled(count, false);
        let has_negation: Vec<bool> =
            self.stances.iter().map(|stance| stance.iter().any(|(_, weight)| *weight < 0.0)).collect();
        let mut postings: Vec<Vec<(usize, f32)>> = vec![Vec::new(); self.terms];
        let (mut common, mut agreement) = (vec![0.0; count], vec![0.0; count]);
        for (at, stance) in self.stances.iter().enumerate() {
            common[..at].fill(0.0);
            agreement[..at].fill(0.0);
            for (term, weight) in stance {
                // Without a negation on either side nothing is opposed, and most texts have none.
                let earlier = postings[*term].iter().filter(|(earlier, _)| has_negation[at] || has_negation[*earlier]);
                for (earlier, other) in earlier {
                    common[*earlier] += (weight * other).abs();
                    agreement[*earlier] += weight * other;
                }
                postings[*term].push((at, *weight));
            }
            for earlier in 0..at {
                if common[earlier] >= OPPOSITION && agreement[earlier] < 0.0 {
                    opposed.set(at, earlier, true);
                }
            }
        }
        opposed
    }
}

/// For each term, the terms of related words.
fn related_terms(numbers: &HashMap<String, Term>) -> Vec<Vec<Term>> {
    let mut related = vec![Vec::new(); numbers.len()];
    for (stem, term) in numbers {
        related[*term] = related_stems(stem).iter().filter_map(|other| numbers.get(other).copied()).collect();
    }
    related
}

/// Adds related words. A related word that is rarer than the word of the text says no more than that word would.
fn add_related(terms: &mut BTreeMap<Term, f32>, related: &[Vec<Term>], rarity: &[f32]) {
    let own: Vec<(Term, f32)> = terms.iter().map(|(term, count)| (*term, *count)).collect();
    for (term, count) in own {
        for other in &related[term] {
            let weight = RELATED * count * (rarity[term] / rarity[*other]).min(1.0);
            let known = terms.entry(*other).or_insert(0.0);
            *known = known.max(weight);
        }
    }
}

fn weighted(terms: impl Iterator<Item = (Term, f32)>, rarity: &[f32]) -> Vector {
    let mut vector: Vector = terms.map(|(term, count)| (term, count * rarity[term])).collect();
    let length = vector.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|(_, weight)| *weight /= length);
    vector
}

/// The words that two sets of texts have in common, each with the sum of its products over all pairs of texts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CommonWords {
    /// The sum of all words.
    pub total: f32,
    /// The word with the largest sum.
    strongest: f32,
}

impl CommonWords {
    /// Adds the product of one more word.
    pub fn add(&mut self, product: f32) {
        self.total += product;
        self.strongest = self.strongest.max(product);
    }

    /// The sum of all words. A single word counts at most as much as all others together.
    pub fn broad(self) -> f32 {
        let others = self.total - self.strongest;
        others + self.strongest.min(others)
    }
}

/// The inner products of all pairs.
pub(super) struct Products {
    /// Of all words.
    pub total: Matrix<f32>,
    /// The same, but a single word counts at most as much as all others together.
    pub broad: Matrix<f32>,
}

/// The inner products of all pairs, by way of the terms they share.
fn products(vectors: &[Vector], terms: usize) -> Products {
    let filled = || Matrix::filled(vectors.len(), 0.0);
    let mut products = Products { total: filled(), broad: filled() };
    let mut postings: Vec<Vec<(usize, f32)>> = vec![Vec::new(); terms];
    let mut common = vec![CommonWords::default(); vectors.len()];
    for (at, vector) in vectors.iter().enumerate() {
        common[..at].fill(CommonWords::default());
        for (term, weight) in vector {
            postings[*term].iter().for_each(|(earlier, other)| common[*earlier].add(weight * other));
            postings[*term].push((at, *weight));
        }
        for (earlier, common) in common[..at].iter().enumerate() {
            products.total.set(at, earlier, common.total);
            products.broad.set(at, earlier, common.broad());
        }
    }
    products
}

/// The distribution of the similarities of all pairs, most of which are about different things.
#[derive(Clone, Copy, Debug)]
pub(super) struct Background {
    mean: f32,
    deviation: f32,
}

impl Background {
    /// Bounds of the standard deviation: a log with few texts, or with copies of one text, says little about it.
    const DEVIATION: [f32; 2] = [0.05, 0.15];
    /// Bound of the mean, for the same reason.
    const MAX_MEAN: f32 = 0.1;

    pub fn measure(similarity: &Matrix<f32>) -> Self {
        let (mut sum, mut squares, mut pairs) = (0.0f64, 0.0f64, 0.0f64);
        for one in 0..similarity.size() {
            for other in 0..one {
                let value = f64::from(similarity.get(one, other));
                sum += value;
                squares += value * value;
                pairs += 1.0;
            }
        }
        let mean = if pairs > 0.0 { sum / pairs } else { 0.0 };
        let variance = if pairs > 0.0 { squares / pairs - mean * mean } else { 0.0 };
        let [least, most] = Self::DEVIATION;
        Self {
            mean: (mean as f32).min(Self::MAX_MEAN),
            deviation: (variance.max(0.0).sqrt() as f32).clamp(least, most),
        }
    }

    /// The similarity this many standard deviations above the mean.
    pub fn above_mean(&self, deviations: f32) -> f32 {
        self.mean + deviations * self.deviation
    }
}
