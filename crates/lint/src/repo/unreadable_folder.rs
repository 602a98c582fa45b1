//! See `unreadable_folder.md`.

use crate::repo_context::RepoContext;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "unreadable-folder",
    summary: "directory cannot be listed",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("unreadable_folder.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoContext, findings: &mut Vec<Finding>) {
    for (path, reason) in &repo.unreadable_folders {
        let message = format!("cannot read this directory: {reason}");
        let help = reason.advice.unwrap_or("correct its permissions, or remove it from the canon");
        findings.push(RULE.at(Location::file(path), message).help(help));
    }
}
