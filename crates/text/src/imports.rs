//! `@path` mentions in context files, which Claude Code and Gemini CLI replace with the text of the file.
//!
//! Both recognise a path only at the start of a text or after white space, and only outside of code. Claude Code
//! accepts `\ ` for a space in the path. This module does not decide whether a mention is a path: it may be a name, a
//! package or a decorator.

use super::Span;
use pulldown_cmark::{Event, Parser, Tag};
use std::ops::Range;

/// An `@` and the word after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportMention {
    /// The word with escapes resolved, without trailing punctuation and without a `#fragment`.
    pub path: String,
    /// The word as written, including the `@`.
    pub span: Span,
}

/// The mentions outside of code and comments, in order. The body starts at byte `offset` of its file; spans count from
/// the start of the file.
pub fn mentions(body: &str, offset: usize) -> Vec<ImportMention> {
    if !body.contains('@') {
        return Vec::new();
    }
    let hidden = hidden(body);
    let starts = body.match_indices('@').map(|(at, _)| at).filter(|at| stands_free(body, *at));
    // The ranges are sorted and disjoint.
    let is_hidden = |at: &usize| hidden.get(hidden.partition_point(|r| r.end <= *at)).is_some_and(|r| r.contains(at));
    let shown = starts.filter(|at| !is_hidden(at));
    shown.filter_map(|at| mention(body, at)).map(|m| ImportMention { span: m.span.shifted(offset), ..m }).collect()
}

fn stands_free(body: &str, at: usize) -> bool {
    body[..at].chars().next_back().is_none_or(char::is_whitespace)
}

/// The ranges of code and HTML comments.
fn hidden(body: &str) -> Vec<Range<usize>> {
    let mut hidden = Vec::new();
    for (event, range) in Parser::new(body).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_)) | Event::Code(_) => hidden.push(range),
            Event::Start(Tag::HtmlBlock) => hidden.extend(hidden_in_html(body, range)),
            Event::InlineHtml(html) if html.starts_with("<!--") => hidden.push(range),
            _ => {}
        }
    }
    hidden
}

/// Markdown does not parse the content of HTML blocks such as `<example>`, but people write code in them.
fn hidden_in_html(body: &str, block: Range<usize>) -> Vec<Range<usize>> {
    const PAIRS: [(&str, &str); 2] = [("<!--", "-->"), ("```", "```")];
    let mut hidden = Vec::new();
    let mut at = block.start;
    loop {
        let rest = &body[at..block.end];
        let first = PAIRS.iter().filter_map(|(open, close)| Some((rest.find(open)?, open, close))).min();
        let Some((start, open, close)) = first else { return hidden };
        let inside = start + open.len();
        let end = rest[inside..].find(close).map_or(rest.len(), |found| inside + found + close.len());
        hidden.push(at + start..at + end);
        at += end;
    }
}

fn mention(body: &str, at: usize) -> Option<ImportMention> {
    let mut path = String::new();
    let mut chars = body[at + 1..].char_indices().peekable();
    let mut end = at + 1;
    while let Some((from, c)) = chars.next() {
        let blank = if c == '\\' { chars.next_if(|(_, next)| *next == ' ') } else { None };
        if blank.is_none() && c.is_whitespace() {
            break;
        }
        path.push(if blank.is_some() { ' ' } else { c });
        end = at + 1 + from + c.len_utf8() + usize::from(blank.is_some());
    }
    let trimmed = path.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}', '>', '"', '\'', '*', '_', '|']);
    let end = end - (path.len() - trimmed.len());
    let path = trimmed.split('#').next().expect("split is never empty");
    (!path.is_empty()).then(|| ImportMention { path: path.to_owned(), span: Span::new(at, end) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(body: &str) -> Vec<(String, &str)> {
        mentions(body, 0).into_iter().map(|m| (m.path, &body[m.span.range()])).collect()
    }

    #[test]
    fn finds_mentions() {
        for (body, want) in [
            ("@AGENTS.md", vec![("AGENTS.md", "@AGENTS.md")]),
            ("See @./a.md, then @b.md.\n", vec![("./a.md", "@./a.md"), ("b.md", "@b.md")]),
            ("@docs/my\\ notes.md#part x", vec![("docs/my notes.md", "@docs/my\\ notes.md#part")]),
            ("- **@a.md**\n", vec![]),
            ("- @é.md\n", vec![("é.md", "@é.md")]),
            ("mail jane@example.com, (@a.md), \\@b.md, @ c", vec![]),
            ("`@a.md` ``@b.md`` <!-- @c.md -->\n\n```\n@d.md\n```\n\n    @e.md\n\n<!--\n@f.md\n-->\n", vec![]),
            ("<example>\n@a.md\n</example>\n", vec![("a.md", "@a.md")]),
            ("<example>\n```\n@a.md\n```\n<!-- @b.md -->\n@c.md\n", vec![("c.md", "@c.md")]),
        ] {
            let want: Vec<(String, &str)> = want.into_iter().map(|(path, text)| (path.to_owned(), text)).collect();
            assert_eq!(found(body), want, "{body:?}");
        }
        assert_eq!(mentions("x @a.md", 100)[0].span, Span::new(102, 107));
    }
}
