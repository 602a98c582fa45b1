//! Errors of the operating system, with advice on how to resolve them.

use std::fmt;
use std::io::{Error, ErrorKind};

/// An error of the operating system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IoDiagnosis {
    /// The system's error message.
    pub message: String,
    /// Remedy, if the message does not say it.
    pub advice: Option<&'static str>,
}

/// `EIO`, `ENFILE` and `EMFILE` on Linux, macOS and the BSDs. The standard library has no stable names for them.
const DEVICE: i32 = 5;
const OPEN_FILES: [i32; 2] = [23, 24];

impl IoDiagnosis {
    /// A diagnosis without advice.
    pub fn from_message(message: impl ToString) -> Self {
        Self { message: message.to_string(), advice: None }
    }
}

impl From<&Error> for IoDiagnosis {
    fn from(error: &Error) -> Self {
        Self { message: error.to_string(), advice: advice(error) }
    }
}

impl fmt::Display for IoDiagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Remedy for an error.
pub fn advice(error: &Error) -> Option<&'static str> {
    let by_number = match error.raw_os_error() {
        Some(DEVICE) => Some("the disk or network file system fails: check it, or use a clone on another disk"),
        Some(code) if OPEN_FILES.contains(&code) => Some(
            "raise the limit of open files, for example with `ulimit -n 4096`, or stop programs that hold many files open",
        ),
        _ => None,
    };
    by_number.or(match error.kind() {
        // `ENAMETOOLONG`.
        ErrorKind::InvalidFilename => Some("shorten the path: a name can have 255 bytes, a path 4096 (1024 on macOS)"),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Some("free space on the file system, or raise the quota"),
        ErrorKind::ReadOnlyFilesystem => Some("the file system is read-only: mount it writable, or use another clone"),
        ErrorKind::PermissionDenied => Some("give yourself permission, for example with `chmod u+rwX`"),
        ErrorKind::NotADirectory => Some("a file is in place of a folder: move it away"),
        ErrorKind::IsADirectory => Some("a folder is in place of a file: move it away"),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses Linux error numbers.
    #[cfg(target_os = "linux")]
    #[test]
    fn errors_come_with_advice() {
        for (number, want) in [
            (36, Some("shorten")),
            (28, Some("free space")),
            (122, Some("quota")),
            (30, Some("read-only")),
            (13, Some("chmod")),
            (1, Some("chmod")),
            (24, Some("ulimit")),
            (23, Some("open files")),
            (5, Some("disk")),
            (20, Some("move it away")),
            (21, Some("move it away")),
            (2, None),
        ] {
            let diagnosis = IoDiagnosis::from(&Error::from_raw_os_error(number));
            assert_eq!(diagnosis.advice.is_some(), want.is_some(), "{diagnosis}");
            assert!(
                want.is_none_or(|want| diagnosis.advice.is_some_and(|advice| advice.contains(want))),
                "{diagnosis:?}"
            );
        }
    }
}
