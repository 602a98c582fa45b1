//! See `description_near_duplicate.md`.

use crate::repo_context::{RepoContext, SkillSummary};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::{Location, Severity};
use canonry_text::similarity::pairs;

pub(super) static RULE: Rule = Rule {
    id: "description-near-duplicate",
    summary: "skills with nearly the same description",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("description_near_duplicate.md"),
    check: Check::Repo(check),
};

/// Minimum similarity (Jaccard index). Chosen on real skills: pairs below it are siblings with clear differences.
const THRESHOLD: f64 = 0.75;
/// Minimum length of a description that has enough words to compare, in characters.
const MIN_LENGTH: usize = 40;

fn check(repo: &RepoContext, findings: &mut Vec<Finding>) {
    if repo.canon.is_none() {
        return;
    }
    let described: Vec<(&SkillSummary, &str, &Location)> = repo
        .skills
        .iter()
        .filter_map(|skill| skill.description.as_ref().map(|(text, location)| (skill, text.trim(), location)))
        .filter(|(_, text, _)| text.len() >= MIN_LENGTH)
        .collect();
    let texts: Vec<&str> = described.iter().map(|(_, text, _)| *text).collect();
    for pair in pairs(&texts, THRESHOLD) {
        let (other, _, other_location) = &described[pair.first];
        let (skill, _, location) = &described[pair.second];
        let is_distinguished = mentions_own_name(skill, other) && mentions_own_name(other, skill);
        if !skill.shares_name_with(other) && !is_distinguished {
            let percent = (pair.similarity * 100.0).floor();
            let name = skill.shown_name();
            let other = other.shown_name();
            let message = format!("the descriptions of `{name}` and `{other}` are {percent} % similar");
            let help = "state in each description how it differs from the other, or merge the two skills";
            findings.push(
                RULE.at((*location).clone(), message)
                    .help(help)
                    .related((*other_location).clone(), "the similar description"),
            );
        }
    }
}

/// Whether a description contains a word of its skill's name that is not in the other name, and more often than the other
/// description: `pdf` and `word` distinguish `convert-pdf` from `convert-word`.
fn mentions_own_name(skill: &SkillSummary, other: &SkillSummary) -> bool {
    let text =
        |skill: &SkillSummary| skill.description.as_ref().map(|(text, _)| text.to_lowercase()).unwrap_or_default();
    let own = text(skill);
    let theirs = text(other);
    let name = other.shown_name();
    let shown = skill.shown_name();
    let mut words = shown.split('-').filter(|word| !word.is_empty() && !name.split('-').any(|other| other == *word));
    words.any(|word| count(&own, word) > count(&theirs, word))
}

fn count(text: &str, word: &str) -> usize {
    text.split(|c: char| !c.is_alphanumeric()).filter(|other| *other == word).count()
}
