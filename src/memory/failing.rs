//! Skills that keep failing, by the log's own rows.

use crate::canon::stamp::Stamp;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Days that are looked back.
const DAYS: i64 = 14;
/// Bytes at the end of a log that are looked through; rows of two weeks are hardly ever more.
pub const TAIL: usize = 2 << 20;
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

/// The rows of a log, or of its end, that say a failure, each with its line; what cannot be read is left out.
fn failures(log: &[u8]) -> impl Iterator<Item = (&[u8], Row<'_>)> {
    let lines = log.split(|b| *b == b'\n');
    let rows = lines.filter_map(|line| Some((line, serde_json::from_slice::<Row<'_>>(line).ok()?)));
    rows.filter(|(_, row)| row.result.as_deref() == Some("failure"))
}

/// The whole rows among the last bytes of a log.
pub fn end(log: &[u8]) -> &[u8] {
    let from = log.len().saturating_sub(TAIL);
    if from == 0 {
        return log;
    }
    // A row that is cut is none: it begins behind the first line's end.
    let torn = log[from - 1..].iter().position(|byte| *byte == b'\n');
    torn.map_or(&[], |at| &log[from + at..])
}

/// How often each skill failed in the last 14 days.
pub fn recent(log: &[u8], now: Stamp) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for (_, row) in failures(log) {
        let Some(skill) = row.skill.filter(|skill| !skill.is_empty()) else { continue };
        let is_recent = Stamp::parse(&row.timestamp).is_some_and(|at| at.days_before(now) < DAYS);
        if is_recent {
            *counts.entry(skill.into_owned()).or_default() += 1;
        }
    }
    counts
}

/// The lines of failures whose row names this session, as hooks write it.
pub fn in_session<'a>(log: &'a [u8], session: &str) -> Vec<&'a [u8]> {
    let named =
        |context: &str| context.strip_prefix("session ").and_then(|rest| rest.split(", ").next()) == Some(session);
    failures(log).filter(|(_, row)| row.context.as_deref().is_some_and(named)).map(|(line, _)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_log_has_whole_rows() {
        assert_eq!(end(b"a\nb\n"), b"a\nb\n");
        let rows = |count: usize| "0123456\n".repeat(count).into_bytes();
        assert_eq!(end(&rows(TAIL / 8)).len(), TAIL);
        assert_eq!(end(&rows(TAIL / 8 + 1)).len(), TAIL);
        assert_eq!(end(&[b"x".as_slice(), &rows(TAIL / 8)].concat()).len(), TAIL);
        assert_eq!(end(&[&rows(TAIL / 8), b"x".as_slice()].concat()).len(), TAIL - 7);
        assert_eq!(end(&vec![b'x'; TAIL + 1]), b"");
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
        let now = Stamp::parse("2026-05-15T12:00:00Z").unwrap();
        let counts = recent(log.as_bytes(), now);
        assert_eq!(counts, BTreeMap::from([("a".to_owned(), 2), ("b".to_owned(), 1)]));
        let count = |session: &str| in_session(log.as_bytes(), session).len();
        assert_eq!((count("s1"), count("s"), count("s2")), (4, 0, 0));
        assert_eq!(in_session(log.as_bytes(), "s1")[0], row("01", "a", "failure").trim_end().as_bytes());
    }
}
