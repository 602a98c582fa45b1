//! What the system message where it refused something, and what to do about it.

use std::fmt;
use std::io::{Error, ErrorKind};

/// An error of the operating system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IoDiagnosis {
    /// Its own words.
    pub message: String,
    /// What to do, where those words do not say it.
    pub advice: Option<&'static str>,
}

/// `EIO`, and too many open files in the system and in the process, on Linux, macOS and the BSDs alike; the standard
/// library has no stable names for them.
const DEVICE: i32 = 5;
const OPEN_FILES: [i32; 2] = [23, 24];

impl IoDiagnosis {
    /// In someone else's words.
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

/// What to do about an error of the system.
pub fn advice(error: &Error) -> Option<&'static str> {
    let by_number = match error.raw_os_error() {
        Some(DEVICE) => Some("the disk, or the network behind it, fails: check it, and go on in a clone elsewhere"),
        Some(code) if OPEN_FILES.contains(&code) => {
            Some("raise the limit of open files, such as with `ulimit -n 4096`, or end programs that hold many")
        }
        _ => None,
    };
    by_number.or(match error.kind() {
        // `ENAMETOOLONG`.
        ErrorKind::InvalidFilename => {
            Some("shorten the names on the way to it: a system takes 255 bytes a name, and 4096 a path (1024 on macOS)")
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Some("free space on that file system, or raise the quota"),
        ErrorKind::ReadOnlyFilesystem => {
            Some("the file system is read-only: mount it for writing, or use another clone")
        }
        ErrorKind::PermissionDenied => Some("give yourself the right to it, such as with `chmod u+rwX`"),
        ErrorKind::NotADirectory => Some("a file stands where a folder should: move it away"),
        ErrorKind::IsADirectory => Some("a folder stands where a file should: move it away"),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the numbers of Linux.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_the_system_says_comes_with_what_to_do() {
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
            let trouble = IoDiagnosis::from(&Error::from_raw_os_error(number));
            assert_eq!(trouble.advice.is_some(), want.is_some(), "{trouble}");
            assert!(want.is_none_or(|want| trouble.advice.is_some_and(|advice| advice.contains(want))), "{trouble:?}");
        }
    }
}
