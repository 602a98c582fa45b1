//! Commands among the arguments of programs that are not in the table: they may run them.

use super::SimpleCommand;
use super::inner_command::{InnerCommand, SHELLS, subcommand};
use super::word::Word;

/// Programs that treat their arguments as text.
const TEXTS: [&str; 34] = [
    "echo", "printf", "grep", "egrep", "fgrep", "rg", "ag", "ack", "cat", "ls", "which", "type", "man", "apropos",
    "jq", "sed", "test", "[", "history", "canonry", "export", "declare", "local", "set", "read", "basename", "dirname",
    "wc", "cd", "touch", "mkdir", "rm", "cp", "mv",
];
/// Options whose value is a text for people.
const MESSAGES: [&str; 14] = [
    "-m",
    "--message",
    "-t",
    "--title",
    "-b",
    "--body",
    "-n",
    "--notes",
    "-d",
    "--description",
    "--comment",
    "--subject",
    "--data",
    "--json",
];
/// Programs that a guard denies with some arguments.
const GUARDED: [&str; 14] =
    ["rm", "unlink", "shred", "find", "dd", "mkfs", "chmod", "chown", "chgrp", "mv", "sudo", "eval", "git", "env"];
/// The maximum number of commands that are tried.
const TRIES: usize = 8;

/// Lists what a program may run.
pub(super) fn commands(simple: &SimpleCommand) -> Vec<InnerCommand> {
    let Some(program) = simple.program() else { return Vec::new() };
    let sub = subcommand(program, &simple.words[1..]);
    if TEXTS.contains(&program) {
        return Vec::new();
    }
    // The arguments of git's own commands are texts and names, the options before them are settings.
    let end = if program == "git" { simple.words.len() - sub.len() } else { simple.words.len() };
    let mut found = Vec::new();
    for (at, word) in simple.words.iter().enumerate().take(end).skip(1) {
        let before = simple.words[at - 1].text.as_str();
        let is_message = MESSAGES.contains(&before)
            || MESSAGES.iter().any(|name| word.text.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')));
        if is_message {
            continue;
        }
        if found.len() >= TRIES {
            break;
        }
        if word.text.contains(char::is_whitespace) {
            found.extend(lines_in(&word.text).map(|line| InnerCommand::Script(Word::new(line))));
        } else if is_guarded(&word.text) {
            found.push(InnerCommand::Words(simple.words[at..].to_vec()));
        }
    }
    found.truncate(TRIES);
    found
}

/// Lists the texts that a value of a variable may run, such as that of `PAGER`.
pub(super) fn lines_in(text: &str) -> impl Iterator<Item = String> {
    let ends = |c: char| matches!(c, '\'' | '"' | '`' | ')' | '\n' | '\0');
    let begins = |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '`' | '(' | '!' | '=' | ';');
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.char_indices().filter(|(_, c)| begins(*c)).map(|(at, c)| at + c.len_utf8()))
        .collect();
    let lines: Vec<String> = starts
        .into_iter()
        .filter_map(|start| {
            let rest = text.get(start..)?;
            let first = rest.split(|c: char| c.is_whitespace() || ends(c)).next()?;
            if !is_guarded(first) {
                return None;
            }
            let whole = rest.split(ends).next()?;
            (whole.len() > first.len()).then(|| whole.to_owned())
        })
        .take(TRIES)
        .collect();
    lines.into_iter()
}

fn is_guarded(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    GUARDED.contains(&name) || SHELLS.contains(&name) || name.starts_with("mkfs.")
}
