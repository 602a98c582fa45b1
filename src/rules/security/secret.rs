//! See `secret.md`.

use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::{Span, secrets};

pub(super) static RULE: Rule = Rule {
    id: "secret",
    summary: "a token or private key in a file of a skill",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("secret.md"),
    check: Check::Skill(check),
};

const HELP: &str =
    "revoke it at once: whoever can read the repository has it; then name the environment variable to take it from";

fn check(skill: &Skill, findings: &mut RawFindings) {
    for (source, _) in skill.all_texts() {
        let text = source.text();
        for (span, what) in secrets::all(text) {
            let shown = source.slice(span).chars().take(SHOWN).collect::<String>();
            let message = format!("`{shown}…` looks like {what}");
            // Only its beginning is pointed at: reports are read by more people than the file is.
            let place = Location { source: None, ..Location::at(source, Span { length: shown.len(), ..span }) };
            findings.push(RawFinding::new(place, message).help(HELP));
        }
    }
}

/// Characters of a secret that are told: enough to find it, too few to use it.
const SHOWN: usize = 8;
