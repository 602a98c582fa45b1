//! Values with the name of a secret: `PASSWORD=x`, `"token": "x"`, `X-Api-Key: x`, and passwords in URLs.

use super::TextSecret;
use super::values::{is_path, is_prose, is_reference, is_strong};
use crate::printable;

/// Kind of a name, and thereby of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameKind {
    /// Any value is a secret.
    Password,
    /// A token or a key.
    Token,
    /// `Authorization`: a scheme and credentials.
    Authorization,
    /// `Cookie`: everything up to the end of the header.
    Cookie,
}

/// Last words of the names of passwords.
const PASSWORDS: [&str; 9] =
    ["password", "passwd", "passphrase", "pwd", "pw", "pass", "pgpassword", "passcode", "secret"];
/// Last words of the names of tokens.
const TOKENS: [&str; 15] = [
    "token",
    "pat",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "credential",
    "credentials",
    "jwt",
    "sig",
    "signature",
    "authtoken",
    "auth",
    "accountkey",
    "bearer",
];
/// Words in front of `key` that make it a secret.
const KEYS: [&str; 18] = [
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "encryption",
    "signing",
    "account",
    "master",
    "service",
    "admin",
    "shared",
    "app",
    "storage",
    "subscription",
    "consumer",
    "session",
    "function",
];
/// Last words that only say where a secret is used.
const SUFFIXES: [&str; 12] =
    ["prod", "production", "dev", "staging", "live", "old", "new", "base", "default", "main", "primary", "ci"];

/// Kind of a value's name; `None` if the value need not be a secret.
pub(super) fn kind_of(name: &str) -> Option<NameKind> {
    kind_of_words(&words(name))
}

/// Whether a setting may have a secret by its name: a part of it is the name of one, or it is a key. A false alarm costs only a
/// variable.
pub(super) fn may_be_secret(name: &str) -> bool {
    let words = words(name);
    words.last().is_some_and(|last| last == "key")
        || (1..=words.len()).any(|end| kind_of_words(&words[..end]).is_some())
}

fn kind_of_words(words: &[String]) -> Option<NameKind> {
    let is_suffix = |word: &String| SUFFIXES.contains(&word.as_str()) || word.bytes().all(|b| b.is_ascii_digit());
    let words = match words.split_last() {
        Some((last, rest)) if !rest.is_empty() && is_suffix(last) => rest,
        _ => words,
    };
    let last = words.last()?.as_str();
    let before = words.len().checked_sub(2).map(|at| words[at].as_str()).unwrap_or_default();
    match last {
        "authorization" => Some(NameKind::Authorization),
        "cookie" => Some(NameKind::Cookie),
        "key" if KEYS.contains(&before) => Some(NameKind::Token),
        "string" if before == "connection" => Some(NameKind::Token),
        _ if PASSWORDS.contains(&last) => Some(NameKind::Password),
        _ if TOKENS.contains(&last) => Some(NameKind::Token),
        _ if ["password", "passwd", "apikey", "token", "secret"]
            .iter()
            .any(|end| last.len() > end.len() && last.ends_with(end)) =>
        {
            Some(NameKind::Token)
        }
        _ => None,
    }
}

/// The words of `GITHUB_TOKEN`, `api-key` and `clientSecret`, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() || (c.is_ascii_uppercase() && was_lower) {
            words.push(String::new());
        }
        if c.is_ascii_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.push(c.to_ascii_lowercase()));
        }
        was_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Finds named values, and the credentials of URLs.
pub(super) fn find(text: &str, found: &mut Vec<TextSecret>) {
    let bytes = text.as_bytes();
    let mut named_end = 0;
    for (at, byte) in bytes.iter().enumerate() {
        match *byte {
            // A name within a secret is part of it.
            b'=' | b':' if at >= named_end => {
                if let Some(secret) = named_value(text, at) {
                    named_end = secret.span.end();
                    found.push(secret);
                }
            }
            b'@' => found.extend(url_password(text, at)),
            _ => {}
        }
    }
    schemes(text, found);
    sentences(text, found);
}

/// Bytes behind a separator by which it is decided whether a secret follows. Bounded, because a text can have a name everywhere
/// and nothing that ends a value.
const VALUE_HEAD: usize = 256;

/// The secret behind the separator at `at`.
pub(super) fn named_value(text: &str, at: usize) -> Option<TextSecret> {
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).map(|at| bytes[at]);
    let after = bytes.get(at + 1).copied();
    let is_operator = before.is_some_and(|b| b"=!<>+*/%~:|".contains(&b)) || matches!(after, Some(b'='));
    if is_operator || (bytes[at] == b':' && (after == Some(b':') || text[at..].starts_with("://"))) {
        return None;
    }
    let name = name_before(text, at)?;
    let kind = kind_of(name.text)?;
    let mut start = at + 1;
    if bytes[at] == b'=' && after == Some(b'>') {
        start += 1;
    }
    let spaces = bytes[start..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    start += spaces;
    let head = printable::head(text, start + VALUE_HEAD);
    match kind {
        NameKind::Cookie => {
            let first = cookie(head, start, end_of_header(head, start, name.quote_before))?;
            let end = end_of_header(text, start, name.quote_before);
            Some(TextSecret::new(first, first + text[first..end].trim_end().len(), "a cookie"))
        }
        NameKind::Authorization => {
            let first = authorization(head, start, end_of_header(head, start, name.quote_before))?;
            Some(TextSecret::new(first, end_of_credentials(text, first, name.quote_before), "a secret"))
        }
        NameKind::Password | NameKind::Token => {
            let value = value_at(head, start)?;
            let is_spaced = spaces > 0;
            let word = &text[value.start..value.end];
            let is_code = !value.is_quoted && (is_spaced || bytes[at] == b':');
            let is_number = word.bytes().all(|b| b.is_ascii_digit());
            let is_weak = match kind {
                NameKind::Password => is_code && !is_strong(word) && !(bytes[at] == b':' && is_said(name.text, word)),
                _ => (is_code || value.is_quoted) && !is_strong(word) || is_number,
            };
            let is_setting = kind == NameKind::Password && bytes[at] == b'=';
            let is_name = word.eq_ignore_ascii_case(name.text)
                || word.contains(char::is_whitespace) && !is_setting && !is_strong(word);
            let what = if kind == NameKind::Password { "a password" } else { "a secret" };
            if is_weak || is_name || is_reference(word) {
                return None;
            }
            let whole = value_at(text, start)?;
            Some(TextSecret::new(whole.start, whole.end, what))
        }
    }
}

/// Names of passwords that mean nothing else, unlike `pass: 3` and `secret: NAME`.
const CLEAR_NAMES: [&str; 5] = ["password", "passwd", "passphrase", "pgpassword", "passcode"];
/// The fewest characters of a password in a sentence.
const SAID_LEAST: usize = 4;

/// Whether `password: word` says a password, also one that is an ordinary word.
fn is_said(name: &str, word: &str) -> bool {
    let is_clear = words(name).last().is_some_and(|last| CLEAR_NAMES.contains(&last.as_str()));
    is_clear && word.chars().count() >= SAID_LEAST && !is_prose(word) && !is_path(word)
}

/// A name in front of a separator.
struct Name<'a> {
    text: &'a str,
    /// The quote right before the name, as in `-H 'Cookie: x'`.
    quote_before: Option<u8>,
}

fn name_before(text: &str, at: usize) -> Option<Name<'_>> {
    let bytes = text.as_bytes();
    let is_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let mut end = at;
    while end > 0 && matches!(bytes[end - 1], b' ' | b'\t') && at - end < 2 {
        end -= 1;
    }
    while end > 0 && matches!(bytes[end - 1], b'"' | b'\'' | b'`' | b']' | b'\\') {
        end -= 1;
    }
    let start = bytes[..end].iter().rposition(|b| !is_name(*b)).map_or(0, |before| before + 1);
    let quote_before = start.checked_sub(1).map(|at| bytes[at]).filter(|b| matches!(b, b'"' | b'\''));
    (start < end).then(|| Name { text: &text[start..end], quote_before: quote_before.filter(|_| end == at) })
}

struct Value {
    start: usize,
    end: usize,
    is_quoted: bool,
}

/// The value at `start`: between quotes, or up to a separator.
fn value_at(text: &str, start: usize) -> Option<Value> {
    let rest = text.get(start..)?;
    let escaped = rest.strip_prefix('\\').map_or(0, |_| 1);
    if let Some(quote) = rest[escaped..].chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) {
        let start = start + escaped + 1;
        let length = text[start..].find([quote, '\n']).unwrap_or(text.len() - start);
        let end = start + text[start..start + length].trim_end_matches('\\').len();
        return Some(Value { start, end, is_quoted: true });
    }
    let is_end =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';' | '&' | '|' | ')' | '}' | ']' | '\\');
    let word = &rest[..rest.find(is_end).unwrap_or(rest.len())];
    let word = word.trim_end_matches(['.', ':', '?']);
    Some(Value { start, end: start + word.len(), is_quoted: false })
}

/// Where a header ends: at the quote that encloses it, or at the end of the line.
fn end_of_header(text: &str, start: usize, quote: Option<u8>) -> usize {
    let line = text[start..].find('\n').map_or(text.len(), |end| start + end);
    let quotes = match quote {
        Some(quote) => vec![char::from(quote)],
        None => vec!['"', '\''],
    };
    let skipped = usize::from(quote.is_none() && text[start..].starts_with(['"', '\'']));
    text[start + skipped..line].find(&quotes[..]).map_or(line, |end| start + skipped + end)
}

/// Where the cookies of a header begin.
fn cookie(text: &str, start: usize, end: usize) -> Option<usize> {
    let value = text[start..end].trim_start_matches(['"', '\'', ' ']);
    let (name, content) = value.split_once('=')?;
    let is_cookie = !name.contains(char::is_whitespace) && !is_reference(content) && !content.trim().is_empty();
    is_cookie.then_some(end - value.len())
}

/// Authentication schemes in front of credentials.
pub(super) const SCHEMES: [&str; 6] = ["bearer", "basic", "token", "apikey", "digest", "negotiate"];

/// Where the credentials of a header begin.
fn authorization(text: &str, start: usize, end: usize) -> Option<usize> {
    let value = text[start..end].trim_start_matches(['"', '\'', ' ']);
    let mut first = end - value.len();
    let mut words = value.split_whitespace();
    let mut word = words.next()?;
    if SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme)) {
        let credentials = words.next()?;
        first += value[word.len()..].find(credentials)? + word.len();
        word = credentials;
    }
    let word = word.trim_end_matches(CREDENTIALS_END);
    (!is_reference(word) && is_strong(word)).then_some(first)
}

/// Characters after credentials that are not part of them.
const CREDENTIALS_END: [char; 7] = [',', '}', '"', '\'', ';', ')', '.'];

fn end_of_credentials(text: &str, start: usize, quote: Option<u8>) -> usize {
    let is_quote = |c: char| quote.map_or(matches!(c, '"' | '\''), |quote| c == char::from(quote));
    let length = text[start..].find(|c: char| c.is_whitespace() || is_quote(c)).unwrap_or(text.len() - start);
    start + text[start..start + length].trim_end_matches(CREDENTIALS_END).len()
}

/// Credentials after a scheme, without a header in front.
fn schemes(text: &str, found: &mut Vec<TextSecret>) {
    for scheme in ["Bearer ", "bearer ", "Basic ", "basic "] {
        for (at, _) in text.match_indices(scheme) {
            let Some(value) = value_at(text, at + scheme.len()) else { continue };
            let word = &text[value.start..value.end];
            if word.len() >= 8 && is_strong(word) && !is_reference(word) {
                found.push(TextSecret::new(value.start, value.end, "a secret"));
            }
        }
    }
}

/// `the password is x`, `login u password x`.
fn sentences(text: &str, found: &mut Vec<TextSecret>) {
    let mut words: Vec<(usize, &str)> = Vec::new();
    for word in text.split_whitespace() {
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        words.push((at, word));
    }
    for four in words.windows(3) {
        let [(_, name), (_, verb), (at, value)] = four else { continue };
        let is_sentence =
            matches!(*verb, "is" | "was" | "to" | "=>") && kind_of(name.trim_matches(['"', '\''])).is_some();
        let value = value.trim_end_matches(['.', ',', ';', ')', '"', '\'', '`']);
        let start = at + (value.len() - value.trim_start_matches(['"', '\'', '`']).len());
        if is_sentence && is_strong(&text[start..at + value.len()]) && !is_reference(&text[start..at + value.len()]) {
            found.push(TextSecret::new(start, at + value.len(), "a secret"));
        }
    }
    for four in words.windows(4) {
        let [(_, login), _, (_, name), (at, value)] = four else { continue };
        if *login == "login" && *name == "password" && !is_reference(value) {
            found.push(TextSecret::new(*at, at + value.len(), "a password"));
        }
    }
}

/// Bytes before an `@` in which the beginning of its URL is looked for.
const URL_WINDOW: usize = 1024;
/// Further `@` that a password may have. Bounded, because a text can have nothing but `@`.
const PASSWORD_ATS: usize = 4;

/// The bytes before the `@` at `at` that can be the user of its URL, from the byte that ends the search.
pub(super) fn user_window(bytes: &[u8], at: usize) -> &[u8] {
    let mut ats = 0;
    for position in (at.saturating_sub(URL_WINDOW)..at).rev() {
        ats += usize::from(bytes[position] == b'@');
        let is_end = matches!(bytes[position], b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>');
        if is_end || bytes[position].is_ascii_whitespace() || ats > PASSWORD_ATS {
            return &bytes[position..at];
        }
    }
    &bytes[at.saturating_sub(URL_WINDOW)..at]
}

/// The password in front of the `@` of a URL: `scheme://user:password@host`. A user name alone counts if it looks like a token.
pub(super) fn url_password(text: &str, at: usize) -> Option<TextSecret> {
    let window = user_window(text.as_bytes(), at);
    let start = at - window.len() + 1;
    if window.first() != Some(&b'/') || !text[..start].ends_with("://") {
        return None;
    }
    let user = &text[start..at];
    match user.split_once(':') {
        Some((name, password)) if !is_reference(password) => {
            Some(TextSecret::new(start + name.len() + 1, at, "a password"))
        }
        None if user.len() >= 20 && is_strong(user) => Some(TextSecret::new(start, at, "a secret")),
        _ => None,
    }
}
