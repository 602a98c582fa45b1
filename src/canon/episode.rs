//! An episode: one line of the log.

use super::timestamp::Timestamp;
use crate::syntax::json::string;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// `pain_score` and `importance` of a row that does not say them.
pub const DEFAULT_SCORE: f64 = 5.0;

/// What a row says, as far as it decides about the row's fate.
#[derive(Clone, Debug, PartialEq)]
pub struct Episode<'a> {
    /// Its own id, where it has one.
    pub id: Option<Cow<'a, str>>,
    /// When.
    pub at: Timestamp,
    /// `pain_score`, 1 to 10 by the schema.
    pub pain: f64,
    /// `importance`, 1 to 10 by the schema.
    pub importance: f64,
    /// `recurrence_count`
    pub recurrence: f64,
    /// `skill`
    pub skill: Option<Cow<'a, str>>,
    /// `action`
    pub action: Option<Cow<'a, str>>,
    /// What was learnt; a value that is not text is kept as its JSON.
    pub reflection: Option<Cow<'a, str>>,
    /// `detail`, where it is text.
    pub detail: Option<Cow<'a, str>>,
    /// `result`, where it is text.
    pub result: Option<Cow<'a, str>>,
    /// `violated`, where it is text: the constraint of its skill that was not kept.
    pub violated: Option<Cow<'a, str>>,
}

/// Why a line is no episode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EpisodeError {
    /// Git's mark of an unresolved merge.
    #[error("a merge conflict marker")]
    ConflictMarker,
    /// A NUL byte, as a crash of the system leaves them.
    #[error("a NUL byte at byte {0} of the line")]
    Nul(usize),
    /// Text in another encoding.
    #[error("not UTF-8 at byte {0} of the line")]
    NotUtf8(usize),
    /// No JSON.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// Another kind of value.
    #[error("not a JSON object but {0}")]
    NotAnObject(&'static str),
    /// A field that has to be there.
    #[error("`timestamp` is missing")]
    NoTimestamp,
    /// A stamp that is none.
    #[error("`timestamp` is no RFC 3339 time stamp: {0}")]
    Timestamp(String),
    /// A value of the wrong type.
    #[error("`{field}` must be {wanted}, not {got}")]
    Type {
        /// The key.
        field: &'static str,
        /// With its article.
        wanted: &'static str,
        /// With its article.
        got: &'static str,
    },
}

impl<'a> Episode<'a> {
    /// Reads a line, without its line ending.
    ///
    /// # Errors
    /// [`EpisodeError`]: what is no JSON object, has no time stamp that can be read, a `skill` or `action` that is not text, or
    /// a score that is not a number (rule S9).
    pub fn parse(line: &'a [u8]) -> Result<Self, EpisodeError> {
        let text =
            std::str::from_utf8(line).map_err(|e| unreadable(line, EpisodeError::NotUtf8(e.valid_up_to() + 1)))?;
        let fields = EpisodeFields::of(text).map_err(|e| unreadable(line, e))?;
        let stamp = fields.timestamp.ok_or(EpisodeError::NoTimestamp)?;
        let stamp = text_of("timestamp", stamp)?;
        Ok(Self {
            id: fields.id.and_then(|id| text_of("id", id).ok()),
            at: Timestamp::parse(&stamp).ok_or_else(|| EpisodeError::Timestamp(shortened(&stamp)))?,
            pain: fields.pain.map_or(Ok(DEFAULT_SCORE), |raw| number("pain_score", raw))?,
            importance: fields.importance.map_or(Ok(DEFAULT_SCORE), |raw| number("importance", raw))?,
            recurrence: fields.recurrence.map_or(Ok(1.0), |raw| number("recurrence_count", raw))?,
            skill: fields.skill.map(|raw| text_of("skill", raw)).transpose()?,
            action: fields.action.map(|raw| text_of("action", raw)).transpose()?,
            reflection: fields.reflection.map(|raw| string(raw.get()).unwrap_or(Cow::Borrowed(raw.get()))),
            detail: fields.detail.and_then(|raw| string(raw.get())),
            result: fields.result.and_then(|raw| string(raw.get())),
            violated: fields.violated.and_then(|raw| string(raw.get())),
        })
    }

    /// The lesson in it: the reflection, else the action.
    pub fn lesson(&self) -> &str {
        self.reflection.as_deref().or(self.action.as_deref()).unwrap_or("unknown")
    }
}

/// The likeliest cause is told, not the first thing that a parser stumbles over.
fn unreadable(line: &[u8], otherwise: EpisodeError) -> EpisodeError {
    let is_marker = |mark: &[u8]| line.strip_prefix(mark).is_some_and(|rest| rest.first().is_none_or(|b| *b == b' '));
    if [b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||"].iter().any(|mark| is_marker(*mark)) {
        return EpisodeError::ConflictMarker;
    }
    line.iter().position(|b| *b == 0).map_or(otherwise, |at| EpisodeError::Nul(at + 1))
}

fn shortened(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    if short.len() < text.len() { format!("`{short}…`") } else { format!("`{short}`") }
}

fn kind(raw: &str) -> &'static str {
    match raw.as_bytes().first() {
        Some(b'"') => "text",
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b'n') => "null",
        Some(b't' | b'f') => "a truth value",
        _ => "a number",
    }
}

fn text_of<'a>(field: &'static str, raw: &'a RawValue) -> Result<Cow<'a, str>, EpisodeError> {
    string(raw.get()).ok_or_else(|| EpisodeError::Type { field, wanted: "text", got: kind(raw.get()) })
}

fn number(field: &'static str, raw: &RawValue) -> Result<f64, EpisodeError> {
    let wrong = || EpisodeError::Type { field, wanted: "a number", got: kind(raw.get()) };
    // The library's own reading of floats may be off by one in the last place; this one never is.
    raw.get().parse().ok().filter(|_| kind(raw.get()) == "a number").ok_or_else(wrong)
}

/// The values of the keys that count, unread. A key that stands twice has its last value, as in most JSON readers.
#[derive(Default)]
struct EpisodeFields<'a> {
    id: Option<&'a RawValue>,
    timestamp: Option<&'a RawValue>,
    pain: Option<&'a RawValue>,
    importance: Option<&'a RawValue>,
    recurrence: Option<&'a RawValue>,
    skill: Option<&'a RawValue>,
    action: Option<&'a RawValue>,
    reflection: Option<&'a RawValue>,
    detail: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    violated: Option<&'a RawValue>,
}

impl<'a> EpisodeFields<'a> {
    fn of(line: &'a str) -> Result<Self, EpisodeError> {
        let mut reader = serde_json::Deserializer::from_str(line);
        let fields = reader.deserialize_map(EpisodeVisitor).and_then(|fields| reader.end().map(|()| fields));
        fields.map_err(|e| match serde_json::from_str::<&RawValue>(line) {
            Ok(value) if kind(value.get()) != "an object" => EpisodeError::NotAnObject(kind(value.get())),
            _ => EpisodeError::NotJson(without_line(&e.to_string())),
        })
    }
}

/// The parser says `at line 1 column 7`; the line it means is the row's, which the caller tells.
fn without_line(message: &str) -> String {
    message.replace(" at line 1 column ", " at byte ").replace(" at line 1", "")
}

struct EpisodeVisitor;

impl<'de> Visitor<'de> for EpisodeVisitor {
    type Value = EpisodeFields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<EpisodeFields<'de>, A::Error> {
        let mut fields = EpisodeFields::default();
        while let Some(key) = map.next_key::<&'de RawValue>()? {
            let name = string(key.get()).ok_or_else(|| A::Error::custom("a key that is no string"))?;
            let field = match name.as_ref() {
                "id" => &mut fields.id,
                "timestamp" => &mut fields.timestamp,
                "pain_score" => &mut fields.pain,
                "importance" => &mut fields.importance,
                "recurrence_count" => &mut fields.recurrence,
                "skill" => &mut fields.skill,
                "action" => &mut fields.action,
                "reflection" => &mut fields.reflection,
                "detail" => &mut fields.detail,
                "result" => &mut fields.result,
                "violated" => &mut fields.violated,
                _ => {
                    map.next_value::<serde::de::IgnoredAny>()?;
                    continue;
                }
            };
            *field = Some(map.next_value()?);
        }
        Ok(fields)
    }
}

#[cfg(test)]
#[path = "episode_tests.rs"]
mod tests;
