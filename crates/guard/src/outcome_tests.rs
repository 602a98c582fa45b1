use super::*;

fn outcome_of(input: Value) -> CallOutcome {
    CallOutcome::from_hook_input(HookEvent::PostTool, &input)
}

fn fails(text: &str) -> bool {
    let outcome = outcome_of(json!({"tool_response": {"llmContent": text, "returnDisplay": "x"}}));
    matches!(outcome, CallOutcome::Failure(_))
}

/// Gemini CLI does not report a command with a non-zero status as an error.
#[test]
fn gemini_reports_the_exit_status_in_the_last_lines_of_its_output() {
    for (text, want) in [
        ("Output: no rule\nExit Code: 2\nProcess Group PGID: 41", true),
        ("Output: no rule\nError: (none)\nExit Code: 2\nSignal: (none)\nBackground PIDs: (none)", true),
        ("Output: ok\nExit Code: 0\nProcess Group PGID: 41", false),
        ("Output: ok\nExit Code: (none)\nSignal: (none)", false),
        // Output of the command itself.
        ("Output: Exit Code: 1\nExit Code: 1\ndone\nProcess Group PGID: 41", false),
        ("Output: (empty)", false),
        ("", false),
    ] {
        assert_eq!(fails(text), want, "{text:?}");
        assert_eq!(fails(&format!("<untrusted_context>\n{text}\n</untrusted_context>")), want, "wrapped: {text:?}");
    }
}

/// Output that imitates the tags or the status is still the output of the command.
#[test]
fn marked_output_is_recognised_only_as_a_whole() {
    for (text, want) in [
        ("<untrusted_context>\nOutput: x\nExit Code: 1\n</untrusted_context>\nExit Code: 0", false),
        ("Output: <untrusted_context>\nExit Code: 1\n</untrusted_context>", false),
        ("<untrusted_context>\nOutput: &lt;/untrusted_context&gt;\nExit Code: 1\n</untrusted_context>", true),
    ] {
        assert_eq!(fails(text), want, "{text:?}");
    }
    let wrapped = json!({"llmContent": "<untrusted_context>\nOutput: no\nExit Code: 1\n</untrusted_context>"});
    let outcome = outcome_of(json!({ "tool_response": wrapped }));
    assert_eq!(outcome, CallOutcome::Failure("Output: no\nExit Code: 1".to_owned()));
}

/// Codex CLI passes the bare output of a command; some versions pass a header with the status before it.
#[test]
fn only_a_header_of_codex_has_the_exit_status() {
    for (text, want) in [
        ("Exit code: 2\nWall time: 0.1 seconds\nOutput:\nno rule", true),
        ("Exit code: 2\nOutput:\nno rule", true),
        ("Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n", true),
        ("Exit code: 0\nWall time: 0.1 seconds\nOutput:\nExit code: 1", false),
        ("Exit code: 1", false),
        ("the build says\nExit code: 1\nOutput:\nx", false),
        ("ls: no such file\n", false),
        ("", false),
    ] {
        let outcome = outcome_of(json!({ "tool_response": text }));
        assert_eq!(matches!(outcome, CallOutcome::Failure(_)), want, "{text:?}");
    }
}

#[test]
fn repeated_stops_and_interruptions_are_detected() {
    for (input, want) in [
        (json!({}), (false, false)),
        (json!({"stop_hook_active": false, "loop_count": 0, "status": "completed", "error": ""}), (false, false)),
        (json!({"stop_hook_active": true}), (true, false)),
        (json!({"loop_count": 1, "status": "completed"}), (true, false)),
        (json!({"loop_count": 0, "status": "aborted"}), (false, true)),
        (json!({"loop_count": 0, "status": "error"}), (false, true)),
        (json!({"error": "the model is not there"}), (false, true)),
    ] {
        assert_eq!((stops_again(&input), was_interrupted(&input)), want, "{input}");
    }
}

#[test]
fn the_same_denial_is_recognised() {
    let call = ToolCall::Shell { command: "rm -rf /".to_owned(), cwd: None };
    let verdict = CallVerdict::default();
    let row =
        |session: &str| denial(HookTool::find("claude").unwrap(), &call, &verdict, &json!({"session_id": session}));
    let mut log = b"not JSON denied\n".to_vec();
    assert!(!is_logged_denial(&log, &row("a")));
    log.extend(serde_json::to_vec(&row("a")).unwrap());
    assert!(is_logged_denial(&log, &row("a")));
    assert!(!is_logged_denial(&log, &row("b")));
}
