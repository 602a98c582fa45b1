//! Points in time, and the timestamp formats of episodes.

use jiff::SignedDuration;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use std::time::Duration;

const MICROSECONDS_PER_DAY: i64 = 86_400_000_000;
const MICROSECONDS_PER_SECOND: i64 = 1_000_000;

/// A point in time in microseconds since 1970 (UTC). Finer precision is truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl From<jiff::Timestamp> for Timestamp {
    fn from(timestamp: jiff::Timestamp) -> Self {
        Self(i64::try_from(timestamp.as_nanosecond().div_euclid(1_000)).unwrap_or(0))
    }
}

impl Timestamp {
    /// Parses RFC 3339 and the other ISO 8601 forms that agents write. A timestamp without a time zone is UTC.
    pub fn parse(text: &str) -> Option<Self> {
        // jiff accepts a time zone in brackets, but no standard for log timestamps does.
        if text.contains('[') {
            return None;
        }
        if let Ok(timestamp) = text.parse::<jiff::Timestamp>() {
            return Some(Self::from(timestamp));
        }
        let naive: DateTime = text.parse().ok()?;
        Offset::UTC.to_timestamp(naive).ok().map(Self::from)
    }

    /// A number of microseconds since 1970.
    pub(super) fn from_microseconds(microseconds: i64) -> Self {
        Self(microseconds)
    }

    /// Whole days from this timestamp to `now`, rounded down; negative if it is in the future.
    pub fn days_before(self, now: Self) -> i64 {
        (now.0 - self.0).div_euclid(MICROSECONDS_PER_DAY)
    }

    /// Whole minutes from this timestamp to `now`, rounded down; negative if it is in the future.
    pub fn minutes_before(self, now: Self) -> i64 {
        now.0.saturating_sub(self.0).div_euclid(60 * MICROSECONDS_PER_SECOND)
    }

    /// This timestamp minus `days` whole days.
    pub fn minus_days(self, days: i64) -> Self {
        Self(self.0.saturating_sub(days.saturating_mul(MICROSECONDS_PER_DAY)))
    }

    /// This timestamp plus a length of time.
    pub fn plus(self, length: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(length.as_micros()).unwrap_or(i64::MAX)))
    }

    /// This timestamp without the fraction of its second.
    pub fn whole_seconds(self) -> Self {
        Self(self.0.div_euclid(MICROSECONDS_PER_SECOND) * MICROSECONDS_PER_SECOND)
    }

    pub fn to_jiff(self) -> jiff::Timestamp {
        let epoch = jiff::Timestamp::UNIX_EPOCH;
        epoch.saturating_add(SignedDuration::from_micros(self.0)).unwrap_or(epoch)
    }

    /// The date in UTC, such as `2026-05-01`.
    pub fn date(self) -> String {
        Offset::UTC.to_datetime(self.to_jiff()).date().to_string()
    }

    /// The month in UTC, such as `2026-05`.
    pub fn month(self) -> String {
        let date = Offset::UTC.to_datetime(self.to_jiff()).date();
        format!("{:04}-{:02}", date.year(), date.month())
    }
}

impl serde::Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl std::fmt::Display for Timestamp {
    /// RFC 3339 in UTC.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.to_jiff().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_every_common_form() {
        let noon = Timestamp::parse("2026-05-01T12:00:00Z");
        assert!(noon.is_some());
        for same in [
            "2026-05-01T12:00:00",
            "2026-05-01 12:00:00",
            "2026-05-01T12:00:00+00:00",
            "2026-05-01T14:00:00+02:00",
            "2026-05-01T12:00:00.000000",
            "2026-05-01T12:00:00.0000009Z",
        ] {
            assert_eq!(Timestamp::parse(same), noon, "{same}");
        }
        for bad in ["", "yesterday", "2026-13-01T00:00:00Z", "2026-05-01T12:00:00[UTC]", "1777636800"] {
            assert_eq!(Timestamp::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn days_round_down() {
        let at = |text| Timestamp::parse(text).unwrap();
        let now = at("2026-05-01T12:00:00Z");
        for (then, days) in [
            ("2026-05-01T12:00:00Z", 0),
            ("2026-04-30T12:00:01Z", 0),
            ("2026-04-30T12:00:00Z", 1),
            ("2026-05-01T12:00:01Z", -1),
        ] {
            assert_eq!(at(then).days_before(now), days, "{then}");
        }
    }

    #[test]
    fn seconds_are_added_and_cut_off() {
        let at = |text| Timestamp::parse(text).unwrap();
        let time = at("2026-05-01T12:00:00.75Z");
        assert_eq!(time.plus(Duration::from_secs(90)), at("2026-05-01T12:01:30.75Z"));
        assert_eq!(time.whole_seconds(), at("2026-05-01T12:00:00Z"));
        assert_eq!(at("1969-12-31T23:59:59.5Z").whole_seconds(), at("1969-12-31T23:59:59Z"));
    }

    #[test]
    fn formats_dates_and_months() {
        let timestamp = Timestamp::parse("2026-05-01T01:00:00+02:00").unwrap();
        assert_eq!((timestamp.date(), timestamp.month()), ("2026-04-30".to_owned(), "2026-04".to_owned()));
        assert_eq!(timestamp.to_string(), "2026-04-30T23:00:00Z");
    }
}
