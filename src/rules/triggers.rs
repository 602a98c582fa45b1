//! The words that are to start a skill.

use crate::canon::skill::Skill;
use crate::syntax::yaml_node::Node;
use crate::syntax::{Source, Span};
use std::sync::Arc;

/// Words behind which a description quotes what a user says.
const CUES: [&str; 6] = ["trigger", "say", "ask", "mention", "request", "phrase"];
/// Bytes of a phrase that is worth comparing; shorter ones are names and options.
const SHORTEST: usize = 4;
/// Bytes before a quoted phrase in which a cue is looked for.
const REACH: usize = 160;

/// The triggers of a skill in lower case: those below `triggers`, at the top or below `metadata`, and the phrases that its
/// description quotes as what a user says.
pub(super) fn of(skill: &Skill) -> Vec<(String, &Arc<Source>, Span)> {
    let Some(source) = skill.source() else { return Vec::new() };
    let top = skill.field("triggers").map(|entry| &entry.value);
    let below = skill.field("metadata").and_then(|entry| entry.value.get("triggers"));
    let mut found: Vec<(String, Span)> = Vec::new();
    for node in [top, below].into_iter().flatten() {
        found.extend(listed(node));
    }
    if let Some((text, span)) = skill.text_field("description") {
        found.extend(quoted(text).map(|phrase| (phrase, span)));
    }
    let mut triggers: Vec<(String, &Arc<Source>, Span)> =
        found.into_iter().filter(|(text, _)| !text.is_empty()).map(|(text, span)| (text, source, span)).collect();
    triggers.sort_by(|a, b| a.0.cmp(&b.0));
    triggers.dedup_by(|a, b| a.0 == b.0);
    triggers
}

/// A list, or one string with commas.
fn listed(node: &Node) -> Vec<(String, Span)> {
    let one = |node: &Node| node.as_str().map(|text| (normal(text), node.span));
    match (node.as_sequence(), node.as_str()) {
        (Some(items), _) => items.iter().filter_map(one).collect(),
        (None, Some(text)) => text.split(',').map(|part| (normal(part), node.span)).collect(),
        (None, None) => Vec::new(),
    }
}

/// `"deploy the site"` behind a cue, in quotes of any kind.
fn quoted(text: &str) -> impl Iterator<Item = String> {
    let lower = text.to_lowercase();
    let pairs = [('"', '"'), ('“', '”'), ('‘', '’')];
    let mut found = Vec::new();
    for (open, close) in pairs {
        let mut at = 0;
        while let Some(start) = lower[at..].find(open).map(|start| at + start) {
            let inner = start + open.len_utf8();
            let Some(end) = lower[inner..].find(close).map(|end| inner + end) else { break };
            let phrase = normal(&lower[inner..end]);
            if phrase.len() >= SHORTEST && phrase.contains(' ') && has_cue(&lower[..start]) {
                found.push(phrase);
            }
            at = end + close.len_utf8();
        }
    }
    found.into_iter()
}

fn has_cue(before: &str) -> bool {
    let mut from = before.len().saturating_sub(REACH);
    while !before.is_char_boundary(from) {
        from += 1;
    }
    CUES.iter().any(|cue| before[from..].contains(cue))
}

/// In lower case, with single spaces, without punctuation at the edges.
fn normal(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase().trim_matches(|c: char| !c.is_alphanumeric() && c != '/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_that_users_say() {
        let text = "Use when the user says \"Deploy it now\" or “ship  it!”. Writes \"a\".";
        assert_eq!(quoted(text).collect::<Vec<_>>(), ["deploy it now", "ship it"]);
        assert_eq!(quoted("Makes \"one two\" of it.").count(), 0);
    }
}
