//! Episodes that hooks log, session context, and reminders.

use super::{LOG, NOW, PENDING, bash, begun, failure, hook, rows, rows_of};
use serde_json::{Value, json};

#[test]
fn logs_a_failure_without_secrets() {
    let repo = begun();
    // Concatenated, so that secret scanners ignore this file.
    let token = format!("ghp_{}", "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo");
    let error = format!("line one\nremote: {token} {}", "é".repeat(800));
    let ran = hook(
        &repo,
        &["failure", "--tool", "claude", NOW[0], NOW[1]],
        &failure(&format!("git fetch https://{token}@x"), &error),
    );
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    let text = repo.text(PENDING);
    assert!(text.lines().count() == 1 && !text.contains(&token), "{text}");
    let row = &rows(&repo)[0];
    let of = |key: &str| row[key].clone();
    assert_eq!([of("result"), of("pain_score"), of("importance")], [json!("failure"), json!(8), json!(7)]);
    assert_eq!((of("timestamp"), of("context")), (json!(NOW[1]), json!("session s1, claude")));
    assert_eq!(of("detail").as_str().unwrap().chars().count(), 500);
    assert!(of("action").as_str().unwrap().starts_with("git fetch https://[a GitHub personal access token, redacted]"));
}

#[test]
fn logs_only_relevant_calls() {
    let repo = begun();
    let ok = |command: &str| json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": command}, "tool_response": {"stdout": "", "exit_code": 0}});
    let run = |input: Value| assert_eq!(hook(&repo, &["post-tool", "--tool", "claude"], &input.to_string()).stderr, "");
    run(ok("cargo test"));
    assert_eq!(rows(&repo).len(), 0);
    // A call that needed approval.
    repo.write("agent/protocols/permissions.md", "## Requires approval\n\n- `cargo publish`\n");
    run(ok("cargo publish"));
    assert_eq!((rows(&repo).len(), rows(&repo)[0]["pain_score"].clone()), (1, json!(2)));
    // A failure reported by the same event.
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
fn flags_a_skill_after_three_failures() {
    let repo = begun();
    let run = "sh .claude/skills/deploy/scripts/run.sh";
    let context = |now: &str| hook(&repo, &["session-start", "--tool", "claude", "--now", now], "{}").stdout;
    for (day, pain, flag) in
        [("01", 8, Value::Null), ("05", 8, Value::Null), ("14", 10, json!("rewrite")), ("29", 8, Value::Null)]
    {
        let now = format!("2026-05-{day}T00:00:00Z");
        hook(&repo, &["failure", "--tool", "claude", "--now", &now], &failure(run, "no"));
        let row = rows(&repo).pop().unwrap();
        assert_eq!((&row["skill"], &row["pain_score"], &row["flag"]), (&json!("deploy"), &json!(pain), &flag), "{now}");
        assert_eq!(context(&now).contains("deploy failed 3 times in 14 days"), day == "14", "{now}");
    }
    // On the 29th, the failure is the only recent one.
    assert!(!context("2026-05-29T00:00:00Z").contains("deploy failed"));
    // `canonry log` scores failures in the same way.
    for _ in 0..3 {
        let log = ["log", "-s", "lint", "-a", "x", "-r", "failure", "--now", "2026-05-01"];
        assert_eq!(repo.canonry(&log).status, 0);
    }
    let pains: Vec<Value> = rows_of(&repo, LOG).iter().map(|row| row["pain_score"].clone()).collect();
    assert_eq!(pains, [json!(7), json!(7), json!(10)]);
}

#[test]
fn session_context_stays_within_its_budget() {
    let repo = begun();
    let lessons: String = (0..400).map(|n| format!("- lesson {n} (episodes: 1)\n")).collect();
    repo.write("agent/memory/semantic/LESSONS.md", format!("# Lessons\n\n{lessons}"));
    repo.write("agent/canonry.yaml", "hooks: {budget: 600}\n");
    let ran = hook(&repo, &["session-start", "--tool", "codex"], &bash("x"));
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(text.contains("- lesson 399\n- lesson 398\n") && !text.contains("lesson 3\n"), "{text}");
    assert!(text.contains("## Never allowed") && text.chars().count() <= 2400, "{}", text.len());
    repo.write("agent/canonry.yaml", "hooks: {budget: 0}\n");
    assert_eq!(hook(&repo, &["session-start", "--tool", "codex"], "{}").stdout, "");
}

#[test]
fn session_context_equals_canonry_context() {
    let repo = begun();
    repo.write("agent/memory/personal/PREFERENCES.md", "# Preferences\n\n- Short answers.\n");
    repo.write("agent/memory/semantic/LESSONS.md", "# Lessons\n\n- older\n- newer (episodes: 1)\n");
    repo.write("agent/memory/working/WORKSPACE.md", "# Workspace\n\nMoving house.\n");
    for (action, pain) in [("minor", "1"), ("major", "10"), ("middling", "5")] {
        assert_eq!(repo.canonry(&["log", "-a", action, "--pain", pain, "--now", "2026-05-01"]).status, 0);
    }
    let context = |budget: &str| {
        repo.write("agent/canonry.yaml", format!("hooks: {{budget: {budget}}}\n"));
        let ran = hook(&repo, &["session-start", "--tool", "claude", NOW[0], NOW[1]], "{}");
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    };
    let whole = context("4000");
    let context = repo.canonry(&["context", NOW[0], NOW[1], "--budget", "4000"]).stdout;
    let map = whole.strip_prefix(&context).unwrap_or_else(|| panic!("{whole}\n---\n{context}"));
    assert!(map.starts_with("# Map (agent/AGENTS.md)\n\n# Working in this repository\n"), "{map}");
    assert!(whole.contains("- older\n- newer\n"), "{whole}");
    let at = |what: &str| whole.find(what).unwrap();
    assert!(at("major") < at("middling") && at("middling") < at("minor"), "{whole}");
    // What is never allowed is not cut.
    let never = context_tokens(&repo, "1");
    for budget in ["10", "60", "150", "400", "1500"] {
        assert!(context_tokens(&repo, budget) <= never.max(budget.parse().unwrap()), "{budget}");
    }
}

/// The size of the session context in tokens.
fn context_tokens(repo: &crate::support::repo::Repo, budget: &str) -> usize {
    repo.write("agent/canonry.yaml", format!("hooks: {{budget: {budget}}}\n"));
    let ran = hook(repo, &["session-start", "--tool", "claude", NOW[0], NOW[1]], "{}");
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
    text.chars().count().div_ceil(4)
}

#[test]
fn session_context_warns_of_too_many_lessons() {
    let repo = begun();
    let begins = |lines: usize| {
        let lessons: String = (0..lines).map(|n| format!("- lesson {n}\n")).collect();
        repo.write("agent/memory/semantic/LESSONS.md", &lessons);
        let ran = hook(&repo, &["session-start", "--tool", "cursor", NOW[0], NOW[1]], "{}");
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        answer["additional_context"].as_str().unwrap().to_owned()
    };
    let notice = "LESSONS.md has 201 lines of text: run `canonry dream`, and merge duplicate ones by hand.\n\n# Never";
    assert!(!begins(200).contains("canonry dream`, and merge"));
    assert!(begins(201).starts_with(notice), "{}", begins(201));
    // The same applies to `canonry context`.
    assert!(repo.canonry(&["context"]).stdout.starts_with(&notice[..60]));
}

/// An unreadable file is reported on stderr, and the rest is still included.
#[test]
fn session_context_omits_unreadable_files() {
    let repo = begun();
    repo.write("agent/memory/semantic/LESSONS.md", "# Lessons\n\n- a lesson\n");
    std::fs::remove_file(repo.path("agent/AGENTS.md")).unwrap();
    std::fs::create_dir(repo.path("agent/AGENTS.md")).unwrap();
    let ran = hook(&repo, &["session-start", "--tool", "claude", NOW[0], NOW[1]], "{}");
    assert_eq!((ran.status, ran.stderr.as_str()), (0, "canonry hook: agent/AGENTS.md: it is not a file\n"));
    assert!(ran.stdout.contains("- a lesson"), "{}", ran.stdout);
}

fn stops(repo: &crate::support::repo::Repo, tool: &str, input: &Value) -> String {
    let ran = hook(repo, &["stop", "--tool", tool, NOW[0], NOW[1]], &input.to_string());
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    if ran.stdout == "{}\n" { String::new() } else { ran.stdout }
}

#[test]
fn stop_reminds_once_and_only_of_failures() {
    let repo = begun();
    let stop = |active: bool| stops(&repo, "claude", &json!({"session_id": "s1", "stop_hook_active": active}));
    let fail = || hook(&repo, &["failure", "--tool", "claude", NOW[0], NOW[1]], &failure("make", "no such target"));
    assert_eq!(stop(false), "");
    fail();
    assert_eq!(stop(true), "");
    let context = stop(false);
    assert!(
        context.contains("One call failed in this session") && context.contains("make (failure) | no such target"),
        "{context}"
    );
    // The same failure does not cause a second reminder; another failure does.
    assert_eq!((stop(true), stop(false)), (String::new(), String::new()));
    fail();
    assert!(stop(false).contains("2 calls failed in this session"));
    // Another session has its own reminders.
    assert_eq!(stops(&repo, "claude", &json!({"session_id": "s", "stop_hook_active": false})), "");
    fail();
    repo.write("agent/canonry.yaml", "hooks: {stop: off}\n");
    assert_eq!(stop(false), "");
    repo.write("agent/canonry.yaml", "hooks: {budget: 0}\n");
    assert_eq!(stop(false), "");
}

#[test]
fn stop_reminder_stays_within_its_budget() {
    let repo = begun();
    repo.write("agent/memory/working/WORKSPACE.md", "A line of the workspace.\n".repeat(100));
    for budget in [60_usize, 80, 120, 300, 1500] {
        hook(&repo, &["failure", "--tool", "claude", NOW[0], NOW[1]], &failure("make", &"no ".repeat(100)));
        repo.write("agent/canonry.yaml", format!("hooks: {{budget: {budget}}}\n"));
        let context = stops(&repo, "claude", &json!({"session_id": "s1", "stop_hook_active": false}));
        let answer: Value = serde_json::from_str(&context).unwrap_or_default();
        let text = answer["reason"].as_str().unwrap_or_default();
        assert!(text.chars().count().div_ceil(4) <= budget, "{budget}: {text}");
        assert!(text.contains(" failed in this session"), "{budget}: {text}");
        assert_eq!(text.contains("# Episodes (") && text.contains("# Workspace ("), budget == 1500, "{budget}: {text}");
    }
}

/// An agent that fails at each attempt, in tools that do and do not report repeated stops.
#[test]
fn stop_reminder_never_repeats_forever() {
    for (tool, field) in [
        ("claude", "stop_hook_active"),
        ("codex", "stop_hook_active"),
        ("gemini", "stop_hook_active"),
        ("cursor", "loop_count"),
        ("antigravity", ""),
    ] {
        let repo = begun();
        let mut held = 0;
        let mut input = json!({"session_id": "s1", "conversationId": "s1"});
        for _ in 0..5 {
            hook(&repo, &["failure", "--tool", "claude", NOW[0], NOW[1]], &failure("make", "no"));
            if stops(&repo, tool, &input).is_empty() {
                break;
            }
            held += 1;
            match field {
                "" => {}
                "loop_count" => input[field] = json!(held),
                field => input[field] = json!(true),
            }
        }
        assert_eq!(held, 1, "{tool}");
    }
}

/// A tool that loads the root instructions by itself does not get them a second time.
#[test]
fn a_session_does_not_repeat_what_the_tool_loads() {
    let repo = begun();
    let map = "# Working in this repository";
    let repeats = |repo: &super::Repo, tool: &str| {
        let ran = hook(repo, &["session-start", "--tool", tool, NOW[0], NOW[1]], "{}");
        assert!(ran.stdout.contains("# Permissions"), "{tool}: {}", ran.stdout);
        ran.stdout.contains(map)
    };
    for tool in ["claude", "gemini", "codex", "cursor"] {
        assert!(repeats(&repo, tool), "{tool} has no context file yet");
    }
    repo.write(
        "agent/canonry.yaml",
        "files: {agents: {context: map}, claude: {context: import}, gemini: {context: setting}}\n",
    );
    assert_eq!(repo.canonry(&["sync"]).status, 0);
    for tool in ["claude", "gemini", "codex", "cursor"] {
        assert!(!repeats(&repo, tool), "{tool}");
    }
    // Beside a CLAUDE.md that imports nothing, Claude Code does not read AGENTS.md.
    repo.write("CLAUDE.md", "# Mine\n");
    assert!(repeats(&repo, "claude"));
    repo.write("CLAUDE.md", "# Mine\n\n@docs/a.md\n");
    repo.write("docs/a.md", "See @../AGENTS.md for the rest.\n");
    assert!(!repeats(&repo, "claude"));
    std::fs::remove_file(repo.path("CLAUDE.md")).unwrap();
    assert!(!repeats(&repo, "claude"));
    // A person's own file keeps it from reading AGENTS.md, unless that file imports it.
    repo.write("CLAUDE.local.md", "# Mine\n");
    assert!(repeats(&repo, "claude"));
    repo.write("CLAUDE.local.md", "@AGENTS.md\n");
    assert!(!repeats(&repo, "claude"));
    std::fs::remove_file(repo.path("CLAUDE.local.md")).unwrap();
    // Codex reads an override in place of AGENTS.md.
    repo.write("AGENTS.override.md", "# Mine\n");
    assert!(repeats(&repo, "codex"));
    // Gemini CLI reads GEMINI.md without the setting.
    std::fs::remove_file(repo.path(".gemini/settings.json")).unwrap();
    assert!(repeats(&repo, "gemini"));
}

/// Without a writable record of reminders, there is no reminder.
#[test]
fn gives_no_reminder_that_cannot_be_recorded() {
    let repo = begun();
    hook(&repo, &["failure", "--tool", "claude", NOW[0], NOW[1]], &failure("make", "no"));
    std::fs::create_dir_all(repo.path(".git/canonry/reminded")).unwrap();
    let ran = hook(&repo, &["stop", "--tool", "claude"], &json!({"session_id": "s1"}).to_string());
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.starts_with("canonry hook: cannot record that this session was reminded"), "{}", ran.stderr);
}

/// Cursor also runs Claude Code's hooks.
#[test]
fn cursor_gets_no_duplicate_answers() {
    let repo = begun();
    let mut input: Value = serde_json::from_str(&failure("make", "no")).unwrap();
    input["cursor_version"] = json!("2.4.0");
    let log = |tool: &str| hook(&repo, &["failure", "--tool", tool, NOW[0], NOW[1]], &input.to_string());
    repo.write("agent/canonry.yaml", "files: {claude: {hooks: true}}\n");
    log("claude");
    assert_eq!(rows(&repo).len(), 1);
    repo.write("agent/canonry.yaml", "files: {claude: {hooks: true}, cursor: {hooks: true}}\n");
    log("claude");
    assert_eq!(rows(&repo).len(), 1);
    log("cursor");
    assert_eq!(rows(&repo).len(), 2);
    // Both hooks deny a call.
    let mut push: Value = serde_json::from_str(&bash("git push origin HEAD:main")).unwrap();
    push["cursor_version"] = json!("2.4.0");
    for tool in ["claude", "cursor"] {
        assert!(hook(&repo, &["pre-tool", "--tool", tool], &push.to_string()).stdout.contains("deny"), "{tool}");
    }
}

#[test]
fn a_linked_work_tree_logs_for_the_whole_clone() {
    let repo = begun();
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "x"]);
    repo.git(&["worktree", "add", "-q", "../repo/linked"]);
    let cwd = repo.path("linked/agent");
    let input =
        json!({"session_id": "s", "cwd": cwd, "tool_name": "Bash", "tool_input": {"command": "make"}, "error": "no"});
    let ran = hook(&repo, &["failure", "--tool", "claude"], &input.to_string());
    assert_eq!(ran.stderr, "");
    assert_eq!(rows(&repo)[0]["action"], "make");
    let push = json!({"cwd": cwd, "tool_name": "Bash", "tool_input": {"command": "git push origin HEAD:main"}});
    assert!(hook(&repo, &["pre-tool", "--tool", "claude"], &push.to_string()).stdout.contains("deny"));
}
