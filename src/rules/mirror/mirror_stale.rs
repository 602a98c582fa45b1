//! See `mirror_stale.md`.

use super::shared::{by_folder, edits, synced};
use crate::finding::Severity;
use crate::rules::facts::Facts;
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "mirror-stale",
    summary: "a mirrored file that is older than the canon, or has lost its exec bit",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("mirror_stale.md"),
    check: Check::Repo(check),
};

fn check(facts: &Facts, drafts: &mut Drafts) {
    let Some(decision) = synced(facts) else { return };
    let paths = edits(decision, |was, now| was.is_some() && now.is_some());
    by_folder(&paths, drafts, |_, files| {
        (format!("the mirror is not up to date with the canon: {files}"), "run `canonry sync`".to_owned())
    });
}
