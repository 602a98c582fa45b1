//! Part of `plan-schema`: command does not start with `Run:` or `Read:`.

use super::helpers::{built_in, document};
use super::plan_schema::RULE;
use crate::Finding;
use crate::violations::dotted;
use canonry_model::canon::plan::Plan;
use canonry_model::finding::Location;

const PREFIXES: [&str; 2] = ["Run:", "Read:"];

pub(super) fn check(plan: &Plan, findings: &mut Vec<Finding>) {
    let Some(document) = document(plan) else { return };
    for violation in built_in(document, |keyword| keyword == "pattern") {
        let root = document.yaml.as_ref().ok().map(|yaml| &yaml.root);
        let node = root.and_then(|root| root.at_pointer(&violation.pointer)).map(|(node, _)| node);
        let command = node.and_then(|node| node.as_str()).unwrap_or_default();
        let at = dotted(&violation.pointer);
        let (message, help) = describe_command(&at, command.trim());
        findings.push(RULE.at(Location::at(&document.source, violation.span), message).help(help));
    }
}

fn describe_command(at: &str, command: &str) -> (String, String) {
    if let Some(prefix) = PREFIXES.iter().find(|prefix| **prefix == command) {
        return (format!("`{at}` is empty after `{prefix}`"), "add the command to run or the file to read".to_owned());
    }
    let message = format!("`{at}` starts with neither `Run:` nor `Read:`");
    let is_prefix = |prefix: &&&str| command.get(..prefix.len()).is_some_and(|c| c.eq_ignore_ascii_case(prefix));
    if let Some(prefix) = PREFIXES.iter().find(is_prefix) {
        return (message, format!("write the prefix as `{prefix}`"));
    }
    let line = command.lines().next().unwrap_or_default();
    (message, format!("write `Run: {line}` for a command that must exit with 0, or `Read: …` for a file to read"))
}
