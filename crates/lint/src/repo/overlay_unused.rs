//! Part of `overlay-unusable`: overlay for an unknown tool or skill.

use super::overlay_unusable::RULE;
use crate::Finding;
use crate::repo_facts::RepoFacts;
use canonry_mirror::overlay::UnusedOverlay;
use canonry_model::finding::Location;

pub(super) fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
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
