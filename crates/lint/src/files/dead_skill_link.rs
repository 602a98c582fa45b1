//! Part of `file-unreadable`: link to a skill directory is broken.

use super::file_unreadable::RULE;
use crate::repo_facts::RepoFacts;
use crate::{Finding, unreadable};
use canonry_model::finding::Location;

pub(super) fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    for (path, why) in repo.dead_skill_links.iter() {
        let message = format!("cannot read the skill: {why}");
        findings.push(RULE.at(Location::file(path), message).help(unreadable::help_for_folder(why)));
    }
}
