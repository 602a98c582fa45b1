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

/// A text as a stream of the program may carry it: characters that control a terminal or reorder text are written as `\u001b`.
/// In a JSON document, which has such characters only within strings, that is the same string. Line ends and tabs stay, and so
/// do colours if the text has some.
pub fn for_stream(text: &str, has_colours: bool) -> Cow<'_, str> {
    if !text.contains(reorders_or_controls) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(at) = rest.find(reorders_or_controls) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let colour = if has_colours { colour_length(from) } else { 0 };
        let length = if from.starts_with("\r\n") { 2 } else { colour };
        if length > 0 {
            out.push_str(&from[..length]);
            rest = &from[length..];
            continue;
        }
        let mut chars = from.chars();
        out.extend(chars.next().map(|c| format!("\\u{:04x}", u32::from(c))));
        rest = chars.as_str();
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Whether a character controls a terminal, or changes the direction of text.
fn reorders_or_controls(c: char) -> bool {
    is_unsafe(c) && !matches!(c, '\n' | '\t') || matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}')
}

/// The length of a sequence that sets a style which cannot hide text: bold, dim, underlined, and the ordinary colours.
fn colour_length(text: &str) -> usize {
    let Some(behind) = text.strip_prefix("\u{1b}[") else { return 0 };
    let Some((parameters, _)) = behind.split_once('m') else { return 0 };
    let is_style =
        |parameter: &str| matches!(parameter, "0" | "1" | "2" | "4" | "22" | "24" | "39") || is_colour(parameter);
    let is_colour_sequence = parameters.len() <= 16 && parameters.split(';').all(is_style);
    if is_colour_sequence { "\u{1b}[".len() + parameters.len() + 1 } else { 0 }
}

/// `31` to `36`: not black or white, which a background can hide.
fn is_colour(parameter: &str) -> bool {
    matches!(parameter.as_bytes(), [b'3', b'1'..=b'6'])
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
    fn streams_carry_no_control_characters_but_line_ends_and_colours() {
        let erase = "a\u{1b}[2K\u{1b}[1Ab\r\u{202e}c\u{9b}d\u{7f}\u{200f}";
        let escaped = "a\\u001b[2K\\u001b[1Ab\\u000d\\u202ec\\u009bd\\u007f\\u200f";
        for colours in [false, true] {
            assert_eq!(for_stream(erase, colours), escaped);
            assert_eq!(for_stream("größe\t\u{feff}x\r\n", colours), "größe\t\u{feff}x\r\n");
        }
        let red = "\u{1b}[31;1merror\u{1b}[0m";
        assert_eq!(for_stream(red, true), red);
        assert_eq!(for_stream(red, false), "\\u001b[31;1merror\\u001b[0m");
        for hidden in ["\u{1b}[8mx", "\u{1b}[30mx", "\u{1b}[38;5;0mx", "\u{1b}[1", "\u{1b}[m"] {
            assert!(for_stream(hidden, true).starts_with("\\u001b["), "{hidden:?}");
        }
        let document = serde_json::json!({"a": erase}).to_string();
        let read: serde_json::Value = serde_json::from_str(&for_stream(&document, false)).unwrap();
        assert_eq!(read["a"], erase);
    }

    #[test]
    fn control_characters_and_direction_marks_are_escaped() {
        assert_eq!(one_line("a\u{1b}[2J\n\u{202e}b"), "a\\u{1b}[2J\\n\\u{202e}b");
        assert_eq!(one_line("größe"), "größe");
        assert_eq!(log_line("a\tb\r\u{1b}]0;x\u{7}"), "a\tb\\r\\u{1b}]0;x\\u{7}");
    }
}
