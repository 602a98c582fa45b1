//! The `--now` option.

use canonry_app::{Error, ErrorKind};
use canonry_model::canon::timestamp::Timestamp;

/// Parses the value of `--now`.
///
/// # Errors
/// [`ErrorKind::Usage`] if it is not a time.
pub fn parse_now(text: Option<&str>) -> Result<Option<Timestamp>, Error> {
    let Some(text) = text else { return Ok(None) };
    Timestamp::parse(text).map(Some).ok_or_else(|| {
        Error::new(ErrorKind::Usage, format!("`--now {text}`: invalid time"))
            .help("use RFC 3339, for example 2026-05-01T03:00:00Z")
    })
}
