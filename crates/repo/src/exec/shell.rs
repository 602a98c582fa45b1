//! Programs that are run to their end: commands of a plan, which are the only place where a shell is involved, and tools.

use super::worker::{Worker, WorkerCommand, WorkerError, WorkerExit, WorkerOutput, new_mark};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Maximum time for a command to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(3);
/// The first and the longest pause between two looks at a command.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));

/// The result of a command.
#[derive(Clone, Debug)]
pub struct ShellOutcome {
    pub end: ShellEnd,
    /// The end of what it printed: printable lines without secrets.
    pub output: String,
}

impl ShellOutcome {
    /// The exit status as a shell gives it, as in a report. 124 after a timeout, like timeout(1).
    pub fn code(&self) -> i32 {
        self.end.code()
    }
}

/// End of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellEnd {
    Exited(WorkerExit),
    /// It was ended because it took too long.
    TimedOut,
    /// It was ended because the run was stopped.
    Cancelled,
}

impl ShellEnd {
    /// See [`ShellOutcome::code`].
    pub fn code(self) -> i32 {
        match self {
            Self::Exited(exit) => exit.code(),
            Self::TimedOut => 124,
            Self::Cancelled => 130,
        }
    }
}

/// Runs a committed `Run:` command with `sh -c` to its end, without input. On a timeout or when `cancel` is set, its whole
/// process group is ended.
///
/// # Errors
/// The shell could not be started, or the command cannot be ended.
pub fn run_shell(
    command: &str,
    folder: &Path,
    env: Vec<(OsString, OsString)>,
    log: &Path,
    timeout: Duration,
    cancel: &AtomicBool,
) -> Result<ShellOutcome, WorkerError> {
    let argv = ["sh", "-c", command].map(str::to_owned);
    let command = WorkerCommand { argv: &argv, folder, env, stdin: Vec::new(), log, mark: new_mark() };
    let (end, output) = run_to_end(command, timeout, cancel)?;
    Ok(ShellOutcome { end, output: output.transcript })
}

/// Runs a program to its end. On a timeout or when `cancel` is set, its whole process group is ended.
///
/// # Errors
/// The program could not be started, or cannot be ended.
pub fn run_to_end(
    command: WorkerCommand<'_>,
    timeout: Duration,
    cancel: &AtomicBool,
) -> Result<(ShellEnd, WorkerOutput), WorkerError> {
    let program = command.argv.first().cloned().unwrap_or_default();
    let failed = |source: io::Error| WorkerError::Io { program: program.clone(), source };
    let started = Instant::now();
    let mut worker = Worker::start(command)?;
    let mut pause = PAUSES.0;
    let end = loop {
        if let Some(exit) = worker.poll().map_err(failed)? {
            break ShellEnd::Exited(exit);
        }
        let left = timeout.saturating_sub(started.elapsed());
        let is_cancelled = cancel.load(Ordering::Relaxed);
        if is_cancelled || left.is_zero() {
            worker.stop(GRACE).map_err(failed)?;
            break if is_cancelled { ShellEnd::Cancelled } else { ShellEnd::TimedOut };
        }
        std::thread::sleep(pause.min(left));
        pause = (pause * 2).min(PAUSES.1);
    };
    Ok((end, worker.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(command: &str, timeout: Duration, cancel: bool) -> (ShellOutcome, String) {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("logs/run.log");
        let env = vec![("STEP".into(), "api".into())];
        let outcome = run_shell(command, folder.path(), env, &log, timeout, &AtomicBool::new(cancel)).unwrap();
        (outcome, std::fs::read_to_string(&log).unwrap())
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn reports_status_signal_and_output() {
        let (outcome, log) = shell("printf 'a\\033[1m %s\\n' \"$STEP\"; echo b >&2; exit 3", LONG, false);
        assert_eq!(outcome.code(), 3);
        assert!(outcome.output.contains("a api\n") && outcome.output.contains("b\n"), "{outcome:?}");
        assert_eq!(outcome.output.len(), log.len());
        assert_eq!(shell("true", LONG, false).0.code(), 0);
        assert_eq!(shell("kill -9 $$", LONG, false).0.code(), 137);
        // Input is empty, not the terminal.
        assert_eq!(shell("cat; echo end", LONG, false).0.output, "end\n");
    }

    #[test]
    fn timeout_and_cancellation_end_the_command() {
        let started = Instant::now();
        let (outcome, _) = shell("echo begin; sleep 30 & sleep 30", Duration::from_millis(100), false);
        assert_eq!((outcome.end, outcome.output.as_str(), outcome.code()), (ShellEnd::TimedOut, "begin\n", 124));
        assert_eq!(shell("sleep 30", LONG, true).0.end, ShellEnd::Cancelled);
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_process_in_the_background_does_not_delay_the_end() {
        let started = Instant::now();
        let (outcome, _) = shell("sleep 30 & echo done", LONG, false);
        assert!(outcome.code() == 0 && outcome.output == "done\n" && started.elapsed() < Duration::from_secs(5));
    }
}
