//! See `unreadable_folder.md`.

use crate::finding::{Draft, Place, Severity};
use crate::rules::facts::Facts;
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "unreadable-folder",
    summary: "a folder whose files cannot be listed",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("unreadable_folder.md"),
    check: Check::Repo(check),
};

fn check(facts: &Facts, drafts: &mut Drafts) {
    for (path, reason) in &facts.unreadable {
        let message = format!("this folder cannot be read: {reason}");
        let help = reason.advice.unwrap_or("take it out of the canon, where it cannot be mended");
        drafts.push(Draft::new(Place::file(path), message).help(help));
    }
}
