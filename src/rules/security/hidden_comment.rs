//! See `hidden_comment.md`.

use super::instructions;
use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "hidden-comment",
    summary: "HTML comment with instructions for an agent",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("hidden_comment.md"),
    check: Check::Skill(check),
};

const HELP: &str = "remove the comment, or move its instructions to the visible text";

fn check(skill: &Skill, findings: &mut RawFindings) {
    for (source, outline) in skill.all_texts() {
        for comment in outline.iter().flat_map(|outline| &outline.comments) {
            let Some(what) = instructions::find(source.slice(*comment)) else { continue };
            let message = format!("this hidden comment {what}");
            findings.push(RawFinding::new(Location::at(source, *comment), message).help(HELP));
        }
    }
}
