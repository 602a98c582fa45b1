//! See `document_case.md`.

use super::spelling::{RIGHT, renamed};
use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "document-case",
    summary: "a `SKILL.md` in mixed case, such as `Skill.md` or `SKILL.MD`",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("document_case.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, drafts: &mut RawFindings) {
    let name = skill.path().file_name_lossy();
    if !matches!(name.as_str(), RIGHT | "skill.md") {
        let message = format!("the file is called `{name}`; only `SKILL.md` is a skill where case counts");
        let help = format!("rename it: `git mv {name} {RIGHT}`");
        drafts.push(RawFinding::new(Location::file(skill.path()), message).help(help).fix(renamed(skill)));
    }
}
