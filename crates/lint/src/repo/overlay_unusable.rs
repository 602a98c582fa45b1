//! See `overlay_unusable.md`.

use crate::repo_facts::RepoFacts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_mirror::overlay::UnusedOverlay;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "overlay-unusable",
    summary: "overlay without effect, or that cannot be merged into its skill",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("overlay_unusable.md"),
    check: Check::Each(&[Check::Repo(check), Check::At(Defaults::both(Severity::Warning), &Check::Repo(check_unused))]),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    for (path, reason) in &repo.overlays.unusable {
        let help = "correct or remove it; until then, the mirror of the skill for this tool stays unchanged";
        findings.push(RULE.at(Location::file(path), reason).help(help));
    }
}

/// Overlay for an unknown tool or skill.
fn check_unused(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    for (path, why) in &repo.overlays.unused {
        let help = match why {
            UnusedOverlay::NotATarget { target } => {
                format!("add `{}` to `targets` in the config, or remove the overlay", target.name())
            }
            UnusedOverlay::LinkedSkill { .. } => {
                "replace the link with the directory of the skill, or remove the overlay".to_owned()
            }
            UnusedOverlay::UnknownTool(_) | UnusedOverlay::NoSkill { .. } | UnusedOverlay::UnexpectedLocation => {
                "move it to overlays/<tool>/skills/<directory of the skill>/, or remove it".to_owned()
            }
        };
        findings.push(RULE.at(Location::file(path), why.to_string()).help(help));
    }
}
