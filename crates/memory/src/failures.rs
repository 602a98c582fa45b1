//! Repeated failures of skills, read directly from the end of the log.
//!
//! Hooks call this on every failure, so it finds the few interesting lines by a substring search before parsing them.

use aho_corasick::AhoCorasick;
use canonry_model::canon::episode::is_failure;
use canonry_model::canon::timestamp::Timestamp;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The window in which failures count, in days.
const WINDOW_DAYS: i64 = 14;
/// Bytes at the end of a log that are searched; two weeks of rows are rarely larger.
pub const TAIL_BYTES: usize = 2 << 20;
/// Words in the results of failures; each result contains at least one. See [`is_failure`].
const FAILURE_WORDS: [&str; 2] = ["fail", "error"];
/// A skill with this many failures in the window should be rewritten.
pub const REWRITE_THRESHOLD: usize = 3;

/// The fields of a row that matter here.
#[derive(Deserialize)]
struct FailureRow<'a> {
    #[serde(borrow)]
    timestamp: Cow<'a, str>,
    #[serde(borrow, default)]
    skill: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    result: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    context: Option<Cow<'a, str>>,
}

impl FailureRow<'_> {
    fn is_recent(&self, now: Timestamp) -> bool {
        Timestamp::parse(&self.timestamp).is_some_and(|at| at.days_before(now) < WINDOW_DAYS)
    }
}

/// The failures whose line may contain one of `words`, each with its line. Skips lines that are not rows.
fn failures<'a>(log: &'a [u8], words: &[&str]) -> impl Iterator<Item = (&'a [u8], FailureRow<'a>)> + use<'a> {
    let lines = lines_containing(log, words).into_iter();
    let rows = lines.filter_map(|line| Some((line, serde_json::from_slice::<FailureRow<'_>>(line).ok()?)));
    rows.filter(|(_, row)| row.result.as_deref().is_some_and(is_failure))
}

/// The lines that may contain one of these words: literally, in any case, or with `\u` escapes. Parsing every line would take a hook longer than
/// everything else it does.
fn lines_containing<'a>(log: &'a [u8], words: &[&str]) -> Vec<&'a [u8]> {
    let is_plain = |c: char| !c.is_control() && !matches!(c, '"' | '\\' | '/');
    let plain =
        |word: &&str| if !word.is_empty() && word.chars().all(is_plain) { (*word).to_owned() } else { "{".to_owned() };
    let words = words.iter().map(plain).chain(["\\u".to_owned()]);
    let Ok(finder) = AhoCorasick::builder().ascii_case_insensitive(true).build(words) else {
        return log.split(|b| *b == b'\n').collect();
    };
    let mut lines = Vec::new();
    let mut from = 0;
    while let Some(found) = finder.find(&log[from..]) {
        let at = from + found.start();
        let begin = log[from..at].iter().rposition(|b| *b == b'\n').map_or(from, |before| from + before + 1);
        from = log[at..].iter().position(|b| *b == b'\n').map_or(log.len(), |more| at + more);
        lines.push(&log[begin..from]);
    }
    lines
}

/// The complete rows among the last `limit` bytes of a log.
pub fn log_tail(log: &[u8], limit: usize) -> &[u8] {
    let from = log.len().saturating_sub(limit);
    if from == 0 {
        return log;
    }
    // Start after a line ending: the first row is usually cut.
    let line_end = log[from - 1..].iter().position(|byte| *byte == b'\n');
    line_end.map_or(&[], |at| &log[from + at..])
}

/// The number of recent failures of each skill.
pub fn recent_failures(log: &[u8], now: Timestamp) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for (_, row) in failures(log, &FAILURE_WORDS).filter(|(_, row)| row.is_recent(now)) {
        if let Some(skill) = row.skill.filter(|skill| !skill.is_empty()) {
            *counts.entry(skill.into_owned()).or_default() += 1;
        }
    }
    counts
}

/// The number of recent failures of one skill.
pub fn recent_failures_of(log: &[u8], skill: &str, now: Timestamp) -> usize {
    let own = failures(log, &[skill]).filter(|(_, row)| row.skill.as_deref() == Some(skill));
    own.filter(|(_, row)| row.is_recent(now)).count()
}

/// The lines of failures that a session's hooks logged.
pub fn failures_in_session<'a>(log: &'a [u8], session: &str) -> Vec<&'a [u8]> {
    let is_in_session =
        |context: &str| context.strip_prefix("session ").and_then(|rest| rest.split(", ").next()) == Some(session);
    let own = failures(log, &[session]).filter(|(_, row)| row.context.as_deref().is_some_and(is_in_session));
    own.map(|(line, _)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_tail_has_complete_rows() {
        assert_eq!(log_tail(b"a\nb\n", 4), b"a\nb\n");
        assert_eq!(log_tail(b"a\nb\n", 3), b"b\n");
        assert_eq!(log_tail(b"a\nb\n", 2), b"b\n");
        assert_eq!(log_tail(b"a\nb\n", 1), b"");
        assert_eq!(log_tail(b"long\nb\ntorn", 8), b"b\ntorn");
        assert_eq!(log_tail(b"no end", 3), b"");
        assert_eq!(log_tail(b"", 3), b"");
    }

    #[test]
    fn failures_count_for_fourteen_days() {
        let row = |day: &str, skill: &str, result: &str| {
            format!(
                "{{\"timestamp\":\"2026-05-{day}T00:00:00Z\",\"skill\":\"{skill}\",\"action\":\"a\",\"result\":\"{result}\",\"context\":\"session s1, claude\"}}\n"
            )
        };
        let log = [
            row("01", "a", "failure"),
            row("10", "a", "failure"),
            row("11", "a", "success"),
            row("12", "a", " Failed"),
            row("12", "c", "errors: 0"),
            "torn {\n".to_owned(),
            row("12", "b", "error"),
            "{\"timestamp\":\"2026-05-12\",\"action\":\"x\",\"result\":\"failure\"}\n".to_owned(),
        ]
        .concat();
        let now = Timestamp::parse("2026-05-15T12:00:00Z").unwrap();
        let counts = recent_failures(log.as_bytes(), now);
        assert_eq!(counts, BTreeMap::from([("a".to_owned(), 2), ("b".to_owned(), 1)]));
        assert_eq!(["a", "b", "c", ""].map(|skill| recent_failures_of(log.as_bytes(), skill, now)), [2, 1, 0, 0]);
        let count = |session: &str| failures_in_session(log.as_bytes(), session).len();
        assert_eq!((count("s1"), count("s"), count("s2")), (4, 0, 0));
        assert_eq!(failures_in_session(log.as_bytes(), "s1")[0], row("01", "a", "failure").trim_end().as_bytes());
    }

    #[test]
    fn lines_are_found_by_word_or_escape() {
        let log = b"{\"a\":\"one\"}\n{\"a\":\"tw\\u006f\"}\n\n{\"a\":\"three\"}\nplain one";
        let with = |word: &str| lines_containing(log, &[word]).into_iter().map(|line| line.len()).collect::<Vec<_>>();
        assert_eq!(with("one"), [11, 16, 9]);
        assert_eq!(with("three"), [16, 13]);
        assert_eq!(with("a/b"), [11, 16, 13]);
        assert_eq!(with(""), [11, 16, 13]);
        assert_eq!(lines_containing(b"", &["one"]), Vec::<&[u8]>::new());
    }

    #[test]
    fn names_with_any_characters_are_found() {
        for name in ["plain", "with/slash", "quo\"te", "back\\slash", "tab\there", "é", "{", "\\u", "a b"] {
            let row = serde_json::json!({"timestamp": "2026-05-12", "skill": name, "result": "failure",
                                         "context": format!("session {name}, claude")});
            let escaped = row.to_string().replace('/', "\\/").replace('é', "\\u00e9");
            let now = Timestamp::parse("2026-05-15T12:00:00Z").unwrap();
            for line in [row.to_string(), escaped] {
                assert_eq!(recent_failures_of(line.as_bytes(), name, now), 1, "{line}");
                assert_eq!(failures_in_session(line.as_bytes(), name).len(), 1, "{line}");
            }
        }
    }
}
