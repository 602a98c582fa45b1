//! Log rows as a dream holds them. A million rows are in memory at once, so a row keeps hashes and the position of its
//! text, not the text.

use super::lessons::{normalized, single_line};
use super::ruleset::Ruleset;
use canonry_model::canon::episode::{Episode, EpisodeError, is_failure};
use canonry_model::canon::seed_row;
use canonry_model::canon::timestamp::Timestamp;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::num::NonZeroU16;
use std::ops::Range;

/// Characters of an action that are part of the seed's pattern key.
const SEED_KEY_CHARACTERS: usize = 50;
/// The skill of a row that names none.
const DEFAULT_SKILL: &str = "general";

/// The position of a line in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineExtent {
    /// Offset of the first byte.
    pub offset: u64,
    /// Length in bytes, including the line ending.
    pub length: u64,
}

impl LineExtent {
    /// The bytes of the line in a log in memory.
    pub fn range(self) -> Range<usize> {
        let [start, end] =
            [self.offset, self.end()].map(|at| usize::try_from(at).expect("a position in memory fits an address"));
        start..end
    }

    /// Offset of the byte after the line.
    pub fn end(self) -> u64 {
        self.offset + self.length
    }
}

/// A line that is a valid episode.
#[derive(Clone, Debug, PartialEq)]
pub struct EpisodeRow {
    /// The position in the log.
    pub extent: LineExtent,
    /// The line number, from 1.
    pub line: u32,
    /// When it happened.
    pub at: Timestamp,
    /// `pain_score`
    pub pain: f64,
    /// `importance`
    pub importance: f64,
    /// `recurrence_count`
    pub recurrence: f64,
    /// Hash of the pattern key; equal keys are one pattern.
    pub key: u128,
    /// The id.
    pub id: RowId,
    /// [`skill_hash`] of the skill, if the row names one.
    pub skill: Option<u32>,
    pub outcome: RowOutcome,
}

/// The result of a row, as far as it matters for proposing a skill or a lesson.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowOutcome {
    /// Hash of `result`; `None` for a failure and for a row without a result.
    pub result: Option<NonZeroU16>,
    /// Whether `result` is a failure.
    pub is_failure: bool,
    /// Whether `result` is a success.
    pub is_success: bool,
    /// Whether the row has a reflection.
    pub has_reflection: bool,
    /// Whether the row names a violated constraint.
    pub violates: bool,
    /// Whether the row quotes the output of a program.
    pub untrusted: bool,
}

impl RowOutcome {
    fn from_episode(episode: &Episode<'_>) -> Self {
        let is_set = |text: &Option<Cow<'_, str>>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
        let stated = episode.result.as_deref().map(str::trim);
        let is_failure = stated.is_some_and(is_failure);
        let result = stated.filter(|result| !result.is_empty() && !is_failure);
        let hashed = result.map(|result| {
            let mut hasher = DefaultHasher::new();
            result.hash(&mut hasher);
            NonZeroU16::new(hasher.finish() as u16).unwrap_or(NonZeroU16::MIN)
        });
        Self {
            result: hashed,
            has_reflection: is_set(&episode.reflection),
            violates: is_set(&episode.violated),
            untrusted: episode.is_untrusted(),
            is_failure,
            is_success: stated == Some("success"),
        }
    }
}

/// The number that stands for a skill in the rows.
pub fn skill_hash(skill: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    skill.hash(&mut hasher);
    hasher.finish() as u32
}

/// The id of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowId {
    /// The row's own `id`.
    Own(Box<str>),
    /// The first 64 bits of the BLAKE3 hash of its bytes.
    Content(u64),
    /// The line number, as the seed names rows without an id.
    Line,
}

/// A line that is not a valid episode.
#[derive(Clone, Debug, PartialEq)]
pub struct InvalidLine {
    /// The position in the log.
    pub extent: LineExtent,
    /// The line number, from 1.
    pub line: u32,
    pub reason: EpisodeError,
}

/// The first lines of a new quarantine file.
pub const QUARANTINE_HEADER: &str = "# Log lines that could not be parsed, each below a comment that gives the reason.\n\
                                     # Append a repaired line to the log to restore it.\n";

impl InvalidLine {
    /// The comment above the line in the quarantine.
    pub fn quarantine_comment(&self, now: Timestamp) -> String {
        format!("# {} line {}: {}\n", now.date(), self.line, self.reason.to_string().replace(['\n', '\r'], " "))
    }
}

/// A part of the log that starts and ends at line boundaries.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogChunk<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// Bytes of the log before the chunk.
    pub offset: u64,
    /// Lines of the log before the chunk.
    pub lines: u32,
}

/// Parses the lines of a chunk in order, skipping blank ones. Only a newline ends a line.
pub(super) fn parse_rows(chunk: LogChunk<'_>, ruleset: Ruleset) -> Vec<Result<EpisodeRow, InvalidLine>> {
    let mut rows = Vec::with_capacity(chunk.bytes.len() / 256);
    let mut offset = chunk.offset;
    let mut line = chunk.lines;
    for whole in chunk.bytes.split_inclusive(|b| *b == b'\n') {
        let extent = LineExtent { offset, length: whole.len() as u64 };
        offset = extent.end();
        line = line.saturating_add(1);
        let text = whole.strip_suffix(b"\n").unwrap_or(whole);
        if text.trim_ascii().is_empty() {
            continue;
        }
        rows.push(match ruleset {
            Ruleset::Current => parse_row(text, extent, line, ruleset),
            // The seed decodes with replacement characters.
            Ruleset::Seed => {
                let text = String::from_utf8_lossy(text);
                if !text.starts_with('{') && seed_row::is_blank(&text) {
                    continue;
                }
                let too_deep = || EpisodeError::NotJson("nested too deeply for the seed".to_owned());
                let row = seed_row::normalize(&text).ok_or_else(|| InvalidLine { extent, line, reason: too_deep() });
                row.and_then(|text| parse_row(text.as_bytes(), extent, line, ruleset))
            }
        });
    }
    rows
}

fn parse_row(text: &[u8], extent: LineExtent, line: u32, ruleset: Ruleset) -> Result<EpisodeRow, InvalidLine> {
    let parsed = match ruleset {
        Ruleset::Current => Episode::parse(text),
        Ruleset::Seed => Episode::parse_like_seed(text),
    };
    let episode = parsed.map_err(|reason| InvalidLine { extent, line, reason })?;
    Ok(EpisodeRow {
        extent,
        line,
        at: episode.at,
        pain: episode.pain,
        importance: episode.importance,
        recurrence: episode.recurrence,
        key: pattern_key(&episode, ruleset),
        skill: episode.skill.as_deref().filter(|skill| !skill.is_empty()).map(skill_hash),
        outcome: if ruleset == Ruleset::Seed { RowOutcome::default() } else { RowOutcome::from_episode(&episode) },
        id: row_id(episode.id, text, ruleset),
    })
}

/// The id of the pattern whose first row has this key.
pub(super) fn pattern_id(key: u128) -> String {
    format!("{:016x}", key >> 64)
}

/// Hash of the skill and the action, or the reflection if there is no action. Case, spacing and a final full stop do not matter.
/// The seed compares the first characters of the action.
fn pattern_key(episode: &Episode<'_>, ruleset: Ruleset) -> u128 {
    let action = episode.action.as_deref().unwrap_or_default();
    let text = match ruleset {
        Ruleset::Seed => {
            let end = action.char_indices().nth(SEED_KEY_CHARACTERS).map_or(action.len(), |(at, _)| at);
            Cow::Borrowed(&action[..end])
        }
        Ruleset::Current if action.trim().is_empty() => {
            Cow::Owned(normalized(episode.reflection.as_deref().unwrap_or_default()))
        }
        Ruleset::Current => Cow::Owned(normalized(action)),
    };
    let mut hasher = blake3::Hasher::new();
    hasher.update(episode.skill.as_deref().unwrap_or(DEFAULT_SKILL).as_bytes());
    hasher.update(b"::");
    hasher.update(text.as_bytes());
    hasher.finalize().as_bytes().iter().take(16).fold(0, |key, byte| key << 8 | u128::from(*byte))
}

fn row_id(own: Option<Cow<'_, str>>, text: &[u8], ruleset: Ruleset) -> RowId {
    match (own, ruleset) {
        (Some(own), _) => RowId::Own(own.into()),
        (None, Ruleset::Seed) => RowId::Line,
        (None, Ruleset::Current) => RowId::Content(content_id(text)),
    }
}

/// The id of an episode and its line: its own, or the hash of its content.
pub fn episode_id(episode: &Episode<'_>, line: &[u8]) -> String {
    match &episode.id {
        Some(own) => single_line(own),
        None => format!("{:016x}", content_id(line)),
    }
}

/// Hash of a line without its line ending, `\r` included: a checkout with other line endings must not change ids.
fn content_id(text: &[u8]) -> u64 {
    let hash = blake3::hash(text.strip_suffix(b"\r").unwrap_or(text));
    hash.as_bytes().iter().take(8).fold(0, |id, byte| id << 8 | u64::from(*byte))
}
