//! See `skill_review_due.md`.

use crate::repo_context::RepoContext;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::Severity;
use jiff::Unit;

pub(super) static RULE: Rule = Rule {
    id: "skill-review-due",
    summary: "date of a skill is more than a year old",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("skill_review_due.md"),
    check: Check::Repo(check),
};

/// Days after which a skill with a date should be read again.
const REVIEW_DAYS: i32 = 365;

fn check(repo: &RepoContext, findings: &mut Vec<Finding>) {
    let Some(today) = repo.today else { return };
    for skill in repo.skills.iter().filter(|skill| !skill.is_deprecated) {
        let Some((date, location)) = &skill.updated else { continue };
        let days = date.until((Unit::Day, today)).map_or(0, |span| span.get_days());
        if days <= REVIEW_DAYS {
            continue;
        }
        let message = format!("the skill is from {date}, {days} days ago");
        let help = "read it again with one of its tasks at hand; then update what is out of date, and the date";
        findings.push(RULE.at(location.clone(), message).help(help));
    }
}
