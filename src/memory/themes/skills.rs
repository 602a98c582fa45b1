//! What the skill in use says about a theme: a problem recurs in the same few skills, whatever the words.

use super::ThemeText;
use super::cluster::Matrix;
use std::collections::HashMap;

/// The share of the similarity that depends on the words. The rest depends on the skill.
pub(super) const WORD_SHARE: f32 = 0.8;

/// The similarity of words, combined with that of skills: 0 for different skills, and near 1 for a skill that few texts have.
pub(super) fn with_skills(wording: &Matrix<f32>, texts: &[ThemeText]) -> Matrix<f32> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let skills: Vec<&str> = texts.iter().map(|text| text.skill.trim()).collect();
    skills.iter().for_each(|skill| *counts.entry(skill).or_default() += 1);
    let all = texts.len() as f32;
    let weight = |skill: &str| match counts.get(skill) {
        // One text has nothing to share its skill with, and the rows of no skill share nothing.
        Some(count) if *count > 1 && !skill.is_empty() => (all / *count as f32).ln() / all.ln(),
        _ => 0.0,
    };
    let weights: Vec<f32> = skills.iter().map(|skill| weight(skill)).collect();
    let mut similarity = Matrix::filled(texts.len(), 0.0);
    for one in 0..texts.len() {
        for other in 0..one {
            let skill = if skills[one] == skills[other] { weights[one] } else { 0.0 };
            similarity.set(one, other, WORD_SHARE * wording.get(one, other) + (1.0 - WORD_SHARE) * skill);
        }
    }
    similarity
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_skill_says_more_than_a_common_one() {
        let text = |skill: &str| ThemeText { skill: skill.to_owned(), ..ThemeText::default() };
        let skills = ["a", "a", "b", "b", "b", "b", "", "", "c"];
        let texts: Vec<ThemeText> = skills.into_iter().map(text).collect();
        let found = with_skills(&Matrix::filled(texts.len(), 0.4), &texts);
        let (rare, common, none) = (found.get(0, 1), found.get(2, 3), found.get(0, 2));
        assert!(rare > common && common > none && none > 0.0, "{rare} {common} {none}");
        assert_eq!((found.get(6, 7), found.get(1, 8)), (none, none));
        let same = with_skills(&Matrix::filled(3, 0.4), &[text("a"), text("a"), text("a")]);
        assert!((same.get(0, 1) - none).abs() < 1e-6, "a skill that all rows have says nothing");
    }
}
