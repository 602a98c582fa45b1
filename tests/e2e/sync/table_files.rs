//! Files of tools whose row in the table names a writer, and of rows in the config.

use crate::support::repo::Repo;

const SERVERS: &str = r#"{"mcpServers": {"docs": {"command": "docs", "args": ["--stdio"]}}}"#;

fn with_config(config: &str) -> Repo {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/canonry.yaml", config);
    repo.write("agent/mcp.json", SERVERS);
    repo.write("agent/AGENTS.md", "# Map\n\nRead this first.\n");
    repo.write("agent/commands/tag.md", "---\ndescription: Tag a release\n---\n\nTag $ARGUMENTS with @docs/a.md.\n");
    repo
}

#[test]
fn each_row_gets_its_files_and_loses_them_with_the_switch() {
    let on = "targets: [copilot, opencode, kiro, qwen]\nfiles:\n  copilot: {context: true, mcp: true, commands: true}\n  \
              opencode: {mcp: true, commands: true}\n  kiro: {context: true, mcp: true}\n  \
              qwen: {context: true, mcp: true}\n";
    let repo = with_config(on);
    let mine = "{\n  // mine\n  \"theme\": \"dark\"\n}\n";
    repo.write("opencode.json", mine);
    repo.sync(&[]).expect(0);
    assert!(repo.text(".vscode/mcp.json").contains("\"servers\"") && repo.text(".vscode/mcp.json").contains("stdio"));
    let opencode = repo.text("opencode.json");
    assert!(
        opencode.contains("// mine") && opencode.contains("\"servers\"") && opencode.contains("\"local\""),
        "{opencode}"
    );
    assert!(
        repo.text(".kiro/settings/mcp.json").contains("\"docs\"") && repo.text(".qwen/settings.json").contains("docs")
    );
    assert!(repo.text(".github/copilot-instructions.md").contains("Read this first."));
    assert!(repo.text(".kiro/steering/canonry.md").starts_with("---\ninclusion: always\n---\n"));
    assert!(repo.text("QWEN.md").contains("@./agent/AGENTS.md"));
    let prompt = repo.text(".github/prompts/tag.prompt.md");
    assert!(prompt.contains("description: \"Tag a release\"") && prompt.contains("${input:arguments}"), "{prompt}");
    assert!(repo.text(".opencode/commands/tag.md").contains("Tag $ARGUMENTS with @docs/a.md."));
    repo.sync(&["--check"]).expect(0);
    repo.commit_all("synced");
    for view in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(view).expect(0).says_nothing_of(&["mirror-"]);
    }
    // A newer version of the tool changes its own key.
    let stamped = repo.text(".qwen/settings.json");
    assert!(stamped.contains("\"$version\": 4"), "{stamped}");
    repo.write(".qwen/settings.json", stamped.replace("\"$version\": 4", "\"$version\": 5"));
    repo.sync(&["--check"]).expect(0);
    repo.write("agent/canonry.yaml", "targets: [copilot, opencode, kiro, qwen]\n");
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text("opencode.json"), mine);
    for path in
        [".vscode/mcp.json", ".kiro/settings", ".kiro/steering", "QWEN.md", ".github/prompts", ".qwen/settings.json"]
    {
        assert!(!repo.exists(path), "{path}");
    }
}

#[test]
fn a_persons_value_is_never_replaced() {
    let repo = with_config("targets: [kiro]\nfiles: {kiro: {mcp: true}}\n");
    let mine = "{\n  \"mcpServers\": { \"docs\": { \"command\": \"mine\" } }\n}\n";
    repo.write(".kiro/settings/mcp.json", mine);
    repo.sync(&[]).expect(5).says(&[".kiro/settings/mcp.json", "was set by hand"]);
    assert_eq!(repo.text(".kiro/settings/mcp.json"), mine);
}

#[test]
fn a_row_of_the_config_has_servers_and_instructions() {
    let on = "targets:\n  claude:\n  foo:\n    skills: .config/foo/skills\n    mcp: {path: .foo/mcp.json, format: zed}\n    \
              context: {file: FOO.md, mode: import}\n";
    let repo = with_config(on);
    repo.sync(&[]).expect(0).says(&["wrote     .config/foo/skills/alpha (2 files)"]);
    assert_eq!(repo.text(".config/foo/skills/alpha/SKILL.md"), repo.text("agent/skills/alpha/SKILL.md"));
    assert!(repo.text(".foo/mcp.json").contains("\"context_servers\""));
    assert!(repo.text("FOO.md").contains("@agent/AGENTS.md"));
    repo.sync(&["--check"]).expect(0);
    repo.commit_all("synced");
    repo.check(&["--rev", "HEAD"]).expect(0).says_nothing_of(&["mirror-"]);
    // Without its row, the lock alone says what belongs to it.
    repo.write("agent/canonry.yaml", "targets: [claude]\n");
    repo.sync(&[]).expect(0);
    assert!(!repo.exists(".config/foo") && !repo.exists(".foo/mcp.json") && !repo.exists("FOO.md"));
    assert!(repo.exists(".claude/skills/alpha/SKILL.md"));
}

#[test]
fn tool_files_that_the_team_ignores_are_not_missing_in_a_commit() {
    let repo = with_config("targets: [claude]\nfiles: {claude: {mcp: true}, kiro: {mcp: true}}\n");
    repo.write(".gitignore", ".kiro/\n");
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    for view in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(view).expect(0).says_nothing_of(&["mirror-missing"]);
    }
    // One that git does not ignore is.
    repo.git(&["rm", "-q", "--cached", ".mcp.json"]);
    repo.git(&["commit", "-qm", "without"]);
    repo.check(&["--rev", "HEAD"]).expect(1).says(&["mirror-missing", ".mcp.json"]);
}

#[test]
fn opencode_gets_permissions_in_the_form_of_version_1() {
    let repo = with_config("targets: [opencode]\nfiles: {opencode: {permissions: true, mcp: true}}\n");
    let page = "---\ndefaultMode: default\n---\n\n# Permissions\n\n## Always allowed\n\n- `git status`\n\n## Requires approval\n\n\
                - `git push`\n\n## Never allowed\n\n- `git push --force`\n- Read: `.env*`\n- MCP: `docs/delete`\n- Any command with `--no-verify`\n\
                - Deploy to production on Fridays\n";
    repo.write("agent/protocols/permissions.md", page);
    let mine = "{\n  // mine\n  \"theme\": \"dark\"\n}\n";
    repo.write("opencode.json", mine);
    repo.sync(&[]).expect(0);
    let text = repo.text("opencode.json");
    let at = |needle: &str| text.find(needle).unwrap_or_else(|| panic!("no {needle} in {text}"));
    assert!(at("// mine") < at("\"permission\"") && !text.contains("\"permissions\""), "{text}");
    assert!(at("\"docs_*\"") < at("git status *") && at("git status *") < at("git push *"), "{text}");
    assert!(at("\"git push *\"") < at("git push --force *") && text.contains("docs_delete"), "{text}");
    repo.sync(&["--check"]).expect(0);
    repo.commit_all("synced");
    repo.check(&["--rev", "HEAD"]).expect(0).says_nothing_of(&["mirror-"]);
    repo.canonry(&["import"]).expect(0).says(&["Nothing to import from tools"]);
    repo.write("agent/canonry.yaml", "targets: [opencode]\n");
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text("opencode.json"), mine);
}

#[test]
fn a_persons_permissions_of_opencode_stay() {
    let repo = with_config("targets: [opencode]\nfiles: {opencode: {permissions: true}}\n");
    repo.write("agent/protocols/permissions.md", "# Permissions\n\n## Never allowed\n\n- `rm`\n");
    let other = "{\n  \"permissions\": [{ \"action\": \"shell\", \"resource\": \"rm *\", \"effect\": \"deny\" }]\n}\n";
    repo.write("opencode.json", other);
    for force in [&[][..], &["--force"]] {
        repo.sync(force)
            .expect(5)
            .says(&["not written beside `permissions`", "move its entries to agent/protocols/permissions.md"]);
        assert_eq!(repo.text("opencode.json"), other);
    }
    repo.canonry(&["import"])
        .expect(0)
        .says(&["skipped   opencode.json: settings of permissions that the canon cannot express: `permissions`"]);
    let own = "{\n  \"permission\": { \"bash\": { \"*\": \"ask\" } }\n}\n";
    repo.write("opencode.json", own);
    repo.sync(&[]).expect(5).says(&["`permission` was set by hand"]);
    assert_eq!(repo.text("opencode.json"), own);
}

#[test]
fn what_a_person_wrote_in_another_form_is_not_written_again() {
    let repo = with_config("targets: [claude]\nfiles: {claude: {permissions: true, mcp: true}}\n");
    repo.write("agent/protocols/permissions.md", "# Permissions\n\n## Always allowed\n\n- `git log`\n");
    let settings = "{\n  \"permissions\": { \"allow\": [\"Bash(git log:*)\"] }\n}\n";
    let servers = "{\n  \"mcpServers\": { \"docs\": { \"type\": \"stdio\", \"command\": \"docs\", \"args\": [\"--stdio\"], \"env\": {} } }\n}\n";
    repo.write(".claude/settings.json", settings);
    repo.write(".mcp.json", servers);
    repo.sync(&[]).expect(0);
    assert_eq!((repo.text(".claude/settings.json").as_str(), repo.text(".mcp.json").as_str()), (settings, servers));
    repo.sync(&["--check"]).expect(0);
    // Another command is another server.
    repo.write(".mcp.json", servers.replace("\"docs\", \"args\"", "\"mine\", \"args\""));
    repo.sync(&[]).expect(5).says(&["`mcpServers.docs` was set by hand"]);
}

#[test]
fn new_settings_of_opencode_have_the_key_that_it_adds() {
    let repo = with_config("targets: [opencode]\nfiles: {opencode: {mcp: true}}\n");
    repo.sync(&[]).expect(0);
    let text = repo.text("opencode.json");
    assert!(text.contains("\"$schema\": \"https://opencode.ai/config.json\""), "{text}");
    repo.sync(&["--check"]).expect(0);
    repo.write("agent/canonry.yaml", "targets: [opencode]\n");
    repo.sync(&[]).expect(0);
    assert!(!repo.exists("opencode.json"));
}

const PLUGIN: &str = ".opencode/plugins/canonry.js";

#[test]
fn opencode_gets_a_plugin_that_no_one_else_owns() {
    let repo = with_config("targets: [opencode]\nfiles: {opencode: {hooks: true}}\n");
    repo.write(PLUGIN, "export const Mine = async () => ({})\n");
    repo.sync(&[]).expect(5).says(&[PLUGIN]);
    assert_eq!(repo.text(PLUGIN), "export const Mine = async () => ({})\n");
    repo.canonry(&["import"]).expect(0).says(&["Nothing to import"]);
    repo.remove(PLUGIN);
    let teams = ".opencode/plugins/team.js";
    repo.write(teams, "export const Team = async () => ({})\n");
    repo.sync(&[]).expect(0);
    let plugin = repo.text(PLUGIN);
    assert!(plugin.contains("\"canonry\", [\"hook\"") && plugin.contains("const FAILED = null\n"), "{plugin}");
    repo.sync(&["--check"]).expect(0);
    repo.commit_all("synced");
    for view in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(view).expect(0).says_nothing_of(&["mirror-"]);
    }
    repo.append(PLUGIN, "// mine\n");
    repo.sync(&[]).expect(5).says(&[PLUGIN, "edited"]);
    repo.check(&[]).expect(1).says(&["mirror-edited", PLUGIN]);
    repo.canonry(&["status"]).says(&["1 edited or foreign mirror file"]);
    assert!(repo.text(PLUGIN).ends_with("// mine\n"));
    repo.write(PLUGIN, &plugin);
    let closed = "targets: [opencode]\nfiles: {opencode: {hooks: true}}\nhooks: {fail: closed}\n";
    repo.write("agent/canonry.yaml", closed);
    repo.sync(&["--check"]).expect(1).says(&[PLUGIN]);
    repo.sync(&[]).expect(0);
    assert!(repo.text(PLUGIN).contains("const FAILED = \"canonry did not run"), "{}", repo.text(PLUGIN));
    repo.write("agent/canonry.yaml", "targets: [opencode]\n");
    repo.sync(&[]).expect(0);
    assert!(!repo.exists(PLUGIN) && repo.exists(teams));
}

/// Each script or list of hooks is canonry's own, beside those of the team.
#[test]
fn hooks_in_files_of_their_own_leave_those_of_the_team_alone() {
    for (tool, own, teams, changed) in [
        (
            "cline",
            &[".clinerules/hooks/PreToolUse", ".clinerules/hooks/PostToolUse"][..],
            ".clinerules/hooks/TaskStart",
            1,
        ),
        ("kiro", &[".kiro/hooks/canonry.json"], ".kiro/hooks/team.json", 1),
        ("grok", &[".grok/hooks/canonry.json"], ".grok/hooks/team.json", 1),
    ] {
        let config = format!("targets: [{tool}]\nfiles: {{{tool}: {{hooks: true}}}}\n");
        let repo = with_config(&config);
        repo.write(teams, "{}\n");
        repo.sync(&[]).expect(0);
        for file in own {
            let text = repo.text(file);
            assert!(text.contains("canonry hook p") && !text.contains("did not run"), "{text}");
        }
        repo.sync(&["--check"]).expect(0);
        repo.commit_all("synced");
        repo.check(&[]).expect(0).says_nothing_of(&["mirror-"]);
        repo.write("agent/canonry.yaml", format!("{config}hooks: {{fail: closed}}\n"));
        repo.sync(&[]).expect(0);
        let closed = own.iter().filter(|file| repo.text(file).contains("did not run")).count();
        assert_eq!(closed, changed, "{tool}");
        repo.write("agent/canonry.yaml", format!("targets: [{tool}]\n"));
        repo.sync(&[]).expect(0);
        assert!(own.iter().all(|file| !repo.exists(file)) && repo.exists(teams), "{tool}");
    }
}

/// Their lists of tools are no wider than the canon's.
#[test]
fn subagents_of_qwen_and_factory_keep_their_restrictions() {
    let repo = with_config("targets: [qwen, factory]\nfiles: {qwen: {subagents: true}, factory: {subagents: true}}\n");
    let write = |name: &str, keys: &str| {
        repo.write(
            &format!("agent/agents/{name}.md"),
            format!("---\nname: {name}\ndescription: D.\n{keys}---\n\nDo it.\n"),
        );
    };
    write("open", "models: {qwen: fast}\n");
    write("reads", "permissionMode: plan\n");
    write("edits", "tools: Read, Edit\n");
    write("no-shell", "disallowedTools: Bash, mcp__db\n");
    repo.sync(&[]).expect(1).says(&["factory/subagents/edits", "factory/subagents/no-shell"]);
    let qwen = |name: &str| repo.text(&format!(".qwen/agents/{name}.md"));
    assert!(qwen("open").contains("model: \"fast\"\n") && !qwen("open").contains("tools"), "{}", qwen("open"));
    assert!(qwen("reads").contains("tools:\n  - read_file\n  - grep_search\n  - glob\n  - list_directory\n"));
    assert!(qwen("edits").contains("tools:\n  - read_file\n  - edit\n"));
    assert!(qwen("no-shell").contains("disallowedTools:\n  - run_shell_command\n  - mcp__db\n"));
    let reads = repo.text(".factory/droids/reads.md");
    assert!(reads.contains("tools:\n  - Read\n  - Grep\n  - Glob\n  - LS\n"), "{reads}");
    assert!(!repo.exists(".factory/droids/edits.md") && !repo.exists(".factory/droids/no-shell.md"));
}
