//! What the rules on workflows share.

use crate::canon::capped::SHOWN;
use crate::canon::workflow::{Workflow, WorkflowDefinition, WorkflowDocument};
use crate::config::closest_match;
use crate::rules::RawFindings;
use crate::syntax::Span;

/// What helps where a duration is none.
pub(super) const DURATIONS: &str = "write a number and a unit, such as `90s`, `15m`, `24h` or `1h 30m`";

/// The text and what it means, where it is a workflow.
pub(super) fn definition(workflow: &Workflow) -> Option<(&WorkflowDocument, &WorkflowDefinition)> {
    let document = workflow.document.as_ref().ok()?;
    Some((document, document.definition()?))
}

/// The same for a workflow of the durable dialect, in which a step has to say more.
pub(super) fn durable(workflow: &Workflow) -> Option<(&WorkflowDocument, &WorkflowDefinition)> {
    definition(workflow).filter(|(_, definition)| definition.is_durable())
}

/// Where to point for what the file as a whole lacks: its first key.
pub(super) fn start(document: &WorkflowDocument) -> Span {
    let root = document.yaml.as_ref().ok().and_then(|yaml| yaml.root.as_mapping());
    root.and_then(|root| root.entries.first()).map_or(Span::default(), |entry| entry.key_span)
}

/// Whether a text is a length of time above zero.
pub(super) fn is_duration(text: &str) -> bool {
    // A number alone would be a duration of nobody knows what.
    text.parse::<jiff::Span>().is_ok_and(|span| span.is_positive())
}

/// The name that a misspelt one most likely means. Beyond what is shown of a rule nobody reads it, and to compare every
/// name with every other would take the square of their number.
pub(super) fn nearest<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
    said_before: &RawFindings,
) -> Option<&'a str> {
    if said_before.len() > SHOWN { None } else { closest_match(word, known) }
}

/// What helps where a word is none of `words`.
pub(super) fn one_of(word: &str, words: &[&str]) -> String {
    match closest_match(word, words.iter().copied()) {
        Some(known) => format!("did you mean `{known}`? there is {}", words.join(", ")),
        None => format!("write one of {}", words.join(", ")),
    }
}

/// `a`, `a or b`, `a, b or c`.
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
    fn durations_have_a_unit_and_are_above_zero() {
        for text in ["90s", "15m", "24h", "1h 30m", "1h30m", "2d", "PT15M", "500ms", "2 hours"] {
            assert!(is_duration(text), "{text}");
        }
        for text in ["", "15", "soon", "0s", "-5m", "[…]", "15 m o", "1e3s", "m"] {
            assert!(!is_duration(text), "{text}");
        }
    }

    #[test]
    fn lists_read_well() {
        let words = ["a", "b", "c"].map(str::to_owned);
        assert_eq!([1, 2, 3].map(|n| list(&words[..n], "or")), ["a", "a or b", "a, b or c"]);
    }
}
