//! Recall: searches lessons, decisions, knowledge and episodes by words and salience together.
//!
//! `score = BM25 x (0.5 + 0.5 x salience / highest salience)`. Entries with the same text are one hit. Entries that share too
//! little with the query are left out, and all are if even the best do not share enough.

use super::budget::TokenBudget;
use super::lesson_salience::weighed_lessons;
use super::lessons::single_line;
use super::outdated_lessons::{OutdatedLesson, SubjectChange};
use super::pages::{decision_entries, knowledge_entries};
use super::policy::{MemoryPolicy, SalienceInputs};
use super::review::ReviewQueue;
use super::row::episode_id;
use super::withdrawn_lessons::WithdrawnLessons;
use canonry_model::canon::episode::Episode;
use canonry_model::canon::timestamp::Timestamp;
use canonry_text::bm25::{CorpusStats, Query, TermCounts};
use canonry_text::shortened;
use canonry_text::terms::each_word;
use rayon::prelude::*;
use serde::{Serialize, Serializer};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The share of the score that does not depend on salience.
const WORD_SHARE: f64 = 0.5;
/// An entry is irrelevant if it covers less than this share of the query, weighted by the rarity of the words.
const MIN_COVERAGE: f64 = 0.15;
/// Nothing is found if none of the best few entries covers the share of unknown words, times this and less
/// [`UNKNOWN_ALLOWED`]: they show that the question is about something else.
const UNKNOWN_PENALTY: f64 = 0.4;
const UNKNOWN_ALLOWED: f64 = 0.1;
/// Number of the best entries that are searched for a relevant one.
const BEST: usize = 5;
/// The share of the score that a lesson keeps if what it is about has changed since. Without words, such a lesson ranks below
/// all others.
const OUTDATED: f64 = 0.5;
/// The weight of an episode without a question, so that its score is below that of every entry that is not outdated.
const EPISODE_WEIGHT: f64 = 0.5;
/// The position of the user's first own lesson, beyond those of any file of lessons.
const OWN_LESSONS: usize = 1 << 30;
/// Rows a thread parses at a time.
const BLOCK: usize = 4_096;
/// Characters of an episode's detail in a hit.
const MAX_DETAIL: usize = 200;
/// Characters of any other field in a hit.
const MAX_FIELD: usize = 500;

/// Replaces secrets in a text.
pub type Redact<'a> = &'a (dyn Fn(&str) -> String + Sync);

/// A search.
pub struct RecallQuery<'a> {
    /// The words to search for. If empty, only salience counts.
    pub text: &'a str,
    /// The maximum number of hits.
    pub top: usize,
    /// The maximum cost of all hits, in tokens.
    pub budget: usize,
    /// The current time.
    pub now: Timestamp,
    /// The salience formula.
    pub policy: &'a MemoryPolicy,
    /// Applied to every text of a hit.
    pub redact: Redact<'a>,
}

/// The texts to search.
#[derive(Default)]
pub struct RecallSources<'a> {
    /// `LESSONS.md`.
    pub lessons: &'a str,
    /// The lessons of `LESSONS.md` that are older than a change of what they are about.
    pub outdated: &'a [OutdatedLesson],
    /// `DECISIONS.md`.
    pub decisions: &'a str,
    /// `DOMAIN_KNOWLEDGE.md`.
    pub knowledge: &'a str,
    /// The user's own `LESSONS.md`, outside the repository.
    pub personal: &'a str,
    /// `REVIEW.jsonl`: what a person rejected is not found.
    pub review: &'a str,
    /// Logs: the episodic log, and snapshots.
    pub logs: Vec<&'a [u8]>,
}

/// The kind of a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HitKind {
    /// A lesson.
    Lesson,
    /// A lesson of the user's own memory.
    Personal,
    /// A decision.
    Decision,
    /// A section of the domain knowledge.
    Knowledge,
    /// An episode of a log.
    Episode,
}

/// A found entry. The fields, in this order, are those of the JSON document `canonry/recall/v1`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecallHit {
    /// The kind.
    pub kind: HitKind,
    /// The id of an episode: its own, or the hash of its content.
    pub id: Option<String>,
    /// The text in one line.
    pub text: String,
    /// The score hits are sorted by.
    #[serde(serialize_with = "rounded")]
    pub score: f64,
    /// The BM25 score of the words. For an empty query 1, and 0.5 for an episode.
    #[serde(serialize_with = "rounded")]
    pub words: f64,
    /// The salience: of an episode, divided by the highest one; of a lesson, between 0.5 and 1 by age and evidence; 1 for a
    /// decision and for knowledge.
    #[serde(serialize_with = "rounded")]
    pub salience: f64,
    /// The number of entries with the same text.
    pub times: usize,
    /// For a lesson: the later change of what it is about.
    pub outdated: Option<SubjectChange>,
}

fn rounded<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((value * 10_000.0).round() / 10_000.0)
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecallResult {
    /// The hits, the best first.
    pub hits: Vec<RecallHit>,
    /// The number of entries searched.
    pub searched: usize,
    /// The number of lines that are not episodes.
    pub unreadable: usize,
    /// The number of matches beyond the limit or the budget.
    pub left_out: usize,
}

/// Searches the sources.
pub fn recall(query: &RecallQuery<'_>, sources: &RecallSources<'_>) -> RecallResult {
    let question = Query::parse(query.text);
    let withdrawn = WithdrawnEntries::new(sources);
    let mut all = match_lessons(&question, HitKind::Lesson, sources.lessons, sources.outdated, query);
    all.merge(match_lessons(&question, HitKind::Personal, sources.personal, &[], query));
    all.merge(match_page(&question, HitKind::Decision, decision_entries(sources.decisions)));
    all.merge(match_page(&question, HitKind::Knowledge, knowledge_entries(sources.knowledge)));
    for log in &sources.logs {
        let lines: Vec<&[u8]> = log.split(|byte| *byte == b'\n').collect();
        let parts: Vec<MatchSet<'_>> =
            lines.par_chunks(BLOCK).map(|lines| match_episodes(&question, lines, query, &withdrawn)).collect();
        parts.into_iter().for_each(|part| all.merge(part));
    }
    let weights = all.stats.weights();
    let highest = all.highest;
    let relevant = |found: &RecallMatch<'_>| question.is_empty() || weights.coverage(&found.counts) >= MIN_COVERAGE;
    let scored = all.matches.into_iter().filter(relevant).map(|found| {
        let words = if question.is_empty() { found.source.weight() } else { weights.score(&found.counts) };
        ScoredMatch::new(found, words, highest)
    });
    let mut scored: Vec<ScoredMatch<'_>> = scored.collect();
    scored.par_sort_by(|a, b| a.order(b));
    let mut distinct = DistinctMatches::new(scored);
    let floor = UNKNOWN_PENALTY * weights.unknown_share() - UNKNOWN_ALLOWED;
    let is_answer = |one: &ScoredMatch<'_>| weights.coverage(&one.found.counts) >= floor;
    if !question.is_empty() && !distinct.matches.iter().take(BEST).any(is_answer) {
        distinct.matches.clear();
    }
    let hits = distinct.hits(query);
    RecallResult {
        left_out: distinct.matches.len() - hits.len(),
        hits,
        searched: all.searched,
        unreadable: all.unreadable,
    }
}

/// An entry that contains words of the query.
struct RecallMatch<'a> {
    source: MatchSource<'a>,
    at: Option<Timestamp>,
    salience: f64,
    counts: TermCounts,
    /// Hash of the text; equal hashes are one hit.
    text_hash: u64,
    /// For a lesson: the later change of what it is about.
    outdated: Option<SubjectChange>,
}

enum MatchSource<'a> {
    /// An entry of a document, by its position in the file.
    Entry { kind: HitKind, position: usize, text: String },
    /// The line of an episode.
    Episode(&'a [u8]),
}

impl MatchSource<'_> {
    /// Lessons are appended, so a higher position is newer.
    fn position(&self) -> usize {
        if let Self::Entry { position, .. } = self { *position } else { 0 }
    }

    /// The score of the words of an empty question: what a lesson or a decision sums up comes before single episodes.
    fn weight(&self) -> f64 {
        match self {
            Self::Entry { .. } => 1.0,
            Self::Episode(_) => EPISODE_WEIGHT,
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Entry { text, .. } => text.as_bytes(),
            Self::Episode(line) => line,
        }
    }
}

/// The matches of one source or of a part of it.
struct MatchSet<'a> {
    matches: Vec<RecallMatch<'a>>,
    stats: CorpusStats,
    unreadable: usize,
    searched: usize,
    highest: f64,
}

impl<'a> MatchSet<'a> {
    fn new(question: &Query) -> Self {
        Self { matches: Vec::new(), stats: question.corpus_stats(), unreadable: 0, searched: 0, highest: 0.0 }
    }

    fn add(&mut self, question: &Query, found: RecallMatch<'a>) {
        self.searched += 1;
        self.stats.add(&found.counts);
        self.highest = self.highest.max(found.salience);
        if question.is_empty() || found.counts.has_any() {
            self.matches.push(found);
        }
    }

    fn merge(&mut self, other: Self) {
        self.matches.extend(other.matches);
        self.stats.merge(&other.stats);
        self.unreadable += other.unreadable;
        self.searched += other.searched;
        self.highest = self.highest.max(other.highest);
    }
}

fn match_lessons<'a>(
    question: &Query,
    kind: HitKind,
    text: &str,
    outdated: &[OutdatedLesson],
    query: &RecallQuery<'_>,
) -> MatchSet<'a> {
    let mut set = MatchSet::new(question);
    // The user's own lessons come first among equals.
    let first = if kind == HitKind::Personal { OWN_LESSONS } else { 0 };
    for (position, lesson) in (first..).zip(weighed_lessons(text, query.policy, query.now)) {
        let change = outdated.iter().find(|other| other.text == lesson.text).map(|other| other.change.clone());
        let found = match_entry(question, kind, position, lesson.text, lesson.salience);
        set.add(question, RecallMatch { outdated: change, ..found });
    }
    // The salience of episodes is relative to that of other episodes.
    set.highest = 0.0;
    set
}

fn match_page<'a>(question: &Query, kind: HitKind, entries: Vec<String>) -> MatchSet<'a> {
    let mut set = MatchSet::new(question);
    for (position, text) in entries.into_iter().enumerate() {
        set.add(question, match_entry(question, kind, position, text, 1.0));
    }
    set.highest = 0.0;
    set
}

fn match_entry<'a>(question: &Query, kind: HitKind, position: usize, text: String, salience: f64) -> RecallMatch<'a> {
    let counts = question.count([text.as_str()]);
    let text_hash = hash_words([text.as_str()]);
    RecallMatch {
        source: MatchSource::Entry { kind, position, text },
        at: None,
        salience,
        counts,
        text_hash,
        outdated: None,
    }
}

fn match_episodes<'a>(
    question: &Query,
    lines: &[&'a [u8]],
    query: &RecallQuery<'_>,
    withdrawn: &WithdrawnEntries,
) -> MatchSet<'a> {
    let mut set = MatchSet::new(question);
    for line in lines.iter().copied().filter(|line| !line.trim_ascii().is_empty()) {
        let Ok(episode) = Episode::parse(line) else {
            set.unreadable += 1;
            continue;
        };
        let found = match_episode(question, line, &episode, query);
        if !withdrawn.contains(&episode, line, found.text_hash) {
            set.add(question, found);
        }
    }
    set
}

/// The episodes that taught what a person rejected or superseded, or that say the same.
struct WithdrawnEntries {
    lessons: WithdrawnLessons,
    text_hashes: HashSet<u64>,
}

impl WithdrawnEntries {
    fn new(sources: &RecallSources<'_>) -> Self {
        let lessons = WithdrawnLessons::find(sources.lessons, &ReviewQueue::parse(sources.review));
        let text_hashes = lessons.texts.iter().map(|text| hash_words([text.as_str()])).collect();
        Self { lessons, text_hashes }
    }

    fn contains(&self, episode: &Episode<'_>, line: &[u8], text_hash: u64) -> bool {
        let cited = &self.lessons.episodes;
        self.text_hashes.contains(&text_hash) || !cited.is_empty() && cited.contains(&episode_id(episode, line))
    }
}

fn match_episode<'a>(
    question: &Query,
    line: &'a [u8],
    episode: &Episode<'_>,
    query: &RecallQuery<'_>,
) -> RecallMatch<'a> {
    let [action, detail] = [&episode.action, &episode.detail].map(|field| field.as_deref().unwrap_or_default());
    let reflection = episode.reflection.as_deref().map(str::trim).unwrap_or_default();
    let skill = episode.skill.as_deref().unwrap_or_default();
    let counts =
        if question.is_empty() { TermCounts::default() } else { question.count([skill, action, reflection, detail]) };
    let inputs = SalienceInputs {
        at: episode.at,
        pain: episode.pain,
        importance: episode.importance,
        recurrence: episode.recurrence,
    };
    let salience = query.policy.salience(inputs, query.now);
    let is_match = question.is_empty() || counts.has_any();
    let text_hash = match (is_match, reflection) {
        (false, _) => 0,
        (true, "") => hash_words([action, detail]),
        (true, reflection) => hash_words([reflection]),
    };
    RecallMatch {
        source: MatchSource::Episode(line),
        at: Some(episode.at),
        salience,
        counts,
        text_hash,
        outdated: None,
    }
}

/// Hash of the words of a text; case and punctuation do not matter.
fn hash_words<'t>(parts: impl IntoIterator<Item = &'t str>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for part in parts {
        each_word(part, |word| word.hash(&mut hasher));
    }
    hasher.finish()
}

struct ScoredMatch<'a> {
    score: f64,
    words: f64,
    salience: f64,
    found: RecallMatch<'a>,
}

impl<'a> ScoredMatch<'a> {
    fn new(found: RecallMatch<'a>, words: f64, highest: f64) -> Self {
        let salience = match found.source {
            MatchSource::Entry { .. } => found.salience,
            MatchSource::Episode(_) if highest > 0.0 => (found.salience / highest).max(0.0),
            MatchSource::Episode(_) => 0.0,
        };
        let age = if found.outdated.is_some() { OUTDATED } else { 1.0 };
        Self { score: age * words * (WORD_SHARE + (1.0 - WORD_SHARE) * salience), words, salience, found }
    }

    /// Sorts the best first; of equal scores lessons first, then the newer entry. The position in a log does not matter.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let newer = |one: &Self| (one.found.at.is_none(), one.found.at, one.found.source.position());
        let by_score = other.score.total_cmp(&self.score).then_with(|| newer(other).cmp(&newer(self)));
        by_score.then_with(|| self.found.source.bytes().cmp(other.found.source.bytes()))
    }
}

/// Matches without those that repeat the text of a better one.
struct DistinctMatches<'a> {
    matches: Vec<ScoredMatch<'a>>,
    times: HashMap<u64, usize>,
}

impl<'a> DistinctMatches<'a> {
    fn new(scored: Vec<ScoredMatch<'a>>) -> Self {
        let mut times: HashMap<u64, usize> = HashMap::new();
        let mut matches = Vec::new();
        for one in scored {
            let count = times.entry(one.found.text_hash).or_default();
            *count += 1;
            if *count == 1 {
                matches.push(one);
            }
        }
        Self { matches, times }
    }

    fn hits(&self, query: &RecallQuery<'_>) -> Vec<RecallHit> {
        let mut budget = TokenBudget::new(query.budget);
        let mut hits = Vec::new();
        for ScoredMatch { score, words, salience, found } in &self.matches {
            if hits.len() == query.top {
                break;
            }
            let times = self.times.get(&found.text_hash).copied().unwrap_or(1);
            let (kind, id, text) = match &found.source {
                MatchSource::Entry { kind, text, .. } => {
                    let text = shortened_line(&(query.redact)(text), MAX_FIELD);
                    let change = found.outdated.as_ref().map(|change| format!(" [{change}]")).unwrap_or_default();
                    (*kind, None, text + &change)
                }
                MatchSource::Episode(line) => {
                    let id = Episode::parse(line).ok().map(|episode| episode_id(&episode, line));
                    (HitKind::Episode, id, format_episode(line, times, query.redact))
                }
            };
            if budget.take(&format!("{text}\n")) {
                let outdated = found.outdated.clone();
                hits.push(RecallHit {
                    kind,
                    id,
                    text,
                    score: *score,
                    words: *words,
                    salience: *salience,
                    times,
                    outdated,
                });
            }
        }
        hits
    }
}

/// An episode in one line: `2026-04-28 deploy: rolled back (failure): smoke test before traffic`.
fn format_episode(line: &[u8], times: usize, redact: Redact<'_>) -> String {
    let Ok(episode) = Episode::parse(line) else { return String::new() };
    let json: serde_json::Value = serde_json::from_slice(line).unwrap_or_default();
    let field = |text: Option<&str>, limit: usize| shortened_line(&redact(text.unwrap_or_default()), limit);
    let skill = field(episode.skill.as_deref(), MAX_FIELD);
    let action = field(episode.action.as_deref(), MAX_FIELD);
    let result = field(json.get("result").and_then(|value| value.as_str()), MAX_FIELD);
    let mut text = episode.at.date().to_string();
    let after = |mark: &str, text: &str| if text.is_empty() { String::new() } else { format!("{mark}{text}") };
    text.push_str(&after(" ", &skill));
    text.push_str(&after(if skill.is_empty() { " " } else { ": " }, &action));
    if !result.is_empty() {
        text.push_str(&format!(" ({result})"));
    }
    text.push_str(&after(": ", &field(episode.reflection.as_deref(), MAX_FIELD)));
    text.push_str(&after(" | ", &field(episode.detail.as_deref(), MAX_DETAIL)));
    if times > 1 {
        text.push_str(&format!(" [{times} times]"));
    }
    text
}

/// One line of at most `limit` characters.
fn shortened_line(text: &str, limit: usize) -> String {
    shortened(&single_line(text), limit).into_owned()
}

#[cfg(test)]
#[path = "recall_tests.rs"]
mod tests;
