//! What the skill in use says about a theme.
//!
//! A problem recurs in the same few skills, whatever the words. How much that says depends on the log. If a skill stands for a
//! few problems, its texts resemble each other far more than texts do in general, and even texts with few common words can be
//! of one theme. If a skill is used for many topics, they do not. Then the skill says nothing, and a common word is a
//! coincidence: such texts need more in common.

use super::ThemeText;
use super::cluster::Matrix;
use super::vectors::Products;
use std::collections::HashMap;
use std::hash::Hash;

/// The share of the similarity that depends on the words. The rest depends on the skill.
pub(super) const WORD_SHARE: f32 = 0.8;

/// Skills of a log that say something about its topics. With fewer, a skill is always used for many of them.
const MIN_SKILLS: usize = 5;
/// Similarity of words above which two texts are copies, which say nothing about topics.
const COPY: f32 = 0.8;
/// The number of imagined pairs of average similarity, so that a few real ones do not decide what a skill is used for.
const PRIOR_PAIRS: f32 = 2.0;
/// Bound of the mean similarity of all pairs, for logs without any common word.
const MIN_MEAN: f32 = 0.005;
/// How many times as similar as all pairs those of two skills are: if the skills say nothing, and if they stand for the same
/// problems. Measured, like the next two, with 11 themes in many wordings and 129 lessons that all differ.
const LIFT: [f32; 2] = [1.7, 3.5];
/// The share of all similarity that skills explain: in a log of many topics, and in one of few.
const EXPLAINED: [f32; 2] = [0.22, 0.30];
/// What doubtful texts need above the similarity from which groups are joined.
const JOIN_MARGIN: f32 = 0.15;

/// The skills of texts.
#[derive(Clone, Debug)]
pub(super) struct SkillTopics {
    /// The number of the skill of each text.
    of_text: Vec<usize>,
    /// How much it says that two texts have a skill: near 1 for a skill that few texts have, and 0 for one that all have.
    weights: Vec<f32>,
    /// How doubtful it is that similar texts of two skills are of one theme, from 0 to 1.
    doubts: Matrix<f32>,
}

impl SkillTopics {
    pub fn measure(texts: &[ThemeText], wording: &Matrix<f32>) -> Self {
        let of_text = number(texts.iter().map(|text| text.skill.trim()));
        let mut names = vec![""; of_text.iter().max().map_or(0, |last| last + 1)];
        let mut counts = vec![0usize; names.len()];
        for (text, skill) in texts.iter().zip(&of_text) {
            names[*skill] = text.skill.trim();
            counts[*skill] += 1;
        }
        let all = texts.len() as f32;
        let weight = |(name, count): (&&str, &usize)| match count {
            // One text has nothing to share its skill with, and the rows of no skill share nothing.
            2.. if !name.is_empty() => (all / *count as f32).ln() / all.ln(),
            _ => 0.0,
        };
        let weights = names.iter().zip(&counts).map(weight).collect();
        let pairs = SkillPairs::measure(texts, &of_text, names.len(), wording);
        Self { weights, doubts: pairs.doubts(&names), of_text }
    }

    /// How doubtful it is that two texts are of one theme, however similar they are.
    pub fn doubt(&self, one: usize, other: usize) -> f32 {
        self.doubts.get(self.of_text[one], self.of_text[other])
    }

    /// What the skills of two texts add to their similarity.
    pub fn common(&self, one: usize, other: usize) -> f32 {
        (1.0 - self.doubt(one, other)) * self.weight(one, other)
    }

    fn weight(&self, one: usize, other: usize) -> f32 {
        let is_common = self.of_text[one] == self.of_text[other];
        if is_common { (1.0 - WORD_SHARE) * self.weights[self.of_text[one]] } else { 0.0 }
    }

    /// The similarity of words, combined with that of skills.
    pub fn similarity(&self, wording: &Matrix<f32>) -> Matrix<f32> {
        let mut similarity = Matrix::filled(wording.size(), 0.0);
        for (one, other) in pairs(wording.size()) {
            similarity.set(one, other, WORD_SHARE * wording.get(one, other) + self.weight(one, other));
        }
        similarity
    }

    /// Takes from a combined similarity what doubtful pairs need besides, what their skills add, and what a single word adds to
    /// all others.
    pub fn subtract_doubt(&self, similarity: &mut Matrix<f32>, words: &Products) {
        for (one, other) in pairs(similarity.size()) {
            let doubt = self.doubt(one, other);
            if doubt > 0.0 {
                let single_word = WORD_SHARE * (words.total.get(one, other) - words.broad.get(one, other));
                let less = single_word + self.weight(one, other) + JOIN_MARGIN;
                similarity.set(one, other, similarity.get(one, other) - doubt * less);
            }
        }
    }
}

fn pairs(size: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..size).flat_map(|one| (0..one).map(move |other| (one, other)))
}

/// Numbers equal values equally, in the order of their first occurrence.
fn number<T: Eq + Hash>(values: impl Iterator<Item = T>) -> Vec<usize> {
    let mut numbers: HashMap<T, usize> = HashMap::new();
    values
        .map(|value| {
            let next = numbers.len();
            *numbers.entry(value).or_insert(next)
        })
        .collect()
}

/// The similarities of the texts of each pair of skills, without those of copies.
struct SkillPairs {
    sums: Matrix<f32>,
    counts: Matrix<f32>,
    /// The mean of all pairs.
    mean: f32,
    count: f32,
}

impl SkillPairs {
    fn measure(texts: &[ThemeText], of_text: &[usize], skills: usize, wording: &Matrix<f32>) -> Self {
        let reflections = number(texts.iter().map(|text| &text.reflection));
        // What is logged often counts once.
        let mut copies: HashMap<(usize, usize), f32> = HashMap::new();
        let lessons: Vec<(usize, usize)> = of_text.iter().copied().zip(reflections).collect();
        lessons.iter().for_each(|lesson| *copies.entry(*lesson).or_default() += 1.0);
        let shares: Vec<f32> = lessons.iter().map(|lesson| 1.0 / copies[lesson]).collect();
        let (mut sums, mut counts) = (Matrix::filled(skills, 0.0), Matrix::filled(skills, 0.0));
        let (mut sum, mut count) = (0.0, 0.0);
        for (one, other) in pairs(texts.len()) {
            let similarity = wording.get(one, other);
            if lessons[one].1 == lessons[other].1 || similarity > COPY {
                continue;
            }
            let (first, second) = (of_text[one], of_text[other]);
            let share = shares[one] * shares[other];
            sums.set(first, second, sums.get(first, second) + share * similarity);
            counts.set(first, second, counts.get(first, second) + share);
            sum += share * similarity;
            count += share;
        }
        Self { sums, counts, mean: if count > 0.0 { sum / count } else { 0.0 }.max(MIN_MEAN), count }
    }

    /// How many times as similar as all pairs those of two skills are.
    fn lift(&self, one: usize, other: usize) -> f32 {
        let sum = self.sums.get(one, other) + PRIOR_PAIRS * self.mean;
        sum / (self.counts.get(one, other) + PRIOR_PAIRS) / self.mean
    }

    fn doubts(&self, names: &[&str]) -> Matrix<f32> {
        let mut doubts = Matrix::filled(names.len(), 0.0);
        let known: Vec<usize> = (0..names.len()).filter(|skill| !names[*skill].is_empty()).collect();
        if known.len() < MIN_SKILLS {
            return doubts;
        }
        let cells = || known.iter().enumerate().flat_map(|(at, one)| known[..=at].iter().map(|other| (*one, *other)));
        let explained: f32 =
            cells().map(|(one, other)| self.counts.get(one, other) * (self.lift(one, other) - 1.0).max(0.0)).sum();
        // In a log of few topics, texts without a common skill are of one theme as well.
        let general = 1.0 - share_of_range(explained / self.count.max(1.0), EXPLAINED);
        for (one, other) in cells() {
            let own = 1.0 - share_of_range(self.lift(one, other), LIFT);
            doubts.set(one, other, own * general);
        }
        doubts
    }
}

/// Where a value is in a range, from 0 to 1.
fn share_of_range(value: f32, [low, high]: [f32; 2]) -> f32 {
    ((value - low) / (high - low)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(skill: &str, reflection: usize) -> ThemeText {
        ThemeText { skill: skill.to_owned(), reflection: reflection.to_string(), ..ThemeText::default() }
    }

    #[test]
    fn a_rare_skill_says_more_than_a_common_one() {
        let skills = ["a", "a", "b", "b", "b", "b", "", "", "c"];
        let texts: Vec<ThemeText> = skills.into_iter().map(|skill| text(skill, 0)).collect();
        let wording = Matrix::filled(texts.len(), 0.4);
        let found = SkillTopics::measure(&texts, &wording).similarity(&wording);
        let (rare, common, none) = (found.get(0, 1), found.get(2, 3), found.get(0, 2));
        assert!(rare > common && common > none && none > 0.0, "{rare} {common} {none}");
        assert_eq!((found.get(6, 7), found.get(1, 8)), (none, none));
        let wording = Matrix::filled(3, 0.4);
        let same = SkillTopics::measure(&[text("a", 0), text("a", 1), text("a", 2)], &wording).similarity(&wording);
        assert!((same.get(0, 1) - none).abs() < 1e-6, "a skill that all rows have says nothing");
    }

    /// Forty texts of `skills` skills; those of one skill have this similarity, others 0.02.
    fn topics(skills: usize, similarity: f32) -> SkillTopics {
        let texts: Vec<ThemeText> = (0..40).map(|at| text(&format!("s{}", at % skills), at)).collect();
        let mut wording = Matrix::filled(texts.len(), 0.02);
        pairs(40).filter(|(one, other)| one % skills == other % skills).for_each(|(one, other)| {
            wording.set(one, other, similarity);
        });
        SkillTopics::measure(&texts, &wording)
    }

    #[test]
    fn skills_whose_texts_have_little_in_common_are_doubtful() {
        let narrow = topics(8, 0.3);
        assert_eq!((narrow.doubt(0, 8), narrow.doubt(0, 1), narrow.common(0, 8) > 0.05), (0.0, 0.0, true));
        let wide = topics(8, 0.02);
        assert!(wide.doubt(0, 8) > 0.9 && wide.doubt(0, 1) > 0.9 && wide.common(0, 8) < 0.02, "{wide:?}");
        // Nothing is known about the topics of a log with few skills, or without any.
        assert_eq!((topics(2, 0.02).doubt(0, 1), topics(1, 0.3).doubt(0, 1)), (0.0, 0.0));
    }

    #[test]
    fn doubtful_pairs_need_more_than_a_common_word() {
        let wide = topics(8, 0.02);
        let wording = Matrix::filled(40, 0.2);
        let mut similarity = wide.similarity(&wording);
        let before = similarity.get(0, 1);
        let after = |broad: f32| {
            let mut similarity = similarity.clone();
            wide.subtract_doubt(
                &mut similarity,
                &Products { total: wording.clone(), broad: Matrix::filled(40, broad) },
            );
            similarity.get(0, 1)
        };
        let (one_word, several_words) = (after(0.0), after(0.2));
        assert!(one_word < 0.0 && one_word < several_words && several_words < before, "{one_word} {several_words}");
        let narrow = topics(8, 0.3);
        similarity = narrow.similarity(&wording);
        let mut same = similarity.clone();
        narrow.subtract_doubt(&mut same, &Products { total: wording.clone(), broad: Matrix::filled(40, 0.0) });
        assert!((same.get(0, 8) - similarity.get(0, 8)).abs() < 1e-6);
    }
}
