//! A text for people in units: lines, and whole items of lists.

use crate::memory::lessons::{Reading, readings};
use std::collections::HashMap;

/// A line with something on it, or a whole item of a list, and the blank lines before it.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub lead: String,
    pub text: String,
    pub reading: Option<Reading>,
    /// The other side's words for the same lesson, where a person has to choose.
    pub rival: Option<String>,
}

impl Unit {
    pub fn is_heading(&self) -> bool {
        self.text.starts_with('#')
    }

    /// Without the line ends, which git converts.
    pub fn name(&self) -> &str {
        self.text.trim_end()
    }
}

/// The units of a text, and the blank lines behind the last.
pub(super) fn units(text: &str) -> (Vec<Unit>, &str) {
    let mut items: HashMap<usize, Reading> = readings(text).into_iter().map(|item| (item.span.offset, item)).collect();
    let (mut units, mut at, mut from) = (Vec::new(), 0, 0);
    while at < text.len() {
        let rest = &text[at..];
        let line = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let reading = items.remove(&at);
        if reading.is_none() && rest[..line].trim().is_empty() {
            at += line;
            continue;
        }
        let end = reading.as_ref().map_or(at + line, |item| item.span.end());
        let lead = text[from..at].to_owned();
        units.push(Unit { lead, text: text[at..end].trim_end_matches(['\n', '\r']).to_owned(), reading, rival: None });
        at = end.max(at + 1);
        // An item's span ends before its line end.
        at += text[at..].find('\n').filter(|_| !text[..at].ends_with('\n')).map_or(0, |end| end + 1);
        from = at;
    }
    (units, &text[from..])
}
