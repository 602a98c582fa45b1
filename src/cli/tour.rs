//! `canonry tour`: runs real command lines in a scratch repository and shows their output.

use super::output::{Out, wrapped};
use super::status::Status;
use crate::render::human::{Colour, Style};
use canonry_app::tour::{MIRROR_EDIT, ScratchRepositories};
use canonry_app::{Environment, Error, ErrorKind};
use std::ffi::OsString;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Show the main commands in a scratch repository
#[derive(Debug, clap::Args)]
pub struct TourArgs {}

/// Runs one command line of canonry.
pub type CommandRunner = fn(Vec<OsString>, Environment, &Out<'_>) -> Status;

/// The skill with a mistake.
const SKILL: &str = "agent/skills/deploy";
/// The time of the dream, one night after the last episode.
const DREAM_TIME: &str = "2026-05-01T03:00:00Z";
/// The widest layout; longer lines are hard to read.
const MAX_WIDTH: usize = 80;

/// Runs the command.
///
/// # Errors
/// A step ends with an unexpected status, or the file system refused.
pub fn run(program: CommandRunner, environment: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let scratch = ScratchRepositories::create(environment)?;
    let tour = Tour::new(program, environment, out, scratch);
    tour.introduce();
    tour.check()?;
    tour.sync()?;
    tour.protocol()?;
    tour.dream()?;
    tour.plan()?;
    tour.skills()?;
    tour.next_steps();
    Ok(Status::Done)
}

/// Indentation of command output, in columns.
const INDENT: usize = 4;

struct Tour<'a, 'o> {
    program: CommandRunner,
    environment: Environment,
    out: &'a Out<'o>,
    /// Columns of the tour.
    width: usize,
    scratch: ScratchRepositories,
}

impl<'a, 'o> Tour<'a, 'o> {
    fn new(program: CommandRunner, environment: &Environment, out: &'a Out<'o>, scratch: ScratchRepositories) -> Self {
        let environment = Environment {
            cwd: scratch.project.clone(),
            // The user's own config would change the output.
            user_config: None,
            home: None,
            // Worktrees of attempts stay in the scratch repository.
            state: None,
            ..environment.clone()
        };
        Self { program, environment, out, width: out.style.width.min(MAX_WIDTH), scratch }
    }

    fn introduce(&self) {
        self.say("canonry keeps the skills and lessons of all coding agents in agent/, the canon.");
        self.say("This tour runs real commands in a scratch repository:");
        self.show(&self.scratch.project.display().to_string());
    }

    fn check(&self) -> Result<(), Error> {
        self.heading("1. Check and fix: Codex and Gemini CLI would skip this skill.");
        self.run(&["check", SKILL], Status::Findings)?;
        self.run(&["check", SKILL, "--fix"], Status::Done)?;
        self.say("canonry fixes mistakes that have one right answer, and explains the others.");
        Ok(())
    }

    fn sync(&self) -> Result<(), Error> {
        self.heading("2. Sync and adopt: each tool gets a copy of the canon; someone edits a copy.");
        self.run(&["sync"], Status::Done)?;
        self.scratch.append(&MIRROR_EDIT)?;
        self.prompt(&format!("echo '{}' >> {}", MIRROR_EDIT.line, MIRROR_EDIT.path));
        self.run(&["sync", "--check"], Status::Findings)?;
        self.run(&["sync", "--commit", "--adopt", MIRROR_EDIT.path], Status::Done)?;
        self.say("Sync does not overwrite an edit. Now the canon and every copy have it.");
        Ok(())
    }

    fn protocol(&self) -> Result<(), Error> {
        self.heading("3. A denied call: an agent is about to rewrite a shared branch.");
        self.run(&["protocol", "explain", "git push --force origin main"], Status::Refused)?;
        self.say("After `canonry init --with hooks`, agents get this answer before a command runs.");
        Ok(())
    }

    fn dream(&self) -> Result<(), Error> {
        self.heading("4. A night: agents log their work, and two of them had to roll back a release.");
        self.scratch.add_log()?;
        self.run(&["dream", "--now", DREAM_TIME], Status::Done)?;
        self.run(&["recall", "smoke test"], Status::Done)?;
        self.say("`canonry install cron` runs it every night, and the next agent finds the lesson.");
        Ok(())
    }

    fn plan(&self) -> Result<(), Error> {
        self.heading("5. A plan with a liar: a script plays the agent, and its first claim is false.");
        self.scratch.add_plan(&self.environment)?;
        self.run(&["run", "exec"], Status::Done)?;
        self.say("The step's own command decides, not the report. The second attempt did the work.");
        Ok(())
    }

    fn skills(&self) -> Result<(), Error> {
        self.heading("6. Skills from elsewhere: another repository has a useful skill.");
        self.run(&["skills", "add", &self.scratch.team_url(), "--yes", "--commit"], Status::Done)?;
        self.say("The skill is checked, pinned to this commit and copied for each tool.");
        Ok(())
    }

    fn next_steps(&self) {
        self.heading("In your own repository:");
        self.show(
            "canonry check    find mistakes; it changes nothing\n\
             canonry init     create a canon from the skills you have\n\
             canonry help     list the commands and topics",
        );
    }

    fn heading(&self, text: &str) {
        self.say(&format!("\n{}", self.bold(text)));
    }

    fn say(&self, text: &str) {
        self.out.result(&wrapped(&format!("{text}\n"), self.width));
    }

    /// Prints indented text.
    fn show(&self, text: &str) {
        self.out.result(&indented(text));
    }

    /// Prints a command line.
    fn prompt(&self, line: &str) {
        self.show(&self.bold(&format!("$ {line}")));
    }

    /// Runs `canonry ARGS` and shows its output, both streams in order.
    fn run(&self, args: &[&str], expected: Status) -> Result<(), Error> {
        let line = std::iter::once("canonry").chain(args.iter().copied());
        self.prompt(&line.clone().map(quoted).collect::<Vec<_>>().join(" "));
        let output = SharedBuffer::default();
        let width = self.width - INDENT;
        let style = Style { width, message_width: Some(width), notice_width: Some(width), ..self.out.style };
        let mut stdout = output.clone();
        let mut stderr = output.clone();
        let status = (self.program)(
            line.map(OsString::from).collect(),
            self.environment.clone(),
            &Out::new(&mut stdout, &mut stderr, style),
        );
        self.show(&String::from_utf8_lossy(&output.bytes()));
        if self.environment.is_cancelled() {
            return Err(Error::new(ErrorKind::Interrupted, "interrupted"));
        }
        if status == expected {
            return Ok(());
        }
        let actual = status.code();
        let expected = expected.code();
        let message = format!("`canonry {}` exited with {actual}, expected {expected}", args.join(" "));
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

/// One buffer for both streams, so that their order is preserved.
#[derive(Clone, Default)]
struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl SharedBuffer {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for SharedBuffer {
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
    fn does_not_indent_empty_lines() {
        assert_eq!(indented("a\n\nb"), "    a\n\n    b\n");
    }
}
