//! Part of `skill-schema`: frontmatter value is not a string.

use super::fields::{self, Field};
use super::skill_schema::RULE;
use crate::Defaults;
use crate::Finding;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::Severity;

/// The severity of a list of tools: Claude Code documents lists; the specification does not allow them.
const TOOLS: Defaults = Defaults { team: Severity::Off, spec: Severity::Error };

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    for key in ["name", "description", "compatibility"] {
        findings.extend(not_string(skill, key));
    }
    let help = "write one string: the name of the license, or of the file that contains it";
    findings.extend(not_string(skill, "license").map(|finding| finding.help(help)));
    allowed_tools(skill, findings);
}

fn allowed_tools(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(field) = Field::find(skill, "allowed-tools") else { return };
    if field.breaks(&["type"]) {
        let message = format!("`allowed-tools` is {}, not a string", fields::describe(field.value()));
        let tools = field.value().as_sequence().map(|tools| tools.iter().filter_map(|tool| tool.as_str()).collect());
        let tools: Vec<&str> = tools.unwrap_or_default();
        let help = if tools.is_empty() {
            "write one string with spaces between the tools: `Read Bash(git:*)`".to_owned()
        } else {
            format!("write one string: `allowed-tools: {}`", tools.join(" "))
        };
        findings.push(field.at_key(&RULE, message).help(help).severity(TOOLS));
    }
}

/// An empty value is for the rules on missing values.
fn not_string(skill: &Skill, key: &str) -> Option<Finding> {
    let field = Field::find(skill, key)?;
    let is_wrong = field.breaks(&["type"]) && !field.value().is_null();
    is_wrong.then(|| {
        let finding = field.at_value(&RULE, format!("`{key}` is {}, not a string", fields::describe(field.value())));
        match field.value().as_scalar() {
            Some(scalar) => finding.help(format!("quote it: `{key}: \"{}\"`", scalar.text)),
            // One generator wrote all of them.
            None => {
                finding.help("write one string").caused_by(key, ("skill with such a value", "skills with such values"))
            }
        }
    })
}
