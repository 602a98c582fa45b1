//! The sections of a Markdown page that people fill in, without its hints: HTML comments and placeholders.

use canonry_text::markdown::TASK_TAGS;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// A heading with the text below it, up to the next heading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageSection {
    /// The heading's text; empty for the text before the first heading.
    pub title: String,
    /// 1 to 6; 0 before the first heading.
    pub level: u8,
    /// The text as words, without markup.
    pub text: String,
    /// The items of its lists, without nested lists.
    pub items: Vec<String>,
}

impl PageSection {
    /// The list items that are filled in.
    pub fn filled_items(&self) -> impl Iterator<Item = &str> {
        self.items.iter().map(String::as_str).filter(|item| !is_placeholder(item))
    }
}

/// Whether a text only marks where another one belongs: `TODO`, `TBD`, `<the answer>`, an ellipsis, or nothing.
pub fn is_placeholder(text: &str) -> bool {
    let text = text.trim().trim_matches(|c: char| matches!(c, '.' | '…' | '-' | '_' | '?' | ':') || c.is_whitespace());
    let first = text.split(|c: char| !c.is_alphanumeric()).next().expect("split is never empty");
    text.is_empty()
        || TASK_TAGS.contains(&first)
        || (text.starts_with('<') && text.ends_with('>') && text.matches('<').count() == 1)
}

/// The sections of a page. The first has no title.
pub fn sections(page: &str) -> Vec<PageSection> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut reader =
        PageReader { sections: Vec::new(), current: PageSection::default(), in_heading: false, items: Vec::new() };
    for event in Parser::new_ext(page, options) {
        reader.read(&event);
    }
    reader.sections.push(reader.current);
    reader.sections
}

struct PageReader {
    sections: Vec<PageSection>,
    current: PageSection,
    in_heading: bool,
    /// The open list items, outermost first.
    items: Vec<String>,
}

impl PageReader {
    fn read(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let next = PageSection { level: depth(*level), ..PageSection::default() };
                self.sections.push(std::mem::replace(&mut self.current, next));
                self.in_heading = true;
            }
            Event::End(TagEnd::Heading(_)) => self.in_heading = false,
            Event::Start(Tag::Item) => self.items.push(String::new()),
            Event::End(TagEnd::Item) => {
                let item = self.items.pop().unwrap_or_default();
                if self.items.is_empty() {
                    self.current.items.push(item.trim().to_owned());
                }
            }
            Event::Text(text) => self.add(text),
            // Kept as code, because a criterion often names a command.
            Event::Code(text) => self.add(&format!("`{text}`")),
            Event::Html(html) => self.add(&without_tags(html)),
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::Paragraph | TagEnd::TableCell) => self.add(" "),
            _ => {}
        }
    }

    fn add(&mut self, text: &str) {
        match (self.in_heading, self.items.len()) {
            (true, _) => self.current.title.push_str(text),
            (false, 0) => self.current.text.push_str(text),
            (false, 1) => self.items.iter_mut().for_each(|item| item.push_str(text)),
            // A nested item explains its parent.
            (false, _) => {}
        }
    }
}

/// The text of an HTML block: everything outside of tags and comments. A block comes line by line, so that a comment of
/// several lines looks like text; comments are removed first.
fn without_tags(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        rest = match after.strip_prefix("!--") {
            Some(comment) => comment.split_once("-->").map_or("", |(_, rest)| rest),
            None => after.split_once('>').map_or("", |(_, rest)| rest),
        };
    }
    text.push_str(rest);
    text
}

fn depth(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// A page without HTML comments outside of fenced code. Comments are removed from the text, because a parser reports a
/// comment of several lines as several pieces of HTML.
pub fn without_comments(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("<!--") {
        text.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_items_belong_to_their_parent() {
        let all = sections("# A\n\n1. one\n   more\n   - nested\n2. [x] **two** `x`\n\n## B\ntext\n");
        assert_eq!(all[1].items, ["one more", "two `x`"]);
        assert_eq!((all[2].title.as_str(), all[2].level, all[2].text.trim()), ("B", 2, "text"));
    }
}
