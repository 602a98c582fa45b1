//! Tool files besides skills: written into user files, kept up to date, and removed again.

use crate::support::failpoints::{Scenario, interrupt_everywhere};
use crate::support::repo::Repo;

pub const SERVERS: &str =
    r#"{"mcpServers": {"db": {"command": "npx", "args": ["-y", "db"], "env": {"KEY": "${KEY}"}}}}"#;

/// As users write it: tabs, comments, CRLF, no final newline, a byte order mark.
const SETTINGS: &str = "\u{feff}{\r\n\t// ours\r\n\t\"theme\": \"x\", /* y */\r\n\t\"mcpServers\": {\"mine\": {\"command\": \"m\"}} // last\r\n}";
const CODEX: &str = "# Mine\nmodel = \"m\"\n\n[tui] # here\nx = 1";

pub fn config(repo: &Repo, files: &str) {
    repo.write("agent/canonry.yaml", format!("targets: [claude, agents]\nfiles:\n{files}"));
}

pub fn with_servers() -> Repo {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/mcp.json", SERVERS);
    repo.write(".gemini/settings.json", SETTINGS);
    repo.write(".codex/config.toml", CODEX);
    config(&repo, "  claude: {mcp: true}\n  gemini: {mcp: true}\n  codex: {mcp: true}\n  cursor: {mcp: true}\n");
    repo
}

#[test]
fn servers_are_written_for_each_tool_and_removed_without_a_trace() {
    let repo = with_servers();
    repo.sync(&["--check"]).says(&[".mcp.json", ".codex/config.toml"]);
    repo.sync(&["--dry-run"]).expect(0).says(&["+++ b/.mcp.json", "+[mcp_servers.db]"]);
    assert!(!repo.exists(".mcp.json"));
    repo.sync(&[]).expect(0).says(&["wrote     .mcp.json", "wrote     .gemini/settings.json"]);
    assert!(repo.text(".cursor/mcp.json").contains("${env:KEY}"));
    assert!(repo.text(".codex/config.toml").contains("env_vars = [\"KEY\"]"));
    assert!(repo.text(".gemini/settings.json").starts_with("\u{feff}{\r\n\t// ours\r\n"));
    let stamp = repo.tree_of(&[".mcp.json", ".gemini", ".codex", ".cursor", "agent/mirrors.lock"]);
    repo.sync(&[]).expect(0).says(&["Up to date"]);
    assert_eq!(repo.tree_of(&[".mcp.json", ".gemini", ".codex", ".cursor", "agent/mirrors.lock"]), stamp);
    repo.check(&[]).expect(0);
    config(&repo, "  claude: {mcp: false}\n");
    repo.check(&[]).expect(1).says(&["mirror-orphan", ".mcp.json"]);
    repo.sync(&[]).expect(0).says(&["removed   .mcp.json"]);
    assert_eq!(repo.text(".gemini/settings.json"), SETTINGS);
    assert_eq!(repo.text(".codex/config.toml"), CODEX);
    assert!(!repo.exists(".mcp.json") && !repo.exists(".cursor/mcp.json"));
    assert!(!repo.text("agent/mirrors.lock").contains('#'));
}

#[test]
fn an_update_keeps_every_byte_that_a_person_wrote() {
    let repo = with_servers();
    let agent = "---\n# why\nname:   reviewer\ndescription: 'Reviews. Use before a merge.'\nx-team: {a: [1] }  # own\n\
                 models: {cursor: m}\n---\n\nReview.\n";
    repo.write("agent/agents/reviewer.md", agent);
    config(&repo, "  claude: {mcp: true, subagents: true}\n  gemini: {mcp: true}\n  codex: {mcp: true}\n");
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text(".claude/agents/reviewer.md"), agent.replace("models: {cursor: m}\n", ""));
    // Servers of a person beside ours, with keys that canonry does not know.
    let edits = [
        (
            ".mcp.json",
            "\"mcpServers\": {",
            "\"x\":[ ],\n \"mcpServers\": {\n      \"mine\" : {\"x-note\":null,\"command\":\"m\"},",
        ),
        (
            ".gemini/settings.json",
            "{\"command\": \"m\"}",
            "{ \"command\":\"m\",\r\n\r\n  \"x-note\" : [1, /* -n */ 2 ,] , }",
        ),
        (".codex/config.toml", "x = 1", "x   =1\n[mcp_servers.mine]\ncommand='m' # own\nx_note = {a=1}"),
    ];
    let edited = edits.map(|(file, from, to)| {
        let text = repo.text(file).replacen(from, to, 1);
        assert!(text.contains(to), "{file}: {text}");
        repo.write(file, &text);
        (file, text)
    });
    repo.write("agent/mcp.json", SERVERS.replace("-y", "-n"));
    repo.write("agent/agents/reviewer.md", agent.replace("Review.", "Review it."));
    repo.sync(&[]).expect(0);
    for (file, text) in edited {
        assert_eq!(repo.text(file), text.replace("\"-y\"", "\"-n\""), "{file}");
    }
    assert!(repo.text(".claude/agents/reviewer.md").contains("x-team: {a: [1] }  # own\n---\n\nReview it."));
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn only_what_was_written_waits_for_trust() {
    let repo = with_servers();
    repo.sync(&[]).expect(0).says(&[
        "codex     reads .codex/config.toml only in a trusted project: start `codex` here and trust the project\n",
        "gemini    reads .gemini/settings.json only in a trusted folder: start `gemini` here and trust the folder\n",
    ]);
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(
        "agent/agents/reviewer.md",
        "---\nname: reviewer\ndescription: Reviews. Use before a merge.\n---\n\nReview.\n",
    );
    config(&repo, "  gemini: {subagents: true}\n");
    let ran = repo.sync(&[]).expect(0);
    ran.says(&["gemini    reads .gemini/agents only in a trusted folder"]).says_nothing_of(&["settings.json"]);
}

#[test]
fn a_clone_knows_the_owned_parts() {
    let repo = with_servers();
    repo.sync(&[]).expect(0);
    repo.commit_all("all");
    let clone = repo.outside("clone");
    repo.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
    let run = |args: &[&str]| repo.canonry_in(&clone, args);
    run(&["sync", "--check"]).expect(0);
    run(&["check", "--rev", "HEAD"]).expect(0);
    std::fs::remove_file(clone.join("agent/mcp.json")).unwrap();
    run(&["sync"]).expect(0);
    assert_eq!(std::fs::read_to_string(clone.join(".gemini/settings.json")).unwrap(), SETTINGS);
    assert_eq!(std::fs::read_to_string(clone.join(".codex/config.toml")).unwrap(), CODEX);
}

#[test]
fn a_key_set_by_the_user_is_refused_and_both_values_are_named() {
    let repo = with_servers();
    let mine = "{\"mcpServers\": {\"db\": {\"command\": \"mine\"}}}";
    repo.write(".mcp.json", mine);
    let ran = repo.sync(&[]).expect(5).says(&[".mcp.json", "`mcpServers.db` was set by hand", "agent/mcp.json"]);
    assert!(ran.stderr.contains("-{\"mcpServers\": {\"db\": {\"command\": \"mine\"}}}"), "{}", ran.stderr);
    assert_eq!(repo.text(".mcp.json"), mine);
    assert!(repo.exists(".cursor/mcp.json"), "everything else is written");
    repo.check(&[]).expect(1).says(&["mirror-occupied", "`mcpServers.db`"]);
    repo.sync(&["--force"]).expect(0).says(&["backed up .mcp.json"]);
    assert!(repo.text(".mcp.json").contains("npx"));
}

#[test]
fn a_hand_edit_of_a_managed_part_is_refused_shown_and_forced() {
    let repo = with_servers();
    repo.sync(&[]).expect(0);
    repo.commit_all("all");
    let edited = repo.text(".mcp.json").replace("npx", "pnpx");
    repo.write(".mcp.json", &edited);
    let block = repo.text(".codex/config.toml").replace("npx", "pnpx");
    repo.write(".codex/config.toml", &block);
    repo.write("agent/mcp.json", SERVERS.replace("-y", "-n"));
    let ran =
        repo.sync(&[]).expect(5).says(&["`mcpServers.db` was edited by hand", "the canonry block was edited by hand"]);
    assert!(ran.stderr.contains("pnpx"), "{}", ran.stderr);
    assert_eq!((repo.text(".mcp.json"), repo.text(".codex/config.toml")), (edited, block));
    assert!(repo.text(".cursor/mcp.json").contains("-n"), "everything else is in step");
    repo.check(&[]).expect(1).says(&["mirror-edited", ".mcp.json", ".codex/config.toml"]);
    repo.sync(&["--force"]).expect(0);
    assert!(!repo.text(".mcp.json").contains("pnpx") && !repo.text(".codex/config.toml").contains("pnpx"));
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn staged_content_and_commits_are_checked_without_the_work_tree() {
    let repo = with_servers();
    repo.sync(&[]).expect(0);
    repo.commit_all("all");
    repo.write("agent/mcp.json", SERVERS.replace("npx", "bunx"));
    repo.git(&["add", "agent/mcp.json"]);
    repo.check(&["--staged"]).expect(1).says(&["mirror-stale", ".mcp.json"]);
    repo.check(&["--rev", "HEAD"]).expect(0);
    repo.sync(&[]).expect(0);
    repo.git(&["add", "-A"]);
    repo.check(&["--staged"]).expect(0);
}

#[test]
fn a_commit_contains_the_managed_part_and_not_user_edits() {
    let repo = with_servers();
    repo.commit_all("before");
    repo.canonry(&["trust"]).expect(0);
    repo.write(".codex/config.toml", format!("{CODEX}\ny = 2"));
    let said = ["not committed: .codex/config.toml", "not in order in HEAD: .codex/config.toml"];
    repo.sync(&["--commit"]).expect(1).says(&said);
    let changes = repo.head_changes();
    for path in ["A .mcp.json", "M .gemini/settings.json", "A .cursor/mcp.json"] {
        assert!(changes.contains(&path.to_owned()), "{changes:?}");
    }
    assert!(!changes.iter().any(|path| path.contains("config.toml")), "{changes:?}");
    repo.commit_all("theirs");
    repo.check(&["--rev", "HEAD"]).expect(0);
}

#[test]
fn an_unreadable_canon_file_removes_nothing() {
    let repo = with_servers();
    repo.sync(&[]).expect(0);
    let before = repo.tree_of(&[".mcp.json", ".gemini", ".codex", ".cursor", "agent/mirrors.lock"]);
    for bad in ["{", "[]", "{\"mcpServers\": {\"db\": {}}}", "\u{fffd}"] {
        repo.write("agent/mcp.json", bad);
        repo.sync(&[]).expect(1).says(&["agent/mcp.json"]);
        assert_eq!(repo.tree_of(&[".mcp.json", ".gemini", ".codex", ".cursor", "agent/mirrors.lock"]), before, "{bad}");
    }
}

#[test]
fn links_blocking_files_and_broken_files_are_left_alone() {
    let repo = with_servers();
    let outside = repo.outside("elsewhere");
    std::fs::write(outside.join("mcp.json"), "{}").unwrap();
    repo.link(".cursor", outside.to_str().unwrap());
    repo.link(".mcp.json", outside.join("mcp.json").to_str().unwrap());
    repo.write(".codex/config.toml", "broken = ");
    repo.write(".gemini/settings.json", b"\xff{}");
    repo.sync(&[]).expect(5).says(&[".cursor/mcp.json", ".mcp.json", ".codex/config.toml", ".gemini/settings.json"]);
    repo.sync(&["--force"]).expect(5);
    assert_eq!(std::fs::read_to_string(outside.join("mcp.json")).unwrap(), "{}");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(repo.text(".codex/config.toml"), "broken = ");
    assert_eq!(repo.read(".gemini/settings.json"), b"\xff{}");
}

#[test]
fn managed_parts_are_claimed_again_after_a_lost_lock() {
    let repo = with_servers();
    repo.sync(&[]).expect(0);
    let lock = repo.text("agent/mirrors.lock");
    repo.remove("agent/mirrors.lock");
    repo.sync(&["--adopt", "--all"]).expect(0);
    assert_eq!(repo.text("agent/mirrors.lock"), lock);
}

#[test]
fn the_antigravity_pointer_is_a_separate_entry() {
    let repo = Repo::with_skills(&["alpha"]);
    let mine = "{\"entries\": [{\"path\": \"mine\"}]}\n";
    repo.write(".agents/skills.json", mine);
    repo.sync(&[]).expect(0);
    let want = "{\"entries\": [{\"path\": \"mine\"}, {\"path\":\".antigravity/skills\"}]}\n";
    assert_eq!(repo.text(".agents/skills.json"), want);
    repo.targets(&["claude"]);
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text(".agents/skills.json"), mine);
    repo.write("agent/canonry.yaml", "files: {antigravity: {pointer: false}}\n");
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text(".agents/skills.json"), mine);
}

/// User files that a killed run writes into.
const MINE: [(&str, &str); 3] =
    [("AGENTS.md", "# Ours"), (".codex/config.toml", CODEX), (".mcp.json", "{\"mine\": 1} // x\n")];

/// Texts that the user wrote in these files; no kill may lose them.
const PRECIOUS: [&str; 3] = ["# Ours", CODEX, "{\"mine\": 1"];

fn before_a_kill() -> Repo {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/AGENTS.md", "# Working here\n");
    repo.write("agent/mcp.json", SERVERS);
    MINE.iter().for_each(|(path, text)| repo.write(path, text));
    config(
        &repo,
        "  claude: {mcp: true}\n  codex: {mcp: true}\n  cursor: {context: true, mcp: true}\n  agents: {context: map}\n",
    );
    repo
}

fn no_trace(repo: &Repo) {
    repo.sync(&["--check"]).expect(0);
    config(repo, "  agents: {context: off}\n");
    repo.sync(&[]).expect(0);
    for (path, text) in MINE {
        assert_eq!(repo.text(path), text, "{path}");
    }
    assert!(!repo.exists(".cursor/mcp.json") && !repo.text("agent/mirrors.lock").contains('#'));
}

#[test]
fn writing_into_user_files_survives_a_kill_at_any_write() {
    interrupt_everywhere(&Scenario { make: before_a_kill, args: &["sync"], precious: &PRECIOUS, then: no_trace });
}

#[test]
fn updating_user_files_survives_a_kill_at_any_write() {
    let make = || {
        let repo = before_a_kill();
        repo.sync(&[]).expect(0);
        repo.write("agent/AGENTS.md", "# Working elsewhere\n");
        repo.write("agent/mcp.json", SERVERS.replace("db", "other"));
        repo
    };
    interrupt_everywhere(&Scenario { make, args: &["sync"], precious: &PRECIOUS, then: no_trace });
}
