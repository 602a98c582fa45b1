//! Themes: episodes that are about the same problem in different words.
//!
//! Grouping by theme is less exact than the patterns of [`super::similarity`]: it is for what a person reviews, never for what is
//! promoted automatically. Texts are compared by TF-IDF over the stems of action and reflection and of related words
//! ([`vectors`]), and by the skill in use ([`skills`]), and grouped by average link ([`cluster`]). The thresholds are distances
//! from the mean similarity of all pairs, so they do not depend on the vocabulary of a log.

mod claims;
mod cluster;
mod groups;
mod links;
mod nearness;
mod opposites;
mod skills;
mod triage;
mod vectors;
mod words;

pub use groups::{ReviewMember, group_for_review};
pub use opposites::find_near_opposites;
pub use triage::{KnownKind, KnownTheme, Owner, ThemeCandidate, ThemeTriage, triage_themes};

use cluster::{Matrix, average_link};
use links::GroupWords;
use nearness::Spread;
use skills::SkillTopics;
use std::collections::BTreeMap;
use vectors::{Background, TextVectors, Vector};

/// Episodes that are compared, the newest. Time and memory grow with the square of this number.
pub const MAX_TEXTS: usize = 1_000;
/// Lessons and candidates that are compared by their own words, because their episodes have left the log.
pub const MAX_KNOWN_TEXTS: usize = 250;

/// Standard deviations above the mean similarity of all pairs from which groups are joined.
const JOIN_DEVIATIONS: f32 = 1.0;
/// The same for the words alone, from which a text is typical of its group.
const TYPICAL_DEVIATIONS: f32 = 3.0;

/// What a theme is recognized by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThemeText {
    /// The skill that was used; empty if it is not known.
    pub skill: String,
    /// What was done; empty for a lesson.
    pub action: String,
    /// What to learn from it.
    pub reflection: String,
}

/// Texts by theme. Texts are named by their positions.
#[derive(Clone, Debug)]
pub struct Themes {
    /// The groups, by first text. Each text is in one group.
    pub groups: Vec<Vec<usize>>,
    /// Of the words alone.
    wording: Matrix<f32>,
    wording_background: Background,
    skills: SkillTopics,
    /// Of words and skills.
    background: Background,
    /// Which texts use the same words with another sign, by which they are kept apart.
    opposed: Matrix<bool>,
    /// Which texts are near-opposites, in whatever way.
    contrary: Matrix<bool>,
    vectors: Vec<Vector>,
    group_words: GroupWords,
    /// How near each group is to the others.
    spreads: Vec<Option<Spread>>,
}

impl Themes {
    /// Groups texts. Texts that use the same words with another sign are never in one group.
    pub fn group(texts: &[ThemeText]) -> Self {
        let vectors = TextVectors::new(texts);
        let words = vectors.similarity();
        let skills = SkillTopics::measure(texts, &words.total);
        let mut similarity = skills.similarity(&words.total);
        let background = Background::measure(&similarity);
        skills.subtract_doubt(&mut similarity, &words);
        let wording = words.total;
        let opposed = vectors.opposed();
        let groups = average_link(&similarity, &opposed, background.above_mean(JOIN_DEVIATIONS));
        let wording_background = Background::measure(&wording);
        let group_words = GroupWords::new(&vectors.texts, &groups);
        let mut themes = Self {
            groups,
            wording,
            wording_background,
            skills,
            background,
            opposed,
            contrary: near_opposites(texts),
            vectors: vectors.texts,
            group_words,
            spreads: Vec::new(),
        };
        themes.spreads = themes.measure_spreads();
        themes
    }

    /// The position of the group of a text.
    pub fn group_of(&self, text: usize) -> Option<usize> {
        self.groups.iter().position(|group| group.contains(&text))
    }

    /// Whether two sets of texts say the opposite of each other: at least a quarter of their pairs does. A hint about two texts
    /// can be wrong; it should not divide all others.
    pub fn are_opposed(&self, one: &[usize], other: &[usize]) -> bool {
        let pairs = one.iter().flat_map(|a| other.iter().map(|b| (*a, *b)));
        let opposed = pairs.filter(|(a, b)| self.opposed.get(*a, *b) || self.contrary.get(*a, *b)).count();
        opposed > 0 && opposed * 4 >= one.len() * other.len()
    }

    /// The most typical text of a group, followed by those that resemble it clearly, the nearest first. Only words count: a
    /// person should see at once why they are together.
    pub fn typical(&self, group: &[usize]) -> Vec<usize> {
        let total = |text: &usize| group.iter().map(|other| self.wording.get(*text, *other)).sum::<f32>();
        let best = group.iter().copied().max_by(|a, b| total(a).total_cmp(&total(b)).then(b.cmp(a)));
        let Some(best) = best else { return Vec::new() };
        let limit = self.wording_background.above_mean(TYPICAL_DEVIATIONS);
        let is_typical = |text: &usize| *text != best && self.wording.get(best, *text) >= limit;
        let mut near: Vec<usize> = group.iter().copied().filter(is_typical).collect();
        near.sort_by(|a, b| self.wording.get(best, *b).total_cmp(&self.wording.get(best, *a)).then(a.cmp(b)));
        near.insert(0, best);
        near
    }
}

fn near_opposites(texts: &[ThemeText]) -> Matrix<bool> {
    // Many rows have the same reflection.
    let mut rows: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, text) in texts.iter().enumerate() {
        rows.entry(&text.reflection).or_default().push(at);
    }
    let (reflections, rows): (Vec<&str>, Vec<Vec<usize>>) = rows.into_iter().unzip();
    let mut opposites = Matrix::filled(texts.len(), false);
    for (one, others) in rows.iter().zip(find_near_opposites(&reflections)) {
        for (at, other) in
            one.iter().flat_map(|at| others.iter().flat_map(|other| &rows[*other]).map(move |o| (*at, *o)))
        {
            opposites.set(at, other, true);
        }
    }
    opposites
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

#[cfg(test)]
#[path = "wordings_tests.rs"]
mod wordings_tests;
