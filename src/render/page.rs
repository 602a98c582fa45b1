//! The HTML page of a report: no scripts, no requests, and every text escaped.

use canonry_text::markup::escape_markup;
use canonry_text::printable::one_line;
use std::fmt::{Arguments, Write as _};

const STYLE: &str = include_str!("page.css");

/// Bytes of a worker's text on a page. The run itself has all of it.
const MAX_TEXT: usize = 20_000;

/// A page under construction. Arguments called `html` are markup, all others are texts.
#[derive(Debug)]
pub struct HtmlPage {
    html: String,
}

impl HtmlPage {
    /// The beginning of a page. `generator` marks a page that canonry may replace.
    pub fn new(title: &str, generator: &str) -> Self {
        let html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{generator}\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n\
             </head>\n<body>\n<main>\n",
            text(title)
        );
        Self { html }
    }

    /// The complete page.
    pub fn finish(mut self) -> String {
        self.html.push_str("</main>\n</body>\n</html>\n");
        self.html
    }

    /// Adds a line of markup.
    pub fn line(&mut self, html: Arguments<'_>) {
        let _ = writeln!(self.html, "{html}");
    }

    /// Adds a heading with the word and the class of a state, and facts below it.
    pub fn heading(&mut self, level: u8, title: &str, (class, word): (&str, &str), facts_html: &str) {
        let title = text(title);
        let state = badge(class, word);
        self.line(format_args!("<h{level}>{title} {state}</h{level}>\n<p class=\"quiet\">{facts_html}</p>"));
    }

    /// Adds a paragraph, unless the text is empty.
    pub fn paragraph(&mut self, value: &str) {
        if !value.is_empty() {
            self.line(format_args!("<p>{}</p>", text(value)));
        }
    }

    /// Adds an attempt or a task that can be folded, with the word and the class of its result.
    pub fn attempt(
        &mut self,
        is_open: bool,
        name: &str,
        (class, word): (&str, &str),
        facts_html: &str,
        content: impl FnOnce(&mut Self),
    ) {
        let name = text(name);
        let summary =
            format!("{name}: <span class=\"{class}\">{word}</span> <span class=\"quiet\">{facts_html}</span>");
        self.fold(is_open, &summary, content);
    }

    /// Adds a section with this class.
    pub fn section(&mut self, class: &str, content: impl FnOnce(&mut Self)) {
        self.line(format_args!("<section class=\"{class}\">"));
        content(self);
        self.line(format_args!("</section>"));
    }

    /// Adds a part that can be folded.
    pub fn fold(&mut self, is_open: bool, summary_html: &str, content: impl FnOnce(&mut Self)) {
        let open = if is_open { " open" } else { "" };
        self.line(format_args!("<details{open}>\n<summary>{summary_html}</summary>"));
        content(self);
        self.line(format_args!("</details>"));
    }

    /// Adds a text with its line breaks, unless it is blank. The class may be empty.
    pub fn block(&mut self, class: &str, value: &str) {
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        if !value.trim().is_empty() {
            self.line(format_args!("<pre{class}>{}</pre>", text(value)));
        }
    }

    /// Adds a bulleted list, unless it is empty.
    pub fn list(&mut self, items_html: impl IntoIterator<Item = String>) {
        let items: String = items_html.into_iter().map(|item| format!("<li>{item}</li>\n")).collect();
        if !items.is_empty() {
            self.line(format_args!("<ul>\n{items}</ul>"));
        }
    }

    /// Adds a table whose rows are `td` elements. It scrolls where it is too wide.
    pub fn table(&mut self, head: &[&str], rows_html: impl IntoIterator<Item = String>) {
        let head: String = head.iter().map(|name| format!("<th>{name}</th>")).collect();
        let rows: String = rows_html.into_iter().map(|row| format!("<tr>{row}</tr>\n")).collect();
        self.line(format_args!(
            "<div class=\"wide\">\n<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>"
        ));
    }

    /// Adds a drawing. It scrolls where it is too wide.
    pub fn drawing(&mut self, heading: &str, svg: &str) {
        self.line(format_args!("<h2>{heading}</h2>\n<div class=\"wide\">\n{svg}</div>"));
    }
}

/// A text of a person, a plan, a workflow or a worker, escaped and of bounded size.
pub fn text(value: &str) -> String {
    let end = value.char_indices().map(|(at, _)| at).find(|at| *at > MAX_TEXT).unwrap_or(value.len());
    let kept = value.get(..end).unwrap_or(value);
    let lines: Vec<String> = kept.lines().map(|line| escape_markup(&one_line(line))).collect();
    lines.join("\n") + if end < value.len() { "…" } else { "" }
}

/// A word or number in a small frame. `class` gives its colour.
fn badge(class: &str, word: &str) -> String {
    format!("<span class=\"badge {class}\">{}</span>", text(&word.replace('_', " ")))
}

/// The known ones of these texts in one line, which breaks between them.
pub fn joined<const N: usize>(parts: [Option<String>; N]) -> String {
    let parts = parts.into_iter().flatten().map(|part| format!("<span class=\"part\">{}</span>", text(&part)));
    parts.collect::<Vec<_>>().join(" · ")
}
