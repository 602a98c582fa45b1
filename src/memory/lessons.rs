//! Lessons: what is written into `semantic/LESSONS.md`, and what stands there already.

use super::dialect::Dialect;
use crate::canon::episode::Episode;
use crate::canon::templates;
use crate::syntax::markdown;
use std::collections::BTreeSet;

/// Characters of a lesson that are written at most.
const LENGTH_LIMIT: usize = 1_000;
/// Episodes that a lesson names; the others are counted.
const CITED: usize = 5;
/// What stands before the episodes of a lesson.
const CITATION: &str = " (episodes: ";

/// What may become a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What the best row says, as it says it.
    pub text: String,
    /// The ids of the pattern's rows, the best first.
    pub ids: Vec<String>,
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
pub fn text_of(episode: &Episode<'_>, dialect: Dialect) -> String {
    let action = episode.action.as_deref().filter(|action| !action.trim().is_empty());
    match (dialect, episode.reflection.as_deref()) {
        // The seed takes a reflection also where it is empty.
        (Dialect::Repaired, Some(said)) if said.trim().is_empty() => action.unwrap_or_default().to_owned(),
        _ => episode.lesson().to_owned(),
    }
}

/// What to append to `existing`, under a heading of the day.
pub fn append(existing: &str, candidates: &[Candidate], date: &str, dialect: Dialect) -> Addition {
    let mut known = Known::of(existing);
    let mut lines = String::new();
    let mut written = Vec::new();
    for (at, candidate) in candidates.iter().enumerate() {
        let lesson = Lesson::of(candidate);
        let is_known = match dialect {
            Dialect::Seed => existing.contains(&format!("- {}", candidate.text)) || existing.contains(&lesson.stem()),
            Dialect::Repaired => lesson.text.is_empty() || known.has(&lesson, candidate),
        };
        if is_known {
            continue;
        }
        known.texts.insert(folded(&lesson.text));
        lines.push_str(&lesson.line());
        written.push(at);
    }
    let text = if lines.is_empty() { String::new() } else { block(existing, &lines, date) };
    Addition { text, written }
}

/// With the line endings of the text that it goes to.
fn block(existing: &str, lines: &str, date: &str) -> String {
    let heading = format!("## {date}");
    let last = existing.lines().rfind(|line| line.starts_with('#')).map(str::trim_end);
    let mut block = if existing.is_empty() { templates::LESSONS.to_owned() } else { String::new() };
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
        let plain = Self { citation: citation(&cited, candidate.ids.len()), text };
        if plain.text.is_empty() || markdown::is_plain_item(&plain.line()) {
            return plain;
        }
        let cited: Vec<String> = cited.iter().map(|id| escaped(id)).collect();
        Self { citation: citation(&cited, candidate.ids.len()), text: escaped(&plain.text) }
    }

    /// Up to where the episodes are named.
    fn stem(&self) -> String {
        format!("- {}{CITATION}", self.text)
    }

    fn line(&self) -> String {
        format!("{}{}\n", self.stem(), self.citation)
    }
}

fn citation(cited: &[String], all: usize) -> String {
    let rest = all.saturating_sub(cited.len());
    let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    format!("{}{more})", cited.join(", "))
}

/// Without line breaks of any kind, which would let a row write headings, and without control characters.
fn single_line(text: &str) -> String {
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
fn folded(text: &str) -> String {
    single_line(&unescaped(text)).trim_end_matches('.').to_lowercase()
}

/// What the lessons hold already.
#[derive(Default)]
struct Known {
    texts: BTreeSet<String>,
    cited: BTreeSet<String>,
}

impl Known {
    fn of(existing: &str) -> Self {
        let mut known = Self::default();
        for item in items(existing) {
            let (text, cited) = match item.rsplit_once(CITATION) {
                Some((text, cited)) => (text.to_owned(), cited.trim_end().trim_end_matches(')').to_owned()),
                None => (item, String::new()),
            };
            let ids = cited.split(" and ").next().unwrap_or_default().split(", ");
            known.cited.extend(ids.filter(|id| !id.is_empty()).map(unescaped));
            known.texts.insert(folded(&text));
        }
        known
    }

    /// The same words, or an episode of the same pattern: someone may have put it in words of their own.
    fn has(&self, lesson: &Lesson, candidate: &Candidate) -> bool {
        self.texts.contains(&folded(&lesson.text))
            || candidate.ids.iter().any(|id| self.cited.contains(single_line(id).as_str()))
    }
}

/// The items of lists, each as one line, also where an editor has wrapped it.
fn items(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let bullet = ["- ", "* ", "+ "].iter().find_map(|mark| line.trim_start().strip_prefix(mark));
        let goes_on = inside && line.starts_with([' ', '\t']) && !line.trim().is_empty();
        match (bullet, items.last_mut()) {
            (Some(item), _) => items.push(item.trim_end().to_owned()),
            (None, Some(item)) if goes_on => {
                item.push(' ');
                item.push_str(line.trim());
            }
            _ => {}
        }
        inside = bullet.is_some() || goes_on;
    }
    items
}

#[cfg(test)]
#[path = "lessons_tests.rs"]
mod tests;
