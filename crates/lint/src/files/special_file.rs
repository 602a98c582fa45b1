//! Part of `file-unreadable`: pipe, socket or device in the canon.

use super::file_unreadable::RULE;
use crate::Finding;
use crate::repo_facts::RepoFacts;
use canonry_model::canon::file_kind::is_plan;
use canonry_model::canon::inventory::is_skill_document;
use canonry_model::finding::Location;

pub(super) fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    // These are reported as documents that cannot be read.
    for path in repo.special_files.iter().filter(|path| !is_skill_document(path) && !is_plan(path)) {
        let message = "pipe, socket or device; git does not store it, and it is not mirrored";
        findings.push(
            RULE.at(Location::file(path), message).help("replace it with a regular file, or add it to .gitignore"),
        );
    }
}
