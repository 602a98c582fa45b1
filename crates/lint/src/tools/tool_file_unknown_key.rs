//! Part of `tool-file-schema`: misspelled key in a tool's file.

use super::keys::{CLAUDE_PERMISSIONS, KeySpec, top_keys};
use super::tool_file_schema::RULE;
use crate::Finding;
use canonry_model::canon::tool_file::servers::servers_path;
use canonry_model::canon::tool_file::{FileFormat, Role, ToolFile, ToolFileReader};
use canonry_model::finding::Location;
use canonry_text::closest_match;
use canonry_text::node::Node;

/// Other tools' names of the key that contains the MCP servers.
const SERVER_KEYS: [&str; 3] = ["mcpServers", "servers", "mcp_servers"];

pub(super) fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
    let Some(root) = file.root().filter(|_| file.kind.format != FileFormat::Markdown) else { return };
    report(file, root, top_keys(file), findings);
    if let Some(permissions) = root.get("permissions")
        && (file.kind.reader, file.kind.role) == (ToolFileReader::CLAUDE, Role::Settings)
    {
        report(file, permissions, &CLAUDE_PERMISSIONS, findings);
    }
    wrong_server_key(file, root, findings);
}

/// Reports keys that are close to a known one. Others may be new, or mean something to another tool.
fn report(file: &ToolFile, node: &Node, keys: &[KeySpec], findings: &mut Vec<Finding>) {
    let (Ok(source), Some(mapping)) = (&file.document, node.as_mapping()) else { return };
    let known = || keys.iter().map(|spec| spec.name);
    for entry in &mapping.entries {
        if known().any(|name| name == entry.key) {
            continue;
        }
        let intended = closest_match(&entry.key, known()).filter(|name| mapping.get(name).is_none());
        if intended.is_none() && is_closed(file) {
            let message = format!("Agent Plugins has no key `{}` here, and clients ignore it", entry.key);
            let finding = RULE.at(Location::at(source, entry.key_span), message);
            findings.push(finding.help("put data for one client below its namespace in `extensions`"));
        }
        let Some(intended) = intended else { continue };
        if KNOWN_NEIGHBOURS.contains(&entry.key.as_str()) {
            continue;
        }
        let message = format!("{} does not know the key `{}` and ignores it", file.kind.reader_name(), entry.key);
        let finding = RULE.at(Location::at(source, entry.key_span), message);
        findings.push(finding.help(format!("did you mean `{intended}`?")));
    }
}

/// Whether the tool's specification permits no other keys.
fn is_closed(file: &ToolFile) -> bool {
    (file.kind.reader, file.kind.role) == (ToolFileReader::AgentPlugins, Role::Manifest)
}

/// Keys that exist although they are close to others.
const KNOWN_NEIGHBOURS: [&str; 6] = ["plugins", "mode", "models", "channels", "interface", "plans"];

fn wrong_server_key(file: &ToolFile, root: &Node, findings: &mut Vec<Finding>) {
    let is_server_file = matches!(file.kind.role, Role::Servers) || file.kind.reader == ToolFileReader::CODEX;
    let (Ok(source), Some(mapping), Some([wanted, ..])) = (&file.document, root.as_mapping(), servers_path(file))
    else {
        return;
    };
    let other = SERVER_KEYS.iter().filter(|key| *key != wanted).find_map(|key| mapping.get(key));
    if let Some(entry) = other.filter(|_| is_server_file && mapping.get(wanted).is_none()) {
        let message = format!("{} does not read MCP servers from `{}`", file.kind.reader_name(), entry.key);
        let finding = RULE.at(Location::at(source, entry.key_span), message);
        findings.push(finding.help(format!("rename the key to `{wanted}`")));
    }
}
