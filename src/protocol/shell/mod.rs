//! A command line of a shell, taken apart: each simple command with its words, what it reads and writes by redirection,
//! and what cannot be known without running it.
//!
//! The grammar is the parser's; what is told here of the words is what a shell would make of them: quotes and escapes
//! taken away, braces and known variables put in, everything else marked as unknown.

mod read;
mod script;
mod tree;
mod word;
mod wrap;
mod wrappers;

pub use script::{Input, Redirect, Script, Simple};
pub use word::Word;
pub(super) use wrap::SHELLS;

/// Takes a command line apart. `cwd` is the folder it runs in, as [`Simple::cwd`] tells it.
pub fn read(text: &str, cwd: Option<&str>) -> Script {
    let mut reader = read::Reader::new(cwd);
    reader.script(text);
    reader.finish()
}
