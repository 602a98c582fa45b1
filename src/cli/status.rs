//! The exit status, the same for every command.

use crate::app::ErrorKind;
use std::process::ExitCode;

/// How a command ended. Where several apply, the one that ranks highest in [`Status::and`] is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Status {
    /// 0: done, clean, or nothing to do.
    #[default]
    Done,
    /// 1: findings at or above the failing severity, or drift.
    Findings,
    /// 3: a person is needed.
    Person,
    /// 4: someone else holds the lock.
    Contention,
    /// 5: the transition or the overwrite is not allowed.
    Refused,
    /// 64: the command line is wrong.
    Usage,
    /// 65: the input cannot be read.
    Unreadable,
    /// 70: internal error, or the file system failed.
    Internal,
    /// 130: interrupted.
    Interrupted,
}

impl Status {
    /// As the shell sees it.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Findings => 1,
            Self::Person => 3,
            Self::Contention => 4,
            Self::Refused => 5,
            Self::Usage => 64,
            Self::Unreadable => 65,
            Self::Internal => 70,
            Self::Interrupted => 130,
        }
    }

    /// The one to tell of two.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if other.rank() > self.rank() { other } else { self }
    }

    fn rank(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Findings => 1,
            Self::Person => 2,
            Self::Refused => 3,
            Self::Contention => 4,
            Self::Unreadable => 5,
            Self::Usage => 6,
            Self::Internal => 7,
            Self::Interrupted => 8,
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
    fn the_higher_rank_is_told() {
        let order =
            [Status::Internal, Status::Contention, Status::Refused, Status::Person, Status::Findings, Status::Done];
        for pair in order.windows(2) {
            assert_eq!(pair[0].and(pair[1]), pair[0]);
            assert_eq!(pair[1].and(pair[0]), pair[0]);
        }
    }
}
