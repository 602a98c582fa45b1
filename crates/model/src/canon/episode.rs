//! Episodes: the rows of an episodic log.

use super::timestamp::Timestamp;
use super::{seed_row, seed_time};
use canonry_text::conflict::ConflictMarker;
use canonry_text::json::string;
use canonry_text::shortened;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The default of `pain_score` and `importance`.
pub const DEFAULT_SCORE: f64 = 5.0;

/// The fields of a row that canonry evaluates.
#[derive(Clone, Debug, PartialEq)]
pub struct Episode<'a> {
    pub id: Option<Cow<'a, str>>,
    pub at: Timestamp,
    /// `pain_score`, from 1 to 10 in the schema.
    pub pain: f64,
    /// `importance`, from 1 to 10 in the schema.
    pub importance: f64,
    /// `recurrence_count`
    pub recurrence: f64,
    /// `skill`
    pub skill: Option<Cow<'a, str>>,
    /// `action`
    pub action: Option<Cow<'a, str>>,
    /// `reflection`, the lesson learnt. A value that is not a string is kept as its JSON.
    pub reflection: Option<Cow<'a, str>>,
    /// `detail`, if it is a string.
    pub detail: Option<Cow<'a, str>>,
    /// `result`, if it is a string.
    pub result: Option<Cow<'a, str>>,
    /// `violated`, if it is a string: the constraint of the skill that the agent broke.
    pub violated: Option<Cow<'a, str>>,
    /// `context`, if it is a string: the session or task that the row belongs to.
    pub context: Option<Cow<'a, str>>,
    /// `source`, if it is a string: what wrote the row. `hook` for rows that quote a tool's call and output.
    pub source: Option<Cow<'a, str>>,
}

/// Whether a `result` says that something failed. Programs and people have several words for it.
pub fn is_failure(result: &str) -> bool {
    ["failure", "failed", "fail", "error"].iter().any(|word| result.trim().eq_ignore_ascii_case(word))
}

/// Why a row is not an episode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EpisodeError {
    /// A marker of an unresolved git merge.
    #[error("a merge conflict marker")]
    ConflictMarker,
    /// A NUL byte, as a system crash leaves them.
    #[error("a NUL byte at byte {0} of the line")]
    Nul(usize),
    #[error("not UTF-8 at byte {0} of the line")]
    NotUtf8(usize),
    #[error("not JSON: {0}")]
    NotJson(String),
    /// Another kind of JSON value.
    #[error("expected a JSON object, found {0}")]
    NotAnObject(&'static str),
    #[error("`timestamp` is missing")]
    NoTimestamp,
    #[error("`timestamp` is not an RFC 3339 timestamp: {0}")]
    Timestamp(String),
    /// A value of the wrong type.
    #[error("`{field}` must be {wanted}, not {got}")]
    Type {
        /// The key.
        field: &'static str,
        /// The expected type, with its article.
        wanted: &'static str,
        /// The actual type, with its article.
        got: &'static str,
    },
}

impl<'a> Episode<'a> {
    /// Parses a row without its line ending.
    ///
    /// # Errors
    /// The row is not a JSON object, its timestamp is missing or invalid, `skill` or `action` is not a string, or a
    /// score is not a number.
    pub fn parse(line: &'a [u8]) -> Result<Self, EpisodeError> {
        Self::parse_with(line, Timestamp::parse, number)
    }

    /// Parses a row that [`seed_row::normalize`] returned, with the timestamps of the seed.
    ///
    /// # Errors
    /// See [`Self::parse`].
    pub fn parse_like_seed(line: &'a [u8]) -> Result<Self, EpisodeError> {
        Self::parse_with(line, seed_time::parse, seed_number)
    }

    fn parse_with(
        line: &'a [u8],
        time: fn(&str) -> Option<Timestamp>,
        number: fn(&'static str, &RawValue) -> Result<f64, EpisodeError>,
    ) -> Result<Self, EpisodeError> {
        let text =
            std::str::from_utf8(line).map_err(|e| unreadable(line, EpisodeError::NotUtf8(e.valid_up_to() + 1)))?;
        let fields = EpisodeFields::parse(text).map_err(|e| unreadable(line, e))?;
        let stamp = fields.timestamp.ok_or(EpisodeError::NoTimestamp)?;
        let stamp = text_of("timestamp", stamp)?;
        Ok(Self {
            id: fields.id.and_then(|id| text_of("id", id).ok()),
            at: time(&stamp).ok_or_else(|| EpisodeError::Timestamp(format!("`{}`", shortened(&stamp, 40))))?,
            pain: fields.pain.map_or(Ok(DEFAULT_SCORE), |raw| number("pain_score", raw))?,
            importance: fields.importance.map_or(Ok(DEFAULT_SCORE), |raw| number("importance", raw))?,
            recurrence: fields.recurrence.map_or(Ok(1.0), |raw| number("recurrence_count", raw))?,
            skill: fields.skill.map(|raw| text_of("skill", raw)).transpose()?,
            action: fields.action.map(|raw| text_of("action", raw)).transpose()?,
            reflection: fields.reflection.map(|raw| string(raw.get()).unwrap_or(Cow::Borrowed(raw.get()))),
            detail: fields.detail.and_then(|raw| string(raw.get())),
            result: fields.result.and_then(|raw| string(raw.get())),
            violated: fields.violated.and_then(|raw| string(raw.get())),
            context: fields.context.and_then(|raw| string(raw.get())),
            source: fields.source.and_then(|raw| string(raw.get())),
        })
    }

    /// Whether the row quotes the output of a program, which anyone may have influenced.
    pub fn is_untrusted(&self) -> bool {
        self.source.as_deref().is_some_and(|source| matches!(source.trim(), "hook" | "tool" | "output"))
    }

    /// The text of the lesson: the reflection, or the action if there is none.
    pub fn lesson(&self) -> &str {
        self.reflection.as_deref().or(self.action.as_deref()).unwrap_or("unknown")
    }
}

/// Reports the likely cause (a merge conflict or a NUL byte) instead of the parser's first error.
fn unreadable(line: &[u8], otherwise: EpisodeError) -> EpisodeError {
    if ConflictMarker::of(line).is_some() {
        return EpisodeError::ConflictMarker;
    }
    line.iter().position(|b| *b == 0).map_or(otherwise, |at| EpisodeError::Nul(at + 1))
}

fn kind(raw: &str) -> &'static str {
    match raw.as_bytes().first() {
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b'n') => "null",
        Some(b't' | b'f') => "a boolean",
        _ => "a number",
    }
}

fn text_of<'a>(field: &'static str, raw: &'a RawValue) -> Result<Cow<'a, str>, EpisodeError> {
    string(raw.get()).ok_or_else(|| EpisodeError::Type { field, wanted: "a string", got: kind(raw.get()) })
}

fn number(field: &'static str, raw: &RawValue) -> Result<f64, EpisodeError> {
    let wrong = || EpisodeError::Type { field, wanted: "a number", got: kind(raw.get()) };
    // serde_json without `float_roundtrip` can be off by one in the last place; `str::parse` is exact.
    raw.get().parse().ok().filter(|_| kind(raw.get()) == "a number").ok_or_else(wrong)
}

fn seed_number(field: &'static str, raw: &RawValue) -> Result<f64, EpisodeError> {
    if raw.get() == seed_row::NAN { Ok(f64::NAN) } else { number(field, raw) }
}

/// The raw values of the keys that canonry evaluates. For duplicate keys the last value counts, as in most JSON
/// parsers.
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
    context: Option<&'a RawValue>,
    source: Option<&'a RawValue>,
}

impl<'a> EpisodeFields<'a> {
    fn parse(line: &'a str) -> Result<Self, EpisodeError> {
        let mut reader = serde_json::Deserializer::from_str(line);
        let fields = reader.deserialize_map(EpisodeVisitor).and_then(|fields| reader.end().map(|()| fields));
        fields.map_err(|e| match serde_json::from_str::<&RawValue>(line) {
            Ok(value) if kind(value.get()) != "an object" => EpisodeError::NotAnObject(kind(value.get())),
            _ => EpisodeError::NotJson(without_line(&e.to_string())),
        })
    }
}

/// Removes the parser's line number, which is always 1; the caller reports the line in the log.
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
            let name = string(key.get()).ok_or_else(|| A::Error::custom("a key that is not a string"))?;
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
                "context" => &mut fields.context,
                "source" => &mut fields.source,
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
