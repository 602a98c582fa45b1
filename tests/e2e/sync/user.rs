//! `sync --user`: the user canon, mirrored below the home directory.

use crate::support::failpoints::{failpoints_of, for_each_failpoint, kill_command};
use crate::support::repo::{Held, Ran, Repo, binary, document};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

/// A home directory that canonry treats like the top of a repository, so that paths are relative to it.
struct Home(Repo);

const GIT: &str = ".local/state/canonry/user.git";

impl Home {
    fn empty() -> Self {
        let home = Self(Repo::empty());
        home.0.remove(".git");
        home
    }

    fn with_skills(names: &[&str]) -> Self {
        let home = Self::empty();
        names.iter().for_each(|name| home.skill(name, ""));
        home
    }

    fn skill(&self, name: &str, more: &str) {
        self.0.write(&format!(".config/canonry/skills/{name}/SKILL.md"), document(name) + more);
    }

    fn command(&self) -> Command {
        let mut command = self.0.command(binary());
        command.env("HOME", &self.0.root).env_remove("XDG_CONFIG_HOME").current_dir("/");
        command
    }

    fn sync(&self, args: &[&str]) -> Ran {
        Ran::from(self.command().args(["sync", "--user"]).args(args).output().unwrap())
    }

    /// Files below the home directory, except canonry's own.
    fn files(&self) -> BTreeSet<String> {
        let tree = self.0.tree_of(&["."]);
        let files = tree.into_iter().filter(|(_, held)| *held != Held::Folder);
        files.map(|(path, _)| path.trim_start_matches("./").to_owned()).filter(|path| !path.starts_with(GIT)).collect()
    }
}

#[test]
fn skills_are_mirrored_into_the_user_folders_of_each_tool() {
    let home = Home::with_skills(&["alpha", "writing/beta"]);
    home.0.write("notes.txt", "mine\n");
    home.sync(&[]).expect(0).says(&["wrote     .claude/skills/alpha", "10 files written"]);
    for tool in [".claude", ".gemini", ".cursor", ".codex", ".gemini/config"] {
        assert_eq!(home.0.text(&format!("{tool}/skills/alpha/SKILL.md")), document("alpha"));
        assert_eq!(home.0.text(&format!("{tool}/skills/beta/SKILL.md")), document("beta"));
    }
    assert!(!home.0.exists(".antigravity") && !home.0.exists(".agents") && !home.0.exists(".git"));
    assert!(home.0.exists(".config/canonry/mirrors.lock"));
    home.sync(&[]).expect(0).says(&["Up to date: 10 mirrored files."]);
    home.sync(&["--check"]).expect(0);
    home.0.remove(".config/canonry/skills/alpha");
    home.sync(&["--check"]).expect(1);
    home.sync(&[]).expect(0).says(&["5 removed"]);
    assert!(!home.0.exists(".claude/skills/alpha") && home.0.text("notes.txt") == "mine\n");
}

#[test]
fn instructions_subagents_commands_and_servers_are_written_for_every_project() {
    let home = Home::with_skills(&["alpha"]);
    let files = "files: {claude: {context: import, subagents: true, commands: true, permissions: true}, gemini: {mcp: true}, \
                 codex: {subagents: true, mcp: true}, cursor: {commands: true}, agents: {context: map}}\n";
    home.0.write(".config/canonry/canonry.yaml", format!("targets: [claude, codex]\n{files}"));
    home.0.write(".config/canonry/AGENTS.md", "# How I work\n");
    home.0.write(".config/canonry/agents/a.md", "---\nname: a\ndescription: A. Use when asked.\n---\n\nDo it.\n");
    home.0.write(".config/canonry/commands/tag.md", "Tag the release.\n");
    home.0.write(".config/canonry/mcp.json", r#"{"mcpServers": {"db": {"command": "db"}}}"#);
    home.0.write(".config/canonry/protocols/permissions.md", "# Permissions\n\n## Never allowed\n\n- `rm`\n");
    home.0.write(".claude/agents/mine.md", "mine\n");
    home.0.write(".claude/CLAUDE.md", "# Mine\n");
    home.0.write(".codex/config.toml", "model = \"x\"\n");
    home.sync(&[]).expect(0).says_nothing_of(&["trust"]);
    assert!(home.0.text(".claude/CLAUDE.md").starts_with("# Mine\n"));
    for path in [".claude/CLAUDE.md", ".codex/AGENTS.md"] {
        assert!(home.0.text(path).contains("# How I work"), "{path}");
    }
    for path in [".claude/agents/a.md", ".codex/agents/a.toml", ".claude/commands/tag.md", ".cursor/commands/tag.md"] {
        assert!(home.0.exists(path), "{path}");
    }
    assert!(home.0.text(".codex/config.toml").contains("[mcp_servers.db]"));
    assert!(home.0.text(".gemini/settings.json").contains("\"db\""));
    // These have other paths or meanings there.
    for path in ["CLAUDE.md", "AGENTS.md", ".mcp.json", ".claude/settings.json", ".gemini/GEMINI.md"] {
        assert!(!home.0.exists(path), "{path}");
    }
    home.sync(&["--check"]).expect(0);
    home.sync(&[]).expect(0).says(&["Up to date"]);
    // What is switched off goes, and what is the person's stays.
    home.0.write(".config/canonry/canonry.yaml", "targets: [claude, codex]\n");
    home.sync(&[]).expect(0);
    assert_eq!(home.0.text(".claude/CLAUDE.md"), "# Mine\n");
    assert_eq!(home.0.text(".codex/config.toml"), "model = \"x\"\n");
    assert!(!home.0.exists(".claude/agents/a.md") && home.0.text(".claude/agents/mine.md") == "mine\n");
    for path in [
        ".codex/AGENTS.md",
        ".codex/agents/a.toml",
        ".gemini/settings.json",
        ".cursor/commands/tag.md",
        ".claude/commands/tag.md",
    ] {
        assert!(!home.0.exists(path), "{path}");
    }
}

#[test]
fn files_of_a_tool_with_another_home_are_refused() {
    let home = Home::with_skills(&["alpha"]);
    home.0.write(".config/canonry/canonry.yaml", "targets: [claude]\nfiles: {claude: {subagents: true}}\n");
    let mut command = home.command();
    command.env("CLAUDE_CONFIG_DIR", home.0.root.join(".other/claude"));
    let ran = Ran::from(command.args(["sync", "--user"]).output().unwrap());
    ran.expect(5).says(&["`CLAUDE_CONFIG_DIR`", "only into"]);
}

#[test]
fn user_files_are_refused_adopted_or_backed_up() {
    let home = Home::with_skills(&["alpha"]);
    home.0.write(
        ".config/canonry/canonry.yaml",
        "targets: [claude, codex, agents]\nskills: {alpha: {targets: [claude, agents]}}\n",
    );
    home.0.write(".claude/skills/mine/SKILL.md", document("mine"));
    home.sync(&[]).expect(0).says(&["not ours  .claude/skills/mine"]).says_nothing_of(&["antigravity"]);
    assert!(home.0.exists(".agents/skills/alpha/SKILL.md") && !home.0.exists(".codex"));
    home.0.write(".claude/skills/alpha/SKILL.md", document("alpha") + "by hand\n");
    home.sync(&[]).expect(5).says(&[".claude/skills/alpha/SKILL.md: edited by hand"]);
    home.sync(&["--adopt", &home.0.path(".claude/skills/alpha").display().to_string()]).expect(0);
    assert!(home.0.text(".config/canonry/skills/alpha/SKILL.md").ends_with("by hand\n"));
    assert!(home.0.text(".agents/skills/alpha/SKILL.md").ends_with("by hand\n"));
    home.0.write(".claude/skills/alpha/SKILL.md", "another\n");
    home.sync(&["--force"]).expect(0).says(&[&format!("{GIT}/canonry/kept/")]);
    let kept = home.0.tree_of(&[&format!("{GIT}/canonry/kept")]);
    assert!(
        kept.values().any(|held| *held == Held::File { executable: false, bytes: b"another\n".to_vec() }),
        "{kept:?}"
    );
}

/// A home directory is often a repository that ignores almost everything.
#[test]
fn a_home_directory_that_is_a_repository_is_left_unchanged() {
    let home = Home::with_skills(&["alpha"]);
    home.0.git(&["init", "-q", "."]);
    home.0.write(".gitignore", "*\n");
    home.0.write("canonry.yaml", "targets: [vim]\n");
    let before = home.0.tree_of(&[".git"]);
    home.sync(&["--check"]).expect(0);
    home.sync(&[]).expect(0).says(&["5 files written"]);
    assert_eq!(home.0.tree_of(&[".git"]), before);
    // The git environment of a hook has no effect either.
    home.skill("beta", "");
    let mut command = home.command();
    command.env("GIT_DIR", home.0.path(".git")).env("GIT_WORK_TREE", &home.0.root).args(["sync", "--user"]);
    Ran::from(command.output().unwrap()).expect(0).says(&["5 files written"]);
    assert_eq!(home.0.tree_of(&[".git"]), before);
}

#[test]
fn a_canon_behind_a_link_is_found_and_a_canon_outside_the_home_is_refused() {
    let home = Home::empty();
    home.0.write("dotfiles/canonry/skills/alpha/SKILL.md", document("alpha"));
    home.0.link(".config/canonry", "../dotfiles/canonry");
    home.sync(&[]).expect(0);
    assert!(home.0.exists("dotfiles/canonry/mirrors.lock") && home.0.exists(".claude/skills/alpha/SKILL.md"));
    home.sync(&[]).expect(0).says(&["Up to date"]);

    let outside = home.0.outside("config");
    std::fs::create_dir_all(outside.join("canonry/skills")).unwrap();
    let with = |name: &str, value: &PathBuf| {
        Ran::from(home.command().env(name, value).args(["sync", "--user"]).output().unwrap())
    };
    let before = home.files();
    with("XDG_CONFIG_HOME", &outside).expect(65).says(&["is outside your home directory", "XDG_CONFIG_HOME"]);
    with("XDG_CONFIG_HOME", &home.0.path("none")).expect(65).says(&["you have no user canon", "SKILL.md"]);
    Ran::from(home.command().env_remove("HOME").args(["sync", "--user"]).output().unwrap()).expect(65).says(&["HOME"]);
    assert_eq!(home.files(), before);
    // canonry's own state may be anywhere.
    let state = home.0.outside("state");
    home.0.remove(".local");
    with("XDG_STATE_HOME", &state).expect(0);
    assert!(state.join("canonry/user.git/HEAD").is_file() && !home.0.exists(".local"));
}

#[test]
fn options_that_need_a_repository_are_refused() {
    let home = Home::with_skills(&["alpha"]);
    for args in [&["--commit"][..], &["--staged"], &["--watch"], &["--all"], &["somewhere"]] {
        home.sync(args).expect(64);
    }
    for text in ["root: x\n", "canons: [a]\n"] {
        home.0.write(".config/canonry/canonry.yaml", text);
        home.sync(&[]).expect(65).says(&["is only allowed in"]);
    }
    home.0.write(".config/canonry/canonry.yaml", "files: {claude: {hooks: true, mcp: true, context: import}}\n");
    home.0.write(".config/canonry/AGENTS.md", "# Map\n");
    home.0.write(".config/canonry/mcp.json", "{\"mcpServers\": {}}\n");
    home.sync(&[]).expect(0);
    assert!(!home.0.exists("CLAUDE.md") && !home.0.exists(".mcp.json") && !home.0.exists(".claude/settings.json"));
}

/// A home directory is large and private: canonry lists only the canon and the mirrors.
#[test]
#[ignore = "needs strace"]
fn needs_strace_sync_user_lists_only_canon_and_mirrors() {
    let home = Home::with_skills(&["alpha"]);
    home.0.write("photos/2026/a.jpg", "x");
    home.0.write(".ssh/id", "x");
    let log = home.0.outside("log").join("trace");
    let mut command = home.0.command("strace");
    command.args(["-f", "-qq", "-y", "-e", "trace=open,openat,getdents,getdents64", "-o"]).arg(&log).arg(binary());
    command.env("HOME", &home.0.root).env_remove("XDG_CONFIG_HOME").current_dir("/").args(["sync", "--user"]);
    Ran::from(command.output().unwrap()).expect(0);
    let log = std::fs::read_to_string(log).unwrap();
    let listed: BTreeSet<&str> = log
        .lines()
        .filter(|line| line.contains("getdents"))
        .filter_map(|line| line.split_once('<')?.1.split_once('>')?.0.strip_prefix(home.0.root.to_str()?))
        .collect();
    assert!(listed.contains("/.config/canonry/skills"), "{listed:?}");
    let own = [
        "/.config/canonry/",
        "/.claude/skills",
        "/.gemini/skills",
        "/.cursor/skills",
        "/.codex/skills",
        "/.local/state/canonry",
    ];
    let others: Vec<&&str> = listed.iter().filter(|path| !own.iter().any(|own| path.starts_with(own))).collect();
    assert!(others.is_empty(), "{others:?}");
    assert!(!log.contains("/photos") && !log.contains("/.ssh"));
}

#[test]
fn sync_user_survives_a_kill_at_any_write() {
    let make = || {
        let home = Home::with_skills(&["alpha"]);
        home.0.write(".config/canonry/canonry.yaml", "targets: [claude, codex]\n");
        home.0.write(".claude/skills/mine/SKILL.md", "mine\n");
        home
    };
    let whole = make();
    whole.sync(&[]).expect(0);
    let sync = |home: &Home| {
        let mut command = home.0.command(binary());
        command.env("HOME", &home.0.root).env_remove("XDG_CONFIG_HOME").args(["sync", "--user"]);
        command
    };
    let log = whole.0.outside("log").join("failpoints");
    let failpoints = failpoints_of(sync(&make()), &log);
    assert!(failpoints.len() > 20, "{failpoints:?}");
    for_each_failpoint(&failpoints, |failpoint| {
        let home = make();
        kill_command(sync(&home), failpoint);
        home.sync(&[]).expect(0);
        assert_eq!(home.files(), whole.files(), "{failpoint:?}");
        assert_eq!(home.0.text(".codex/skills/alpha/SKILL.md"), document("alpha"), "{failpoint:?}");
        assert_eq!(home.0.text(".claude/skills/mine/SKILL.md"), "mine\n", "{failpoint:?}");
    });
}

/// Run in a repository, for names that exist in both canons.
#[test]
fn check_reports_names_that_exist_in_both_canons_and_how_each_tool_resolves_them() {
    let repo = Repo::with_skills(&["alpha", "gamma"]);
    let user = |args: &[&str]| {
        let mut command = repo.command(binary());
        Ran::from(command.env_remove("XDG_CONFIG_HOME").args([&["sync"], args].concat()).output().unwrap())
    };
    let write = |path: &str, text: &str| {
        let file = repo.home().join(".config/canonry").join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    user(&[]).expect(0).says_nothing_of(&["duplicate"]);
    for name in ["alpha", "beta"] {
        write(&format!("skills/{name}/SKILL.md"), &document(name));
    }
    // Not mirrored yet, so tools do not see it.
    user(&[]).expect(0).says_nothing_of(&["duplicate"]);
    user(&["--user"]).expect(0).says_nothing_of(&["duplicate"]);
    let said =
        "duplicate alpha: your own canon has a skill of this name too; Claude Code uses yours, Codex lists both\n";
    user(&[]).expect(0).says(&[said]).says_nothing_of(&["beta", "gamma:"]);
    user(&["--check"]).expect(0);
    // Gemini prefers the repository's skill, and no mirror of Claude Code has both.
    repo.targets(&["gemini", "cursor"]);
    user(&[]).expect(0).says_nothing_of(&["duplicate"]);
    write("mirrors.lock", "no lock\n");
    user(&[]).expect(0);
}

#[test]
fn a_tool_with_its_own_user_folder_gets_skills_there() {
    let home = Home::with_skills(&["alpha"]);
    home.0.write(
        ".config/canonry/canonry.yaml",
        "targets: [claude, copilot, opencode, goose]\nskills: {alpha: {targets: [claude, copilot, goose]}}\n",
    );
    let run = |folder: &str| {
        let mut command = home.command();
        command.env("CLAUDE_CONFIG_DIR", home.0.root.join(folder));
        Ran::from(command.args(["sync", "--user"]).output().unwrap())
    };
    run(".config/claude").expect(0);
    // goose reads the shared folder.
    for folder in [".config/claude/skills", ".copilot/skills", ".agents/skills"] {
        assert_eq!(home.0.text(&format!("{folder}/alpha/SKILL.md")), document("alpha"));
    }
    for folder in [".claude", ".github", ".opencode", ".config/opencode"] {
        assert!(!home.0.exists(folder), "{folder}");
    }
    run(".config/claude").expect(0).says(&["Up to date"]);
    run("claude").expect(5).says(&["`CLAUDE_CONFIG_DIR`", "hidden folders", "unset `CLAUDE_CONFIG_DIR`"]);
    // Without the variable, the skills move.
    home.sync(&[]).expect(0);
    assert!(home.0.exists(".claude/skills/alpha/SKILL.md") && !home.0.exists(".config/claude"));
}
