//! Outputs that real tools printed; `fixtures/agent/protocols/README.md` says how they were recorded.

use super::*;
use jiff::tz::TimeZone;
use std::path::Path;

/// When the outputs were recorded.
const NOW: &str = "2026-11-22T14:40:00Z";
const REPORT: &str = r#"{"step_id": "api", "outcome": "success", "details": "ok", "artifacts": [], "timestamp": "2026-05-01T12:00:00Z"}"#;

/// Interprets a recording: a file of stdout, or of stderr if its name ends with `.stderr`.
fn run(name: &str, status: Option<i32>) -> ToolResult {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures/agent/protocols").join(name);
    let escaped = serde_json::to_string(REPORT).unwrap();
    let text = std::fs::read_to_string(path).unwrap().replace("@REPORT@", escaped.trim_matches('"'));
    let (stdout, stderr) = if name.ends_with(".stderr") { ("", text.as_str()) } else { (text.as_str(), "") };
    let zone = |_: Option<&str>| Some(TimeZone::UTC);
    interpret(stdout, stderr, status, Timestamp::parse(NOW).unwrap(), &zone)
}

#[test]
fn the_final_message_has_the_report() {
    for name in [
        "claude-2.1.330/success.json",
        "claude-2.1.330/success.jsonl",
        "claude-2.1.330/success.txt",
        "claude-2.1.330/success-after-retry.jsonl",
        "codex-0.169.0/success.jsonl",
        "codex-0.169.0/success.txt",
        "codex-0.169.0/success-after-retry.jsonl",
        "gemini-0.61.0/success.json",
        "gemini-0.61.0/success.jsonl",
        "gemini-0.61.0/success.txt",
        "copilot-1.0.102/success.jsonl",
        "opencode-1.18.33/success.jsonl",
        "qwen-0.24.4/success.jsonl",
    ] {
        let result = run(name, Some(0));
        assert!(result.text.starts_with("The endpoint works and its test passes.\n\n```json\n{"), "{name}: {result:?}");
        assert_eq!((result.limit, result.is_error, result.error), (None, false, None), "{name}");
        let report: serde_json::Value = serde_json::from_str(&result.report.unwrap()).unwrap();
        assert_eq!(report, serde_json::from_str::<serde_json::Value>(REPORT).unwrap(), "{name}");
    }
    // The same run: the words about limits on stderr are part of the conversation.
    let conversation = run("codex-0.169.0/success.stderr", Some(1));
    assert_eq!((conversation.limit, conversation.report), (None, None));
}

#[test]
fn limits_are_recognised() {
    for (name, status, until) in [
        ("claude-2.1.330/limit.json", Some(1), Some("2026-11-22T17:35:00Z")),
        ("claude-2.1.330/limit.jsonl", Some(1), Some("2026-11-22T17:34:22Z")),
        ("claude-2.1.330/limit.txt", Some(1), Some("2026-11-22T17:35:00Z")),
        ("claude-2.1.330/weekly-limit.json", Some(1), Some("2026-11-26T01:55:00Z")),
        ("claude-2.1.330/weekly-limit.txt", Some(1), Some("2026-11-26T01:55:00Z")),
        ("claude-2.1.330/rate-limit.json", Some(1), None),
        ("claude-2.1.330/rate-limit.jsonl", Some(1), None),
        ("claude-2.1.330/rate-limit.txt", Some(1), None),
        ("claude-2.1.330/credit.json", Some(1), None),
        ("claude-2.1.330/credit.txt", Some(1), None),
        ("codex-0.169.0/limit.jsonl", Some(1), Some("2026-11-22T17:36:00Z")),
        ("codex-0.169.0/limit.stderr", Some(1), Some("2026-11-22T17:36:00Z")),
        ("codex-0.169.0/weekly-limit.jsonl", Some(1), Some("2026-11-26T01:56:00Z")),
        ("codex-0.169.0/weekly-limit.stderr", Some(1), Some("2026-11-26T01:56:00Z")),
        ("codex-0.169.0/rate-limit.jsonl", Some(1), None),
        ("codex-0.169.0/rate-limit.stderr", Some(1), None),
        ("codex-0.169.0/token-rate-limit.jsonl", Some(1), Some("2026-11-22T14:40:11Z")),
        ("codex-0.169.0/token-rate-limit.stderr", Some(1), Some("2026-11-22T14:40:11Z")),
        ("codex-0.169.0/quota.jsonl", Some(1), None),
        ("codex-0.169.0/quota.stderr", Some(1), None),
        ("gemini-0.61.0/daily-quota.stderr", Some(173), Some("2026-11-23T09:11:11Z")),
        ("gemini-0.61.0/daily-quota.jsonl", Some(173), None),
        ("gemini-0.61.0/rate-limit.stderr", Some(173), Some("2026-11-22T14:40:35Z")),
        ("gemini-0.61.0/rate-limit.jsonl", Some(173), Some("2026-11-22T14:40:35Z")),
        ("gemini-0.61.0/rate-limit-text.stderr", Some(1), Some("2026-11-22T14:40:35Z")),
        // An overloaded service may be free at once.
        ("claude-2.1.330/overloaded.json", Some(1), Some(NOW)),
        ("claude-2.1.330/overloaded.jsonl", Some(1), Some(NOW)),
        ("claude-2.1.330/overloaded.txt", Some(1), Some(NOW)),
        ("codex-0.169.0/overloaded.jsonl", Some(1), Some(NOW)),
        ("codex-0.169.0/overloaded.stderr", Some(1), Some(NOW)),
        ("gemini-0.61.0/overloaded.stderr", Some(247), Some(NOW)),
        // It was waiting for its quota when it was stopped.
        ("gemini-0.61.0/waiting.stderr", None, Some("2026-11-23T09:11:10Z")),
        ("qwen-0.24.4/waiting.stderr", Some(130), Some("2026-11-22T15:42:00Z")),
        ("copilot-1.0.102/limit.jsonl", Some(1), Some("2026-11-22T16:40:00Z")),
        ("copilot-1.0.102/limit.stderr", Some(1), Some("2026-11-22T16:40:00Z")),
        ("opencode-1.18.33/limit.jsonl", Some(1), Some("2026-11-22T16:40:00Z")),
        ("opencode-1.18.33/credit.jsonl", Some(1), None),
        ("qwen-0.24.4/limit.jsonl", Some(1), Some("2026-11-22T16:40:00Z")),
        ("qwen-0.24.4/limit.stderr", Some(1), Some("2026-11-22T16:40:00Z")),
        ("qwen-0.24.4/credit.stderr", Some(1), None),
    ] {
        let result = run(name, status);
        let found = result.limit.unwrap_or_else(|| panic!("{name}: {result:?}"));
        assert_eq!(found.until.map(|until| until.to_string()).as_deref(), until, "{name}");
        assert!(result.is_error && result.report.is_none(), "{name}");
    }
}

#[test]
fn other_errors_are_no_limits() {
    for (name, status, error) in [
        ("claude-2.1.330/server-error.json", 1, "API Error: 500 Internal server error."),
        ("claude-2.1.330/auth.json", 1, "Invalid API key"),
        ("claude-2.1.330/auth.jsonl", 1, "Invalid API key"),
        ("claude-2.1.330/auth.txt", 1, ""),
        ("claude-2.1.330/not-logged-in.json", 1, "Not logged in"),
        ("codex-0.169.0/server-error.jsonl", 1, "We’re currently experiencing high demand"),
        ("codex-0.169.0/auth.jsonl", 1, "unexpected status 401 Unauthorized"),
        ("codex-0.169.0/auth.stderr", 1, ""),
        ("gemini-0.61.0/server-error.jsonl", 244, "[API Error: "),
        ("gemini-0.61.0/auth.stderr", 144, "{\"error\":{\"code\":400,\"message\":\"API key not valid."),
        ("gemini-0.61.0/auth.jsonl", 144, "[API Error: "),
        ("gemini-0.61.0/auth-text.stderr", 1, ""),
        ("gemini-0.61.0/untrusted.stderr", 55, ""),
        ("copilot-1.0.102/auth.stderr", 1, ""),
        ("opencode-1.18.33/auth.jsonl", 1, "Incorrect API key provided."),
        ("qwen-0.24.4/auth.stderr", 1, ""),
    ] {
        let result = run(name, Some(status));
        assert_eq!((result.limit, result.is_error, &result.report), (None, true, &None), "{name}");
        match &result.error {
            Some(found) => assert!(!error.is_empty() && found.starts_with(error), "{name}: {found}"),
            None => assert_eq!(error, "", "{name}"),
        }
        assert!(error.is_empty() || result.text.starts_with(error), "{name}: {}", result.text);
    }
}
