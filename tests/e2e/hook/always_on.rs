//! The guards judge calls everywhere, and a damaged event or a missing reader does not disable them.

use super::{PENDING, bash, begun, decided, decision, hook, piped};
use crate::support::repo::Repo;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn in_folder(cwd: &Path, command: &str) -> String {
    json!({"cwd": cwd, "tool_name": "Bash", "tool_input": {"command": command}}).to_string()
}

fn answer(repo: &Repo, input: &str) -> Option<String> {
    decision(&hook(repo, &["pre-tool", "--tool", "claude"], input)).map(|(decision, _)| decision)
}

fn nested(repo: &Repo, folder: &str) {
    std::fs::create_dir_all(repo.path(folder)).unwrap();
    repo.git(&["-C", folder, "init", "-q", "-b", "main"]);
}

#[test]
fn built_in_guards_need_no_canon() {
    for repo in [Repo::empty(), Repo::without_git()] {
        let ran = hook(&repo, &["pre-tool", "--tool", "claude"], &bash("rm -rf /"));
        assert_eq!((decision(&ran).unwrap().0.as_str(), ran.stderr.as_str()), ("deny", ""));
        assert_eq!(decided(&repo, "ls"), None);
        assert_eq!(decided(&repo, "rm -rf build"), None);
        assert_eq!(decided(&repo, "rm -rf ."), Some("deny".to_owned()));
        assert_eq!(decided(&repo, "cat .env"), Some("deny".to_owned()));
        // There is no memory, which is nothing to report.
        for event in ["post-tool", "failure", "session-start", "stop"] {
            let ran = hook(&repo, &[event, "--tool", "claude"], &bash("false"));
            assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""), "{event}");
        }
        assert!(!repo.path("agent").exists());
    }
}

#[test]
fn the_users_own_config_applies_without_a_canon() {
    let repo = Repo::without_git();
    repo.write("../home/.config/canonry/canonry.yaml", "hooks: {unknown: ask}\n");
    assert_eq!(decided(&repo, "make"), Some("ask".to_owned()));
    repo.write("../home/.config/canonry/canonry.yaml", "hooks: {fail: closed}\n");
    assert_eq!(answer(&repo, "{"), Some("deny".to_owned()));
    // A home and `/` are no projects.
    let home = repo.path("../home").canonicalize().unwrap();
    assert_eq!(answer(&repo, &in_folder(Path::new("/"), "rm -rf etc")), Some("deny".to_owned()));
    assert_eq!(answer(&repo, &in_folder(&home, "rm -rf .")), Some("deny".to_owned()));
}

#[test]
fn a_nested_repository_has_the_policy_around_it() {
    let repo = begun();
    repo.write("agent/protocols/permissions.md", "## Never allowed\n\n- `terraform destroy`\n- Push to `main`\n");
    nested(&repo, "vendor/inner");
    let inner = repo.path("vendor/inner");
    let of = |command: &str| answer(&repo, &in_folder(&inner, command));
    let deny = Some("deny".to_owned());
    assert_eq!(of("terraform destroy"), deny);
    assert_eq!(of("rm -rf ."), deny, "the inner repository");
    assert_eq!(of("rm -rf .git"), deny);
    assert_eq!(of("echo x > .git/hooks/pre-commit"), deny);
    assert_eq!(of("rm ../../agent/protocols/permissions.md"), deny, "the policy of the outer one");
    assert_eq!(of("rm -rf build"), None);
    // The branch is that of the inner repository.
    repo.git(&["-C", "vendor/inner", "checkout", "-q", "-b", "topic"]);
    assert_eq!(of("git push origin HEAD"), Some("ask".to_owned()), "the schema of pushes asks");
    repo.git(&["-C", "vendor/inner", "checkout", "-q", "-b", "main"]);
    assert_eq!(of("git push origin HEAD"), deny);
    // Failures are logged in the canon around.
    let input = json!({"cwd": inner, "tool_name": "Bash", "tool_input": {"command": "make"}, "error": "no"});
    assert_eq!(hook(&repo, &["failure", "--tool", "claude"], &input.to_string()).stderr, "");
    assert!(repo.text(PENDING).contains("make"));
}

#[test]
fn a_call_elsewhere_has_the_policy_of_the_session() {
    let repo = begun();
    repo.write("agent/protocols/permissions.md", "## Never allowed\n\n- `terraform destroy`\n");
    let other = repo.path("../other");
    std::fs::create_dir_all(other.join("deep")).unwrap();
    let judged = |variable: Option<&str>, event: &Value, command: &str| {
        let mut run = repo.canonry_command();
        // The process starts elsewhere too.
        run.current_dir(repo.tmp()).args(["hook", "pre-tool", "--tool", "claude"]);
        if let Some(variable) = variable {
            run.env(variable, &repo.root);
        }
        let mut event = event.clone();
        event["tool_name"] = "Bash".into();
        event["tool_input"] = json!({"command": command});
        decision(&piped(run, event.to_string().as_bytes())).map(|(decision, _)| decision)
    };
    let elsewhere = json!({"cwd": other});
    let deny = Some("deny".to_owned());
    assert_eq!(judged(None, &elsewhere, "terraform destroy"), None);
    assert_eq!(judged(None, &elsewhere, "rm -rf /"), deny);
    for variable in ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR"] {
        assert_eq!(judged(Some(variable), &elsewhere, "terraform destroy"), deny, "{variable}");
    }
    // The first root has no canon, the second one has.
    for key in ["workspace_roots", "workspacePaths"] {
        let event = json!({key: [other, repo.root.clone()]});
        assert_eq!(judged(None, &event, "terraform destroy"), deny, "{key}");
        let protected = format!("rm {}", repo.path("agent/protocols/permissions.md").display());
        assert_eq!(judged(None, &event, &protected), deny, "{key}");
    }
    // A second repository of the session is protected, and work in it is allowed.
    nested(&repo, "../other");
    let event = json!({"cwd": other, "workspace_roots": [other, repo.root.clone()]});
    assert_eq!(judged(None, &event, "rm -rf deep"), None);
    assert_eq!(judged(None, &event, "rm -rf ."), deny);
    assert_eq!(judged(None, &event, &format!("rm -rf {}/deep", repo.root.display())), None);
}

#[test]
fn a_damaged_event_is_judged() {
    let repo = begun();
    let of = |input: &[u8], tool: &str| {
        let mut run = repo.canonry_command();
        run.args(["hook", "pre-tool", "--tool", tool]);
        piped(run, input)
    };
    let denied = |input: &[u8]| decision(&of(input, "claude")).map(|(decision, _)| decision);
    let call = r#"{"note": "[X]", "tool_name": "Bash", "tool_input": {"command": "rm -rf / # [X]"}}"#;
    let control = "a\u{1}b\tc";
    for text in [r"\ud800", r"\udc00", r"\ud83d\ud83d", control, r"\x", "\u{feff}"] {
        assert_eq!(denied(call.replace("[X]", text).as_bytes()), Some("deny".to_owned()), "{text:?}");
        let harmless = call.replace("[X]", text).replace("rm -rf /", "ls");
        assert_eq!(denied(harmless.as_bytes()), None, "{text:?}");
    }
    let invalid_utf8 = call.replace("[X]", "?").into_bytes().into_iter().map(|b| if b == b'?' { 0xff } else { b });
    assert_eq!(denied(&invalid_utf8.collect::<Vec<_>>()), Some("deny".to_owned()));
    // Values nested too deeply, and an event that ends early.
    let deep = format!("{{\"x\": {}1{}, {}", "[".repeat(300), "]".repeat(300), &bash("rm -rf /")[1..]);
    assert_eq!(denied(deep.as_bytes()), Some("deny".to_owned()));
    assert_eq!(denied(&bash("rm -rf /").as_bytes()[..bash("rm -rf /").len() - 2]), Some("deny".to_owned()));
    // What is left of a damaged event is not enough to let it through with `fail: closed`.
    repo.write("agent/canonry.yaml", "hooks: {fail: closed}\n");
    assert_eq!(denied(&bash("ls").as_bytes()[..bash("ls").len() - 2]), Some("deny".to_owned()));
    assert_eq!(denied(call.replace("[X]", r"\ud800").replace("rm -rf /", "ls").as_bytes()), None);
}

#[test]
fn the_beginning_of_a_large_event_is_judged() {
    let repo = begun();
    let of = |tool: &str, event: &Value| {
        let mut run = repo.canonry_command();
        run.args(["hook", "pre-tool", "--tool", tool]);
        piped(run, event.to_string().as_bytes())
    };
    let large = "x".repeat(17 << 20);
    let event = json!({"tool_name": "Write", "tool_input": {"file_path": "agent/canonry.yaml", "content": large}});
    let denied = of("claude", &event);
    assert_eq!(decision(&denied).unwrap().0, "deny");
    assert!(denied.stdout.contains("protected-file"), "{}", denied.stdout);
    let event = json!({"tool_name": "Write", "tool_input": {"content": large, "file_path": "agent/canonry.yaml"}});
    let (decided, reason) = decision(&of("claude", &event)).unwrap();
    assert_eq!(decided, "ask");
    assert!(reason.contains("larger than 16 MiB"), "{reason}");
}

/// Runs a hook whose stdout nobody reads.
fn unread(repo: &Repo, tool: &str, command: &str, stdout: &str) -> (Option<i32>, String) {
    let script = format!("exec \"$0\" hook pre-tool --tool {tool} {stdout}");
    let mut run = repo.command("/bin/sh");
    run.args(["-c", &script]).arg(assert_cmd::cargo::cargo_bin!("canonry"));
    run.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = run.spawn().unwrap();
    let call = json!({"name": "run_command", "args": {"CommandLine": command}});
    let event = if tool == "antigravity" { json!({"toolCall": call}).to_string() } else { bash(command) };
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), event.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_denial_that_nobody_reads_is_an_exit_status() {
    let repo = begun();
    let mut cases = vec![">&-", ">/dev/null"];
    if Path::new("/dev/full").exists() {
        cases.push(">/dev/full");
    }
    for stdout in cases {
        for tool in ["claude", "codex", "gemini", "cursor", "antigravity"] {
            let (status, stderr) = unread(&repo, tool, "rm -rf /", stdout);
            assert_eq!(status, Some(2), "{tool} {stdout}");
            assert!(stderr.contains("delete-root"), "{tool} {stdout}: {stderr}");
        }
        assert_eq!(unread(&repo, "claude", "ls", stdout), (Some(0), String::new()), "{stdout}");
    }
}

/// Tools end a hook after ten seconds, and some then let the call through: the time must not grow with the square of the words.
#[test]
fn the_time_to_decide_grows_with_the_words_of_a_command() {
    let repo = begun();
    let time = |words: usize| {
        let start = Instant::now();
        assert_eq!(decided(&repo, &format!("rm -rf / {}", "x -y ".repeat(words))), Some("deny".to_owned()));
        start.elapsed()
    };
    // Four times the words take four times as long, or 16 times with the square. Other programs may disturb one attempt.
    assert!((0..3).any(|_| time(12_000) < 10 * time(3_000)));
}

#[test]
fn a_held_log_lock_does_not_hold_up_a_hook() {
    let repo = begun();
    std::fs::create_dir_all(repo.path(".git/canonry")).unwrap();
    let lock = std::fs::File::create(repo.path(".git/canonry/pending.lock")).unwrap();
    lock.lock().unwrap();
    let input = json!({"tool_name": "Bash", "tool_input": {"command": "make"}, "error": "no"}).to_string();
    let start = Instant::now();
    let ran = hook(&repo, &["failure", "--tool", "claude"], &input);
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    assert_eq!((ran.status, ran.stderr.lines().count()), (0, 1));
    assert!(ran.stderr.contains("the log's lock cannot be taken: another process has held it"), "{}", ran.stderr);
    // A verdict needs no lock.
    assert_eq!(decided(&repo, "rm -rf /"), Some("deny".to_owned()));
    drop(lock);
    assert_eq!(hook(&repo, &["failure", "--tool", "claude"], &input).stderr, "");
    assert_eq!(super::rows(&repo).len(), 1);
}
