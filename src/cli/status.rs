//! The exit status, which means the same for every command.

use canonry_app::ErrorKind;
use std::process::ExitCode;

/// Result of a command. If several statuses apply, [`Status::and`] selects one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Status {
    /// 0: done, clean, or nothing to do.
    #[default]
    Done,
    /// 1: findings at or above the failing severity, or drift.
    Findings,
    /// 2: a limit was reached.
    Limit,
    /// 3: a person is needed.
    Person,
    /// 4: another process holds the lock, or another worker the claim.
    Contention,
    /// 5: the transition or the overwrite is not allowed.
    Refused,
    /// 64: the command line is invalid.
    Usage,
    /// 65: the input cannot be read.
    Unreadable,
    /// 70: internal error or file system failure.
    Internal,
    /// 130: interrupted.
    Interrupted,
}

impl Status {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Findings => 1,
            Self::Limit => 2,
            Self::Person => 3,
            Self::Contention => 4,
            Self::Refused => 5,
            Self::Usage => 64,
            Self::Unreadable => 65,
            Self::Internal => 70,
            Self::Interrupted => 130,
        }
    }

    /// The more severe of two statuses.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if other.rank() > self.rank() { other } else { self }
    }

    fn rank(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Findings => 1,
            Self::Limit => 2,
            Self::Person => 3,
            Self::Refused => 4,
            Self::Contention => 5,
            Self::Unreadable => 6,
            Self::Usage => 7,
            Self::Internal => 8,
            Self::Interrupted => 9,
        }
    }
}

impl From<ErrorKind> for Status {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Usage => Self::Usage,
            ErrorKind::Unreadable => Self::Unreadable,
            ErrorKind::Contention => Self::Contention,
            ErrorKind::Refused => Self::Refused,
            ErrorKind::Internal => Self::Internal,
            ErrorKind::Interrupted => Self::Interrupted,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selects_the_more_severe_status() {
        let order =
            [Status::Internal, Status::Contention, Status::Refused, Status::Person, Status::Findings, Status::Done];
        for pair in order.windows(2) {
            assert_eq!(pair[0].and(pair[1]), pair[0]);
            assert_eq!(pair[1].and(pair[0]), pair[0]);
        }
    }
}
