//! See `skill_setting_unknown.md`.

use crate::repo_facts::RepoFacts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::Severity;
use canonry_text::closest_match;

pub(super) static RULE: Rule = Rule {
    id: "skill-setting-unknown",
    summary: "`skills` setting for a skill that does not exist",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("skill_setting_unknown.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    // A setting in the user's own config may be for another repository.
    let Some(canon) = repo.canon.as_ref().filter(|canon| canon.source.is_some()) else { return };
    let folders = repo.skills.iter().map(|card| card.folder.file_name_lossy());
    let names: Vec<String> = folders.chain(canon.linked.iter().cloned()).collect();
    for key in canon.config.skills.keys().filter(|key| !names.contains(key)) {
        let intended = closest_match(key, names.iter().map(String::as_str));
        let help = match intended {
            Some(name) => format!("did you mean `{name}`? write the name of the skill's directory"),
            None => "write the directory name of a skill in the canon, or remove the entry".to_owned(),
        };
        let message = format!("no skill is named `{key}`, so this setting has no effect");
        findings.push(RULE.at(canon.locate_key(&["skills", key]), message).help(help));
    }
}
