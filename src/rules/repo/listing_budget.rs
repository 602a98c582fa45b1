//! See `listing_budget.md`.

use crate::config::Target;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::repo_context::RepoContext;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "listing-budget",
    summary: "descriptions exceed the space that Codex lists",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("listing_budget.md"),
    check: Check::Repo(check),
};

/// Size of the skill listing of Codex in characters, if the context size of the model is unknown; otherwise 2 % of it.
const CODEX_LISTING: usize = 8_000;
/// The number of longest descriptions to point out.
const LONGEST: usize = 3;

fn check(repo: &RepoContext, findings: &mut RawFindings) {
    let Some(canon) = &repo.canon else { return };
    if !canon.targets.iter().any(|target| matches!(target, Target::Codex | Target::Agents)) {
        return;
    }
    let described = repo.skills.iter().filter_map(|card| card.description.as_ref());
    let mut lengths: Vec<(usize, &Location)> =
        described.map(|(text, location)| (text.chars().count(), location)).collect();
    let all: usize = lengths.iter().map(|(length, _)| length).sum();
    if all <= CODEX_LISTING {
        return;
    }
    lengths.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
    let message = format!(
        "the descriptions of {} skills have {all} characters in total; Codex lists {CODEX_LISTING}, or 2 % of its context",
        lengths.len()
    );
    let finding = RawFinding::new(Location::file(&canon.skills), message)
        .help("shorten the longest descriptions, or merge skills that belong together");
    let longest = lengths.into_iter().take(LONGEST);
    findings.push(longest.fold(finding, |finding, (length, location)| {
        finding.related(location.clone(), format!("{length} of these characters"))
    }));
}
