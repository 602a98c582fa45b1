//! See `skill_schema.md`.

use super::fields::{self, Field};
use super::yaml_invalid::heading_of_keys;
use super::{
    allowed_tools_commas, known_keys, metadata_flow_style, metadata_value_nested, metadata_value_scalar, unknown_key,
    value_not_string,
};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::skill::Skill;
use canonry_model::config::TOOLS;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "skill-schema",
    summary: "frontmatter does not match the specification",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("skill_schema.md"),
    check: Check::Each(&[
        Check::Skill(check_root),
        Check::Skill(check_name),
        Check::Skill(check_name_length),
        Check::Skill(check_description),
        Check::Skill(check_description_length),
        Check::Skill(value_not_string::check),
        Check::Skill(check_compatibility),
        Check::Skill(check_metadata),
        Check::At(
            Defaults { team: Severity::Info, spec: Severity::Error },
            &Check::Skill(metadata_value_nested::check),
        ),
        Check::At(Defaults::both(Severity::Info), &Check::Skill(metadata_value_scalar::check)),
        // Some tools document metadata on one line.
        Check::At(Defaults { team: Severity::Off, spec: Severity::Info }, &Check::Skill(metadata_flow_style::check)),
        // Claude Code documents commas, spaces and lists; other tools follow the specification.
        Check::At(
            Defaults { team: Severity::Off, spec: Severity::Warning },
            &Check::Skill(allowed_tools_commas::check),
        ),
        Check::At(Defaults { team: Severity::Warning, spec: Severity::Error }, &Check::Skill(unknown_key::check)),
        Check::At(Defaults { team: Severity::Off, spec: Severity::Error }, &Check::Skill(check_extensions)),
    ]),
};

const DESCRIPTION_HELP: &str = "describe in one or two sentences what the skill does and when to use it";

/// Frontmatter is not a mapping.
fn check_root(skill: &Skill, findings: &mut Vec<Finding>) {
    let (Some(source), Some(front)) = (skill.source(), skill.front()) else { return };
    let Some(root) = front.root() else { return };
    // Empty frontmatter is reported by the rules on missing keys.
    if root.as_mapping().is_some() || root.is_null() {
        return;
    }
    if let Some(finding) = heading_of_keys(&RULE, source, front.fences.yaml, root.span.offset) {
        findings.push(finding);
        return;
    }
    let message = format!("the frontmatter is {}, not a mapping", fields::describe(root));
    findings.push(RULE.at(Location::at(source, root.span), message).help("write one `key: value` per line"));
}

/// Skill name is missing or empty.
fn check_name(skill: &Skill, findings: &mut Vec<Finding>) {
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

/// Skill name is too long.
fn check_name_length(skill: &Skill, findings: &mut Vec<Finding>) {
    let finding = fields::too_long(&RULE, skill, "name");
    findings.extend(finding.map(|finding| finding.help("shorten the name and the name of the directory")));
}

/// Description is missing or empty.
fn check_description(skill: &Skill, findings: &mut Vec<Finding>) {
    findings.extend(fields::missing(&RULE, skill, "description").map(|finding| finding.help(DESCRIPTION_HELP)));
}

/// Description is too long.
fn check_description_length(skill: &Skill, findings: &mut Vec<Finding>) {
    let help = "keep what the skill does and when to use it, and move the rest to the body";
    findings.extend(fields::too_long(&RULE, skill, "description").map(|finding| finding.help(help)));
}

/// `compatibility` is empty or too long.
fn check_compatibility(skill: &Skill, findings: &mut Vec<Finding>) {
    findings.extend(fields::too_long(&RULE, skill, "compatibility").map(|finding| finding.help("shorten it")));
    let Some(field) = Field::find(skill, "compatibility") else { return };
    if field.value().is_null() || field.breaks(&["minLength"]) {
        findings.push(
            field.at_key(&RULE, "`compatibility` is empty").help("describe what the skill needs, or remove the key"),
        );
    }
}

/// `metadata` is not a mapping.
fn check_metadata(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(field) = Field::find(skill, "metadata") else { return };
    if field.breaks(&["type"]) {
        let message = format!("`metadata` is {}, not a mapping", fields::describe(field.value()));
        findings
            .push(field.at_key(&RULE, message).help("write one indented `key: value` per line, or remove `metadata`"));
    }
}

/// Frontmatter key that is not in the specification.
fn check_extensions(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(source) = skill.source() else { return };
    for violation in skill.violations().iter().filter(|v| v.is_built_in("", &["additionalProperties"])) {
        let Some(known) = violation.key.as_deref().and_then(known_keys::find) else { continue };
        let message = format!("`{}` is a key of {}, not of the specification", known.key, known.reader_names());
        let help = "remove it from a skill that you publish, or move it to `metadata`";
        findings.push(RULE.at(Location::at(source, violation.span), message).help(help));
    }
}
