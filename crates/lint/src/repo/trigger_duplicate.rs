//! See `trigger_duplicate.md`.

use crate::repo_facts::RepoFacts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::Severity;
use std::collections::BTreeMap;

pub(super) static RULE: Rule = Rule {
    id: "trigger-duplicate",
    summary: "skills with the same trigger phrase",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("trigger_duplicate.md"),
    check: Check::Repo(check),
};

/// Trigger phrases named in a message.
const SHOWN: usize = 3;

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    if repo.canon.is_none() {
        return;
    }
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, skill) in repo.skills.iter().enumerate() {
        // The shared triggers by the other skill.
        let mut shared: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, (trigger, _)) in skill.triggers.iter().enumerate() {
            match first.get(trigger.as_str()) {
                Some(other) if !skill.shares_name_with(&repo.skills[*other]) => {
                    shared.entry(*other).or_default().push(number)
                }
                Some(_) => {}
                None => drop(first.insert(trigger, at)),
            }
        }
        findings.extend(shared.iter().filter_map(|(other, triggers)| finding(repo, at, *other, triggers)));
    }
}

fn finding(repo: &RepoFacts<'_>, at: usize, other: usize, shared: &[usize]) -> Option<Finding> {
    let skill = &repo.skills[at];
    let other = &repo.skills[other];
    let (trigger, location) = skill.triggers.get(*shared.first()?)?;
    let (_, other_location) = other.triggers.iter().find(|(text, _)| text == trigger)?;
    let named: Vec<String> =
        shared.iter().take(SHOWN).map(|number| format!("`{}`", skill.triggers[*number].0)).collect();
    let more = if shared.len() > SHOWN { format!(" and {} more", shared.len() - SHOWN) } else { String::new() };
    let verb = if shared.len() == 1 { "is also a trigger" } else { "are also triggers" };
    let message = format!("{}{more} {verb} of `{}`", named.join(", "), other.shown_name());
    let help = "keep the phrase in the skill that fits better, or merge the two skills";
    Some(RULE.at(location.clone(), message).help(help).related(other_location.clone(), "first used here"))
}
