//! The commands in a skill: lines of its scripts and code blocks, and inline code.

use crate::canon::skill::Skill;
use crate::canon::skill::SkillText;
use crate::rules::scripts;
use crate::syntax::markdown::{CodeBlock, MarkdownOutline};
use crate::syntax::{RepoPath, Source, Span, WordMatcher};
use std::borrow::Cow;
use std::sync::Arc;

/// Commands that belong together: a script, a code block, or inline code.
pub(super) struct CommandGroup<'a> {
    pub source: &'a Arc<Source>,
    pub lines: Vec<CommandLine<'a>>,
}

/// A command line, with continuation lines joined.
pub(super) struct CommandLine<'a> {
    pub text: Cow<'a, str>,
    pub span: Span,
}

/// Languages of code blocks with commands. A block without a language usually contains commands too.
const COMMAND_LANGUAGES: [&str; 17] = [
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

/// Words that warn of the commands next to them.
const WARNING_WORDS: [&str; 34] = [
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

/// All commands in a skill's texts that the text does not warn of. Skips groups without one of `words`, which are most.
pub(super) fn groups<'a>(skill: &'a Skill, words: &'a WordMatcher) -> Vec<CommandGroup<'a>> {
    let mut groups = Vec::new();
    let is_candidate = |source: &Source| words.any_in(source.text());
    for (source, outline) in skill.all_texts().filter(|(source, _)| is_candidate(source)) {
        if let Some(outline) = outline {
            groups.extend(block_commands(source, outline, words));
            groups.extend(inline_commands(source, outline, words));
        }
    }
    let is_script = |text: &&SkillText| {
        scripts::language(text).is_some() && is_candidate(&text.source) && !is_unused_test(skill, text)
    };
    for text in skill.texts.iter().filter(is_script) {
        let whole = Span::new(0, text.source.text().len());
        let mut lines = lines(&text.source, whole);
        // Other languages have commands in strings, and so do texts about attacks.
        if scripts::language(text) != Some(scripts::Language::Shell) {
            remove_listed_strings(&mut lines);
            lines.retain(|line| !warns(&line.text));
        }
        groups.push(CommandGroup { source: &text.source, lines });
    }
    groups
}

/// Whether a script is a test that neither `SKILL.md` nor a script names. Tests of a scanner contain what it looks for.
fn is_unused_test(skill: &Skill, script: &SkillText) -> bool {
    let is_test =
        |path: &RepoPath| is_test(&path.below(&skill.folder.path).map(ToString::to_string).unwrap_or_default());
    let is_named = || {
        let name = script.source.path().file_name_lossy();
        let is_script = |text: &&SkillText| scripts::language(text).is_some() && !is_test(text.source.path());
        let mut sources =
            skill.source().into_iter().chain(skill.texts.iter().filter(is_script).map(|text| &text.source));
        sources.any(|source| source.text().contains(&name))
    };
    is_test(script.source.path()) && !is_named()
}

/// Matches `tests/run.sh`, `src/__tests__/a.ts`, `a.test.ts`, `test_a.py` and `a_test.go`.
fn is_test(path: &str) -> bool {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let mut parts = name.split('.');
    let stem = parts.next().unwrap_or_default();
    folders.split('/').any(|folder| matches!(folder, "test" | "tests" | "__tests__" | "spec" | "specs"))
        || parts.any(|part| matches!(part, "test" | "spec"))
        || stem.starts_with("test_")
        || stem.ends_with("_test")
}

/// Calls that run a text.
const PROCESS_CALLS: [&str; 14] = [
    "exec(",
    "execsync(",
    "execfile(",
    "execfilesync(",
    "execa(",
    "eval(",
    "spawn(",
    "spawnsync(",
    "subprocess.",
    "subprocess import",
    "popen(",
    "system(",
    "new function(",
    "deno.command",
];

/// Whether a line of a script can run a text. Calls in strings and comments, such as the patterns of a scanner, do not count.
pub(super) fn starts_process(line: &str) -> bool {
    let code = outside_strings(line).to_lowercase();
    let is_comment = ["#", "//", "*", "/*"].iter().any(|start| code.trim_start().starts_with(start));
    // `pattern.exec(text)` searches a text.
    let is_call = |(at, call): (usize, &str)| call != "exec(" || !code[..at].ends_with('.');
    !is_comment && PROCESS_CALLS.iter().any(|call| code.match_indices(call).any(is_call))
}

/// A line of a script without the contents of its strings.
fn outside_strings(line: &str) -> String {
    let mut quote = None;
    let keep = |c: &char| match quote {
        Some(open) => {
            quote = quote.filter(|_| *c != open);
            false
        }
        None => {
            quote = ['"', '\'', '`'].contains(c).then_some(*c);
            true
        }
    };
    line.chars().filter(keep).collect()
}

/// Removes strings that are elements of a list, such as the patterns of a scanner, if the script starts no processes that
/// could run them.
fn remove_listed_strings(lines: &mut Vec<CommandLine<'_>>) {
    let is_listed = listed_strings(lines);
    let runs = lines.iter().zip(&is_listed).any(|(line, is_listed)| !is_listed && starts_process(&line.text));
    if !runs {
        let mut is_listed = is_listed.into_iter();
        lines.retain(|_| !is_listed.next().unwrap_or_default());
    }
}

/// For each line, whether it is a string in a list.
fn listed_strings(lines: &[CommandLine<'_>]) -> Vec<bool> {
    let mut is_in_list = false;
    let is_listed = |line: &CommandLine<'_>| {
        let text = line.text.trim_end_matches(',');
        let is_string = ['"', '\'', '`'].iter().any(|quote| {
            // A key with a value is no element.
            let inner = text.strip_prefix(*quote).and_then(|rest| rest.strip_suffix(*quote));
            inner.is_some_and(|inner| !inner.contains(*quote))
        });
        if !is_string {
            // A list that is an argument of a call may be run.
            is_in_list = text.ends_with(['[', '{']) && !text.ends_with("([") && !text.ends_with("({");
        }
        is_string && is_in_list
    };
    lines.iter().map(is_listed).collect()
}

fn block_commands<'a>(
    source: &'a Arc<Source>,
    outline: &'a MarkdownOutline,
    words: &'a WordMatcher,
) -> impl Iterator<Item = CommandGroup<'a>> {
    let has_commands = |block: &&CodeBlock| {
        COMMAND_LANGUAGES.contains(&block.language.as_str()) && words.any_in(source.slice(block.span))
    };
    let blocks = outline.blocks.iter().filter(has_commands).filter(|block| !is_discouraged(source, block.span));
    blocks.map(|block| CommandGroup { source, lines: lines(source, block.span) })
}

/// Whether the lines before a block, the heading above it, or a comment in it contain a warning.
fn is_discouraged(source: &Source, block: Span) -> bool {
    let before = tail(&source.text()[..block.offset], HEADING_WINDOW);
    let mut lines = before.lines().rev().filter(|line| !line.trim().is_empty()).take(2);
    let heading = before.lines().rev().find(|line| line.starts_with('#'));
    let comments = || source.slice(block).lines().filter(|line| line.trim_start().starts_with(['#', '/']));
    lines.any(warns) || heading.is_some_and(warns) || comments().any(warns)
}

/// Bytes before a block that are searched for its heading, so that the total time stays linear.
const HEADING_WINDOW: usize = 4 << 10;

/// The last `length` bytes of a text, from a character boundary.
fn tail(text: &str, length: usize) -> &str {
    let mut from = text.len().saturating_sub(length);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

fn warns(line: &str) -> bool {
    let line = line.to_lowercase();
    WARNING_WORDS.iter().any(|word| line.contains(word))
}

/// The lines of a part of a text, without comments. A `\` at the end of a line joins it with the next.
fn lines(source: &Source, part: Span) -> Vec<CommandLine<'_>> {
    let mut found: Vec<CommandLine<'_>> = Vec::new();
    let mut offset = part.offset;
    let mut is_continued = false;
    for line in source.slice(part).split_inclusive('\n') {
        let text = line.trim();
        let start = offset + (line.len() - line.trim_start().len());
        let span = Span::new(start, start + text.len());
        offset += line.len();
        let was_continued = std::mem::replace(&mut is_continued, text.ends_with('\\'));
        match found.last_mut().filter(|_| was_continued) {
            Some(last) => {
                last.text = Cow::Owned(format!("{} {text}", last.text.trim_end_matches('\\')));
                last.span = Span::new(last.span.offset, span.end());
            }
            None if is_comment(text) => is_continued = false,
            None => found.push(CommandLine { text: Cow::Borrowed(text), span }),
        }
    }
    found
}

fn is_comment(line: &str) -> bool {
    line.is_empty() || line.starts_with('#') || line.starts_with("//") || has_trailing_warning(line)
}

/// Whether a comment after the command warns: `curl … | sh  # never do this`.
fn has_trailing_warning(line: &str) -> bool {
    line.split_once(" # ").is_some_and(|(_, comment)| warns(comment))
}

/// Inline code, as in "install it with `…`", in lines that may contain a command with several words.
fn inline_commands<'a>(
    source: &'a Arc<Source>,
    outline: &'a MarkdownOutline,
    words: &'a WordMatcher,
) -> Vec<CommandGroup<'a>> {
    let mut groups = Vec::new();
    for (start, line) in lines_with(source.text(), words) {
        let in_block = || {
            let index = outline.blocks.partition_point(|block| block.span.offset <= start);
            index.checked_sub(1).is_some_and(|at| outline.blocks[at].span.end() > start)
        };
        if !line.contains('`') || !line.contains('|') && !line.contains('(') || in_block() || warns(line) {
            continue;
        }
        let mut at = start;
        for (number, piece) in line.split('`').enumerate() {
            if number % 2 == 1 && piece.contains(' ') {
                let span = Span::new(at, at + piece.len());
                groups.push(CommandGroup { source, lines: vec![CommandLine { text: Cow::Borrowed(piece), span }] });
            }
            at += piece.len() + 1;
        }
    }
    groups
}

/// The lines that contain one of the words, with their offsets.
fn lines_with<'a>(text: &'a str, words: &'a WordMatcher) -> impl Iterator<Item = (usize, &'a str)> {
    // Each line is looked at once, however often it contains the words.
    let mut done = 0;
    words.all_in(text).filter_map(move |(at, _)| {
        if at < done {
            return None;
        }
        let start = text[done..at].rfind('\n').map_or(done, |newline| done + newline + 1);
        let line = text[start..].split_inclusive('\n').next()?;
        done = start + line.len();
        Some((start, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_outside_of_strings_start_processes() {
        for (line, want) in [
            ("execSync(commands.join(' && '))", true),
            ("  subprocess.run(command, shell=True)", true),
            ("from subprocess import run", true),
            ("const child = spawn('sh', ['-c', line])", true),
            ("exec(command, done)", true),
            ("const found = pattern.exec(text)", false),
            ("  'eval(atob(encoded))',", false),
            ("    pattern: /(?:os\\.system|os\\.popen|subprocess\\.run)\\s*\\(/i,", false),
            ("description: \"Node's child_process and exec() calls\",", false),
            ("# never call os.system(text)", false),
            ("// eval(text) is dangerous", false),
        ] {
            assert_eq!(starts_process(line), want, "{line}");
        }
    }
}
