//! See `mirror_missing.md`.

use super::grouping::{edits, report_by_skill_with, synced};
use crate::finding::Severity;
use crate::rules::repo_context::RepoContext;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "mirror-missing",
    summary: "file is missing from a mirror",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("mirror_missing.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoContext, findings: &mut RawFindings) {
    let Some(plan) = synced(repo) else { return };
    let paths = edits(plan, |was, now| was.is_none() && now.is_some());
    let help = match repo.ignored_mirrors {
        true => {
            "git ignores it: set `files: {git: {ignore: true}}` in the config, or remove the pattern from `.gitignore` and run \
             `canonry sync`"
        }
        false => "run `canonry sync`",
    };
    report_by_skill_with(&paths, findings, help, |files, mirrors| format!("missing in {mirrors}: {files}"));
}
