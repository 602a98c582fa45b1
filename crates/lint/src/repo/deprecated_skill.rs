//! See `deprecated_skill.md`.

use crate::repo_facts::{RepoFacts, SkillSummary};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::Severity;
use std::collections::BTreeMap;

pub(super) static RULE: Rule = Rule {
    id: "deprecated-skill",
    summary: "skill names a deprecated skill, or is replaced by one that is missing",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("deprecated_skill.md"),
    check: Check::Each(&[Check::Repo(check), Check::Repo(check_mentions)]),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    // Without the whole canon, a skill that is not in scope seems missing.
    let Some(canon) = repo.canon.as_ref() else { return };
    for skill in repo.skills {
        let Some((name, location)) = &skill.replaced_by else { continue };
        let is_called =
            |other: &&SkillSummary| other.shown_name() == *name || other.folder.file_name() == name.as_bytes();
        let message = match repo.skills.iter().find(is_called) {
            Some(other) if other.folder == skill.folder => "the skill is replaced by itself".to_owned(),
            Some(other) if other.is_deprecated => format!("`{name}` replaces this skill, but is deprecated too"),
            Some(_) => continue,
            None if canon.linked.contains(name) => continue,
            None => format!("`{name}` replaces this skill, but there is no such skill"),
        };
        let help = "name a skill of this canon that is in use, or remove `replaced-by`";
        findings.push(RULE.at(location.clone(), message).help(help));
    }
}

/// Skill names a deprecated skill.
fn check_mentions(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
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
