//! Executable entries reach the settings of a tool only if a person trusts them or wrote them in this clone.

use crate::support::repo::{Ran, Repo};
use std::path::{Path, PathBuf};

const CONFIG: &str =
    "targets: [claude]\nfiles:\n  claude: {mcp: true, permissions: true, hooks: true, team_hooks: true}\n";
const HOOKS: &str = "hooks:\n  post-tool:\n    - command: format-all\n      matcher: Edit\n";
const SERVERS: &str = r#"{"mcpServers": {"db": {"command": "npx", "args": ["-y", "db-server"]}}}"#;
const PERMISSIONS: &str = "# Permissions\n\n## Always allowed\n\n- `curl`\n\n## Requires approval\n\n- `git push`\n\n## Never allowed\n\n- `terraform destroy`\n";
const SETTINGS: &str = ".claude/settings.json";

/// A repository with hooks, a server and permissions, whose tool files each clone makes itself.
fn published() -> Repo {
    let repo = Repo::with_skills(&["deploy"]);
    repo.write("agent/canonry.yaml", CONFIG);
    repo.write("agent/hooks.yaml", HOOKS);
    repo.write("agent/mcp.json", SERVERS);
    repo.write("agent/protocols/permissions.md", PERMISSIONS);
    repo.write(".gitignore", "/.claude/settings.json\n/.mcp.json\n");
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "canon"]);
    repo
}

struct Copy<'a> {
    repo: &'a Repo,
    root: PathBuf,
}

impl<'a> Copy<'a> {
    fn of(repo: &'a Repo) -> Self {
        let root = repo.outside("copy");
        repo.git(&["clone", "-q", ".", root.to_str().unwrap()]);
        let copy = Self { repo, root };
        copy.git(&["config", "user.name", "U"]);
        copy.git(&["config", "user.email", "u@example.com"]);
        copy
    }

    fn git(&self, args: &[&str]) {
        self.repo.git(&[&["-C", self.root.to_str().unwrap()], args].concat());
    }

    fn canonry(&self, args: &[&str]) -> Ran {
        self.repo.canonry_in(&self.root, args)
    }

    fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.root.join(path)).unwrap_or_default()
    }

    /// Entries that the tools would execute, or that let them act without asking.
    fn executed(&self) -> Vec<&'static str> {
        let all = self.text(SETTINGS) + &self.text(".mcp.json");
        let known = ["format-all", "other-command", "db-server", "evil-server", "Bash(curl", "Bash(wget"];
        known.into_iter().filter(|name| all.contains(name)).collect()
    }

    /// One answer of everybody who asks about the state of the clone.
    fn is_in_order(&self) {
        for args in [&["sync", "--check"][..], &["check"]] {
            let ran = self.canonry(args);
            assert_eq!(ran.status, 0, "{args:?}: {}{}", ran.stdout, ran.stderr);
        }
    }
}

const ALL: [&str; 3] = ["format-all", "db-server", "Bash(curl"];

#[test]
fn a_clone_executes_nothing_of_the_repository_before_it_is_trusted() {
    let repo = published();
    let copy = Copy::of(&repo);
    let ran = copy.canonry(&["sync"]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    insta::assert_snapshot!(ran.stdout);
    assert_eq!(copy.executed(), [""; 0]);
    // Everything else is written: the skills, canonry's hooks, and what is denied.
    assert!(copy.root.join(".claude/skills/deploy/SKILL.md").exists());
    let settings = copy.text(SETTINGS);
    assert!(settings.contains("canonry hook pre-tool") && settings.contains("Bash(terraform destroy"), "{settings}");
    copy.is_in_order();
    let again = copy.canonry(&["sync"]);
    assert!(
        again.stdout.contains("untrusted agent/hooks.yaml: 1 entry") && again.stdout.contains("Up to date"),
        "{}",
        again.stdout
    );
    let status = copy.canonry(&["status"]);
    assert!(status.stdout.contains("canonry trust"), "{}", status.stdout);
    let trusted = copy.canonry(&["trust"]);
    assert_eq!(trusted.status, 0, "{}", trusted.stderr);
    for shown in
        ["hook at post-tool (Edit): `format-all`", "MCP server `db`: `npx -y db-server`", "always allowed: `curl`"]
    {
        assert!(trusted.stdout.contains(shown), "{}", trusted.stdout);
    }
    assert_eq!(copy.canonry(&["sync", "--check"]).status, 1);
    let ran = copy.canonry(&["sync"]);
    assert!(ran.status == 0 && !ran.stdout.contains("untrusted"), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(copy.executed(), ALL);
    copy.is_in_order();
}

#[test]
fn a_pull_that_changes_an_entry_shows_it_again() {
    let repo = published();
    let copy = Copy::of(&repo);
    assert_eq!(copy.canonry(&["trust"]).status, 0);
    assert_eq!(copy.canonry(&["sync"]).status, 0);
    // Unrelated changes.
    repo.write("agent/hooks.yaml", format!("# Ours\n{HOOKS}"));
    repo.append("agent/protocols/permissions.md", "- `npm publish`\n");
    repo.commit_all("words");
    copy.git(&["pull", "-q"]);
    let ran = copy.canonry(&["sync"]);
    assert!(!ran.stdout.contains("untrusted"), "{}", ran.stdout);
    assert_eq!(copy.executed(), ALL);
    assert!(copy.text(SETTINGS).contains("npm publish"));
    // A changed server, a second hook, a second permission.
    repo.write("agent/mcp.json", SERVERS.replace("db-server", "evil-server"));
    repo.append("agent/hooks.yaml", "    - command: other-command\n");
    repo.write("agent/protocols/permissions.md", PERMISSIONS.replace("- `curl`\n", "- `curl`\n- `wget`\n"));
    repo.commit_all("commands");
    copy.git(&["pull", "-q"]);
    let ran = copy.canonry(&["sync"]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    let shown: Vec<&str> = ran.stdout.lines().filter(|line| line.contains('`') && !line.contains("help:")).collect();
    assert_eq!(
        shown,
        [
            "          hook at post-tool: `other-command`",
            "          MCP server `db`: `npx -y evil-server`",
            "          always allowed: `wget`"
        ]
    );
    // What was trusted stays.
    assert_eq!(copy.executed(), ALL);
    assert!(!copy.text(SETTINGS).contains("npm publish"), "what is not in the canon any more goes");
    copy.is_in_order();
    assert_eq!(copy.canonry(&["trust"]).status, 0);
    assert_eq!(copy.canonry(&["sync"]).status, 0);
    assert_eq!(copy.executed(), ["format-all", "other-command", "evil-server", "Bash(curl", "Bash(wget"]);
}

#[test]
fn what_is_written_in_this_clone_needs_no_trust() {
    let repo = Repo::with_skills(&["deploy"]);
    repo.write("agent/canonry.yaml", CONFIG);
    repo.write("agent/hooks.yaml", HOOKS);
    repo.write("agent/mcp.json", SERVERS);
    repo.commit_all("canon");
    // Committed, and never synced here.
    assert!(repo.sync(&[]).stdout.contains("untrusted agent/hooks.yaml"));
    repo.append("agent/hooks.yaml", "    - command: other-command\n");
    let ran = repo.sync(&[]).expect(0);
    assert!(ran.stdout.contains("`format-all`") && !ran.stdout.contains("`other-command`"), "{}", ran.stdout);
    assert!(repo.text(SETTINGS).contains("other-command") && !repo.text(SETTINGS).contains("format-all"));
    // It stays trusted when it is committed, and in a work tree of this repository.
    repo.commit_all("mine");
    repo.remove(SETTINGS);
    repo.sync(&[]).expect(0);
    assert!(repo.text(SETTINGS).contains("other-command"));
    let tree = repo.root.parent().unwrap().join("tree");
    repo.git(&["worktree", "add", "-q", tree.to_str().unwrap()]);
    std::fs::remove_file(tree.join(SETTINGS)).unwrap();
    repo.canonry_in(&tree, &["sync"]).expect(0);
    assert!(std::fs::read_to_string(tree.join(SETTINGS)).unwrap().contains("other-command"));
    // Not for an agent.
    repo.append("agent/hooks.yaml", "    - command: agents-command\n");
    let ran = repo.command(crate::support::repo::binary()).env("CLAUDECODE", "1").arg("sync").output().unwrap();
    assert!(String::from_utf8_lossy(&ran.stdout).contains("`agents-command`"), "{ran:?}");
    assert!(!repo.text(SETTINGS).contains("agents-command"));
}

#[test]
fn a_merge_brings_nothing_that_is_trusted() {
    let repo = published();
    let copy = Copy::of(&repo);
    assert_eq!(copy.canonry(&["trust"]).status, 0);
    assert_eq!(copy.canonry(&["sync"]).status, 0);
    repo.append("agent/hooks.yaml", "    - command: other-command\n");
    repo.commit_all("hook");
    std::fs::write(copy.root.join("notes.md"), "x\n").unwrap();
    copy.git(&["add", "notes.md"]);
    copy.git(&["commit", "-qm", "notes"]);
    copy.git(&["fetch", "-q"]);
    copy.git(&["merge", "-q", "--no-commit", "origin/main"]);
    assert!(copy.canonry(&["sync"]).stdout.contains("`other-command`"));
    assert_eq!(copy.executed(), ALL);
    copy.git(&["merge", "--abort"]);
    copy.git(&["merge", "-q", "--squash", "origin/main"]);
    assert!(copy.canonry(&["sync"]).stdout.contains("`other-command`"));
    assert_eq!(copy.executed(), ALL);
}

#[test]
fn committed_tool_files_need_nothing() {
    let repo = published();
    repo.git(&["rm", "-q", ".gitignore"]);
    repo.canonry(&["trust"]).expect(0);
    repo.sync(&[]).expect(0);
    repo.commit_all("tool files");
    let copy = Copy::of(&repo);
    copy.is_in_order();
    let ran = copy.canonry(&["sync"]);
    assert!(ran.stdout.starts_with("Up to date") && !ran.stdout.contains("untrusted"), "{}", ran.stdout);
    // A deleted tool file is not written again without trust, and the lock stays.
    let lock = copy.text("agent/mirrors.lock");
    std::fs::remove_file(copy.root.join(".mcp.json")).unwrap();
    let ran = copy.canonry(&["sync"]);
    assert!(ran.stdout.contains("untrusted agent/mcp.json: 1 entry"), "{}", ran.stdout);
    assert_eq!(copy.text("agent/mirrors.lock"), lock);
    assert_eq!(copy.text(".mcp.json"), "");
}

#[test]
fn what_init_and_import_write_needs_no_trust() {
    let repo = Repo::empty();
    repo.write(".mcp.json", SERVERS);
    repo.canonry(&["import"]).expect(0);
    repo.canonry(&["init", "--all"]).expect(0);
    repo.commit_all("canon");
    let ran = repo.sync(&[]);
    assert!(!ran.stdout.contains("untrusted"), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn no_tool_executes_an_untrusted_entry() {
    let repo = published();
    let tools = "claude: {mcp: true, permissions: true, hooks: true, team_hooks: true}\n  \
                 gemini: {mcp: true, permissions: true, hooks: true, team_hooks: true}\n  \
                 codex: {mcp: true, permissions: true, hooks: true, team_hooks: true}\n  \
                 cursor: {mcp: true, permissions: true, hooks: true, team_hooks: true}\n  \
                 antigravity: {mcp: true, permissions: true, hooks: true, team_hooks: true}\n  \
                 opencode: {mcp: true, permissions: true, hooks: true, team_hooks: true}\n  \
                 cline: {hooks: true, team_hooks: true}\n  \
                 kiro: {hooks: true, team_hooks: true}";
    repo.write("agent/hooks.yaml", format!("{HOOKS}    - command: format-all\n"));
    repo.write("agent/canonry.yaml", format!("targets: [claude]\nfiles:\n  accept_omitted: [\"cursor/permissions/*\", \"codex/permissions/*\", \"antigravity/permissions/*\", \"gemini/permissions/*\", \"opencode/permissions/*\", \"cursor/hooks/*\", \"codex/hooks/*\", \"antigravity/hooks/*\", \"gemini/hooks/*\", \"cline/hooks/*\", \"kiro/hooks/*\"]\n  {tools}\n"));
    let page = PERMISSIONS.replace("# Permissions", "---\ndefaultMode: acceptEdits\n---\n# Permissions");
    repo.write("agent/protocols/permissions.md", page);
    repo.remove(".gitignore");
    repo.commit_all("tools");
    let copy = Copy::of(&repo);
    let ran = copy.canonry(&["sync"]);
    let commands = |root: &Path| -> Vec<String> {
        let mut found = Vec::new();
        for file in walkdir::WalkDir::new(root).into_iter().filter_map(Result::ok) {
            let path = file.path().strip_prefix(root).unwrap().to_string_lossy().into_owned();
            let is_tools = !path.starts_with(".git/") && !path.starts_with("agent/") && file.file_type().is_file();
            let text = if is_tools { std::fs::read_to_string(file.path()).unwrap_or_default() } else { String::new() };
            let known = ["format-all", "db-server", "curl", "acceptEdits", "auto_edit"];
            found.extend(known.into_iter().filter(|name| text.contains(name)).map(|name| format!("{path} {name}")));
        }
        found.sort();
        found
    };
    assert_eq!(commands(&copy.root), [""; 0], "{}", ran.stdout);
    copy.is_in_order();
    assert_eq!(copy.canonry(&["trust"]).status, 0);
    assert!(copy.canonry(&["sync"]).status <= 1);
    let written = commands(&copy.root);
    for wanted in [".claude/settings.json format-all", ".claude/settings.json curl", ".mcp.json db-server"] {
        assert!(written.iter().any(|found| found == wanted), "{written:#?}");
    }
    for tool in [".gemini/", ".codex/", ".cursor/", "opencode.json", ".opencode/", ".clinerules/", ".kiro/"] {
        assert!(written.iter().any(|found| found.starts_with(tool)), "{written:#?}");
    }
}
