//! Timestamps as the seed reads them: Python's `datetime.fromisoformat` (3.11), where a trailing `Z` means UTC and a time
//! without a zone is in UTC.

use super::timestamp::Timestamp;
use jiff::civil::{Date, ISOWeekDate, Weekday};

const MICROSECONDS: i64 = 1_000_000;
const SECONDS_PER_DAY: i64 = 86_400;

/// Parses a timestamp like the seed. In addition to RFC 3339: week dates, any separator between date and time, fractions of
/// any length, and years up to 9999. Not: a lower-case `z`, leap seconds, and offsets of a day or more.
pub fn parse(text: &str) -> Option<Timestamp> {
    let text = text.strip_suffix('Z').map_or_else(|| text.to_owned(), |text| format!("{text}+00:00"));
    let chars: Vec<char> = text.chars().collect();
    if chars.len() < 7 {
        return None;
    }
    let end = date_end(&chars)?;
    let date = date(chars.get(..end)?)?;
    let (time, offset) = match chars.get(end + 1..) {
        // Not even the separator of a time.
        None => (0, None),
        Some([]) => return None,
        Some(rest) => time_and_offset(rest)?,
    };
    let days = i64::from(Date::constant(1970, 1, 1).until((jiff::Unit::Day, date)).ok()?.get_days());
    let local = (days * SECONDS_PER_DAY).checked_mul(MICROSECONDS)? + time;
    let at = local - offset.unwrap_or(0);
    let is_in_range = |at: i64| (MIN..=MAX).contains(&at);
    (offset.is_none() || is_in_range(at)).then(|| Timestamp::from_microseconds(at))
}

/// 0001-01-01T00:00:00 and 9999-12-31T23:59:59.999999: Python has no time outside.
const MIN: i64 = -62_135_596_800 * MICROSECONDS;
const MAX: i64 = 253_402_300_800 * MICROSECONDS - 1;

fn is_digit(chars: &[char], at: usize) -> bool {
    chars.get(at).is_some_and(char::is_ascii_digit)
}

/// Where the date ends, as Python decides it.
fn date_end(chars: &[char]) -> Option<usize> {
    if chars.len() == 7 {
        return Some(7);
    }
    match (chars[4], chars.get(5)) {
        ('-', Some('W')) if chars.get(8) == Some(&'-') => match chars.len() {
            9 => None,
            _ if is_digit(chars, 10) => Some(8),
            _ => Some(10),
        },
        ('-', Some('W')) => Some(8),
        ('-', _) => Some(10),
        ('W', _) => {
            let digits = (7..chars.len()).take_while(|at| is_digit(chars, *at)).count() + 7;
            Some(if digits < 9 { digits } else { 7 + digits % 2 })
        }
        _ => Some(8),
    }
}

fn number(chars: &[char]) -> Option<i64> {
    let is_number = !chars.is_empty() && chars.iter().all(char::is_ascii_digit);
    is_number.then(|| chars.iter().collect::<String>().parse().ok()).flatten()
}

fn date(chars: &[char]) -> Option<Date> {
    let year = i16::try_from(number(chars.get(..4)?)?).ok().filter(|year| *year > 0)?;
    let is_separated = chars.get(4) == Some(&'-');
    let rest = &chars[4 + usize::from(is_separated)..];
    if let Some((&'W', rest)) = rest.split_first() {
        let week = i8::try_from(number(rest.get(..2)?)?).ok()?;
        let day = match &rest[2..] {
            [] => 1,
            ['-', day] if is_separated => number(&[*day])?,
            [day] if !is_separated => number(&[*day])?,
            _ => return None,
        };
        let day = Weekday::from_monday_one_offset(i8::try_from(day).ok()?).ok()?;
        let date = ISOWeekDate::new(year, week, day).ok()?.date();
        return (1..=9999).contains(&date.year()).then_some(date);
    }
    let month = number(rest.get(..2)?)?;
    let day = match &rest[2..] {
        ['-', day @ ..] if is_separated => day,
        day if !is_separated => day,
        _ => return None,
    };
    let day = number(day).filter(|_| day.len() == 2)?;
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// The time of the day and the offset, in microseconds.
fn time_and_offset(chars: &[char]) -> Option<(i64, Option<i64>)> {
    let sign = chars.iter().position(|c| matches!(c, '+' | '-' | 'Z'));
    let time = clock(&chars[..sign.unwrap_or(chars.len())], sign.is_some())?;
    let is_time = time.hours < 24 && time.minutes < 60 && time.seconds < 60;
    let offset = match sign {
        None => None,
        Some(at) if chars[at] == 'Z' => (at + 1 == chars.len()).then_some(Some(0))?,
        Some(at) => {
            let offset = clock(&chars[at + 1..], false)?.microseconds();
            let is_short = offset < SECONDS_PER_DAY * MICROSECONDS;
            Some(is_short.then_some(if chars[at] == '-' { -offset } else { offset })?)
        }
    };
    is_time.then(|| (time.microseconds(), offset))
}

/// Hours, minutes, seconds and a fraction.
#[derive(Default)]
struct ClockTime {
    hours: i64,
    minutes: i64,
    seconds: i64,
    fraction: i64,
}

impl ClockTime {
    fn microseconds(&self) -> i64 {
        ((self.hours * 60 + self.minutes) * 60 + self.seconds) * MICROSECONDS + self.fraction
    }
}

/// `12`, `12:30`, `1230`, `12:30:45.123456789`. A fraction counts in seconds wherever it stands. Python
/// overlooks one more character in front of an offset.
fn clock(chars: &[char], has_offset: bool) -> Option<ClockTime> {
    let mut parts = [0; 3];
    let mut at = 0;
    let mut is_separated = true;
    for (index, part) in parts.iter_mut().enumerate() {
        *part = number(chars.get(at..at + 2)?)?;
        at += 2;
        let Some(next) = chars.get(at) else { break };
        if has_offset && at + 1 == chars.len() {
            at += 1;
            break;
        }
        if index == 0 {
            is_separated = *next == ':';
        }
        match next {
            '.' | ',' => break,
            ':' if is_separated && index < 2 => at += 1,
            _ if !is_separated && index < 2 => {}
            _ => return None,
        }
    }
    let fraction = match chars.get(at) {
        None => 0,
        Some('.' | ',') => {
            let digits = &chars[at + 1..];
            number(digits.get(..digits.len().min(6))?)? * 10_i64.pow(6 - u32::try_from(digits.len().min(6)).ok()?)
                + if digits.iter().all(char::is_ascii_digit) { 0 } else { return None }
        }
        Some(_) => return None,
    };
    let [hours, minutes, seconds] = parts;
    Some(ClockTime { hours, minutes, seconds, fraction })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected values from Python 3.11, with `Z` handled as the seed does.
    #[test]
    fn timestamps_are_read_like_python() {
        for (text, want) in [
            ("2026-05-01T12:00:00Z", "2026-05-01T12:00:00Z"),
            ("2026-W18-5T12:00:00Z", "2026-05-01T12:00:00Z"),
            ("2026W185T12", "2026-05-01T12:00:00Z"),
            ("2026-W18", "2026-04-27T00:00:00Z"),
            ("20260501T1200", "2026-05-01T12:00:00Z"),
            ("2026-05-01x12:00", "2026-05-01T12:00:00Z"),
            ("2026-05-01t12:00:00Z", "2026-05-01T12:00:00Z"),
            ("2026-05-01T12:00:00.1234567891Z", "2026-05-01T12:00:00.123456Z"),
            ("2026-05-01T12:00:00,5+02:00", "2026-05-01T10:00:00.5Z"),
            ("2026-05-01T12:00:00+23:59", "2026-04-30T12:01:00Z"),
        ] {
            assert_eq!(parse(text), Timestamp::parse(want), "{text}");
        }
        assert!(parse("9999-12-31T23:59:59Z") > parse("9999-12-31T23:59:58Z"));
        for text in [
            "2026-05-01T12:00:00z",
            "2026-05-01T12:00:60Z",
            "2026-05-01T24:00:00Z",
            "2026-05-01T12:00:00+24:00",
            "9999-12-31T23:59:59-01:00",
            "0000-01-01",
            "2026-W54-1",
            "2026-05-01T",
            "2026-5-1",
            "2026",
            "",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
