//! See `hidden_comment.md`.

use super::instructions;
use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "hidden-comment",
    summary: "an HTML comment that holds instructions for an agent",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("hidden_comment.md"),
    check: Check::Skill(check),
};

const HELP: &str = "delete the comment, or write openly in the text what an agent is to do";

fn check(skill: &Skill, findings: &mut RawFindings) {
    for (source, outline) in skill.all_texts() {
        for comment in outline.iter().flat_map(|outline| &outline.comments) {
            let Some(what) = instructions::find(source.slice(*comment)) else { continue };
            let message = format!("a comment that is not shown {what}");
            findings.push(RawFinding::new(Location::at(source, *comment), message).help(HELP));
        }
    }
}
