//! Child processes, and keys from the terminal. No other module starts a process.

pub mod editor;
pub mod git;
pub mod group;
pub mod identity;
pub mod keyboard;
mod lines;
pub mod shell;
pub mod worker;

use crate::fs::read_tail;
use rustix::io::Errno;
use std::ffi::OsStr;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The output of a finished process.
#[derive(Debug)]
pub struct ProcessOutput {
    /// Whether the exit status was 0.
    pub success: bool,
    pub stdout: Vec<u8>,
    /// Everything on stderr, on one line.
    pub stderr: String,
}

/// Why a program could not be run.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    #[error("`{program}` not found on PATH")]
    NotFound { program: &'static str },
    /// The process could not be started, or communication with it failed.
    #[error("`{program}` cannot be run: {source}")]
    Io { program: &'static str, source: io::Error },
}

/// Runs a program to its end, with `input` on its stdin and in the C locale, so that its messages are in English.
///
/// # Errors
/// The program could not be run. A failing exit status is not an error.
pub fn run(program: &'static str, args: &[&str], input: &[u8]) -> Result<ProcessOutput, ExecError> {
    let mut command = Command::new(program);
    command.args(args).env("LC_ALL", "C").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => ExecError::NotFound { program },
        _ => ExecError::Io { program, source },
    };
    let mut child = command.spawn().map_err(failed)?;
    let stdin = child.stdin.take();
    // Writes in parallel with reading, to avoid a deadlock on full pipes.
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            // A program that does not read all its input reports failure by its status.
            stdin.map(|mut stdin| stdin.write_all(input))
        });
        child.wait_with_output()
    });
    let output = output.map_err(|source| ExecError::Io { program, source })?;
    let stderr = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(ProcessOutput { success: output.status.success(), stdout: output.stdout, stderr })
}

/// The result of a program that ran in [`run_file`].
#[derive(Debug)]
pub struct FileOutput {
    /// Whether the exit status was 0.
    pub success: bool,
    /// The exit status in words.
    pub status: String,
    /// The end of what it printed on stdout and stderr, without control characters.
    pub output: String,
}

/// Bytes of the output of [`run_file`] that are kept.
const OUTPUT_LIMIT: u64 = 64 << 10;

/// Runs an executable file in `folder` without input. Its output goes to a file, so that a process it leaves behind does
/// not keep the caller waiting.
///
/// # Errors
/// The file could not be started, or its output not be read. A failing exit status is not an error.
pub fn run_file(file: &Path, args: &[&OsStr], folder: &Path, env: &[(&str, &OsStr)]) -> io::Result<FileOutput> {
    let mut output = tempfile::tempfile()?;
    let run = |mut command: Command| -> io::Result<ExitStatus> {
        command.args(args).current_dir(folder).envs(env.iter().copied()).stdin(Stdio::null());
        command.stdout(output.try_clone()?).stderr(output.try_clone()?).status()
    };
    let status = match run(Command::new(file)) {
        // A script without `#!` belongs to the shell, as in `execvp`.
        Err(error) if error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error()) => {
            let mut shell = Command::new("sh");
            shell.arg(file);
            run(shell)
        }
        result => result,
    }?;
    let text = read_tail(&mut output, OUTPUT_LIMIT)?;
    let printable = text.chars().filter(|char| !char.is_control() || matches!(char, '\n' | '\t'));
    Ok(FileOutput { success: status.success(), status: status.to_string(), output: printable.collect() })
}

/// Interval at which [`run_briefly`] looks whether a program has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// Runs an executable file in `folder` without input, and returns its output if it succeeds in time. Otherwise it is killed.
///
/// # Errors
/// The file could not be started, or its output not be read.
pub fn run_briefly(file: &Path, args: &[&str], folder: &Path, limit: Duration) -> io::Result<Option<String>> {
    let mut output = tempfile::tempfile()?;
    let started = Instant::now();
    let mut command = Command::new(file);
    command.args(args).current_dir(folder).stdin(Stdio::null()).stdout(output.try_clone()?).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if started.elapsed() >= limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(PAUSE);
    };
    output.rewind()?;
    let mut bytes = Vec::new();
    output.take(OUTPUT_LIMIT).read_to_end(&mut bytes)?;
    Ok(status.success().then(|| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Whether a file exists that the user may execute.
pub fn is_executable(file: &Path) -> bool {
    file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok()
}

/// Finds the program that the first line of a script names, as the kernel and `env` do.
///
/// # Errors
/// The file cannot be read, or there is no such program.
pub fn find_interpreter(script: &Path) -> io::Result<()> {
    let mut start = Vec::new();
    // The kernel reads 256 bytes: https://man7.org/linux/man-pages/man2/execve.2.html
    crate::fs::open(script)?.take(256).read_to_end(&mut start)?;
    let Some(line) = start.strip_prefix(b"#!").and_then(|rest| rest.split(|byte| *byte == b'\n').next()) else {
        return Ok(());
    };
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_whitespace();
    let Some(program) = words.next().map(Path::new) else { return Ok(()) };
    let missing = |name: &str| io::Error::new(io::ErrorKind::NotFound, format!("there is no `{name}`"));
    if !is_executable(program) {
        return Err(missing(&program.to_string_lossy()));
    }
    let is_env = program.file_name() == Some(OsStr::new("env"));
    // Options and assignments of `env` come first.
    let name = words.find(|word| !word.starts_with('-') && !word.contains('=')).filter(|_| is_env);
    let Some(name) = name.filter(|name| !name.contains('/')) else { return Ok(()) };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_found = std::env::split_paths(&path).any(|folder| is_executable(&folder.join(name)));
    if is_found { Ok(()) } else { Err(missing(name)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpreters_are_found_as_the_kernel_finds_them() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("script");
        for (text, missing) in [
            ("#!/bin/sh\n", None),
            ("#! /bin/sh -e\nexit\n", None),
            ("#!/usr/bin/env sh", None),
            ("#!/usr/bin/env -S A=1 sh -e\n", None),
            ("echo x\n", None),
            ("", None),
            ("#!\n", None),
            ("#!/no/such/sh\n", Some("there is no `/no/such/sh`")),
            ("#!/usr/bin/env no-such-sh\n", Some("there is no `no-such-sh`")),
        ] {
            std::fs::write(&script, text).unwrap();
            let found = find_interpreter(&script).map_err(|error| error.to_string());
            assert_eq!(found.err().as_deref(), missing, "{text}");
        }
    }

    #[test]
    fn large_input_round_trips() {
        let input = vec![b'x'; 1 << 20];
        let output = run("cat", &[], &input).unwrap();
        assert!(output.success && output.stdout == input && output.stderr.is_empty());
    }

    #[test]
    fn a_program_that_takes_too_long_is_killed() {
        let run = |script: &str, millis: u64| {
            let limit = Duration::from_millis(millis);
            run_briefly(Path::new("/bin/sh"), &["-c", script], Path::new("/"), limit).unwrap()
        };
        assert_eq!(run("echo 1.2.3; echo x >&2", 10_000).as_deref(), Some("1.2.3\n"));
        assert_eq!(run("echo 1.2.3; exit 1", 10_000), None);
        let started = Instant::now();
        assert_eq!(run("exec sleep 60", 50), None);
        assert!(started.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn program_may_ignore_its_input() {
        assert!(run("true", &[], &vec![b'x'; 1 << 20]).unwrap().success);
    }

    #[test]
    fn stderr_is_one_line_in_the_c_locale() {
        let output = run("sh", &["-c", "printf 'a\n  b\n%s' \"$LC_ALL\" >&2; exit 3"], b"").unwrap();
        assert_eq!((output.success, output.stderr.as_str()), (false, "a b C"));
        let none = run("canonry-has-no-such-program", &[], b"");
        assert!(matches!(none, Err(ExecError::NotFound { .. })), "{none:?}");
    }
}
