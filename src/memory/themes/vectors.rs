//! Texts as TF-IDF vectors, and the similarities of all pairs.

use super::ThemeText;
use super::cluster::Matrix;
use super::words::{Word, words};
use std::collections::{BTreeMap, HashMap};

/// The similarity of two reflections from which contrary statements oppose each other, and are not about different things.
const OPPOSITION: f32 = 0.2;

/// The number of a stem.
type Term = usize;

/// A sparse vector of length 1.
type Vector = Vec<(Term, f32)>;

/// The vectors of texts.
pub(super) struct TextVectors {
    /// Over actions and reflections.
    texts: Vec<Vector>,
    /// Over the reflections.
    reflections: Vec<Vector>,
    /// The same, with a minus sign for negated words.
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
                // The first mention decides.
                terms.entry(term).or_insert(if word.is_negated { -1.0 } else { 1.0 });
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
        let mut vectors =
            Self { texts: Vec::new(), reflections: Vec::new(), stances: Vec::new(), terms: numbers.len() };
        for [action, reflection] in parsed {
            let mut both: BTreeMap<Term, f32> = action.keys().map(|term| (*term, 1.0)).collect();
            reflection.keys().for_each(|term| *both.entry(*term).or_insert(0.0) += 1.0);
            vectors.texts.push(weighted(both.into_iter(), &rarity));
            vectors.reflections.push(weighted(reflection.keys().map(|term| (*term, 1.0)), &rarity));
            vectors.stances.push(weighted(reflection.into_iter(), &rarity));
        }
        vectors
    }

    /// The cosine of each pair.
    pub fn similarity(&self) -> Matrix<f32> {
        products(&self.texts, self.terms)
    }

    /// Whether the reflections of a pair say the opposite of each other.
    pub fn opposed(&self) -> Matrix<bool> {
        let (common, agreement) = (products(&self.reflections, self.terms), products(&self.stances, self.terms));
        let mut opposed = Matrix::filled(self.texts.len(), false);
        for one in 0..self.texts.len() {
            for other in 0..one {
                let is_opposed = common.get(one, other) >= OPPOSITION && agreement.get(one, other) < 0.0;
                opposed.set(one, other, is_opposed);
            }
        }
        opposed
    }
}

fn weighted(terms: impl Iterator<Item = (Term, f32)>, rarity: &[f32]) -> Vector {
    let mut vector: Vector = terms.map(|(term, count)| (term, count * rarity[term])).collect();
    let length = vector.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|(_, weight)| *weight /= length);
    vector
}

/// The inner products of all pairs, by way of the terms they share.
fn products(vectors: &[Vector], terms: usize) -> Matrix<f32> {
    let mut products = Matrix::filled(vectors.len(), 0.0);
    let mut postings: Vec<Vec<(usize, f32)>> = vec![Vec::new(); terms];
    let mut sums = vec![0.0; vectors.len()];
    for (at, vector) in vectors.iter().enumerate() {
        sums[..at].fill(0.0);
        for (term, weight) in vector {
            postings[*term].iter().for_each(|(earlier, other)| sums[*earlier] += weight * other);
            postings[*term].push((at, *weight));
        }
        sums[..at].iter().enumerate().for_each(|(earlier, sum)| products.set(at, earlier, *sum));
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
