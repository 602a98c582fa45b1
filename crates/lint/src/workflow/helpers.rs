//! Helpers of the workflow rules: access to the definition, durations, suggestions and lists.

use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::capped::SHOWN;
use canonry_model::canon::workflow::{Workflow, WorkflowDefinition, WorkflowDocument};
use canonry_model::finding::Location;
use canonry_text::closest_match;
use canonry_text::{Source, Span};
use std::sync::Arc;

/// The help for an invalid duration.
pub(super) const DURATION_HELP: &str = "write a number and a unit, such as `90s`, `15m`, `24h` or `1h 30m`";

/// The document and the definition, if the file is a workflow.
pub(super) fn definition(workflow: &Workflow) -> Option<(&WorkflowDocument, &WorkflowDefinition)> {
    let document = workflow.document.as_ref().ok()?;
    Some((document, document.definition()?))
}

/// Like `definition`, but only for the durable dialect, which requires more keys.
pub(super) fn durable(workflow: &Workflow) -> Option<(&WorkflowDocument, &WorkflowDefinition)> {
    definition(workflow).filter(|(_, definition)| definition.is_durable())
}

/// Findings of `workflow-schema` in one workflow.
pub(super) struct Flaws<'a> {
    pub source: &'a Arc<Source>,
    pub findings: &'a mut Vec<Finding>,
}

impl Flaws<'_> {
    pub fn finding(&self, span: Span, message: String, help: impl Into<String>) -> Finding {
        RULE.at(Location::at(self.source, span), message).help(help)
    }

    pub fn add(&mut self, span: Span, message: String, help: impl Into<String>) {
        let finding = self.finding(span, message, help);
        self.findings.push(finding);
    }
}

/// The location for a missing top-level key: the first key of the file.
pub(super) fn start(document: &WorkflowDocument) -> Span {
    let root = document.yaml.as_ref().ok().and_then(|yaml| yaml.root.as_mapping());
    root.and_then(|root| root.entries.first()).map_or(Span::default(), |entry| entry.key_span)
}

/// Whether a text is a positive duration.
pub(super) fn is_duration(text: &str) -> bool {
    // A number without a unit is not a duration.
    text.parse::<jiff::Span>().is_ok_and(|span| span.is_positive())
}

/// The name that a misspelled one most likely means. Findings beyond the limit get no suggestion: nobody sees it, and
/// comparing all names would take quadratic time.
pub(super) fn nearest<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
    findings: &[Finding],
) -> Option<&'a str> {
    if findings.len() > SHOWN { None } else { closest_match(word, known) }
}

/// The help for a word that is not one of `words`.
pub(super) fn valid_values_help(word: &str, words: &[&str]) -> String {
    match closest_match(word, words.iter().copied()) {
        Some(known) => format!("did you mean `{known}`? valid values are {}", words.join(", ")),
        None => format!("valid values are {}", words.join(", ")),
    }
}

/// Joins words: `a`, `a or b`, `a, b or c`.
pub(super) fn list(words: &[String], and: &str) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} {and} {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit_and_are_positive() {
        for text in ["90s", "15m", "24h", "1h 30m", "1h30m", "2d", "PT15M", "500ms", "2 hours"] {
            assert!(is_duration(text), "{text}");
        }
        for text in ["", "15", "soon", "0s", "-5m", "[…]", "15 m o", "1e3s", "m"] {
            assert!(!is_duration(text), "{text}");
        }
    }

    #[test]
    fn lists_have_a_conjunction() {
        let words = ["a", "b", "c"].map(str::to_owned);
        assert_eq!([1, 2, 3].map(|n| list(&words[..n], "or")), ["a", "a or b", "a, b or c"]);
    }
}
