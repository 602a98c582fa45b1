//! The width of texts in columns of a fixed-width font.

use unicode_width::UnicodeWidthChar as _;

/// A text that takes at most `columns`.
pub fn fitted(text: &str, columns: usize) -> String {
    let mut used = 0;
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or_default();
        if used > columns {
            end = at;
            break;
        }
    }
    match text.get(..end) {
        Some(kept) if end < text.len() => {
            // Room for the ellipsis.
            let mut kept = kept.to_owned();
            kept.pop();
            format!("{}…", kept.trim_end())
        }
        _ => text.to_owned(),
    }
}
