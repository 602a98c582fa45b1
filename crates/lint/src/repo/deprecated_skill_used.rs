//! Part of `deprecated-skill`: skill names a deprecated skill.

use super::deprecated_skill::RULE;
use crate::Finding;
use crate::repo_facts::{RepoFacts, SkillSummary};
use std::collections::BTreeMap;

pub(super) fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    let deprecated: BTreeMap<String, &SkillSummary> =
        repo.skills.iter().filter(|skill| skill.is_deprecated).map(|skill| (skill.shown_name(), skill)).collect();
    for skill in repo.skills.iter().filter(|skill| !skill.is_deprecated) {
        for (name, location) in &skill.mentions {
            let Some(old) = deprecated.get(name) else { continue };
            let help = match &old.replaced_by {
                Some((new, _)) => format!("name `{new}`, which replaces it"),
                None => "name another skill, or write the instructions here".to_owned(),
            };
            let message = format!("the skill `{name}` is deprecated");
            findings.push(RULE.at(location.clone(), message).help(help));
        }
    }
}
