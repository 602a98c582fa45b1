//! The phrases that make an agent load a skill.

use canonry_model::canon::skill::Skill;
use canonry_text::node::Node;
use canonry_text::{Source, Span};
use std::sync::Arc;

/// Words that introduce a quoted trigger phrase in a description.
const CUES: [&str; 6] = ["trigger", "say", "ask", "mention", "request", "phrase"];
/// Minimum length of a phrase in bytes; shorter quotes are names and options.
const MIN_LENGTH: usize = 4;
/// Bytes before a quoted phrase that are searched for a cue.
const CUE_WINDOW: usize = 160;

/// The trigger phrases of a skill in lower case: the values of `triggers` and `metadata.triggers`, and the phrases that
/// its description quotes after a cue.
pub(super) fn trigger_phrases(skill: &Skill) -> Vec<(String, &Arc<Source>, Span)> {
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

/// The items of a list, or of one comma-separated string.
fn listed(node: &Node) -> Vec<(String, Span)> {
    let one = |node: &Node| node.as_str().map(|text| (normalize(text), node.span));
    match (node.as_sequence(), node.as_str()) {
        (Some(items), _) => items.iter().filter_map(one).collect(),
        (None, Some(text)) => text.split(',').map(|part| (normalize(part), node.span)).collect(),
        (None, None) => Vec::new(),
    }
}

/// The phrases in double or typographic quotes that follow a cue.
fn quoted(text: &str) -> impl Iterator<Item = String> {
    let lower = text.to_lowercase();
    let pairs = [('"', '"'), ('“', '”'), ('‘', '’')];
    let mut found = Vec::new();
    for (open, close) in pairs {
        let mut at = 0;
        while let Some(start) = lower[at..].find(open).map(|start| at + start) {
            let inner = start + open.len_utf8();
            let Some(end) = lower[inner..].find(close).map(|end| inner + end) else { break };
            let phrase = normalize(&lower[inner..end]);
            if phrase.len() >= MIN_LENGTH && phrase.contains(' ') && has_cue(&lower[..start]) {
                found.push(phrase);
            }
            at = end + close.len_utf8();
        }
    }
    found.into_iter()
}

fn has_cue(before: &str) -> bool {
    let mut from = before.len().saturating_sub(CUE_WINDOW);
    while !before.is_char_boundary(from) {
        from += 1;
    }
    CUES.iter().any(|cue| before[from..].contains(cue))
}

/// Lower case, single spaces, no punctuation at the ends.
fn normalize(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase().trim_matches(|c: char| !c.is_alphanumeric() && c != '/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_phrases_after_a_cue_are_triggers() {
        let text = "Use when the user says \"Deploy it now\" or “ship  it!”. Writes \"a\".";
        assert_eq!(quoted(text).collect::<Vec<_>>(), ["deploy it now", "ship it"]);
        assert_eq!(quoted("Makes \"one two\" of it.").count(), 0);
    }
}
