//! The one detector of secrets: a search ([`search`]) for the patterns of one table ([`table`]). Each question has a function:
//!
//! - [`find_certain`]: what can hardly be anything but a secret, in a file that is checked;
//! - [`redact`] and [`replace_all`]: a text without secrets of published formats, for what is shown or copied;
//! - [`redact_any`] and [`redact_object`]: a text without whatever may be a secret, for what is logged;
//! - [`find_in_setting`] and [`find_in_arguments`]: a key with its value, and the arguments of a program;
//! - [`mask`]: a file whose lines are shown, such as in a diff.

mod mask;
mod search;
mod settings;
mod table;
mod values;

pub use mask::mask;
pub use settings::{SettingSecret, find_in_arguments, find_in_setting};

use super::Span;
use search::{find, replace};
use serde_json::{Map, Value};
use std::borrow::Cow;
use table::Confidence;

/// The description of a web token.
pub const WEB_TOKEN: &str = "a JSON Web Token";

/// Text that is almost certainly a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CertainSecret {
    pub span: Span,
    /// Description, with an article.
    pub what: &'static str,
    /// Whether it has the published format of a service. Otherwise, it is a random value with the name of a secret.
    pub has_format: bool,
}

/// Finds what can hardly be anything but a secret, in the order of the text.
pub fn find_certain(text: &str) -> Vec<CertainSecret> {
    let certain = |secret: search::Secret| CertainSecret {
        span: secret.span,
        what: secret.what,
        has_format: secret.confidence == Confidence::Format,
    };
    find(text, Confidence::Named).into_iter().map(certain).collect()
}

/// Replaces each secret of a published format with what `replacement` returns for its description. A private key is replaced
/// up to its last line, or to the end of the text.
pub fn replace_all(text: &str, replacement: impl FnMut(&'static str) -> String) -> Cow<'_, str> {
    replace(text, &find(text, Confidence::Format), replacement)
}

/// Replaces each secret of a published format with a description.
pub fn redact(text: &str) -> Cow<'_, str> {
    replace_all(text, description)
}

/// [`redact`] with an owned result.
pub fn without_secrets(text: &str) -> String {
    redact(text).into_owned()
}

/// Replaces whatever may be a secret with a description. The rest of the text stays, byte for byte.
pub fn redact_any(text: &str) -> Cow<'_, str> {
    replace(text, &find(text, Confidence::Possible), description)
}

fn description(what: &'static str) -> String {
    format!("[{what}, redacted]")
}

/// Redacts every text in an object, and each value with the name of a secret. Returns whether anything changed.
pub fn redact_object(object: &mut Map<String, Value>) -> bool {
    let mut is_changed = false;
    for (key, value) in object.iter_mut() {
        is_changed |= match value {
            Value::String(text) if settings::is_named_secret(key, text) => {
                *text = description("a secret");
                true
            }
            value => redact_value(value),
        }
    }
    is_changed
}

fn redact_value(value: &mut Value) -> bool {
    match value {
        Value::String(text) => match redact_any(text) {
            Cow::Owned(redacted) if redacted != *text => {
                *text = redacted;
                true
            }
            _ => false,
        },
        Value::Array(items) => {
            let mut is_changed = false;
            for item in items {
                is_changed |= redact_value(item);
            }
            is_changed
        }
        Value::Object(object) => redact_object(object),
        _ => false,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
