//! MCP servers in the files of the tools.

use super::formats::{parse_object, parse_toml, strings, toml_to_json};
use super::leftovers;
use super::plan::ImportPlan;
use super::servers::Servers;
use canonry_model::config::tool_formats::{JsonServers, McpFormat};
use canonry_model::config::{TOOLS, Target};
use canonry_text::RepoPath;
use serde_json::{Map, Value};
use toml_edit::Item;

/// The servers of a tool.
struct ToolServers {
    servers: Vec<(String, Value)>,
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
            McpFormat::Json(form) => json_servers(plan, &path, mcp.root, &form),
            McpFormat::OpenCode => opencode_servers(plan, &path),
            McpFormat::CodexToml => codex_servers(plan, &path),
        };
        let Some(found) = found else { continue };
        servers.add_tool(plan, &path, row.id, &found.servers);
        if !found.is_written {
            continue;
        }
        match Target::DEFAULT.iter().find(|target| target.name() == row.id) {
            Some(target) => plan.tools.add_switch(*target, "mcp"),
            None => drop(plan.tools.single.insert((row.id, "mcp"))),
        }
    }
    servers.share();
    servers.finish(plan);
}

/// The servers of a JSON file; `None` if it has no key for them.
fn json_servers(plan: &mut ImportPlan<'_>, path: &RepoPath, root: &[&str], form: &JsonServers) -> Option<ToolServers> {
    let document = Value::Object(plan.read_as(path, parse_object)?);
    let section = root.iter().try_fold(&document, |value, key| value.get(key))?;
    let Value::Object(servers) = section else {
        plan.skip_unreadable(path, format!("`{}` is not an object", root.join(".")));
        return None;
    };
    let is_fixed = |key: &str, value: &Value| form.fixed.is_some_and(|(fixed, text)| key == fixed && value == text);
    let without_fixed = |server: &Value| match server {
        Value::Object(keys) => {
            let keys = keys.iter().filter(|(key, value)| !is_fixed(key, value));
            Value::Object(keys.map(|(key, value)| (key.clone(), value.clone())).collect())
        }
        other => other.clone(),
    };
    let servers = servers.iter().map(|(name, server)| (name.clone(), without_fixed(server))).collect();
    Some(ToolServers { servers, is_written: true })
}

fn codex_servers(plan: &mut ImportPlan<'_>, path: &RepoPath) -> Option<ToolServers> {
    let table = plan.read_as(path, parse_toml)?;
    let all = table.get("mcp_servers").and_then(Item::as_table_like)?;
    let convert = |(name, item): (&str, &Item)| (name.to_owned(), convert_codex_server(toml_to_json(item)));
    Some(ToolServers { servers: all.iter().map(convert).collect(), is_written: true })
}

/// The servers of OpenCode, of version 2 (`mcp.servers`) and of version 1 (`mcp`). Sync writes the form of version 2, which
/// would be beside the other one.
fn opencode_servers(plan: &mut ImportPlan<'_>, path: &RepoPath) -> Option<ToolServers> {
    let settings = plan.read_as(path, parse_object)?;
    if settings.contains_key("permission") || settings.contains_key("permissions") {
        plan.skip(
            path,
            "its permissions: OpenCode decides by their order, which the canon does not have",
            leftovers::COMPARE,
        );
    }
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
    let all = section.unwrap_or(mcp);
    for (name, server) in all {
        if server.get("timeout").is_some() {
            plan.next_steps.push(format!(
                "server `{name}`: `timeout` in {path} is the time to list its tools, which the canon does not have"
            ));
        }
    }
    let servers = all.iter().map(|(name, server)| (name.clone(), convert_opencode_server(server.clone())));
    Some(ToolServers { servers: servers.collect(), is_written: section.is_some() })
}

/// Converts a server of OpenCode to the format of Claude Code.
fn convert_opencode_server(server: Value) -> Value {
    let Value::Object(mut server) = server else { return server };
    if let Some(Value::Array(words)) = server.get("command").cloned() {
        let mut words = words.into_iter();
        if let Some(command) = words.next() {
            server.insert("command".to_owned(), command);
        }
        server.insert("args".to_owned(), words.collect());
    }
    if let Some(environment) = server.shift_remove("environment") {
        server.insert("env".to_owned(), environment);
    }
    server.shift_remove("timeout");
    let text = Value::Object(server).to_string();
    serde_json::from_str(&text.replace("{env:", "${")).expect("outside of strings, JSON has no `{env:`")
}

/// Converts a server of Codex to the format of Claude Code.
fn convert_codex_server(server: Value) -> Value {
    let Value::Object(mut server) = server else { return server };
    let variable = |name: &str| Value::from(format!("${{{name}}}"));
    let put = |section: &str, pairs: Vec<(String, Value)>, server: &mut serde_json::Map<String, Value>| {
        let existing = server.entry(section).or_insert_with(|| Value::Object(serde_json::Map::new()));
        if let Value::Object(existing) = existing {
            existing.extend(pairs);
        }
    };
    if let Some(names) = server.shift_remove("env_vars") {
        let pairs = strings(Some(&names)).into_iter().map(|name| (name.clone(), variable(&name))).collect();
        put("env", pairs, &mut server);
    }
    if let Some(Value::Object(headers)) = server.shift_remove("http_headers") {
        put("headers", headers.into_iter().collect(), &mut server);
    }
    if let Some(Value::Object(headers)) = server.shift_remove("env_http_headers") {
        let pairs = headers.into_iter().filter_map(|(key, value)| Some((key, variable(value.as_str()?)))).collect();
        put("headers", pairs, &mut server);
    }
    if let Some(Value::String(name)) = server.shift_remove("bearer_token_env_var") {
        put("headers", vec![("Authorization".to_owned(), Value::from(format!("Bearer ${{{name}}}")))], &mut server);
    }
    if server.contains_key("url") && !server.contains_key("type") {
        server.insert("type".to_owned(), Value::from("http"));
    }
    Value::Object(server)
}
