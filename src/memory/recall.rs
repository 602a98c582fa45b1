//! What the memory holds on a question: salience and words together.
//!
//! `score = BM25 x (0.5 + 0.5 x salience / the highest salience)`. What says the same is told once.

use super::budget::Room;
use super::lessons::listed;
use super::policy::{Factors, Policy};
use super::told::{Redact, episode, id, lesson};
use crate::canon::episode::Episode;
use crate::canon::timestamp::Timestamp;
use crate::syntax::bm25::{CorpusStats, Query, TermCounts};
use crate::syntax::terms::each_term;
use rayon::prelude::*;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// What words count by themselves; the rest is up to salience.
const WORDS: f64 = 0.5;
/// Rows that one thread reads at a time.
const BLOCK: usize = 4_096;

/// What is asked.
pub struct Asked<'a> {
    /// In words; with none of them salience alone decides.
    pub text: &'a str,
    /// How many are told at most.
    pub top: usize,
    /// Tokens that they may cost together.
    pub budget: usize,
    /// The moment that counts as now.
    pub now: Timestamp,
    /// How salience is worked out.
    pub policy: &'a Policy,
    /// Takes secrets out of a text.
    pub redact: Redact<'a>,
}

/// What is known.
#[derive(Default)]
pub struct Sources<'a> {
    /// The text of `LESSONS.md`.
    pub lessons: &'a str,
    /// Logs: the episodic one, and snapshots.
    pub logs: Vec<&'a [u8]>,
}

/// What something is that is recalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A lesson.
    Lesson,
    /// A row of a log.
    Episode,
}

/// Something that is recalled.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// What it is.
    pub kind: Kind,
    /// An episode's id: its own, else that of its content.
    pub id: Option<String>,
    /// In one line.
    pub text: String,
    /// What it is sorted by.
    pub score: f64,
    /// BM25 of the question's words in it; 1 where nothing is asked.
    pub words: f64,
    /// Its salience as a part of the highest there is; that of a lesson is 1.
    pub salience: f64,
    /// How many say the same.
    pub times: usize,
}

/// What came of a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recalled {
    /// The best first.
    pub hits: Vec<Hit>,
    /// Episodes and lessons that were looked at.
    pub looked_at: usize,
    /// Lines that are no episodes.
    pub unreadable: usize,
    /// What speaks to the question as well, beyond the number or the budget that was asked for.
    pub left_out: usize,
}

/// Where an answer stands, and what speaks for it.
struct Found<'a> {
    place: Place<'a>,
    at: Option<Timestamp>,
    salience: f64,
    counts: TermCounts,
    /// A hash of what it teaches.
    said: u64,
}

enum Place<'a> {
    Lesson(usize, String),
    Row(&'a [u8]),
}

/// A part of what was read.
struct Part<'a> {
    found: Vec<Found<'a>>,
    tally: CorpusStats,
    unreadable: usize,
    looked_at: usize,
    highest: f64,
}

/// Recalls.
pub fn recall(asked: &Asked<'_>, sources: &Sources<'_>) -> Recalled {
    let question = Query::parse(asked.text);
    let mut all = lessons(&question, sources.lessons);
    for log in &sources.logs {
        let lines: Vec<&[u8]> = log.split(|byte| *byte == b'\n').collect();
        let parts: Vec<Part<'_>> = lines.par_chunks(BLOCK).map(|lines| rows(&question, lines, asked)).collect();
        parts.into_iter().for_each(|part| all.merge(part));
    }
    let weights = all.tally.weights();
    let highest = all.highest;
    let mut scored: Vec<Scored<'_>> = all
        .found
        .into_iter()
        .map(|found| {
            let words = if question.is_empty() { 1.0 } else { weights.score(&found.counts) };
            Scored::of(found, words, highest)
        })
        .collect();
    scored.par_sort_by(|a, b| a.order(b));
    let (scored, times) = once(scored);
    let told = tell(asked, &scored, &times);
    Recalled { left_out: scored.len() - told.len(), hits: told, looked_at: all.looked_at, unreadable: all.unreadable }
}

struct Scored<'a> {
    score: f64,
    words: f64,
    salience: f64,
    found: Found<'a>,
}

impl<'a> Scored<'a> {
    fn of(found: Found<'a>, words: f64, highest: f64) -> Self {
        let salience = match found.place {
            Place::Lesson(..) => 1.0,
            Place::Row(_) if highest > 0.0 => (found.salience / highest).max(0.0),
            Place::Row(_) => 0.0,
        };
        Self { score: words * (WORDS + (1.0 - WORDS) * salience), words, salience, found }
    }

    /// The best first; of equals the newer, a lesson before all. What stands where does not count.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let newer = |one: &Self| (one.found.at.is_none(), one.found.at, one.found.place.nth());
        let by_score = other.score.total_cmp(&self.score).then_with(|| newer(other).cmp(&newer(self)));
        by_score.then_with(|| self.found.place.bytes().cmp(other.found.place.bytes()))
    }
}

impl Place<'_> {
    /// Lessons are appended: the last one is the newest.
    fn nth(&self) -> usize {
        if let Self::Lesson(nth, _) = self { *nth } else { 0 }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Lesson(_, text) => text.as_bytes(),
            Self::Row(line) => line,
        }
    }
}

/// What says the same, once, and how often.
fn once(scored: Vec<Scored<'_>>) -> (Vec<Scored<'_>>, HashMap<u64, usize>) {
    let mut times: HashMap<u64, usize> = HashMap::new();
    let mut first = Vec::new();
    for one in scored {
        let count = times.entry(one.found.said).or_default();
        *count += 1;
        if *count == 1 {
            first.push(one);
        }
    }
    (first, times)
}

fn tell(asked: &Asked<'_>, scored: &[Scored<'_>], times: &HashMap<u64, usize>) -> Vec<Hit> {
    let mut room = Room::of(asked.budget);
    let mut hits = Vec::new();
    for Scored { score, words, salience, found } in scored {
        if hits.len() == asked.top {
            break;
        }
        let times = times.get(&found.said).copied().unwrap_or(1);
        let (kind, id, text) = match &found.place {
            Place::Lesson(_, text) => (Kind::Lesson, None, lesson(text, asked.redact)),
            Place::Row(line) => (Kind::Episode, id(line), episode(line, times, asked.redact)),
        };
        // With the line's end.
        if room.take(&text) && room.take("\n") {
            hits.push(Hit { kind, id, text, score: *score, words: *words, salience: *salience, times });
        }
    }
    hits
}

impl<'a> Part<'a> {
    fn of(question: &Query) -> Self {
        Self { found: Vec::new(), tally: question.corpus_stats(), unreadable: 0, looked_at: 0, highest: 0.0 }
    }

    fn add(&mut self, question: &Query, found: Found<'a>) {
        self.looked_at += 1;
        self.tally.add(&found.counts);
        self.highest = self.highest.max(found.salience);
        if question.is_empty() || found.counts.has_any() {
            self.found.push(found);
        }
    }

    fn merge(&mut self, other: Self) {
        self.found.extend(other.found);
        self.tally.merge(&other.tally);
        self.unreadable += other.unreadable;
        self.looked_at += other.looked_at;
        self.highest = self.highest.max(other.highest);
    }
}

fn lessons<'a>(question: &Query, text: &str) -> Part<'a> {
    let mut part = Part::of(question);
    for (nth, lesson) in listed(text).into_iter().enumerate() {
        let (counts, said) = (question.count([lesson.as_str()]), hash([lesson.as_str()]));
        part.add(question, Found { place: Place::Lesson(nth, lesson), at: None, salience: 0.0, counts, said });
    }
    part
}

fn rows<'a>(question: &Query, lines: &[&'a [u8]], asked: &Asked<'_>) -> Part<'a> {
    let mut part = Part::of(question);
    for line in lines.iter().copied().filter(|line| !line.trim_ascii().is_empty()) {
        match Episode::parse(line) {
            Ok(episode) => part.add(question, found(question, line, &episode, asked)),
            Err(_) => part.unreadable += 1,
        }
    }
    part
}

fn found<'a>(question: &Query, line: &'a [u8], episode: &Episode<'_>, asked: &Asked<'_>) -> Found<'a> {
    let [action, detail] = [&episode.action, &episode.detail].map(|field| field.as_deref().unwrap_or_default());
    let reflection = episode.reflection.as_deref().map(str::trim).unwrap_or_default();
    let skill = episode.skill.as_deref().unwrap_or_default();
    // Where nothing is asked, words count for nothing.
    let counts =
        if question.is_empty() { TermCounts::default() } else { question.count([skill, action, reflection, detail]) };
    let factors =
        Factors { at: episode.at, pain: episode.pain, importance: episode.importance, recurrence: episode.recurrence };
    let salience = asked.policy.weigh(factors, asked.now);
    let wanted = question.is_empty() || counts.has_any();
    let said = match (wanted, reflection) {
        (false, _) => 0,
        (true, "") => hash([action, detail]),
        (true, reflection) => hash([reflection]),
    };
    Found { place: Place::Row(line), at: Some(episode.at), salience, counts, said }
}

/// Of the words of a text: case and punctuation make nothing else of it.
fn hash<'t>(parts: impl IntoIterator<Item = &'t str>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for part in parts {
        each_term(part, |term| term.hash(&mut hasher));
    }
    hasher.finish()
}

#[cfg(test)]
#[path = "recall_tests.rs"]
mod tests;
