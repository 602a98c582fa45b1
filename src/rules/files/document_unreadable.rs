//! See `document_unreadable.md`.

use crate::canon::skill::{DocumentError, Skill};
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule, missing};

pub(super) static RULE: Rule = Rule {
    id: "document-unreadable",
    summary: "a `SKILL.md` with no content to read, such as a link that leads nowhere",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("document_unreadable.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, drafts: &mut RawFindings) {
    let Err(DocumentError::Missing(why)) = &skill.document else { return };
    let message = format!("there is no skill to read: {why}");
    drafts.push(RawFinding::new(Location::file(skill.path()), message).help(missing::help(why)));
}
