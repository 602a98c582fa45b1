//! See `decision_incomplete.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::decisions::{DecisionPart, parse_decisions};
use canonry_model::canon::memory_file::MemoryFile;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "decision-incomplete",
    summary: "decision lacks its rationale, alternatives or status",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("decision_incomplete.md"),
    check: Check::Memory(check),
};

fn check(file: &MemoryFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    if !file.path.as_bstr().ends_with(b"memory/semantic/DECISIONS.md") {
        return;
    }
    for decision in parse_decisions(source.text()) {
        let missing: Vec<&str> = decision.missing().into_iter().map(DecisionPart::name).collect();
        if !missing.is_empty() {
            let message = format!("the decision \"{}\" does not state: {}", decision.title, missing.join(", "));
            let lines: Vec<String> = missing.iter().map(|name| format!("`- {}: …`", capitalized(name))).collect();
            let help = format!("add {}", lines.join(", "));
            findings.push(RULE.at(Location::at(source, decision.span), message).help(help));
        }
        if decision.parts.contains_key(&DecisionPart::Revisit) && decision.revisit_date().is_none() {
            let message = format!("the decision \"{}\" is to be revisited, but names no date", decision.title);
            let help = "write a date such as `- Revisit: 2027-01-31`; canonry reports the decision from that day on";
            findings.push(RULE.at(Location::at(source, decision.span), message).help(help));
        }
    }
}

fn capitalized(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
