//! The list items of `LESSONS.md`.

use super::{CITATION, MAX_CITATIONS, PATTERN, STRIKETHROUGH, format_citation, normalized, unescaped};
use canonry_text::Span;
use std::collections::BTreeSet;

/// A list item, joined to one line if an editor has wrapped it.
pub struct LessonItem {
    pub line: String,
    pub span: Span,
}

impl LessonItem {
    /// The text, and the ids of the cited episodes as written.
    pub(super) fn text_and_episodes(&self) -> (&str, impl Iterator<Item = &str>) {
        let (text, cited) = self.line.rsplit_once(CITATION).unwrap_or((&self.line, ""));
        let cited = cited.rsplit_once(PATTERN).map_or(cited, |(ids, _)| ids);
        let ids = cited.trim_end().trim_end_matches(')').split(" and ").next().expect("split is never empty");
        (text, ids.split(", ").filter(|id| !id.is_empty()))
    }

    /// The number of episodes that are only counted.
    pub(super) fn uncited(&self) -> usize {
        let Some((_, cited)) = self.line.rsplit_once(CITATION) else { return 0 };
        let more = cited.rsplit_once(" and ").and_then(|(_, rest)| rest.split_once(" more")?.0.parse().ok());
        more.unwrap_or_default()
    }

    /// The pattern id.
    pub(super) fn pattern(&self) -> Option<&str> {
        let (_, cited) = self.line.rsplit_once(CITATION)?;
        Some(cited.rsplit_once(PATTERN)?.1.trim_end().trim_end_matches(')'))
    }
}

/// The items of all lists in a text.
pub fn list_items(text: &str) -> Vec<LessonItem> {
    let mut items: Vec<LessonItem> = Vec::new();
    let mut inside = false;
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_end_matches(['\n', '\r']);
        let span = Span::new(start, start + line.len());
        start += whole.len();
        let bullet = ["- ", "* ", "+ "].iter().find_map(|mark| line.trim_start().strip_prefix(mark));
        let continues = inside && line.starts_with([' ', '\t']) && !line.trim().is_empty();
        match (bullet, items.last_mut()) {
            (Some(item), _) => items.push(LessonItem { line: item.trim_end().to_owned(), span }),
            (None, Some(item)) if continues => {
                item.line.push(' ');
                item.line.push_str(line.trim());
                item.span = Span::new(item.span.offset, span.end());
            }
            _ => {}
        }
        inside = bullet.is_some() || continues;
    }
    items
}

/// A lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// The text in one line, without the cited episodes.
    pub text: String,
    /// The pattern id; `None` for a lesson written by hand.
    pub pattern: Option<String>,
    /// The number of its episodes.
    pub total: usize,
    /// The ids of the cited episodes.
    pub episodes: Vec<String>,
    /// The date of the heading, as in `2026-05-01`, if it is one.
    pub date: Option<String>,
    /// The list item, without its last line ending.
    pub span: Span,
}

impl Lesson {
    fn new(item: &LessonItem, text: &str, headings: &[Heading<'_>]) -> Self {
        let episodes: Vec<String> = item.text_and_episodes().1.map(unescaped).collect();
        let heading = headings.iter().rev().find(|heading| heading.offset < item.span.offset);
        Self {
            text: unescaped(text).trim().to_owned(),
            pattern: item.pattern().map(str::to_owned),
            total: episodes.len() + item.uncited(),
            episodes,
            date: heading.and_then(|heading| heading.date).map(str::to_owned),
            span: item.span,
        }
    }

    /// Whether it is the lesson with this pattern or these words.
    pub fn is(&self, pattern: Option<&str>, text: &str) -> bool {
        let own = self.pattern.as_deref();
        (own.is_some() && own == pattern) || normalized(&self.text) == normalized(text)
    }

    /// Whether a dream or `memory accept` wrote it: it names its pattern and is below a date heading.
    pub fn is_dated(&self) -> bool {
        self.pattern.is_some() && self.date.is_some()
    }
}

struct Heading<'a> {
    offset: usize,
    /// The title, if it is a date.
    date: Option<&'a str>,
}

fn headings(text: &str) -> Vec<Heading<'_>> {
    let mut headings = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if let Some(heading) = line.trim_end().strip_prefix('#') {
            let title = heading.trim_start_matches('#').trim();
            let is_date = title.parse::<jiff::civil::Date>().is_ok() && title.len() == 10;
            headings.push(Heading { offset, date: is_date.then_some(title) });
        }
        offset += line.len();
    }
    headings
}

/// The lessons in effect, in file order: those that are not struck out.
pub fn lessons(text: &str) -> Vec<Lesson> {
    let headings = headings(text);
    let items = list_items(text).into_iter();
    let standing = items.filter(|item| !item.line.trim_start().starts_with(STRIKETHROUGH));
    let lessons = standing.map(|item| Lesson::new(&item, item.text_and_episodes().0, &headings));
    lessons.filter(|lesson| !lesson.text.is_empty()).collect()
}

/// The lessons that are struck out.
pub fn struck_lessons(text: &str) -> Vec<Lesson> {
    let headings = headings(text);
    let struck = |item: &LessonItem| {
        let text = item.line.trim_start().strip_prefix(STRIKETHROUGH)?.split(STRIKETHROUGH).next()?;
        Some(Lesson::new(item, text, &headings))
    };
    list_items(text).iter().filter_map(struck).collect()
}

/// The texts of [`lessons`].
pub fn lesson_texts(text: &str) -> Vec<String> {
    lessons(text).into_iter().map(|lesson| lesson.text).collect()
}

/// The number of list items in a text.
pub fn count_lessons(text: &str) -> usize {
    list_items(text).len()
}

/// A list item prepared for a comparison with those of another version of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedItem {
    /// The position, without the last line ending.
    pub span: Span,
    /// The text before the cited episodes, in one line.
    pub stem: String,
    /// The normalized stem.
    pub words: String,
    /// The ids of the cited episodes, as written.
    episodes: Vec<String>,
    /// The number of episodes that are only counted.
    more: usize,
    pattern: Option<String>,
}

impl ParsedItem {
    /// Whether both are the same lesson: the same words, the same pattern, or the same episodes.
    pub fn is_same_lesson(&self, other: &Self) -> bool {
        let cited = |item: &Self| item.episodes.iter().map(|id| unescaped(id)).collect::<BTreeSet<_>>();
        let same_pattern = self.pattern.is_some() && self.pattern == other.pattern;
        self.words == other.words || same_pattern || (!self.episodes.is_empty() && cited(self) == cited(other))
    }
}

/// Parses the list items of a text.
pub fn parse_items(text: &str) -> Vec<ParsedItem> {
    let parse = |item: &LessonItem| {
        let (stem, episodes) = item.text_and_episodes();
        let pattern = item.pattern();
        ParsedItem {
            span: item.span,
            stem: stem.to_owned(),
            words: normalized(stem),
            episodes: episodes.map(str::to_owned).collect(),
            more: item.uncited(),
            pattern: pattern.map(str::to_owned),
        }
    };
    list_items(text).iter().map(parse).collect()
}

/// The item `own`, written as `text`, with the episodes of both items. An item that an editor has wrapped is unchanged.
pub fn with_merged_citations(text: &str, own: &ParsedItem, other: &ParsedItem) -> String {
    let Some((stem, _)) = text.rsplit_once(CITATION).filter(|_| !text.contains('\n')) else { return text.to_owned() };
    let known: BTreeSet<String> = own.episodes.iter().map(|id| unescaped(id)).collect();
    let others = other.episodes.iter().filter(|id| !known.contains(&unescaped(id)));
    let episodes: Vec<String> = own.episodes.iter().chain(others).cloned().collect();
    let total = episodes.len() + own.more.max(other.more);
    let cited = &episodes[..episodes.len().min(MAX_CITATIONS)];
    let pattern = own.pattern.as_deref().or(other.pattern.as_deref());
    format!("{stem}{CITATION}{}", format_citation(cited, total, pattern))
}
