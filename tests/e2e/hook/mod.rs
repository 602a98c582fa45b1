//! `canonry hook` and `canonry protocol explain`, tested with the binary.

mod always_on;
mod decisions;
mod events;
mod explain;
mod failing;
mod hostile;
mod large;
mod missing;
mod pending;
mod protocol_list;
mod recorded;
mod special;
mod trust;

use crate::support::repo::{Ran, Repo};
use std::io::Write as _;
use std::process::{Command, Stdio};

const LOG: &str = "agent/memory/episodic/AGENT_LEARNINGS.jsonl";
/// Where rows of hooks wait for a dream.
const PENDING: &str = ".git/canonry/pending.jsonl";
const NOW: [&str; 2] = ["--now", "2026-05-02T00:00:00Z"];

/// A repository after `canonry init`.
fn begun() -> Repo {
    let repo = Repo::empty();
    assert_eq!(repo.canonry(&["init", "--all"]).status, 0);
    repo
}

/// Runs a hook with the input of a tool.
fn hook(repo: &Repo, args: &[&str], input: &str) -> Ran {
    let mut command = repo.canonry_command();
    command.arg("hook").args(args);
    piped(command, input.as_bytes())
}

/// Runs a command with an input.
pub fn piped(mut command: Command, input: &[u8]) -> Ran {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap().into()
}

/// Answer to Claude Code about a call: the decision and the reason.
fn decision(ran: &Ran) -> Option<(String, String)> {
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let answer: serde_json::Value = serde_json::from_str(&ran.stdout).ok()?;
    let of = |key: &str| answer["hookSpecificOutput"][key].as_str().map(str::to_owned);
    Some((of("permissionDecision")?, of("permissionDecisionReason")?))
}

/// The decision about a command.
fn decided(repo: &Repo, command: &str) -> Option<String> {
    let ran = hook(repo, &["pre-tool", "--tool", "claude"], &bash(command));
    decision(&ran).map(|(decision, _)| decision)
}

fn bash(command: &str) -> String {
    serde_json::json!({"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": command}}).to_string()
}

/// The event of a failed command.
fn failure(command: &str, error: &str) -> String {
    let input = serde_json::json!({"command": command});
    serde_json::json!({"session_id": "s1", "tool_name": "Bash", "tool_input": input, "error": error}).to_string()
}

/// The rows that hooks logged.
fn rows(repo: &Repo) -> Vec<serde_json::Value> {
    rows_of(repo, PENDING)
}

fn rows_of(repo: &Repo, log: &str) -> Vec<serde_json::Value> {
    let text = repo.text_if_any(log);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
