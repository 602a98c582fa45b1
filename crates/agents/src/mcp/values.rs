//! The values of a server's keys, and why one is invalid.

use serde_json::{Map, Value};

/// Why a server is invalid.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum ServerError {
    #[error("a server name may contain only letters, digits, `-` and `_`, which every tool accepts")]
    Name,
    #[error("a server must be an object")]
    NotAnObject,
    #[error("`{0}` occurs twice, under different names")]
    DuplicateKey(&'static str),
    #[error("`{key}` needs a server with `{expected}`")]
    Transport { key: &'static str, expected: &'static str },
    #[error("a server must have either `command` or `url`{}", unknown_keys(.0))]
    NoTransport(Vec<String>),
    #[error("a server with `command` cannot have the type `{0}`")]
    NotStdio(String),
    #[error("unknown type `{0}`; known types are stdio, http, sse, ws")]
    UnknownType(String),
    #[error("`{key}` must {expected}")]
    WrongType { key: &'static str, expected: &'static str },
}

fn unknown_keys(keys: &[String]) -> String {
    let quoted: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    if quoted.is_empty() { String::new() } else { format!("; unknown: {}", quoted.join(", ")) }
}

pub(super) fn text(keys: &Map<String, Value>, key: &'static str) -> Result<Option<String>, ServerError> {
    match keys.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(ServerError::WrongType { key, expected: "be a string" }),
    }
}

pub(super) fn list(keys: &Map<String, Value>, key: &'static str) -> Result<Vec<String>, ServerError> {
    let wrong = || ServerError::WrongType { key, expected: "be a list of strings" };
    let items = match keys.get(key) {
        None => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(wrong()),
    };
    items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
}

pub(super) fn pairs(keys: &Map<String, Value>, key: &'static str) -> Result<Vec<(String, String)>, ServerError> {
    let wrong = || ServerError::WrongType { key, expected: "be an object with strings" };
    let map = match keys.get(key) {
        None => return Ok(Vec::new()),
        Some(Value::Object(map)) => map,
        Some(_) => return Err(wrong()),
    };
    map.iter().map(|(name, value)| Ok((name.clone(), value.as_str().ok_or_else(wrong)?.to_owned()))).collect()
}

pub(super) fn number(
    keys: &Map<String, Value>,
    key: &'static str,
    expected: &'static str,
) -> Result<Option<u64>, ServerError> {
    match keys.get(key) {
        None => Ok(None),
        Some(value) => match value.as_u64().filter(|number| *number > 0) {
            Some(number) => Ok(Some(number)),
            None => Err(ServerError::WrongType { key, expected }),
        },
    }
}
