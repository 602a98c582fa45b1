//! See `hidden_comment.md`.

use super::instructions;
use crate::canon::skill::Skill;
use crate::finding::{Draft, Place, Severity};
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "hidden-comment",
    summary: "an HTML comment that holds instructions for an agent",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("hidden_comment.md"),
    check: Check::Skill(check),
};

const HELP: &str = "delete the comment, or write openly in the text what an agent is to do";

fn check(skill: &Skill, drafts: &mut Drafts) {
    let Ok(document) = &skill.document else { return };
    for comment in &document.outline.comments {
        let Some(what) = instructions::find(document.source.slice(*comment)) else { continue };
        let place = Place::at(&document.source, *comment);
        let message = format!("a comment that is not shown {what}");
        drafts.push(Draft::new(place, message).help(HELP));
    }
}
