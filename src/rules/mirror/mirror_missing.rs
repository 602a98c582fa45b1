//! See `mirror_missing.md`.

use super::shared::{by_folder, edits, synced};
use crate::finding::Severity;
use crate::rules::facts::Facts;
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "mirror-missing",
    summary: "a file of the canon that a mirror lacks",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("mirror_missing.md"),
    check: Check::Repo(check),
};

fn check(facts: &Facts, drafts: &mut Drafts) {
    let Some(decision) = synced(facts) else { return };
    let paths = edits(decision, |was, now| was.is_none() && now.is_some());
    by_folder(&paths, drafts, |_, files| {
        (format!("the mirror lacks {files} of the canon"), "run `canonry sync`".to_owned())
    });
}
