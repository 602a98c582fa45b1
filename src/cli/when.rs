//! The moment that counts as now.

use super::error::CliError;
use super::status::Status;
use crate::canon::stamp::Stamp;

/// As given with `--now`, else by the clock.
///
/// # Errors
/// A time that cannot be read.
pub fn now(given: Option<&str>) -> Result<Stamp, CliError> {
    let Some(text) = given else { return Ok(Stamp::of(jiff::Timestamp::now())) };
    Stamp::parse(text).ok_or_else(|| {
        CliError::new(Status::Usage, format!("`--now {text}`: this is no time"))
            .help("write it as RFC 3339 does, such as 2026-05-01T03:00:00Z")
    })
}
