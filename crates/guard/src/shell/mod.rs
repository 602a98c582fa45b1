//! Parser for shell command lines: the simple commands with their words and redirections, and what cannot be known
//! without running them.
//!
//! brush-parser supplies the grammar. This module expands words as a shell would (quotes and escapes removed, braces and
//! known variables substituted) and marks everything else as unknown.

mod escapes;
mod inner_command;
mod limits;
mod output;
mod possible;
mod read;
mod tree;
mod word;
#[cfg(test)]
mod work_tests;
mod wrapper_table;
mod wrappers;

use std::ops::Range;

pub(super) use inner_command::SHELLS;
pub(super) use output::{find_starts, found, selects};
pub use word::Word;
pub(super) use wrappers::argument_file;

/// The stack of a thread that reads a command line. The parser recurses for each bracket.
pub const STACK: usize = 64 << 20;

/// The opening tokens of a text that any thread has the stack for.
const SHALLOW: usize = 4;

/// Parses a command line. `cwd` is the folder it runs in, see [`SimpleCommand::cwd`]. The caller has a stack of [`STACK`].
pub fn read(text: &str, cwd: Option<&str>) -> Script {
    let mut reader = read::ShellReader::new(cwd);
    reader.script(text);
    reader.finish()
}

/// Parses a script on any thread.
pub fn read_script(text: &str) -> Script {
    if limits::openings(text) <= SHALLOW {
        return read(text, Some("/"));
    }
    let unread = || Script { doubts: vec!["it cannot be parsed".to_owned()], ..Script::default() };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || read(text, Some("/")));
        thread.ok().and_then(|thread| thread.join().ok()).unwrap_or_else(unread)
    })
}

/// A parsed command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The simple commands in order, including those in substitutions and those run by `sudo` and `sh -c`.
    pub commands: Vec<SimpleCommand>,
    /// Messages about parts that cannot be analysed.
    pub doubts: Vec<String>,
}

/// A simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimpleCommand {
    /// The program and its arguments; empty if it only sets variables or opens files.
    pub words: Vec<Word>,
    /// The variables that are set for it.
    pub sets: Vec<String>,
    /// The files that it opens by redirection.
    pub redirects: Vec<Redirect>,
    pub input: Stdin,
    /// The folder it runs in; `None` if unknown.
    pub cwd: Option<String>,
    /// The commands that are substituted in its words, as indices into the script.
    pub holds: Vec<usize>,
    /// Whether it only runs another command, which follows in the script.
    pub wraps: bool,
    /// Whether the program is a function that this command line defines.
    pub is_function: bool,
    /// Whether it is only an argument of a program that may run it.
    pub is_possible: bool,
    /// The lines of the text that contain it, counted from 0. A command in another one has the lines of the outer one.
    pub lines: Range<usize>,
}

/// A file that is opened by redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    pub writes: bool,
    pub target: Word,
}

/// The source of a command's stdin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Stdin {
    /// The stdin of the caller.
    #[default]
    Inherited,
    /// The output of earlier commands, as indices into the script.
    Pipe(Vec<usize>),
    Text(String),
}

impl SimpleCommand {
    /// Returns the name of the program without its folder; `None` if it is unknown or there is none.
    pub fn program(&self) -> Option<&str> {
        let word = self.words.first().filter(|word| word.is_known())?;
        Some(word.text.rsplit('/').next().unwrap_or(&word.text))
    }

    pub fn shown(&self) -> String {
        let redirects =
            self.redirects.iter().map(|r| format!("{} {}", if r.writes { ">" } else { "<" }, r.target.shown()));
        let words = self.words.iter().map(Word::shown);
        self.sets.iter().map(|name| format!("{name}=…")).chain(words).chain(redirects).collect::<Vec<_>>().join(" ")
    }
}
