//! Skills that keep failing, by the log's own rows.

use crate::canon::timestamp::Timestamp;
use aho_corasick::AhoCorasick;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Days that are looked back.
const DAYS: i64 = 14;
/// Bytes at the end of a log that are looked through; rows of two weeks are hardly ever more.
pub const TAIL: usize = 2 << 20;
/// What a row says of a failure.
const FAILURE: &str = "failure";
/// Failures in these days from which a skill is to be rewritten.
pub const FAILURES: usize = 3;

/// What of a row counts here.
#[derive(Deserialize)]
struct Row<'a> {
    #[serde(borrow)]
    timestamp: Cow<'a, str>,
    #[serde(borrow, default)]
    skill: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    result: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    context: Option<Cow<'a, str>>,
}

/// The rows that say a failure and may hold a word, each with its line; what cannot be read is left out.
fn failures<'a>(log: &'a [u8], word: &str) -> impl Iterator<Item = (&'a [u8], Row<'a>)> {
    let lines = lines_with(log, word).into_iter();
    let rows = lines.filter_map(|line| Some((line, serde_json::from_slice::<Row<'_>>(line).ok()?)));
    rows.filter(|(_, row)| row.result.as_deref() == Some(FAILURE))
}

/// The lines in which a word may stand: as it is, or with a character that is written as its number. Reading every line
/// would take a hook longer than all else that it does.
fn lines_with<'a>(log: &'a [u8], word: &str) -> Vec<&'a [u8]> {
    let is_plain = |c: char| !c.is_control() && !matches!(c, '"' | '\\' | '/');
    let word = if !word.is_empty() && word.chars().all(is_plain) { word } else { "{" };
    let Ok(finder) = AhoCorasick::new([word, "\\u"]) else { return log.split(|b| *b == b'\n').collect() };
    let (mut lines, mut from) = (Vec::new(), 0);
    while let Some(found) = finder.find(&log[from..]) {
        let at = from + found.start();
        let begin = log[from..at].iter().rposition(|b| *b == b'\n').map_or(from, |before| from + before + 1);
        from = log[at..].iter().position(|b| *b == b'\n').map_or(log.len(), |more| at + more);
        lines.push(&log[begin..from]);
    }
    lines
}

/// The whole rows among so many last bytes of a log.
pub fn end(log: &[u8], most: usize) -> &[u8] {
    let from = log.len().saturating_sub(most);
    if from == 0 {
        return log;
    }
    // A row that is cut is none: it begins behind the first line's end.
    let torn = log[from - 1..].iter().position(|byte| *byte == b'\n');
    torn.map_or(&[], |at| &log[from + at..])
}

/// How often each skill failed in the last 14 days.
pub fn recent(log: &[u8], now: Timestamp) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for (_, row) in failures(log, FAILURE).filter(|(_, row)| row.is_recent(now)) {
        if let Some(skill) = row.skill.filter(|skill| !skill.is_empty()) {
            *counts.entry(skill.into_owned()).or_default() += 1;
        }
    }
    counts
}

/// How often one skill failed in the last 14 days.
pub fn recent_of(log: &[u8], skill: &str, now: Timestamp) -> usize {
    let own = failures(log, skill).filter(|(_, row)| row.skill.as_deref() == Some(skill));
    own.filter(|(_, row)| row.is_recent(now)).count()
}

/// The lines of failures whose row names this session, as hooks write it.
pub fn in_session<'a>(log: &'a [u8], session: &str) -> Vec<&'a [u8]> {
    let named =
        |context: &str| context.strip_prefix("session ").and_then(|rest| rest.split(", ").next()) == Some(session);
    let own = failures(log, session).filter(|(_, row)| row.context.as_deref().is_some_and(named));
    own.map(|(line, _)| line).collect()
}

impl Row<'_> {
    fn is_recent(&self, now: Timestamp) -> bool {
        Timestamp::parse(&self.timestamp).is_some_and(|at| at.days_before(now) < DAYS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_log_has_whole_rows() {
        assert_eq!(end(b"a\nb\n", 4), b"a\nb\n");
        assert_eq!(end(b"a\nb\n", 3), b"b\n");
        assert_eq!(end(b"a\nb\n", 2), b"b\n");
        assert_eq!(end(b"a\nb\n", 1), b"");
        assert_eq!(end(b"long\nb\ntorn", 8), b"b\ntorn");
        assert_eq!(end(b"no end", 3), b"");
        assert_eq!(end(b"", 3), b"");
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
            row("12", "a", "failure"),
            "torn {\n".to_owned(),
            row("12", "b", "failure"),
            "{\"timestamp\":\"2026-05-12\",\"action\":\"x\",\"result\":\"failure\"}\n".to_owned(),
        ]
        .concat();
        let now = Timestamp::parse("2026-05-15T12:00:00Z").unwrap();
        let counts = recent(log.as_bytes(), now);
        assert_eq!(counts, BTreeMap::from([("a".to_owned(), 2), ("b".to_owned(), 1)]));
        assert_eq!(["a", "b", "c", ""].map(|skill| recent_of(log.as_bytes(), skill, now)), [2, 1, 0, 0]);
        let count = |session: &str| in_session(log.as_bytes(), session).len();
        assert_eq!((count("s1"), count("s"), count("s2")), (4, 0, 0));
        assert_eq!(in_session(log.as_bytes(), "s1")[0], row("01", "a", "failure").trim_end().as_bytes());
    }

    /// However its characters are written, and whatever stands around it.
    #[test]
    fn a_line_is_found_by_a_word_of_it() {
        let log = b"{\"a\":\"one\"}\n{\"a\":\"tw\\u006f\"}\n\n{\"a\":\"three\"}\nplain one";
        let with = |word: &str| lines_with(log, word).into_iter().map(|line| line.len()).collect::<Vec<_>>();
        assert_eq!(with("one"), [11, 16, 9]);
        assert_eq!(with("three"), [16, 13]);
        assert_eq!(with("a/b"), [11, 16, 13]);
        assert_eq!(with(""), [11, 16, 13]);
        assert_eq!(lines_with(b"", "one"), Vec::<&[u8]>::new());
    }

    /// What is known of a session's name and a skill's, with what JSON writes otherwise.
    #[test]
    fn names_of_any_letters_are_found() {
        for name in ["plain", "with/slash", "quo\"te", "back\\slash", "tab\there", "é", "{", "\\u", "a b"] {
            let row = serde_json::json!({"timestamp": "2026-05-12", "skill": name, "result": "failure",
                                         "context": format!("session {name}, claude")});
            let escaped = row.to_string().replace('/', "\\/").replace('é', "\\u00e9");
            let now = Timestamp::parse("2026-05-15T12:00:00Z").unwrap();
            for line in [row.to_string(), escaped] {
                assert_eq!(recent_of(line.as_bytes(), name, now), 1, "{line}");
                assert_eq!(in_session(line.as_bytes(), name).len(), 1, "{line}");
            }
        }
    }
}
