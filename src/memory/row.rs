//! A row as a dream sees it: a million of them are held at once, so that it keeps where the text stands and not the text.

use super::ruleset::Ruleset;
use super::wording::Wording;
use crate::canon::episode::{Episode, EpisodeError};
use crate::canon::timestamp::Timestamp;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::num::NonZeroU16;

/// Characters of an action that belong to the key of its pattern (rule S3).
const KEY_CHARACTERS: usize = 50;
/// The skill of a row that names none.
const NO_SKILL: &str = "general";

/// Where a line stands in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Bytes before it.
    pub offset: u64,
    /// Its bytes, the line ending included.
    pub length: u64,
}

impl Extent {
    /// The first byte behind it.
    pub fn end(self) -> u64 {
        self.offset + self.length
    }
}

/// A line that is an episode.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Where it stands.
    pub extent: Extent,
    /// Its line, from 1.
    pub line: u32,
    /// When it happened.
    pub at: Timestamp,
    /// `pain_score`
    pub pain: f64,
    /// `importance`
    pub importance: f64,
    /// `recurrence_count` as the row states it.
    pub recurrence: f64,
    /// Hash of its pattern's key, the same for rows of one pattern.
    pub key: u128,
    /// Hash of its skill and of the words by which no other action can be the same; see [`super::wording`].
    pub block: u64,
    /// Hashes of the other words of its action.
    pub words: Box<[u32]>,
    /// What it is called.
    pub id: RowId,
    /// How it went, and what it says of that.
    pub way: Way,
}

/// How a row went, as far as that tells whether something is done the same way again and again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// A hash of `result`, the same for rows of one result; `None` for a failure and for what is not told.
    pub result: Option<NonZeroU16>,
    /// Whether it says what is to be learnt.
    pub reflects: bool,
    /// Whether it names a constraint that was not kept.
    pub violates: bool,
}

impl Way {
    fn of(episode: &Episode<'_>) -> Self {
        let said = |text: &Option<Cow<'_, str>>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
        let result = episode.result.as_deref().map(str::trim).filter(|result| !matches!(*result, "" | "failure"));
        let hashed = result.map(|result| {
            let mut hasher = DefaultHasher::new();
            result.hash(&mut hasher);
            NonZeroU16::new(hasher.finish() as u16).unwrap_or(NonZeroU16::MIN)
        });
        Self { result: hashed, reflects: said(&episode.reflection), violates: said(&episode.violated) }
    }
}

/// A row's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowId {
    /// The row's own `id`.
    Own(Box<str>),
    /// A hash of its bytes: the first 64 bits of BLAKE3.
    Content(u64),
    /// Its line, as the seed names rows without an id.
    Line,
}

/// A line that is no episode.
#[derive(Clone, Debug, PartialEq)]
pub struct BadLine {
    /// Where it stands.
    pub extent: Extent,
    /// Its line, from 1.
    pub line: u32,
    /// What is wrong.
    pub reason: EpisodeError,
}

/// A piece of the log that begins and ends with a line.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Bytes of the log before it.
    pub offset: u64,
    /// Lines of the log before it.
    pub lines: u32,
}

/// The lines of a chunk in their order; blank ones are passed over. A line ends at a newline and at nothing else.
pub fn scan(chunk: Chunk<'_>, ruleset: Ruleset) -> Vec<Result<Row, BadLine>> {
    let mut found = Vec::with_capacity(chunk.bytes.len() / 256);
    let mut offset = chunk.offset;
    let mut line = chunk.lines;
    for whole in chunk.bytes.split_inclusive(|b| *b == b'\n') {
        let extent = Extent { offset, length: whole.len() as u64 };
        offset = extent.end();
        line = line.saturating_add(1);
        let text = whole.strip_suffix(b"\n").unwrap_or(whole);
        if text.trim_ascii().is_empty() {
            continue;
        }
        found.push(match ruleset {
            Ruleset::Current => row(text, extent, line, ruleset),
            // The seed reads text in another encoding as well as it can.
            Ruleset::Seed => row(String::from_utf8_lossy(text).as_bytes(), extent, line, ruleset),
        });
    }
    found
}

fn row(text: &[u8], extent: Extent, line: u32, ruleset: Ruleset) -> Result<Row, BadLine> {
    let episode = Episode::parse(text).map_err(|reason| BadLine { extent, line, reason })?;
    let (key, block, words) = match ruleset {
        Ruleset::Seed => (key(&episode), 0, Box::default()),
        Ruleset::Current => said(&episode),
    };
    Ok(Row {
        extent,
        line,
        at: episode.at,
        pain: episode.pain,
        importance: episode.importance,
        recurrence: episode.recurrence,
        key,
        block,
        words,
        way: if ruleset == Ruleset::Seed { Way::default() } else { Way::of(&episode) },
        id: id(episode.id, text, ruleset),
    })
}

/// Rule S3: the skill, and the first 50 characters of the action.
fn key(episode: &Episode<'_>) -> u128 {
    let action = episode.action.as_deref().unwrap_or_default();
    let end = action.char_indices().nth(KEY_CHARACTERS).map_or(action.len(), |(at, _)| at);
    let mut hasher = blake3::Hasher::new();
    hasher.update(episode.skill.as_deref().unwrap_or(NO_SKILL).as_bytes());
    hasher.update(b"::");
    hasher.update(&action.as_bytes()[..end]);
    first_bits(&hasher)
}

/// The skill and what the action says, or the reflection where there is no action: the key, the block, and the plain words.
fn said(episode: &Episode<'_>) -> (u128, u64, Box<[u32]>) {
    let text = |text: Option<&'_ str>| text.filter(|text| !text.trim().is_empty()).map(str::to_owned);
    let action = text(episode.action.as_deref()).or_else(|| text(episode.reflection.as_deref()));
    let wording = Wording::of(&action.unwrap_or_default());
    let skill = episode.skill.as_deref().unwrap_or(NO_SKILL);
    let mut hasher = blake3::Hasher::new();
    hasher.update(skill.as_bytes());
    hasher.update(b"::");
    let mut block = DefaultHasher::new();
    (skill, wording.marked).hash(&mut block);
    hasher.update(wording.text.as_bytes());
    (first_bits(&hasher), block.finish(), wording.plain)
}

fn first_bits(hasher: &blake3::Hasher) -> u128 {
    hasher.finalize().as_bytes().iter().take(16).fold(0, |key, byte| key << 8 | u128::from(*byte))
}

fn id(own: Option<Cow<'_, str>>, text: &[u8], ruleset: Ruleset) -> RowId {
    match (own, ruleset) {
        (Some(own), _) => RowId::Own(own.into()),
        (None, Ruleset::Seed) => RowId::Line,
        (None, Ruleset::Current) => RowId::Content(content_id(text)),
    }
}

/// Of a line without its line ending: `\r` belongs to that, so that a checkout with other endings changes no id.
fn content_id(text: &[u8]) -> u64 {
    let hash = blake3::hash(text.strip_suffix(b"\r").unwrap_or(text));
    hash.as_bytes().iter().take(8).fold(0, |id, byte| id << 8 | u64::from(*byte))
}
