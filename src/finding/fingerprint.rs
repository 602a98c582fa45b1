//! What a finding is known by from run to run, wherever its line has moved to.

use super::Finding;
use crate::syntax::Span;
use std::collections::HashMap;
use std::fmt;

/// Bytes of a hash that are kept: two findings of a repository never share them by chance.
const BYTES: usize = 16;
/// Lines of a finding that count; a longer one is known by its first.
const LINES: usize = 8;

/// The hash of what stays of a finding while its file is edited elsewhere: rule, path, the text of its lines with white
/// space evened out, the message without its numbers, and which of several that share all this it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Fingerprint([u8; BYTES]);

impl Fingerprint {
    /// From its 32 hexadecimal digits.
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 2 * BYTES || !digits.iter().all(|d| matches!(d, b'0'..=b'9' | b'a'..=b'f')) {
            return None;
        }
        let mut bytes = [0; BYTES];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The fingerprints of findings, which are sorted, in their order.
pub(super) fn fingerprints(findings: &[Finding]) -> Vec<Fingerprint> {
    let mut seen: HashMap<[u8; 32], u64> = HashMap::new();
    let one = |finding: &Finding| {
        let mut hasher = identity(finding);
        let before = seen.entry(*hasher.finalize().as_bytes()).or_default();
        hasher.update(&before.to_le_bytes());
        *before += 1;
        let mut bytes = [0; BYTES];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..BYTES]);
        Fingerprint(bytes)
    };
    findings.iter().map(one).collect()
}

fn identity(finding: &Finding) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    let mut part = |bytes: &[u8]| {
        hasher.update(bytes);
        hasher.update(&[0]);
    };
    let draft = &finding.raw;
    part(finding.rule.as_bytes());
    part(draft.location.path.as_bstr());
    for word in lines_of(finding).split_whitespace() {
        part(word.as_bytes());
    }
    part(b"");
    part(draft.message.replace(|c: char| c.is_ascii_digit(), "").as_bytes());
    hasher
}

/// The lines that a finding's span touches.
fn lines_of(finding: &Finding) -> &str {
    let place = &finding.raw.location;
    let Some(source) = place.source.as_deref() else { return "" };
    let start = source.line_span(place.span.offset).offset;
    let last = source.line_span(place.span.end()).end();
    let text = source.slice(Span::new(start, last));
    text.match_indices('\n').nth(LINES - 1).map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Location, RawFinding, Severity};
    use crate::syntax::{RepoPath, Source};
    use std::sync::Arc;

    fn finding(text: &str, word: &str, message: &str) -> Finding {
        let source = Arc::new(Source::new(RepoPath::from("a/SKILL.md"), text.to_owned()));
        let at = text.find(word).unwrap_or_default();
        let place = Location::at(&source, Span::new(at, at + word.len()));
        Finding {
            rule: "r",
            severity: Severity::Error,
            raw: RawFinding::new(place, message),
            fingerprint: Fingerprint::default(),
        }
    }

    fn print(finding: Finding) -> Fingerprint {
        fingerprints(&[finding])[0]
    }

    #[test]
    fn lines_numbers_and_white_space_do_not_count() {
        let before = print(finding("one\ntwo word\n", "word", "has 3 of 10"));
        assert_eq!(before, print(finding("new\none\n  two  word\n", "word", "has 4 of 12")));
        assert_ne!(before, print(finding("one\ntwo words\n", "word", "has 3 of 10")));
        assert_ne!(before, print(finding("one\ntwo word\n", "word", "lacks 3 of 10")));
    }

    #[test]
    fn the_same_thing_twice_is_two() {
        let twice = || finding("a b\na b\n", "b", "m");
        let prints = fingerprints(&[twice(), twice()]);
        assert_ne!(prints[0], prints[1]);
        assert_eq!(prints[0], print(twice()));
    }

    #[test]
    fn hexadecimal_there_and_back() {
        let print = print(finding("a", "a", "m"));
        assert_eq!(Fingerprint::from_hex(&print.to_string()), Some(print));
        assert_eq!(Fingerprint::from_hex("xyz"), None);
        assert_eq!(Fingerprint::from_hex(&"+1".repeat(16)), None);
    }
}
