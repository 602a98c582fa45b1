//! MCP servers in the files of the tools.

use super::formats::{parse_object, parser};
use super::plan::ImportPlan;
use super::servers::Servers;
use canonry_agents::mcp::add_inferred_type;
use canonry_model::config::{McpRow, TOOLS};
use canonry_model::tools::tool_formats::McpFormat;
use canonry_text::RepoPath;
use serde_json::{Map, Value};

/// The servers of a tool.
struct ToolServers {
    servers: Map<String, Value>,
    /// Whether the file has the form that sync writes.
    is_written: bool,
}

/// Imports the servers of each tool that has a file of them.
pub(super) fn import(plan: &mut ImportPlan<'_>) {
    let mut servers = Servers::default();
    for row in TOOLS.iter().filter(|row| row.is_written()) {
        let Some(mcp) = row.mcp.filter(|mcp| plan.source.has(mcp.path)) else { continue };
        let path = RepoPath::from(mcp.path);
        let found = match mcp.format {
            McpFormat::OpenCode => opencode_servers(plan, &path),
            McpFormat::Json(_) | McpFormat::CodexToml => servers_at_root(plan, &path, &mcp),
        };
        let Some(mut found) = found else { continue };
        found.servers.values_mut().for_each(|server| add_inferred_type(&mcp.format, server));
        servers.add_tool(plan, &path, row.id, &found.servers);
        if found.is_written {
            plan.tools.single.insert((row.id, "mcp"));
        }
    }
    servers.share();
    servers.finish(plan);
}

/// The servers of a file; `None` if it has no key for them.
fn servers_at_root(plan: &mut ImportPlan<'_>, path: &RepoPath, mcp: &McpRow) -> Option<ToolServers> {
    let root = plan.read_as(path, parser(mcp.path))?;
    match mcp.root.iter().try_fold(&root, |node, key| node.get(key))?.to_json() {
        Value::Object(servers) => Some(ToolServers { servers, is_written: true }),
        _ => {
            plan.skip_unreadable(path, format!("`{}` is not an object", mcp.root.join(".")));
            None
        }
    }
}

/// The servers of OpenCode, of version 2 (`mcp.servers`) and of version 1 (`mcp`). Sync writes the form of version 2, which
/// would be beside the other one.
fn opencode_servers(plan: &mut ImportPlan<'_>, path: &RepoPath) -> Option<ToolServers> {
    let settings = plan.read_as(path, parse_object)?;
    let mcp = settings.get("mcp").and_then(Value::as_object)?;
    // Version 1 may have a server with this name.
    let is_section = |section: &&Map<String, Value>| !section.get("type").is_some_and(Value::is_string);
    let section = mcp.get("servers").and_then(Value::as_object).filter(is_section);
    if section.is_none() {
        plan.next_steps.push(format!(
            "{path} keeps its servers: canonry writes those of OpenCode 2, under `mcp.servers`. To let it, move them there and set \
             `files: {{opencode: {{mcp: true}}}}`"
        ));
    }
    let mut servers = section.unwrap_or(mcp).clone();
    for (name, server) in &mut servers {
        if server.as_object_mut().and_then(|keys| keys.shift_remove("timeout")).is_some() {
            plan.next_steps.push(format!(
                "server `{name}`: `timeout` in {path} is the time to list its tools, which the canon does not have"
            ));
        }
    }
    Some(ToolServers { servers, is_written: section.is_some() })
}
