//! See `deprecated_skill_used.md`.

use crate::repo_context::{RepoContext, SkillSummary};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::Severity;
use std::collections::BTreeMap;

pub(super) static RULE: Rule = Rule {
    id: "deprecated-skill-used",
    summary: "skill names a deprecated skill",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("deprecated_skill_used.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoContext, findings: &mut Vec<Finding>) {
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
