//! Lessons: the items of `semantic/LESSONS.md`, and how a dream adds new ones.

mod citations;
mod edits;
mod items;
mod length;
mod removed;

pub use citations::{Citation, find_citations, retain_unresolved};
pub use edits::{remove_lesson, strike_out};
pub use items::{Lesson, count_lessons, lesson_texts, lessons, struck_lessons};
pub(super) use items::{ParsedItem, parse_items, with_merged_citations};
pub use length::{count_read_lines, end_of_read_lines};
pub use removed::RemovedLessons;

use super::ruleset::Ruleset;
use canonry_model::canon::episode::Episode;
use canonry_model::canon::memory_file;
use canonry_text::markdown;
use canonry_text::shortened;
use canonry_text::untrusted::is_hidden;
pub(super) use items::{LessonItem, list_items};
use std::collections::BTreeSet;

/// Lines of `LESSONS.md` beyond which a person should review the file.
pub const MAX_LINES: usize = 200;
/// Characters of a lesson.
const MAX_LESSON_CHARACTERS: usize = 1_000;
/// Episodes that a lesson or a candidate names; the others are counted.
pub const MAX_CITATIONS: usize = 5;
/// Marks the start and the end of a lesson that was struck out.
const STRIKETHROUGH: &str = "~~";
/// Separates a lesson from its episodes.
const CITATION: &str = " (episodes: ";
/// Separates the episodes from the pattern id.
const PATTERN: &str = "; pattern ";

/// A potential lesson.
#[derive(Clone, Debug, PartialEq)]
pub struct LessonCandidate {
    /// The text, as the best row has it.
    pub text: String,
    /// The ids of the episodes, the best first.
    pub episodes: Vec<String>,
    /// The number of episodes, including those without an id in `episodes`.
    pub total: usize,
    /// The id of the pattern, which stays the same when rows are added. The seed has none.
    pub pattern: Option<String>,
    /// The salience of the pattern; `None` for a lesson that does not depend on salience.
    pub salience: Option<f64>,
}

/// Text to append to the lessons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonAddition {
    /// The text; empty if there are no new lessons.
    pub text: String,
    /// The positions of the candidates in it.
    pub written: Vec<usize>,
}

/// The lesson that an episode teaches: its reflection, or its action if it has none.
pub fn lesson_text(episode: &Episode<'_>, ruleset: Ruleset) -> String {
    let action = episode.action.as_deref().filter(|action| !action.trim().is_empty());
    match (ruleset, episode.reflection.as_deref()) {
        // The seed uses an empty reflection too.
        (Ruleset::Current, Some(reflection)) if reflection.trim().is_empty() => action.unwrap_or_default().to_owned(),
        _ => episode.lesson().to_owned(),
    }
}

/// The positions of the candidates that neither `existing` nor an earlier candidate contains.
pub fn select_new(existing: &str, candidates: &[LessonCandidate], ruleset: Ruleset) -> Vec<usize> {
    let mut known = ExistingLessons::parse(existing);
    let mut selected = Vec::new();
    for (at, candidate) in candidates.iter().enumerate() {
        let lesson = LessonLine::new(candidate);
        let is_known = match ruleset {
            Ruleset::Seed => existing.contains(&format!("- {}", candidate.text)) || existing.contains(&lesson.stem()),
            Ruleset::Current => lesson.text.is_empty() || known.contains(&lesson, candidate),
        };
        if is_known {
            continue;
        }
        known.texts.insert(normalized(&lesson.text));
        selected.push(at);
    }
    selected
}

/// Builds the text that appends the `written` candidates under a heading with the date.
pub fn append_lessons(
    existing: &str,
    candidates: &[LessonCandidate],
    written: Vec<usize>,
    date: &str,
) -> LessonAddition {
    let candidates = written.iter().filter_map(|at| candidates.get(*at));
    let lines: String = candidates.map(|candidate| LessonLine::new(candidate).line()).collect();
    let text = if lines.is_empty() { String::new() } else { dated_block(existing, &lines, date) };
    LessonAddition { text, written }
}

/// Lines under a date heading, unless the last heading is that date, with the line endings of `existing`.
fn dated_block(existing: &str, lines: &str, date: &str) -> String {
    let heading = format!("## {date}");
    let last = existing.lines().rfind(|line| line.starts_with('#')).map(str::trim_end);
    let mut block = if existing.is_empty() { memory_file::LESSONS.to_owned() } else { String::new() };
    if !existing.is_empty() && !existing.ends_with('\n') {
        block.push('\n');
    }
    if last != Some(heading.as_str()) {
        if !existing.ends_with("\n\n") {
            block.push('\n');
        }
        block.push_str(&format!("{heading}\n\n"));
    }
    block.push_str(lines);
    let crlf = existing.contains("\r\n");
    if crlf { block.replace('\n', "\r\n") } else { block }
}

/// A lesson as one Markdown list item, escaped so that an episode cannot write headings, links or markup.
struct LessonLine {
    text: String,
    citation: String,
}

impl LessonLine {
    fn new(candidate: &LessonCandidate) -> Self {
        let text = shortened(&single_line(&candidate.text), MAX_LESSON_CHARACTERS).into_owned();
        let cited: Vec<String> = candidate.episodes.iter().take(MAX_CITATIONS).map(|id| single_line(id)).collect();
        let citation = |cited: &[String]| format_citation(cited, candidate.total, candidate.pattern.as_deref());
        let plain = Self { citation: citation(&cited), text };
        if plain.text.is_empty() || markdown::is_plain_item(&plain.line()) {
            return plain;
        }
        let cited: Vec<String> = cited.iter().map(|id| escaped(id)).collect();
        Self { citation: citation(&cited), text: escaped(&plain.text) }
    }

    /// The line up to the cited episodes.
    fn stem(&self) -> String {
        format!("- {}{CITATION}", self.text)
    }

    fn line(&self) -> String {
        format!("{}{}\n", self.stem(), self.citation)
    }
}

/// The cited episodes out of `total`, and the pattern id.
fn format_citation(cited: &[String], total: usize, pattern: Option<&str>) -> String {
    let rest = total.saturating_sub(cited.len());
    let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    let pattern = pattern.map(|id| format!("{PATTERN}{id}")).unwrap_or_default();
    format!("{}{more}{pattern})", cited.join(", "))
}

/// Joins the words of a text with spaces, without line breaks and control characters.
pub fn single_line(text: &str) -> String {
    let visible: String = text.chars().filter(|c| !is_hidden(*c)).collect();
    let words: Vec<&str> =
        visible.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Escapes every character that can have a meaning in Markdown.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if c.is_ascii_punctuation() && !matches!(c, ',' | ';' | '\'' | '"' | '/' | '?' | '%' | '$' | '^') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = if c == '\\' { chars.next_if(char::is_ascii_punctuation) } else { None };
        out.push(escaped.unwrap_or(c));
    }
    out
}

/// A text for comparison: case, white space, escapes and a final full stop do not matter.
pub(super) fn normalized(text: &str) -> String {
    single_line(&unescaped(text)).trim_end_matches('.').to_lowercase()
}

/// Content of the existing lessons.
#[derive(Default)]
struct ExistingLessons {
    texts: BTreeSet<String>,
    cited: BTreeSet<String>,
    patterns: BTreeSet<String>,
}

impl ExistingLessons {
    fn parse(text: &str) -> Self {
        let mut known = Self::default();
        known.add(text);
        known
    }

    fn add(&mut self, text: &str) {
        for item in list_items(text) {
            self.patterns.extend(item.pattern().map(str::to_owned));
            let (text, cited) = item.text_and_episodes();
            self.cited.extend(cited.map(unescaped));
            self.texts.insert(normalized(text));
        }
    }

    /// Whether there is a lesson with the same words, the same pattern, or a common episode. An episode counts because a
    /// person may have reworded the lesson.
    fn contains(&self, lesson: &LessonLine, candidate: &LessonCandidate) -> bool {
        candidate.pattern.as_ref().is_some_and(|id| self.patterns.contains(id))
            || self.texts.contains(&normalized(&lesson.text))
            || candidate.episodes.iter().any(|id| self.cited.contains(single_line(id).as_str()))
    }
}

#[cfg(test)]
mod tests;
