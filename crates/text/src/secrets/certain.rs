//! Values that can hardly be anything but secrets: they have the name of a secret and look random, or they are the password
//! in a URL. For files that people read, where a false alarm costs more than a missed password such as `hunter2`.

use super::TextSecret;
use super::formats::SHORTEST;
use super::names::{named_value, url_password};
use super::published::{entropy, is_random};
use super::tokens::{is_hex, is_made_up, looks_random};
use super::values::is_reference;
use crate::long_words::is_token_byte;
use crate::printable;
use bstr::ByteSlice;
use std::ops::Range;

/// Lengths of values that are long enough to be random and short enough to be no data.
const LENGTHS: std::ops::RangeInclusive<usize> = 20..=200;
const _: () = assert!(*LENGTHS.start() >= SHORTEST, "shorter words are not looked at");
/// The least length of a random password in a URL.
const URL_PASSWORD: usize = 12;
/// Words in names of values that are public or no secrets, in lower case.
const PUBLIC_WORDS: [&str; 16] = [
    "public",
    "publish",
    "anon",
    "sig",
    "csrf",
    "page",
    "cursor",
    "sitekey",
    "next",
    "design",
    "hash",
    "nonce",
    "csp",
    "sri",
    "integrity",
    "challenge",
];

/// Starts of keys that their issuers make public, such as the project key of PostHog, which a browser sends with each event.
const PUBLIC_PREFIXES: [&str; 1] = ["phc_"];

/// Finds them in a text with these words of at least [`SHORTEST`] bytes.
pub(super) fn find(text: &str, long_words: &[Range<usize>], found: &mut Vec<TextSecret>) {
    let bytes = text.as_bytes();
    let mut from = 0;
    for word in long_words {
        // The separator is in the word, as in `TOKEN=value`, or close before it.
        let start = word.start.saturating_sub(SEPARATOR_WINDOW).max(from);
        from = word.end;
        let separators = (start..word.end).filter(|at| matches!(bytes[*at], b'=' | b':'));
        found.extend(separators.filter(|at| is_long_value(bytes, at + 1)).filter_map(|at| named(text, at)));
    }
    for scheme in bytes.find_iter("://") {
        let end = bytes.len().min(scheme + URL_WINDOW);
        let is_end = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>');
        let ats = (scheme..end).take_while(|at| !is_end(bytes[*at])).filter(|at| bytes[*at] == b'@');
        found.extend(ats.filter_map(|at| in_url(text, at)));
    }
}

/// Bytes between a separator and its value: spaces, quotes and a scheme.
const SEPARATOR_WINDOW: usize = MAX_QUOTES + BEARER + 1;
const MAX_QUOTES: usize = 12;
const BEARER: usize = "Bearer ".len();
/// Bytes behind a separator in which its value is looked for.
const VALUE_WINDOW: usize = SEPARATOR_WINDOW + 2 * *LENGTHS.end();
/// Bytes of a URL in which its password is looked for.
const URL_WINDOW: usize = 512;

/// Whether a long word follows, possibly in quotes or after a scheme. Most separators are followed by something else, so this
/// decides without looking at the name.
fn is_long_value(bytes: &[u8], start: usize) -> bool {
    let rest = &bytes[start..];
    let skipped =
        rest.iter().take(MAX_QUOTES).take_while(|b| matches!(b, b' ' | b'\t' | b'"' | b'\'' | b'`' | b'\\')).count();
    let word = |rest: &[u8]| rest.iter().take(LENGTHS.end() + 1).take_while(|b| is_token_byte(**b)).count();
    let length = word(&rest[skipped..]);
    let is_scheme = rest[skipped..].starts_with(b"Bearer ") || rest[skipped..].starts_with(b"bearer ");
    LENGTHS.contains(&if is_scheme { word(&rest[skipped + BEARER..]) } else { length })
}

fn named(text: &str, at: usize) -> Option<TextSecret> {
    let name = text[..at].trim_end_matches(['"', '\'', '`', ' ', '\\']);
    let name =
        name.rsplit(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))).next()?.to_ascii_lowercase();
    // Longer values are not certain.
    let head = printable::head(text, at + VALUE_WINDOW);
    let secret = named_value(head, at).filter(|_| PUBLIC_WORDS.iter().all(|word| !name.contains(word)))?;
    let value = &text[secret.span.range()];
    let is_public = || {
        PUBLIC_PREFIXES.iter().any(|prefix| value.starts_with(prefix))
            || is_in_address(text, value)
            || is_search_key(text, secret.span.offset)
    };
    (is_certain(value) && !is_public()).then_some(secret)
}

/// Whether the value is a parameter of a search with Algolia, whose keys for that are public: a website sends them.
fn is_search_key(text: &str, at: usize) -> bool {
    let address = text[..at].rsplit(|c: char| c.is_whitespace() || "\"'`<(".contains(c)).next().unwrap_or_default();
    address.contains(".algolia.net/") && ["/query?", "/queries?"].iter().any(|search| address.contains(search))
}

/// Whether the value is also part of the path of a URL, which explains where it comes from: an identifier.
fn is_in_address(text: &str, value: &str) -> bool {
    text.as_bytes().find_iter(value).any(|at| {
        let word = text[..at].rsplit(|c: char| c.is_whitespace() || "\"'`<(".contains(c)).next().unwrap_or_default();
        word.contains("://") && word.ends_with('/')
    })
}

fn is_certain(value: &str) -> bool {
    let value = value.trim_end_matches('=');
    // Web tokens have a format, which also tells examples.
    let is_web_token = value.starts_with("eyJ") || value.contains(".eyJ");
    if is_web_token
        || !LENGTHS.contains(&value.len())
        || !value.bytes().all(is_token_byte)
        || is_made_up(value)
        || is_reference(value)
    {
        return false;
    }
    let is_key = is_hex(value) && matches!(value.len(), 32 | 40 | 48 | 64) && entropy(value) >= 3.2;
    is_random(value) && (is_key || is_mixed(value))
}

/// Least bits per character of a value of the least length, which can have at most 4.3.
const MIN_ENTROPY: f64 = 3.8;

/// Whether letters and digits are mixed as in base64. Paths and identifiers consist of words.
fn is_mixed(value: &str) -> bool {
    let count = |is: fn(&u8) -> bool| value.bytes().filter(is).count();
    let lower = count(u8::is_ascii_lowercase);
    let upper = count(u8::is_ascii_uppercase);
    let digits = count(u8::is_ascii_digit);
    match value.len() {
        ..32 => {
            let bytes = value.as_bytes();
            let class = |b: u8| (b.is_ascii_lowercase(), b.is_ascii_uppercase(), b.is_ascii_digit());
            let changes = bytes.windows(2).filter(|two| class(two[0]) != class(two[1])).count();
            lower >= 3 && upper >= 3 && digits >= 2 && changes * 5 >= bytes.len() * 2 && entropy(value) >= MIN_ENTROPY
        }
        _ => looks_random(value),
    }
}

/// Hosts of examples, and of databases that only a test starts.
const EXAMPLE_HOSTS: [&str; 7] = ["localhost", "127.0.0.1", "hostname", "host", "db", "postgres", "redis"];

fn in_url(text: &str, at: usize) -> Option<TextSecret> {
    let secret = url_password(text, at)?;
    let value = &text[secret.span.range()];
    let host = text[at + 1..].split([':', '/', '"', '\'', '`', ' ', '\n']).next().unwrap_or_default();
    let is_example = EXAMPLE_HOSTS.contains(&host) || host.contains("example");
    let has = |is: fn(&u8) -> bool| value.bytes().any(|b| is(&b));
    let is_strong = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit);
    let fits =
        value.len() >= URL_PASSWORD && is_strong && is_random(value) && !is_made_up(value) && !is_reference(value);
    (fits && !is_example && entropy(value) >= 3.2).then_some(secret)
}
