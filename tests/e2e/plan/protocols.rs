//! Plans executed by recorded protocols of real tools, printed by `fixtures/agent/fake-agent`.

use super::read;
use crate::support::repo::Repo;
use serde_json::Value;

const AGENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/agent/fake-agent");
const PLAN: &str = "title: Login
goal: Users can log in.
steps:
  - {id: api, owner: Claude, description: Add the endpoint., criteria: c, commands: [\"Run: test -s out/api\"], files: [out/api]}
  - {id: web, owner: Codex, deps: [api], description: Add the page., criteria: c, commands: [\"Run: test -s out/web\"], files: [out/web]}
";

fn project(owners: &str, script: &str) -> Repo {
    let repo = Repo::with_skill();
    repo.write("agent/plans/login/plan.yaml", PLAN);
    repo.write("agent/owners.yaml", owners.replace("AGENT", AGENT));
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "state"]);
    std::fs::write(repo.tmp().join("script"), script).unwrap();
    repo
}

fn plan_run(repo: &Repo, args: &[&str], status: i32) -> String {
    let mut command = repo.canonry_command();
    let output =
        command.args(["run", "exec"]).args(args).env("FAKE_AGENT_SCRIPT", repo.tmp().join("script")).output().unwrap();
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
    assert_eq!(output.status.code(), Some(status), "{text}");
    text
}

fn report(repo: &Repo, name: &str) -> Value {
    serde_json::from_str(&read(repo, &format!("agent/reports/login/{name}.json"))).unwrap()
}

#[test]
fn the_same_plan_is_executed_by_the_recordings_of_two_tools() {
    for (tool, arguments, recording) in [
        ("Claude Code", "-p, --output-format, stream-json, --verbose", "claude-2.1.330/success.jsonl"),
        ("Codex CLI", "exec, --json, \"-\"", "codex-0.169.0/success.jsonl"),
    ] {
        let owners = format!("default: {{argv: [AGENT, {arguments}], timeout: 1m}}\n");
        let script = format!(
            "api expect Step `api` of the plan `login`
api write out/api
api protocol {recording}
web expect done by the fake agent
web write out/web
web protocol {recording}
"
        );
        let repo = project(&owners, &script);
        let text = plan_run(&repo, &[], 0);
        assert!(text.contains("2 of 2 steps complete"), "{tool}: {text}");
        for step in ["api", "web"] {
            let report = report(&repo, &format!("{step}.1"));
            assert_eq!((&report["step_id"], &report["outcome"]), (&step.into(), &"success".into()), "{tool}");
            assert_eq!(report["details"], "done by the fake agent", "{tool}");
        }
    }
}

#[test]
fn two_tools_execute_one_plan_together() {
    let owners = "owners:
  Claude: {argv: [AGENT, -p], timeout: 1m}
  Codex: {argv: [AGENT, exec], prompt: argument, timeout: 1m}
";
    let script = "api expect Step `api` of the plan `login`
api write out/api
api protocol claude-2.1.330/success.json
web expect done by the fake agent
web write out/web
web protocol codex-0.169.0/success-after-retry.jsonl
";
    let repo = project(owners, script);
    let text = plan_run(&repo, &[], 0);
    assert!(text.contains("2 of 2 steps complete"), "{text}");
    for step in ["api", "web"] {
        let report = report(&repo, &format!("{step}.1"));
        assert_eq!((&report["outcome"], &report["details"]), (&"success".into(), &"done by the fake agent".into()));
    }
}

#[test]
fn recorded_limits_cost_no_attempt() {
    for (recordings, status) in [
        (&["claude-2.1.330/limit.txt"][..], 1),
        (&["claude-2.1.330/limit.json"], 1),
        (&["codex-0.169.0/limit.jsonl"], 1),
        (&["codex-0.169.0/limit.stderr"], 1),
        (&["gemini-0.61.0/daily-quota.jsonl", "gemini-0.61.0/daily-quota.stderr"], 173),
        // An overloaded service is none of the worker's faults.
        (&["claude-2.1.330/overloaded.json"], 1),
        (&["claude-2.1.330/overloaded.txt"], 1),
        (&["codex-0.169.0/overloaded.jsonl"], 1),
        (&["gemini-0.61.0/overloaded.stderr"], 247),
    ] {
        let mut script: String = recordings.iter().map(|name| format!("api protocol {name}\n")).collect();
        script.push_str(&format!("api exit {status}\n"));
        let repo = project("default: {argv: [AGENT], retries: 0}\n", &script);
        plan_run(&repo, &["--no-wait"], 2);
        let limit = report(&repo, "api.1");
        assert_eq!(limit["cause"], "usage_limit", "{recordings:?}: {limit}");
        assert!(limit["waiting_until"].is_string(), "{recordings:?}: {limit}");
    }
}

#[test]
fn a_tool_that_waits_for_its_limit_until_the_timeout_has_not_failed() {
    let script = "api protocol gemini-0.61.0/waiting.jsonl\napi protocol gemini-0.61.0/waiting.stderr\napi hang\n";
    let repo = project("default: {argv: [AGENT], timeout: 2s, retries: 0}\n", script);
    plan_run(&repo, &["--no-wait"], 2);
    let limit = report(&repo, "api.1");
    assert_eq!(limit["cause"], "usage_limit", "{limit}");
    assert!(limit["waiting_until"].is_string(), "{limit}");
}

#[test]
fn the_error_of_a_tool_is_in_the_report() {
    for (recording, status, error) in [
        ("claude-2.1.330/auth.json", 1, "Invalid API key"),
        ("codex-0.169.0/auth.jsonl", 1, "unexpected status 401 Unauthorized"),
    ] {
        let script = format!("api protocol {recording}\napi exit {status}\n");
        let repo = project("default: {argv: [AGENT], retries: 0}\n", &script);
        plan_run(&repo, &[], 3);
        let report = report(&repo, "api.1");
        let want = format!("the worker left no report; it exited {status}; the error of its tool: {error}");
        assert!(report["error"].as_str().unwrap().starts_with(&want), "{report}");
        assert_eq!(report["cause"], "missing_report", "{report}");
    }
}

#[test]
fn a_limit_of_a_tool_costs_no_attempt_and_a_repeated_failure_is_named() {
    let owners = "default: {argv: [AGENT, -p], retries: 2}\n";
    let script = "api.1 protocol antigravity-quota.json
api.1 exit 1
api.2 complain ERROR: linking failed after 3s
api.2 exit 1
api.3 complain ERROR: linking failed after 9s
api.3 exit 1
api.4 expect failed twice in the same way
api.4 token
api.4 ansi
api.4 write out/api
api.4 report success
web write out/web
web report success
";
    let repo = project(owners, script);
    plan_run(&repo, &["--no-wait"], 2);
    let limit = report(&repo, "api.1");
    assert_eq!(limit["cause"], "usage_limit", "{limit}");
    assert!(limit["waiting_until"].is_string(), "{limit}");
    // The limit is over.
    let over = limit.to_string().replace(limit["waiting_until"].as_str().unwrap(), "2026-01-02T03:04:05Z");
    repo.write("agent/reports/login/api.1.json", &over);
    let text = plan_run(&repo, &[], 0);
    assert!(text.contains("2 of 2 steps complete"), "{text}");
    assert_eq!(report(&repo, "api.3")["cause"], "missing_report");
    let log = read(&repo, ".git/canonry/attempts/login/api.4.log");
    assert!(log.contains("redacted]") && log.contains("red") && !log.contains('\u{1b}'), "{log}");
}
