//! Words that are secrets by their format, or because they look random.

use super::formats::{CharSet, FORMATS, SecretFormat};
use super::published::entropy;
use super::{BEGIN, TextSecret};

/// A prefix of tokens, and the least number of characters that follow.
struct Prefix(&'static str, usize);

/// Prefixes besides those of the published formats.
const PREFIXES: [Prefix; 7] = [
    Prefix("sk_test_", 10),
    Prefix("rk_test_", 10),
    Prefix("pypi-", 20),
    Prefix("key-", 32),
    Prefix("secret_", 32),
    Prefix("pat-na1-", 20),
    Prefix("EAACEdEose0cBA", 10),
];

/// Characters after a prefix of a published format from which a word is taken for a token. A text that is logged need not
/// stay as it is, so this is looser than the format.
const FORMAT_LEAST: usize = 16;

/// Rest of a word after a prefix of tokens.
fn after_prefix(word: &str) -> Option<&str> {
    // Words in capitals begin like the keys of AWS.
    let is_distinct = |format: &&SecretFormat| !matches!(format.set, CharSet::Capital) && format.has_telling_prefix();
    let distinct = FORMATS.iter().filter(is_distinct);
    let by_format = distinct.map(|format| (format.prefix, format.min.min(FORMAT_LEAST)));
    let all = PREFIXES.iter().map(|Prefix(prefix, least)| (*prefix, *least)).chain(by_format);
    let mut rests = all.filter_map(|(prefix, least)| word.strip_prefix(prefix).filter(|rest| rest.len() >= least));
    rests.next()
}

/// Lengths of words that look random enough to be secrets. Longer ones are data.
const MIN_RANDOM: usize = 32;
const MAX_RANDOM: usize = 128;
/// Bits per character of a random word in base64 of the least length; words and names have less.
const MIN_ENTROPY: f64 = 4.1;
/// Marks right before a hash, or data in base64.
const HASH_MARKS: [&str; 12] = [
    "sha1-", "sha256-", "sha384-", "sha512-", "sha256:", "sha512:", "md5:", "h1:", "base64,", "nonce-", "blake3:",
    "etag:",
];
/// First characters of public keys and small images in base64.
const PUBLIC_DATA: [&str; 8] =
    ["AAAAB3Nza", "AAAAC3Nza", "AAAAE2Vj", "iVBORw0KGgo", "R0lGOD", "/9j/", "PHN2Z", "UklGR"];

/// Finds tokens.
pub(super) fn find(text: &str, found: &mut Vec<TextSecret>) {
    let bytes = text.as_bytes();
    // Certificates and public keys; private keys are redacted before.
    let has_block = text.contains(BEGIN);
    let mut at = 0;
    while at < bytes.len() {
        if !is_word(bytes[at]) {
            at += 1;
            continue;
        }
        let length = bytes[at..].iter().take_while(|b| is_word(**b)).count();
        let word = text[at..at + length].trim_end_matches(['.', '-']);
        let word = word.trim_start_matches(['.', '-']);
        let start = at + (length - text[at..at + length].trim_start_matches(['.', '-']).len());
        let follows = bytes.get(at + length).copied();
        let before = &text[..start];
        if let Some((length, what)) = token_length(word, before, follows, has_block) {
            found.push(TextSecret::new(start, start + length, what));
        }
        at += length;
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+')
}

fn token_length(word: &str, before: &str, follows: Option<u8>, has_block: bool) -> Option<(usize, &'static str)> {
    if let Some(rest) = after_prefix(word)
        && rest.bytes().any(|b| b.is_ascii_digit())
        && !is_made_up(rest)
        && entropy(rest) >= 2.8
    {
        return Some((word.len(), "a token"));
    }
    if is_web_token(word) {
        return Some((word.len(), "a token"));
    }
    if word.strip_prefix("SK").is_some_and(|rest| rest.len() == 32 && is_hex(rest)) {
        return Some((word.len(), "a token"));
    }
    if let Some((hex, region)) = word.split_once("-us")
        && hex.len() == 32
        && is_hex(hex)
        && region.bytes().all(|b| b.is_ascii_digit())
    {
        return Some((word.len(), "a token"));
    }
    (!has_block && is_random_word(word, before, follows)).then_some((word.len(), "a secret"))
}

pub(super) fn is_hex(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

pub(super) fn is_made_up(rest: &str) -> bool {
    let lower = rest.to_ascii_lowercase();
    ["example", "your", "xxxx", "placeholder", "0000000", "redacted"].iter().any(|word| lower.contains(word))
}

/// Two or three parts in base64, of which the first two are JSON objects.
fn is_web_token(word: &str) -> bool {
    let mut parts = word.split('.');
    let header = parts.next().unwrap_or_default();
    let payload = parts.next().unwrap_or_default();
    header.starts_with("eyJ") && payload.starts_with("eyJ") && header.len() >= 12 && payload.len() >= 12
}

/// Whether a word of its own looks like nothing but random characters. Parts of paths and URLs are names.
fn is_random_word(word: &str, before: &str, follows: Option<u8>) -> bool {
    let stands_alone =
        !before.ends_with(['/', '@', '\\', '#', '~']) && !matches!(follows, Some(b'/' | b'@' | b'(' | b'\\'));
    let is_hash =
        HASH_MARKS.iter().any(|mark| ends_with_ignoring_case(before, mark) || starts_with_ignoring_case(word, mark));
    let is_data = PUBLIC_DATA.iter().any(|start| word.starts_with(start));
    (MIN_RANDOM..=MAX_RANDOM).contains(&word.len())
        && stands_alone
        && !is_hash
        && !is_data
        && !word.contains('.')
        && !is_made_up(word)
        && looks_random(word)
}

fn ends_with_ignoring_case(text: &str, end: &str) -> bool {
    text.len() >= end.len() && text.as_bytes()[text.len() - end.len()..].eq_ignore_ascii_case(end.as_bytes())
}

fn starts_with_ignoring_case(text: &str, start: &str) -> bool {
    text.len() >= start.len() && text.as_bytes()[..start.len()].eq_ignore_ascii_case(start.as_bytes())
}

/// Whether the kinds of characters change as often as in a random word. In names, words of letters stay together.
pub(super) fn looks_random(word: &str) -> bool {
    let class = |b: u8| match b {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let bytes = word.as_bytes();
    let changes = bytes.windows(2).filter(|two| class(two[0]) != class(two[1])).count();
    let count = |wanted: u8| bytes.iter().filter(|b| class(**b) == wanted).count();
    let has_all = count(0) >= 3 && count(1) >= 3 && count(2) >= 2;
    let in_words: usize = word.split(|c: char| !c.is_ascii_lowercase()).map(str::len).filter(|run| *run >= 4).sum();
    has_all && in_words * 4 < bytes.len() && changes * 5 >= bytes.len() * 2 && entropy(word) >= MIN_ENTROPY
}
