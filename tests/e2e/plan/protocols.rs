//! Plans executed by recorded protocols of real tools, printed by `fixtures/agent/fake-agent`.

use super::read;
use crate::common::repo::Repo;
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
    repo.write("agent/owners.yaml", &owners.replace("AGENT", AGENT));
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "state"]);
    std::fs::write(repo.tmp().join("script"), script).unwrap();
    repo
}

fn plan_run(repo: &Repo, args: &[&str], status: i32) -> String {
    let mut command = repo.canonry();
    let output =
        command.args(["plan", "run"]).args(args).env("FAKE_AGENT_SCRIPT", repo.tmp().join("script")).output().unwrap();
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
    assert_eq!(output.status.code(), Some(status), "{text}");
    text
}

fn report(repo: &Repo, name: &str) -> Value {
    serde_json::from_str(&read(repo, &format!("agent/reports/login/{name}.json"))).unwrap()
}

#[test]
fn two_tools_execute_one_plan() {
    let owners = "owners:
  Claude: {argv: [AGENT, -p], timeout: 1m}
  Codex: {argv: [AGENT, exec], prompt: argument, timeout: 1m}
";
    let script = "api expect Step `api` of the plan `login`
api write out/api
api protocol claude-stream-success.jsonl
web expect done by the fake agent
web write out/web
web protocol codex-success.jsonl
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
