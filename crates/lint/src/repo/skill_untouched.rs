//! See `skill_untouched.md`.

use crate::repo_context::{RepoContext, UNTOUCHED_DAYS};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::{Location, Severity};
use canonry_text::RepoPath;
use std::collections::BTreeSet;

pub(super) static RULE: Rule = Rule {
    id: "skill-untouched",
    summary: "skill without a commit in the last 60 days",
    severity: Defaults::both(Severity::Off),
    docs: include_str!("skill_untouched.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoContext, findings: &mut Vec<Finding>) {
    let Some(canon) = repo.canon.as_ref().filter(|canon| !canon.untouched.is_empty()) else { return };
    let untouched: BTreeSet<&RepoPath> = canon.untouched.iter().collect();
    for card in repo.skills.iter().filter(|card| untouched.contains(&card.folder)) {
        let message = format!("no commit has changed this skill in the last {UNTOUCHED_DAYS} days");
        let help = "review the skill: update what is out of date, or remove it if it is unused";
        findings.push(RULE.at(Location::file(&card.location.path), message).help(help));
    }
}
