use super::*;
use crate::request::ToolFileSources;
use canonry_model::canon::Layout;
use canonry_model::config::files::ToolSwitches;
use canonry_model::config::{HookFailMode, ToolFilesConfig};

fn desired_tool_files(text: &str) -> DesiredToolFiles {
    let on = ToolSwitches { mcp: true, ..ToolSwitches::default() };
    let tools = ["claude", "gemini", "codex", "cursor", "antigravity"].map(|id| (id.to_owned(), on));
    let files = ToolFilesConfig { tools: tools.into(), ..ToolFilesConfig::default() };
    desired_for(text, &files)
}

/// Files from the canon's `mcp.json` with a config.
fn desired_for(text: &str, files: &ToolFilesConfig) -> DesiredToolFiles {
    let layout = Layout::default();
    let mut sources = ToolFileSources::default();
    sources.add(layout.mcp(), Ok(text.as_bytes().to_vec()));
    let request = ToolFileRequest {
        layout: &layout,
        files,
        targets: &[],
        mirrors: &[],
        sources: &sources,
        available_skills: None,
        hook_failure: HookFailMode::Open,
    };
    let mut desired = DesiredToolFiles::default();
    add(&request, &mut desired);
    desired
}

/// Formats each part with its file.
fn shown(desired: &DesiredToolFiles) -> Vec<String> {
    let part = |part: &DesiredPart| match &part.content {
        PartContent::Key { path, value } => format!("{} {} {value}", part.file, path.join(".")),
        PartContent::Table { text, .. } => format!("{} {text}", part.file),
        other => format!("{other:?}"),
    };
    desired.parts.iter().map(part).collect()
}

#[test]
fn a_program_in_every_tools_format() {
    let wanted = desired_tool_files(
        r#"{"mcpServers": {"db": {"command": "npx", "args": ["-y", "db"], "env": {"KEY": "${KEY}", "A": "1"}}}}"#,
    );
    assert_eq!(
        shown(&wanted),
        [
            r#".mcp.json mcpServers.db {"command":"npx","args":["-y","db"],"env":{"KEY":"${KEY}","A":"1"}}"#,
            r#".gemini/settings.json mcpServers.db {"command":"npx","args":["-y","db"],"env":{"KEY":"${KEY}","A":"1"}}"#,
            r#".cursor/mcp.json mcpServers.db {"command":"npx","args":["-y","db"],"env":{"KEY":"${env:KEY}","A":"1"}}"#,
            ".codex/config.toml [mcp_servers.db]\ncommand = \"npx\"\nargs = [\"-y\", \"db\"]\nenv = { A = \"1\" }\nenv_vars = [\"KEY\"]\n",
        ]
    );
    let messages: Vec<&str> = wanted.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(messages, ["`db` is not written for Antigravity: it is not known to expand `${KEY}`"]);
}

#[test]
fn a_url_in_every_tools_format() {
    let wanted = desired_tool_files(
        r#"{"mcpServers": {"w": {"type": "http", "url": "https://x.example/mcp", "headers": {"Authorization": "Bearer ${T}", "X-A": "b", "X-B": "${B}"}}, "s": {"type": "sse", "url": "https://y.example"}}}"#,
    );
    let shown = shown(&wanted);
    for line in [
        r#".mcp.json mcpServers.s {"type":"sse","url":"https://y.example"}"#,
        r#".gemini/settings.json mcpServers.s {"type":"sse","url":"https://y.example"}"#,
        r#".agents/mcp_config.json mcpServers.s {"serverUrl":"https://y.example"}"#,
        ".codex/config.toml [mcp_servers.w]\nurl = \"https://x.example/mcp\"\nbearer_token_env_var = \"T\"\nhttp_headers = { X-A = \"b\" }\nenv_http_headers = { X-B = \"B\" }\n",
    ] {
        assert!(shown.iter().any(|shown| shown == line), "{line} is not in {shown:#?}");
    }
    assert!(
        shown.iter().any(|line| line.contains(".gemini/settings.json mcpServers.w {\"type\":\"http\"")),
        "{shown:#?}"
    );
    assert!(wanted.problems.iter().any(|problem| problem.message.contains("`s` is not written for Codex")));
}

#[test]
fn invalid_files_are_reported_and_nothing_is_removed() {
    for (text, words) in [
        ("{", "it is not valid JSON: line 1"),
        ("{}", "no object `mcpServers`"),
        (r#"{"mcpServers": {"a b": {"command": "x"}}}"#, "`a b`: a server name"),
        (r#"{"mcpServers": {"a": {"comand": "x"}}}"#, "either `command` or `url`; unknown: `comand`"),
        (
            r#"{"mcpServers": {"a": {"command": "x", "timeout": "5"}}}"#,
            "`timeout` must be a whole number of milliseconds",
        ),
        (r#"{"mcpServers": {"a": {"command": "x", "oauth": {"clientId": "y"}}}}"#, "`oauth` needs a server with `url`"),
        (r#"{"mcpServers": {"a": {"url": "x", "cwd": "y"}}}"#, "`cwd` needs a server with `command`"),
        (r#"{"mcpServers": {"a": {"url": "x", "env": {"A": "b"}}}}"#, "`env` needs a server with `command`"),
        (
            r#"{"mcpServers": {"a": {"url": "x", "includeTools": [], "enabledTools": ["b"]}}}"#,
            "`includeTools` occurs twice",
        ),
        (r#"{"mcpServers": {"a": {"command": "x", "url": "y"}}}"#, "either `command` or `url`"),
        (r#"{"mcpServers": {"a": {"command": "x", "args": "y"}}}"#, "`args` must be a list of strings"),
        (r#"{"mcpServers": {"a": {"command": "x", "env": {"A": 1}}}}"#, "`env` must be an object with strings"),
    ] {
        let wanted = desired_tool_files(text);
        assert!(wanted.problems[0].message.contains(words), "{text}: {:?}", wanted.problems);
        assert_eq!((wanted.parts.len(), wanted.frozen.len()), (0, 6), "{text}");
    }
}

/// The reports without the canon's path.
fn reports(desired: &DesiredToolFiles) -> Vec<String> {
    desired.problems.iter().map(|problem| problem.omitted.clone().unwrap_or_else(|| problem.message.clone())).collect()
}

#[test]
fn options_have_the_names_and_units_of_each_tool() {
    let wanted = desired_tool_files(
        r#"{"mcpServers": {"db": {"command": "x", "cwd": "tools", "timeout": 1500, "excludeTools": ["drop"], "alwaysAllow": ["list"]}}}"#,
    );
    assert_eq!(
        shown(&wanted),
        [
            r#".mcp.json mcpServers.db {"command":"x","timeout":1500}"#,
            r#"Item { path: ["permissions", "deny"], value: String("mcp__db__drop"), marker: None }"#,
            r#"Item { path: ["permissions", "allow"], value: String("mcp__db__list"), marker: None }"#,
            r#".gemini/settings.json mcpServers.db {"command":"x","cwd":"tools","timeout":1500,"excludeTools":["drop"]}"#,
            r#".agents/mcp_config.json mcpServers.db {"command":"x","cwd":"tools","timeoutSeconds":2,"disabledTools":["drop"]}"#,
            ".codex/config.toml [mcp_servers.db]\ncommand = \"x\"\ncwd = \"tools\"\ntool_timeout_sec = 1.5\ndisabled_tools = [\"drop\"]\n\n[mcp_servers.db.tools.list]\napproval_mode = \"approve\"\n",
        ]
    );
    assert_eq!(
        reports(&wanted),
        ["claude/mcp/db.cwd", "gemini/mcp/db.alwaysAllow", "cursor/mcp/db", "antigravity/mcp/db.alwaysAllow",]
    );
}

#[test]
fn authentication_in_every_tools_format() {
    let wanted = desired_tool_files(
        r#"{"mcpServers": {"w": {"type": "http", "url": "https://x.example/mcp", "headersHelper": "./h.sh", "timeout": 60000,
            "oauth": {"clientId": "id", "scopes": "a b", "callbackPort": 8080}}}}"#,
    );
    assert_eq!(
        shown(&wanted),
        [
            r#".mcp.json mcpServers.w {"type":"http","url":"https://x.example/mcp","timeout":60000,"headersHelper":"./h.sh","oauth":{"clientId":"id","scopes":"a b","callbackPort":8080}}"#,
            r#".gemini/settings.json mcpServers.w {"type":"http","url":"https://x.example/mcp","timeout":60000,"oauth":{"clientId":"id","scopes":["a","b"],"enabled":true}}"#,
            r#".cursor/mcp.json mcpServers.w {"url":"https://x.example/mcp","auth":{"CLIENT_ID":"id","scopes":["a","b"]}}"#,
            r#".agents/mcp_config.json mcpServers.w {"serverUrl":"https://x.example/mcp","timeoutSeconds":60}"#,
            ".codex/config.toml [mcp_servers.w]\nurl = \"https://x.example/mcp\"\ntool_timeout_sec = 60\nscopes = [\"a\", \"b\"]\noauth = { client_id = \"id\" }\n",
        ]
    );
    assert_eq!(
        reports(&wanted),
        [
            "gemini/mcp/w.headersHelper",
            "gemini/mcp/w.oauth.callbackPort",
            "cursor/mcp/w.timeout",
            "cursor/mcp/w.headersHelper",
            "cursor/mcp/w.oauth.callbackPort",
            "antigravity/mcp/w.headersHelper",
            "antigravity/mcp/w.oauth",
            "codex/mcp/w.headersHelper",
            "codex/mcp/w.oauth.callbackPort",
        ]
    );
}

#[test]
fn an_unknown_key_is_left_out_unless_it_may_restrict() {
    let wanted = desired_tool_files(
        r#"{"mcpServers": {"a": {"command": "x", "alwaysLoad": true}, "w": {"url": "https://w", "oauth": {"id": "y"}}, "b": {"command": "y", "exludeTools": ["z"]},
            "c": {"command": "z", "enabled": false}, "d": {"command": "w", "enabledTools": ["q"]}}}"#,
    );
    let shown = shown(&wanted);
    assert_eq!(shown.iter().filter(|part| part.contains(".a ")).count(), 4, "{shown:#?}");
    assert!(shown.iter().all(|part| !part.contains("servers.b") && !part.contains("Servers.b")), "{shown:#?}");
    assert!(shown.iter().all(|part| !part.contains("ervers.c")), "{shown:#?}");
    let reports = reports(&wanted);
    for part in [
        "claude/mcp/a.alwaysLoad",
        "codex/mcp/a.alwaysLoad",
        "codex/mcp/w.oauth.id",
        "claude/mcp/b",
        "codex/mcp/b",
        "cursor/mcp/d",
        "claude/mcp/d",
    ] {
        assert!(reports.iter().any(|report| report == part), "{part} is not in {reports:#?}");
    }
    // The tools that can express the list get the server.
    assert!(!reports.iter().any(|report| report == "gemini/mcp/d" || report == "codex/mcp/d"), "{reports:#?}");
    assert!(wanted.frozen.is_empty(), "a server that lost its place is removed");
}

#[test]
fn generated_servers_of_each_row_are_current() {
    let text = r#"{"mcpServers": {
        "db": {"command": "npx", "args": ["db"], "env": {"A": "1"}, "alwaysAllow": ["read"]},
        "web": {"type": "http", "url": "https://e.com", "headers": {"K": "${K}"}},
        "old": {"type": "sse", "url": "https://e.com/sse"}
    }}"#;
    let mut lines = Vec::new();
    for row in canonry_model::config::TOOLS {
        let on = ToolSwitches { mcp: true, ..ToolSwitches::default() };
        let files = ToolFilesConfig { tools: [(row.id.to_owned(), on)].into(), ..ToolFilesConfig::default() };
        let wanted = desired_for(text, &files);
        lines.extend(shown(&wanted));
        lines.extend(wanted.problems.iter().map(|problem| problem.message.clone()));
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn servers_with_one_meaning_are_equal() {
    let claude = ".mcp.json";
    let gemini = ".gemini/settings.json";
    let cursor = ".cursor/mcp.json";
    let kiro = ".kiro/settings/mcp.json";
    let copilot = ".vscode/mcp.json";
    let codex = ".codex/config.toml";
    let program = json!({"command": "a"});
    let remote = json!({"type": "http", "url": "https://x"});
    let plain = json!({"url": "https://x"});
    for (file, current, desired, want) in [
        (claude, json!({"type": "stdio", "command": "a", "args": [], "env": {}}), &program, true),
        (claude, json!({"command": "a", "disabledTools": ["b"]}), &program, true),
        (claude, json!({"command": "a", "readOnly": true}), &program, false),
        (claude, json!({"command": "a", "cwd": "b"}), &program, true),
        (claude, plain.clone(), &remote, false),
        (claude, json!({"type": "sse", "url": "https://x"}), &remote, false),
        (claude, json!({"url": "https://x", "type": "http", "headers": {}}), &remote, true),
        (gemini, json!({"httpUrl": "https://x", "trust": false}), &remote, true),
        (gemini, json!({"httpUrl": "https://x", "headers": {"A": "b"}}), &remote, false),
        (gemini, json!({"command": "a", "cwd": "b"}), &program, false),
        (cursor, remote.clone(), &plain, true),
        (cursor, json!({"url": "https://y"}), &plain, false),
        (cursor, json!({"command": "a", "disabled": true}), &program, false),
        (kiro, json!({"command": "a", "disabled": false, "autoApprove": []}), &program, true),
        (kiro, json!({"command": "a", "autoApprove": ["b"]}), &program, false),
        (copilot, plain.clone(), &remote, true),
        (
            copilot,
            json!({"command": "a", "tools": ["*"], "gallery": true}),
            &json!({"type": "stdio", "command": "a"}),
            true,
        ),
        (codex, json!({"command": "a", "enabled": true, "startup_timeout_sec": 9}), &program, true),
        (codex, json!({"command": "a", "enabled_tools": ["b"]}), &program, false),
        ("other.json", json!({"command": "a", "env": {}}), &program, false),
        (claude, json!({}), &program, false),
    ] {
        let path = ["servers".to_owned(), "name".to_owned()];
        assert_eq!(is_same_value(&RepoPath::from(file), &path, &current, desired), want, "{file}: {current} {desired}");
    }
}
