//! See `description_near_duplicate.md`.

use super::likeness::pairs;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::repo_context::{RepoContext, SkillSummary};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "description-near-duplicate",
    summary: "skills with nearly the same description",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("description_near_duplicate.md"),
    check: Check::Repo(check),
};

/// Shared words of all words. Chosen on real skills: below it, pairs are siblings that tell each other apart.
const THRESHOLD: f64 = 0.75;
/// Characters from which a description has enough words to compare.
const SHORTEST: usize = 40;

fn check(repo: &RepoContext, findings: &mut RawFindings) {
    if repo.canon.is_none() {
        return;
    }
    let described: Vec<(&SkillSummary, &str, &Location)> = repo
        .skills
        .iter()
        .filter_map(|card| card.description.as_ref().map(|(text, place)| (card, text.trim(), place)))
        .filter(|(_, text, _)| text.len() >= SHORTEST)
        .collect();
    let texts: Vec<&str> = described.iter().map(|(_, text, _)| *text).collect();
    for pair in pairs(&texts, THRESHOLD) {
        let ((other, _, there), (card, _, here)) = (&described[pair.first], &described[pair.second]);
        let are_told_apart = says_its_own(card, other) && says_its_own(other, card);
        if !card.shares_name_with(other) && !are_told_apart {
            let percent = (pair.likeness * 100.0).floor();
            let (name, other) = (card.shown_name(), other.shown_name());
            let message = format!("the descriptions of `{name}` and `{other}` are alike to {percent} %");
            let help = "say in each what the other is not for, or make one skill of the two";
            findings
                .push(RawFinding::new((*here).clone(), message).help(help).related((*there).clone(), "like this one"));
        }
    }
}

/// Whether a description says a word of its skill's name that the other's name does not have, and more often than the other
/// description does: `pdf` and `word` tell `convert-pdf` from `convert-word`, whatever else they share.
fn says_its_own(card: &SkillSummary, other: &SkillSummary) -> bool {
    let text = |card: &SkillSummary| card.description.as_ref().map(|(text, _)| text.to_lowercase()).unwrap_or_default();
    let (own, theirs, name) = (text(card), text(other), other.shown_name());
    let shown = card.shown_name();
    let mut words = shown.split('-').filter(|word| !word.is_empty() && !name.split('-').any(|other| other == *word));
    words.any(|word| count(&own, word) > count(&theirs, word))
}

fn count(text: &str, word: &str) -> usize {
    text.split(|c: char| !c.is_alphanumeric()).filter(|other| *other == word).count()
}
