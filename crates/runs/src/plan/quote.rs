//! Texts as double-quoted YAML strings.

use std::fmt::Write as _;

/// A text as a double-quoted YAML string on one line. Characters that are not printable, and those that change the
/// direction of text, are escaped.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            ' '..='~' => out.push(c),
            c if c.is_alphanumeric() => out.push(c),
            c if u32::from(c) > 0xffff => {
                let _ = write!(out, "\\U{:08x}", u32::from(c));
            }
            c => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_text::yaml;

    #[test]
    fn every_text_survives() {
        for text in
            ["", "a: b # c", "\"\\\n\t'", "größe 日本", "\u{0}\u{1b}\u{85}\u{2028}\u{202e}\u{feff}😀", "- *x &y !z %"]
        {
            let line = quoted(text);
            assert!(!line.contains(|c: char| c.is_control()), "{line}");
            let document = yaml::parse(&line, 0).unwrap();
            assert_eq!(document.root.as_str(), Some(text), "{line}");
        }
    }
}
