//! What a tool asks, and what it is told where there is nothing to tell.

use super::found::Found;
use crate::app::Environment;
use crate::cli::output::Out;
use crate::config::HookFailMode;
use crate::protocol::HookTool;
use crate::protocol::response::{self, HookEvent};
use serde_json::Value;

/// What is asked.
pub struct Asked<'a> {
    /// By which tool.
    pub tool: HookTool,
    /// At which event.
    pub event: HookEvent,
    /// At what time, where it is given.
    pub now: Option<&'a str>,
    /// The surroundings.
    pub env: &'a Environment,
}

/// Says on stderr what could not be done, and to the tool what the config has for that.
pub fn cannot(asked: &Asked<'_>, found: Option<&Found>, why: &str, out: &Out<'_>) -> Option<Value> {
    out.remark(&format!("canonry hook: {why}\n"));
    let closed = found.is_some_and(|found| found.config.hooks.fail == HookFailMode::Closed && found.has_canon());
    if closed && asked.event == HookEvent::PreTool {
        return Some(response::deny(asked.tool, &format!("the hook cannot do its work: {why}")));
    }
    nothing(asked)
}

/// What is said where nothing is to be said.
pub fn nothing(asked: &Asked<'_>) -> Option<Value> {
    response::no_opinion(asked.tool, asked.event)
}
