//! See `deprecated_skill.md`.

use super::deprecated_skill_used;
use crate::repo_facts::{RepoFacts, SkillSummary};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "deprecated-skill",
    summary: "skill names a deprecated skill, or is replaced by one that is missing",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("deprecated_skill.md"),
    check: Check::Each(&[Check::Repo(check), Check::Repo(deprecated_skill_used::check)]),
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
