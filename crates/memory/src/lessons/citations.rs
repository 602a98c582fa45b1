//! The episodes that lessons cite, and which of them do not exist.

use super::items::list_items;
use super::{single_line, unescaped};
use crate::row::{EpisodeRow, RowId};
use canonry_text::Span;
use std::collections::BTreeSet;

/// An episode that a lesson cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The episode's id.
    pub id: String,
    /// The position of the id in the text.
    pub span: Span,
}

/// The episodes that the lessons of a text cite, in file order. An entry with white space is a remark, not an id.
pub fn find_citations(text: &str) -> Vec<Citation> {
    let mut citations = Vec::new();
    for item in list_items(text) {
        let raw = &text[item.span.range()];
        let is_complete = item.line.ends_with(')');
        for written in item.text_and_episodes().1.filter(|id| is_complete && !id.contains(char::is_whitespace)) {
            let at = raw.rfind(written).map(|at| Span::new(at, at + written.len()).shifted(item.span.offset));
            citations.push(Citation { id: unescaped(written), span: at.unwrap_or(item.span) });
        }
    }
    citations
}

/// Removes the citations of any of `rows`. Byte-identical rows share a hash, so `<hash>-2` matches every row with that hash.
/// `L<line>`, the seed's id, is always removed, because lines move.
pub fn retain_unresolved(citations: &mut Vec<Citation>, rows: &[EpisodeRow]) {
    let wanted: BTreeSet<&str> = citations.iter().map(|citation| citation.id.as_str()).collect();
    let wanted_hashes: BTreeSet<u64> = wanted.iter().filter_map(|id| content_hash(id)).collect();
    let mut found: BTreeSet<String> = BTreeSet::new();
    let mut found_hashes: BTreeSet<u64> = BTreeSet::new();
    for row in rows {
        match &row.id {
            RowId::Own(id) => {
                let id = single_line(id);
                if wanted.contains(id.as_str()) {
                    found.insert(id);
                }
            }
            RowId::Content(hash) if wanted_hashes.contains(hash) => {
                found_hashes.insert(*hash);
            }
            RowId::Content(_) | RowId::Line => {}
        }
    }
    citations.retain(|Citation { id, .. }| {
        let is_line = id.strip_prefix('L').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        !is_line && !found.contains(id) && !content_hash(id).is_some_and(|hash| found_hashes.contains(&hash))
    });
}

/// The hash of a content id, without the ordinal after it.
fn content_hash(id: &str) -> Option<u64> {
    let (hash, ordinal) = id.split_once('-').unwrap_or((id, "2"));
    let is_ordinal = !ordinal.is_empty() && ordinal.bytes().all(|b| b.is_ascii_digit());
    let is_hash = hash.len() == 16 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    (is_ordinal && is_hash).then(|| u64::from_str_radix(hash, 16).ok()).flatten()
}
