//! Part of `file-unreadable`: directory cannot be listed.

use super::file_unreadable::RULE;
use crate::Finding;
use crate::repo_facts::RepoFacts;
use canonry_model::finding::Location;

pub(super) fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    for (path, reason) in &repo.unreadable_folders {
        let message = format!("cannot read this directory: {reason}");
        let help = reason.advice.unwrap_or("correct its permissions, or remove it from the canon");
        findings.push(RULE.at(Location::file(path), message).help(help));
    }
}
