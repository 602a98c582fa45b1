//! `--watch`: shows a state again whenever it changes.

use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::render::human::Colour;
use canonry_app::{Environment, Error};
use std::time::Duration;

/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(500);

/// Result of a look.
pub struct Look {
    pub text: String,
    /// Whether nothing will change any more.
    pub is_final: bool,
}

/// Shows what `look` finds: once, or with `repeat` until it is final or the user presses Ctrl-C.
///
/// # Errors
/// Those of `look`.
pub fn show(
    repeat: bool,
    format: Format,
    env: &Environment,
    out: &Out<'_>,
    mut look: impl FnMut() -> Result<Look, Error>,
) -> Result<Status, Error> {
    let clears = repeat && format == Format::Human && out.style.colour == Colour::Ansi;
    let mut shown = String::new();
    loop {
        let Look { text, is_final } = look()?;
        if text != shown {
            if clears {
                out.clear();
            }
            out.result(&text);
            shown = text;
        }
        if !repeat || is_final {
            return Ok(Status::Done);
        }
        if env.is_cancelled() {
            return Ok(Status::Interrupted);
        }
        std::thread::sleep(PAUSE);
    }
}
