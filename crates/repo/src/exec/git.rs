//! The git binary, for what gix cannot do: push, and fetch with the credentials, proxies and protocols that git knows.

use crate::fs::read_tail;
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A fetch that changes no reference but those it is asked for: no tags, no submodules, no remote-tracking branches. Its progress
/// shows that the server answers.
pub const FETCH: [&str; 9] = [
    "fetch",
    "--quiet",
    "--progress",
    "--no-tags",
    "--no-prune-tags",
    "--no-recurse-submodules",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
    "--refmap=",
];

/// The output of a finished git command.
#[derive(Debug)]
pub struct GitOutput {
    /// Whether the exit status was 0.
    pub success: bool,
    pub stdout: String,
    /// Everything on stderr, on one line and without control characters.
    pub stderr: String,
}

/// Why a git command did not finish.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("`git` not found on PATH")]
    NotFound,
    #[error("`git` cannot be run: {0}")]
    Io(io::Error),
    #[error("it did not end within {} s", .0.as_secs())]
    TimedOut(Duration),
    #[error("the server said nothing for {} s (git's setting `http.lowSpeedTime` changes this)", .0.as_secs())]
    Silent(Duration),
    #[error("interrupted")]
    Interrupted,
}

/// Time limit of git, and what ends it earlier.
#[derive(Clone, Copy, Debug)]
pub struct GitLimits<'a> {
    pub timeout: Duration,
    /// The longest time without output of git.
    pub silence: Duration,
    pub cancel: &'a AtomicBool,
}

/// Variables that prevent questions to the user, for credentials and host keys. Each of them would wait forever.
const NO_QUESTIONS: [(&str, &str); 5] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS", ""),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GCM_INTERACTIVE", "never"),
];
/// The longest silence of a server. git itself has a limit only for HTTP, and only if the user sets it.
const SILENCE: Duration = Duration::from_secs(30);

/// The longest silence of a server, over any protocol: the user's limit for HTTP, or [`SILENCE`].
pub fn silence(config: &gix::config::Snapshot<'_>) -> Duration {
    let seconds = config.integer("http.lowSpeedTime").and_then(|seconds| u64::try_from(seconds).ok());
    seconds.filter(|seconds| *seconds > 0).map_or(SILENCE, Duration::from_secs)
}

/// The end of the output that is kept.
const OUTPUT_LIMIT: u64 = 64 << 10;

/// Runs git in `folder` to its end, without input. Its messages are in English.
///
/// # Errors
/// git could not be run, or was ended because of `limits`. A failing exit status is not an error.
pub fn run_git(folder: &Path, args: &[&OsStr], limits: GitLimits<'_>) -> Result<GitOutput, GitError> {
    run_git_with(folder, args, &[], limits)
}

/// The same with variables of the environment; `None` removes one.
///
/// # Errors
/// See [`run_git`].
pub fn run_git_with(
    folder: &Path,
    args: &[&OsStr],
    variables: &[(&str, Option<&str>)],
    limits: GitLimits<'_>,
) -> Result<GitOutput, GitError> {
    // Files, not pipes: a process that git leaves behind does not keep the caller waiting.
    let mut stdout = tempfile::tempfile().map_err(GitError::Io)?;
    let mut stderr = tempfile::tempfile().map_err(GitError::Io)?;
    let mut command = Command::new("git");
    command.args(args).current_dir(folder).envs(NO_QUESTIONS).env("LC_ALL", "C").stdin(Stdio::null());
    for (name, value) in variables {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.stdout(stdout.try_clone().map_err(GitError::Io)?).stderr(stderr.try_clone().map_err(GitError::Io)?);
    // A group of its own: a program that asks on the terminal after all is stopped there, and the timeout ends it together
    // with the programs that git has started.
    let child = command.process_group(0).spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => GitError::NotFound,
        _ => GitError::Io(error),
    })?;
    let printed = || [&stdout, &stderr].iter().filter_map(|file| Some(file.metadata().ok()?.len())).sum();
    let status = wait(child, limits, &printed)?;
    let errors = read_tail(&mut stderr, OUTPUT_LIMIT).map_err(GitError::Io)?;
    let errors = errors.split(['\r', '\n']).filter(|line| !is_progress(line)).flat_map(str::split_whitespace);
    let errors = errors.flat_map(|word| word.split(char::is_control)).filter(|word| !word.is_empty());
    Ok(GitOutput {
        success: status.success(),
        stdout: read_tail(&mut stdout, OUTPUT_LIMIT).map_err(GitError::Io)?,
        stderr: errors.collect::<Vec<_>>().join(" "),
    })
}

/// Whether a line of stderr only counts, such as `remote: Counting objects: 40% (2/5)`.
fn is_progress(line: &str) -> bool {
    let line = line.trim().trim_start_matches("remote: ");
    let is_count = |text: &str| {
        let rest = text.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < text.trim_start().len() && (rest.is_empty() || rest.starts_with(['%', ',']))
    };
    line.split_once(": ").is_some_and(|(_, count)| is_count(count)) || line.starts_with("Total ")
}

/// `printed` is the number of bytes that git has printed.
fn wait(mut child: Child, limits: GitLimits<'_>, printed: &dyn Fn() -> u64) -> Result<ExitStatus, GitError> {
    let started = Instant::now();
    let mut heard = (0, started);
    let mut pause = Duration::from_millis(1);
    let error = loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if limits.cancel.load(Ordering::Relaxed) => break GitError::Interrupted,
            Ok(None) if started.elapsed() >= limits.timeout => break GitError::TimedOut(limits.timeout),
            Ok(None) if heard.1.elapsed() >= limits.silence => break GitError::Silent(limits.silence),
            Ok(None) => std::thread::sleep(pause),
            Err(error) => break GitError::Io(error),
        }
        if printed() != heard.0 {
            heard = (printed(), Instant::now());
        }
        pause = (pause * 2).min(Duration::from_millis(50));
    };
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
    Err(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(args: &[&str], timeout: u64, cancel: bool) -> Result<GitOutput, GitError> {
        let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        let cancel = AtomicBool::new(cancel);
        let timeout = Duration::from_millis(timeout);
        run_git(Path::new("/"), &args, GitLimits { timeout, silence: timeout * 2, cancel: &cancel })
    }

    #[test]
    fn output_and_status_are_returned() {
        let output = run(&["--version"], 10_000, false).unwrap();
        assert!(output.success && output.stdout.starts_with("git version"), "{output:?}");
        let output = run(&["no-such-command"], 10_000, false).unwrap();
        assert!(!output.success && output.stderr.contains("no-such-command"), "{output:?}");
    }

    #[test]
    fn progress_is_not_an_error() {
        for (line, want) in [
            ("remote: Enumerating objects: 3, done.", true),
            ("Receiving objects:  40% (2/5)", true),
            ("remote: Total 3 (delta 0), reused 0 (delta 0), pack-reused 0", true),
            ("fatal: unable to access 'https://x/': The requested URL returned error: 403", false),
            ("remote: Repository not found.", false),
            ("asked: 0 never", false),
            ("", false),
        ] {
            assert_eq!(is_progress(line), want, "{line}");
        }
    }

    #[test]
    fn a_command_that_prints_goes_on() {
        let talking = ["-c", "alias.talk=!for i in 1 2 3 4 5 6; do echo $i; sleep 0.2; done; true", "talk"];
        let args: Vec<&OsStr> = talking.iter().map(OsStr::new).collect();
        let cancel = AtomicBool::new(false);
        let limits =
            GitLimits { timeout: Duration::from_secs(60), silence: Duration::from_millis(900), cancel: &cancel };
        assert!(run_git(Path::new("/"), &args, limits).unwrap().success);
        let hanging: Vec<&OsStr> = ["-c", "alias.hang=!sleep 100; true", "hang"].iter().map(OsStr::new).collect();
        assert!(matches!(run_git(Path::new("/"), &hanging, limits), Err(GitError::Silent(_))));
    }

    #[test]
    fn a_command_that_does_not_end_is_killed() {
        let hanging = ["-c", "alias.hang=!sleep 100; true", "hang"];
        let started = Instant::now();
        assert!(matches!(run(&hanging, 50, false), Err(GitError::TimedOut(_))));
        assert!(matches!(run(&hanging, 60_000, true), Err(GitError::Interrupted)));
        assert!(started.elapsed() < Duration::from_secs(20));
    }
}
