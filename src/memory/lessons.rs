//! Lessons: what is written into `semantic/LESSONS.md`, and what stands there already.

use super::ruleset::Ruleset;
use crate::canon::episode::Episode;
use crate::canon::memory_file;
use crate::syntax::{Span, markdown};
use std::collections::BTreeSet;

/// Lines of lessons beyond which a person should look at them.
pub const LINES: usize = 200;
/// Characters of a lesson that are written at most.
const LENGTH_LIMIT: usize = 1_000;
/// Episodes that a lesson names; the others are counted.
const CITED: usize = 5;
/// What stands before and behind a lesson that was struck out.
const STRUCK: &str = "~~";
/// What stands before the episodes of a lesson.
const CITATION: &str = " (episodes: ";
/// What stands before the name of its pattern, behind the episodes.
const PATTERN: &str = "; pattern ";

/// What may become a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What the best row says, as it says it.
    pub text: String,
    /// The ids of the pattern's rows, the best first.
    pub ids: Vec<String>,
    /// How many rows there are in all.
    pub of: usize,
    /// The pattern's own name, which stays as rows come and go; the seed has none.
    pub pattern: Option<String>,
}

/// What is to be added to the lessons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addition {
    /// The text to append; empty where there is nothing new.
    pub text: String,
    /// The candidates that it holds, by their position.
    pub written: Vec<usize>,
}

/// What a row teaches: its reflection, else its action.
pub fn text_of(episode: &Episode<'_>, ruleset: Ruleset) -> String {
    let action = episode.action.as_deref().filter(|action| !action.trim().is_empty());
    match (ruleset, episode.reflection.as_deref()) {
        // The seed takes a reflection also where it is empty.
        (Ruleset::Current, Some(said)) if said.trim().is_empty() => action.unwrap_or_default().to_owned(),
        _ => episode.lesson().to_owned(),
    }
}

/// The positions of the candidates that `existing` does not hold, nor one before.
pub fn fresh(existing: &str, candidates: &[Candidate], ruleset: Ruleset) -> Vec<usize> {
    let mut known = Known::of(existing);
    let mut fresh = Vec::new();
    for (at, candidate) in candidates.iter().enumerate() {
        let lesson = Lesson::of(candidate);
        let is_known = match ruleset {
            Ruleset::Seed => existing.contains(&format!("- {}", candidate.text)) || existing.contains(&lesson.stem()),
            Ruleset::Current => lesson.text.is_empty() || known.has(&lesson, candidate),
        };
        if is_known {
            continue;
        }
        known.texts.insert(folded(&lesson.text));
        fresh.push(at);
    }
    fresh
}

/// Appends those candidates to `existing` under a heading of the day.
pub fn append(existing: &str, candidates: &[Candidate], written: Vec<usize>, date: &str) -> Addition {
    let lines: String =
        written.iter().filter_map(|at| candidates.get(*at)).map(|candidate| Lesson::of(candidate).line()).collect();
    let text = if lines.is_empty() { String::new() } else { block(existing, &lines, date) };
    Addition { text, written }
}

/// With the line endings of the text that it goes to.
fn block(existing: &str, lines: &str, date: &str) -> String {
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

/// A lesson as it is written: one line of Markdown that is an item of a list and nothing else.
struct Lesson {
    text: String,
    citation: String,
}

impl Lesson {
    fn of(candidate: &Candidate) -> Self {
        let text = shortened(&single_line(&candidate.text));
        let cited: Vec<String> = candidate.ids.iter().take(CITED).map(|id| single_line(id)).collect();
        let plain = Self { citation: citation(&cited, candidate.of, candidate.pattern.as_deref()), text };
        if plain.text.is_empty() || markdown::is_plain_item(&plain.line()) {
            return plain;
        }
        let cited: Vec<String> = cited.iter().map(|id| escaped(id)).collect();
        Self { citation: citation(&cited, candidate.of, candidate.pattern.as_deref()), text: escaped(&plain.text) }
    }

    /// Up to where the episodes are named.
    fn stem(&self) -> String {
        format!("- {}{CITATION}", self.text)
    }

    fn line(&self) -> String {
        format!("{}{}\n", self.stem(), self.citation)
    }
}

/// Of `all` episodes those that are named, and the name of their pattern.
fn citation(cited: &[String], all: usize, pattern: Option<&str>) -> String {
    let rest = all.saturating_sub(cited.len());
    let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    let pattern = pattern.map(|name| format!("{PATTERN}{name}")).unwrap_or_default();
    format!("{}{more}{pattern})", cited.join(", "))
}

/// Without line breaks of any kind, which would let a row write headings, and without control characters.
pub(super) fn single_line(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    words.join(" ")
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LENGTH_LIMIT) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// Every character that Markdown may read as more than itself.
fn escaped(text: &str) -> String {
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

/// For comparing: case, white space, escapes and a full stop at the end make no other lesson.
pub(super) fn folded(text: &str) -> String {
    single_line(&unescaped(text)).trim_end_matches('.').to_lowercase()
}

/// What the lessons hold already.
#[derive(Default)]
struct Known {
    texts: BTreeSet<String>,
    cited: BTreeSet<String>,
    patterns: BTreeSet<String>,
}

impl Known {
    fn of(existing: &str) -> Self {
        let mut known = Self::default();
        for item in items(existing) {
            known.patterns.extend(item.pattern().map(str::to_owned));
            let (text, cited) = item.parts();
            known.cited.extend(cited.map(unescaped));
            known.texts.insert(folded(text));
        }
        known
    }

    /// The same words, the same pattern, or an episode of it: someone may have put it in words of their own.
    fn has(&self, lesson: &Lesson, candidate: &Candidate) -> bool {
        candidate.pattern.as_ref().is_some_and(|name| self.patterns.contains(name))
            || self.texts.contains(&folded(&lesson.text))
            || candidate.ids.iter().any(|id| self.cited.contains(single_line(id).as_str()))
    }
}

/// An item of a list as one line, also where an editor has wrapped it.
struct Item {
    line: String,
    span: Span,
}

impl Item {
    /// What it says, and the ids of its episodes as written.
    fn parts(&self) -> (&str, impl Iterator<Item = &str>) {
        let (text, cited) = self.line.rsplit_once(CITATION).unwrap_or((&self.line, ""));
        let cited = cited.rsplit_once(PATTERN).map_or(cited, |(ids, _)| ids);
        let ids = cited.trim_end().trim_end_matches(')').split(" and ").next().unwrap_or_default();
        (text, ids.split(", ").filter(|id| !id.is_empty()))
    }

    /// The name of its pattern.
    fn pattern(&self) -> Option<&str> {
        let (_, cited) = self.line.rsplit_once(CITATION)?;
        Some(cited.rsplit_once(PATTERN)?.1.trim_end().trim_end_matches(')'))
    }
}

/// The items of lists.
fn items(text: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut inside = false;
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_end_matches(['\n', '\r']);
        let span = Span::new(start, start + line.len());
        start += whole.len();
        let bullet = ["- ", "* ", "+ "].iter().find_map(|mark| line.trim_start().strip_prefix(mark));
        let goes_on = inside && line.starts_with([' ', '\t']) && !line.trim().is_empty();
        match (bullet, items.last_mut()) {
            (Some(item), _) => items.push(Item { line: item.trim_end().to_owned(), span }),
            (None, Some(item)) if goes_on => {
                item.line.push(' ');
                item.line.push_str(line.trim());
                item.span = Span::new(item.span.offset, span.end());
            }
            _ => {}
        }
        inside = bullet.is_some() || goes_on;
    }
    items
}

/// The lessons in a text that hold, each in one line, without the episodes that it names; in file order.
pub fn listed(text: &str) -> Vec<String> {
    placed(text).into_iter().map(|(lesson, _)| lesson).collect()
}

/// The same, each with where it stands.
pub fn placed(text: &str) -> Vec<(String, Span)> {
    let said = |item: Item| (unescaped(item.parts().0).trim().to_owned(), item.span);
    items(text).into_iter().map(said).filter(|(text, _)| !text.is_empty() && !text.starts_with(STRUCK)).collect()
}

mod citations;
mod leaving;
mod reading;
pub use citations::{Citation, citations, retain_unresolved};
pub use leaving::{Dated, dated, superseded, without};
pub use reading::count;
pub(super) use reading::{Reading, readings, recited};

#[cfg(test)]
#[path = "lessons_tests.rs"]
mod tests;
