//! The moment that counts as now.

use crate::app::{Error, ErrorKind};
use crate::canon::timestamp::Timestamp;

/// As given with `--now`, else by the clock.
///
/// # Errors
/// A time that cannot be read.
pub fn now(given: Option<&str>) -> Result<Timestamp, Error> {
    let Some(text) = given else { return Ok(Timestamp::from(jiff::Timestamp::now())) };
    Timestamp::parse(text).ok_or_else(|| {
        Error::new(ErrorKind::Usage, format!("`--now {text}`: this is no time"))
            .help("write it as RFC 3339 does, such as 2026-05-01T03:00:00Z")
    })
}
