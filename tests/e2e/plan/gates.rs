//! Gates: steps that wait for a person, and the guard on every command line that canonry runs for an agent.

use super::run::{commit, project, status};
use super::{read, run};
use crate::support::repo::{Ran, Repo};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

const PLAN: &str = "agent/plans/build/plan.yaml";
const SHARED: &str = "default: {argv: [sh, AGENT]}\n";
const PUSH: &str = "steps:\n  - {id: a, owner: A, criteria: c, commands: [\"Run: git push --force origin main\"]}\n";

/// A repository whose `main` was amended after a push: only a forced push can replace what is on the remote.
fn amended(plan: &str, owners: &str) -> Repo {
    let repo = project(plan, owners);
    assert_eq!(repo.canonry(&["init", "--all"]).status, 0);
    commit(&repo);
    let remote = repo.tmp().join("origin.git");
    repo.git(&["init", "-q", "--bare", "-b", "main", remote.to_str().unwrap()]);
    repo.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    repo.git(&["push", "-q", "origin", "main"]);
    repo.git(&["commit", "-q", "--amend", "-m", "rewritten"]);
    repo
}

fn set_status(repo: &Repo, status: &str) {
    repo.write(PLAN, read(repo, PLAN).replace("criteria: c", &format!("status: {status}, criteria: c")));
    commit(repo);
}

/// The hook's answer to a command of Claude Code.
fn hooked(repo: &Repo, command: &str) -> String {
    let event = serde_json::json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": command}});
    let mut hook = repo.canonry_command();
    hook.args(["hook", "pre-tool", "--tool", "claude"]);
    crate::hook::piped(hook, event.to_string().as_bytes()).stdout
}

#[test]
fn no_command_runs_a_line_that_the_guard_denies() {
    let repo = amended(PUSH, SHARED);
    let remote = || repo.git(&["ls-remote", "origin", "refs/heads/main"]);
    let before = remote();
    let refused = |args: &[&str], status: i32| {
        let ran = run(&repo, args, status);
        let all = format!("{}{}", ran.stdout, ran.stderr);
        for words in ["git push --force origin main", "agent/protocols/permissions.md:"] {
            assert!(all.contains(words), "{args:?}: {words}: {all}");
        }
        assert_eq!(remote(), before, "{args:?}");
    };
    for command in ["finish build a", "set build a complete", "verify build", "exec build a", "exec build"] {
        let answer = hooked(&repo, &format!("canonry run {command}"));
        assert!(!answer.contains("\"allow\""), "{command}: {answer}");
    }
    refused(&["set", "build", "a", "in_progress"], 5);
    refused(&["claim", "build", "a"], 5);
    refused(&["next", "build"], 3);
    refused(&["exec", "build"], 3);
    refused(&["exec", "build", "a"], 3);
    refused(&["approve", "build", "a", "--reason", "r"], 5);
    set_status(&repo, "in_progress");
    refused(&["finish", "build", "a", "--details", "done"], 5);
    repo.write(PLAN, read(&repo, PLAN).replace("in_progress", "complete"));
    commit(&repo);
    refused(&["verify", "build"], 5);
    assert_eq!(status(&repo, "a"), "complete");
}

#[test]
fn a_line_in_a_script_of_the_shell_is_read_too() {
    let plan = PUSH.replace("git push --force origin main", "sh -c 'cd . && git push -f origin main'");
    let repo = amended(&plan, SHARED);
    let before = repo.git(&["ls-remote", "origin"]);
    set_status(&repo, "in_progress");
    run(&repo, &["finish", "a", "--details", "done"], 5);
    assert_eq!(repo.git(&["ls-remote", "origin"]), before);
}

#[test]
fn the_commands_of_owners_are_guarded_too() {
    let plan = "steps:\n  - {id: a, owner: A, criteria: c}\n";
    let repo = amended(plan, "default: {argv: [sh, -c, \"git push --force origin main\"]}\n");
    let before = repo.git(&["ls-remote", "origin"]);
    let ran = run(&repo, &["exec"], 5);
    for words in ["agent/owners.yaml: the command of `default` is not run", "agent/protocols/permissions.md:"] {
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
    let flow = "name: flow\nsteps:\n  - {name: one, agent: A, prompt: p, end: true}\n";
    repo.write("agent/workflows/flow.yaml", flow);
    assert_eq!(repo.canonry(&["run", "start", "flow", "--task", "t"]).status, 0);
    assert_eq!(repo.canonry(&["run", "exec", "flow"]).status, 5);
    assert_eq!(repo.git(&["ls-remote", "origin"]), before);
    assert_eq!(status(&repo, "a"), "pending");
}

#[test]
fn an_agent_starts_no_agent_without_its_checks() {
    let plan = "steps:\n  - {id: a, owner: A, criteria: c}\n";
    let repo = project(plan, "default: {argv: [CLAUDE, -p, --dangerously-skip-permissions]}\n");
    let claude = repo.path("tools/claude");
    std::fs::copy(repo.path("tools/agent.sh"), &claude).unwrap();
    std::fs::set_permissions(&claude, std::fs::Permissions::from_mode(0o755)).unwrap();
    let owners = read(&repo, "agent/owners.yaml").replace("CLAUDE", &claude.display().to_string());
    repo.write("agent/owners.yaml", &owners);
    commit(&repo);
    let by = |agent: &[(&str, &str)]| -> Ran {
        let mut command: Command = repo.canonry_command();
        command.args(["run", "exec"]).envs(agent.iter().copied()).output().unwrap().into()
    };
    let ran = by(&[("CLAUDECODE", "1")]);
    assert_eq!((ran.status, status(&repo, "a")), (5, "pending".to_owned()), "{}", ran.stderr);
    assert!(ran.stderr.contains("it starts an agent without its checks"), "{}", ran.stderr);
    assert!(ran.stderr.contains("ask a person"), "{}", ran.stderr);
    assert_eq!(by(&[]).status, 0);
}

#[test]
fn an_approval_holds_in_every_command() {
    let plan =
        "steps:\n  - {id: gated, owner: A, criteria: c, approval: true, commands: [\"Run: test -s out/gated\"]}\n";
    let repo = project(plan, SHARED);
    let reason = "needs approval: the plan says `approval: true`";
    let refused = |args: &[&str], status: i32| {
        let ran = run(&repo, args, status);
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains(reason), "{args:?}: {}{}", ran.stdout, ran.stderr);
    };
    let shown = || -> serde_json::Value {
        let json = run(&repo, &["show", "--format", "json"], 0).stdout;
        serde_json::from_str::<serde_json::Value>(&json).unwrap()["steps"][0].clone()
    };
    refused(&["next"], 3);
    refused(&["next", "--claim"], 3);
    refused(&["show"], 0);
    refused(&["status", "build"], 0);
    refused(&["claim", "gated"], 5);
    refused(&["set", "gated", "in_progress"], 5);
    refused(&["exec", "gated"], 3);
    refused(&["exec"], 3);
    assert_eq!((shown()["ready"].as_bool(), status(&repo, "gated").as_str()), (Some(false), "pending"));
    // Somebody has begun and done it by hand.
    repo.write("out/gated", "x\n");
    set_status(&repo, "in_progress");
    refused(&["finish", "gated", "--details", "done"], 5);
    super::report(&repo, "gated", 1, "success");
    std::fs::rename(repo.path("agent/reports/login"), repo.path("agent/reports/build")).unwrap();
    refused(&["set", "gated", "complete"], 5);
    let check = run(&repo, &["check"], 1).stdout;
    assert!(
        check.contains("plan-unapproved") && check.contains("is in_progress, but nobody has approved it"),
        "{check}"
    );
    repo.write(PLAN, read(&repo, PLAN).replace("in_progress", "complete"));
    commit(&repo);
    refused(&["verify"], 5);
    assert!(run(&repo, &["check"], 1).stdout.contains("is complete, but nobody has approved it"));
    // A person approves it.
    run(&repo, &["approve", "gated", "--reason", "looked at it"], 0);
    run(&repo, &["check"], 0);
    run(&repo, &["set", "gated", "pending", "--reason", "again"], 0);
    assert_eq!(shown()["ready"].as_bool(), Some(true));
    assert!(run(&repo, &["next"], 0).stdout.starts_with("gated"));
    run(&repo, &["set", "gated", "in_progress"], 0);
    run(&repo, &["finish", "gated", "--details", "done"], 0);
    // An approval is of one version.
    repo.write(PLAN, read(&repo, PLAN).replace("criteria: c", "criteria: more"));
    assert!(run(&repo, &["check"], 1).stdout.contains("its approval is of an earlier version"));
}
