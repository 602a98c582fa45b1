//! See `unreadable_folder.md`.

use crate::repo_context::RepoContext;
use crate::{Check, Defaults, RawFindings, Rule};
use canonry_model::finding::{Location, RawFinding, Severity};

pub(super) static RULE: Rule = Rule {
    id: "unreadable-folder",
    summary: "directory cannot be listed",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("unreadable_folder.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoContext, findings: &mut RawFindings) {
    for (path, reason) in &repo.unreadable_folders {
        let message = format!("cannot read this directory: {reason}");
        let help = reason.advice.unwrap_or("correct its permissions, or remove it from the canon");
        findings.push(RawFinding::new(Location::file(path), message).help(help));
    }
}
