//! See `overlay_unusable.md`.

use super::overlay_unused;
use crate::repo_facts::RepoFacts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "overlay-unusable",
    summary: "overlay without effect, or that cannot be merged into its skill",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("overlay_unusable.md"),
    check: Check::Each(&[
        Check::Repo(check),
        Check::At(Defaults::both(Severity::Warning), &Check::Repo(overlay_unused::check)),
    ]),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    for (path, reason) in &repo.overlays.unusable {
        let help = "correct or remove it; until then, the mirror of the skill for this tool stays unchanged";
        findings.push(RULE.at(Location::file(path), reason).help(help));
    }
}
