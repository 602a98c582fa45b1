//! Part of `tool-file-schema`: MCP server that the tool cannot start.

use super::keys::described;
use super::tool_file_schema::RULE;
use crate::Finding;
use canonry_agents::mcp::{ServerError, Transport, canonical_key};
use canonry_model::canon::tool_file::servers::{ListedServer, servers};
use canonry_model::canon::tool_file::{Role, ToolFile, ToolFileReader};
use canonry_model::finding::Location;
use canonry_model::tools::tool_formats::McpFormat;
use canonry_text::Span;
use canonry_text::node::{MappingEntry, Node};

/// The types that Claude Code 2.1.330 knows.
const CLAUDE_TYPES: [&str; 8] = ["stdio", "http", "streamable-http", "sse", "ws", "sdk", "sse-ide", "ws-ide"];

/// A problem, where it is, and what to do.
type Flaw = (Span, String, String);

pub(super) fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    for server in servers(file) {
        if let Some((span, message, help)) = flaw(file, server) {
            findings.push(RULE.at(Location::at(source, span), message).help(help));
        }
    }
}

fn flaw(file: &ToolFile, server: ListedServer<'_>) -> Option<Flaw> {
    let MappingEntry { key: name, key_span: at_name, value: node } = server.entry;
    let at_name = *at_name;
    if node.as_mapping().is_none() {
        let message = format!("the MCP server `{name}` must be an object, but is {}", described(node));
        return Some((node.span, message, "write an object with `command` or `url`".to_owned()));
    }
    if is_disabled(node) {
        return None;
    }
    wrong_type(file, node).or_else(|| relative_url(name, node)).or_else(|| {
        if strict(file) {
            claude_flaw(name, node, at_name)
        } else if file.kind.reader == ToolFileReader::AgentPlugins {
            portable_flaw(name, node, at_name)
        } else {
            missing_target(file, name, node, at_name)
        }
    })
}

/// Whether only Claude Code reads the file. Other tools read `.mcp.json` in their own plugins, and accept more.
fn strict(file: &ToolFile) -> bool {
    let is_project = file.base.is_empty() || file.is_plugin;
    file.kind.reader == ToolFileReader::CLAUDE && matches!(file.kind.role, Role::Servers | Role::Manifest) && is_project
}

fn is_disabled(node: &Node) -> bool {
    let flag = |key: &str| node.get(key).and_then(Node::as_bool);
    flag("disabled") == Some(true) || flag("enabled") == Some(false)
}

fn wrong_type(file: &ToolFile, node: &Node) -> Option<Flaw> {
    let format = server_format(file);
    if let Some(command) = node.get("command").filter(|node| node.as_sequence().is_some())
        && format != Some(McpFormat::OpenCode)
    {
        let help = "write the program as a string, and its arguments as `args`".to_owned();
        return Some((command.span, format!("`command` must be a string, but is {}", described(command)), help));
    }
    let has_objects = matches!(format, Some(McpFormat::Json(form)) if form.has_command_objects);
    if has_objects && node.get("command").is_some_and(|command| command.as_mapping().is_some()) {
        return None;
    }
    let Err(ServerError::WrongType { key, expected }) = Transport::parse(&node.to_json()) else { return None };
    let entry = node.entries().iter().find(|entry| canonical_key(&entry.key) == Some(key))?;
    let is_text = |node: &Node| node.as_str().is_some();
    let pair = entry.value.entries().iter().find(|pair| !is_text(&pair.value));
    let item = entry.value.as_sequence().and_then(|items| items.iter().find(|item| !is_text(item)));
    let (name, wrong, expected) = match pair {
        Some(pair) if key != "args" => (format!("{}.{}", entry.key, pair.key), &pair.value, "be a string"),
        _ => (entry.key.clone(), item.unwrap_or(&entry.value), expected),
    };
    let message = format!("`{name}` must {expected}, but is {}", described(wrong));
    Some((wrong.span, message, format!("write {}", expected.trim_start_matches("be "))))
}

/// An address without a scheme, which no program takes for one. Placeholders and empty values are filled in later.
fn relative_url(name: &str, node: &Node) -> Option<Flaw> {
    let url = node.get("url")?;
    let text = url.as_str()?.trim();
    let is_relative = text.contains('.') && !text.contains("://") && !text.contains(['$', '<', '{', '%', ' ']);
    is_relative.then(|| {
        let message = format!("the address `{text}` of the MCP server `{name}` has no scheme");
        (url.span, message, format!("write `https://{}`", text.trim_start_matches('/')))
    })
}

fn claude_flaw(name: &str, node: &Node, at_name: Span) -> Option<Flaw> {
    let kind = node.get("type").map(|kind| (kind.span, kind.as_str().unwrap_or_default()));
    let has_command = node.get("command").is_some();
    let has_url = node.get("url").is_some();
    match kind {
        Some((span, kind)) if !CLAUDE_TYPES.contains(&kind) => Some((
            span,
            format!("Claude Code does not know the type `{kind}` of MCP server `{name}` and drops the server"),
            "write `stdio` for a local command, or `http`, `sse` or `ws` for a remote server".to_owned(),
        )),
        Some((span, kind @ ("http" | "streamable-http" | "sse" | "ws"))) if !has_url => Some((
            span,
            format!("the MCP server `{name}` has the type `{kind}` but no `url`, so Claude Code drops it"),
            "add the `url` of the server".to_owned(),
        )),
        None if has_url && !has_command => Some((
            at_name,
            format!("the MCP server `{name}` has a `url` but no `type`, so Claude Code drops it"),
            "add `\"type\": \"http\"`, or `sse` or `ws`".to_owned(),
        )),
        None | Some((_, "stdio")) if !has_command => Some((
            at_name,
            format!("the MCP server `{name}` has neither `command` nor `url`, so Claude Code drops it"),
            "add the `command` that starts the server".to_owned(),
        )),
        _ => None,
    }
}

/// Agent Plugins 1.0.0, section 7.2: a server has a type, and what the type requires.
fn portable_flaw(name: &str, node: &Node, at_name: Span) -> Option<Flaw> {
    let kind = node.get("type").and_then(Node::as_str);
    let needed = match kind {
        Some("stdio") => "command",
        Some("streamable-http" | "sse") => "url",
        None => "type",
        Some(other) => {
            let message = format!("Agent Plugins has no type `{other}` of MCP servers, so clients skip `{name}`");
            return Some((at_name, message, "write `stdio`, `streamable-http` or `sse`".to_owned()));
        }
    };
    node.get(needed).is_none().then(|| {
        let message = format!("the MCP server `{name}` has no `{needed}`, so clients of Agent Plugins skip it");
        (at_name, message, format!("add `{needed}`"))
    })
}

/// The format of the tool's servers.
fn server_format(file: &ToolFile) -> Option<McpFormat> {
    Some(file.kind.reader.row()?.mcp?.format)
}

fn missing_target(file: &ToolFile, name: &str, node: &Node, at_name: Span) -> Option<Flaw> {
    let is_partial = match server_format(file) {
        // A part of a server completes one that a user or plugin defines.
        Some(McpFormat::CodexToml) => true,
        Some(McpFormat::Json(form)) => form.has_extensions && node.get("settings").is_some(),
        Some(McpFormat::OpenCode) | None => false,
    };
    let is_target = |key: &str| matches!(canonical_key(key), Some("command" | "url")) || key == "tcp";
    let has_target = node.entries().iter().any(|entry| is_target(&entry.key));
    (!has_target && !is_partial).then(|| {
        let message = format!("the MCP server `{name}` has neither `command` nor `url`");
        (at_name, message, "add the `command` that starts the server, or its `url`".to_owned())
    })
}
