//! The text of a worker's prompt: lines, headings, bounded lists, and data in fences that it cannot close.

use super::secrets;
use std::fmt::Write as _;

/// The most characters of a list.
const LIST: usize = 8_000;
/// The most characters of an item.
const ITEM: usize = 3_000;

/// A prompt under construction.
#[derive(Debug, Default)]
pub struct PromptBuilder {
    pub text: String,
}

impl PromptBuilder {
    /// A line.
    pub fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A heading of the second level.
    pub fn heading(&mut self, text: &str) {
        let _ = write!(self.text, "\n## {text}\n\n");
    }

    /// A list whose items fit in [`LIST`] characters; the others are counted.
    pub fn list<'t>(&mut self, title: &str, rest: &str, items: impl ExactSizeIterator<Item = &'t str>) {
        let count = items.len();
        if count == 0 {
            return;
        }
        self.heading(title);
        let mut left = LIST;
        for (at, item) in items.enumerate() {
            let item = cut(&item.split_whitespace().collect::<Vec<_>>().join(" "), ITEM);
            match left.checked_sub(item.chars().count()) {
                Some(rest) => left = rest,
                None => return self.line(&format!("- … and {} more; read {rest}", count - at)),
            }
            self.line(&format!("- {item}"));
        }
    }

    /// A text that is data, in a fence that it cannot close.
    pub fn data(&mut self, text: &str, limit: usize) {
        let text = cut(&printable(text), limit);
        let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        self.line(&format!("{fence}text\n{}\n{fence}", text.trim()));
    }
}

/// A text on one line, without characters that end inline code.
pub fn one_line(text: &str) -> String {
    let text: String = printable(text).chars().map(|c| if c == '`' { '\'' } else { c }).collect();
    cut(&text.split_whitespace().collect::<Vec<_>>().join(" "), 200)
}

/// A text without control characters and secrets.
pub fn printable(text: &str) -> String {
    secrets::redact(text).chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

/// The beginning and the end of a text of at most `limit` characters.
pub fn cut(text: &str, limit: usize) -> String {
    let count = text.chars().count();
    if count <= limit {
        return text.to_owned();
    }
    let head: String = text.chars().take(limit / 2).collect();
    let tail: String = text.chars().skip(count - limit / 2).collect();
    format!("{head}\n[… {} characters left out …]\n{tail}", count - limit / 2 * 2)
}
