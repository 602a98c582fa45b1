//! See `special_file.md`.

use crate::repo_context::RepoContext;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::file_kind::is_plan;
use canonry_model::canon::inventory::is_skill_document;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "special-file",
    summary: "pipe, socket or device in the canon",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("special_file.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoContext, findings: &mut Vec<Finding>) {
    // `file-unreadable` reports documents and plans.
    for path in repo.special_files.iter().filter(|path| !is_skill_document(path) && !is_plan(path)) {
        let message = "pipe, socket or device; git does not store it, and it is not mirrored";
        findings.push(
            RULE.at(Location::file(path), message).help("replace it with a regular file, or add it to .gitignore"),
        );
    }
}
