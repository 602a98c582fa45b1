//! Clones that share a plan through a remote.

use super::run;
use super::run::{commit, project};
use crate::support::repo::{Ran, Repo};
use std::path::Path;

/// A repository whose owners are the fake agent; `script` says what it does at each step.
fn faked(plan: &str, script: &str) -> Repo {
    let agent = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/agent/fake-agent");
    let owners = "default: {argv: [FAKE], isolation: worktree}\n".replace("FAKE", &agent.display().to_string());
    let repo = project(plan, &owners);
    std::fs::write(repo.tmp().join("script"), script).unwrap();
    repo
}

fn execute(repo: &Repo, args: &[&str]) -> Ran {
    let script = repo.tmp().join("script");
    repo.canonry_command().arg("plan").args(args).env("FAKE_AGENT_SCRIPT", script).output().unwrap().into()
}

const PLAN: &str = "steps:
  - {id: api, owner: Claude, criteria: c, commands: [\"Run: test -s api.txt\"], files: [api.txt]}
  - {id: ui, owner: Codex, deps: [api], criteria: c, commands: [\"Run: test -s ui.txt\"], files: [ui.txt]}
";

#[test]
fn two_clones_share_a_plan_through_a_bare_remote() {
    let first = faked(PLAN, "api write api.txt\napi report success\nui write ui.txt\nui report success\n");
    first.write("canonry.yaml", "plans: {remote: origin}\n");
    commit(&first);
    let remote = first.tmp().join("remote.git");
    first.git(&["init", "-q", "--bare", "-b", "main", remote.to_str().unwrap()]);
    first.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    first.git(&["push", "-q", "origin", "main"]);
    let second = Repo::without_git();
    second.git(&["clone", "-q", remote.to_str().unwrap(), "."]);
    for (key, value) in [("user.name", "B"), ("user.email", "b@example.com")] {
        second.git(&["config", key, value]);
    }
    std::fs::copy(first.tmp().join("script"), second.tmp().join("script")).unwrap();
    // While the first clone works on the step, the second has nothing to do.
    let token = run(&first, &["claim", "api", "--as", "ann"], 0);
    assert!(token.stdout.contains("api"), "{}", token.stdout);
    let ran = execute(&second, &["run"]);
    assert_eq!(ran.status, 4, "{}{}", ran.stdout, ran.stderr);
    run(&first, &["release", "api", "--as", "ann"], 0);
    let ran = execute(&first, &["exec", "api"]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    first.git(&["push", "-q", "origin", "main"]);
    second.git(&["pull", "-q", "--ff-only"]);
    let ran = execute(&second, &["run"]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("2 of 2 steps complete, 1 attempt in this run"), "{}", ran.stdout);
    // A remote that does not answer means no claim.
    std::fs::rename(&remote, remote.with_extension("gone")).unwrap();
    run(&second, &["set", "ui", "pending", "--reason", "again"], 0);
    assert_eq!(execute(&second, &["run"]).status, 4);
}
