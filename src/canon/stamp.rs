//! Moments, and how time stamps of episodes are read.

use jiff::civil::DateTime;
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// A moment, in microseconds since 1970 in UTC; what is finer is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp(i64);

impl Stamp {
    /// Of a moment.
    pub fn of(moment: Timestamp) -> Self {
        Self(i64::try_from(moment.as_nanosecond().div_euclid(1_000)).unwrap_or(0))
    }

    /// Reads RFC 3339 and what ISO 8601 allows beside it; a stamp without a zone is UTC.
    pub fn parse(text: &str) -> Option<Self> {
        // A zone in brackets, which the parser would take, is in no standard for time stamps of logs.
        if text.contains('[') {
            return None;
        }
        if let Ok(moment) = text.parse::<Timestamp>() {
            return Some(Self::of(moment));
        }
        let naive: DateTime = text.parse().ok()?;
        Offset::UTC.to_timestamp(naive).ok().map(Self::of)
    }

    /// Whole days from this moment to `now`, rounded down; negative where it lies in the future.
    pub fn days_before(self, now: Self) -> i64 {
        (now.0 - self.0).div_euclid(DAY)
    }

    /// The moment `days` whole days earlier.
    pub fn minus_days(self, days: i64) -> Self {
        Self(self.0.saturating_sub(days.saturating_mul(DAY)))
    }

    /// As a moment of the library.
    pub fn moment(self) -> Timestamp {
        Timestamp::UNIX_EPOCH.saturating_add(SignedDuration::from_micros(self.0)).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// The day in UTC, as in `2026-05-01`.
    pub fn date(self) -> String {
        Offset::UTC.to_datetime(self.moment()).date().to_string()
    }

    /// The month in UTC, as in `2026-05`.
    pub fn month(self) -> String {
        let date = Offset::UTC.to_datetime(self.moment()).date();
        format!("{:04}-{:02}", date.year(), date.month())
    }
}

impl std::fmt::Display for Stamp {
    /// RFC 3339 in UTC.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.moment().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_common_form_is_read() {
        let noon = Stamp::parse("2026-05-01T12:00:00Z");
        assert!(noon.is_some());
        for same in [
            "2026-05-01T12:00:00",
            "2026-05-01 12:00:00",
            "2026-05-01T12:00:00+00:00",
            "2026-05-01T14:00:00+02:00",
            "2026-05-01T12:00:00.000000",
            "2026-05-01T12:00:00.0000009Z",
        ] {
            assert_eq!(Stamp::parse(same), noon, "{same}");
        }
        for bad in ["", "yesterday", "2026-13-01T00:00:00Z", "2026-05-01T12:00:00[UTC]", "1777636800"] {
            assert_eq!(Stamp::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn days_round_down() {
        let at = |text| Stamp::parse(text).unwrap();
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
    fn names_of_days_and_months() {
        let stamp = Stamp::parse("2026-05-01T01:00:00+02:00").unwrap();
        assert_eq!((stamp.date(), stamp.month()), ("2026-04-30".to_owned(), "2026-04".to_owned()));
        assert_eq!(stamp.to_string(), "2026-04-30T23:00:00Z");
    }
}
