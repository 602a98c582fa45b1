//! The width of texts in columns of a fixed-width font.

/// A text that takes at most `columns`.
pub fn fitted(text: &str, columns: usize) -> String {
    let mut used = 0;
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        used += if is_wide(c) { 2 } else { 1 };
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

/// The columns that a text takes.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum()
}

/// Whether a character takes two columns: East Asian scripts and emoji.
fn is_wide(c: char) -> bool {
    matches!(u32::from(c), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f
        | 0xff00..=0xff60 | 0x1f300..=0x1faff | 0x20000..=0x3fffd)
}
