//! See `mirror_never_synced.md`.

use crate::finding::{Draft, Place, Severity};
use crate::rules::facts::{Facts, Mirrors};
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "mirror-never-synced",
    summary: "a repository whose canon was never mirrored",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("mirror_never_synced.md"),
    check: Check::Repo(check),
};

fn check(facts: &Facts, drafts: &mut Drafts) {
    let never = matches!(facts.mirrors, Some(Mirrors::NeverSynced));
    let Some(first) = facts.skills.first().filter(|_| never) else { return };
    let draft = Draft::new(Place::file(&first.place.path), "the canon has not been mirrored yet, so no tool reads it");
    drafts.push(draft.help("run `canonry sync`"));
}
