//! Rows as the seed reads them: what Python's `json` accepts beyond JSON, and what it does not.

use std::borrow::Cow;

/// Levels of nesting that Python's parser reads at its default recursion limit.
const MAX_DEPTH: usize = 991;
/// Stands for `NaN`, which JSON does not have.
pub const NAN: &str = "0e-99999";
/// Python's numbers that JSON does not have, and numbers with the same value.
const NUMBERS: [(&str, &str); 2] = [("NaN", NAN), ("Infinity", "1e99999")];

/// A row as JSON: numbers that are none are replaced. `None` if it is nested too deeply.
pub fn normalize(text: &str) -> Option<Cow<'_, str>> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut is_escaped = false;
    let mut out = String::new();
    let mut done = 0;
    for (at, byte) in text.bytes().enumerate() {
        if in_string {
            in_string = is_escaped || byte != b'"';
            is_escaped = !is_escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'N' | b'I' if at >= done => {
                if let Some((name, number)) = NUMBERS.iter().find(|(name, _)| text[at..].starts_with(name)) {
                    out.push_str(&text[done..at]);
                    out.push_str(number);
                    done = at + name.len();
                }
            }
            _ => {}
        }
        if depth > MAX_DEPTH {
            return None;
        }
    }
    if done == 0 {
        return Some(Cow::Borrowed(text));
    }
    out.push_str(&text[done..]);
    Some(Cow::Owned(out))
}

/// Whether a line is blank for Python's `str.strip`.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_outside_of_strings_are_replaced() {
        for (text, want) in [
            (r#"{"a":NaN,"b":-Infinity}"#, r#"{"a":0e-99999,"b":-1e99999}"#),
            (r#"{"NaN":"Infinity \" NaN"}"#, r#"{"NaN":"Infinity \" NaN"}"#),
        ] {
            assert_eq!(normalize(text).unwrap(), want);
        }
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(normalize(&nested(MAX_DEPTH)).is_some() && normalize(&nested(5_000)).is_none());
        assert!(normalize(&format!("\"{}\"", nested(5_000))).is_some());
        assert!(is_blank("\u{1c}\u{a0}\u{2003} ") && !is_blank("\u{200b}"));
    }
}
