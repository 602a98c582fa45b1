//! The help of findings in tool files.

use crate::rules::Profile;
use crate::tests::files::Files;

/// Whether a finding in the first of the files has this help.
fn assert_help(files: &[(&str, &str)], wanted: &str) {
    let mut tree = Files::default();
    for (path, content) in files {
        tree.add(path, content);
    }
    let found = tree.findings(Profile::Team);
    let helps: Vec<&str> = found.iter().filter_map(|f| f.raw.help.as_deref()).collect();
    assert!(helps.iter().any(|help| help.contains(wanted)), "{wanted:?} in {helps:#?} for {files:?}");
}

#[test]
fn name_of_an_author_is_an_object() {
    let manifest = r#"{"name": "notes", "author": "Ada \"AB\" Byron"}"#;
    assert_help(&[(".claude-plugin/plugin.json", manifest)], r#"write `{"name":"Ada \"AB\" Byron"}`"#);
    let marketplace = r#"{"name": "team", "owner": "Team", "plugins": []}"#;
    assert_help(&[(".claude-plugin/marketplace.json", marketplace)], r#"write `{"name":"Team"}`"#);
    let manifest = r#"{"name": "notes", "author": ["Ada"]}"#;
    assert_help(&[(".claude-plugin/plugin.json", manifest)], "Claude Code does not accept this value");
}

#[test]
fn value_with_quotes_gets_single_quotes() {
    let command =
        |hint: &str| format!("---\nargument-hint: {hint}\ndescription: Sends notes.\n---\nSend $ARGUMENTS.\n");
    for (hint, wanted) in [
        (
            r#""<message>" or --title "<title>""#,
            r#"put single quotes around all of it: `argument-hint: '"<message>" or --title "<title>"'`"#,
        ),
        (r#""<who's>" [note]"#, r#"`argument-hint: '"<who''s>" [note]'`"#),
        (r#""send "notes" to a list""#, "a double quote ends the value of `argument-hint`"),
    ] {
        assert_help(&[(".claude/commands/send.md", &command(hint))], wanted);
    }
}

#[test]
fn path_that_starts_at_the_manifest_is_named() {
    let start = "paths start at the folder of the plugin, not of the manifest";
    let claude = "notes/.claude-plugin/plugin.json";
    assert_help(
        &[
            (claude, r#"{"name": "notes", "hooks": "./hooks.json"}"#),
            ("notes/.claude-plugin/hooks.json", r#"{"hooks": {}}"#),
        ],
        &format!(
            "{start}; it is at `notes/.claude-plugin/hooks.json`: move it to `notes/hooks.json`, or write `./.claude-plugin/hooks.json`"
        ),
    );
    let agents = [
        (claude, r#"{"name": "notes", "agents": "./agents/"}"#),
        ("notes/.claude-plugin/agents/lister.md", "---\nname: lister\ndescription: Lists notes.\n---\nList them.\n"),
    ];
    let moved = "`notes/.claude-plugin/agents`: move it to `notes/agents`";
    assert_help(&agents, &format!("{start}; it is at {moved}"));
    assert_help(
        &agents,
        "move `notes/.claude-plugin/agents` to `notes/agents`; then name each file, or remove the key",
    );
    assert_help(
        &[
            (".codex-plugin/plugin.json", r#"{"name": "notes", "mcpServers": "./.mcp.json"}"#),
            (".codex-plugin/.mcp.json", r#"{"mcpServers": {}}"#),
        ],
        "it is at `.codex-plugin/.mcp.json`: move it to `.mcp.json`, or write `./.codex-plugin/.mcp.json`",
    );
}
