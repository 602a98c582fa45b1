//! Part of `mirror-occupied`: mirror root is a link or a file.

use super::grouping::synced;
use super::mirror_occupied::RULE;
use crate::Finding;
use crate::repo_facts::RepoFacts;
use canonry_mirror::RefusalReason;
use canonry_model::finding::Location;

pub(super) fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    let Some(plan) = synced(repo) else { return };
    for refusal in &plan.refused {
        if matches!(
            refusal.reason,
            RefusalReason::RootIsLink { .. } | RefusalReason::RootIsFile { .. } | RefusalReason::RootIsSubmodule { .. }
        ) {
            let finding = RULE.at(Location::file(&refusal.path), refusal.reason.to_string());
            findings
                .push(finding.help("replace it with a directory, or remove the target from `targets` in the config"));
        }
    }
}
