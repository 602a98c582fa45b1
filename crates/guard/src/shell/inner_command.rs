//! A command within another one, and helpers for the words of a command.

use super::word::Word;
use crate::subcommands;

/// A command that another command runs.
#[derive(Clone, Debug)]
pub(super) enum InnerCommand {
    /// A program with its arguments.
    Words(Vec<Word>),
    /// A command line in a subshell.
    Script(Word),
    /// A command line in a subshell with positional parameters, counted from 0.
    ScriptWith(Word, Vec<Word>),
    /// A command line in the same shell.
    SameShell(Word),
    /// A file with commands, and its arguments.
    File(Word, Vec<Word>),
    /// An unknown command, with the reason.
    Unknown(&'static str),
}

/// Shells with POSIX syntax or something close to it.
pub(crate) const SHELLS: [&str; 9] = ["sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "rbash", "fish"];

/// Skips options.
pub(super) fn after_options<'w>(words: &'w [Word], takes: &[&str]) -> &'w [Word] {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.text.starts_with('-')) {
        at += 1;
        if word.text == "--" {
            break;
        }
        at += usize::from(takes.contains(&word.text.as_str()));
    }
    words.get(at..).unwrap_or_default()
}

/// Skips the options before the subcommand.
pub(super) fn subcommand<'w>(program: &str, words: &'w [Word]) -> &'w [Word] {
    &words[subcommands::start(program, words.iter().map(|word| word.text.as_str()))..]
}

pub(super) fn joined(words: &[Word]) -> Option<Word> {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    (!texts.is_empty()).then(|| Word::new(texts.join(" ")))
}
