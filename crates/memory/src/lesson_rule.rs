//! A lesson as a rule in a file that agents follow: a policy, the root instructions, or a skill.

use super::lessons::{LessonItem, escaped, list_items, normalized, single_line};
use canonry_text::sections::{MarkdownSection, sections};
use canonry_text::{Span, frontmatter, markdown};
use serde::{Deserialize, Serialize};

/// The title of the section that lists the rules, at any level.
const TITLE: &str = "Lessons";
/// Precedes the scope.
const SCOPE: &str = " Applies to: ";
/// Precedes the root cause.
const ROOT_CAUSE: &str = " Why: ";
/// Precedes the lesson's id.
const LESSON: &str = " (lesson ";

/// Content of a lesson.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonRule {
    pub action: String,
    /// Where it applies.
    pub scope: String,
    /// Why it is needed.
    pub root_cause: String,
}

/// Text to insert into a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleInsertion {
    /// The offset in bytes.
    pub offset: usize,
    /// The text.
    pub text: String,
}

impl LessonRule {
    /// The rule as one list item of Markdown, without a line ending. `lesson` is the lesson's id.
    pub fn line(&self, lesson: &str) -> String {
        let [action, scope, root_cause] = [&self.action, &self.scope, &self.root_cause].map(|part| sentence(part));
        let lesson = inline(&single_line(lesson));
        format!("- {action}{SCOPE}{scope}{ROOT_CAUSE}{root_cause}{LESSON}{lesson})")
    }
}

/// A part as a sentence in one line that cannot end the list item or hide what follows.
fn sentence(part: &str) -> String {
    let mut text = inline(&single_line(part));
    if !text.ends_with(['.', '!', '?', '…']) {
        text.push('.');
    }
    text
}

/// Escapes a text unless it has only words, code, emphasis and links.
pub(super) fn inline(text: &str) -> String {
    // A code span must not reach into the next part.
    let is_closed = text.matches('`').count().is_multiple_of(2);
    if is_closed && markdown::is_plain_item(&format!("- {text}")) { text.to_owned() } else { escaped(text) }
}

/// Action in the list item of a rule; other items are returned as they are.
pub fn action_of(item: &str) -> &str {
    let rule = item.rsplit_once(LESSON).and_then(|(rule, _)| rule.split_once(SCOPE));
    rule.filter(|(_, rest)| rest.contains(ROOT_CAUSE)).map_or(item, |(action, _)| action.trim_end())
}

/// The number of the line, from 1, that says what the rule asks for, or that names the lesson.
pub fn find_rule(text: &str, rule: &LessonRule, lesson: &str) -> Option<usize> {
    let wanted = plain(&rule.action);
    let provenance = format!("{LESSON}{})", inline(&single_line(lesson)));
    let is_same = |line: &str| !wanted.is_empty() && plain(line) == wanted;
    let item = |item: &LessonItem| item.line.contains(&provenance) || is_same(action_of(&item.line));
    let found = list_items(text).iter().find(|found| item(found)).map(|found| found.span.offset);
    let at = found.or_else(|| {
        let mut offset = 0;
        text.split_inclusive('\n').find_map(|line| {
            offset += line.len();
            is_same(line).then(|| offset - line.len())
        })
    })?;
    Some(1 + text[..at].matches('\n').count())
}

/// The words of a line, without the markup around all of them.
fn plain(line: &str) -> String {
    let line = line.trim().trim_start_matches(['#', '>', '-', '+', '*', ' ']);
    normalized(line.trim_matches(['*', '_'])).trim_matches(['*', '_']).trim_end_matches('.').to_owned()
}

/// The text of a new file with this title.
pub fn new_page(title: &str, line: &str) -> String {
    format!("# {}\n\n## {TITLE}\n\n{line}\n", inline(&single_line(title)))
}

/// Where a line goes: to the end of the last list of the section "Lessons", which is added at the end of the file if it does not
/// exist. `None` if the end of the file is inside a code block or a comment.
pub fn insertion(text: &str, line: &str) -> Option<RuleInsertion> {
    let before = sections_of(text);
    let at = before.iter().position(|section| section.title.eq_ignore_ascii_case(TITLE));
    let mut insertion = match at {
        None => RuleInsertion { offset: text.len(), text: format!("{}## {TITLE}\n\n{line}\n", blank_line(text)) },
        Some(at) => {
            let start = before[at].span.end();
            let end = before.get(at + 1).map_or(text.len(), |next| next.span.offset);
            into_section(text, Span::new(start, end), &before[at], line)
        }
    };
    if text.contains("\r\n") {
        insertion.text = insertion.text.replace('\n', "\r\n");
    }
    let mut after = text.to_owned();
    after.insert_str(insertion.offset, &insertion.text);
    let added = sections_of(&after);
    let is_listed = |section: &MarkdownSection| {
        let words = |item: &str| item.trim_start_matches(['-', '*', '+', ' ']).to_owned();
        let listed = section.items.iter().any(|item| words(&item.text) == words(line));
        section.title.eq_ignore_ascii_case(TITLE) && listed
    };
    let count = before.len() + usize::from(at.is_none());
    (added.len() == count && added.iter().any(is_listed)).then_some(insertion)
}

fn sections_of(text: &str) -> Vec<MarkdownSection> {
    let start = frontmatter::split(text).map_or(0, |parts| parts.body.offset);
    sections(&text[start..], start)
}

/// Inserts a line after the last item of the section's last list, or below everything else in the section.
fn into_section(text: &str, body: Span, section: &MarkdownSection, line: &str) -> RuleInsertion {
    let bulleted = section.items.iter().filter_map(|item| Some((item.span, bullet(text, item.span)?)));
    let items: Vec<(Span, &str)> = bulleted.collect();
    let Some((last, bullet)) = items.last() else {
        let content = text[..body.end()].trim_end();
        let offset = content.len().max(body.offset);
        return RuleInsertion { offset, text: format!("\n\n{line}") };
    };
    let start = line_start(text, last.offset);
    // The same list marker and indentation as the item above.
    let line = format!("{bullet}{}", line.trim_start_matches("- "));
    let is_loose = items.iter().rev().nth(1).is_some_and(|(previous, _)| {
        let between = &text[item_end(text, *previous, start)..start];
        between.matches('\n').count() > 1
    });
    let gap = if is_loose { "\n\n" } else { "\n" };
    RuleInsertion { offset: item_end(text, *last, body.end()), text: format!("{gap}{line}") }
}

/// The end of an item with its nested lists and paragraphs, without the last line ending.
fn item_end(text: &str, item: Span, limit: usize) -> usize {
    let mut end = item.end();
    let mut offset = end;
    for (number, line) in text[end..limit.max(end)].split_inclusive('\n').enumerate() {
        let is_own = number == 0 || line.starts_with([' ', '\t']);
        if line.trim().is_empty() && number > 0 {
            offset += line.len();
            continue;
        }
        if !is_own {
            break;
        }
        end = offset + line.trim_end_matches(['\n', '\r']).len();
        offset += line.len();
    }
    end
}

/// The list marker of an item with the white space around it; `None` for numbered items and items inside quotes.
fn bullet(text: &str, item: Span) -> Option<&str> {
    let line = &text[line_start(text, item.offset)..item.end()];
    let rest = line.trim_start_matches(' ').strip_prefix(['-', '*', '+'])?;
    let words = rest.trim_start_matches([' ', '\t']);
    (words.len() < rest.len()).then(|| &line[..line.len() - words.len()])
}

fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |at| at + 1)
}

/// Separator between the end of a text and a heading.
fn blank_line(text: &str) -> &'static str {
    let lines = text.trim_end_matches(' ');
    match text {
        "" => "",
        _ if lines.ends_with("\n\n") || lines.ends_with("\n\r\n") => "",
        _ if lines.ends_with('\n') => "\n",
        _ => "\n\n",
    }
}

#[cfg(test)]
#[path = "lesson_rule_tests.rs"]
mod tests;
