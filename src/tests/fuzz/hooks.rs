//! Input of agent hooks.

use crate::tests::fuzz::{fuzz, seeds, text};
use canonry_guard::response::{self, HookEvent};
use canonry_guard::{CallContext, Policy, ToolCall, Verdict, evaluate, outcome};
use canonry_model::canon::Layout;
use canonry_model::config::HookTool;
use serde_json::Value;

/// Evaluating a command line never panics, and a denied command stays denied in a shell and after another command.
#[test]
fn command_lines() {
    let table = include_str!("../../../fixtures/protocol/commands.tsv");
    let seeds: Vec<Vec<u8>> =
        table.lines().filter_map(|line| Some(line.split_once('\t')?.1.as_bytes().to_vec())).collect();
    fuzz(&seeds, 22, |bytes| {
        text(bytes, |text| {
            let mut policy = Policy::new(Layout::default(), canonry_model::config::HooksConfig::default());
            policy.add_permissions(include_str!("../../../fixtures/protocol/permissions.md").to_owned());
            let around = CallContext { cwd: "/srv/repo".to_owned(), ..CallContext::default() };
            let verdict_of =
                |text: String| evaluate(&ToolCall::Shell { command: text, cwd: None }, &policy, &around).verdict;
            let verdict = verdict_of(text.to_owned());
            let plain = |c: char| c.is_ascii_alphanumeric() || " -/.:_+=".contains(c);
            let is_option = text.starts_with(['-', '+']);
            if verdict == Verdict::Deny && !is_option && text.chars().all(plain) && text.len() < 2_000 {
                for wrapped in [format!("sh -c '{text}'"), format!("true && {text}"), format!("( {text} )")] {
                    assert_eq!(verdict_of(wrapped), Verdict::Deny);
                }
            }
        });
    });
}

/// JSON input that tools send to their hooks.
#[test]
fn events_of_hooks() {
    let seeds = seeds(&["-deny.json", "failure.json", "post-tool-failure.json", "-edit.json"]);
    fuzz(&seeds, 23, |bytes| {
        let Ok(case) = serde_json::from_slice::<Value>(bytes) else { return };
        let input = case.get("input").unwrap_or(&case);
        for tool in HookTool::all().iter().copied() {
            let Some(call) = ToolCall::from_hook_input(tool, input) else { continue };
            for event in [HookEvent::PostTool, HookEvent::Failure] {
                drop(outcome::episode(tool, &call, &outcome::CallOutcome::from_hook_input(event, input), input));
            }
            let policy = Policy::new(Layout::default(), canonry_model::config::HooksConfig::default());
            let verdict = evaluate(&call, &policy, &CallContext::default());
            drop(response::passed(tool, &verdict, true));
            drop(response::stopped(tool, &verdict, Some("0"), true));
        }
    });
}

/// Calls of any tool, with any arguments.
#[test]
fn calls_of_tools() {
    let table = include_str!("../../../fixtures/protocol/calls.tsv");
    let seeds: Vec<Vec<u8>> =
        table.lines().filter_map(|line| Some(line.split_once('\t')?.1.as_bytes().to_vec())).collect();
    fuzz(&seeds, 24, |bytes| {
        text(bytes, |text| {
            let mut policy = Policy::new(Layout::default(), canonry_model::config::HooksConfig::default());
            policy.add_permissions(include_str!("../../../fixtures/protocol/permissions.md").to_owned());
            let around = CallContext { cwd: "/srv/repo".to_owned(), ..CallContext::default() };
            let (name, args) = text.split_once('\t').unwrap_or(("mcp__x__run", text));
            let args = serde_json::from_str::<Value>(args).unwrap_or_else(|_| Value::from(args));
            for name in [name, "PowerShell", "WebFetch", "mcp__shell__execute_command"] {
                drop(evaluate(&ToolCall::from_name_and_args(name, &args), &policy, &around));
            }
        });
    });
}
