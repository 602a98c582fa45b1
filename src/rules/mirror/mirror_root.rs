//! See `mirror_root.md`.

use super::shared::synced;
use crate::finding::{Draft, Place, Severity};
use crate::mirror::Reason;
use crate::rules::facts::Facts;
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "mirror-root",
    summary: "a mirror that is a link or a file",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("mirror_root.md"),
    check: Check::Repo(check),
};

fn check(facts: &Facts, drafts: &mut Drafts) {
    let Some(decision) = synced(facts) else { return };
    for refusal in &decision.refused {
        if matches!(refusal.reason, Reason::RootIsLink { .. } | Reason::RootIsFile { .. }) {
            let draft = Draft::new(Place::file(&refusal.path), refusal.reason.to_string());
            drafts.push(
                draft.help("make it a folder of this repository, or take the target out of `targets` in the config"),
            );
        }
    }
}
