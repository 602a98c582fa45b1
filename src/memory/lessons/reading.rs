//! Lessons read one by one, to be held against those of another version of the text.

use super::{CITATION, CITED, Item, Span, citation, folded, items, unescaped};
use std::collections::BTreeSet;

/// An item of a list, read to be held against one of another version of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Where it stands, without the last line end.
    pub span: Span,
    /// What it says before the episodes, on one line.
    pub stem: String,
    /// The same, for comparing.
    pub words: String,
    /// The ids of the episodes, as written.
    ids: Vec<String>,
    /// Episodes that are only counted.
    more: usize,
    /// The name of its pattern.
    pattern: Option<String>,
}

impl Reading {
    /// The same words, the same pattern, or the very same episodes.
    pub(crate) fn is_lesson_of(&self, other: &Self) -> bool {
        let cited = |reading: &Self| reading.ids.iter().map(|id| unescaped(id)).collect::<BTreeSet<_>>();
        let same_pattern = self.pattern.is_some() && self.pattern == other.pattern;
        self.words == other.words || same_pattern || (!self.ids.is_empty() && cited(self) == cited(other))
    }
}

/// The items of a text.
pub(crate) fn readings(text: &str) -> Vec<Reading> {
    let read = |item: &Item| {
        let (stem, ids) = item.parts();
        let pattern = item.pattern();
        let more = item.line.rsplit_once(" and ").and_then(|(_, rest)| rest.split_once(" more")?.0.parse().ok());
        Reading {
            span: item.span,
            stem: stem.to_owned(),
            words: folded(stem),
            ids: ids.map(str::to_owned).collect(),
            more: more.unwrap_or_default(),
            pattern: pattern.map(str::to_owned),
        }
    };
    items(text).iter().map(read).collect()
}

/// An item's text with the episodes of another, which are the same lesson. One that somebody wrapped stays as it is.
pub(crate) fn recited(text: &str, own: &Reading, other: &Reading) -> String {
    let Some((stem, _)) = text.rsplit_once(CITATION).filter(|_| !text.contains('\n')) else { return text.to_owned() };
    let known: BTreeSet<String> = own.ids.iter().map(|id| unescaped(id)).collect();
    let others = other.ids.iter().filter(|id| !known.contains(&unescaped(id)));
    let ids: Vec<String> = own.ids.iter().chain(others).cloned().collect();
    let all = ids.len() + own.more.max(other.more);
    format!(
        "{stem}{CITATION}{}",
        citation(&ids[..ids.len().min(CITED)], all, own.pattern.as_deref().or(other.pattern.as_deref()))
    )
}

/// How many items the lists of a text have.
pub fn count(text: &str) -> usize {
    items(text).len()
}
