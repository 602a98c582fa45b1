//! Skills that keep failing, by the log's own rows.

use crate::canon::stamp::Stamp;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Days that are looked back.
const DAYS: i64 = 14;
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

/// The rows of a log, or of its end, that say a failure; what cannot be read is left out.
fn failures(log: &[u8]) -> impl Iterator<Item = Row<'_>> {
    let rows = log.split(|b| *b == b'\n').filter_map(|line| serde_json::from_slice::<Row<'_>>(line).ok());
    rows.filter(|row| row.result.as_deref() == Some("failure"))
}

/// How often each skill failed in the last 14 days.
pub fn recent(log: &[u8], now: Stamp) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for row in failures(log) {
        let Some(skill) = row.skill.filter(|skill| !skill.is_empty()) else { continue };
        let is_recent = Stamp::parse(&row.timestamp).is_some_and(|at| at.days_before(now) < DAYS);
        if is_recent {
            *counts.entry(skill.into_owned()).or_default() += 1;
        }
    }
    counts
}

/// How often a call failed whose row names this session.
pub fn in_session(log: &[u8], session: &str) -> usize {
    failures(log).filter(|row| row.context.as_deref().is_some_and(|context| context.contains(session))).count()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!((in_session(log.as_bytes(), "s1"), in_session(log.as_bytes(), "s2")), (4, 0));
    }
}
