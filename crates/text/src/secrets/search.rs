//! Searches a text for the patterns of the table.

use super::table::{Confidence, Pattern, TABLE};
use crate::Span;
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::bytes::Regex;
use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

/// A secret in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Secret {
    pub span: Span,
    /// Description, with an article.
    pub what: &'static str,
    pub confidence: Confidence,
}

/// Finds the keywords of all patterns in one pass. `check` reads thousands of texts, and a DFA searches them in less than half the
/// time of the default automaton.
static KEYWORDS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let all = TABLE.iter().flat_map(|pattern| pattern.keywords);
    let built = AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).ascii_case_insensitive(true).build(all);
    built.expect("the table is static")
});
/// The pattern of each keyword.
static OWNERS: LazyLock<Vec<usize>> = LazyLock::new(|| {
    TABLE.iter().enumerate().flat_map(|(index, pattern)| pattern.keywords.iter().map(move |_| index)).collect()
});

/// Finds the secrets of at least this confidence, in the order of the text. They are disjoint: of those that overlap, the
/// whole extent counts, with the description of the most certain one.
pub(super) fn find(text: &str, least: Confidence) -> Vec<Secret> {
    let mut occurs: Vec<bool> = TABLE.iter().map(|pattern| pattern.keywords.is_empty()).collect();
    // Most texts have no keyword, and the search for one is several times faster than that for all.
    if KEYWORDS.is_match(text) {
        for keyword in KEYWORDS.find_overlapping_iter(text) {
            occurs[OWNERS[keyword.pattern().as_usize()]] = true;
        }
    }
    let mut found = Vec::new();
    for (index, pattern) in TABLE.iter().enumerate() {
        if occurs[index] && pattern.confidence <= least {
            find_pattern(text, pattern, compiled(index), &mut found);
        }
    }
    found.sort_by_key(|secret| (secret.span.offset, secret.confidence));
    found.into_iter().fold(Vec::new(), |mut merged: Vec<Secret>, secret| {
        match merged.last_mut() {
            Some(last) if secret.span.offset < last.span.end() => {
                last.span = Span::new(last.span.offset, last.span.end().max(secret.span.end()));
                if secret.confidence < last.confidence {
                    (last.what, last.confidence) = (secret.what, secret.confidence);
                }
            }
            _ => merged.push(secret),
        }
        merged
    })
}

fn find_pattern(text: &str, pattern: &Pattern, regex: &Regex, found: &mut Vec<Secret>) {
    for captures in regex.captures_iter(text.as_bytes()) {
        let group = captures.iter().flatten().nth(1).or(captures.get(0)).expect("a match has group 0");
        // Every class ends at ASCII, so a match never splits a character.
        if let Some(value) = text.get(group.range()).filter(|value| (pattern.accepts)(value)) {
            let span = Span::new(group.start(), group.start() + value.len());
            found.push(Secret { span, what: pattern.what, confidence: pattern.confidence });
        }
    }
}

/// The compiled pattern of the table. Most texts need few of them, and a hook has milliseconds.
fn compiled(index: usize) -> &'static Regex {
    static COMPILED: [OnceLock<Regex>; TABLE.len()] = [const { OnceLock::new() }; TABLE.len()];
    COMPILED[index].get_or_init(|| TABLE[index].compile())
}

/// Replaces secrets with what `replacement` returns for the description of each.
pub(super) fn replace<'t>(
    text: &'t str,
    secrets: &[Secret],
    mut replacement: impl FnMut(&'static str) -> String,
) -> Cow<'t, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for secret in secrets {
        out.push_str(&text[done..secret.span.offset]);
        out.push_str(&replacement(secret.what));
        done = secret.span.end();
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}
