//! See `mirror_orphan.md`.

use super::shared::{by_folder, edits, synced};
use crate::finding::Severity;
use crate::rules::facts::Facts;
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "mirror-orphan",
    summary: "a mirrored file whose file in the canon is gone",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("mirror_orphan.md"),
    check: Check::Repo(check),
};

fn check(facts: &Facts, drafts: &mut Drafts) {
    let Some(decision) = synced(facts) else { return };
    let paths = edits(decision, |_, now| now.is_none());
    by_folder(&paths, drafts, |_, files| {
        (format!("the canon no longer has {files}"), "run `canonry sync`, which removes what it wrote".to_owned())
    });
}
