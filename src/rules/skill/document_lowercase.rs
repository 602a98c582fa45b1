//! See `document_lowercase.md`.

use super::spelling::renamed;
use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "document-lowercase",
    summary: "a `skill.md` in lower case",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("document_lowercase.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, drafts: &mut RawFindings) {
    if skill.path().file_name() == "skill.md" {
        let draft =
            RawFinding::new(Location::file(skill.path()), "the file is called `skill.md`; tools look for `SKILL.md`");
        drafts.push(draft.help("rename it: `git mv skill.md SKILL.md`").fix(renamed(skill)));
    }
}
