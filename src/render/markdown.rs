//! Markdown as text for a terminal.

use super::human::{Colour, Style};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use textwrap::{WordSeparator, WordSplitter};
use unicode_width::UnicodeWidthStr as _;

/// Columns between the columns of a table.
const GAP: usize = 2;
/// A column of a table is not made narrower.
const MIN_COLUMN: usize = 8;
const CODE_INDENT: &str = "    ";
/// Stands for a space at which no line is broken.
const UNBROKEN: &str = "\u{a0}";

/// Headings are bold (without colours, they keep their `#`), code is indented, tables are aligned, and everything else is
/// wrapped at the width of the terminal. A link is its text, followed by what `link` says about its target, or by the
/// target if that is an address.
pub(crate) fn to_text(markdown: &str, style: Style, link: &dyn Fn(&str) -> Option<String>) -> String {
    let mut writer = Writer {
        style,
        link,
        out: String::new(),
        inline: String::new(),
        items: Vec::new(),
        targets: Vec::new(),
        code: None,
        table: Vec::new(),
        is_tight: false,
    };
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        writer.event(event);
    }
    writer.out
}

/// A list item that is open.
struct Item {
    /// `- ` or `1. `, until it is written.
    marker: Option<String>,
    indent: usize,
}

struct Writer<'a> {
    style: Style,
    link: &'a dyn Fn(&str) -> Option<String>,
    out: String,
    /// Text of the current paragraph, heading or cell.
    inline: String,
    /// The open lists, each with the number of its next item, or `None` for bullets, and the open items.
    items: Vec<(Option<u64>, Option<Item>)>,
    targets: Vec<String>,
    /// Text of the current code block.
    code: Option<String>,
    /// Rows of the current table; the first is the header.
    table: Vec<Vec<String>>,
    /// Whether the next block follows without an empty line.
    is_tight: bool,
}

impl Writer<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.inline.push_str(&text),
            },
            Event::Code(code) => self.code(&code),
            Event::SoftBreak => self.inline.push(' '),
            Event::HardBreak => self.inline.push('\n'),
            Event::InlineHtml(html) if html.starts_with("<br") => self.inline.push('\n'),
            Event::Rule => self.block("---\n"),
            // Comments and other HTML are for other readers.
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::List(first) => {
                let is_nested = !self.items.is_empty();
                self.flush();
                self.is_tight |= is_nested;
                self.items.push((first, None));
            }
            Tag::Item => {
                let indent = self.indent();
                if let Some((number, item)) = self.items.last_mut() {
                    let marker = match number {
                        Some(number) => format!("{number}. "),
                        None => "- ".to_owned(),
                    };
                    *number = number.map(|number| number + 1);
                    *item = Some(Item { indent: indent + marker.len(), marker: Some(marker) });
                }
            }
            Tag::CodeBlock(_) => {
                self.flush();
                self.code = Some(String::new());
            }
            Tag::Link { dest_url, .. } => self.targets.push(dest_url.into_string()),
            Tag::Strong => self.bold(true),
            Tag::TableHead | Tag::TableRow => self.table.push(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush(),
            TagEnd::Heading(level) => self.heading(level),
            TagEnd::Item => {
                self.flush();
                if let Some((_, item)) = self.items.last_mut() {
                    *item = None;
                }
                self.is_tight = true;
            }
            TagEnd::List(_) => {
                self.items.pop();
                self.is_tight = !self.items.is_empty();
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::Link => self.end_link(),
            TagEnd::Strong => self.bold(false),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                if let Some(row) = self.table.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::Table => {
                let rows = std::mem::take(&mut self.table);
                let indent = self.indent();
                let lines = table(&rows, self.style.width.saturating_sub(indent), self.style.colour);
                let indent = " ".repeat(indent);
                let text: String =
                    lines.iter().map(|line| format!("{indent}{line}").trim_end().to_owned() + "\n").collect();
                self.block(&text);
            }
            _ => {}
        }
    }

    /// A command is easier to read, and to copy, if it is not broken between lines.
    fn code(&mut self, code: &str) {
        let fits = self.table.is_empty() && code.width() + 2 + self.indent() <= self.style.width;
        let code = if fits { code.replace(' ', UNBROKEN) } else { code.to_owned() };
        self.inline.push_str(&format!("`{code}`"));
    }

    fn end_link(&mut self) {
        let Some(target) = self.targets.pop() else { return };
        if let Some(text) = (self.link)(&target) {
            self.inline.push_str(&format!(" ({text})"));
        } else if target.contains("://") && !self.inline.ends_with(target.as_str()) {
            self.inline.push_str(&format!(" ({target})"));
        }
    }

    fn bold(&mut self, is_on: bool) {
        if self.style.colour == Colour::Ansi {
            self.inline.push_str(if is_on { "\u{1b}[1m" } else { "\u{1b}[22m" });
        }
    }

    /// Columns before the text of the innermost open item.
    fn indent(&self) -> usize {
        self.items.iter().rev().find_map(|(_, item)| item.as_ref()).map_or(0, |item| item.indent)
    }

    /// Writes the current paragraph, with the marker of its item if it is the first.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.inline);
        if text.trim().is_empty() {
            return;
        }
        let indent = self.indent();
        let item = self.items.iter_mut().rev().find_map(|(_, item)| item.as_mut());
        let marker = item.and_then(|item| item.marker.take()).unwrap_or_default();
        let first = format!("{marker:>indent$}");
        let rest = " ".repeat(indent);
        let text = wrap(text.trim(), self.style.width, &first, &rest).join("\n");
        self.block(&format!("{text}\n"));
    }

    fn heading(&mut self, level: HeadingLevel) {
        let text = std::mem::take(&mut self.inline);
        let text = match self.style.colour {
            Colour::Ansi => format!("\u{1b}[1m{text}\u{1b}[0m\n"),
            Colour::None => format!("{} {text}\n", "#".repeat(level as usize)),
        };
        self.block(&text);
    }

    fn code_block(&mut self) {
        let Some(code) = self.code.take() else { return };
        let indent = " ".repeat(self.indent()) + CODE_INDENT;
        let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("{indent}{line}\n") };
        let text: String = code.lines().map(line).collect();
        self.block(&text);
    }

    /// Writes a block, after an empty line unless it is the first or belongs to a list.
    fn block(&mut self, text: &str) {
        if !self.out.is_empty() && !std::mem::take(&mut self.is_tight) {
            self.out.push('\n');
        }
        self.out.push_str(text);
    }
}

fn wrap(text: &str, width: usize, first: &str, rest: &str) -> Vec<String> {
    let options = textwrap::Options::new(width).break_words(false);
    let options = options.word_splitter(WordSplitter::NoHyphenation).word_separator(WordSeparator::AsciiSpace);
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let first = if lines.is_empty() { first } else { rest };
        let options = options.clone().initial_indent(first).subsequent_indent(rest);
        lines.extend(textwrap::wrap(line, options).iter().map(|line| line.replace(UNBROKEN, " ")));
    }
    lines
}

/// Lines of a table whose columns fit into the width, as far as words can be kept whole.
fn table(rows: &[Vec<String>], width: usize, colour: Colour) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell_width = |cell: &String| cell.split('\n').map(columns_of).max().unwrap_or(0);
    let mut widths = vec![0; columns];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell_width(cell).max(*width);
        }
    }
    let available = width.saturating_sub(GAP * columns.saturating_sub(1));
    while widths.iter().sum::<usize>() > available {
        let Some(widest) = widths.iter_mut().max().filter(|widest| **widest > MIN_COLUMN) else { break };
        *widest -= 1;
    }
    let mut lines = Vec::new();
    // The rows, each as the lines of its cells.
    let rows: Vec<Vec<Vec<String>>> = rows
        .iter()
        .map(|row| row.iter().zip(&widths).map(|(cell, width)| wrap(cell, *width, "", "")).collect())
        .collect();
    let height = |row: &Vec<Vec<String>>| row.iter().map(Vec::len).max().unwrap_or(0);
    let is_spaced = rows.iter().skip(1).any(|row| height(row) > 1);
    for (number, row) in rows.iter().enumerate() {
        // The header of a table without one is empty.
        if number == 0 && row.iter().flatten().all(String::is_empty) {
            continue;
        }
        if number > 1 && is_spaced {
            lines.push(String::new());
        }
        for line in 0..height(row) {
            let parts = row.iter().zip(&widths).map(|(cell, width)| {
                let text = cell.get(line).map_or("", String::as_str);
                let padding = " ".repeat(width.saturating_sub(columns_of(text)));
                format!("{text}{padding}")
            });
            let text = parts.collect::<Vec<_>>().join(&" ".repeat(GAP));
            lines.push(match colour {
                Colour::Ansi if number == 0 => format!("\u{1b}[1m{}\u{1b}[0m", text.trim_end()),
                _ => text.trim_end().to_owned(),
            });
        }
        if number == 0 {
            let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
            lines.push(rule.join(&" ".repeat(GAP)));
        }
    }
    lines
}

/// Columns of a text without its escape codes.
fn columns_of(text: &str) -> usize {
    let mut width = text.width();
    for code in ["\u{1b}[1m", "\u{1b}[22m"] {
        width -= text.matches(code).count() * code.width();
    }
    width
}

#[cfg(test)]
mod tests {
    use super::to_text;
    use crate::render::human::{Colour, Style};

    fn shown(markdown: &str, width: usize, colour: Colour) -> String {
        let link = |target: &str| target.strip_suffix(".md").map(|page| format!("see {page}"));
        to_text(markdown, Style { width, notice_width: None, message_width: None, colour }, &link)
    }

    #[test]
    fn blocks_are_laid_out_for_a_terminal() {
        for (markdown, want) in [
            ("# A title\nText.\n", "# A title\n\nText.\n"),
            ("one two three\nfour **five** six\n", "one two three four\nfive six\n"),
            (
                "- one\n- two three four five six\n  - deep\n\nAfter.\n",
                "- one\n- two three four\n  five six\n  - deep\n\nAfter.\n",
            ),
            ("1. one\n\n   ```sh\n   a  b\n   ```\n\n2. two\n", "1. one\n\n       a  b\n2. two\n"),
            (
                "```console\n$ a very long line of code stays\n\nb\n```\n",
                "    $ a very long line of code stays\n\n    b\n",
            ),
            (
                "run `git diff x` after `one two three four` now\n",
                "run `git diff x`\nafter\n`one two three four`\nnow\n",
            ),
            ("[a](b.md) and [c](d/e.txt)\n", "a (see b) and c\n"),
            ("[x](https://y.z)\n", "x (https://y.z)\n"),
            ("<https://y.z>\n", "https://y.z\n"),
            ("<!-- run: x -->\n\ntext <!-- y --> end\n", "text  end\n"),
        ] {
            assert_eq!(shown(markdown, 20, Colour::None), want, "{markdown}");
        }
        assert_eq!(shown("# A\n**b** c\n", 20, Colour::Ansi), "\u{1b}[1mA\u{1b}[0m\n\n\u{1b}[1mb\u{1b}[22m c\n");
    }

    #[test]
    fn columns_are_aligned_and_narrowed_to_the_width() {
        let markdown = "| a | what it does |\n|---|---|\n| `x \\| y` | one |\n| z | four words<br>and more |\n";
        let wide =
            "a        what it does\n───────  ────────────\n`x | y`  one\n\nz        four words\n         and more\n";
        assert_eq!(shown(markdown, 40, Colour::None), wide);
        let narrow = "a        what it\n         does\n───────  ──────────\n`x | y`  one\n\nz        four words\n         and more\n";
        assert_eq!(shown(markdown, 19, Colour::None), narrow);
        assert_eq!(shown("| | |\n|---|---|\n| a | b |\n", 19, Colour::None), "a  b\n");
    }
}
