use super::*;
use crate::canon::Layout;
use crate::config::files::{AntigravityFiles, ClaudeFiles, CodexFiles, CursorFiles, GeminiFiles};
use crate::config::{HookFailMode, ToolFilesConfig};
use crate::toolfiles::request::ToolFileSources;

fn desired_tool_files(text: &str) -> DesiredToolFiles {
    let files = ToolFilesConfig {
        claude: ClaudeFiles { mcp: true, ..ClaudeFiles::default() },
        gemini: GeminiFiles { mcp: true, ..GeminiFiles::default() },
        codex: CodexFiles { mcp: true, ..CodexFiles::default() },
        cursor: CursorFiles { mcp: true, ..CursorFiles::default() },
        antigravity: AntigravityFiles { mcp: true, ..AntigravityFiles::default() },
        ..ToolFilesConfig::default()
    };
    let layout = Layout::default();
    let mut sources = ToolFileSources::default();
    sources.add(layout.mcp(), Ok(text.as_bytes().to_vec()));
    let mut wanted = DesiredToolFiles::default();
    add(
        &ToolFileRequest {
            layout: &layout,
            files: &files,
            targets: &[],
            mirrors: &[],
            sources: &sources,
            available_skills: None,
            hook_failure: HookFailMode::Open,
        },
        &mut wanted,
    );
    wanted
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
        r#".gemini/settings.json mcpServers.s {"url":"https://y.example"}"#,
        r#".agents/mcp_config.json mcpServers.s {"serverUrl":"https://y.example"}"#,
        ".codex/config.toml [mcp_servers.w]\nurl = \"https://x.example/mcp\"\nbearer_token_env_var = \"T\"\nhttp_headers = { X-A = \"b\" }\nenv_http_headers = { X-B = \"B\" }\n",
    ] {
        assert!(shown.iter().any(|shown| shown == line), "{line} is not in {shown:#?}");
    }
    assert!(shown.iter().any(|line| line.contains("\"httpUrl\":\"https://x.example/mcp\"")), "{shown:#?}");
    assert!(wanted.problems.iter().any(|problem| problem.message.contains("`s` is not written for Codex CLI")));
}

#[test]
fn invalid_files_are_reported_and_nothing_is_removed() {
    for (text, words) in [
        ("{", "it is not valid JSON: line 1"),
        ("{}", "no object `mcpServers`"),
        (r#"{"mcpServers": {"a b": {"command": "x"}}}"#, "`a b`: a server name"),
        (r#"{"mcpServers": {"a": {"comand": "x"}}}"#, "`a`: unknown key `comand`"),
        (r#"{"mcpServers": {"a": {"command": "x", "url": "y"}}}"#, "either `command` or `url`"),
        (r#"{"mcpServers": {"a": {"command": "x", "args": "y"}}}"#, "`args` must be a list of strings"),
        (r#"{"mcpServers": {"a": {"command": "x", "env": {"A": 1}}}}"#, "`env` must map names to strings"),
    ] {
        let wanted = desired_tool_files(text);
        assert!(wanted.problems[0].message.contains(words), "{text}: {:?}", wanted.problems);
        assert_eq!((wanted.parts.len(), wanted.frozen.len()), (0, 5), "{text}");
    }
}
