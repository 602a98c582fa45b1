//! See `listing_budget.md`.

use crate::repo_facts::{RepoFacts, SkillSummary};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::config::Target;
use canonry_model::finding::{Location, Severity};
use canonry_text::RepoPath;

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

/// Folders that Codex reads at the top of a project.
const CODEX_FOLDERS: [&str; 2] = [".agents/skills", ".codex/skills"];

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    if let Some(canon) = repo.canon.as_ref()
        && canon.targets.iter().any(|target| matches!(*target, Target::CODEX | Target::AGENTS))
    {
        findings.extend(finding(repo.skills.iter(), &canon.skills));
    }
    for folder in CODEX_FOLDERS.map(RepoPath::from) {
        findings.extend(finding(repo.other_skills.iter().filter(|skill| skill.folder.is_within(&folder)), &folder));
    }
}

fn finding<'a>(skills: impl Iterator<Item = &'a SkillSummary>, folder: &RepoPath) -> Option<Finding> {
    let described = skills.filter_map(|card| card.description.as_ref());
    let mut lengths: Vec<(usize, &Location)> =
        described.map(|(text, location)| (text.chars().count(), location)).collect();
    let all: usize = lengths.iter().map(|(length, _)| length).sum();
    if all <= CODEX_LISTING {
        return None;
    }
    lengths.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
    let message = format!(
        "the descriptions of {} skills have {all} characters in total; Codex lists {CODEX_LISTING}, or 2 % of its context",
        lengths.len()
    );
    let finding = RULE
        .at(Location::file(folder), message)
        .help("shorten the longest descriptions, or merge skills that belong together");
    let longest = lengths.into_iter().take(LONGEST);
    Some(longest.fold(finding, |finding, (length, location)| {
        finding.related(location.clone(), format!("{length} of these characters"))
    }))
}
