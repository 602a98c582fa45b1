//! `canonry doctor`, with tools that are shell scripts.

use crate::support::repo::{Ran, Repo};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Stdio;

/// A repository whose config connects all tools.
fn connected() -> Repo {
    let repo = Repo::empty();
    assert_eq!(repo.canonry(&["init", "--all"]).status, 0);
    let tools =
        ["claude", "gemini", "codex", "cursor", "antigravity"].map(|tool| format!("  {tool}: {{hooks: true}}\n"));
    repo.write("agent/canonry.yaml", format!("files:\n{}", tools.concat()));
    assert_eq!(repo.canonry(&["sync"]).status, 0);
    repo
}

/// Installs a tool that prints a version.
fn install(repo: &Repo, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let file = repo.tmp().join("bin").join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn doctor(repo: &Repo, args: &[&str]) -> Ran {
    let path = std::env::join_paths([repo.tmp().join("bin"), "relative".into()]).unwrap();
    repo.canonry_command().arg("doctor").args(args).env("PATH", path).output().unwrap().into()
}

fn tools(repo: &Repo) -> Vec<Value> {
    let ran = doctor(repo, &["--format", "json"]);
    assert_eq!(ran.stderr, "");
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/doctor.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap();
    let errors: Vec<String> = schema.iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{document:#}");
    document["tools"].as_array().unwrap().clone()
}

fn home(repo: &Repo, file: &str, text: &str) {
    let path = repo.tmp().parent().unwrap().join("home").join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn shown(repo: &Repo, ran: &Ran) -> String {
    let text = format!("{}{}--- status {}\n", ran.stdout, ran.stderr, ran.status);
    text.replace(repo.root.to_str().unwrap(), "[REPO]")
}

#[test]
fn shows_each_tool() {
    let repo = connected();
    let nothing = doctor(&repo, &[]);
    install(&repo, "claude", "echo '2.1.330 (Claude Code)'");
    install(&repo, "codex", "echo 'codex-cli 0.169.0'");
    install(&repo, "gemini", "echo 0.61.0");
    install(&repo, "agy", "exit 3");
    let unreachable = doctor(&repo, &[]);
    assert!(unreachable.stdout.contains("\ncanonry: it is not on PATH"), "{}", unreachable.stdout);
    install(&repo, "canonry", "echo canonry 0.1.0");
    let new = doctor(&repo, &[]);
    let top = repo.root.to_str().unwrap().to_owned();
    home(&repo, ".claude.json", &json!({"projects": {&top: {"hasTrustDialogAccepted": true}}}).to_string());
    home(&repo, ".gemini/trustedFolders.json", &json!({&top: "TRUST_FOLDER"}).to_string());
    home(&repo, ".codex/config.toml", &format!("[projects.{top:?}]\ntrust_level = \"trusted\"\n"));
    let trusted = doctor(&repo, &[]);
    let text = [nothing, new, trusted].map(|ran| shown(&repo, &ran)).join("\n");
    insta::assert_snapshot!(text);
}

/// A fresh clone of a repository whose mirrors are not committed has none, which is no edit and no old version.
#[test]
fn a_clone_without_mirrors_is_never_synced() {
    let repo = Repo::empty();
    repo.write(
        "agent/skills/alpha/SKILL.md",
        "---\nname: alpha\ndescription: Does it. Use when asked to.\n---\n\n# A\n",
    );
    repo.write("agent/canonry.yaml", "targets: [claude, agents]\nfiles: {git: {ignore: true}}\n");
    repo.write("CLAUDE.md", "# Own\n");
    repo.write("AGENTS.md", "# Own\n");
    let ran = doctor(&repo, &[]);
    assert_eq!(ran.status, 1);
    for words in [
        "Claude Code              .claude/skills (not synced), CLAUDE.md\n",
        "mirrors: not synced in this clone: run `canonry sync`\n",
    ] {
        assert!(ran.stdout.contains(words), "{words}\n{}", ran.stdout);
    }
    assert!(repo.canonry(&["sync", "--check"]).stdout.contains("no lock says what a sync wrote"));
    repo.canonry(&["sync"]);
    let shown = doctor(&repo, &[]).stdout;
    assert!(shown.contains(".claude/skills (1 skill), CLAUDE.md\n"), "{shown}");
    std::fs::remove_file(repo.path("CLAUDE.md")).unwrap();
    let shown = doctor(&repo, &[]).stdout;
    assert!(shown.contains(".claude/skills (1 skill), AGENTS.md\n"), "{shown}");
    // A folder of another tool that holds no skills is no news.
    repo.write(".cursor/rules/own.mdc", "# Own\n");
    let shown = doctor(&repo, &[]).stdout;
    assert!(shown.contains(".agents/skills (1 skill)") && !shown.contains(".cursor/skills"), "{shown}");
}

/// In a linked worktree, Claude Code and Codex go by the main checkout; Codex even runs its hooks.
#[test]
fn a_worktree_shares_the_trust_of_the_main_checkout() {
    let repo = connected();
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "x"]);
    repo.git(&["worktree", "add", "-q", "../linked"]);
    let linked = repo.root.parent().unwrap().join("linked");
    let top = repo.root.to_str().unwrap().to_owned();
    home(&repo, ".claude.json", &json!({"projects": {&top: {"hasTrustDialogAccepted": true}}}).to_string());
    home(&repo, ".gemini/trustedFolders.json", &json!({&top: "TRUST_FOLDER"}).to_string());
    home(&repo, ".codex/config.toml", &format!("[projects.{top:?}]\ntrust_level = \"trusted\"\n"));
    std::fs::remove_file(linked.join(".codex/hooks.json")).unwrap();
    let ran: Ran =
        repo.canonry_command().args(["doctor", "--format", "json"]).current_dir(&linked).output().unwrap().into();
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    let tool =
        |name: &str| document["tools"].as_array().unwrap().iter().find(|tool| tool["tool"] == name).unwrap().clone();
    assert_eq!(tool("claude")["trust"]["state"], "yes", "{document:#}");
    assert_eq!(tool("gemini")["trust"]["state"], "unknown", "{document:#}");
    assert_eq!(tool("codex")["hooks"]["state"], "current", "{document:#}");
    assert!(tool("codex")["trust"]["reason"].as_str().unwrap().contains("hooks are not reviewed"), "{document:#}");
}

#[test]
fn compares_the_hooks_with_the_config() {
    let repo = connected();
    install(&repo, "claude", "echo 2.1.330");
    let state = |repo: &Repo| tools(repo)[0]["hooks"]["state"].as_str().unwrap().to_owned();
    assert_eq!(state(&repo), "current");
    repo.write("agent/canonry.yaml", "hooks: {fail: closed}\nfiles: {claude: {hooks: true}}\n");
    assert_eq!((state(&repo), tools(&repo)[0]["hooks"]["events"].clone()), ("stale".to_owned(), json!(["PreToolUse"])));
    assert_eq!(doctor(&repo, &[]).status, 1);
    assert_eq!(repo.canonry(&["sync"]).status, 0);
    assert_eq!(state(&repo), "current");
    repo.write("agent/canonry.yaml", "{}\n");
    assert_eq!(state(&repo), "left over");
    std::fs::remove_file(repo.path(".claude/settings.json")).unwrap();
    assert_eq!(state(&repo), "off");
    repo.write("agent/canonry.yaml", "files: {claude: {hooks: true}}\n");
    assert_eq!(state(&repo), "missing");
    repo.write(".claude/settings.json", "{");
    assert_eq!(state(&repo), "unreadable");
}

#[test]
fn a_hook_is_seen_at_most_once_a_minute() {
    let repo = connected();
    let run = |event: &str, now: &str| {
        let mut command = repo.canonry_command();
        command.args(["hook", event, "--tool", "gemini", "--now", now]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"{}").unwrap();
        assert!(child.wait().unwrap().success());
        let seen = tools(&repo)[1]["last_seen"].clone();
        (seen["time"].as_str().unwrap().to_owned(), seen["event"].as_str().unwrap().to_owned())
    };
    let seen = |time: &str, event: &str| (time.to_owned(), event.to_owned());
    assert_eq!(tools(&repo)[1]["last_seen"], Value::Null);
    assert_eq!(run("session-start", "2026-05-01T10:00:00Z"), seen("2026-05-01T10:00:00Z", "session-start"));
    assert_eq!(run("pre-tool", "2026-05-01T10:00:59Z"), seen("2026-05-01T10:00:00Z", "session-start"));
    assert_eq!(run("pre-tool", "2026-05-01T10:01:00Z"), seen("2026-05-01T10:01:00Z", "pre-tool"));
    // A record from the future is replaced.
    assert_eq!(run("stop", "2026-04-01T10:00:00Z"), seen("2026-04-01T10:00:00Z", "stop"));
    assert_eq!(tools(&repo)[0]["last_seen"], Value::Null);
    // An unreadable record counts as none.
    home(&repo, ".local/state/canonry/last-seen/gemini", "{");
    assert_eq!(tools(&repo)[1]["last_seen"], Value::Null);
    assert_eq!(run("stop", "2026-04-01T10:00:00Z"), seen("2026-04-01T10:00:00Z", "stop"));
}

/// A home that cannot be written does not disturb a hook.
#[test]
fn hooks_work_without_a_state_folder() {
    let repo = connected();
    std::fs::remove_dir_all(repo.tmp().parent().unwrap().join("home/.local/state/canonry")).unwrap();
    home(&repo, ".local/state/canonry", "a file");
    let mut command = repo.canonry_command();
    command.args(["hook", "pre-tool", "--tool", "claude"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"make\"}}").unwrap();
    let ran: Ran = child.wait_with_output().unwrap().into();
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
}

/// The tools keep their own files elsewhere if a variable says so.
#[test]
fn follows_the_folders_of_tools() {
    let repo = connected();
    let top = repo.root.to_str().unwrap().to_owned();
    home(&repo, "other/codex/config.toml", &format!("[projects.{top:?}]\ntrust_level = \"trusted\"\n"));
    let accepted = json!({"projects": {&top: {"hasTrustDialogAccepted": true}}});
    home(&repo, "other/claude/.claude.json", &accepted.to_string());
    home(&repo, "other/claude/skills/mine/SKILL.md", "---\nname: mine\n---\n");
    let other = repo.tmp().parent().unwrap().join("home/other");
    let run = |variables: &[(&str, &str)]| -> Value {
        let mut command = repo.canonry_command();
        command.args(["doctor", "--format", "json"]);
        command.envs(variables.iter().map(|(name, folder)| (*name, other.join(folder))));
        serde_json::from_str(&Ran::from(command.output().unwrap()).stdout).unwrap()
    };
    let reason = |document: &Value, name: &str| {
        let tool = document["tools"].as_array().unwrap().iter().find(|tool| tool["tool"] == name);
        tool.unwrap()["trust"]["reason"].to_string()
    };
    let usual = run(&[]);
    assert!(reason(&usual, "claude").contains("there is no ~/.claude.json"), "{usual:#}");
    assert!(reason(&usual, "codex").contains("does not trust this project yet"), "{usual:#}");
    assert_eq!(usual["reads"][0]["user_folder"], Value::Null);
    let moved = run(&[("CLAUDE_CONFIG_DIR", "claude"), ("CODEX_HOME", "codex")]);
    assert_eq!(moved["tools"][0]["trust"]["state"], "yes");
    assert!(reason(&moved, "codex").contains("not reviewed"), "{moved:#}");
    assert_eq!(moved["reads"][0]["user_folder"]["skills"], 1);
    let empty = run(&[("CLAUDE_CONFIG_DIR", "none")]);
    assert!(reason(&empty, "claude").contains("home/other/none/.claude.json"), "{empty:#}");
}

#[test]
fn shows_what_tools_read() {
    let repo = Repo::empty();
    assert_eq!(repo.canonry(&["init", "--all"]).status, 0);
    repo.write("agent/canonry.yaml", "targets: {claude: , codex: , agents: , foo: {skills: .foo/skills}}\n");
    repo.write(".roomodes", "{}\n");
    repo.write(".zed/settings.json", "{}\n");
    assert_eq!(repo.canonry(&["sync"]).status, 0);
    std::fs::remove_dir_all(repo.path(".foo/skills/plan")).unwrap();
    let before = doctor(&repo, &[]);
    assert_eq!(before.status, 1, "{}", before.stdout);
    assert!(before.stdout.contains("mirrors: some are stale: run `canonry sync`"), "{}", before.stdout);
    assert_eq!(repo.canonry(&["sync"]).status, 0);
    let after = doctor(&repo, &[]);
    assert_eq!(after.status, 0, "{}", after.stdout);
    for line in [
        "Roo Code                 .agents/skills (9 skills)\n",
        "  .agents/skills (9 skills), .zed/settings.json\n",
        "  .foo/skills (9 skills)\n",
        "roo: ended in May 2026\n",
        "codex: Codex lists each skill twice; removing `codex` from `targets` makes it once\n",
    ] {
        assert!(after.stdout.contains(line), "{line}{}", after.stdout);
    }
}

#[test]
fn needs_a_repository() {
    let ran = doctor(&Repo::without_git(), &[]);
    assert_eq!(ran.status, 65);
    assert!(ran.stderr.contains("is not in a git repository"), "{}", ran.stderr);
}

/// The restrictions that a tool in use does not enforce, with the parts concerned.
#[test]
fn names_the_restrictions_that_do_not_hold() {
    let repo = Repo::empty();
    repo.write(
        "agent/skills/alpha/SKILL.md",
        "---\nname: alpha\ndescription: Does it. Use when asked to.\n---\n\n# A\n",
    );
    let subagent = |name: &str, limit: &str| {
        repo.write(
            &format!("agent/agents/{name}.md"),
            format!("---\nname: {name}\ndescription: Reads.\n{limit}\n---\n\nRead.\n"),
        );
    };
    subagent("planner", "permissionMode: plan");
    subagent("reader", "tools: Read, Grep");
    repo.write(
        "agent/mcp.json",
        r#"{"mcpServers": {"db": {"command": "db", "excludeTools": ["drop"]}, "docs": {"command": "docs"}}}"#,
    );
    repo.write("agent/AGENTS.md", "# Working here\n");
    repo.write(
        "agent/canonry.yaml",
        "targets: [claude, codex, copilot]\nskills: {alpha: {targets: [claude]}}\n\
         files: {agents: {context: map}, claude: {context: import, mcp: true, subagents: true}, codex: {subagents: true}}\n",
    );
    repo.canonry(&["sync"]);
    let shown = doctor(&repo, &[]).stdout;
    for words in [
        "claude: `permissionMode: plan` of a subagent does not hold (planner; seen with 2.1.330): ",
        "codex: `sandbox_mode = \"read-only\"` of a subagent does not hold (planner, reader; seen with 0.169.0): ",
        "copilot: `excludeTools` of a server does not hold (db; seen with 1.0.102): ",
        "copilot: `skills.NAME.targets` does not hold (alpha; seen with 1.0.102): ",
    ] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    // It validates the document too.
    tools(&repo);
    // A person's own file keeps Claude Code from reading AGENTS.md.
    assert!(!shown.contains("it does not read AGENTS.md"), "{shown}");
    repo.write("CLAUDE.local.md", "# Mine\n");
    let shown = doctor(&repo, &[]).stdout;
    assert!(shown.contains("claude: it does not read AGENTS.md beside CLAUDE.local.md"), "{shown}");
    repo.write("CLAUDE.local.md", "# Mine\n@AGENTS.md\n");
    assert!(!doctor(&repo, &[]).stdout.contains("it does not read AGENTS.md"));
}

/// Memories that tools keep in the home, by the folder that each makes for a repository.
#[test]
fn lists_the_memories_of_the_tools() {
    let repo = connected();
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "x"]);
    repo.git(&["worktree", "add", "-q", "../linked"]);
    let linked = repo.root.parent().unwrap().join("linked");
    let dashed = |path: &std::path::Path| path.to_str().unwrap().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    home(&repo, &format!(".claude/projects/{}/memory/MEMORY.md", dashed(&repo.root)), "note");
    home(&repo, &format!(".claude/projects/{}/memory/topics/a.md", dashed(&repo.root)), "topic");
    home(&repo, &format!(".qwen/projects/{}/memory/MEMORY.md", dashed(&linked)), "of the linked one");
    home(&repo, ".codex/memories/summary.md", "all");
    let slugs = json!({"projects": {repo.root.to_str().unwrap(): "repo"}});
    home(&repo, ".gemini/projects.json", &slugs.to_string());
    home(&repo, ".gemini/tmp/repo/memory/MEMORY.md", "one");
    let memories = |folder: &std::path::Path| {
        let ran: Ran =
            repo.canonry_command().args(["doctor", "--format", "json"]).current_dir(folder).output().unwrap().into();
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
        let row = |row: &Value| {
            let text = |key: &str| row[key].as_str().unwrap().to_owned();
            (text("tool"), row["files"].as_u64().unwrap(), row["bytes"].as_u64().unwrap(), text("shared_by"))
        };
        document["memories"].as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    let row = |tool: &str, files, bytes, by: &str| (tool.to_owned(), files, bytes, by.to_owned());
    let claude = row("claude", 2, 9, "worktrees");
    let codex = row("codex", 1, 3, "all repositories");
    assert_eq!(memories(&repo.root), [claude.clone(), row("gemini", 1, 3, "nothing"), codex.clone()]);
    assert_eq!(memories(&linked), [claude, codex, row("qwen", 1, 17, "nothing")]);
    let shown = doctor(&repo, &[]).stdout;
    assert!(shown.contains("\nkeeps memories outside of the canon\nClaude Code  "), "{shown}");
    assert!(shown.contains("/memory (2 files, 9 bytes), shared by the worktrees\n"), "{shown}");
    tools(&repo);
}

/// The same answer of `check`, `doctor` and `status` about a list of skills that a tool shows only in part.
#[test]
fn tells_which_tools_list_skills_in_part() {
    let repo = Repo::empty();
    for number in 10..30 {
        let text = format!("---\nname: s{number}\ndescription: {}\n---\n\n# S\n", "x".repeat(650));
        repo.write(&format!("agent/skills/s{number}/SKILL.md"), text);
    }
    repo.write("agent/canonry.yaml", "targets: [claude]\n");
    repo.sync(&[]);
    let words = ["Claude Code leaves out the descriptions of 8 of 20 skills"];
    repo.check(&["--select", "listing-budget", "--format", "json"])
        .says(&words)
        .says(&["0 of 650 characters are listed"]);
    doctor(&repo, &[]).says(&words);
    repo.canonry(&["status"]).says(&["1 tool that does not list all descriptions of skills"]);
    repo.write("agent/canonry.yaml", "targets: [cursor]\n");
    repo.check(&["--select", "listing-budget"]).says_nothing_of(&["listing-budget"]);
}
