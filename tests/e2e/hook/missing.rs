//! The commands in the tools' settings files, run where canonry is missing, crashes, or works.

use super::begun;
use crate::support::repo::{Ran, Repo};
use serde_json::Value;

/// The settings files, the list of events before a call, and the key of its command from there.
const FILES: [(&str, &str, &str); 5] = [
    ("claude", ".claude/settings.json", "/hooks/PreToolUse/0/hooks/0/command"),
    ("gemini", ".gemini/settings.json", "/hooks/BeforeTool/0/hooks/0/command"),
    ("codex", ".codex/hooks.json", "/hooks/PreToolUse/0/hooks/0/command"),
    ("cursor", ".cursor/hooks.json", "/hooks/preToolUse/0/command"),
    ("antigravity", ".agents/hooks.json", "/canonry/PreToolUse/0/hooks/0/command"),
];

fn synced(fail: &str) -> Repo {
    let repo = begun();
    let on: String = FILES.iter().map(|(tool, ..)| format!("  {tool}: {{hooks: true}}\n")).collect();
    repo.write("agent/canonry.yaml", format!("hooks: {{fail: {fail}}}\nfiles:\n{on}"));
    let ran = repo.canonry(&["sync"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    repo
}

fn setting(repo: &Repo, file: &str, pointer: &str) -> Value {
    let text = std::fs::read_to_string(repo.path(file)).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    settings.pointer(pointer).unwrap_or_else(|| panic!("{file} {pointer}: {text}")).clone()
}

/// Runs a command of a settings file with a canonry made of a shell script, or none.
fn run(repo: &Repo, command: &str, canonry: Option<&str>) -> Ran {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = repo.tmp().join("bin");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    if let Some(script) = canonry {
        let file = folder.join("canonry");
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    repo.command("/bin/sh").args(["-c", command]).env("PATH", &folder).output().unwrap().into()
}

/// Whether the tool lets the call through after this result, according to its source or documentation
/// (docs/reference/hooks.md).
fn lets_through(tool: &str, ran: &Ran) -> bool {
    let answer: Option<Value> = serde_json::from_str(&ran.stdout).ok();
    let word = answer.as_ref().and_then(|answer| answer.get("decision")?.as_str());
    match tool {
        // Any status but 2 is an error that does not block; Codex CLI ignores 2 without a reason on stderr.
        "claude" | "cursor" => ran.status != 2,
        "codex" => ran.status != 2 || ran.stderr.trim().is_empty(),
        // The words on stdout or else stderr become a denial with any status but 0 and 1.
        "gemini" => matches!(ran.status, 0 | 1) || (ran.stdout.trim().is_empty() && ran.stderr.trim().is_empty()),
        // Anything but a decision is a denial.
        "antigravity" => word == Some("allow"),
        other => panic!("{other}"),
    }
}

#[test]
fn a_missing_or_failing_canonry_blocks_nothing_unless_the_config_says_closed() {
    for (fail, want) in [("open", true), ("closed", false)] {
        let repo = synced(fail);
        for (tool, file, pointer) in FILES {
            let command = setting(&repo, file, pointer);
            for canonry in
                [None, Some("exit 70"), Some("echo 'error: internal error' >&2; exit 101"), Some("kill -9 $$")]
            {
                let ran = run(&repo, command.as_str().unwrap(), canonry);
                assert_eq!(lets_through(tool, &ran), want, "{tool} {fail} {canonry:?}: {} {}", ran.stdout, ran.stderr);
            }
        }
    }
}

/// GitHub Copilot runs Claude Code's hooks and denies every call after any status but 0, so a hook must not even fail.
#[test]
fn a_hook_does_nothing_where_canonry_is_not_installed() {
    for fail in ["open", "closed"] {
        let repo = synced(fail);
        for (tool, file, _) in FILES.iter().filter(|(tool, ..)| *tool != "antigravity") {
            let text = std::fs::read_to_string(repo.path(file)).unwrap();
            let settings: Value = serde_json::from_str(&text).unwrap();
            for (event, entry) in settings["hooks"].as_object().unwrap() {
                // With `fail: closed`, a missing canonry denies a call.
                if fail == "closed" && ["PreToolUse", "BeforeTool", "preToolUse"].contains(&event.as_str()) {
                    continue;
                }
                let command = entry[0].get("hooks").map_or(&entry[0], |hooks| &hooks[0])["command"].as_str().unwrap();
                let ran = run(&repo, command, None);
                assert_eq!((ran.status, ran.stdout, ran.stderr), (0, String::new(), String::new()), "{tool} {command}");
            }
        }
    }
}

#[test]
fn an_edited_hook_is_refused() {
    let repo = synced("open");
    let file = ".claude/settings.json";
    let text = std::fs::read_to_string(repo.path(file)).unwrap();
    repo.write(file, text.replace("--tool claude", "--tool claude --now now"));
    assert_eq!(repo.canonry(&["sync"]).status, 5);
}

#[test]
fn a_working_canonry_answers_alone() {
    for fail in ["open", "closed"] {
        let repo = synced(fail);
        for (tool, file, pointer) in FILES {
            let command = setting(&repo, file, pointer);
            let ran = run(&repo, command.as_str().unwrap(), Some("echo \"{\\\"args\\\": \\\"$*\\\"}\""));
            let want = format!("{{\"args\": \"hook pre-tool --tool {tool}\"}}\n");
            assert_eq!((ran.status, ran.stdout, ran.stderr), (0, want, String::new()), "{tool} {fail}");
        }
    }
}

/// The tools that know a setting for it also deny calls while the hook takes too long.
#[test]
fn closed_hooks_also_block_on_a_timeout_where_a_tool_has_a_setting() {
    let repo = synced("closed");
    assert_eq!(setting(&repo, ".claude/settings.json", "/hooks/PreToolUse/0/hooks/0/onFailure"), "block");
    assert_eq!(setting(&repo, ".cursor/hooks.json", "/hooks/preToolUse/0/failClosed"), true);
    // Switching back removes them.
    repo.write("agent/canonry.yaml", "files: {claude: {hooks: true}, cursor: {hooks: true}}\n");
    assert_eq!(repo.canonry(&["sync"]).status, 0);
    for file in [".claude/settings.json", ".cursor/hooks.json"] {
        let text = std::fs::read_to_string(repo.path(file)).unwrap();
        assert!(!text.contains("onFailure") && !text.contains("failClosed"), "{text}");
        assert_eq!(text.matches("canonry hook pre-tool").count(), 1, "{text}");
    }
    for file in [".gemini/settings.json", ".codex/hooks.json", ".agents/hooks.json"] {
        assert!(!repo.path(file).exists(), "{file}");
    }
}

/// Codex CLI skips a hook that changed since its review, so sync says so, once.
#[test]
fn a_changed_hook_of_codex_must_be_reviewed_again() {
    let repo = synced("open");
    let reviews = || repo.canonry(&["sync"]).stderr.contains("review the hooks with `/hooks`");
    assert!(!reviews());
    let config = std::fs::read_to_string(repo.path("agent/canonry.yaml")).unwrap();
    repo.write("agent/canonry.yaml", config.replace("fail: open", "fail: closed"));
    assert!(reviews());
    assert!(!reviews());
}
