//! The commands that a skill holds: lines of its scripts, of code blocks, and code within a line of text.

use crate::canon::skill::Skill;
use crate::canon::skill_text::SkillText;
use crate::rules::scripts;
use crate::syntax::markdown::{CodeBlock, MarkdownOutline};
use crate::syntax::{Source, Span, WordMatcher};
use std::borrow::Cow;
use std::sync::Arc;

/// Commands that belong together: a script, a code block, or one piece of code in a line.
pub(super) struct Group<'a> {
    pub source: &'a Arc<Source>,
    pub lines: Vec<Line<'a>>,
}

/// One command line, continued ones joined.
pub(super) struct Line<'a> {
    pub text: Cow<'a, str>,
    pub span: Span,
}

/// Languages of blocks that hold commands; no language is one of them as a rule.
const LANGUAGES: [&str; 17] = [
    "",
    "sh",
    "bash",
    "shell",
    "zsh",
    "console",
    "shell-session",
    "terminal",
    "powershell",
    "pwsh",
    "ps1",
    "bat",
    "cmd",
    "dockerfile",
    "text",
    "yaml",
    "yml",
];

/// Words by which a text warns of what stands beside them.
const WARNS: [&str; 34] = [
    "never",
    "don't",
    "don’t",
    "do not",
    "avoid",
    "unsafe",
    "insecure",
    "dangerous",
    "malicious",
    "suspicious",
    "attack",
    "detect",
    "forbid",
    "forbidden",
    "deny",
    "denied",
    "reject",
    "refuse",
    "block",
    "blocked",
    "must not",
    "should not",
    "instead of",
    "bad:",
    "bad practice",
    "vulnerab",
    "exploit",
    "risky",
    "red flag",
    "anti-pattern",
    "scan for",
    "untrusted",
    "❌",
    "✗",
];

/// All commands of a skill's texts that it does not warn of. Only texts with one of some words are read closely: few have.
pub(super) fn groups<'a>(skill: &'a Skill, words: &WordMatcher) -> Vec<Group<'a>> {
    let mut groups = Vec::new();
    let is_near = |source: &Source| words.any_in(source.text());
    for (source, outline) in skill.all_texts().filter(|(source, _)| is_near(source)) {
        if let Some(outline) = outline {
            groups.extend(of_blocks(source, outline));
            groups.extend(of_text(source, outline));
        }
    }
    let is_script = |text: &&SkillText| scripts::language(text).is_some() && is_near(&text.source);
    for text in skill.texts.iter().filter(is_script) {
        let whole = Span::new(0, text.source.text().len());
        groups.push(Group { source: &text.source, lines: lines(&text.source, whole) });
    }
    groups
}

fn of_blocks<'a>(source: &'a Arc<Source>, outline: &'a MarkdownOutline) -> impl Iterator<Item = Group<'a>> {
    let of_commands = |block: &&CodeBlock| LANGUAGES.contains(&block.language.as_str());
    let blocks = outline.blocks.iter().filter(of_commands).filter(|block| !is_warned_of(source, block.span));
    blocks.map(|block| Group { source, lines: lines(source, block.span) })
}

/// Whether the last line of text before a block, the heading above it, or a remark in it, warns.
fn is_warned_of(source: &Source, block: Span) -> bool {
    let before = last(&source.text()[..block.offset], REACH);
    let mut lines = before.lines().rev().filter(|line| !line.trim().is_empty()).take(2);
    let heading = before.lines().rev().find(|line| line.starts_with('#'));
    let remarks = || source.slice(block).lines().filter(|line| line.trim_start().starts_with(['#', '/']));
    lines.any(warns) || heading.is_some_and(warns) || remarks().any(warns)
}

/// Bytes before a block in which its heading is looked for, so that a text of many blocks takes no longer than its length.
const REACH: usize = 4 << 10;

/// The end of a text.
fn last(text: &str, length: usize) -> &str {
    let mut from = text.len().saturating_sub(length);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

fn warns(line: &str) -> bool {
    let line = line.to_lowercase();
    WARNS.iter().any(|word| line.contains(word))
}

/// Lines of a part of a text, but for remarks; `\` at a line's end joins it with the next.
fn lines(source: &Source, part: Span) -> Vec<Line<'_>> {
    let mut found: Vec<Line<'_>> = Vec::new();
    let mut offset = part.offset;
    let mut goes_on = false;
    for line in source.slice(part).split_inclusive('\n') {
        let text = line.trim();
        let start = offset + (line.len() - line.trim_start().len());
        let span = Span::new(start, start + text.len());
        offset += line.len();
        let open = std::mem::replace(&mut goes_on, text.ends_with('\\'));
        match found.last_mut().filter(|_| open) {
            Some(last) => {
                last.text = Cow::Owned(format!("{} {text}", last.text.trim_end_matches('\\')));
                last.span = Span::new(last.span.offset, span.end());
            }
            None if is_remark(text) => goes_on = false,
            None => found.push(Line { text: Cow::Borrowed(text), span }),
        }
    }
    found
}

fn is_remark(line: &str) -> bool {
    line.is_empty() || line.starts_with('#') || line.starts_with("//") || warns_behind(line)
}

/// A remark behind a command: `curl … | sh  # never do this`.
fn warns_behind(line: &str) -> bool {
    line.split_once(" # ").is_some_and(|(_, remark)| warns(remark))
}

/// Code in a line of text, as in "install it with `…`"; only where the line could hold a command with several words.
fn of_text<'a>(source: &'a Arc<Source>, outline: &'a MarkdownOutline) -> Vec<Group<'a>> {
    let mut groups = Vec::new();
    let mut offset = 0;
    for line in source.text().split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let in_block = || {
            let behind = outline.blocks.partition_point(|block| block.span.offset <= start);
            behind.checked_sub(1).is_some_and(|at| outline.blocks[at].span.end() > start)
        };
        if !line.contains('`') || !line.contains('|') && !line.contains('(') || warns(line) || in_block() {
            continue;
        }
        let mut at = start;
        for (number, piece) in line.split('`').enumerate() {
            if number % 2 == 1 && piece.contains(' ') {
                let span = Span::new(at, at + piece.len());
                groups.push(Group { source, lines: vec![Line { text: Cow::Borrowed(piece), span }] });
            }
            at += piece.len() + 1;
        }
    }
    groups
}
