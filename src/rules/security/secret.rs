//! See `secret.md`.

use crate::canon::agent_text::AgentText;
use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::text_secrets::find_certain;
use crate::syntax::{Source, Span};
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "secret",
    summary: "token or private key in a file that agents read",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("secret.md"),
    check: Check::Each(&[Check::Skill(check), Check::AgentText(check_agent_text)]),
};

const HELP: &str =
    "revoke it now: everyone with access to the repository can read it; then use an environment variable";

fn check(skill: &Skill, findings: &mut RawFindings) {
    for (source, _) in skill.all_texts() {
        findings.extend(secrets_in(source));
    }
}

fn check_agent_text(text: &AgentText, findings: &mut RawFindings) {
    findings.extend(secrets_in(&text.source));
}

fn secrets_in(source: &Arc<Source>) -> Vec<RawFinding> {
    let finding = |(span, what): (Span, _)| {
        // Half of a short password would be too much.
        let shown = source.slice(span).chars().take(SHOWN.min(span.length / 3)).collect::<String>();
        let message = format!("`{shown}…` looks like {what}");
        // Only the beginning is highlighted: more people read reports than the file.
        let location = Location { source: None, ..Location::at(source, Span { length: shown.len(), ..span }) };
        RawFinding::new(location, message).help(HELP)
    };
    find_certain(source.text()).into_iter().map(finding).collect()
}

/// Characters of a secret in the message: enough to find it, too few to use it.
const SHOWN: usize = 8;
