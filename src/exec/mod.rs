//! Child processes. No other module starts any.

use std::io::{self, Write as _};
use std::process::{Command, Stdio};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_input_round_trips() {
        let input = vec![b'x'; 1 << 20];
        let output = run("cat", &[], &input).unwrap();
        assert!(output.success && output.stdout == input && output.stderr.is_empty());
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
