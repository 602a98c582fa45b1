//! The moment that counts as now.

use crate::app::{Error, ErrorKind};
use crate::canon::stamp::Stamp;

/// As given with `--now`, else by the clock.
///
/// # Errors
/// A time that cannot be read.
pub fn now(given: Option<&str>) -> Result<Stamp, Error> {
    let Some(text) = given else { return Ok(Stamp::of(jiff::Timestamp::now())) };
    Stamp::parse(text).ok_or_else(|| {
        Error::new(ErrorKind::Usage, format!("`--now {text}`: this is no time"))
            .help("write it as RFC 3339 does, such as 2026-05-01T03:00:00Z")
    })
}
