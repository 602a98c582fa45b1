//! What hooks write into the log, and what a session begins with.

use super::{LOG, bash, begun, hook, rows};
use serde_json::{Value, json};

const NOW: [&str; 2] = ["--now", "2026-05-02T00:00:00Z"];

fn failure(command: &str, error: &str) -> String {
    json!({"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": command}, "error": error}).to_string()
}

#[test]
fn a_failure_is_an_episode_without_secrets() {
    let repo = begun();
    // Put together here, so that no scanner takes this file for a leak.
    let token = format!("ghp_{}", "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo");
    let error = format!("line one\nremote: {token} {}", "é".repeat(800));
    let ran = hook(
        &repo,
        &["failure", "--tool", "claude", NOW[0], NOW[1]],
        &failure(&format!("git fetch https://{token}@x"), &error),
    );
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    let text = std::fs::read_to_string(repo.path(LOG)).unwrap();
    assert!(text.lines().count() == 1 && !text.contains(&token), "{text}");
    let row = &rows(&repo)[0];
    let of = |key: &str| row[key].clone();
    assert_eq!([of("result"), of("pain_score"), of("importance")], [json!("failure"), json!(8), json!(7)]);
    assert_eq!((of("timestamp"), of("context")), (json!(NOW[1]), json!("session s1, claude")));
    assert_eq!(of("detail").as_str().unwrap().chars().count(), 500);
    assert!(
        of("action").as_str().unwrap().starts_with("git fetch https://[a personal access token of GitHub, taken out]")
    );
}

#[test]
fn only_what_is_worth_it_is_logged() {
    let repo = begun();
    let ok = |command: &str| json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": command}, "tool_response": {"stdout": "", "exit_code": 0}});
    let run = |input: Value| assert_eq!(hook(&repo, &["post-tool", "--tool", "claude"], &input.to_string()).stderr, "");
    run(ok("cargo test"));
    assert_eq!(rows(&repo).len(), 0);
    // What had to be approved of.
    repo.write("agent/protocols/permissions.md", "## Requires approval\n\n- `cargo publish`\n");
    run(ok("cargo publish"));
    assert_eq!((rows(&repo).len(), rows(&repo)[0]["pain_score"].clone()), (1, json!(2)));
    // A failure that comes to the same event.
    let mut failed = ok("cargo test");
    failed["tool_response"]["exit_code"] = json!(101);
    failed["tool_response"]["stderr"] = json!("1 failed");
    run(failed);
    assert_eq!((rows(&repo).len(), rows(&repo)[1]["detail"].clone()), (2, json!("1 failed")));
    repo.write("agent/canonry.yaml", "hooks: {log: all}\n");
    run(ok("cargo test"));
    assert_eq!(rows(&repo).len(), 3);
}

#[test]
fn three_failures_of_a_skill_flag_it() {
    let repo = begun();
    let run = "sh .claude/skills/deploy/scripts/run.sh";
    let told = |now: &str| hook(&repo, &["session-start", "--tool", "claude", "--now", now], "{}").stdout;
    for (day, pain, flag) in
        [("01", 8, Value::Null), ("05", 8, Value::Null), ("14", 10, json!("rewrite")), ("29", 8, Value::Null)]
    {
        let now = format!("2026-05-{day}T00:00:00Z");
        hook(&repo, &["failure", "--tool", "claude", "--now", &now], &failure(run, "no"));
        let row = rows(&repo).pop().unwrap();
        assert_eq!((&row["skill"], &row["pain_score"], &row["flag"]), (&json!("deploy"), &json!(pain), &flag), "{now}");
        assert_eq!(told(&now).contains("deploy failed 3 times in 14 days"), day == "14", "{now}");
    }
    // The row of the 29th stands alone.
    assert!(!told("2026-05-29T00:00:00Z").contains("deploy failed"));
    // `canonry log` scores them in the same way.
    for _ in 0..3 {
        let log = ["log", "-s", "lint", "-a", "x", "-r", "failure", "--now", "2026-05-01"];
        assert_eq!(repo.run(&log).status, 0);
    }
    let pains: Vec<Value> = rows(&repo).into_iter().skip(4).map(|row| row["pain_score"].clone()).collect();
    assert_eq!(pains, [json!(7), json!(7), json!(10)]);
}

#[test]
fn a_session_begins_within_its_budget() {
    let repo = begun();
    let lessons: String = (0..400).map(|n| format!("- lesson {n} (episodes: 1)\n")).collect();
    repo.write("agent/memory/semantic/LESSONS.md", &format!("# Lessons\n\n{lessons}"));
    repo.write("agent/canonry.yaml", "hooks: {budget: 200}\n");
    let ran = hook(&repo, &["session-start", "--tool", "codex"], &bash("x"));
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(text.contains("- lesson 399\n- lesson 398\n") && !text.contains("lesson 3\n"), "{text}");
    assert!(text.chars().count() <= 800, "{}", text.len());
    repo.write("agent/canonry.yaml", "hooks: {budget: 0}\n");
    assert_eq!(hook(&repo, &["session-start", "--tool", "codex"], "{}").stdout, "");
}

#[test]
fn stop_reminds_once_and_only_of_failures() {
    let repo = begun();
    let stop = |active: bool| {
        hook(&repo, &["stop", "--tool", "claude"], &json!({"session_id": "s1", "stop_hook_active": active}).to_string())
            .stdout
    };
    assert_eq!(stop(false), "");
    hook(&repo, &["failure", "--tool", "claude"], &failure("make", "no"));
    assert!(stop(false).contains("One call failed in this session"));
    assert_eq!(stop(true), "");
    repo.write("agent/canonry.yaml", "hooks: {stop: off}\n");
    assert_eq!(stop(false), "");
}

#[test]
fn a_linked_work_tree_has_a_log_of_its_own() {
    let repo = begun();
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "x"]);
    repo.git(&["worktree", "add", "-q", "../repo/linked"]);
    let cwd = repo.path("linked/agent");
    let input =
        json!({"session_id": "s", "cwd": cwd, "tool_name": "Bash", "tool_input": {"command": "make"}, "error": "no"});
    let ran = hook(&repo, &["failure", "--tool", "claude"], &input.to_string());
    assert_eq!(ran.stderr, "");
    assert_eq!(rows(&repo).len(), 0);
    assert!(std::fs::read_to_string(repo.path(&format!("linked/{LOG}"))).unwrap().contains("make"));
    let push = json!({"cwd": cwd, "tool_name": "Bash", "tool_input": {"command": "git push origin HEAD:main"}});
    assert!(hook(&repo, &["pre-tool", "--tool", "claude"], &push.to_string()).stdout.contains("deny"));
}
