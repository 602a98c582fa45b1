//! Adds elements to JSON containers and removes them again, as text.
//!
//! A new element comes last: a comma directly after the previous element, then the new element on its own line if its
//! siblings have their own lines. Removing an element also removes the white space before it, from the last line break on,
//! and one comma. The two operations are inverse to the byte, in any order of several elements.

use super::outline::{Outline, Separator, elements};
use canonry_text::node::Node;
use serde::Serialize;
use serde_json::Value;
use std::ops::Range;

/// The formatting of a file.
pub(super) struct JsonStyle {
    line_ending: &'static str,
    indent: String,
}

impl JsonStyle {
    /// Detects the first line ending and the indentation of the first indented line.
    pub fn detect(text: &str) -> Self {
        let line_ending = if text.find('\n').is_some_and(|at| text[..at].ends_with('\r')) { "\r\n" } else { "\n" };
        let indented = text.lines().skip(1).map(indentation).find(|blank| !blank.is_empty());
        let indent = match indented {
            Some(blank) if blank.starts_with('\t') => "\t",
            Some(blank) if blank.len() <= 8 => blank,
            _ => "  ",
        };
        Self { line_ending, indent: indent.to_owned() }
    }

    /// Formats a value whose first line follows `indent`.
    fn format(&self, value: &Value, indent: &str) -> String {
        let mut out = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(self.indent.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
        // Serializing a value into memory cannot fail.
        let _ = value.serialize(&mut serializer);
        String::from_utf8_lossy(&out).replace('\n', &format!("{}{indent}", self.line_ending))
    }
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// A new member or item.
pub(super) struct NewElement<'a> {
    /// `None` for an item.
    pub key: Option<&'a str>,
    pub value: &'a Value,
}

impl NewElement<'_> {
    fn to_text(&self, value: String) -> String {
        match self.key {
            Some(key) => format!("{}: {value}", Value::from(key)),
            None => value,
        }
    }
}

/// Adds an element at the end of `container`.
pub(super) fn append(text: &str, outline: &Outline, container: &Node, new: &NewElement<'_>) -> String {
    let style = JsonStyle::detect(text);
    let close = container.span.end() - 1;
    let own = indentation(&text[line_start(text, container.span.offset)..]);
    let Some(last) = elements(container).pop() else {
        let indent = format!("{own}{}", style.indent);
        let written = new.to_text(style.format(new.value, &indent));
        let line_ending = style.line_ending;
        return insert(text, &[(close, format!("{line_ending}{indent}{written}{line_ending}{own}"))]);
    };
    let comma = outline.comma_in(last.end..close);
    let at = end_of_line(text, outline, comma.as_ref().map_or(last.end, |comma| comma.end)..close);
    let before = &text[line_start(text, last.start)..last.start];
    let is_multi_line = text[container.span.range()].contains('\n');
    let mut written = if is_multi_line {
        let is_alone = before.trim_matches([' ', '\t']).is_empty();
        let indent = if is_alone { before.to_owned() } else { format!("{own}{}", style.indent) };
        format!("{}{indent}{}", style.line_ending, new.to_text(style.format(new.value, &indent)))
    } else {
        format!(" {}", new.to_text(new.value.to_string()))
    };
    match comma {
        Some(_) => {
            written.push(',');
            insert(text, &[(at, written)])
        }
        None => insert(text, &[(last.end, ",".to_owned()), (at, written)]),
    }
}

/// Returns the position after the comments on the same line.
fn end_of_line(text: &str, outline: &Outline, range: Range<usize>) -> usize {
    let mut at = range.start;
    for (comment, separator) in outline.separators_in(range) {
        if separator != Separator::Comment || text[at..comment.start].contains('\n') {
            break;
        }
        at = comment.end;
    }
    // A carriage return at the end of a comment belongs to the line ending.
    at - usize::from(text[..at].ends_with('\r'))
}

/// Removes an element of `container`.
pub(super) fn remove(text: &str, outline: &Outline, container: &Node, element: &Range<usize>) -> String {
    let close = container.span.end() - 1;
    let all = elements(container);
    let at = all.iter().position(|other| other == element).unwrap_or(0);
    let previous = at.checked_sub(1).and_then(|at| all.get(at));
    let next = all.get(at + 1);
    let start = start_of_line(text, element.start);
    let comma = outline.comma_in(element.end..next.map_or(close, |next| next.start));
    let comma = comma.or_else(|| outline.comma_in(previous?.end..element.start));
    let mut cuts: Vec<Range<usize>> = std::iter::once(start..element.end).chain(comma).collect();
    if all.len() == 1 {
        let end = cuts.iter().map(|cut| cut.end).max().unwrap_or(element.end);
        let rest = &text[end..close];
        if rest.trim_start_matches('\r').starts_with('\n') && rest.trim().is_empty() {
            cuts.push(end..close);
        }
    }
    cut(text, cuts)
}

/// Returns the start of the white space before a position, including one line ending.
fn start_of_line(text: &str, at: usize) -> usize {
    let before = text[..at].trim_end_matches([' ', '\t']);
    match before.strip_suffix('\n') {
        Some(rest) => rest.strip_suffix('\r').unwrap_or(rest).len(),
        None => before.len(),
    }
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Inserts texts at ascending positions.
fn insert(text: &str, new: &[(usize, String)]) -> String {
    let mut out = String::with_capacity(text.len() + 256);
    let mut done = 0;
    for (at, written) in new {
        out.push_str(&text[done..*at]);
        out.push_str(written);
        done = *at;
    }
    out + &text[done..]
}

fn cut(text: &str, mut cuts: Vec<Range<usize>>) -> String {
    cuts.sort_by_key(|cut| cut.start);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for cut in cuts {
        out.push_str(text.get(done..cut.start).unwrap_or_default());
        done = done.max(cut.end);
    }
    out + &text[done..]
}

/// Replaces a value.
pub(super) fn replace(text: &str, old: &Node, value: &Value) -> String {
    let style = JsonStyle::detect(text);
    let own = indentation(&text[line_start(text, old.span.offset)..]);
    // A value on one line stays there; an empty one has no form.
    let is_formed = !elements(old).is_empty();
    let is_one_line = !text.contains('\n') || is_formed && !text[old.span.range()].contains('\n');
    let written = if is_one_line { value.to_string() } else { style.format(value, own) };
    format!("{}{written}{}", &text[..old.span.offset], &text[old.span.end()..])
}
