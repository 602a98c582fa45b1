//! See `secret.md`.

use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::{Span, secrets};

pub(super) static RULE: Rule = Rule {
    id: "secret",
    summary: "token or private key in a skill",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("secret.md"),
    check: Check::Skill(check),
};

const HELP: &str =
    "revoke it now: everyone with access to the repository can read it; then use an environment variable";

fn check(skill: &Skill, findings: &mut RawFindings) {
    for (source, _) in skill.all_texts() {
        let text = source.text();
        for (span, what) in secrets::find_all(text) {
            let shown = source.slice(span).chars().take(SHOWN).collect::<String>();
            let message = format!("`{shown}…` looks like {what}");
            // Only the beginning is highlighted: more people read reports than the file.
            let location = Location { source: None, ..Location::at(source, Span { length: shown.len(), ..span }) };
            findings.push(RawFinding::new(location, message).help(HELP));
        }
    }
}

/// Characters of a secret in the message: enough to find it, too few to use it.
const SHOWN: usize = 8;
