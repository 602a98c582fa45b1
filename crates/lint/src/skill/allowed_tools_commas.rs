//! Part of `skill-schema`: `allowed-tools` is separated by commas.

use super::fields::Field;
use super::skill_schema::RULE;
use crate::Finding;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::Fix;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(field) = Field::find(skill, "allowed-tools") else { return };
    let Some(tools) = field.text().map(outer_parts).filter(|tools| tools.len() > 1) else { return };
    let message = "the tools in `allowed-tools` are separated by commas instead of spaces";
    let tools: Vec<&str> = tools.into_iter().map(str::trim).filter(|tool| !tool.is_empty()).collect();
    let fix = field.set(&tools.join(" ")).map(|edit| Fix::safe("separate the tools by spaces", vec![edit]));
    let help = format!("separate the tools by spaces: `{}`", tools.join(" "));
    findings.push(field.at_value(&RULE, message).help(help).fix(fix));
}

/// Splits at commas outside parentheses. Inside, they belong to the pattern of a tool.
fn outer_parts(tools: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let is_outer = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    tools.split(is_outer).collect()
}
