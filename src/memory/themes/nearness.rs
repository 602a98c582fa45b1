//! Which group is near other texts without being one theme with them.
//!
//! A similarity means little by itself: texts of common words resemble everything a little, and texts of rare words nothing. So a
//! group is near if it stands out, on both sides, from all other groups.

use super::Themes;
use super::skills::WORD_SHARE;
use super::vectors::CommonWords;

/// Standard deviations by which two near sets of texts stand out, as the mean of both sides, for a set that is just large enough to
/// be a theme of its own.
const NEAR_DEVIATIONS: f32 = 1.25;
/// What a set that is e times as large needs besides. A few texts may be a part of a known theme. Many that are hidden behind
/// another theme by mistake would be a theme that nobody sees.
const DEVIATIONS_BY_SIZE: f32 = 2.0;
/// The size from which sets need more.
const SMALL_SET: f32 = 5.0;
/// The same for a log with too few groups to compare with: deviations above the mean similarity of all pairs of texts.
const NEAR_BACKGROUND_DEVIATIONS: f32 = 0.25;
/// The similarity below which texts are about different things, however far they stand out: in a log of many topics, the nearest
/// of a hundred groups always stands out. Measured with 11 themes in many wordings and 200 lessons that all differ.
const MIN_SIMILARITY: f32 = 0.05;
/// The same for texts whose skills leave nothing but doubt.
const MIN_DOUBTFUL_SIMILARITY: f32 = 0.22;
/// Other groups from which a spread says something.
const MIN_GROUPS: usize = 6;
/// Bound of the deviation: groups without any common word have none.
const MIN_DEVIATION: f32 = 0.02;

/// The similarities of a set of texts to all groups but its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    mean: f32,
    deviation: f32,
}

impl Spread {
    /// `None` if there are too few.
    fn measure(similarities: impl Iterator<Item = f32> + Clone) -> Option<Self> {
        let count = similarities.clone().count();
        if count < MIN_GROUPS {
            return None;
        }
        let mean = similarities.clone().sum::<f32>() / count as f32;
        let variance = similarities.map(|value| (value - mean).powi(2)).sum::<f32>() / count as f32;
        Some(Self { mean, deviation: variance.sqrt().max(MIN_DEVIATION) })
    }

    fn deviations(self, similarity: f32) -> f32 {
        (similarity - self.mean) / self.deviation
    }
}

impl Themes {
    /// The spread of each group.
    pub(super) fn measure_spreads(&self) -> Vec<Option<Spread>> {
        let spread = |(at, group): (usize, &Vec<usize>)| {
            let means = self.similarities(group);
            let others = means.iter().enumerate().filter(|(other, _)| *other != at);
            Spread::measure(others.map(|(_, mean)| *mean))
        };
        self.groups.iter().enumerate().map(spread).collect()
    }

    /// Of some groups, the one that is nearest to these texts, if it is near; of equally near groups, the first. What says the
    /// opposite is never near.
    pub fn nearest(&self, texts: &[usize], among: impl Iterator<Item = usize>) -> Option<usize> {
        let means = self.similarities(texts);
        let others = (0..self.groups.len()).filter(|at| !self.groups[*at].iter().any(|text| texts.contains(text)));
        let own = Spread::measure(others.map(|at| means[at]));
        let required = required_deviations(texts.len());
        let mut nearest: Option<(f32, usize)> = None;
        for at in among {
            let has_opposed =
                || texts.iter().any(|one| self.groups[at].iter().any(|other| self.opposed.get(*one, *other)));
            let is_opposed = || has_opposed() || self.are_opposed(texts, &self.groups[at]);
            let nearness = match own.zip(self.spreads[at]) {
                Some((own, other)) => (own.deviations(means[at]) + other.deviations(means[at])) / 2.0 - required,
                None => means[at] - self.background.above_mean(NEAR_BACKGROUND_DEVIATIONS),
            };
            let is_nearer = nearest.is_none_or(|(best, other)| nearness > best || (nearness == best && at < other));
            if nearness >= 0.0 && is_nearer && means[at] >= self.min_similarity(texts, at) && !is_opposed() {
                nearest = Some((nearness, at));
            }
        }
        nearest.map(|(_, at)| at)
    }

    /// The similarity from which these texts can be about the same thing as a group.
    fn min_similarity(&self, texts: &[usize], group: usize) -> f32 {
        let group = &self.groups[group];
        let doubts = texts.iter().flat_map(|one| group.iter().map(|other| self.skills.doubt(*one, *other)));
        let doubt = doubts.sum::<f32>() / (texts.len() * group.len()).max(1) as f32;
        (doubt * MIN_DOUBTFUL_SIMILARITY).max(MIN_SIMILARITY)
    }

    /// How near these texts are to those of each group: their mean similarity, as far as several words link them. The skills in
    /// use count at most as much as the words.
    fn similarities(&self, texts: &[usize]) -> Vec<f32> {
        let common = self.group_words.common(&self.vectors, texts);
        let mean = |(group, words): (&Vec<usize>, CommonWords)| {
            let pairs = texts.iter().flat_map(|one| group.iter().map(|other| self.skills.common(*one, *other)));
            (WORD_SHARE * words.broad() + pairs.sum::<f32>().min(words.broad()))
                / (texts.len() * group.len()).max(1) as f32
        };
        self.groups.iter().zip(common).map(mean).collect()
    }
}

/// The deviations by which a set of this size has to stand out.
fn required_deviations(size: usize) -> f32 {
    NEAR_DEVIATIONS + DEVIATIONS_BY_SIZE * (size as f32 / SMALL_SET).max(1.0).ln()
}

#[cfg(test)]
mod tests {
    use super::required_deviations;

    #[test]
    fn a_large_set_is_hidden_only_behind_a_very_near_one() {
        let required: Vec<f32> = [1, 5, 8, 15].into_iter().map(required_deviations).collect();
        assert!(required.is_sorted() && required[1] > 1.0 && required[3] > 3.0, "{required:?}");
    }
}
