//! Putting a member into an object, or an item into an array, and taking it out again so that nothing of it is left.
//!
//! What goes in comes last: a comma right behind what was last, then the new one on a line of its own where its siblings
//! have theirs. What comes out takes with it the white space before it, from the last line break on, and one comma. Each
//! is the other's inverse, byte for byte, in whatever order several come and go.

use super::outline::{Mark, Node, Outline};
use serde::Serialize;
use serde_json::Value;
use std::ops::Range;

/// How a file is written.
pub(super) struct Style {
    eol: &'static str,
    indent: String,
}

impl Style {
    /// Of a text: its first line end, and the white space before its first indented line.
    pub fn of(text: &str) -> Self {
        let eol = if text.find('\n').is_some_and(|at| text[..at].ends_with('\r')) { "\r\n" } else { "\n" };
        let indented = text.lines().skip(1).map(blank).find(|blank| !blank.is_empty());
        let indent = match indented {
            Some(blank) if blank.starts_with('\t') => "\t",
            Some(blank) if blank.len() <= 8 => blank,
            _ => "  ",
        };
        Self { eol, indent: indent.to_owned() }
    }

    /// A value whose first line stands behind `indent`.
    fn lines(&self, value: &Value, indent: &str) -> String {
        let mut out = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(self.indent.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
        // A value can always be written into memory.
        let _ = value.serialize(&mut serializer);
        String::from_utf8_lossy(&out).replace('\n', &format!("{}{indent}", self.eol))
    }
}

/// The white space that a line begins with.
fn blank(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// What goes in: a key with its value, or an item.
pub(super) struct New<'a> {
    pub key: Option<&'a str>,
    pub value: &'a Value,
}

impl New<'_> {
    fn with(&self, value: String) -> String {
        match self.key {
            Some(key) => format!("{}: {value}", Value::from(key)),
            None => value,
        }
    }
}

/// The text with `new` as the last part of `container`.
pub(super) fn append(text: &str, outline: &Outline, container: &Node, new: &New<'_>) -> String {
    let style = Style::of(text);
    let close = container.range.end - 1;
    let own = blank(&text[line_start(text, container.range.start)..]);
    let Some(last) = container.parts().pop() else {
        let indent = format!("{own}{}", style.indent);
        let written = new.with(style.lines(new.value, &indent));
        let eol = style.eol;
        return put(text, &[(close, format!("{eol}{indent}{written}{eol}{own}"))]);
    };
    let comma = outline.comma_in(last.end..close);
    let at = end_of_line(text, outline, comma.as_ref().map_or(last.end, |comma| comma.end)..close);
    let before = &text[line_start(text, last.start)..last.start];
    let many_lines = text[container.range.clone()].contains('\n');
    let mut written = match many_lines {
        true => {
            let alone = before.trim_matches([' ', '\t']).is_empty();
            let indent = if alone { before.to_owned() } else { format!("{own}{}", style.indent) };
            format!("{}{indent}{}", style.eol, new.with(style.lines(new.value, &indent)))
        }
        false => format!(" {}", new.with(new.value.to_string())),
    };
    match comma {
        Some(_) => {
            written.push(',');
            put(text, &[(at, written)])
        }
        None => put(text, &[(last.end, ",".to_owned()), (at, written)]),
    }
}

/// Behind the comments that follow on the same line.
fn end_of_line(text: &str, outline: &Outline, behind: Range<usize>) -> usize {
    let mut at = behind.start;
    for (comment, mark) in outline.marks_in(behind) {
        if mark != Mark::Comment || text[at..comment.start].contains('\n') {
            break;
        }
        at = comment.end;
    }
    // Of a carriage return that a comment ends on, only the line end is meant.
    at - usize::from(text[..at].ends_with('\r'))
}

/// The text without a part of `container`.
pub(super) fn remove(text: &str, outline: &Outline, container: &Node, part: &Range<usize>) -> String {
    let close = container.range.end - 1;
    let parts = container.parts();
    let at = parts.iter().position(|other| other == part).unwrap_or(0);
    let previous = at.checked_sub(1).and_then(|at| parts.get(at));
    let next = parts.get(at + 1);
    let start = start_of_line(text, part.start);
    let comma = outline.comma_in(part.end..next.map_or(close, |next| next.start));
    let comma = comma.or_else(|| outline.comma_in(previous?.end..part.start));
    let mut cuts: Vec<Range<usize>> = std::iter::once(start..part.end).chain(comma).collect();
    if parts.len() == 1 {
        let end = cuts.iter().map(|cut| cut.end).max().unwrap_or(part.end);
        let rest = &text[end..close];
        if rest.trim_start_matches('\r').starts_with('\n') && rest.trim().is_empty() {
            cuts.push(end..close);
        }
    }
    cut(text, cuts)
}

/// Where the white space before a place begins, from its last line end on; all of it where there is none.
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

/// The text with some put in, in rising places of the text as it was.
fn put(text: &str, new: &[(usize, String)]) -> String {
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

/// The text with another value in the place of one.
pub(super) fn replace(text: &str, old: &Node, value: &Value) -> String {
    let style = Style::of(text);
    let own = blank(&text[line_start(text, old.range.start)..]);
    let one_line = !text.contains('\n');
    let written = if one_line { value.to_string() } else { style.lines(value, own) };
    format!("{}{written}{}", &text[..old.range.start], &text[old.range.end..])
}
