//! The path in the target of a Markdown link.

/// The path in a link; `None` for a URL, an anchor or a pattern such as `{name}.md`.
pub fn path_of(text: &str) -> Option<Vec<u8>> {
    let text = text.trim();
    let is_foreign = text.starts_with(['#', '?', '@', '~', '&', '%']) || text.starts_with("//") || has_scheme(text);
    if is_foreign || text.contains(['<', '>', '{', '}', '$', '*', '|', '…', '\\']) || text.contains("...") {
        return None;
    }
    let path = text.split(['#', '?']).next().expect("split is never empty");
    looks_like_path(path).then(|| percent_decoded(path))
}

/// Rejects single words, as in `[text](url)`, and characters that indicate code.
fn looks_like_path(path: &str) -> bool {
    let has_name = path.contains(char::is_alphanumeric) || path.bytes().all(|b| matches!(b, b'.' | b'/'));
    let has_code =
        path.contains(['(', ')', '[', ']', '^', '=', ';', ',', '"', '\'', '`']) || path.contains(char::is_whitespace);
    path.contains(['.', '/']) && has_name && !has_code
}

/// Whether it starts with a URL scheme according to RFC 3986, such as `https:`, `mailto:` or `mdc:`.
fn has_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else { return false };
    let is_part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    scheme.bytes().next().is_some_and(|b| b.is_ascii_alphabetic()) && scheme.bytes().all(is_part)
}

/// The bytes of a text with escapes such as `%20`.
pub fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escape = (byte == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        let hex = escape.filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
        let decoded = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(decoded.unwrap_or(byte));
        at += if decoded.is_some() { 3 } else { 1 };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::path_of;

    #[test]
    fn only_paths_are_accepted() {
        for (text, want) in [
            ("references/a.md", Some("references/a.md")),
            ("a%20b.md#part", Some("a b.md")),
            ("a.md?raw=1", Some("a.md")),
            ("100%.md", Some("100%.md")),
            ("../x", Some("../x")),
            ("/etc/passwd", Some("/etc/passwd")),
            ("https://example.com/a.md", None),
            ("mailto:a@example.com", None),
            ("//example.com/a", None),
            ("#part", None),
            ("url", None),
            ("{lang}.md", None),
            ("<name>/a.md", None),
            ("@org/pkg", None),
            ("@jane.roe", None),
            ("~/notes.md", None),
            ("$HOME/a.md", None),
            ("docs/*.md", None),
            ("path/to/...", None),
            ("path/to/file.md", Some("path/to/file.md")),
            ("logs/YYYY-MM-DD.md", Some("logs/YYYY-MM-DD.md")),
            (".+", None),
            ("self.call(x)", None),
            ("..", Some("..")),
        ] {
            assert_eq!(path_of(text), want.map(|w| w.as_bytes().to_vec()), "{text}");
        }
    }
}
