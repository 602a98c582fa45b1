//! `canonry pack`: the plugin, its version, and the files of users.

use crate::support::failpoints::{assert_whole, copy, failpoints, for_each_failpoint, is_temporary, kill, sample};
use crate::support::repo::{Repo, document};
use crate::support::same::assert_same;
use serde_json::{Value, json};

const OUT: &str = "plugins/acme";

/// A canon with everything that a plugin can have.
fn canon() -> Repo {
    let repo = Repo::empty();
    repo.write("agent/skills/notes/SKILL.md", document("notes") + "\nRun `sh scripts/run.sh`.\n");
    repo.write("agent/skills/notes/scripts/run.sh", "#!/bin/sh\necho hi\n");
    repo.chmod("agent/skills/notes/scripts/run.sh", 0o755);
    repo.write("agent/skills/ops/deploy/SKILL.md", document("deploy"));
    let subagent = |name: &str, limit: &str| format!("---\nname: {name}\ndescription: Reviews.\n{limit}---\nReview.\n");
    repo.write("agent/agents/reader.md", subagent("reader", "tools: Read, Grep\n"));
    repo.write("agent/agents/writer.md", subagent("writer", "tools: Read, Write\n"));
    repo.write("agent/agents/planner.md", subagent("planner", "permissionMode: plan\n"));
    repo.write("agent/commands/ship.md", "---\ndescription: Ship\n---\nShip $ARGUMENTS.\n");
    repo.write("tools/server.js", "x\n");
    let servers = json!({"mcpServers": {
        "docs": {"type": "http", "url": "https://docs.example.com/mcp"},
        "token": {"command": "npx", "args": ["-y", "x"], "env": {"TOKEN": "${TOKEN}"}},
        "local": {"command": "node", "args": ["tools/server.js"]},
    }});
    repo.write("agent/mcp.json", servers.to_string());
    repo.write(
        "agent/hooks.yaml",
"hooks:\n  post-tool:\n    - {command: npx prettier --check ., matcher: Write}\n  stop:\n    - {command: node tools/server.js}\n",
    );
    repo.write("LICENSE", "Mine.\n");
    repo.write("agent/canonry.yaml", "pack: {name: acme, description: Notes., author: {name: Acme}, license: MIT}\n");
    repo.commit_all("canon");
    repo
}

fn json_of(repo: &Repo, path: &str) -> Value {
    serde_json::from_str(&repo.text(&format!("{OUT}/{path}"))).unwrap()
}

fn version(repo: &Repo) -> String {
    let manifests =
        ["plugin.json", ".claude-plugin/plugin.json", ".codex-plugin/plugin.json", ".cursor-plugin/plugin.json"];
    let versions = manifests.map(|path| json_of(repo, path)["version"].as_str().unwrap().to_owned());
    assert!(versions.iter().all(|version| *version == versions[0]), "{versions:?}");
    versions[0].clone()
}

#[test]
fn a_plugin_for_every_tool() {
    let repo = canon();
    repo.canonry(&["pack"]).expect(0).says(&[
        "Packed acme 0.1.0 into plugins/acme: 2 skills",
        "`local` is left out: it needs `tools/server.js`",
        "`token` is only for Claude Code",
        "the hook `node tools/server.js` is left out: it needs `tools/server.js`",
        "planner.md is left out for Claude Code",
        "`writer` is not written for Cursor",
    ]);
    assert_eq!(repo.text("plugins/acme/skills/deploy/SKILL.md"), repo.text("agent/skills/ops/deploy/SKILL.md"));
    assert_eq!(repo.mode("plugins/acme/skills/notes/scripts/run.sh") & 0o100, 0o100);
    let portable = json_of(&repo, "plugin.json");
    assert_eq!(portable["$schema"], "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json");
    let servers = &json_of(&repo, "mcp.json")["mcpServers"];
    assert_eq!(*servers, json!({"docs": {"type": "streamable-http", "url": "https://docs.example.com/mcp"}}));
    assert_eq!(json_of(&repo, ".mcp.json")["mcpServers"]["token"]["env"]["TOKEN"], "${TOKEN}");
    let cursor = json_of(&repo, ".cursor-plugin/plugin.json");
    assert_eq!((&cursor["agents"], &cursor["commands"]), (&json!("./cursor/agents/"), &json!("./cursor/commands/")));
    assert!(repo.exists("plugins/acme/agents/writer.md") && !repo.exists("plugins/acme/agents/planner.md"));
    assert!(
        repo.exists("plugins/acme/cursor/agents/planner.md") && !repo.exists("plugins/acme/cursor/agents/writer.md")
    );
    assert_eq!(json_of(&repo, ".agents/plugins/marketplace.json")["plugins"][0]["source"]["path"], "./");
    assert!(repo.exists("plugins/acme/LICENSE"));
    let hooks = &json_of(&repo, "hooks/hooks.json")["hooks"];
    assert_eq!(hooks["PostToolUse"][0]["hooks"][0]["command"], "npx prettier --check .");
    assert!(hooks.get("Stop").is_none(), "{hooks}");
    assert_eq!(cursor["hooks"], "./cursor/hooks.json");
    assert_eq!(json_of(&repo, ".codex-plugin/plugin.json")["hooks"], json!({}));
    repo.commit_all("packed");
    repo.check(&["plugins"]).expect(0).says(&["no findings"]);
}

/// The filter is in Claude Code's settings, which a plugin cannot contain.
#[test]
fn a_server_without_its_filter_is_left_out() {
    let repo = canon();
    let servers = json!({"mcpServers": {
        "db": {"command": "npx", "args": ["-y", "db"], "excludeTools": ["drop"]},
        "db2": {"command": "npx", "args": ["-y", "db2"]},
    }});
    repo.write("agent/mcp.json", servers.to_string());
    repo.canonry(&["pack"])
        .expect(0)
        .says(&["the MCP server `db` is left out: a plugin has no form for its `excludeTools`"]);
    for file in [".mcp.json", "mcp.json"] {
        let names: Vec<String> = json_of(&repo, file)["mcpServers"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(names, ["db2"], "{file}");
    }
}

#[test]
fn the_version_follows_the_content() {
    let repo = canon();
    repo.canonry(&["pack", "--check"]).expect(1).says(&["run `canonry pack`"]);
    assert!(!repo.exists("plugins"));
    repo.canonry(&["pack"]).expect(0);
    let packed = repo.tree();
    repo.canonry(&["pack"]).expect(0).says(&["up to date: version 0.1.0"]);
    repo.canonry(&["pack", "--check"]).expect(0);
    repo.canonry(&["pack", "--bump", "major"]).expect(0);
    assert_same(&repo.tree(), &packed, "after a pack of nothing new");

    repo.append("agent/skills/notes/SKILL.md", "More.\n");
    repo.canonry(&["pack", "--check"]).expect(1).says(&["plugins/acme/skills/notes/SKILL.md: missing or old"]);
    repo.canonry(&["pack", "--dry-run"]).expect(0).says(&["+More.", "Would pack acme 0.1.1 (was 0.1.0)"]);
    assert_eq!(version(&repo), "0.1.0");
    repo.canonry(&["pack"]).expect(0);
    assert_eq!(version(&repo), "0.1.1");
    repo.chmod("agent/skills/notes/scripts/run.sh", 0o644);
    repo.canonry(&["pack", "--bump", "minor"]).expect(0);
    assert_eq!(version(&repo), "0.2.0");
    repo.write("agent/canonry.yaml", repo.text("agent/canonry.yaml").replace("MIT", "MIT, version: 2.0.0"));
    repo.canonry(&["pack"]).expect(0);
    assert_eq!(version(&repo), "2.0.0");
    repo.write("agent/canonry.yaml", repo.text("agent/canonry.yaml").replace("Notes.", "All notes."));
    repo.canonry(&["pack"]).expect(0);
    assert_eq!(version(&repo), "2.0.1");
    // Without its lock, the plugin itself says what was packed.
    let packed = repo.tree();
    repo.remove("agent/pack.lock");
    repo.canonry(&["pack"]).expect(0);
    assert_same(&repo.tree(), &packed, "after the lock was lost");
}

#[test]
fn files_of_users_stay() {
    let repo = canon();
    repo.write("plugins/acme/plugin.json", "mine\n");
    repo.canonry(&["pack"]).expect(5).says(&["refused: plugins/acme/plugin.json: canonry did not write this file"]);
    assert!(!repo.exists("plugins/acme/skills") && !repo.exists("agent/pack.lock"));
    repo.remove("plugins/acme/plugin.json");
    repo.write("plugins/acme/README.md", "mine\n");
    repo.canonry(&["pack"]).expect(0);
    repo.commit_all("packed");

    repo.append("plugins/acme/skills/notes/SKILL.md", "by hand\n");
    repo.check(&["plugins"]).expect(0).says(&["plugin-version-unchanged"]);
    repo.append("agent/skills/notes/SKILL.md", "More.\n");
    repo.canonry(&["pack"]).expect(5).says(&["skills/notes/SKILL.md: edited since the last pack"]);
    assert!(repo.text("plugins/acme/skills/notes/SKILL.md").ends_with("by hand\n"));
    repo.git(&["checkout", "-q", "--", "plugins"]);
    repo.canonry(&["pack"]).expect(0);
    assert_eq!(version(&repo), "0.1.1");
    // The folder of the last commit comes back, the lock does not.
    repo.git(&["checkout", "-q", "--", "plugins"]);
    repo.canonry(&["pack"]).expect(0);
    assert_eq!(version(&repo), "0.1.1");

    repo.remove("agent/skills/ops");
    repo.remove("agent/commands");
    repo.canonry(&["pack"]).expect(0).says(&["removed"]);
    assert!(!repo.exists("plugins/acme/skills/deploy") && !repo.exists("plugins/acme/cursor/commands"));
    assert!(repo.exists("plugins/acme/README.md"));
}

#[test]
fn a_lock_from_anyone_removes_nothing_else() {
    let repo = canon();
    repo.canonry(&["pack"]).expect(0);
    let id = repo.git(&["hash-object", "tools/server.js"]);
    let canonical = repo.git(&["hash-object", "agent/skills/notes/SKILL.md"]);
    let mut lock: Value = serde_json::from_str(&repo.text("agent/pack.lock")).unwrap();
    lock["files"]["tools/server.js"] = json!(format!("100644 {id}"));
    lock["files"]["agent/skills/notes/SKILL.md"] = json!(format!("100644 {canonical}"));
    repo.write("agent/pack.lock", lock.to_string());
    repo.canonry(&["pack"]).expect(0);
    assert!(repo.exists("tools/server.js") && repo.exists("agent/skills/notes/SKILL.md"));
}

#[test]
fn the_folders_are_a_choice() {
    let repo = canon();
    repo.canonry(&["pack", "--out", "agent/plugin"]).expect(5).says(&["is in the canon"]);
    repo.canonry(&["pack", "--out", ".claude/skills"]).expect(5).says(&["belongs to git or to the mirrors"]);
    repo.canonry(&["pack", "--out", "/"]).expect(65).says(&["outside the repository"]);
    repo.link("linked", "/tmp");
    repo.canonry(&["pack", "--out", "linked/x"]).expect(65);
    repo.canonry(&["pack", "--out", "dist"]).expect(0).says(&["Packed acme 0.1.0 into dist"]);
    // The configured folder takes its place, with the same version.
    repo.write(
        "agent/canonry.yaml",
        "pack: {name: acme, description: Notes., author: {name: Acme}, license: MIT, marketplace: .}\n",
    );
    repo.canonry(&["pack"]).expect(0);
    assert!(repo.exists("dist/plugin.json"), "the folder that was named stays");
    repo.canonry(&["pack", "--out", "plugins/acme"]).expect(0);
    assert!(!repo.exists("dist/plugin.json") && version(&repo) == "0.1.0");
    let marketplace: Value = serde_json::from_str(&repo.text(".claude-plugin/marketplace.json")).unwrap();
    assert_eq!(marketplace["plugins"][0]["source"], "./plugins/acme");
    let skills = "pack: {name: acme, skills: [not*, absent]}\n";
    repo.write("agent/canonry.yaml", skills);
    repo.canonry(&["pack"]).expect(65).says(&["`absent` in `pack.skills` matches no skill"]);
    repo.write("agent/canonry.yaml", skills.replace(", absent", ""));
    repo.canonry(&["pack"]).expect(0).says(&["1 skill;"]);
    repo.write("agent/mcp.json", "{");
    repo.canonry(&["pack"]).expect(65).says(&["agent/mcp.json: it is not valid JSON"]);
}

#[test]
fn documents_match_their_schemas() {
    let repo = canon();
    let validator = |text: &str| jsonschema::validator_for(&serde_json::from_str::<Value>(text).unwrap()).unwrap();
    let schema = validator(include_str!("../../schemas/pack.schema.json"));
    for args in
        [&["pack", "--check", "--format", "json"][..], &["pack", "--format", "json"], &["pack", "--format", "json"]]
    {
        let document: Value = serde_json::from_str(&repo.canonry(args).stdout).unwrap();
        assert!(schema.is_valid(&document), "{document}");
    }
    let lock: Value = serde_json::from_str(&repo.text("agent/pack.lock")).unwrap();
    assert!(validator(include_str!("../../schemas/pack-lock.schema.json")).is_valid(&lock), "{lock}");
}

#[test]
fn an_interrupted_pack_is_finished() {
    let template = canon();
    template.canonry(&["pack"]).expect(0);
    template.append("agent/skills/notes/SKILL.md", "More.\n");
    template.remove("agent/skills/ops");
    let before = template.tree();
    let uninterrupted = copy(&template);
    let writes = failpoints(&uninterrupted, &["pack"]);
    let after = uninterrupted.tree();
    assert!(before != after && writes.len() > 4, "{writes:#?}");
    for_each_failpoint(&sample(writes), |failpoint| {
        let repo = copy(&template);
        kill(&repo, &["pack"], failpoint);
        assert_whole(&before, &repo.tree(), &after, failpoint);
        repo.canonry(&["pack"]).expect(0);
        assert_same(&repo.tree(), &after, &format!("after a kill at {failpoint:?}"));
        let own: Vec<String> = repo.tree_of(&[".git/canonry"]).into_keys().collect();
        assert!(own.iter().all(|path| path != ".git/canonry/journal" && !is_temporary(path)), "{failpoint:?}: {own:?}");
    });
}

#[test]
fn a_check_reports_a_stale_plugin() {
    let repo = canon();
    repo.check(&[]).says_nothing_of(&["pack-stale"]);
    repo.canonry(&["pack"]).expect(0);
    repo.commit_all("packed");
    for view in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(view).says_nothing_of(&["pack-stale"]);
    }
    repo.append("agent/skills/notes/SKILL.md", "More.\n");
    repo.commit_all("edit");
    for view in [&[][..], &["--rev", "HEAD"]] {
        repo.check(view).says(&[
            "pack-stale",
            "the plugin 0.1.0 is not what the canon makes now",
            "which makes it 0.1.1",
        ]);
    }
    repo.canonry(&["pack"]).expect(0);
    repo.commit_all("packed again");
    repo.remove("plugins/acme/commands/ship.md");
    repo.check(&[]).says(&["pack-stale", "missing or were edited: `plugins/acme/commands/ship.md`"]);
    repo.canonry(&["pack"]).expect(0);
    repo.check(&[]).says_nothing_of(&["pack-stale"]);
    // As after a merge that took the version of one side.
    repo.append("agent/skills/notes/SKILL.md", "Even more.\n");
    repo.canonry(&["pack"]).expect(0);
    for path in ["agent/pack.lock", "plugins/acme/plugin.json"] {
        repo.write(path, repo.text(path).replace("0.1.2", "0.1.1"));
    }
    repo.check(&[]).says(&["pack-stale"]);
    repo.write("agent/pack.lock", "{\n");
    repo.check(&[]).says(&["pack-stale", "cannot be compared with the canon"]);
}

#[test]
fn a_bump_increases_the_part_that_it_names() {
    let repo = canon();
    repo.canonry(&["pack"]).expect(0);
    for (bump, want) in [("minor", "0.2.0"), ("patch", "0.2.1"), ("major", "1.0.0")] {
        repo.append("agent/skills/notes/SKILL.md", "More.\n");
        repo.canonry(&["pack", "--bump", bump]).expect(0).says(&[&format!("Packed acme {want}")]);
        assert_eq!(version(&repo), want);
        // Without a change, the version stays.
        repo.canonry(&["pack", "--bump", bump]).expect(0);
        assert_eq!(version(&repo), want);
    }
}

#[test]
fn a_canon_in_a_folder_packs_below_it() {
    let repo = Repo::empty();
    repo.write("agent/skills/top/SKILL.md", document("top"));
    repo.write("agent/canonry.yaml", "canons: [packages/*]\n");
    repo.write("packages/a/agent/skills/notes/SKILL.md", document("notes"));
    repo.write("packages/a/agent/canonry.yaml", "pack: {name: acme}\n");
    repo.commit_all("canons");
    let run = |args: &[&str]| repo.canonry_in(&repo.root.join("packages/a"), args);
    run(&["pack"]).expect(0).says(&["packages/a/plugins/acme"]);
    assert!(repo.exists("packages/a/plugins/acme/skills/notes/SKILL.md") && !repo.exists("plugins"));
    repo.commit_all("packed");
    repo.append("packages/a/agent/skills/notes/SKILL.md", "More.\n");
    run(&["check"]).says(&["pack-stale", "0.1.1"]);
    run(&["pack"]).expect(0);
    run(&["check"]).says_nothing_of(&["pack-stale"]);
}

#[test]
fn name_and_folder_stay_in_other_clones_and_work_trees() {
    let repo = canon();
    repo.write("agent/canonry.yaml", "pack: {description: Notes.}\n");
    repo.git(&["remote", "add", "origin", "git@example.com:acme/Team.Notes.git"]);
    repo.canonry(&["pack"]).expect(0).says(&["Packed team-notes 0.1.0 into plugins/team-notes"]);
    repo.commit_all("packed");
    repo.git(&["worktree", "add", "-q", "../elsewhere"]);
    let other = repo.root.parent().unwrap().join("elsewhere");
    repo.canonry_in(&other, &["pack", "--check"]).expect(0);
    repo.canonry_in(&other, &["check"]).says_nothing_of(&["pack-stale"]);
    // Another clone, whose remote has another name.
    repo.git(&["clone", "-q", ".", "../cloned"]);
    let clone = repo.root.parent().unwrap().join("cloned");
    repo.canonry_in(&clone, &["pack"]).expect(0).says(&["plugins/team-notes is up to date"]);
    // Without a remote, all work trees have the name of the main one.
    let repo = canon();
    repo.write("agent/canonry.yaml", "pack: {description: Notes.}\n");
    repo.commit_all("no name");
    repo.git(&["worktree", "add", "-q", "../elsewhere"]);
    let other = repo.root.parent().unwrap().join("elsewhere");
    repo.canonry_in(&other, &["pack"]).expect(0).says(&["Packed repo 0.1.0"]);
}

#[test]
fn a_named_folder_is_remembered() {
    let repo = canon();
    repo.canonry(&["pack"]).expect(0);
    repo.canonry(&["pack", "--out", "dist/plugin"]).expect(0).says(&["into dist/plugin"]);
    assert!(!repo.exists("plugins/acme/plugin.json"));
    repo.check(&[]).says_nothing_of(&["pack-stale"]);
    repo.canonry(&["pack", "--check"]).expect(0);
    repo.append("agent/skills/notes/SKILL.md", "\nMore.\n");
    repo.check(&[]).says(&["pack-stale"]);
    repo.canonry(&["pack"]).expect(0).says(&["into dist/plugin"]);
    repo.check(&[]).says_nothing_of(&["pack-stale"]);
    // Naming the configured folder forgets the other one.
    repo.canonry(&["pack", "--out", "plugins/acme"]).expect(0).says(&["into plugins/acme"]);
    assert!(!repo.text("agent/pack.lock").contains("\"out\""));
    repo.canonry(&["pack", "--check"]).expect(0);
    repo.canonry(&["pack", "--out", "."]).expect(0);
    repo.canonry(&["pack", "--check"]).expect(0);
}
