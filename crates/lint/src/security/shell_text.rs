//! The texts that a shell may run: commands of tool files, scripts, code blocks, and code in a sentence.

use crate::scripts;
use canonry_guard::shell::{self, Script, SimpleCommand};
use canonry_model::canon::agent_text::AgentText;
use canonry_model::canon::script::ScriptLanguage;
use canonry_model::canon::skill::Skill;
use canonry_model::canon::tool_file::{ToolFile, command_lines};
use canonry_text::markdown::{CodeBlock, MarkdownOutline};
use canonry_text::{Source, Span, WordMatcher};
use std::borrow::Cow;
use std::sync::Arc;

/// Who runs a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runner {
    /// A tool by itself: a hook, an MCP server, or a command that it replaces by its output.
    Tool,
    /// Whoever runs the script.
    Script,
    /// An agent that follows a code block.
    Block,
    /// Nobody by itself: code in a sentence, blocks of text, and strings of programs.
    Mention,
}

/// A text that a shell may run.
pub(super) struct ShellText<'a> {
    pub source: &'a Arc<Source>,
    /// Its place in the source.
    span: Span,
    text: Cow<'a, str>,
    /// Whether each line of the text is a line of the source.
    has_lines: bool,
    /// Whether the whole is one script, and not only each line a command.
    is_script: bool,
    pub runner: Runner,
}

/// The commands of a text, as the guard reads them.
pub(super) struct ReadText<'a> {
    pub source: &'a Arc<Source>,
    pub runner: Runner,
    pub script: Script,
    span: Span,
    has_lines: bool,
}

impl<'a> ShellText<'a> {
    fn new(source: &'a Arc<Source>, span: Span, runner: Runner) -> Self {
        Self { source, span, text: Cow::Borrowed(source.slice(span)), has_lines: true, is_script: true, runner }
    }

    /// Reads the text as one script, or each line by itself if that fails.
    pub fn read(&self) -> Vec<ReadText<'a>> {
        let ReadText { source, runner, .. } = self.whole(Script::default());
        if self.is_script {
            let script = shell::read_script(&self.text);
            if !script.commands.is_empty() {
                return vec![self.whole(script)];
            }
        }
        let mut read = Vec::new();
        let mut start = self.span.offset;
        for line in joined_lines(&self.text) {
            let written = Span::new(start, (start + line.len()).min(self.span.end()));
            start += line.len();
            let script = shell::read_script(command_in(line));
            if !script.commands.is_empty() {
                let span = if self.has_lines { written } else { self.span };
                read.push(ReadText { source, runner, script, span, has_lines: false });
            }
        }
        read
    }

    fn whole(&self, script: Script) -> ReadText<'a> {
        let Self { source, span, has_lines, runner, .. } = *self;
        ReadText { source, runner, script, span, has_lines }
    }
}

impl ReadText<'_> {
    /// The place of a command in the source.
    pub fn span_of(&self, command: &SimpleCommand) -> Span {
        let text = self.source.slice(self.span);
        if !self.has_lines {
            return trimmed(text, self.span.offset, 0..text.len());
        }
        let mut ends = vec![0];
        ends.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        ends.push(text.len());
        let at = |line: usize| ends.get(line).copied().unwrap_or(text.len());
        trimmed(text, self.span.offset, at(command.lines.start)..at(command.lines.end.max(command.lines.start + 1)))
    }
}

/// A part of a text without the whitespace around it.
fn trimmed(text: &str, offset: usize, part: std::ops::Range<usize>) -> Span {
    let slice = &text[part.start..part.end.max(part.start)];
    let start = part.start + (slice.len() - slice.trim_start().len());
    Span::new(offset + start, offset + start + slice.trim().len())
}

/// The lines of a text; a `\` at the end of a line joins it with the next.
fn joined_lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end().ends_with('\\') {
            lines.push(&text[start..end]);
            start = end;
        }
    }
    lines.push(&text[start..end]);
    lines
}

/// The command in a line of a configuration: `- run: "…"`, `"command": "…",`, `RUN …`.
fn command_in(line: &str) -> &str {
    let mut line = line.trim();
    line = line.strip_prefix("- ").unwrap_or(line).trim_start();
    if let Some((key, rest)) = line.split_once(char::is_whitespace)
        && (key.ends_with(':') && !key.contains("://") || matches!(key, "RUN" | "CMD" | "ENTRYPOINT"))
    {
        line = rest.trim_start();
    }
    let value = line.trim_end_matches(',');
    let unquoted = ['"', '\'', '`'].iter().find_map(|quote| {
        let inner = value.strip_prefix(*quote)?.strip_suffix(*quote)?;
        (!inner.contains(*quote)).then_some(inner)
    });
    unquoted.unwrap_or(line)
}

/// The texts of a skill with one of these words.
pub(super) fn of_skill<'a>(skill: &'a Skill, words: &'static WordMatcher) -> Vec<ShellText<'a>> {
    let mut found = Vec::new();
    for (source, outline) in skill.all_texts().filter(|(source, _)| has_word(source.text(), words)) {
        found.extend(outline.into_iter().flat_map(|outline| of_markdown(source, outline, words)));
    }
    for text in skill.texts.iter().filter(|text| has_word(text.source.text(), words)) {
        if let Some(language) = scripts::language(text) {
            let whole = Span::new(0, text.source.text().len());
            found.extend(of_code(&text.source, whole, language, Runner::Script, words));
        }
    }
    found
}

/// The texts of a context file or tool file with one of these words.
pub(super) fn of_agent_text<'a>(text: &'a AgentText, words: &'static WordMatcher) -> Vec<ShellText<'a>> {
    match &text.outline {
        Some(outline) if has_word(text.source.text(), words) => of_markdown(&text.source, outline, words),
        _ => Vec::new(),
    }
}

/// The commands of a tool file with one of these words.
pub(super) fn of_tool_file<'a>(file: &'a ToolFile, words: &'static WordMatcher) -> Vec<ShellText<'a>> {
    let Some(source) = file.document.as_ref().ok().filter(|source| has_word(source.text(), words)) else {
        return Vec::new();
    };
    let lines = command_lines(file).into_iter().filter(|line| has_word(&line.text, words));
    let text = |line: canonry_model::canon::tool_file::CommandLine| ShellText {
        text: Cow::Owned(line.text),
        has_lines: false,
        ..ShellText::new(source, line.span, Runner::Tool)
    };
    lines.map(text).collect()
}

/// The code blocks of a Markdown text, and the code in its sentences.
fn of_markdown<'a>(
    source: &'a Arc<Source>,
    outline: &'a MarkdownOutline,
    words: &'static WordMatcher,
) -> Vec<ShellText<'a>> {
    let mut found = Vec::new();
    for block in outline.blocks.iter().filter(|block| has_word(source.slice(block.span), words)) {
        found.extend(of_block(source, block, words));
    }
    found.extend(inline_code(source, outline, words));
    found.extend(comments(source, outline, words));
    found
}

/// The commands in HTML comments: an agent reads them, a rendered page hides them.
fn comments<'a>(
    source: &'a Arc<Source>,
    outline: &'a MarkdownOutline,
    words: &'static WordMatcher,
) -> impl Iterator<Item = ShellText<'a>> {
    let comments = outline.comments.iter().filter(move |comment| has_word(source.slice(**comment), words));
    comments.map(move |comment| {
        let text = source.slice(*comment);
        let start = comment.offset + (text.len() - text.trim_start_matches("<!--").len());
        let end = (comment.end() - (text.len() - text.trim_end_matches("-->").len())).max(start);
        ShellText { is_script: false, ..ShellText::new(source, Span::new(start, end), Runner::Block) }
    })
}

fn of_block<'a>(source: &'a Arc<Source>, block: &CodeBlock, words: &'static WordMatcher) -> Vec<ShellText<'a>> {
    let content = content_of(source, block.span);
    match block.language.as_str() {
        // Claude Code replaces these by their output: <https://code.claude.com/docs/en/skills>.
        "!" => vec![ShellText::new(source, content, Runner::Tool)],
        "text" | "txt" | "markdown" | "md" | "mdx" | "html" | "diff" | "log" | "output" => {
            vec![ShellText { is_script: false, ..ShellText::new(source, content, Runner::Mention) }]
        }
        "yaml" | "yml" | "json" | "jsonc" | "json5" | "toml" | "dockerfile" | "docker" | "ini" => {
            vec![ShellText { is_script: false, ..ShellText::new(source, content, Runner::Block) }]
        }
        name => match ScriptLanguage::of_block(name) {
            Some(ScriptLanguage::Shell) => {
                vec![ShellText {
                    text: without_prompts(source.slice(content)),
                    ..ShellText::new(source, content, Runner::Block)
                }]
            }
            Some(language) => of_code(source, content, language, Runner::Block, words),
            None => Vec::new(),
        },
    }
}

/// The lines of a code block between its fences.
fn content_of(source: &Source, block: Span) -> Span {
    let text = source.slice(block);
    let is_fence = |line: &str| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
    let first = text.split_inclusive('\n').next().filter(|line| is_fence(line)).map_or(0, str::len);
    let last = text[first..].split_inclusive('\n').next_back().filter(|line| first > 0 && is_fence(line));
    Span::new(block.offset + first, block.end() - last.map_or(0, str::len))
}

/// A transcript of a terminal with its commands only: the lines after a prompt, if there are any.
fn without_prompts(text: &str) -> Cow<'_, str> {
    let has_prompt = |line: &str| line.trim_start().starts_with("$ ");
    if !text.lines().any(has_prompt) {
        return Cow::Borrowed(text);
    }
    let mut commands = String::with_capacity(text.len());
    let mut is_continued = false;
    for line in text.split_inclusive('\n') {
        if has_prompt(line) {
            commands.push_str(line.trim_start().trim_start_matches("$ "));
        } else if is_continued {
            commands.push_str(line);
        } else if line.ends_with('\n') {
            commands.push('\n');
        }
        is_continued = (is_continued || has_prompt(line)) && line.trim_end().ends_with('\\');
    }
    Cow::Owned(commands)
}

/// The commands of a script or a code block.
fn of_code<'a>(
    source: &'a Arc<Source>,
    span: Span,
    language: ScriptLanguage,
    runner: Runner,
    words: &'static WordMatcher,
) -> Vec<ShellText<'a>> {
    let whole = ShellText::new(source, span, runner);
    match language {
        ScriptLanguage::Shell => vec![whole],
        // Where a shell needs `$(…)`, PowerShell needs only the parentheses.
        ScriptLanguage::PowerShell => vec![ShellText { text: Cow::Owned(whole.text.replace(" (", " $(")), ..whole }],
        ScriptLanguage::Batch => vec![ShellText { is_script: false, ..whole }],
        // Whether a program runs a string is not known without running it.
        _ => strings(source, span, words),
    }
}

pub(super) fn is_comment(code: &str) -> bool {
    ["#", "//", "*", "/*"].iter().any(|start| code.trim_start().starts_with(start))
}

/// The strings of a program that may be commands: those with one of the words.
fn strings<'a>(source: &'a Arc<Source>, part: Span, words: &'static WordMatcher) -> Vec<ShellText<'a>> {
    let mut found = Vec::new();
    let mut start = part.offset;
    for line in source.slice(part).split_inclusive('\n') {
        if has_word(line, words) && !is_comment(line) {
            for string in strings_of(line) {
                let span = Span::new(start + string.start, start + string.end);
                if has_word(source.slice(span), words) {
                    found.push(ShellText::new(source, span, Runner::Mention));
                }
            }
        }
        start += line.len();
    }
    found
}

/// The contents of the strings in a line.
fn strings_of(line: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, char)> = None;
    for (at, c) in line.char_indices() {
        match open {
            Some((start, quote)) if quote == c => {
                found.push(start..at);
                open = None;
            }
            None if ['"', '\'', '`'].contains(&c) => open = Some((at + 1, c)),
            _ => {}
        }
    }
    found
}

/// The code in the sentences of a Markdown text.
fn inline_code<'a>(
    source: &'a Arc<Source>,
    outline: &MarkdownOutline,
    words: &'static WordMatcher,
) -> Vec<ShellText<'a>> {
    let in_block = |at: usize| {
        let index = outline.blocks.partition_point(|block| block.span.offset <= at);
        index.checked_sub(1).is_some_and(|index| outline.blocks[index].span.end() > at)
    };
    let mut found = Vec::new();
    let mut start = 0;
    for line in source.text().split_inclusive('\n') {
        if line.contains('`') && has_word(line, words) && !in_block(start) {
            let mut at = start;
            for (number, piece) in line.split('`').enumerate() {
                if number % 2 == 1 && piece.contains(' ') {
                    // Claude Code replaces `` !`command` `` by the output of the command.
                    let is_run = source.text()[..at - 1].ends_with('!');
                    let runner = if is_run { Runner::Tool } else { Runner::Mention };
                    found.push(ShellText::new(source, Span::new(at, at + piece.len()), runner));
                }
                at += piece.len() + 1;
            }
        }
        start += line.len();
    }
    found
}

/// Whether a text contains one of the words, and not only as a part of another word or of an address.
fn has_word(text: &str, words: &'static WordMatcher) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '/' | '.');
    words.all_in(text).any(|(at, word)| {
        let before = text[..at].trim_end_matches('/');
        !before.ends_with(|c: char| is_part(c) && c != ':') && !text[at + word.len()..].starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_configurations_contain_commands() {
        for (line, want) in [
            ("  - run: \"a | b\"", "a | b"),
            ("\"command\": \"a | b\",", "a | b"),
            ("RUN a | b", "a | b"),
            ("a | b", "a | b"),
            ("- a | b", "a | b"),
            ("https://x.example a", "https://x.example a"),
        ] {
            assert_eq!(command_in(line), want, "{line}");
        }
    }

    #[test]
    fn prompts_tell_commands_from_output() {
        assert_eq!(without_prompts("ls\nls\n"), "ls\nls\n");
        assert_eq!(without_prompts("$ a \\\n  b\nout\n  $ c"), "a \\\n  b\n\nc");
    }
}
