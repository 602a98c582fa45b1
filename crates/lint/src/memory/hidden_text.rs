//! Hidden characters and prompt injection in files that collect what agents and programs wrote.

use crate::Defaults;
use crate::security::{find_hidden_characters, find_instructions};
use crate::{Finding, Rule};
use canonry_model::finding::{Location, Severity};
use canonry_text::{Source, Span};
use std::sync::Arc;

const HELP: &str =
    "remove it: agents read this file at the start of a session, and the text may come from the output of a program";

/// Checks every line of a file.
pub(super) fn check(rule: &'static Rule, source: &Arc<Source>, findings: &mut Vec<Finding>) {
    findings.extend(find_hidden_characters(rule, source));
    let mut start = 0;
    for line in source.text().split_inclusive('\n') {
        if let Some(what) = find_instructions(line) {
            let span = Span::new(start, start + line.trim_end().len());
            let finding = rule.at(Location::at(source, span), format!("this entry {what}")).help(HELP);
            findings.push(finding.severity(Defaults::both(Severity::Info)));
        }
        start += line.len();
    }
}
