//! Parser for shell command lines: the simple commands with their words and redirections, and what cannot be known
//! without running them.
//!
//! brush-parser supplies the grammar. This module expands words as a shell would (quotes and escapes removed, braces and
//! known variables substituted) and marks everything else as unknown.

mod read;
mod tree;
mod word;
mod wrappers;

pub use word::Word;
pub(super) use wrappers::SHELLS;

/// Takes a command line apart. `cwd` is the folder it runs in, as [`Simple::cwd`] tells it.
pub fn read(text: &str, cwd: Option<&str>) -> Script {
    let mut reader = read::Reader::new(cwd);
    reader.script(text);
    reader.finish()
}

/// What a command line runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Its simple commands in the order in which they stand, those in substitutions and behind `sudo` and `sh -c` too.
    pub commands: Vec<Simple>,
    /// What of it cannot be read, each with the reason.
    pub doubts: Vec<String>,
}

/// A simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simple {
    /// The program and its arguments; none where it only sets variables or opens files.
    pub words: Vec<Word>,
    /// The variables that are set for it.
    pub sets: Vec<String>,
    /// Files that it opens by redirection.
    pub redirects: Vec<Redirect>,
    /// What comes to it on stdin.
    pub input: Input,
    /// The folder that it runs in; `None` where that cannot be known.
    pub cwd: Option<String>,
    /// The commands that are substituted in its words, by their places in the script.
    pub holds: Vec<usize>,
    /// Whether it only runs another command, which follows it.
    pub wraps: bool,
    /// Whether the program is a function that this command line defines.
    pub is_function: bool,
}

/// A file that is opened by redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// Whether it is written.
    pub writes: bool,
    /// Its name.
    pub target: Word,
}

/// What comes to a command on stdin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Input {
    /// Whatever the caller gives.
    #[default]
    Inherited,
    /// What the commands before it in a pipeline print, by their places in the script.
    Pipe(Vec<usize>),
    /// This text.
    Text(String),
}

impl Simple {
    /// The program's name without its folder; `None` where it cannot be known, or where there is none.
    pub fn program(&self) -> Option<&str> {
        let word = self.words.first().filter(|word| word.is_known())?;
        Some(word.text.rsplit('/').next().unwrap_or(&word.text))
    }

    /// As a person reads it.
    pub fn shown(&self) -> String {
        let redirects =
            self.redirects.iter().map(|r| format!("{} {}", if r.writes { ">" } else { "<" }, r.target.shown()));
        let words = self.words.iter().map(Word::shown);
        self.sets.iter().map(|name| format!("{name}=…")).chain(words).chain(redirects).collect::<Vec<_>>().join(" ")
    }
}
