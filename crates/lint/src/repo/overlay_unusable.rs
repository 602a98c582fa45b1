//! See `overlay_unusable.md`.

use crate::repo_context::RepoContext;
use crate::{Check, Defaults, RawFindings, Rule};
use canonry_model::finding::{Location, RawFinding, Severity};

pub(super) static RULE: Rule = Rule {
    id: "overlay-unusable",
    summary: "overlay cannot be merged into its skill",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("overlay_unusable.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoContext, findings: &mut RawFindings) {
    for (path, reason) in &repo.unusable_overlays {
        let help = "correct or remove it; until then, the mirror of the skill for this tool stays unchanged";
        findings.push(RawFinding::new(Location::file(path), reason).help(help));
    }
}
