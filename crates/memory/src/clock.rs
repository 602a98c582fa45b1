//! Refuses a clock that is far off: a dream under a wrong clock would archive everything, or date lessons wrongly.

use super::row::EpisodeRow;
use canonry_model::canon::timestamp::Timestamp;

/// A repository that was idle for longer than this asks a person once.
const MAX_DAYS_AHEAD: i64 = 366;
/// Clocks and time zones of machines differ by less.
const MAX_DAYS_BEHIND: i64 = 2;

/// Evidence for the time of a dream besides the rows of the log.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClockEvidence {
    /// The time of the newest commit.
    pub head: Option<Timestamp>,
    /// The system's clock, if the time of the dream is another one.
    pub system: Option<Timestamp>,
}

/// Why the time of a dream cannot be right; `None` if it can. Single rows with a wrong timestamp prove nothing.
pub fn clock_problem(now: Timestamp, rows: &[EpisodeRow], evidence: ClockEvidence) -> Option<String> {
    let mut times: Vec<Timestamp> = rows.iter().map(|row| row.at).collect();
    let mut nth = |at: usize| (at < times.len()).then(|| *times.select_nth_unstable(at).1);
    // A tenth of the rows may be from the future, and half of them from before the clock was set right.
    let middle = nth(rows.len() / 2);
    let late = nth(rows.len() * 9 / 10);
    let known = [("the newest commit", evidence.head), ("the system's clock", evidence.system), ("the log", late)];
    let known = known.into_iter().filter_map(|(what, time)| Some((time?, what)));
    // Without rows, a time in the future archives nothing and dates nothing.
    if let Some((newest, what)) = known.max_by_key(|(time, _)| *time)
        && !rows.is_empty()
        && newest.days_before(now) > MAX_DAYS_AHEAD
    {
        let days = newest.days_before(now);
        return Some(format!("the time {now} is {days} days after {what} ({newest})"));
    }
    // A dream in the past of the system's clock repeats an earlier night, on the rows of that time.
    let head = evidence.head.filter(|_| evidence.system.is_none());
    let known = [("the newest commit", head), ("most rows of the log", middle)].into_iter();
    let newer =
        known.filter_map(|(what, time)| Some((time?, what))).find(|(time, _)| now.days_before(*time) > MAX_DAYS_BEHIND);
    newer.map(|(time, what)| format!("the time {now} is {} days before {what} ({time})", now.days_before(time)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParsedLog, Ruleset};

    fn rows(dates: &[&str]) -> Vec<EpisodeRow> {
        let text: String =
            dates.iter().map(|date| format!("{{\"timestamp\":\"{date}T00:00:00Z\",\"action\":\"a\"}}\n")).collect();
        ParsedLog::parse(text, Ruleset::Current).rows
    }

    #[test]
    fn a_clock_that_is_far_off_is_refused() {
        let at = |date: &str| Timestamp::parse(&format!("{date}T03:00:00Z"));
        let may = ["2026-05-01", "2026-05-02", "2026-05-03"];
        for (now, dates, head, system, want) in [
            ("2026-05-04", &may[..], Some("2026-05-03"), None, None),
            ("2099-05-04", &may, Some("2026-05-03"), None, Some("after the newest commit")),
            ("2099-05-04", &may, None, Some("2026-11-22"), Some("after the system's clock")),
            ("2099-05-04", &may, None, None, Some("after the log")),
            ("2020-05-04", &may, None, Some("2026-11-22"), Some("before most rows")),
            ("2020-05-04", &[], Some("2026-05-03"), None, Some("before the newest commit")),
            ("2029-05-04", &[], Some("2026-05-03"), None, None),
            // A night of the past, repeated later.
            ("2026-05-04", &may, Some("2026-11-01"), Some("2026-11-22"), None),
            // One row from the future, and an idle half year.
            ("2026-05-04", &["2026-05-01", "2026-05-02", "9999-05-03"], None, None, None),
            ("2026-11-04", &may, Some("2026-05-03"), None, None),
            ("2026-05-04", &[], None, None, None),
        ] {
            let evidence = ClockEvidence { head: head.and_then(at), system: system.and_then(at) };
            let problem = clock_problem(at(now).unwrap(), &rows(dates), evidence);
            assert_eq!(problem.is_some(), want.is_some(), "{now}: {problem:?}");
            assert!(problem.unwrap_or_default().contains(want.unwrap_or_default()), "{now}");
        }
    }
}
