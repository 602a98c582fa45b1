//! The words around a place in a text: its line, the list that contains it, and the verb before it.

use super::vocabulary::{READING_WORDS, WRITING_WORDS};
use crate::syntax::{Source, printable};

/// The text from the start of the line to the offset.
pub(super) fn line_before(source: &Source, offset: usize) -> &str {
    source.text().get(source.line_span(offset).offset..offset).unwrap_or_default()
}

/// The line that introduces the list with an item that contains this offset.
pub(super) fn list_introduction(source: &Source, offset: usize) -> Option<&str> {
    let before = line_before(source, offset);
    is_list_item(before).then(|| introduction(&source.text()[..offset - before.len()])).flatten()
}

/// The items of the list that contains this offset, with those close to it.
pub(super) fn list_items(source: &Source, offset: usize) -> impl Iterator<Item = &str> {
    let text = source.text();
    let start = offset - line_before(source, offset).len();
    let is_in_list = |line: &&str| is_list_item(line) || line.trim().is_empty() || line.starts_with(' ');
    let above = text[..start].lines().rev().take(MAX_LIST_LINES).take_while(is_in_list);
    let here = text[start..].lines().take(MAX_LIST_LINES).take_while(is_in_list);
    let is_listed = is_list_item(line_before(source, offset));
    above.chain(here).filter(move |line| is_listed && is_list_item(line))
}

/// The sentence that contains this offset, as far as it is on one line, in lower case.
pub(super) fn sentence_around(source: &Source, offset: usize) -> String {
    let line = source.line_span(offset);
    let text = source.text();
    // The time for many paths in one line stays linear.
    let before = printable::tail(text.get(line.offset..offset).unwrap_or_default(), MAX_SENTENCE);
    let after = printable::head(text.get(offset..line.end()).unwrap_or_default(), MAX_SENTENCE);
    let start = SENTENCE_ENDS.iter().filter_map(|end| before.rfind(end).map(|at| at + end.len())).max();
    let end = SENTENCE_ENDS.iter().filter_map(|end| after.find(end)).min();
    format!("{}{}", &before[start.unwrap_or_default()..], &after[..end.unwrap_or(after.len())]).to_lowercase()
}

/// Bytes of a sentence on each side of a path.
const MAX_SENTENCE: usize = 1 << 10;
const SENTENCE_ENDS: [&str; 5] = [". ", "。", "! ", "? ", ".)"];

/// The paragraph that introduces the list with an item that contains this offset, also in a quotation, in lower case.
pub(super) fn paragraph_before_list(source: &Source, offset: usize) -> String {
    let before = line_before(source, offset);
    let unquoted = |line: &'_ str| line.trim_start_matches(['>', ' ']).len();
    let content = |line: &str| printable::head(&line[line.len() - unquoted(line)..], MAX_SENTENCE).to_owned();
    if !is_list_item(&content(before)) {
        return String::new();
    }
    let above = &source.text()[..offset - before.len()];
    let mut paragraph: Vec<String> = Vec::new();
    for line in above.lines().rev().take(MAX_LIST_LINES).map(content) {
        let is_introduction = !line.is_empty() && !is_list_item(&line);
        match (is_introduction, paragraph.is_empty()) {
            _ if line.starts_with('#') => break,
            (true, _) => paragraph.push(line.to_lowercase()),
            (false, true) => {}
            (false, false) => break,
        }
    }
    paragraph.reverse();
    paragraph.join(" ")
}

/// Lines that are searched for the introduction of a list.
pub(super) const MAX_LIST_LINES: usize = 24;

/// The last line before the list at the end of a text.
fn introduction(text: &str) -> Option<&str> {
    let lines = text.lines().rev().take(MAX_LIST_LINES).filter(|line| !line.trim().is_empty());
    lines.into_iter().find(|line| !is_list_item(line) && !line.starts_with(' ')).filter(|line| !line.starts_with('#'))
}

pub(super) fn is_list_item(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    ["- ", "* ", "+ "].iter().any(|bullet| line.starts_with(bullet))
        || digits.len() < line.len() && digits.starts_with(['.', ')'])
}

/// Whether the last verb of a text means that a file is written; `None` if no verb is known.
pub(super) fn last_verb_writes(text: &str) -> Option<bool> {
    let mut words = text.rsplit(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.find_map(|word| match () {
        () if WRITING_WORDS.contains(&word) => Some(true),
        () if READING_WORDS.contains(&word) => Some(false),
        () => None,
    })
}

/// Whether the path starts its line. A list item or heading that starts with a path describes a file of the skill.
pub(super) fn starts_line(before: &str) -> bool {
    before.chars().all(|c| c.is_ascii_digit() || c.is_whitespace() || "-*+|#>`.:[]/".contains(c))
}
