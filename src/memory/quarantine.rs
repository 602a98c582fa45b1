//! How rows that cannot be read are kept: each verbatim, behind a line that says where it stood and why it is here.

use super::row::BadLine;
use crate::canon::timestamp::Timestamp;

/// What a new quarantine begins with.
pub const HEAD: &str = "# Lines of the log that could not be read, each verbatim below a line that says why.\n\
                        # Mended ones can go back to the end of the log.\n";

/// The line before a bad one.
pub fn header(bad: &BadLine, now: Timestamp) -> String {
    format!("# {} line {}: {}\n", now.date(), bad.line, bad.reason.to_string().replace(['\n', '\r'], " "))
}
