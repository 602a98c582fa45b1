//! A command line of a shell, taken apart: each simple command with its words, what it reads and writes by redirection,
//! and what cannot be known without running it.
//!
//! The grammar is the parser's; what is told here of the words is what a shell would make of them: quotes and escapes
//! taken away, braces and known variables put in, everything else marked as unknown.

mod read;
mod tree;
mod word;
mod wrap;
mod wrappers;

use std::collections::BTreeSet;

pub use word::Word;
pub(super) use wrap::SHELLS;

/// Bytes of a command line that are read at most.
const LENGTH: usize = 64 << 10;
/// Marks that open something; the parser goes down a step for each.
const OPENINGS: usize = 400;
/// Simple commands that are told at most.
const COMMANDS: usize = 2_000;
/// How often a text that is itself a command line may hold another one.
const DEPTH: usize = 16;

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

/// Takes a command line apart. `cwd` is the folder it runs in, as [`Simple::cwd`] tells it.
pub fn read(text: &str, cwd: Option<&str>) -> Script {
    let mut reader = read::Reader::new(cwd);
    reader.script(text);
    reader.finish()
}

/// Why a text is not given to the parser: it would run for too long, or out of stack.
fn refusal(text: &str) -> Option<&'static str> {
    let opening = |b: &u8| matches!(b, b'(' | b'{' | b'[' | b'`');
    let words = text.split(|c: char| !c.is_ascii_alphabetic());
    let opened = words.filter(|word| matches!(*word, "if" | "while" | "until" | "for" | "case" | "select")).count();
    match () {
        () if text.len() > LENGTH => Some("it is too long to be read"),
        () if text.contains('\0') => Some("it holds a NUL character"),
        () if text.bytes().filter(|b| opening(b)).count() + opened > OPENINGS => {
            Some("it is nested too deeply to be read")
        }
        () if has_long_descriptor(text) => Some("it redirects a file descriptor that cannot be"),
        () => None,
    }
}

/// Digits before `<` or `>` that are no number of a descriptor, which the parser does not bear.
fn has_long_descriptor(text: &str) -> bool {
    text.split(['<', '>']).any(|before| before.bytes().rev().take_while(u8::is_ascii_digit).count() > 6)
}

/// Names of functions.
type Names = BTreeSet<String>;
