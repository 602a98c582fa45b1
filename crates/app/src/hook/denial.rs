//! Denied calls in the episodic log.

use super::EventHandler;
use super::session::log_tail;
use canonry_guard::outcome::{denial, is_logged_denial};
use canonry_guard::{CallVerdict, ToolCall};
use canonry_text::secrets::redact_any;

impl EventHandler<'_> {
    /// Logs a denial once per session. A problem with the log is a notice: the call is denied anyway.
    pub(super) fn log_denial(&mut self, call: &ToolCall, verdict: &CallVerdict) {
        if !self.repository().has_canon() {
            return;
        }
        let mut row = denial(self.request.tool, call, verdict, self.input);
        // The log is redacted, so the comparison must be too.
        for value in row.values_mut() {
            if let Some(text) = value.as_str() {
                *value = redact_any(text).into_owned().into();
            }
        }
        let log = log_tail(self.repository());
        if is_logged_denial(&log, &row) {
            return;
        }
        if let Err(failure) = self.append_episode(row) {
            self.notices.push(format!("the denial is not logged: {}", failure.message));
        }
    }
}
