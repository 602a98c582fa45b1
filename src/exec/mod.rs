//! Floor 6: child processes. The only place that starts any.

use std::io::{self, Write as _};
use std::process::{Command, Stdio};

/// How a child ended.
#[derive(Debug)]
pub struct ProcessOutput {
    /// Whether it says that all went well.
    pub success: bool,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it said beside that, on one line.
    pub stderr: String,
}

/// Why a child told nothing.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// There is no such program on PATH.
    #[error("there is no program `{program}` on PATH")]
    NotFound {
        /// Its name.
        program: &'static str,
    },
    /// It could not be started, or talked to.
    #[error("`{program}` cannot be run: {source}")]
    Io {
        /// Its name.
        program: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

/// Runs a program to its end, with `input` on its stdin. It speaks English, so that what it says can be understood.
///
/// # Errors
/// See [`ExecError`]. A child that fails is no error in here.
pub fn run(program: &'static str, args: &[&str], input: &[u8]) -> Result<ProcessOutput, ExecError> {
    let mut command = Command::new(program);
    command.args(args).env("LC_ALL", "C").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => ExecError::NotFound { program },
        _ => ExecError::Io { program, source },
    };
    let mut child = command.spawn().map_err(failed)?;
    let stdin = child.stdin.take();
    // Beside the reading, so that neither side waits for the other for ever.
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            // A child that does not read its input says by its status whether that matters.
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
    fn what_goes_in_comes_out_whatever_its_size() {
        let input = vec![b'x'; 1 << 20];
        let ended = run("cat", &[], &input).unwrap();
        assert!(ended.success && ended.stdout == input && ended.stderr.is_empty());
    }

    #[test]
    fn a_child_that_does_not_listen_may_end_well() {
        assert!(run("true", &[], &vec![b'x'; 1 << 20]).unwrap().success);
    }

    #[test]
    fn failures_are_told_on_one_line_and_in_english() {
        let ended = run("sh", &["-c", "printf 'a\n  b\n%s' \"$LC_ALL\" >&2; exit 3"], b"").unwrap();
        assert_eq!((ended.success, ended.stderr.as_str()), (false, "a b C"));
        let none = run("canonry-has-no-such-program", &[], b"");
        assert!(matches!(none, Err(ExecError::NotFound { .. })), "{none:?}");
    }
}
