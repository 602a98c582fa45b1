//! Reads when a usage limit is reset from the words of a tool.

use canonry_model::canon::timestamp::Timestamp;
use canonry_text::printable::head;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, ToSpan as _};

/// Finds a time zone by its IANA name; `None` is the zone of the system.
pub type ZoneLookup<'a> = &'a dyn Fn(Option<&str>) -> Option<TimeZone>;

/// A reset further away is a misunderstanding.
const FARTHEST_DAYS: i64 = 400;
/// A reset that is this far in the past at most is over, and not a day or a year ahead: a worker takes a while to end.
const RECENT: SignedDuration = SignedDuration::from_mins(10);
/// The wait after a reset that is over, although the tool did not accept work.
const MINUTE: SignedDuration = SignedDuration::from_mins(1);
/// The bytes after a keyword that can contain a time.
const WINDOW: usize = 80;

/// Words before a duration.
const BEFORE_DURATION: [&str; 7] =
    ["try again in ", "retry in ", "resets in ", "reset in ", "reset after ", "retry after ", "\"retrydelay\":"];
/// Words before a time of day or a date.
const BEFORE_TIME: [&str; 6] = ["try again at ", "resets at ", "reset at ", "resets on ", "resets ", "ends on "];

/// When the limit in an error message is reset. A time that has just passed means in a minute, and an older one nothing.
pub(super) fn reset_time(message: &str, now: Timestamp, zones: ZoneLookup<'_>) -> Option<Timestamp> {
    epoch(message, now)
        .or_else(|| after_any(message, &BEFORE_DURATION, |rest| later(now, duration(rest)?)))
        .or_else(|| after_any(message, &BEFORE_TIME, |rest| time(rest, now, zones)))
        .or_else(|| rfc3339(message, now))
}

/// Seconds or milliseconds since 1970.
pub(super) fn from_epoch(value: i64, now: Timestamp) -> Option<Timestamp> {
    let seconds = if value > 100_000_000_000 { value / 1000 } else { value };
    plausible(jiff::Timestamp::from_second(seconds).ok()?, now)
}

fn plausible(time: jiff::Timestamp, now: Timestamp) -> Option<Timestamp> {
    let ahead = time.duration_since(now.to_jiff());
    if ahead <= SignedDuration::ZERO {
        return if -ahead < RECENT { now.to_jiff().checked_add(MINUTE).ok().map(Timestamp::from) } else { None };
    }
    let time = Timestamp::from(time);
    (now.days_before(time) < FARTHEST_DAYS).then_some(time)
}

fn later(now: Timestamp, seconds: f64) -> Option<Timestamp> {
    let duration = SignedDuration::try_from_secs_f64(seconds.ceil()).ok()?;
    plausible(now.to_jiff().checked_add(duration).ok()?, now)
}

/// `…reached|1755615600`, `"resets_at":1777936568`, `"resetsAt":1777936568`, `"resets_in_seconds":13872`.
fn epoch(message: &str, now: Timestamp) -> Option<Timestamp> {
    let number = |rest: &str| -> Option<i64> {
        let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    let absolute = ["|", "\"resets_at\":", "\"resetsAt\":"];
    let absolute = absolute.iter().flat_map(|key| message.match_indices(key).map(|(at, key)| at + key.len()));
    let absolute = absolute.filter_map(|at| number(&message[at..])).filter(|value| *value > 1_000_000_000);
    let relative = || {
        let key = "\"resets_in_seconds\":";
        let at = message.find(key)? + key.len();
        later(now, number(&message[at..])? as f64)
    };
    absolute.filter_map(|value| from_epoch(value, now)).next().or_else(relative)
}

/// The result of `read` on the text after one of the keywords.
fn after_any<T>(message: &str, keys: &[&str], read: impl Fn(&str) -> Option<T>) -> Option<T> {
    let lower = message.to_ascii_lowercase();
    let places = keys.iter().flat_map(|key| lower.match_indices(key).map(|(at, key)| at + key.len()));
    let mut places: Vec<usize> = places.collect();
    places.sort_unstable();
    places.into_iter().find_map(|at| read(head(&message[at..], WINDOW)))
}

/// `2 hours 13 minutes`, `71h15m27s`, `34.07s`, `900ms`, `"256527.79s"`: in seconds.
fn duration(text: &str) -> Option<f64> {
    let mut rest = text.trim_start_matches([' ', '"', '~']);
    let mut seconds = None;
    loop {
        let digits = rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
        let Ok(count) = rest[..digits].parse::<f64>() else { break };
        let behind = rest[digits..].trim_start_matches(' ');
        let letters = behind.bytes().take_while(u8::is_ascii_alphabetic).count();
        let unit = match behind[..letters].to_ascii_lowercase().as_str() {
            "ms" => 0.001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
            "d" | "day" | "days" => 86_400.0,
            _ => break,
        };
        seconds = Some(seconds.unwrap_or(0.0) + count * unit);
        rest = behind[letters..].trim_start_matches([' ', ',']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
    seconds
}

/// A time of day, a date, or both, with an optional zone in parentheses: `3pm`, `2:57 PM`, `6:20pm (Europe/Berlin)`,
/// `Apr 23 at 4pm (America/Recife)`, `Mar 10th, 2026 3:39 AM`, `11/17/2025`.
fn time(text: &str, now: Timestamp, zones: ZoneLookup<'_>) -> Option<Timestamp> {
    let line = text.lines().next().unwrap_or_default();
    let (words, zone) = match line.split_once('(') {
        Some((words, rest)) => (words, zones(Some(rest.split_once(')')?.0.trim()))?),
        None => (line, zones(None)?),
    };
    let today = now.to_jiff().to_zoned(zone.clone());
    let mut date: Option<Date> = None;
    let mut clock: Option<Time> = None;
    let mut has_year = false;
    let mut month = None;
    let words: Vec<&str> = words.split([' ', ',', '\u{202f}', '\u{a0}']).filter(|word| !word.is_empty()).collect();
    for (at, word) in words.iter().enumerate() {
        let word = word.trim_end_matches(['.', '*', '·', '∙']);
        if word.is_empty() || word == "at" || word == "on" {
            continue;
        }
        if let Some(found) = month_number(word).filter(|_| month.is_none() && date.is_none()) {
            month = Some(found);
        } else if let Some((month, day)) = month.zip(day_number(word)).filter(|_| date.is_none()) {
            date = Some(Date::new(today.year(), month, day).ok()?);
        } else if let Some((year, day)) = year_number(word).zip(date).filter(|_| !has_year) {
            date = Some(Date::new(year, day.month(), day.day()).ok()?);
            has_year = true;
        } else if let Some(found) = american_date(word).filter(|_| date.is_none()) {
            date = Some(found);
            has_year = true;
        } else if let Some(day) = weekday(word).filter(|_| date.is_none() && clock.is_none()) {
            let next = today.date().nth_weekday(1, day).ok()?;
            date = Some(next);
            has_year = true;
        } else if let Some(found) = time_of_day(word, words.get(at + 1).copied()).filter(|_| clock.is_none()) {
            clock = Some(found);
        } else if clock.is_some() || date.is_some() {
            // `PM`, or the rest of the sentence.
            if !matches!(word.to_ascii_lowercase().as_str(), "am" | "pm") {
                break;
            }
        } else {
            return None;
        }
    }
    if date.is_none() && clock.is_none() {
        return None;
    }
    let at = |date: Date| {
        let moment = date.to_datetime(clock.unwrap_or(Time::midnight()));
        let moment = zone.to_ambiguous_timestamp(moment).compatible().ok()?;
        // Claude Code 2.1.330 leaves the seconds out: it says 5:34pm for a reset at 17:34:22.
        let seconds = if moment > now.to_jiff() { MINUTE } else { SignedDuration::ZERO };
        plausible(moment.checked_add(seconds).ok()?, now)
    };
    match date {
        Some(date) if has_year => at(date),
        Some(date) => at(date).or_else(|| at(Date::new(date.year() + 1, date.month(), date.day()).ok()?)),
        None => [-1, 0, 1].into_iter().find_map(|days| at(today.date().checked_add(days.days()).ok()?)),
    }
}

fn month_number(word: &str) -> Option<i8> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let lower = word.to_ascii_lowercase();
    let is_word = word.len() >= 3 && lower.bytes().all(|b| b.is_ascii_lowercase());
    let at = MONTHS.iter().position(|month| is_word && lower.starts_with(month))?;
    i8::try_from(at + 1).ok()
}

fn weekday(word: &str) -> Option<Weekday> {
    Some(match word.to_ascii_lowercase().as_str() {
        "mon" | "monday" => Weekday::Monday,
        "tue" | "tuesday" => Weekday::Tuesday,
        "wed" | "wednesday" => Weekday::Wednesday,
        "thu" | "thursday" => Weekday::Thursday,
        "fri" | "friday" => Weekday::Friday,
        "sat" | "saturday" => Weekday::Saturday,
        "sun" | "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

/// `7`, `10th`.
fn day_number(word: &str) -> Option<i8> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let is_day = matches!(&word[digits..], "" | "st" | "nd" | "rd" | "th");
    word[..digits].parse().ok().filter(|day| is_day && (1..=31).contains(day))
}

fn year_number(word: &str) -> Option<i16> {
    word.parse().ok().filter(|year| (2020..2100).contains(year))
}

/// `11/17/2025`: month, day, year.
fn american_date(word: &str) -> Option<Date> {
    let mut parts = word.split('/');
    let month = parts.next()?.parse().ok()?;
    let day = parts.next()?.parse().ok()?;
    let year = parts.next()?.parse().ok()?;
    if parts.next().is_some() {
        return None;
    }
    Date::new(year, month, day).ok()
}

/// `3pm`, `6:20pm`, `15:00`, and `2:57` before `PM`.
fn time_of_day(word: &str, next: Option<&str>) -> Option<Time> {
    let lower = word.to_ascii_lowercase();
    let next = next.map(|next| next.trim_end_matches(['.', ',']).to_ascii_lowercase());
    let (clock, half) = match (lower.strip_suffix("am"), lower.strip_suffix("pm"), next.as_deref()) {
        (Some(clock), _, _) => (clock, Some(0)),
        (_, Some(clock), _) => (clock, Some(12)),
        (_, _, Some("am")) => (lower.as_str(), Some(0)),
        (_, _, Some("pm")) => (lower.as_str(), Some(12)),
        _ => (lower.as_str(), None),
    };
    let (hour, minute) = match clock.split_once(':') {
        Some((hour, minute)) => (hour.parse::<i8>().ok()?, minute.parse::<i8>().ok()?),
        None if half.is_some() => (clock.parse::<i8>().ok()?, 0),
        None => return None,
    };
    let hour = match half {
        Some(half) if (1..=12).contains(&hour) => hour % 12 + half,
        Some(_) => return None,
        None => hour,
    };
    Time::new(hour, minute, 0, 0).ok()
}

/// `"quotaResetTimeStamp": "2026-06-04T15:24:12Z"`.
fn rfc3339(message: &str, now: Timestamp) -> Option<Timestamp> {
    let key = "quotaResetTimeStamp";
    let rest = &message[message.find(key)? + key.len()..];
    let word = rest.split('"').find(|word| word.starts_with("20"))?;
    plausible(Timestamp::parse(word)?.to_jiff(), now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::Offset;

    /// A stand-in for the database of time zones.
    fn zone(name: Option<&str>) -> Option<TimeZone> {
        let hours = match name {
            None => 1,
            Some("Europe/Berlin" | "Europe/Warsaw") => 2,
            Some("America/New_York") => -4,
            Some("Asia/Seoul") => 9,
            Some("UTC") => 0,
            Some(_) => return None,
        };
        Some(Offset::constant(hours).to_time_zone())
    }

    #[test]
    fn reads_each_form() {
        let now = Timestamp::parse("2026-05-01T12:00:00Z").unwrap();
        for (message, want) in [
            ("Claude AI usage limit reached|1777651200", Some("2026-05-01T16:00:00Z")),
            ("Claude AI usage limit reached|1777651200000", Some("2026-05-01T16:00:00Z")),
            ("Your limit will reset at 5pm (Europe/Warsaw).", Some("2026-05-01T15:01:00Z")),
            ("You've hit your limit · resets 10pm (America/New_York)", Some("2026-05-02T02:01:00Z")),
            ("You've hit your limit · resets 2:50am (UTC)", Some("2026-05-02T02:51:00Z")),
            ("You've hit your limit · resets May 7, 11am (Asia/Seoul)", Some("2026-05-07T02:01:00Z")),
            ("You've hit your limit · resets May 7 at 4pm (Europe/Berlin)", Some("2026-05-07T14:01:00Z")),
            ("You've hit your limit · resets Jan 2 at 4pm (UTC)", Some("2027-01-02T16:01:00Z")),
            ("resets 6:20pm (Atlantis/Capital)", None),
            ("5-hour limit reached ∙ resets 3pm", Some("2026-05-01T14:01:00Z")),
            ("Weekly limit reached · resets Mon 9am", Some("2026-05-04T08:01:00Z")),
            ("or try again at 2:57 PM.", Some("2026-05-01T13:58:00Z")),
            ("or try again at 12:05 AM.", Some("2026-05-01T23:06:00Z")),
            ("or try again at May 10th, 2026 3:39 AM.", Some("2026-05-10T02:40:00Z")),
            ("Try again at May 10th, 2020 3:39 AM.", None),
            ("Try again later.", None),
            ("try again in 2 hours 13 minutes.", Some("2026-05-01T14:13:00Z")),
            ("try again in 1 day and 3 hours.", Some("2026-05-02T15:00:00Z")),
            ("Your quota will reset after 18h31m10s.", Some("2026-05-02T06:31:10Z")),
            ("Individual quota reached. Resets in 143h57m55s.", Some("2026-05-07T11:57:55Z")),
            ("\"retryDelay\": \"34.074824224s\"", Some("2026-05-01T12:00:35Z")),
            ("Please retry in 900ms", Some("2026-05-01T12:00:01Z")),
            ("{\"resets_at\":1777651200,\"resets_in_seconds\":7}", Some("2026-05-01T16:00:00Z")),
            ("{\"resets_in_seconds\": 60}", Some("2026-05-01T12:01:00Z")),
            ("reset when your monthly cycle ends on 5/17/2026.*", Some("2026-05-16T23:01:00Z")),
            ("\"quotaResetTimeStamp\": \"2026-05-04T15:24:12Z\"", Some("2026-05-04T15:24:12Z")),
            ("the counter resets the state", None),
            ("resets 25:00", None),
            ("resets 13pm", None),
            ("|99999999999999999999", None),
            ("", None),
            // A reset that has just passed is not a day ahead: at noon in UTC, it is 1 pm here.
            ("resets 1pm", Some("2026-05-01T12:01:00Z")),
            ("resets 12:51pm", Some("2026-05-01T12:01:00Z")),
            ("resets 12:50pm", Some("2026-05-02T11:51:00Z")),
            ("resets 2pm (Europe/Berlin)", Some("2026-05-01T12:01:00Z")),
            ("try again at May 1st, 2026 12:55 PM.", Some("2026-05-01T12:01:00Z")),
            ("Claude AI usage limit reached|1777636740", Some("2026-05-01T12:01:00Z")),
            ("{\"resets_in_seconds\": 0}", Some("2026-05-01T12:01:00Z")),
            ("\"quotaResetTimeStamp\": \"2026-05-01T11:59:12Z\"", Some("2026-05-01T12:01:00Z")),
        ] {
            let found = reset_time(message, now, &zone).map(|time| time.to_string());
            assert_eq!(found.as_deref(), want, "{message}");
        }
        // The day before.
        let midnight = Timestamp::parse("2026-05-01T23:04:00Z").unwrap();
        let found = reset_time("resets 11:58pm", midnight, &zone).map(|time| time.to_string());
        assert_eq!(found.as_deref(), Some("2026-05-01T23:05:00Z"));
    }
}
