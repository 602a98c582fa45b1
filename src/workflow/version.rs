//! Versions of workflows: MAJOR.MINOR.PATCH and nothing else.

use std::fmt;

/// A version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorkflowVersion {
    /// Raised when a run that began before cannot go on.
    pub major: u64,
    /// Raised when the structure changes.
    pub minor: u64,
    /// Raised when only words and limits change.
    pub patch: u64,
}

impl WorkflowVersion {
    /// Reads a version; leading zeros are none.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|part| {
            let is_plain = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            (is_plain && (part == "0" || !part.starts_with('0'))).then(|| part.parse().ok()).flatten()
        });
        let (major, minor, patch) = (parts.next()??, parts.next()??, parts.next()??);
        parts.next().is_none().then_some(Self { major, minor, patch })
    }
}

impl fmt::Display for WorkflowVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}
