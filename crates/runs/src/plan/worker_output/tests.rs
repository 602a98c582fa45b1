//! Protocols that were written from documentation, and outputs that only talk about limits.

use super::*;
use jiff::tz::{Offset, TimeZone};
use std::path::Path;

const NOW: &str = "2026-05-01T12:00:00Z";

fn now() -> Timestamp {
    Timestamp::parse(NOW).unwrap()
}

fn zone(name: Option<&str>) -> Option<TimeZone> {
    let hours = match name {
        None | Some("UTC") => 0,
        Some("America/New_York") => -4,
        Some(_) => return None,
    };
    Some(Offset::constant(hours).to_time_zone())
}

fn run(stdout: &str, stderr: &str, status: Option<i32>) -> ToolResult {
    interpret(stdout, stderr, status, now(), &zone)
}

const REPORT: &str = r#"{"step_id": "api", "outcome": "success", "details": "ok", "artifacts": [], "timestamp": "2026-05-01T12:00:00Z"}"#;

fn protocol(name: &str) -> String {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures/agent/protocols").join(name);
    let escaped = serde_json::to_string(REPORT).unwrap();
    std::fs::read_to_string(path).unwrap().replace("@REPORT@", escaped.trim_matches('"'))
}

#[test]
fn a_report_is_found_in_the_final_message_of_each_tool() {
    for (name, words) in [
        ("cursor-success.json", "Done."),
        ("antigravity-success.json", "The report is written."),
        ("antigravity-stream-success.jsonl", "The report is written."),
    ] {
        let result = run(&protocol(name), "", Some(0));
        assert!(result.text.starts_with(words), "{name}: {result:?}");
        assert_eq!((result.limit, result.is_error), (None, false), "{name}");
        let report: serde_json::Value = serde_json::from_str(&result.report.unwrap()).unwrap();
        assert_eq!(report, serde_json::from_str::<serde_json::Value>(REPORT).unwrap(), "{name}");
    }
}

#[test]
fn the_limit_of_each_tool_is_recognised() {
    for (name, until) in [
        ("claude-limit-1.0.json", Some("2026-05-01T16:00:00Z")),
        ("claude-limit-2.1.json", Some("2026-05-02T02:51:00Z")),
        ("claude-stream-limit.jsonl", Some("2026-05-01T16:00:00Z")),
        ("claude-limit.txt", Some("2026-05-02T02:01:00Z")),
        ("codex-limit.jsonl", Some("2026-05-01T12:17:00Z")),
        ("codex-limit.stderr", Some("2026-05-06T22:54:00Z")),
        ("gemini-quota.stderr", Some("2026-05-02T06:31:10Z")),
        ("gemini-stream-quota.jsonl", Some("2026-05-01T12:00:35Z")),
        ("cursor-limit.stderr", Some("2026-05-17T00:01:00Z")),
        ("antigravity-quota.json", Some("2026-05-07T11:57:55Z")),
        ("antigravity-quota.stderr", Some("2026-05-07T11:57:55Z")),
    ] {
        let text = protocol(name);
        let result = if name.ends_with(".stderr") { run("", &text, Some(1)) } else { run(&text, "", Some(1)) };
        let found = result.limit.unwrap_or_else(|| panic!("{name}: {result:?}"));
        assert_eq!(found.until.map(|until| until.to_string()).as_deref(), until, "{name}");
        assert!(result.is_error && result.report.is_none(), "{name}");
    }
    // Older versions of Claude Code end with status 0.
    let old = run("Claude AI usage limit reached|1777651200\n", "", Some(0));
    assert!(old.is_error && old.limit.is_some());
    let unknown = run(
        r#"{"type":"turn.failed","error":{"message":"Your workspace is out of credits. Add credits to continue."}}"#,
        "",
        Some(1),
    );
    assert_eq!(unknown.limit, Some(UsageLimit { until: None }));
}

#[test]
fn a_worker_that_talks_about_limits_has_reached_none() {
    let talk = "I made the client show \"Claude AI usage limit reached|1777651200\" and `You've hit your usage limit`.";
    let as_json = |is_error: bool| {
        serde_json::json!({"type": "result", "subtype": "success", "is_error": is_error, "result": talk}).to_string()
    };
    let codex = |last: &str| {
        let message = serde_json::json!({"type": "item.completed", "item": {"type": "agent_message", "text": talk}});
        format!("{message}\n{last}")
    };
    for (stdout, stderr, status) in [
        (talk.to_owned(), "", Some(0)),
        (format!("Fixed.\n{talk}\n"), "", Some(1)),
        (as_json(false), "", Some(0)),
        // The tool failed after the message, for another reason.
        (as_json(false), "", Some(1)),
        (as_json(false), "Error: connection lost", Some(1)),
        (codex(r#"{"type":"turn.completed","usage":{}}"#), "", Some(0)),
        (codex(r#"{"type":"turn.failed","error":{"message":"stream disconnected before completion"}}"#), "", Some(1)),
        // Codex CLI prints the whole conversation on stderr.
        (
            String::new(),
            "user\nwhat means usage limit reached?\nexec\ngrep RESOURCE_EXHAUSTED src\nERROR: stream disconnected",
            Some(1),
        ),
        (String::new(), "ERROR: You've hit your usage limit\nERROR: stream disconnected", Some(1)),
        ("a\nb\nc\n5-hour limit reached\n".to_owned(), "", Some(1)),
        (String::new(), "thinking about: ERROR: You've hit your usage limit", Some(1)),
        (String::new(), "Error: context window limit reached", Some(1)),
        // A number is a status only where a tool prints one.
        ("429 tests failed".to_owned(), "", Some(1)),
        (String::new(), "429 files\nError: disk full", Some(1)),
        (String::new(), "", None),
    ] {
        let result = run(&stdout, stderr, status);
        assert_eq!(result.limit, None, "{stdout} {stderr}");
    }
}

#[test]
fn failures_are_errors() {
    for (stdout, status, is_error, text) in [
        (
            r#"{"type":"result","subtype":"error_max_turns","is_error":false,"num_turns":9}"#,
            Some(0),
            true,
            "the tool failed",
        ),
        (
            r#"{"type":"result","subtype":"success","is_error":true,"result":"Invalid API key"}"#,
            Some(1),
            true,
            "Invalid API key",
        ),
        (r#"{"type":"turn.failed","error":{"message":"no access"}}"#, Some(1), true, "no access"),
        (r#"{"id":"1","msg":{"type":"error","message":"no access"}}"#, Some(1), true, "no access"),
        (r#"{"id":"1","msg":{"type":"agent_message","message":"old format"}}"#, Some(0), false, "old format"),
        (
            r#"{"conversation_id":"","status":"ERROR","response":"","error":"authentication failed"}"#,
            Some(1),
            true,
            "authentication failed",
        ),
        (
            r#"[{"type":"system"},{"type":"result","is_error":false,"result":"as an array"}]"#,
            Some(0),
            false,
            "as an array",
        ),
        ("warning: old version\n{\n \"response\": \"late object\"\n}\n", Some(0), false, "late object"),
        ("plain words", Some(0), false, "plain words"),
        ("plain words", Some(3), true, "plain words"),
        ("plain words", None, true, "plain words"),
        ("{\"half\": ", Some(0), false, "{\"half\":"),
        ("", Some(0), false, ""),
    ] {
        let result = run(stdout, "", status);
        assert_eq!((result.is_error, result.text.as_str()), (is_error, text), "{stdout}");
    }
}

#[test]
fn text_and_report_have_no_secrets_and_no_control_characters() {
    let token = format!("ghp_{}", "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo");
    let message =
        format!("\u{1b}[31mkey {token}\n{{\"step_id\": \"api\", \"outcome\": \"failure\", \"details\": \"{token}\"}}");
    let result = run(&message, "", Some(0));
    let report = result.report.unwrap();
    assert!(!result.text.contains("q7Zp2L") && !result.text.contains('\u{1b}') && result.text.contains('\n'));
    assert!(!report.contains("q7Zp2L") && serde_json::from_str::<serde_json::Value>(&report).is_ok(), "{report}");
    let long = run(&format!("{}end", "x".repeat(1 << 20)), "", Some(0)).text;
    assert!(long.len() <= TEXT_LIMIT && long.ends_with("end"));
}

/// The final message of all recordings.
const RECORDED: &str = "The endpoint works and its test passes.\n\n```json\nREPORT\n```";

#[test]
fn the_answer_is_the_last_message_of_each_tool() {
    for (name, answer) in [
        ("claude-2.1.330/success.json", RECORDED),
        ("claude-2.1.330/success.jsonl", RECORDED),
        ("codex-0.169.0/success.jsonl", RECORDED),
        ("gemini-0.61.0/success.json", RECORDED),
        ("gemini-0.61.0/success.jsonl", RECORDED),
        ("cursor-success.json", "Done. REPORT"),
        ("antigravity-success.json", "The report is written.\nREPORT"),
        ("antigravity-stream-success.jsonl", "The report is written. REPORT"),
    ] {
        let result = run(&protocol(name), "", Some(0));
        assert_eq!((result.answer.as_str(), result.omitted), (&*answer.replace("REPORT", REPORT), 0), "{name}");
    }
    let message = |text: &str| serde_json::json!({"type": "message", "role": "assistant", "content": text}).to_string();
    let call = r#"{"type":"tool_use","tool_name":"read_file","tool_id":"t","parameters":{}}"#;
    let update = |step: serde_json::Value| serde_json::json!({"event": "step_update", "step_update": step}).to_string();
    for (stdout, answer) in [
        // What a tool prints piece by piece starts anew after each call.
        ([message("I look: REJECTED?"), call.to_owned(), message("APP"), message("ROVED")].join("\n"), "APPROVED"),
        ([message("APPROVED"), call.to_owned()].join("\n"), "APPROVED"),
        (
            [
                update(serde_json::json!({"text_delta": "I look."})),
                update(serde_json::json!({"tool_name": "view_file"})),
                update(serde_json::json!({"text_delta": "APPROVED"})),
            ]
            .join("\n"),
            "APPROVED",
        ),
        ("plain words\nAPPROVED\n".to_owned(), "plain words\nAPPROVED"),
        (r#"{"approved": true}"#.to_owned(), r#"{"approved": true}"#),
        ("{\n  \"response\": \"late object\"\n}".to_owned(), "late object"),
        (
            r#"{"type":"result","subtype":"success","is_error":false,"result":"","structured_output":{"ok":true}}"#
                .to_owned(),
            r#"{"ok":true}"#,
        ),
        (r#"{"type":"turn.failed","error":{"message":"no access"}}"#.to_owned(), ""),
        (String::new(), ""),
    ] {
        assert_eq!(run(&stdout, "", Some(0)).answer, answer, "{stdout}");
    }
}

#[test]
fn an_answer_has_no_secrets_and_is_bounded() {
    let token = format!("ghp_{}", "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo");
    let json = run(&format!("{{\"key\": \"{token}\", \"text\": \"a\u{1b}[31mb\"}}"), "", Some(0));
    assert!(!json.answer.contains("q7Zp2L"), "{}", json.answer);
    let value: serde_json::Value = serde_json::from_str(&json.answer).unwrap();
    assert_eq!(value["text"], "ab");
    let structured = run(
        &format!(r#"{{"type":"result","is_error":false,"result":"Done.","structured_output":{{"key":"{token}"}}}}"#),
        "",
        Some(0),
    );
    let field = structured.structured.unwrap();
    assert!(structured.answer == "Done." && !field.contains("q7Zp2L") && field.starts_with("{\"key\""), "{field}");
    let long = run(&format!("{}end", "ä".repeat(ANSWER_LIMIT)), "", Some(0));
    assert!(long.answer.len() <= ANSWER_LIMIT && long.answer.ends_with("end"));
    assert_eq!(long.answer.len() + long.omitted, 2 * ANSWER_LIMIT + 3);
}

#[test]
fn the_usage_of_each_tool_is_read() {
    let usage = |input, cached, output, cost_usd| WorkerUsage {
        input_tokens: input,
        cached_tokens: cached,
        output_tokens: output,
        cost_usd,
    };
    for (name, want) in [
        ("claude-2.1.330/success.json", usage(Some(1200), Some(0), Some(90), Some(0.0066))),
        ("codex-0.169.0/success.jsonl", usage(Some(2400), Some(0), Some(180), None)),
        ("antigravity-success.json", usage(Some(12249), None, Some(19), None)),
        ("gemini-0.61.0/success.json", usage(Some(2400), Some(0), Some(180), None)),
        ("cursor-success.json", WorkerUsage::default()),
        ("opencode-1.18.33/success.jsonl", usage(Some(2000), Some(400), Some(100), Some(0.0))),
    ] {
        assert_eq!(run(&protocol(name), "", Some(0)).usage, want, "{name}");
    }
    for (stdout, want) in [
        (
            r#"{"type":"result","is_error":false,"result":"a","total_cost_usd":1.5,"usage":{"input_tokens":3,
                "cache_creation_input_tokens":40,"cache_read_input_tokens":500,"output_tokens":7}}"#,
            usage(Some(543), Some(500), Some(7), Some(1.5)),
        ),
        // A failure has a price too.
        (
            r#"{"type":"result","subtype":"error_max_turns","is_error":true,"total_cost_usd":0.25}"#,
            usage(None, None, None, Some(0.25)),
        ),
        (
            r#"{"response":"a","stats":{"models":{
                "pro":{"tokens":{"prompt":100,"candidates":20,"total":125,"cached":60,"thoughts":5,"tool":0}},
                "flash":{"tokens":{"prompt":10,"candidates":2,"total":12,"cached":0,"thoughts":0}}}}}"#,
            usage(Some(110), Some(60), Some(27), None),
        ),
        (
            r#"{"type":"result","status":"success","stats":{"total_tokens":30,"input_tokens":20,"output_tokens":10,"cached":4,"input":16}}"#,
            usage(Some(20), Some(4), Some(10), None),
        ),
        (
            r#"{"id":"1","msg":{"type":"token_count","info":{"total_token_usage":{"input_tokens":9,"cached_input_tokens":8,"output_tokens":7}}}}"#,
            usage(Some(9), Some(8), Some(7), None),
        ),
        // Numbers that make no sense are unknown.
        (
            r#"{"type":"result","is_error":false,"result":"a","total_cost_usd":-1,"usage":{"input_tokens":-3,"output_tokens":"7"}}"#,
            WorkerUsage::default(),
        ),
        (r#"{"usage":{"input_tokens":3},"total_cost_usd":2}"#, WorkerUsage::default()),
    ] {
        assert_eq!(run(stdout, "", Some(0)).usage, want, "{stdout}");
    }
}

#[test]
fn a_structured_output_is_the_report() {
    let output =
        format!(r#"{{"type":"result","subtype":"success","is_error":false,"result":"","structured_output":{REPORT}}}"#);
    assert!(run(&output, "", Some(0)).report.unwrap().contains("\"step_id\":\"api\""));
}

proptest::proptest! {
    /// Output of any kind is data: nothing in it makes the program panic, and only errors are limits.
    #[test]
    fn any_output_can_be_interpreted(
        out in "(\\{\"type\":\"(result|error|turn.failed)\"|\"error\":|\"is_error\":true|resets (at )?|try again (in|at) |[0-9]{1,12}(am|PM|:[0-9]{2}|ms|h| days)|[A-Z][a-z]{2} |\\|[0-9]{9,22}|\\(UTC\\)|[{}\", ä\u{1b}\n]){0,12}",
        err in "(ERROR: |⚠ |You've hit your limit|Individual quota reached|Resets in |[0-9]{1,20}[smhd]|\n|ö){0,8}",
        status in proptest::option::of(0..2i32),
    ) {
        let result = run(&out, &err, status);
        proptest::prop_assert!(result.is_error || result.limit.is_none());
        if let Some(until) = result.limit.and_then(|limit| limit.until) {
            proptest::prop_assert!(until >= now());
        }
    }
}
