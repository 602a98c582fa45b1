//! Locks that are JSON documents: `skills.lock` and `pack.lock`.

use canonry_text::conflict::has_marker;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Why a lock cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidLock(pub String);

/// Parses a lock with this schema.
///
/// # Errors
/// It has git's conflict markers, another schema, or another form.
pub(crate) fn parse<T: DeserializeOwned>(text: &str, schema: &str) -> Result<T, InvalidLock> {
    #[derive(Deserialize)]
    struct Head {
        schema: String,
    }
    if has_marker(text.as_bytes()) {
        return Err(InvalidLock("it has git's conflict markers".to_owned()));
    }
    let json = |error: serde_json::Error| InvalidLock(error.to_string());
    let head: Head = serde_json::from_str(text).map_err(json)?;
    if head.schema != schema {
        return Err(InvalidLock(format!("its schema is `{}`, not `{schema}`", head.schema)));
    }
    serde_json::from_str(text).map_err(json)
}

/// The text of a lock. Equal locks have equal texts.
pub(crate) fn to_text(document: &impl Serialize) -> String {
    serde_json::to_string_pretty(document).expect("texts have a JSON form") + "\n"
}
