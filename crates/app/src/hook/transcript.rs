//! Codex CLI passes the output of a command to hooks, but not its exit status. Its transcript has both.

use canonry_guard::transcript::{TRANSCRIPT_TAIL, exit_status};
use canonry_model::config::HookTool;
use serde_json::Value;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// Whether the transcript that an event names has a failure of the event's call. A transcript that cannot be read has none.
pub(super) fn failed(tool: HookTool, input: &Value) -> bool {
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let ("codex", Some(path), Some(call)) = (tool.row.id, text("transcript_path"), text("tool_use_id")) else {
        return false;
    };
    let status = tail(Path::new(path)).ok().and_then(|lines| exit_status(&lines, call));
    status.is_some_and(|status| status != 0)
}

/// The end of a regular file.
fn tail(path: &Path) -> io::Result<String> {
    let mut file = canonry_repo::fs::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TRANSCRIPT_TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TRANSCRIPT_TAIL).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
