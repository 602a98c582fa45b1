//! See `allowed_tools_commas.md`.

use super::fields::Field;
use crate::canon::skill::Skill;
use crate::finding::{Fix, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "allowed-tools-commas",
    summary: "`allowed-tools` is separated by commas",
    // Claude Code documents commas, spaces and lists; other tools follow the specification.
    severity: Defaults { team: Severity::Off, spec: Severity::Warning },
    docs: include_str!("allowed_tools_commas.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(field) = Field::find(skill, "allowed-tools") else { return };
    let Some(tools) = field.text().map(outer_parts).filter(|tools| tools.len() > 1) else { return };
    let message = "the tools in `allowed-tools` are separated by commas instead of spaces";
    let tools: Vec<&str> = tools.into_iter().map(str::trim).filter(|tool| !tool.is_empty()).collect();
    let fix = field.set(&tools.join(" ")).map(|edit| Fix::safe("separate the tools by spaces", vec![edit]));
    let help = format!("separate the tools by spaces: `{}`", tools.join(" "));
    findings.push(field.at_value(message).help(help).fix(fix));
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
