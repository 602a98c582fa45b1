//! The episodes that lessons name, and those of them that are nowhere.

use super::{items, single_line, unescaped};
use crate::memory::row::{Row, RowId};
use crate::syntax::Span;
use std::collections::BTreeSet;

/// An episode that a lesson names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// Its id.
    pub id: String,
    /// Where the lesson names it.
    pub span: Span,
}

/// The episodes that the lessons in a text name, in file order. What holds a blank is a person's remark, and no id.
pub fn citations(text: &str) -> Vec<Citation> {
    let mut found = Vec::new();
    for item in items(text) {
        let raw = &text[item.span.range()];
        let is_whole = item.line.ends_with(')');
        for written in item.parts().1.filter(|id| is_whole && !id.contains(char::is_whitespace)) {
            let at = raw.rfind(written).map(|at| Span::new(at, at + written.len()).shifted(item.span.offset));
            found.push(Citation { id: unescaped(written), span: at.unwrap_or(item.span) });
        }
    }
    found
}

/// Leaves those citations that name none of `rows`. Rows that are the same byte for byte have one hash and a counter,
/// so that `<hash>-2` names the row that `<hash>` does; `L<line>` is how the seed names a row, and lines move.
pub fn retain_unresolved(citations: &mut Vec<Citation>, rows: &[Row]) {
    let wanted: BTreeSet<&str> = citations.iter().map(|citation| citation.id.as_str()).collect();
    let hashes: BTreeSet<u64> = wanted.iter().filter_map(|id| hash_of(id)).collect();
    let mut met: BTreeSet<String> = BTreeSet::new();
    let mut met_hashes: BTreeSet<u64> = BTreeSet::new();
    for row in rows {
        match &row.id {
            RowId::Own(id) => {
                let id = single_line(id);
                if wanted.contains(id.as_str()) {
                    met.insert(id);
                }
            }
            RowId::Content(hash) if hashes.contains(hash) => {
                met_hashes.insert(*hash);
            }
            RowId::Content(_) | RowId::Line => {}
        }
    }
    citations.retain(|Citation { id, .. }| {
        let is_line = id.strip_prefix('L').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        !is_line && !met.contains(id) && !hash_of(id).is_some_and(|hash| met_hashes.contains(&hash))
    });
}

/// The hash in a content id, the counter behind it left out.
fn hash_of(id: &str) -> Option<u64> {
    let (hash, counter) = id.split_once('-').unwrap_or((id, "2"));
    let is_counter = !counter.is_empty() && counter.bytes().all(|b| b.is_ascii_digit());
    let is_hash = hash.len() == 16 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    (is_counter && is_hash).then(|| u64::from_str_radix(hash, 16).ok()).flatten()
}
