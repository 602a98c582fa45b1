//! Recorded inputs of each tool with the exact answers. `UPDATE_HOOKS=1` rewrites the answers.

use super::{begun, hook};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/hooks");
    let files = walkdir::WalkDir::new(root).sort_by_file_name().into_iter().map(Result::unwrap);
    files.filter(|file| file.file_type().is_file()).map(walkdir::DirEntry::into_path).collect()
}

/// The event in the name of a case's file.
fn event(name: &str) -> &'static str {
    let events = ["pre-tool", "post-tool", "failure", "session-start", "stop"];
    events.into_iter().find(|event| name.starts_with(event)).unwrap()
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
    assert!(cases.len() >= 55, "{}", cases.len());
    for file in cases {
        let (name, tool) = (
            file.file_stem().unwrap().to_str().unwrap(),
            file.parent().unwrap().file_name().unwrap().to_str().unwrap(),
        );
        let repo = begun();
        repo.write(
            "agent/memory/semantic/LESSONS.md",
            "# Lessons\n\n## 2026-05-01\n\n- smoke test before traffic (episodes: 1)\n",
        );
        let text = std::fs::read_to_string(&file).unwrap();
        let mut case: Value = serde_json::from_str(&text).unwrap();
        let top = repo.top().to_str().unwrap().to_owned();
        let input = case["input"].to_string().replace("[REPO]", &top);
        if name.starts_with("stop") {
            let session =
                ["session_id", "conversation_id", "conversationId"].iter().find_map(|key| case["input"][*key].as_str());
            let context = format!("session {}", session.unwrap());
            let row = ["log", "-a", "x", "-r", "failure", "--context", &context, "--now", "2026-05-01"];
            assert_eq!(repo.run(&row).status, 0);
        }
        let ran = hook(&repo, &[event(name), "--tool", tool, "--now", "2026-05-02T00:00:00Z"], &input);
        let stdout = without_code(&ran.stdout.replace(&top, "[REPO]"));
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{tool}/{name}");
        let answer = if stdout.is_empty() { Value::Null } else { serde_json::from_str(&stdout).unwrap() };
        if std::env::var_os("UPDATE_HOOKS").is_some() {
            case["stdout"] = answer;
            std::fs::write(&file, format!("{case:#}\n")).unwrap();
            continue;
        }
        assert_eq!(answer, case["stdout"], "{tool}/{name}");
        assert!(
            stdout.is_empty() || (stdout.ends_with('\n') && stdout.lines().count() == 1),
            "{tool}/{name}: {stdout}"
        );
    }
}
