//! See `duplicate_key.md`.

use crate::canon::skill::Skill;
use crate::finding::{Draft, Place, Severity};
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "duplicate-key",
    summary: "a key that stands twice in the frontmatter",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("duplicate_key.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, drafts: &mut Drafts) {
    let (Some(source), Some(front)) = (skill.source(), skill.front()) else { return };
    let Ok(document) = &front.yaml else { return };
    for duplicate in &document.duplicates {
        let message = format!("the key `{}` stands twice", duplicate.key);
        let first = Place::at(source, duplicate.first);
        let draft = Draft::new(Place::at(source, duplicate.span), message).help("remove one of them");
        drafts.push(draft.related(first, "first here"));
    }
}
