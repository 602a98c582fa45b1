//! What is recalled, as it is told: in one line, without secrets, and of bounded length.

use super::Ruleset;
use super::lessons::single_line;
use super::row::{Chunk, RowId, scan};
use crate::canon::episode::Episode;

/// Characters of a detail that are told.
const DETAIL: usize = 200;
/// Characters of any other field that are told.
const FIELD: usize = 500;

/// Takes secrets out of a text.
pub type Redact<'a> = &'a (dyn Fn(&str) -> String + Sync);

/// An episode's id: its own, else that of its content.
pub(super) fn id(line: &[u8]) -> Option<String> {
    let rows = scan(Chunk { bytes: line, offset: 0, lines: 0 }, Ruleset::Current);
    match rows.into_iter().next()?.ok()?.id {
        RowId::Own(id) => Some(single_line(&id)),
        RowId::Content(hash) => Some(format!("{hash:016x}")),
        RowId::Line => None,
    }
}

/// A lesson in one line.
pub(super) fn lesson(text: &str, redact: Redact<'_>) -> String {
    shortened(&redact(text), FIELD)
}

/// `2026-04-28 deploy: rolled back (failure): smoke test before traffic`
pub(super) fn episode(line: &[u8], times: usize, redact: Redact<'_>) -> String {
    let Ok(episode) = Episode::parse(line) else { return String::new() };
    let json: serde_json::Value = serde_json::from_slice(line).unwrap_or_default();
    let field = |text: Option<&str>, most: usize| shortened(&redact(text.unwrap_or_default()), most);
    let (skill, action) = (field(episode.skill.as_deref(), FIELD), field(episode.action.as_deref(), FIELD));
    let result = field(json.get("result").and_then(|value| value.as_str()), FIELD);
    let mut text = episode.at.date().to_string();
    let before = |text: &str, mark: &str| if text.is_empty() { String::new() } else { format!("{mark}{text}") };
    text.push_str(&before(&skill, " "));
    text.push_str(&before(&action, if skill.is_empty() { " " } else { ": " }));
    if !result.is_empty() {
        text.push_str(&format!(" ({result})"));
    }
    text.push_str(&before(&field(episode.reflection.as_deref(), FIELD), ": "));
    text.push_str(&before(&field(episode.detail.as_deref(), DETAIL), " | "));
    if times > 1 {
        text.push_str(&format!(" [{times} times]"));
    }
    text
}

/// In one line, so that no row writes headings.
fn shortened(text: &str, most: usize) -> String {
    let text = single_line(text);
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    }
}
