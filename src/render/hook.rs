//! Output of `hook`.

use serde_json::Value;

/// The answer for the tool: one line of JSON.
pub fn answer(answer: &Value) -> String {
    format!("{answer}\n")
}

/// A problem for the user.
pub fn notice(message: &str) -> String {
    format!("canonry hook: {message}\n")
}
