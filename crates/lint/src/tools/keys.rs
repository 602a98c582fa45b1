//! The keys of tool files: their types, which ones are required, and which ones exist.

use canonry_model::canon::tool_file::{FileFormat, Role, ToolFile, ToolFileReader};
use canonry_text::node::{Node, NodeValue, ScalarKind};

/// Type of a key's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueType {
    Text,
    Bool,
    Map,
    List,
    TextOrList,
    /// A path, a list of paths, or a definition in place.
    Component,
    Any,
}

/// The type of a value with its article, for messages.
pub(super) fn described(node: &Node) -> String {
    let name = node.kind_name();
    format!("{} {name}", if name.starts_with('e') { "an" } else { "a" })
}

impl ValueType {
    pub fn accepts(self, node: &Node) -> bool {
        match (self, &node.value) {
            (Self::Any, _)
            | (Self::Map | Self::Component, NodeValue::Mapping(_))
            | (Self::List | Self::TextOrList | Self::Component, NodeValue::Sequence(_)) => true,
            (Self::Text | Self::TextOrList | Self::Component, NodeValue::Scalar(scalar)) => {
                scalar.kind == ScalarKind::String
            }
            (Self::Bool, NodeValue::Scalar(scalar)) => matches!(scalar.kind, ScalarKind::Bool(_)),
            _ => false,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Bool => "`true` or `false`",
            Self::Map => "an object",
            Self::List => "a list",
            Self::TextOrList => "a string or a list",
            Self::Component => "a path, a list or an object",
            Self::Any => "any value",
        }
    }
}

/// A key of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeySpec {
    pub name: &'static str,
    pub value: ValueType,
    pub is_required: bool,
}

const fn key(name: &'static str, value: ValueType) -> KeySpec {
    KeySpec { name, value, is_required: false }
}

const fn required(name: &'static str, value: ValueType) -> KeySpec {
    KeySpec { name, value, is_required: true }
}

use ValueType::{Any, Bool, Component, List, Map, Text, TextOrList};

/// `claude plugin validate` of Claude Code 2.1.330.
pub(super) static CLAUDE_MANIFEST: [KeySpec; 19] = [
    required("name", Text),
    key("displayName", Text),
    key("version", Text),
    key("description", Text),
    key("author", Map),
    key("homepage", Text),
    key("repository", Text),
    key("license", Text),
    key("keywords", List),
    key("commands", Component),
    key("agents", Component),
    key("skills", Component),
    key("hooks", Component),
    key("mcpServers", Component),
    key("lspServers", Component),
    key("outputStyles", Component),
    key("dependencies", Any),
    key("userConfig", Map),
    key("settings", Map),
];

/// The manifests of Codex and Cursor, of which only these keys are known with certainty.
static OTHER_MANIFEST: [KeySpec; 3] = [required("name", Text), key("version", Text), key("description", Text)];

/// Agent Plugins 1.0.0, section 5, which permits no other keys.
static PORTABLE_MANIFEST: [KeySpec; 10] = [
    required("$schema", Text),
    required("name", Text),
    key("version", Text),
    key("description", Text),
    key("author", Map),
    key("homepage", Text),
    key("repository", Text),
    key("license", Text),
    key("keywords", List),
    key("extensions", Map),
];
/// Agent Plugins 1.0.0, `schemas/1.0.0/mcp.schema.json`.
static PORTABLE_SERVERS: [KeySpec; 2] = [required("$schema", Text), required("mcpServers", Map)];

/// Gemini CLI 0.61.0, `docs/extensions/reference.md`.
static EXTENSION: [KeySpec; 6] = [
    required("name", Text),
    required("version", Text),
    key("description", Text),
    key("mcpServers", Map),
    key("contextFileName", TextOrList),
    key("excludeTools", List),
];

/// `claude plugin validate` of Claude Code 2.1.330.
static CLAUDE_MARKETPLACE: [KeySpec; 6] = [
    required("name", Text),
    required("owner", Map),
    required("plugins", List),
    key("metadata", Map),
    key("description", Text),
    key("version", Text),
];
static OTHER_MARKETPLACE: [KeySpec; 2] = [required("name", Text), required("plugins", List)];
pub(super) static MARKETPLACE_ENTRY: [KeySpec; 2] = [required("name", Text), required("source", Any)];

/// Claude Code 2.1.330; the settings that many projects use.
static CLAUDE_SETTINGS: [KeySpec; 14] = [
    key("permissions", Map),
    key("hooks", Map),
    key("env", Map),
    key("model", Text),
    key("statusLine", Map),
    key("outputStyle", Text),
    key("includeCoAuthoredBy", Bool),
    key("enableAllProjectMcpServers", Bool),
    key("enabledMcpjsonServers", List),
    key("disabledMcpjsonServers", List),
    key("enabledPlugins", Map),
    key("extraKnownMarketplaces", Map),
    key("sandbox", Map),
    key("apiKeyHelper", Text),
];
pub(super) static CLAUDE_PERMISSIONS: [KeySpec; 5] = [
    key("allow", List),
    key("deny", List),
    key("ask", List),
    key("defaultMode", Text),
    key("additionalDirectories", List),
];

/// The program of Claude Code 2.1.330: a file without one of these is no subagent.
static CLAUDE_SUBAGENT: [KeySpec; 2] = [required("name", Text), required("description", Text)];
/// Gemini CLI 0.61.0: `localAgentSchema` and `remoteAgentSchema`, which accept no other keys.
static GEMINI_SUBAGENT: [KeySpec; 2] = [required("name", Text), key("description", Text)];
/// Gemini CLI 0.61.0: `TomlCommandDefSchema`.
static GEMINI_COMMAND: [KeySpec; 2] = [required("prompt", Text), key("description", Text)];

/// The keys at the top of a file; empty if nothing is known for certain.
pub(super) fn top_keys(file: &ToolFile) -> &'static [KeySpec] {
    match (file.kind.reader, file.kind.role) {
        (ToolFileReader::CLAUDE, Role::Manifest) => &CLAUDE_MANIFEST,
        (ToolFileReader::GEMINI, Role::Manifest) => &EXTENSION,
        (ToolFileReader::AgentPlugins, Role::Manifest) => &PORTABLE_MANIFEST,
        (ToolFileReader::AgentPlugins, Role::Servers) => &PORTABLE_SERVERS,
        (_, Role::Manifest) => &OTHER_MANIFEST,
        (ToolFileReader::CLAUDE, Role::Marketplace) => &CLAUDE_MARKETPLACE,
        (_, Role::Marketplace) => &OTHER_MARKETPLACE,
        (ToolFileReader::CLAUDE, Role::Settings) => &CLAUDE_SETTINGS,
        // A plugin names its subagents after their files.
        (ToolFileReader::CLAUDE, Role::Subagent) if !file.kind.in_plugin => &CLAUDE_SUBAGENT,
        (ToolFileReader::GEMINI, Role::Subagent) => &GEMINI_SUBAGENT,
        (ToolFileReader::GEMINI, Role::Command) if file.kind.format == FileFormat::Toml => &GEMINI_COMMAND,
        _ => &[],
    }
}
