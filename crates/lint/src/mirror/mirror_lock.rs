//! See `mirror_lock.md`.

use super::grouping::synced;
use crate::repo_facts::RepoFacts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::{Location, Severity};
use canonry_text::RepoPath;

/// Maximum number of paths named in a message.
const MAX_NAMED: usize = 3;

pub(super) static RULE: Rule = Rule {
    id: "mirror-lock",
    summary: "lock does not match the mirrors",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("mirror_lock.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    let (Some(plan), Some(survey)) = (synced(repo), repo.survey.as_ref()) else { return };
    let lock = &survey.lock;
    if let Some(conflict) = &survey.lock_conflict {
        let finding = RULE.at(conflict.clone(), "the lock has an unresolved merge conflict");
        findings
            .push(finding.help(format!("run `canonry sync`, which resolves it, then `git add {}`", lock.shell_word())));
        return;
    }
    let drift = &plan.lock_drift;
    let mut report = |what: &str, paths: &[RepoPath]| {
        if !paths.is_empty() {
            let message = format!("{what}: {}", list(paths));
            let finding = RULE.at(Location::file(lock), message);
            findings.push(finding.help("run `canonry sync`, which corrects the lock, and commit it with the mirrors"));
        }
    };
    report("the lock lacks lines for mirrored files", &drift.missing);
    report("the lock has outdated lines", &drift.stale);
}

fn list(paths: &[RepoPath]) -> String {
    let named: Vec<String> = paths.iter().take(MAX_NAMED).map(RepoPath::to_display).collect();
    match paths.len().saturating_sub(MAX_NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
