//! See `mirror_not_read.md`.

use super::link_not_followed;
use crate::repo_facts::RepoFacts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::config::Target;
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "mirror-not-read",
    summary: "mirror that its tool does not read",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("mirror_not_read.md"),
    check: Check::Each(&[Check::Repo(check), Check::Repo(link_not_followed::check)]),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    let Some(canon) = repo.canon.as_ref().filter(|_| !repo.skills.is_empty()) else { return };
    let read = [Target::ANTIGRAVITY, Target::AGENTS].into_iter().find(|target| canon.targets.contains(target));
    let Some(target) = read.filter(|_| canon.config.files.git.ignore) else { return };
    let message = format!("Antigravity skips git-ignored directories, so it does not read {}", target.skills_root());
    let help = "commit the mirrors (`ignore: false`), or turn this rule off if nobody uses Antigravity";
    findings.push(RULE.at(canon.locate_key(&["files", "git", "ignore"]), message).help(help));
}
