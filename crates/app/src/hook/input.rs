//! The event that a tool passes to its hook.

use canonry_text::lossy_json::repair;
use serde_json::Value;
use std::io;

/// Largest event that is read, in bytes.
pub const MAX_INPUT: u64 = 16 << 20;

/// An event. If it was damaged, what can be read of it.
#[derive(Debug)]
pub struct HookInput {
    /// The JSON object.
    pub event: Value,
    /// Why parts of it may be missing.
    pub defect: Option<InputError>,
}

/// The event cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// Nobody pipes an event into the hook.
    #[error("a hook reads its event as JSON from stdin, but stdin is a terminal")]
    Terminal,
    /// Reading failed.
    #[error("stdin: {0}")]
    Io(#[from] io::Error),
    /// The event is too large.
    #[error("stdin: the event is larger than 16 MiB; only its beginning was read")]
    TooLarge,
    /// The tool shortened the arguments.
    #[error("the tool passed only the beginning of the call's arguments")]
    CutArguments,
    /// The event is not JSON.
    #[error("stdin: expected one JSON object: {0}")]
    InvalidJson(#[from] serde_json::Error),
    /// The event is another JSON value.
    #[error("stdin: expected one JSON object")]
    NotAnObject,
}

/// Parses an event. Bytes and escapes that are no text are replaced, so that they cannot hide a call. If more than
/// [`MAX_INPUT`] bytes are given, the rest counts as missing.
///
/// # Errors
/// [`InputError::InvalidJson`] or [`InputError::NotAnObject`].
pub fn parse_input(bytes: &[u8]) -> Result<HookInput, InputError> {
    let end = usize::try_from(MAX_INPUT).unwrap_or(usize::MAX);
    let (bytes, is_cut) = bytes.get(..end).filter(|_| bytes.len() > end).map_or((bytes, false), |cut| (cut, true));
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let (event, defect): (Value, _) = match serde_json::from_str(text) {
        Ok(event) => (event, None),
        Err(error) => {
            let repaired = repair(text);
            (serde_json::from_str(&repaired.text)?, (!repaired.is_complete).then_some(error))
        }
    };
    let has_cut_arguments = event.get("toolInputTruncated") == Some(&Value::Bool(true));
    match (event, defect) {
        (mut event @ Value::Object(_), None) if has_cut_arguments && !is_cut => {
            restore_arguments(&mut event);
            Ok(HookInput { event, defect: Some(InputError::CutArguments) })
        }
        (event @ Value::Object(_), _) if is_cut => Ok(HookInput { event, defect: Some(InputError::TooLarge) }),
        (event @ Value::Object(_), defect) => Ok(HookInput { event, defect: defect.map(InputError::InvalidJson) }),
        (_, Some(error)) => Err(error.into()),
        (_, None) => Err(InputError::NotAnObject),
    }
}

/// Grok Build 1.0.41 passes the first 128 KiB of longer arguments, as text.
fn restore_arguments(event: &mut Value) {
    if let Some(arguments) = event.get_mut("tool_input")
        && let Some(text) = arguments.as_str()
        && let Ok(restored) = serde_json::from_str(&repair(text).text)
    {
        *arguments = restored;
    }
}
