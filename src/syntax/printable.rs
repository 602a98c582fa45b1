//! Texts for a terminal: characters that control it, or hide and reorder text, are escaped.

use std::borrow::Cow;

/// A text on one line: control characters and direction marks, which can hide or reorder text, are escaped.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escape(text, is_unsafe)
}

/// The same, but tabs stay. For logs of programs, which align their output with tabs.
pub fn log_line(text: &str) -> Cow<'_, str> {
    escape(text, |c| c != '\t' && is_unsafe(c))
}

/// A text without the sequences that colour it or move the cursor (ECMA-48: `ESC [`, parameters, a final byte from `@` to `~`;
/// `ESC ]` up to BEL or `ESC \\`). They would also hide the beginning of a secret.
pub fn without_sequences(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        out.push_str(before);
        rest = match after.chars().next() {
            Some('[') => {
                let end = after[1..].find(|c: char| matches!(c, '@'..='~') || !matches!(c, ' '..='?'));
                // An incomplete sequence is dropped to its end.
                end.map_or("", |end| after.get(end + 2..).unwrap_or_default())
            }
            Some(']') => match after.find(['\u{7}', '\u{1b}']) {
                Some(end) if after[end..].starts_with('\u{7}') => &after[end + 1..],
                Some(end) => after[end..].strip_prefix("\u{1b}\\").unwrap_or(&after[end..]),
                None => "",
            },
            Some(c) if c.is_ascii() => &after[1..],
            _ => after,
        };
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The longest beginning of a text that has at most `limit` bytes.
pub fn head(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}

/// The longest end of a text that has at most `limit` bytes.
pub fn tail(text: &str, limit: usize) -> &str {
    let start = (text.len().saturating_sub(limit)..=text.len()).find(|at| text.is_char_boundary(*at));
    &text[start.unwrap_or(text.len())..]
}

fn is_unsafe(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escape(text: &str, is_unsafe: fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|c| if is_unsafe(c) { c.escape_default().to_string() } else { c.to_string() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        for (limit, start, end) in
            [(0, "", ""), (1, "", ""), (2, "ä", "ö"), (3, "äb", "bö"), (4, "äb", "bö"), (9, "äbö", "äbö")]
        {
            assert_eq!((head("äbö", limit), tail("äbö", limit)), (start, end), "{limit}");
        }
    }

    #[test]
    fn sequences_are_removed() {
        for (text, want) in [
            ("plain", "plain"),
            ("a\u{1b}[31mb\u{1b}[0m", "ab"),
            ("\u{1b}[1;38;5;9mx\u{1b}[2J\u{1b}[H", "x"),
            ("\u{1b}]0;title\u{7}x\u{1b}]8;;u\u{1b}\\y", "xy"),
            ("\u{1b}[31", ""),
            ("\u{1b}7a\u{1b}", "a"),
            ("\u{1b}[3ä", ""),
            ("\u{1b}ä", "ä"),
        ] {
            assert_eq!(without_sequences(text), want, "{text:?}");
        }
    }

    #[test]
    fn control_characters_and_direction_marks_are_escaped() {
        assert_eq!(one_line("a\u{1b}[2J\n\u{202e}b"), "a\\u{1b}[2J\\n\\u{202e}b");
        assert_eq!(one_line("größe"), "größe");
        assert_eq!(log_line("a\tb\r\u{1b}]0;x\u{7}"), "a\tb\\r\\u{1b}]0;x\\u{7}");
    }
}
