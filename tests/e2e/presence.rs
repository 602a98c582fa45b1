//! Conditions for a folder to be a canon: a config, a lock, or a document that canonry knows. One answer by every
//! command.

use crate::support::repo::{Repo, document};
use std::io::Write;
use std::process::Stdio;

/// A skill that `check` reports wherever a tool reads it.
const BROKEN: &str = "---\nname: broken\n---\n\n# Broken\n";

/// A repository in which another program owns the folder `agent/`, with a skill of Claude Code beside it.
fn of_another_program() -> Repo {
    let repo = Repo::empty();
    for (path, text) in [
        ("agent/__init__.py", ""),
        ("agent/AGENTS.md", "# The agent package\n\nRun `pytest agent`.\n"),
        ("agent/memory/store.py", "store = {}\n"),
        ("agent/memory/semantic/notes.md", "Notes\n"),
        ("agent/schemas/user.json", "{\"type\": \"objekt\"}\n"),
        ("agent/plans/prices.json", "{\"free\": 0, \"team\": 9}\n"),
        ("agent/workflows/ci.yaml", "on: push\njobs: {}\n"),
        ("agent/workflows/state.yaml", "version: 1\nname: x\nsteps: [{run: make}]\n"),
        ("agent/rules/a.md", "---\nglobs: [\n---\n"),
        ("agent/skills/loader.py", "skills = []\n"),
        (".claude/skills/broken/SKILL.md", BROKEN),
    ] {
        repo.write(path, text);
    }
    repo.commit_all("program");
    repo
}

#[test]
fn a_folder_of_another_program_is_no_canon_for_any_command() {
    let repo = of_another_program();
    let before = repo.tree();
    for args in [&["check"][..], &["check", "--rev", "HEAD"], &["check", "."], &["-C", "agent", "check"]] {
        repo.canonry(args)
            .expect(1)
            .says(&[
                "there is no canon (`agent` has no config, lock, skill or other document of one)",
                ".claude/skills/broken",
            ])
            .says_nothing_of(&["agent/schemas", "agent/plans", "agent/workflows", "agent/rules", "canonry sync"]);
    }
    for args in [&["sync"][..], &["sync", "--check"], &["sync", "--commit"], &["status"], &["run", "new", "x"]] {
        repo.canonry(args).expect(65).says(&["no canon found: `agent` has no config"]);
    }
    repo.sync(&["--staged"]).expect(0);
    repo.canonry(&["protocol", "list"]).expect(65).says(&["no canon"]);
    repo.canonry(&["doctor"]).says_nothing_of(&["not synced", "run `canonry sync`"]);
    let event = r#"{"tool_name": "Bash", "tool_input": {"command": "false"}, "tool_response": {"is_error": true}}"#;
    let mut hook = repo.command(crate::support::repo::binary());
    let mut hook = hook.args(["hook", "post-tool", "--tool", "claude"]).stdin(Stdio::piped()).spawn().unwrap();
    hook.stdin.take().unwrap().write_all(event.as_bytes()).unwrap();
    assert!(hook.wait().unwrap().success());
    assert_eq!(repo.tree(), before);
}

#[test]
fn each_document_makes_a_canon() {
    let plan = "schema_version: 1\nid: x\ngoal: g\nsteps: [{id: a, owner: Coder, criteria: [c], deps: []}]\n";
    for (path, text) in [
        ("agent/canonry.yaml", ""),
        ("agent/mirrors.lock", ""),
        ("agent/skills.lock", ""),
        ("agent/pack.lock", ""),
        ("agent/skills/alpha/SKILL.md", &document("alpha")),
        ("agent/skills/group/deep/alpha/SKILL.md", &document("alpha")),
        ("agent/protocols/permissions.md", "# Permissions\n"),
        ("agent/memory/episodic/AGENT_LEARNINGS.jsonl", ""),
        ("agent/memory/episodic/2026.jsonl", ""),
        ("agent/plans/x/plan.yaml", plan),
        ("agent/plans/other.yaml", plan),
        ("agent/workflows/w.yaml", "version: 1\nid: w\nsteps: [{id: a, prompt: Do it., next: end}]\n"),
    ] {
        let repo = of_another_program();
        repo.write(path, text);
        repo.commit_all("canon");
        for args in [&["check"][..], &["check", "--rev", "HEAD"], &["check", "--staged"]] {
            let ran = repo.canonry(args).says_nothing_of(&["no canon"]);
            assert!(ran.status < 2 || path.ends_with(".lock"), "{path} {args:?}: {ran:?}");
        }
        repo.sync(&["--check"]).says_nothing_of(&["no canon"]);
        repo.canonry(&["status"]).says_nothing_of(&["no canon"]);
    }
}

#[test]
fn a_config_at_the_top_makes_a_canon_only_by_naming_it() {
    let repo = of_another_program();
    repo.write("canonry.yaml", "exclude: [docs]\n");
    repo.check(&[]).expect(1).says(&["there is no canon", ".claude/skills/broken"]);
    repo.sync(&[]).expect(65).says(&["no canon found"]);
    repo.write("canonry.yaml", "root: agent\n");
    repo.check(&[]).says_nothing_of(&["no canon"]);
    repo.sync(&["--check"]).says_nothing_of(&["no canon"]);
    // Listed folders need a canon too.
    let repo = Repo::empty();
    repo.write("canonry.yaml", "canons: ['packages/*']\n");
    repo.write("packages/a/agent/skills/alpha/SKILL.md", document("alpha"));
    repo.write("packages/b/agent/main.py", "");
    repo.write("packages/c/canonry.yaml", "root: canon\n");
    repo.write("packages/c/canon/AGENTS.md", "# C\n");
    repo.commit_all("packages");
    repo.sync(&[]).expect(0).says(&["packages/a/agent", "packages/c/canon"]).says_nothing_of(&["packages/b"]);
    assert!(!repo.exists("packages/b/agent/mirrors.lock"));
}

#[test]
fn init_and_import_leave_a_canon() {
    for (config, args) in [(None, &["init"][..]), (Some("{}\n"), &["init"]), (Some("{}\n"), &["import"])] {
        let repo = of_another_program();
        repo.write(".mcp.json", "{\"mcpServers\": {\"a\": {\"command\": \"npx\"}}}\n");
        config.into_iter().for_each(|text| repo.write("canonry.yaml", text));
        repo.git(&["rm", "-rqf", ".claude"]);
        let ran = repo.canonry(args).expect(0);
        repo.sync(&["--check"]).says_nothing_of(&["no canon"]);
        assert_eq!(repo.text("agent/__init__.py"), "", "{ran:?}");
    }
    of_another_program().canonry(&["init", "--dry-run"]).expect(0).says(&["agent/ had", "of something else"]);
}

#[test]
fn a_submodule_in_place_of_the_canon_is_refused_by_every_command() {
    let inner = Repo::with_skills(&["alpha"]);
    inner.commit_all("inner");
    let repo = Repo::empty();
    repo.write(".claude/skills/broken/SKILL.md", BROKEN);
    let inner = inner.root.to_str().unwrap().to_owned();
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", &inner, "agent"]);
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "submodule"]);
    let before = repo.tree();
    for args in
        [&["sync"][..], &["sync", "--check"], &["sync", "--staged"], &["sync", "--commit"], &["status"], &["init"]]
    {
        repo.canonry(args).expect(65).says(&["`agent` is a submodule", "run canonry inside it"]);
    }
    for args in [&["check"][..], &["check", "--rev", "HEAD"]] {
        repo.canonry(args).expect(1).says(&["no canon (`agent` is a submodule)", ".claude/skills/broken"]);
    }
    assert_eq!(repo.tree(), before);
    // The advice works.
    repo.canonry(&["-C", "agent", "check"]).says_nothing_of(&["is a submodule"]);
}

#[test]
fn canons_in_folders_are_named_where_there_is_none_at_the_top() {
    let repo = Repo::empty();
    for name in ["api", "web"] {
        repo.write(&format!("packages/{name}/agent/skills/{name}/SKILL.md"), document(name));
    }
    repo.write("packages/db/agent/main.py", "");
    repo.commit_all("packages");
    let line = "canons: [packages/api, packages/web]";
    for args in [&["sync"][..], &["sync", "--check"], &["status"], &["check"], &["check", "--rev", "HEAD"]] {
        let ran = repo.canonry(args).says(&[line]).says_nothing_of(&["packages/db"]);
        assert_eq!(ran.status, if args[0] == "check" { 0 } else { 65 }, "{args:?}");
    }
    repo.write("canonry.yaml", format!("{line}\n"));
    repo.sync(&[]).expect(0);
    assert!(repo.exists("packages/api/.claude/skills/api/SKILL.md"));
    repo.check(&[]).expect(0).says_nothing_of(&["no canon"]);
}
