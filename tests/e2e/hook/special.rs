//! Pipes and sockets in place of files: no command and no hook waits for them.

use super::{LOG, PENDING, bash, begun, decided, piped};
use crate::support::repo::{Ran, Repo};
use std::os::unix::net::UnixListener;
use std::process::Command;

/// The status of `timeout` for a command that did not end.
const HUNG: i32 = 124;

const FILES: [&str; 18] = [
    LOG,
    "agent/canonry.yaml",
    "agent/AGENTS.md",
    "agent/mirrors.lock",
    "agent/protocols/permissions.md",
    "agent/protocols/tool_schemas/plain.schema.json",
    "agent/skills/intake/SKILL.md",
    "agent/memory/semantic/LESSONS.md",
    "agent/memory/semantic/REVIEW.jsonl",
    "agent/memory/working/WORKSPACE.md",
    "agent/memory/episodic/snapshots/2026-01.jsonl",
    "agent/hooks.yaml",
    "agent/mcp.json",
    "agent/owners.yaml",
    "agent/plans/p/plan.yaml",
    "agent/workflows/w.yaml",
    "CLAUDE.md",
    ".claude/settings.json",
];

const COMMANDS: [&[&str]; 18] = [
    &["check"],
    &["check", "--staged"],
    &["sync"],
    &["sync", "--check"],
    &["status"],
    &["doctor"],
    &["context"],
    &["recall", "deploy"],
    &["log", "--action", "x"],
    &["dream"],
    &["memory", "status"],
    &["memory", "review"],
    &["skills", "list"],
    &["run", "next"],
    &["protocol", "list"],
    &["import"],
    &["skills", "index"],
    &["init"],
];

/// A command line of canonry, ended after some seconds.
fn limited(repo: &Repo, args: &[&str]) -> Command {
    let mut command = repo.command("timeout");
    command.arg("20").arg(assert_cmd::cargo::cargo_bin!("canonry")).args(args);
    command
}

fn hook(repo: &Repo, event: &str, input: &str) -> Ran {
    piped(limited(repo, &["hook", event, "--tool", "claude"]), input.as_bytes())
}

#[test]
fn no_command_waits_for_a_pipe_or_a_socket() {
    for (at, path) in FILES.into_iter().enumerate() {
        let repo = begun();
        let place = repo.path(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        if place.exists() {
            std::fs::remove_file(&place).unwrap();
        }
        let socket = (at % 3 == 2).then(|| UnixListener::bind(&place).unwrap());
        if socket.is_none() {
            assert!(Command::new("mkfifo").arg(&place).status().unwrap().success());
        }
        for args in COMMANDS {
            let ran: Ran = piped(limited(&repo, args), b"");
            assert!(ran.status != HUNG, "{path}, {args:?}: {}{}", ran.stdout, ran.stderr);
        }
        for event in ["session-start", "failure", "stop", "pre-tool"] {
            let ran = hook(&repo, event, &bash("rm -rf /"));
            assert_ne!(ran.status, HUNG, "{path}, {event}");
            if event == "pre-tool" {
                assert!(ran.stdout.contains("\"deny\""), "{path}: {}{}", ran.stdout, ran.stderr);
            }
        }
    }
}

#[test]
fn the_log_of_the_memory_is_not_replaced() {
    let repo = begun();
    for command in [
        format!("rm -f {LOG}; mkfifo {LOG}"),
        format!("rm {LOG}"),
        format!("rm -f {PENDING}"),
        format!("mkfifo {LOG}"),
        format!("mv {LOG} /tmp/x"),
        format!("ln -sf /dev/full {LOG}"),
        format!("truncate -s 0 {LOG}"),
        "rm -rf agent/memory/episodic".to_owned(),
        format!("cp /dev/null {LOG}"),
    ] {
        assert_eq!(decided(&repo, &command).as_deref(), Some("deny"), "{command}");
    }
    for command in [format!("cat {LOG}"), format!("echo '{{}}' >> {LOG}"), format!("grep deploy {LOG} | wc -l")] {
        assert_ne!(decided(&repo, &command).as_deref(), Some("deny"), "{command}");
    }
}
