//! Part of `skill-schema`: skill name is missing or empty.

use super::fields;
use super::skill_schema::RULE;
use crate::Finding;
use canonry_model::canon::skill::Skill;
use canonry_model::config::TOOLS;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    if is_of_other_program(skill) {
        return;
    }
    let help = match skill.directory_name() {
        Some(directory) => format!("write `name: {directory}`, the name of the directory"),
        None => "give the skill the name of its directory".to_owned(),
    };
    findings.extend(fields::missing(&RULE, skill, "name").map(|finding| finding.help(help)));
}

/// Whether the skill is in a hidden folder at the top that no tool reads. Its program has a format of its own, such as the input of
/// a generator, which adds the name.
fn is_of_other_program(skill: &Skill) -> bool {
    let Some(top) = skill.folder.path.components().next().filter(|top| top.starts_with(b".")) else { return false };
    let is_first = |path: &str| path.split('/').next().is_some_and(|first| top == first);
    !TOOLS.iter().any(|tool| {
        let shared = tool.skills.also_reads.iter();
        tool.traces.iter().chain(shared).any(|path| is_first(path)) || is_first(tool.skills.mirror)
    })
}
