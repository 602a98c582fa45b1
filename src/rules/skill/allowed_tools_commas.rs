//! See `allowed_tools_commas.md`.

use super::fields::Field;
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "allowed-tools-commas",
    summary: "tools that are separated by commas",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("allowed_tools_commas.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, drafts: &mut Drafts) {
    let Some(field) = Field::of(skill, "allowed-tools") else { return };
    if field.text().is_some_and(has_outer_comma) {
        let message = "the tools in `allowed-tools` are separated by commas; the separator is a space";
        drafts.push(field.at_value(message).help("write it as `Read Grep Bash(git:*)`"));
    }
}

/// Whether a comma stands outside parentheses; inside, it belongs to a tool's own pattern.
fn has_outer_comma(tools: &str) -> bool {
    let mut depth = 0_usize;
    tools.chars().any(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
}
