//! The exit status of a command in the transcript of Codex CLI, which does not pass it to hooks.

use serde_json::Value;

/// Bytes at the end of a transcript that are searched.
pub const TRANSCRIPT_TAIL: u64 = 256 << 10;

/// Returns the exit status of a call from the last lines of a transcript. The first line may be incomplete.
pub fn exit_status(lines: &str, call_id: &str) -> Option<i64> {
    let id = Value::from(call_id);
    let quoted = id.to_string();
    let candidates = lines.lines().rev().filter(|line| line.contains(&quoted) && line.contains("\"exit_code\""));
    candidates.filter_map(|line| serde_json::from_str::<Value>(line).ok()).find_map(|row| {
        let payload = row.get("payload")?;
        // A finished command is an item of its own; older versions have an event instead.
        let end = payload.get("item").unwrap_or(payload);
        let is_call = ["id", "call_id"].iter().any(|key| end.get(key) == Some(&id));
        end.get("exit_code").filter(|_| is_call)?.as_i64()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_status_of_the_call() {
        let item = |id: &str, code: i64| {
            format!(
                "{{\"payload\":{{\"item\":{{\"type\":\"CommandExecution\",\"id\":\"{id}\",\"exit_code\":{code}}}}}}}"
            )
        };
        let event = "{\"payload\":{\"type\":\"exec_command_end\",\"call_id\":\"c3\",\"exit_code\":3}}";
        // The output of another call quotes the id.
        let quoting = "{\"payload\":{\"item\":{\"id\":\"c9\",\"exit_code\":9,\"aggregated_output\":\"\\\"c1\\\" \"}}}";
        let text =
            ["e\":1}", &item("c1", 2), &item("c2", 0), event, quoting, "{broken \"c1\" \"exit_code\""].join("\n");
        for (id, want) in [("c1", Some(2)), ("c2", Some(0)), ("c3", Some(3)), ("c4", None), ("", None)] {
            assert_eq!(exit_status(&text, id), want, "{id}");
        }
    }
}
