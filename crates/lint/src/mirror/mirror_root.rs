//! See `mirror_root.md`.

use super::grouping::synced;
use crate::repo_context::RepoContext;
use crate::{Check, Defaults, Finding, Rule};
use canonry_mirror::RefusalReason;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "mirror-root",
    summary: "mirror root is a link or a file",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("mirror_root.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoContext, findings: &mut Vec<Finding>) {
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
