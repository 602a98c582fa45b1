//! `canonry hook` and `canonry protocol explain`, tested with the binary.

mod events;
mod explain;
mod failing;
mod protocol_list;
mod recorded;

use crate::common::repo::{Ran, Repo};
use std::io::Write as _;
use std::process::Stdio;

const LOG: &str = "agent/memory/episodic/AGENT_LEARNINGS.jsonl";

/// A repository after `canonry init`.
fn begun() -> Repo {
    let repo = Repo::new();
    assert_eq!(repo.run(&["init"]).status, 0);
    repo
}

/// Runs a hook with the input of a tool.
fn hook(repo: &Repo, args: &[&str], input: &str) -> Ran {
    let mut command = repo.canonry();
    command.arg("hook").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap().into()
}

fn bash(command: &str) -> String {
    serde_json::json!({"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": command}}).to_string()
}

fn rows(repo: &Repo) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(repo.path(LOG)).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
