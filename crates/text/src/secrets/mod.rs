//! The one detector of secrets, with one table of published formats (`formats.rs`) and one of names (`names.rs`). Each question
//! has a function:
//!
//! - [`find_certain`]: what can hardly be anything but a secret, in a file that is checked;
//! - [`redact`] and [`replace_all`]: a text without secrets of published formats, for what is shown or copied;
//! - [`redact_any`] and [`redact_object`]: a text without whatever may be a secret, for what is logged: also values with the name
//!   of a secret, headers, passwords in URLs, options of commands, and words that look random;
//! - [`find_in_setting`] and [`find_in_arguments`]: a key with its value, and the arguments of a program;
//! - [`mask`]: a file whose lines are shown, such as in a diff.

mod certain;
mod formats;
mod mask;
mod names;
mod options;
mod published;
mod settings;
mod tokens;
mod values;

pub use mask::mask;
pub use published::{WEB_TOKEN, redact, replace_all, without_secrets};
pub use settings::{SettingSecret, find_in_arguments, find_in_setting};

use super::Span;
use super::long_words::long_words;
use formats::SHORTEST;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A secret in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TextSecret {
    span: Span,
    what: &'static str,
}

impl TextSecret {
    fn new(start: usize, end: usize, what: &'static str) -> Self {
        Self { span: Span::new(start, end), what }
    }
}

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
    let words: Vec<_> = long_words(text.as_bytes(), SHORTEST).collect();
    let with_format = published::find_in(text, words.iter().cloned()).into_iter();
    let mut found: Vec<CertainSecret> =
        with_format.map(|(span, what)| CertainSecret { span, what, has_format: true }).collect();
    let mut named = Vec::new();
    certain::find(text, &words, &mut named);
    let overlaps = |a: Span, b: Span| a.offset < b.end() && b.offset < a.end();
    for TextSecret { span, what } in named {
        if found.iter().all(|known| !overlaps(known.span, span)) {
            found.push(CertainSecret { span, what, has_format: false });
        }
    }
    found.sort_by_key(|secret| secret.span.offset);
    found
}

/// Whether a whole value is a secret because of its name, such as the key of a JSON object.
pub fn is_named_secret(name: &str, value: &str) -> bool {
    let kind = names::kind_of(name);
    kind.is_some_and(|kind| kind == names::NameKind::Password || values::is_strong(value))
        && !values::is_reference(value)
}

/// Replaces whatever may be a secret with a description. The rest of the text stays, byte for byte.
pub fn redact_any(text: &str) -> Cow<'_, str> {
    // Keys go first: what follows their first line is part of them.
    let text = match redact(text) {
        Cow::Borrowed(text) => redact_blocks(text),
        Cow::Owned(text) => Cow::Owned(redact_blocks(&text).into_owned()),
    };
    let found = find_any(&text);
    if found.is_empty() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for secret in found {
        if secret.span.offset < done {
            done = done.max(secret.span.end());
            continue;
        }
        out.push_str(&text[done..secret.span.offset]);
        out.push_str(&format!("[{}, redacted]", secret.what));
        done = secret.span.end();
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// Finds whatever may be a secret, except in a published format, by offset. Of those with one offset, the longest comes first.
fn find_any(text: &str) -> Vec<TextSecret> {
    let mut found = Vec::new();
    names::find(text, &mut found);
    options::find(text, &mut found);
    tokens::find(text, &mut found);
    found.sort_by_key(|secret| (secret.span.offset, std::cmp::Reverse(secret.span.end())));
    found
}

/// Redacts every text in an object, and each value with the name of a secret. Returns whether anything changed.
pub fn redact_object(object: &mut Map<String, Value>) -> bool {
    let mut is_changed = false;
    for (key, value) in object.iter_mut() {
        is_changed |= match value {
            Value::String(text) if is_named_secret(key, text) => {
                *text = "[a secret, redacted]".to_owned();
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

const BEGIN: &str = "-----BEGIN ";
/// Characters of a key that follow its first line. Examples show fewer.
const KEY_BYTES: usize = 16;
/// Characters after the first line in which they are looked for: a key follows at once, at most indented or escaped.
const KEY_WINDOW: usize = 400;

/// Characters of the name of a key in its first line. Bounded, because a text can have many beginnings and no line break.
const HEADER: usize = 80;

/// The name in the first line of an armoured block that begins at `at`.
fn header_at(text: &str, at: usize) -> Option<&str> {
    let rest = &text[at + BEGIN.len()..];
    let end = rest.char_indices().nth(HEADER).map_or(rest.len(), |(end, _)| end);
    rest[..end].lines().next()?.split("-----").next()
}

/// The private keys in PEM and PGP armour, of any length and whole, in the order of the text.
pub fn private_keys(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut done = 0;
    for (at, _) in text.match_indices(BEGIN) {
        if at < done {
            continue;
        }
        let Some(header) = header_at(text, at).filter(|header| header.contains("PRIVATE KEY")) else { continue };
        let body = at + (BEGIN.len() + header.len() + 5).min(text.len() - at);
        let is_key = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
        // Only the beginning: a text with many first lines would take time that grows with its square.
        let beginning: String = text[body..].chars().take(KEY_WINDOW).collect();
        let bytes = beginning.replace("\\n", "").chars().filter(|c| !c.is_whitespace()).take_while(is_key).count();
        if bytes < KEY_BYTES && !header.contains("PGP") {
            continue;
        }
        let end = text[body..].find("-----END ").map(|end| body + end + "-----END ".len());
        let end = end.and_then(|end| text[end..].find("-----").map(|last| end + last + 5));
        done = end.unwrap_or(text.len());
        found.push(Span::new(at, done));
    }
    found
}

fn redact_blocks(text: &str) -> Cow<'_, str> {
    let keys = private_keys(text);
    if keys.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut done = 0;
    for key in keys {
        out.push_str(&text[done..key.offset]);
        out.push_str("[a private key, redacted]");
        done = key.end();
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
