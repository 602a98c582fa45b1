//! Excerpts of files for the terminal: the lines around some marks, cut to the width of the terminal, with hidden characters
//! escaped.
//!
//! An excerpt is found with the line index of the file and has a maximum length, so the time for a file with a hundred
//! thousand findings is proportional to their number.

use canonry_text::{Source, Span};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Lines that one mark can cover.
const MAX_MARKED_LINES: usize = 8;
/// Columns for line numbers and the frame.
const FRAME_COLUMNS: usize = 12;
/// The smallest part of a line that is of use.
const MIN_COLUMNS: usize = 20;
/// Columns between tab stops, as the frame is drawn.
const TAB_COLUMNS: usize = 4;

/// Some lines of a file as a terminal shows them.
#[derive(Debug, Default)]
pub(super) struct Excerpt {
    /// The lines, each with its line end.
    pub text: String,
    lines: Vec<ExcerptLine>,
}

#[derive(Debug)]
struct ExcerptLine {
    /// Its number in the file.
    number: usize,
    /// Where it is in the text of the excerpt.
    span: Span,
}

impl Excerpt {
    /// The lines around `marks` for a terminal with `width` columns, and the place of each mark in the excerpt. `None` for a
    /// mark on a part of a line that is cut off. If a line is cut, its first mark stays visible.
    pub fn new(source: &Source, marks: &[Span], width: usize) -> (Self, Vec<Option<Span>>) {
        let length = source.text().len();
        let marks: Vec<MarkedLines> = marks.iter().map(|mark| MarkedLines::new(source, *mark)).collect();
        let end = source.position(length);
        // The empty line after the last line end is shown only if it is marked.
        let last = if end.column == 1 { end.line - 1 } else { end.line };
        let mut numbers = BTreeSet::new();
        for mark in &marks {
            numbers.extend(mark.first.saturating_sub(1).max(1)..=(mark.last + 1).min(last).max(mark.last));
        }
        let columns = width.saturating_sub(FRAME_COLUMNS).max(MIN_COLUMNS);
        let mut excerpt = Self::default();
        let mut shown: BTreeMap<usize, ShownLine> = BTreeMap::new();
        for number in numbers {
            let start = source.line_start(number);
            let raw = source.text().get(start..source.line_start(number + 1)).unwrap_or_default();
            let line = raw.strip_suffix('\n').map_or(raw, |line| line.strip_suffix('\r').unwrap_or(line));
            let focus = marks.iter().find(|mark| mark.first == number).map_or(0, |mark| mark.span.offset - start);
            let line = ShownLine::new(line, start, focus.min(line.len()), columns, excerpt.text.len());
            let begin = excerpt.text.len();
            excerpt.text.push_str(&line.text);
            excerpt.lines.push(ExcerptLine { number, span: Span::new(begin, excerpt.text.len()) });
            excerpt.text.push('\n');
            shown.insert(number, line);
        }
        let place = |mark: &MarkedLines| {
            let start = shown.get(&mark.first)?.place(mark.span.offset)?;
            let last = shown.get(&mark.last)?;
            Some(Span::new(start, last.nearest(mark.span.end()).max(start)))
        };
        let places = marks.iter().map(place).collect();
        (excerpt, places)
    }

    /// Whether a label below a mark ends within the width of the terminal. It begins below the middle of the mark.
    pub fn has_room_for(&self, label: &str, mark: Span, width: usize) -> bool {
        let before = self.text.get(..mark.offset + mark.length / 2).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        FRAME_COLUMNS + line.width() + label.width() <= width
    }

    /// The lines that contain a part of the excerpt's text, with `around` more lines on each side as far as the excerpt has
    /// them.
    pub fn lines_of(&self, span: Span, around: usize) -> LineRange {
        let at = |offset: usize| self.lines.partition_point(|line| line.span.offset <= offset).saturating_sub(1);
        let mut first = at(span.offset);
        let mut last = at(span.end().saturating_sub(1).max(span.offset));
        let follows = |above: usize, below: usize| {
            let number = |at: usize| self.lines.get(at).map(|line| line.number);
            number(above).zip(number(below)).is_some_and(|(above, below)| above + 1 == below)
        };
        for _ in 0..around {
            if first > 0 && follows(first - 1, first) {
                first -= 1;
            }
            if follows(last, last + 1) {
                last += 1;
            }
        }
        let line = |at: usize| self.lines.get(at).map_or((1, Span::default()), |line| (line.number, line.span));
        let (number, start) = line(first);
        let (_, end) = line(last);
        LineRange {
            span: Span::new(start.offset, (end.end() + 1).min(self.text.len())),
            number,
            count: last + 1 - first,
        }
    }
}

/// Some lines of an excerpt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineRange {
    /// Where they are in the text of the excerpt.
    pub span: Span,
    /// The number of the first line in the file.
    pub number: usize,
    pub count: usize,
}

/// The lines that a mark covers, up to the maximum.
struct MarkedLines {
    span: Span,
    first: usize,
    last: usize,
}

impl MarkedLines {
    fn new(source: &Source, mark: Span) -> Self {
        let length = source.text().len();
        let floor = |offset: usize| (0..=offset.min(length)).rev().find(|at| source.text().is_char_boundary(*at));
        let start = floor(mark.offset).unwrap_or_default();
        let end = floor(mark.end()).unwrap_or_default();
        let first = source.position(start).line;
        let last = source.position(end.saturating_sub(1).max(start)).line;
        let most = first + MAX_MARKED_LINES - 1;
        if last <= most {
            return Self { span: Span::new(start, end), first, last };
        }
        Self { span: Span::new(start, source.line_start(most + 1)), first, last: most }
    }
}

/// One line, cut and escaped.
struct ShownLine {
    text: String,
    /// Where it begins in the excerpt.
    begin: usize,
    /// The offset in the file and in the excerpt of each shown character, then of the end.
    places: Vec<(usize, usize)>,
    is_cut_at_end: bool,
}

impl ShownLine {
    /// `start` is the offset of the line in the file and `begin` in the excerpt. The character at `focus` is shown.
    fn new(line: &str, start: usize, focus: usize, columns: usize, begin: usize) -> Self {
        let part = visible_part(line, focus, columns);
        let mut text = if part.offset > 0 { "…".to_owned() } else { String::new() };
        let mut places = Vec::new();
        for (at, c) in line.get(part.range()).unwrap_or_default().char_indices() {
            places.push((start + part.offset + at, begin + text.len()));
            push_escaped(&mut text, c);
        }
        places.push((start + part.end(), begin + text.len()));
        let is_cut_at_end = part.end() < line.len();
        if is_cut_at_end {
            text.push('…');
        }
        Self { text, begin, places, is_cut_at_end }
    }

    /// Where an offset of the file is in the excerpt; `None` if it is cut off.
    fn place(&self, offset: usize) -> Option<usize> {
        let first = self.places.first().is_some_and(|(first, _)| *first <= offset);
        let (last, _) = self.places.last()?;
        let is_shown = first && (offset < *last || !self.is_cut_at_end);
        is_shown.then(|| self.nearest(offset))
    }

    /// The same, or the nearest place that is shown.
    fn nearest(&self, offset: usize) -> usize {
        let at = self.places.partition_point(|(place, _)| *place < offset).min(self.places.len() - 1);
        self.places.get(at).map_or(self.begin, |(_, place)| *place)
    }
}

/// The part of a line that fits into some columns. A third of them is before the focus.
fn visible_part(line: &str, focus: usize, columns: usize) -> Span {
    let end_within = |start: usize, columns: usize| {
        let mut left = columns;
        for (at, c) in line.get(start..).unwrap_or_default().char_indices() {
            match left.checked_sub(columns_of(c)) {
                Some(rest) => left = rest,
                None => return start + at,
            }
        }
        line.len()
    };
    let start_within = |end: usize, columns: usize| {
        let mut left = columns;
        for (at, c) in line.get(..end).unwrap_or_default().char_indices().rev() {
            match left.checked_sub(columns_of(c)) {
                Some(rest) => left = rest,
                None => return at + c.len_utf8(),
            }
        }
        0
    };
    if end_within(0, columns) == line.len() {
        return Span::new(0, line.len());
    }
    // One column on each cut side is for the ellipsis.
    let start = start_within(focus, columns / 3);
    let end = end_within(start, columns.saturating_sub(1 + usize::from(start > 0)));
    if end < line.len() {
        return Span::new(start, end);
    }
    Span::new(start_within(line.len(), columns - 1), line.len())
}

fn columns_of(c: char) -> usize {
    match c {
        '\t' => TAB_COLUMNS,
        c if is_hidden(c) => escaped(c).len(),
        c => c.width().unwrap_or_default(),
    }
}

fn push_escaped(text: &mut String, c: char) {
    if is_hidden(c) && c != '\t' { text.push_str(&escaped(c)) } else { text.push(c) }
}

fn escaped(c: char) -> String {
    format!("<U+{:04X}>", u32::from(c))
}

/// Whether a character controls the terminal, or hides or reorders text. Joiners are not hidden: emoji and several scripts
/// need them.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{180e}' | '\u{feff}' | '\u{2028}' | '\u{2029}'
        )
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e0000}'..='\u{e007f}')
}

/// A text with its hidden characters escaped. Line ends stay.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    escape_if(text, |c| is_hidden(c) && !matches!(c, '\n' | '\t'))
}

/// A text on one line with its hidden characters escaped; line ends become spaces.
pub(super) fn escape_line(text: &str) -> Cow<'_, str> {
    if text.contains('\n') {
        Cow::Owned(escape(&text.replace("\r\n", " ").replace('\n', " ")).into_owned())
    } else {
        escape(text)
    }
}

fn escape_if(text: &str, is_escaped: fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|c| if is_escaped(c) { escaped(c) } else { c.to_string() }).collect()
}

#[cfg(test)]
#[path = "excerpt_tests.rs"]
mod tests;
