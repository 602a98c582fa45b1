//! Subagents, commands and MCP servers of a plugin. They are made like those of the repository, and get other paths.

use super::settings::PackSettings;
use super::text_file::text_file;
use crate::{Error, ErrorKind, Workspace};
use canonry_agents::desired::PartContent;
use canonry_agents::mcp::McpServer;
use canonry_agents::{DesiredToolFiles, GeneratedFile, ToolFileRequest, ToolFileSources, desired_tool_files};
use canonry_exchange::pack::manifest::{Components, claude_servers, hook_file, portable_servers};
use canonry_exchange::pack::plan::PackFile;
use canonry_exchange::pack::servers::{ServerOmission, check_movable, portable, repository_file};
use canonry_model::canon::subagent::SubagentLimits;
use canonry_model::config::files::ToolSwitches;
use canonry_model::config::{Target, ToolFilesConfig};
use canonry_repo::view::PathKind;
use canonry_repo::view::tool_files::load_sources;
use canonry_text::{RepoPath, frontmatter};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Folders of tools, and where their files are in a plugin.
const FOLDERS: [(&str, &str); 4] = [
    (".claude/agents", "agents"),
    (".claude/commands", "commands"),
    (".cursor/agents", "cursor/agents"),
    (".cursor/commands", "cursor/commands"),
];

/// Adds the files.
///
/// # Errors
/// A canonical file is invalid: a plugin without it would be a new version that misses a part.
pub(super) fn add(
    workspace: &Workspace,
    settings: &PackSettings,
    files: &mut BTreeMap<RepoPath, PackFile>,
    components: &mut Components,
    notes: &mut Vec<String>,
) -> Result<(), Error> {
    let cursor = ToolSwitches { subagents: true, commands: true, team_hooks: true, ..ToolSwitches::default() };
    let claude = ToolSwitches { mcp: true, ..cursor };
    let tools = [("claude".to_owned(), claude), ("cursor".to_owned(), cursor)].into();
    let config = ToolFilesConfig { tools, ..ToolFilesConfig::default() };
    let sources = load_sources(&workspace.view, &workspace.layout, &config)?;
    let mut desired = desired_tool_files(&ToolFileRequest {
        layout: &workspace.layout,
        files: &config,
        targets: &[],
        mirrors: &[Target::CLAUDE, Target::CURSOR],
        sources: &sources,
        available_skills: None,
        hook_failure: workspace.config.hooks.fail,
    });
    desired.accept(&workspace.config.files.accept_omitted);
    for problem in &desired.problems {
        match problem.omitted {
            None => return Err(Error::new(ErrorKind::Unreadable, format!("{}: {}", problem.canon, problem.message))),
            Some(_) => notes.push(problem.message.clone()),
        }
    }
    let hash = workspace.view.object_hash();
    for file in &desired.generated {
        let Some((folder, below)) = FOLDERS
            .iter()
            .find_map(|(from, to)| file.path.below(&RepoPath::from(*from)).map(|below| (*to, below.to_owned())))
        else {
            continue;
        };
        if let Some(reason) = unsupported(&sources, folder, file) {
            notes.push(format!("{} is left out for Claude Code: {reason}", file.canon));
            continue;
        }
        match folder {
            "agents" => components.claude_agents = true,
            "commands" => components.claude_commands = true,
            "cursor/agents" => components.cursor_agents = true,
            _ => components.cursor_commands = true,
        }
        let copy = || sources.get(&file.canon).and_then(Result::ok).map(str::to_owned);
        if let Some(text) = file.text.clone().or_else(copy) {
            files.insert(settings.out.join(folder).join(below), text_file(text, hash));
        }
    }
    for (file, path, note) in [
        (".claude/settings.json", "hooks/hooks.json", true),
        // The same hooks: they are left out with one note.
        (".cursor/hooks.json", "cursor/hooks.json", false),
    ] {
        let Some(hooks) = hooks(workspace, &desired, file, note.then_some(&mut *notes)) else { continue };
        if note {
            components.claude_hooks = true;
        } else {
            components.cursor_hooks = true;
        }
        files.insert(settings.out.join(path), text_file(hook_file(hooks, !note), hash));
    }
    let (claude, shared) = servers(workspace, &desired, notes);
    components.servers = !shared.is_empty();
    if !shared.is_empty() {
        files.insert(settings.out.join("mcp.json"), text_file(portable_servers(shared), hash));
    }
    if !claude.is_empty() {
        files.insert(settings.out.join(".mcp.json"), text_file(claude_servers(claude), hash));
    }
    Ok(())
}

/// Why a subagent cannot be in a plugin of Claude Code, which ignores `permissionMode`, `hooks` and `mcpServers` there: a
/// restriction would be lost.
fn unsupported(sources: &ToolFileSources, folder: &str, file: &GeneratedFile) -> Option<&'static str> {
    if folder != "agents" {
        return None;
    }
    // A file that cannot be parsed ends the pack with an error before.
    let root = frontmatter::root(sources.get(&file.canon)?.ok()?)?;
    let limits = SubagentLimits::from_frontmatter(&root);
    let by_tools = SubagentLimits { is_read_only: false, ..limits.clone() };
    (limits.is_read_only && !by_tools.only_reads())
        .then_some("its plugins ignore `permissionMode: plan`; list the tools that it may use in `tools`")
}

/// The team's hooks in the file of a tool, by event. A hook that runs a file of the repository is left out.
fn hooks(
    workspace: &Workspace,
    desired: &DesiredToolFiles,
    file: &str,
    mut notes: Option<&mut Vec<String>>,
) -> Option<Map<String, Value>> {
    let mut events: Map<String, Value> = Map::new();
    for part in desired.parts.iter().filter(|part| part.file == RepoPath::from(file)) {
        let PartContent::Item { path, value, .. } = &part.content else { continue };
        let [section, event] = path.as_slice() else { continue };
        let command = value["hooks"][0]["command"].as_str().or_else(|| value["command"].as_str()).unwrap_or_default();
        if section != "hooks" {
            continue;
        }
        if let Some(file) = repository_file(command, &|path| exists(workspace, path)) {
            if let Some(notes) = &mut notes {
                notes.push(format!("the hook `{command}` is left out: it needs `{file}` from this repository, which the plugin does not contain"));
            }
            continue;
        }
        let list = events.entry(event.clone()).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(list) = list {
            list.push(value.clone());
        }
    }
    (!events.is_empty()).then_some(events)
}

fn exists(workspace: &Workspace, path: &str) -> bool {
    let path = path.strip_prefix("./").unwrap_or(path);
    !path.is_empty() && workspace.view.kind(&RepoPath::from(path)) != PathKind::Nothing
}

/// The servers for Claude Code, and those that every client can use.
fn servers(
    workspace: &Workspace,
    desired: &DesiredToolFiles,
    notes: &mut Vec<String>,
) -> (Map<String, Value>, Map<String, Value>) {
    let mut claude = Map::new();
    let mut shared = Map::new();
    let exists = |path: &str| exists(workspace, path);
    for part in &desired.parts {
        let PartContent::Key { path, value } = &part.content else { continue };
        let [section, name] = path.as_slice() else { continue };
        if section != "mcpServers" {
            continue;
        }
        if has_filter(desired, name) {
            notes.push(format!("the MCP server `{name}` is left out: {}", ServerOmission::Filter));
            continue;
        }
        let server = McpServer::parse(name, value).expect("sync wrote this server");
        if let Err(omission) = check_movable(&server, &exists) {
            notes.push(format!("the MCP server `{name}` is left out: {omission}"));
            continue;
        }
        claude.insert(name.clone(), value.clone());
        match portable(&server) {
            Ok(server) => drop(shared.insert(name.clone(), server)),
            Err(omission) => notes.push(format!("the MCP server `{name}` is only for Claude Code: {omission}")),
        }
    }
    (claude, shared)
}

/// Whether Claude Code gets the server with a filter of its tools, which is in its settings: a plugin cannot contain them.
fn has_filter(desired: &DesiredToolFiles, server: &str) -> bool {
    let tool = format!("mcp__{server}__");
    desired.parts.iter().any(|part| match &part.content {
        PartContent::Item { path, value, .. } => {
            path == &["permissions", "deny"] && value.as_str().is_some_and(|entry| entry.starts_with(&tool))
        }
        _ => false,
    })
}
