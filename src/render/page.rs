//! Common parts of the HTML pages of reports: no scripts, no requests, and every text escaped.

use canonry_text::markup::escape_markup;
use canonry_text::printable::one_line;

const STYLE: &str = include_str!("page.css");

/// Bytes of a worker's text on a page. The run itself has all of it.
const MAX_TEXT: usize = 20_000;

/// The page up to the beginning of its content. `generator` marks a page that canonry may replace.
pub fn begin(title: &str, generator: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n{generator}\n<title>Report: {}</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n<main>\n",
        text(title)
    )
}

/// The end of the page.
pub const END: &str = "</main>\n</body>\n</html>\n";

/// A text of a person, a plan, a workflow or a worker, escaped and of bounded size.
pub fn text(value: &str) -> String {
    let end = value.char_indices().map(|(at, _)| at).find(|at| *at > MAX_TEXT).unwrap_or(value.len());
    let kept = value.get(..end).unwrap_or(value);
    let lines: Vec<String> = kept.lines().map(|line| escape_markup(&one_line(line))).collect();
    lines.join("\n") + if end < value.len() { "…" } else { "" }
}
