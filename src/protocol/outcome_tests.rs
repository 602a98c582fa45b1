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
    let row = |session: &str| denial(HookTool::Claude, &call, &verdict, &json!({"session_id": session}));
    let mut log = b"not JSON denied\n".to_vec();
    assert!(!is_logged_denial(&log, &row("a")));
    log.extend(serde_json::to_vec(&row("a")).unwrap());
    assert!(is_logged_denial(&log, &row("a")));
    assert!(!is_logged_denial(&log, &row("b")));
}
