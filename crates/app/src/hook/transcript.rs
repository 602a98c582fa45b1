//! Codex CLI passes the output of a command to hooks, but not its exit status. Its transcript has both.

use canonry_guard::transcript::{TRANSCRIPT_TAIL, exit_status};
use canonry_model::config::HookTool;
use canonry_repo::fs::{open, read_tail};
use serde_json::Value;

/// Whether the transcript that an event names has a failure of the event's call. A transcript that cannot be read has none.
pub(super) fn failed(tool: HookTool, input: &Value) -> bool {
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let ("codex", Some(path), Some(call)) = (tool.row.id, text("transcript_path"), text("tool_use_id")) else {
        return false;
    };
    let tail = open(path).and_then(|mut file| read_tail(&mut file, TRANSCRIPT_TAIL));
    let status = tail.ok().and_then(|lines| exit_status(&lines, call));
    status.is_some_and(|status| status != 0)
}
