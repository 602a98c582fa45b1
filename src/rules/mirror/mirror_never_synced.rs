//! See `mirror_never_synced.md`.

use crate::finding::{Location, RawFinding, Severity};
use crate::rules::facts::{Mirrors, RepoContext};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "mirror-never-synced",
    summary: "a repository whose canon was never mirrored",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("mirror_never_synced.md"),
    check: Check::Repo(check),
};

fn check(facts: &RepoContext, drafts: &mut RawFindings) {
    let never = matches!(facts.mirrors, Some(Mirrors::NeverSynced));
    let Some(first) = facts.skills.first().filter(|_| never) else { return };
    let draft = RawFinding::new(
        Location::file(&first.folder.parent().unwrap_or_default()),
        "the canon has not been mirrored yet, so no tool reads it",
    );
    drafts.push(draft.help("run `canonry sync`"));
}
