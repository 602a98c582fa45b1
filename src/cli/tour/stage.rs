//! How the tour is told: headings, words, and commands with what they really print.

use crate::app::Environment;
use crate::app::{Error, ErrorKind};
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render::human::{Colour, Style};
use std::ffi::OsString;
use std::io::{self, Write};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The whole program: one command line, told how it ended.
pub type Program = fn(Vec<OsString>, Environment, &Out<'_>) -> Status;

/// Columns by which output stands in.
const INDENT: usize = 4;

/// The tour as it is told.
pub struct Stage<'a, 'o> {
    program: Program,
    /// For the commands, whose folder is the scratch repository.
    env: Environment,
    out: &'a Out<'o>,
    /// For the indented output of commands.
    style: Style,
}

impl<'a, 'o> Stage<'a, 'o> {
    /// Tells to `out`; commands run in `env`.
    pub fn new(program: Program, mut env: Environment, out: &'a Out<'o>) -> Self {
        let style = Style { width: out.style.width.saturating_sub(INDENT), ..out.style };
        // The user's own config would change what there is to see.
        (env.user_config, env.home) = (None, None);
        Self { program, env, out, style }
    }

    /// What the next step is about.
    pub fn heading(&mut self, text: &str) {
        let text = self.bold(text);
        self.out.result(&format!("\n{text}\n\n"));
    }

    /// Words.
    pub fn say(&mut self, text: &str) {
        self.out.result(&format!("{text}\n"));
    }

    /// Output that is not a command's, set as such.
    pub fn show(&mut self, text: &str) {
        self.out.result(&indented(text));
    }

    /// A command line, not run here.
    pub fn prompt(&mut self, line: &str) {
        let line = self.bold(&format!("$ {line}"));
        self.show(&line);
    }

    /// Runs `canonry ARGS` and shows what it prints, results and remarks in their order.
    ///
    /// # Errors
    /// It did not end as the tour tells.
    pub fn run(&mut self, args: &[&str], expected: Status) -> Result<(), Error> {
        let line = std::iter::once("canonry").chain(args.iter().copied());
        self.prompt(&line.clone().map(quoted).collect::<Vec<_>>().join(" "));
        let both = Shared::default();
        let (mut results, mut remarks) = (both.clone(), both.clone());
        let status = (self.program)(
            line.map(OsString::from).collect(),
            self.env.clone(),
            &Out::new(&mut results, &mut remarks, self.style),
        );
        self.show(&String::from_utf8_lossy(&both.bytes()));
        if self.env.cancel.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Interrupted, "interrupted"));
        }
        if status == expected {
            return Ok(());
        }
        let (was, wanted) = (status.code(), expected.code());
        let message = format!("`canonry {}` ended with {was}, and the tour expected {wanted}", args.join(" "));
        Err(Error::new(ErrorKind::Internal, message)
            .help("this is a bug in canonry; please report it with this output"))
    }

    fn bold(&self, text: &str) -> String {
        match self.out.style.colour {
            Colour::Ansi => format!("\u{1b}[1m{text}\u{1b}[0m"),
            Colour::None => text.to_owned(),
        }
    }
}

fn quoted(word: &str) -> String {
    if word.contains(' ') { format!("'{word}'") } else { word.to_owned() }
}

fn indented(text: &str) -> String {
    let line = |line: &str| {
        if line.is_empty() { "\n".to_owned() } else { format!("{:INDENT$}{line}\n", "") }
    };
    text.lines().map(line).collect()
}

/// One place for two streams, so that what a terminal shows in order stays in order.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lines_stay_empty() {
        assert_eq!(indented("a\n\nb"), "    a\n\n    b\n");
    }
}
