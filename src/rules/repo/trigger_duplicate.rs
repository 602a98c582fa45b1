//! See `trigger_duplicate.md`.

use crate::finding::{RawFinding, Severity};
use crate::rules::repo_context::RepoContext;
use crate::rules::{Check, Defaults, RawFindings, Rule};
use std::collections::BTreeMap;

pub(super) static RULE: Rule = Rule {
    id: "trigger-duplicate",
    summary: "skills with the same trigger phrase",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("trigger_duplicate.md"),
    check: Check::Repo(check),
};

/// Triggers that are told one by one.
const SHOWN: usize = 3;

fn check(repo: &RepoContext, findings: &mut RawFindings) {
    if repo.canon.is_none() {
        return;
    }
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, card) in repo.skills.iter().enumerate() {
        // By the other skill: what is shared with it.
        let mut shared: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, (trigger, _)) in card.triggers.iter().enumerate() {
            match first.get(trigger.as_str()) {
                Some(other) if !card.shares_name_with(&repo.skills[*other]) => {
                    shared.entry(*other).or_default().push(number)
                }
                Some(_) => {}
                None => drop(first.insert(trigger, at)),
            }
        }
        findings.extend(shared.iter().filter_map(|(other, triggers)| finding(repo, at, *other, triggers)));
    }
}

fn finding(repo: &RepoContext, at: usize, other: usize, shared: &[usize]) -> Option<RawFinding> {
    let (card, other) = (&repo.skills[at], &repo.skills[other]);
    let (trigger, place) = card.triggers.get(*shared.first()?)?;
    let (_, there) = other.triggers.iter().find(|(text, _)| text == trigger)?;
    let named: Vec<String> =
        shared.iter().take(SHOWN).map(|number| format!("`{}`", card.triggers[*number].0)).collect();
    let more = if shared.len() > SHOWN { format!(" and {} more", shared.len() - SHOWN) } else { String::new() };
    let verb = if shared.len() == 1 { "is a trigger" } else { "are triggers" };
    let message = format!("{}{more} {verb} of `{}` too", named.join(", "), other.shown_name());
    let help = "leave the words to the one that fits better, or make one skill of the two";
    Some(RawFinding::new(place.clone(), message).help(help).related(there.clone(), "here first"))
}
