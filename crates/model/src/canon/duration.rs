//! Lengths of time in settings, such as `30m`.

use std::time::Duration;

/// A whole number and a unit: `90s`, `30m`, `2h`.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let unit = match text.bytes().last()? {
        b's' => 1,
        b'm' => 60,
        b'h' => 3600,
        _ => return None,
    };
    let count = text.get(..text.len() - 1).filter(|count| count.bytes().all(|byte| byte.is_ascii_digit()))?;
    let seconds = count.parse::<u64>().ok().filter(|count| *count > 0)?.checked_mul(unit)?;
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_numbers_with_units() {
        for (text, seconds) in [("1s", 1), ("90s", 90), ("30m", 1_800), ("2h", 7_200)] {
            assert_eq!(parse_duration(text), Some(Duration::from_secs(seconds)), "{text}");
        }
        for text in ["", "s", "30", "0m", "-1s", "+1s", "1.5h", " 1s", "1 s", "1d", "1ß", "99999999999999999999s"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }
}
