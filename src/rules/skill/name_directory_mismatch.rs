//! See `name_directory_mismatch.md`.

use super::names::{self, Name};
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "name-directory-mismatch",
    summary: "skill name does not match its directory",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("name_directory_mismatch.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let (Some(name), Some(directory)) = (Name::from_skill(skill), skill.directory_name()) else { return };
    // The rules on the form of a name suggest the directory's name.
    if names::is_template(&directory)
        || name.is_malformed()
        || names::comparable(name.text) == names::comparable(&directory)
    {
        return;
    }
    let message = format!("the name is `{}`, but the directory is `{directory}`", name.text);
    let fix = name.valid_directory().and_then(|directory| name.rename(directory));
    findings.push(name.finding(message).help(help(name.text, &directory)).fix(fix));
}

/// Suggests only names that are valid.
fn help(name: &str, directory: &str) -> String {
    let better = names::suggestion(name).unwrap_or_default();
    let keeps_directory = names::suggestion(directory).is_some_and(|valid| valid == directory);
    match (keeps_directory, better.is_empty() || better == directory) {
        (true, true) => format!("write `name: {directory}`"),
        (true, false) => format!("write `name: {directory}`, or rename the directory to `{better}`"),
        (false, false) => format!("rename the directory to `{better}` and write `name: {better}`"),
        (false, true) => "give the skill and its directory the same valid name".to_owned(),
    }
}
