//! An entry of a canonical file that makes a tool execute a command, or act without asking a person. It reaches the settings of
//! a tool only if a person trusts it.

use super::mcp::McpServer;
use canonry_model::canon::Layout;
use canonry_model::canon::permissions::{DefaultMode, PermissionSubject};
use canonry_model::canon::team_hooks::TeamHook;
use canonry_text::{RepoPath, secrets};
use serde_json::{Value, json};
use std::fmt;

/// An entry of `hooks.yaml`, `mcp.json` or `permissions.md`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Executable {
    /// A command that a tool runs at an event.
    Hook(TeamHook),
    /// An MCP server, with its definitions for all tools and for single ones as JSON text.
    Server { name: String, definitions: String },
    /// An action that a tool takes without asking.
    Allowed(PermissionSubject),
    /// A mode in which a tool asks less.
    Mode(DefaultMode),
}

impl Executable {
    /// The canonical file with the entry.
    pub fn canon(&self, layout: &Layout) -> RepoPath {
        match self {
            Self::Hook(_) => layout.hooks(),
            Self::Server { .. } => layout.mcp(),
            Self::Allowed(_) | Self::Mode(_) => layout.permissions(),
        }
    }

    /// A text that two entries share only if they have the same effect.
    pub fn identity(&self) -> String {
        match self {
            Self::Hook(TeamHook { event, matcher, command, timeout, tools }) => {
                json!(["hook", event, matcher, command, timeout, tools]).to_string()
            }
            Self::Server { name, definitions } => json!(["server", name, definitions]).to_string(),
            Self::Allowed(subject) => {
                let (kind, values) = match subject {
                    PermissionSubject::Command(words) => ("command", json!(words)),
                    PermissionSubject::Read(text) => ("read", json!(text)),
                    PermissionSubject::Edit(text) => ("edit", json!(text)),
                    PermissionSubject::Mcp { server, tool } => ("mcp", json!([server, tool])),
                    PermissionSubject::Domain(host) => ("domain", json!(host)),
                    PermissionSubject::Flag(text) => ("flag", json!(text)),
                    PermissionSubject::Push(text) => ("push", json!(text)),
                    PermissionSubject::Action(id) => ("action", json!(id)),
                };
                json!(["allowed", kind, values]).to_string()
            }
            Self::Mode(mode) => json!(["mode", mode.name()]).to_string(),
        }
    }
}

impl fmt::Display for Executable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hook(hook) => {
                let matcher = hook.matcher.as_ref().map(|matcher| format!(" ({matcher})")).unwrap_or_default();
                write!(f, "hook at {}{matcher}: `{}`", hook.event, secrets::redact(&hook.command))
            }
            Self::Server { name, definitions } => {
                // An entry in the user's list may have been edited.
                let started = serde_json::from_str(definitions).map(|all| started(&all)).unwrap_or_default();
                write!(f, "MCP server `{name}`: {}", secrets::redact(&started))
            }
            Self::Allowed(PermissionSubject::Command(words)) => write!(f, "always allowed: `{}`", words.join(" ")),
            Self::Allowed(
                PermissionSubject::Flag(text) | PermissionSubject::Read(text) | PermissionSubject::Push(text),
            ) => write!(f, "always allowed: `{text}`"),
            Self::Allowed(PermissionSubject::Edit(text)) => write!(f, "always allowed: editing `{text}`"),
            Self::Allowed(PermissionSubject::Mcp { server, tool }) => {
                write!(f, "always allowed: the MCP tool `{server}/{}`", tool.as_deref().unwrap_or("*"))
            }
            Self::Allowed(PermissionSubject::Domain(host)) => write!(f, "always allowed: reading from `{host}`"),
            Self::Allowed(PermissionSubject::Action(id)) => write!(f, "always allowed: {id}"),
            Self::Mode(mode) => write!(f, "agents start in the mode `{}`", mode.name()),
        }
    }
}

/// The command lines and URLs of a server's definitions, each once.
fn started(definitions: &Value) -> String {
    let mut lines: Vec<String> = Vec::new();
    for definition in definitions.as_object().into_iter().flat_map(|sections| sections.values()) {
        let server = McpServer::parse("server", definition);
        let line = server.map_or_else(|_| definition.to_string(), |server| format!("`{}`", server.started()));
        if !definition.is_null() && !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.join(", ")
}
