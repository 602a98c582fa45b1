//! `canonry tour`: runs real command lines in a scratch repository and shows their output.

use super::output::Out;
use super::status::Status;
use crate::render::human::{Colour, Style};
use canonry_app::tour::{CORRECTION, CommitSummary, LESSONS, MIRROR_EDIT, ScratchRepository};
use canonry_app::{Environment, Error, ErrorKind};
use std::ffi::OsString;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Show the main commands in a scratch repository
#[derive(Debug, clap::Args)]
pub struct TourArgs {}

/// Runs one command line of canonry.
pub type CommandRunner = fn(Vec<OsString>, Environment, &Out<'_>) -> Status;

/// The episode that the tour logs.
const LOG_COMMAND: [&str; 11] = [
    "log",
    "--skill",
    "deploy-check",
    "--action",
    "rolled back the release",
    "--result",
    "failure",
    "--pain",
    "8",
    "--timestamp",
    "2026-04-30T18:00:00Z",
];
/// The time of the dream, one night after the episode.
const DREAM_TIME: &str = "2026-05-01T03:00:00Z";

/// Runs the command.
///
/// # Errors
/// A step ends with an unexpected status, or the file system refused.
pub fn run(program: CommandRunner, environment: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let scratch = ScratchRepository::create()?;
    let inside = Environment { cwd: scratch.top.clone(), ..environment.clone() };
    let tour = Tour::new(program, inside, out, scratch);
    tour.say("canonry: one canon for every coding agent. This tour runs real commands in a scratch repository:");
    tour.show(&tour.scratch.top.display().to_string());
    tour.say("Its directory agent/skills/ is the canon: three skills, two of them with a mistake.");
    tour.check()?;
    tour.sync()?;
    tour.drift()?;
    tour.dream()?;
    tour.plan()?;
    tour.next_steps();
    Ok(Status::Done)
}

/// Indentation of command output, in columns.
const INDENT: usize = 4;

struct Tour<'a, 'o> {
    program: CommandRunner,
    environment: Environment,
    out: &'a Out<'o>,
    /// The style of the indented output.
    style: Style,
    scratch: ScratchRepository,
}

impl<'a, 'o> Tour<'a, 'o> {
    fn new(program: CommandRunner, mut environment: Environment, out: &'a Out<'o>, scratch: ScratchRepository) -> Self {
        let style = Style { width: out.style.width.saturating_sub(INDENT), ..out.style };
        // The user's own config would change the output.
        (environment.user_config, environment.home) = (None, None);
        // Worktrees of attempts stay in the scratch repository.
        environment.state = None;
        Self { program, environment, out, style, scratch }
    }

    fn check(&self) -> Result<(), Error> {
        self.heading("1. Check: find content that a tool would drop or misread");
        self.run(&["check"], Status::Findings)?;
        self.say(
            "\nEach finding says what to do; `canonry explain RULE` explains the rule. Some can be fixed for you:\n",
        );
        self.run(&["check", "--fix", "--format", "concise"], Status::Done)?;
        self.say("\nWhere the link should lead, only a person knows:\n");
        self.scratch.apply(&CORRECTION)?;
        self.show(&format!("{}\n  - {}\n  + {}", CORRECTION.path, CORRECTION.wrong, CORRECTION.right));
        self.say("");
        self.run(&["check"], Status::Done)
    }

    fn sync(&self) -> Result<(), Error> {
        self.heading("2. Sync: mirror the skills for every tool, and commit exactly that");
        self.run(&["sync", "--commit", "-m", "Add our skills"], Status::Done)?;
        let commit = self.scratch.last_commit("release-notes")?;
        self.say(&format!("\nThe commit, as git stores it:\n{}", describe(&commit)));
        self.say("The trees are equal: every mirror is a byte-for-byte copy, and git stores each file once.");
        Ok(())
    }

    fn drift(&self) -> Result<(), Error> {
        self.heading("3. Drift: someone edits a mirror instead of the canon");
        self.scratch.append(&MIRROR_EDIT)?;
        self.prompt(&format!("echo '{}' >> {}", MIRROR_EDIT.line, MIRROR_EDIT.path));
        self.run(&["sync", "--check"], Status::Findings)?;
        self.say("\nIn CI this exits with 1. Sync never overwrites the edit; it can merge it into the canon:\n");
        self.run(&["sync", "--adopt", MIRROR_EDIT.path], Status::Done)
    }

    fn dream(&self) -> Result<(), Error> {
        self.heading("4. Dream: promote recurring episodes to lessons, archive old ones");
        self.scratch.add_log()?;
        self.say(
            "Agents log what they do. This log covers a few weeks; a crash cut off its last line. One more episode:\n",
        );
        self.run(&LOG_COMMAND, Status::Done)?;
        self.say("\nThe nightly job:\n");
        self.run(&["dream", "--now", DREAM_TIME], Status::Done)?;
        let lesson = self.scratch.last_line(LESSONS)?;
        self.say(&format!("\nThe lesson, with the episodes behind it:\n\n    {lesson}"));
        Ok(())
    }

    fn plan(&self) -> Result<(), Error> {
        self.heading("5. Plan: agents work on steps, and only verified work counts");
        self.scratch.add_plan(&self.environment)?;
        self.say("A plan of four steps with two owners; here, a script stands in for the coding agents.\n");
        self.run(&["plan", "show"], Status::Done)?;
        self.say("\nEach attempt works in its own worktree. Its report is not believed: the commands of the step are run again.\n");
        self.run(&["plan", "run"], Status::Done)?;
        self.say(
            "\nThe first draft claimed success and was refused; the second attempt knew why. In a clean checkout:\n",
        );
        self.run(&["plan", "verify"], Status::Done)
    }

    fn next_steps(&self) {
        self.heading("Next steps");
        self.say(&format!("The scratch repository stays at {}", self.scratch.top.display()));
        self.say("In your own repository:\n");
        self.show(
            "canonry init             create a canon, and adopt the skills that your tools have\n\
             canonry check            check it\n\
             canonry sync --commit    mirror the skills for each tool, and commit exactly that\n\
             canonry dream            consolidate the memory; `canonry install cron` runs it every night\n\
             canonry plan --help      plan work, and let agents execute it",
        );
    }

    fn heading(&self, text: &str) {
        self.out.result(&format!("\n{}\n\n", self.bold(text)));
    }

    fn say(&self, text: &str) {
        self.out.result(&format!("{text}\n"));
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
        let mut stdout = output.clone();
        let mut stderr = output.clone();
        let status = (self.program)(
            line.map(OsString::from).collect(),
            self.environment.clone(),
            &Out::new(&mut stdout, &mut stderr, self.style),
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

fn describe(commit: &CommitSummary) -> String {
    let CommitSummary { id, subject, canon_files, mirror_files, .. } = commit;
    let mut text = format!(
        "    {id} {subject}\n    {canon_files} files of the canon and its lock, {mirror_files} in the mirrors\n"
    );
    for (tree, directories) in &commit.skill_trees {
        let first = directories.first().map_or("", String::as_str);
        let mirrors = directories.len().saturating_sub(1);
        text.push_str(&format!("    tree {tree}: {first} and {mirrors} mirrors\n"));
    }
    text
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
