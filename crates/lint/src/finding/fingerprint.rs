//! Fingerprints, which identify a finding from run to run even if its line moves.

use super::Finding;
use canonry_text::Span;
use std::collections::HashMap;
use std::fmt;

/// Bytes of the hash that are kept, enough to rule out accidental collisions in a repository.
const BYTES: usize = 16;
/// Lines of a finding that are hashed; longer findings use the first ones.
const LINES: usize = 8;

/// A hash of the parts of a finding that survive edits elsewhere in the file: the rule, the path, its lines with white
/// space normalised, the message without digits, and an ordinal among findings that are equal in all of these.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Fingerprint([u8; BYTES]);

impl Fingerprint {
    /// Parses 32 lowercase hexadecimal digits.
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

/// The fingerprints of `findings`, in the same order. The findings must be sorted.
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
    part(finding.rule.id.as_bytes());
    part(finding.location.path.as_bstr());
    for word in lines_of(finding).split_whitespace() {
        part(word.as_bytes());
    }
    part(b"");
    part(finding.message.replace(|c: char| c.is_ascii_digit(), "").as_bytes());
    hasher
}

/// The lines of the finding's span.
fn lines_of(finding: &Finding) -> &str {
    let location = &finding.location;
    let Some(source) = location.source.as_deref() else { return "" };
    let start = source.line_span(location.span.offset).offset;
    let last = source.line_span(location.span.end()).end();
    let text = source.slice(Span::new(start, last));
    text.match_indices('\n').nth(LINES - 1).map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;
    use canonry_model::finding::Location;
    use canonry_text::{RepoPath, Source};
    use std::sync::Arc;

    fn finding(text: &str, word: &str, message: &str) -> Finding {
        let source = Arc::new(Source::new(RepoPath::from("a/SKILL.md"), text.to_owned()));
        let at = text.find(word).unwrap_or_default();
        let location = Location::at(&source, Span::new(at, at + word.len()));
        find("secret").unwrap().at(location, message)
    }

    fn print(finding: Finding) -> Fingerprint {
        fingerprints(&[finding])[0]
    }

    #[test]
    fn ignores_line_numbers_digits_and_white_space() {
        let before = print(finding("one\ntwo word\n", "word", "has 3 of 10"));
        assert_eq!(before, print(finding("new\none\n  two  word\n", "word", "has 4 of 12")));
        assert_ne!(before, print(finding("one\ntwo words\n", "word", "has 3 of 10")));
        assert_ne!(before, print(finding("one\ntwo word\n", "word", "lacks 3 of 10")));
    }

    #[test]
    fn equal_findings_get_different_fingerprints() {
        let repeated = || finding("a b\na b\n", "b", "m");
        let prints = fingerprints(&[repeated(), repeated()]);
        assert_ne!(prints[0], prints[1]);
        assert_eq!(prints[0], print(repeated()));
    }

    #[test]
    fn parses_its_own_display() {
        let print = print(finding("a", "a", "m"));
        assert_eq!(Fingerprint::from_hex(&print.to_string()), Some(print));
        assert_eq!(Fingerprint::from_hex("xyz"), None);
        assert_eq!(Fingerprint::from_hex(&"+1".repeat(16)), None);
    }
}
