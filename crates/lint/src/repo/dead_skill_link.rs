//! See `dead_skill_link.md`.

use crate::repo_context::RepoContext;
use crate::{Check, Defaults, Finding, Rule, unreadable};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "dead-skill-link",
    summary: "link to a skill directory is broken",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("dead_skill_link.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoContext, findings: &mut Vec<Finding>) {
    for (path, why) in &repo.dead_skill_links {
        let message = format!("cannot read the skill: {why}");
        findings.push(RULE.at(Location::file(path), message).help(unreadable::help_for_folder(why)));
    }
}
