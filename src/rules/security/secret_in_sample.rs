//! See `secret_in_sample.md`.

use super::secret::{in_agent_text, in_skill};
use crate::canon::agent_text::AgentText;
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "secret-in-sample",
    summary: "token in a sample",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("secret_in_sample.md"),
    check: Check::Each(&[Check::Skill(check), Check::AgentText(check_agent_text)]),
};

const HELP: &str = "if it was ever valid, revoke it; then write a placeholder such as `<token>`";

fn check(skill: &Skill, findings: &mut RawFindings) {
    let all = in_skill(skill, true).into_iter().map(|finding| finding.help(HELP));
    // The samples of one page of documentation have one author.
    findings.extend(all.map(|finding| finding.caused_by(skill.path().to_string(), ("sample", "samples"))));
}

fn check_agent_text(text: &AgentText, findings: &mut RawFindings) {
    findings.extend(in_agent_text(text, true).into_iter().map(|finding| finding.help(HELP)));
}
