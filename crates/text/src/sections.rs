//! The headings of a Markdown text with the lists below them.

use super::Span;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// A heading with its content up to the next heading of any level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkdownSection {
    /// The text of the heading, without markup.
    pub title: String,
    /// The heading.
    pub span: Span,
    /// The level, from 1 for `#`.
    pub level: usize,
    /// The items of its lists in file order, without nested lists.
    pub items: Vec<ListItem>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListItem {
    /// The text as written, without the list marker and nested lists.
    pub text: String,
    pub span: Span,
    pub numbered: bool,
}

/// The sections of `body`, which starts at byte `offset` of its file. Text before the first heading is left out.
pub fn sections(body: &str, offset: usize) -> Vec<MarkdownSection> {
    let mut reader = SectionReader { body, found: Vec::new(), title: None, lists: Vec::new() };
    for (event, range) in Parser::new(body).into_offset_iter() {
        reader.take(event, Span::from(range));
    }
    for section in &mut reader.found {
        section.span = section.span.shifted(offset);
        section.items.iter_mut().for_each(|item| item.span = item.span.shifted(offset));
    }
    reader.found
}

struct SectionReader<'a> {
    body: &'a str,
    found: Vec<MarkdownSection>,
    /// The text of the current heading.
    title: Option<String>,
    /// The enclosing lists, and whether each is numbered.
    lists: Vec<bool>,
}

impl SectionReader<'_> {
    fn take(&mut self, event: Event<'_>, span: Span) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                self.title = Some(String::new());
                let section = MarkdownSection {
                    title: String::new(),
                    span: self.line(span),
                    level: level as usize,
                    items: Vec::new(),
                };
                self.found.push(section);
            }
            Event::End(TagEnd::Heading(_)) => {
                if let (Some(title), Some(section)) = (self.title.take(), self.found.last_mut()) {
                    section.title = title.trim().to_owned();
                }
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(title) = &mut self.title {
                    title.push_str(&text);
                }
            }
            Event::Start(Tag::List(first)) => self.lists.push(first.is_some()),
            Event::End(TagEnd::List(_)) => {
                self.lists.pop();
            }
            Event::Start(Tag::Item) => self.item(span),
            _ => {}
        }
    }

    /// Adds a top-level item; nested items are part of it.
    fn item(&mut self, span: Span) {
        let ([numbered], Some(section)) = (self.lists.as_slice(), self.found.last_mut()) else { return };
        let whole = &self.body[span.range()];
        let mark = whole.find(char::is_whitespace).unwrap_or(whole.len());
        let own = whole[mark..].split('\n').take_while({
            let mut first = true;
            move |line| std::mem::take(&mut first) || !starts_list(line)
        });
        let length = own.map(|line| line.len() + 1).sum::<usize>().saturating_sub(1);
        let text = whole[mark..mark + length].trim_end();
        let blank = text.len() - text.trim_start().len();
        let start = span.offset + mark + blank;
        let text = text.trim_start();
        let item = ListItem { text: text.to_owned(), span: Span::new(start, start + text.len()), numbered: *numbered };
        section.items.push(item);
    }

    fn line(&self, span: Span) -> Span {
        Span::new(span.offset, span.offset + self.body[span.range()].trim_end().len())
    }
}

/// Whether an item of a nested list starts here.
fn starts_list(line: &str) -> bool {
    let line = line.trim_start();
    let number = line.bytes().take_while(u8::is_ascii_digit).count();
    let mark = if number > 0 { &line[number..] } else { line };
    let marks: &[&str] = if number > 0 { &[". ", ") "] } else { &["- ", "* ", "+ "] };
    marks.iter().any(|m| mark.starts_with(m))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_hold_their_items() {
        let body = "- before\n\n# Top\n\n## `A` (x)\n\n- one\n- two: `b`\n  continues\n  - inner\n\ntext\n\n### B\n\n1. first\n2. second\n\n## C";
        let shown = |s: &MarkdownSection| {
            let items: Vec<String> = s
                .items
                .iter()
                .map(|i| format!("{}{}", if i.numbered { "# " } else { "" }, &body[i.span.range()]))
                .collect();
            format!("{} {}: {}", s.level, s.title, items.join(" | "))
        };
        let found: Vec<String> = sections(body, 0).iter().map(shown).collect();
        let want = ["1 Top: ", "2 A (x): one | two: `b`\n  continues", "3 B: # first | # second", "2 C: "];
        assert_eq!(found, want);
        assert_eq!(sections("# A\n\n- x\n", 10)[0].items[0].span, Span::new(17, 18));
    }
}
