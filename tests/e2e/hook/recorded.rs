//! Inputs of each tool, recorded or written from its source, with the exact answers. fixtures/hooks/README.md says which;
//! `UPDATE_HOOKS=1` rewrites the answers.

use super::{begun, hook, rows};
use crate::support::repo::Repo;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/hooks");
    let files = walkdir::WalkDir::new(root).sort_by_file_name().into_iter().map(Result::unwrap);
    let files = files.filter(|file| file.file_type().is_file()).map(walkdir::DirEntry::into_path);
    files.filter(|file| file.extension().is_some_and(|extension| extension == "json")).collect()
}

/// The event in the name of a case's file.
fn event(name: &str) -> &'static str {
    let events = ["pre-tool", "post-tool", "failure", "session-start", "stop"];
    events.into_iter().find(|event| name.starts_with(event)).unwrap()
}

/// The result and the detail that an event after a call logged, `null` for no episode.
fn logged(repo: &Repo, event: &str) -> Option<Value> {
    let row = rows(repo).pop();
    let of = |row: Value| json!({"result": row["result"], "detail": row["detail"]});
    matches!(event, "post-tool" | "failure").then(|| row.map_or(Value::Null, of))
}

/// The code of a call depends on the folder of its repository.
fn without_code(text: &str) -> String {
    let mark = "canonry hook allow-once ";
    let mut parts = text.split(mark);
    let mut all = parts.next().unwrap_or_default().to_owned();
    for after in parts {
        let rest = after.trim_start_matches(|c: char| c.is_ascii_hexdigit());
        assert_eq!(after.len() - rest.len(), 10, "{text}");
        all.push_str(&format!("{mark}[CODE]{rest}"));
    }
    all
}

#[test]
fn answers_each_tool_in_its_own_format() {
    let cases = cases();
    assert!(cases.len() >= 75, "{}", cases.len());
    for file in cases {
        // The name of a folder is a tool, or a tool with the version that was recorded.
        let folder = file.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let name = file.file_stem().unwrap().to_str().unwrap();
        let tool = folder.split('-').next().unwrap();
        let repo = begun();
        repo.write(
            "agent/memory/semantic/LESSONS.md",
            "# Lessons\n\n## 2026-05-01\n\n- smoke test before traffic (episodes: 1)\n",
        );
        let text = std::fs::read_to_string(&file).unwrap();
        let mut case: Value = serde_json::from_str(&text).unwrap();
        let top = repo.root.to_str().unwrap().to_owned();
        let transcript = repo.path(".git/transcript.jsonl");
        let lines = case["transcript"].as_array().into_iter().flatten().map(|line| format!("{line}\n"));
        std::fs::write(&transcript, lines.collect::<String>()).unwrap();
        let input = case["input"].to_string().replace("[REPO]", &top);
        let input = input.replace("[TRANSCRIPT]", transcript.to_str().unwrap());
        if name.starts_with("stop") {
            let session =
                ["session_id", "conversation_id", "conversationId"].iter().find_map(|key| case["input"][*key].as_str());
            let context = format!("session {}", session.unwrap());
            let row = ["log", "-a", "x", "-r", "failure", "--context", &context, "--now", "2026-05-01"];
            assert_eq!(repo.canonry(&row).status, 0);
        }
        let args = [event(name), "--tool", tool, "--terminal", "true", "--now", "2026-05-02T00:00:00Z"];
        let ran = hook(&repo, &args, &input);
        let stdout = without_code(&ran.stdout.replace(&top, "[REPO]"));
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{folder}/{name}");
        let answer = if stdout.is_empty() { Value::Null } else { serde_json::from_str(&stdout).unwrap() };
        let logged = logged(&repo, event(name));
        if std::env::var_os("UPDATE_HOOKS").is_some() {
            case["stdout"] = answer;
            if let Some(logged) = logged {
                case["logged"] = logged;
            }
            std::fs::write(&file, format!("{case:#}\n")).unwrap();
            continue;
        }
        assert_eq!(answer, case["stdout"], "{folder}/{name}");
        assert_eq!(logged.as_ref(), case.get("logged"), "{folder}/{name}");
        assert!(
            stdout.is_empty() || (stdout.ends_with('\n') && stdout.lines().count() == 1),
            "{folder}/{name}: {stdout}"
        );
    }
}

/// Answers to each tool where a person must approve a call.
#[test]
fn asks_in_each_tools_own_words_and_denies_where_nobody_can_answer() {
    let repo = begun();
    let words = |tool: &str, terminal: &str| {
        let input = match tool {
            "antigravity" => json!({"toolCall": {"name": "run_command", "args": {"CommandLine": "$RUN all"}}}),
            _ => json!({"tool_name": "Bash", "tool_input": {"command": "$RUN all"}}),
        };
        let ran = hook(&repo, &["pre-tool", "--tool", tool, "--terminal", terminal], &input.to_string());
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        let word = [&answer["decision"], &answer["permission"], &answer["hookSpecificOutput"]["permissionDecision"]];
        let word = word.into_iter().find_map(Value::as_str).unwrap().to_owned();
        let is_explained = ran.stdout.contains("a person must approve this and run it");
        assert_eq!(is_explained, word == "deny", "{tool}: {answer}");
        word
    };
    let tools = ["claude", "gemini", "codex", "cursor", "antigravity", "opencode"];
    let all = |terminal: &str| tools.map(|tool| words(tool, terminal));
    assert_eq!(all("true"), ["ask", "ask", "deny", "deny", "force_ask", "deny"]);
    assert_eq!(all("false"), ["ask", "deny", "deny", "deny", "force_ask", "deny"]);
    repo.write("agent/canonry.yaml", "hooks: {ask: deny}\n");
    assert_eq!(all("true"), ["deny"; 6]);
}

/// Kiro reads no JSON: a hook denies by its status, with stderr as the reason, and the context of a session is text.
#[test]
fn kiro_gets_a_status_and_text() {
    let repo = begun();
    repo.write("agent/memory/semantic/LESSONS.md", "# Lessons\n\n## 2026-05-01\n\n- smoke test first (episodes: 1)\n");
    let call = |command: &str| json!({"tool_name": "execute_bash", "tool_input": {"command": command}}).to_string();
    let denied = hook(&repo, &["pre-tool", "--tool", "kiro"], &call("git push --force origin topic"));
    assert_eq!((denied.status, denied.stdout.as_str()), (2, ""));
    let reason = "canonry: `git push --force origin topic`: `git push --force` is never allowed";
    assert!(denied.stderr.starts_with(reason), "{}", denied.stderr);
    let passed = hook(&repo, &["pre-tool", "--tool", "kiro"], &call("git status"));
    assert_eq!((passed.status, passed.all().as_str()), (0, ""));
    let started = hook(&repo, &["session-start", "--tool", "kiro"], r#"{"hook_event_name": "SessionStart"}"#);
    assert_eq!(started.status, 0, "{}", started.all());
    assert!(started.stdout.contains("- smoke test first") && !started.stdout.contains("\\n"), "{}", started.stdout);
}
