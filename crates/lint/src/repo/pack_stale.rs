//! See `pack_stale.md`.

use crate::repo_facts::{PackProblem, RepoFacts, StalePack};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::{Location, Severity};
use canonry_text::RepoPath;

pub(super) static RULE: Rule = Rule {
    id: "pack-stale",
    summary: "packed plugin is out of date, edited, or has an old version",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("pack_stale.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    findings.extend(repo.stale_pack.iter().map(finding));
}

fn finding(stale: &StalePack) -> Finding {
    let (message, help) = match &stale.problem {
        PackProblem::Outdated { version, next, files } => (
            format!("the plugin {version} is not what the canon makes now: {} would change", named(files)),
            format!("run `canonry pack`, which makes it {next}"),
        ),
        PackProblem::Edited { files } => (
            format!("files of the plugin are missing or were edited: {}", named(files)),
            "run `canonry pack`, which restores missing files and names the edited ones; make changes in the canon".to_owned(),
        ),
        PackProblem::SameVersion { version } => (
            format!("the plugin differs from that of the last commit, but its version is still {version}"),
            "tools keep the copy that they have of a version: restore `pack.lock` and the plugin's files from that commit, \
             and run `canonry pack`, which increases the version"
                .to_owned(),
        ),
        PackProblem::Impossible(reason) => {
            (format!("the plugin cannot be compared with the canon: {reason}"), "run `canonry pack`".to_owned())
        }
    };
    RULE.at(Location::file(&stale.lock), message).help(help)
}

fn named(files: &[RepoPath]) -> String {
    match files {
        [] => "its version".to_owned(),
        [one] => format!("`{one}`"),
        [first, _] => format!("`{first}` and another file"),
        [first, more @ ..] => format!("`{first}` and {} other files", more.len()),
    }
}
