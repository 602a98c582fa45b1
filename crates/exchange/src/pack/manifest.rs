//! The manifests of a plugin and its marketplaces, one for each tool.

use canonry_model::config::PackAuthor;
use canonry_text::RepoPath;
use semver::Version;
use serde_json::{Map, Value, json};

/// Data about the plugin in every manifest.
#[derive(Clone, Debug)]
pub struct Metadata {
    pub name: String,
    pub description: Option<String>,
    pub author: Option<PackAuthor>,
    pub license: Option<String>,
    pub homepage: Option<String>,
    pub repository: Option<String>,
    pub keywords: Vec<String>,
}

/// Which components the plugin has. Cursor replaces what it finds by default with what its manifest names, so that it
/// never reads a file that was made for Claude Code.
#[derive(Clone, Copy, Debug, Default)]
pub struct Components {
    pub skills: bool,
    /// Servers that every client can use, in `mcp.json`.
    pub servers: bool,
    /// `agents/` and `commands/`, for Claude Code.
    pub claude_agents: bool,
    pub claude_commands: bool,
    /// `cursor/agents/` and `cursor/commands/`.
    pub cursor_agents: bool,
    pub cursor_commands: bool,
    /// `hooks/hooks.json`, for Claude Code.
    pub claude_hooks: bool,
    /// `cursor/hooks.json`.
    pub cursor_hooks: bool,
}

const PLUGIN_SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
const SERVER_SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";

/// A generated file, with its path from the folder of the plugin or the marketplaces.
pub type Generated = (&'static str, String);

/// The manifests, from the folder of the plugin.
pub fn manifests(metadata: &Metadata, components: Components, version: &Version) -> Vec<Generated> {
    vec![
        ("plugin.json", portable(metadata, version)),
        (".claude-plugin/plugin.json", claude(metadata, version)),
        (".codex-plugin/plugin.json", codex(metadata, components, version)),
        (".cursor-plugin/plugin.json", cursor(metadata, components, version)),
    ]
}

/// The marketplaces, from their folder. `plugin` is the folder of the plugin below it.
pub fn marketplaces(metadata: &Metadata, plugin: &RepoPath) -> Vec<Generated> {
    let source = format!("./{}", plugin.to_display());
    vec![
        (".claude-plugin/marketplace.json", text(named_marketplace(metadata, &source))),
        (".cursor-plugin/marketplace.json", text(named_marketplace(metadata, &source))),
        (".agents/plugins/marketplace.json", text(codex_marketplace(metadata, &source))),
    ]
}

/// `mcp.json` of Agent Plugins.
pub fn portable_servers(servers: Map<String, Value>) -> String {
    text(json!({"$schema": SERVER_SCHEMA, "mcpServers": servers}))
}

/// `.mcp.json` of Claude Code.
pub fn claude_servers(servers: Map<String, Value>) -> String {
    text(json!({"mcpServers": servers}))
}

/// The hooks of Claude Code or Cursor by event. Cursor's file has a version.
pub fn hook_file(events: Map<String, Value>, for_cursor: bool) -> String {
    text(if for_cursor { json!({"version": 1, "hooks": events}) } else { json!({"hooks": events}) })
}

/// Agent Plugins 1.0.0, section 5, which permits no other keys.
fn portable(metadata: &Metadata, version: &Version) -> String {
    let mut manifest = Map::from_iter([("$schema".to_owned(), json!(PLUGIN_SCHEMA))]);
    manifest.append(&mut common(metadata, version, true));
    text(Value::Object(manifest))
}

/// Claude Code finds every component in its default folder.
fn claude(metadata: &Metadata, version: &Version) -> String {
    text(Value::Object(common(metadata, version, true)))
}

fn codex(metadata: &Metadata, components: Components, version: &Version) -> String {
    let mut manifest = common(metadata, version, true);
    let mut point = |is_used: bool, key: &str, path: &str| {
        if is_used {
            manifest.insert(key.to_owned(), json!(path));
        }
    };
    point(components.skills, "skills", "./skills/");
    // This file has no variables, which Codex would not expand.
    point(components.servers, "mcpServers", "./mcp.json");
    if components.claude_hooks {
        // Codex would otherwise read the file of Claude Code.
        manifest.insert("hooks".to_owned(), json!({}));
    }
    text(Value::Object(manifest))
}

fn cursor(metadata: &Metadata, components: Components, version: &Version) -> String {
    let mut manifest = common(metadata, version, false);
    let folder = |name: &str, is_used: bool| if is_used { json!(format!("./cursor/{name}/")) } else { json!([]) };
    for (name, for_claude, for_cursor) in [
        ("agents", components.claude_agents, components.cursor_agents),
        ("commands", components.claude_commands, components.cursor_commands),
    ] {
        if for_claude || for_cursor {
            manifest.insert(name.to_owned(), folder(name, for_cursor));
        }
    }
    match (components.claude_hooks, components.cursor_hooks) {
        (_, true) => drop(manifest.insert("hooks".to_owned(), json!("./cursor/hooks.json"))),
        (true, false) => drop(manifest.insert("hooks".to_owned(), json!({}))),
        (false, false) => {}
    }
    text(Value::Object(manifest))
}

/// The keys that all manifests have. Cursor's schema has no URL of an author.
fn common(metadata: &Metadata, version: &Version, with_author_url: bool) -> Map<String, Value> {
    let mut manifest =
        Map::from_iter([("name".to_owned(), json!(metadata.name)), ("version".to_owned(), json!(version.to_string()))]);
    let mut add = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            manifest.insert(key.to_owned(), value);
        }
    };
    add("description", metadata.description.as_ref().map(|text| json!(text)));
    add("author", metadata.author.as_ref().map(|author| person(author, with_author_url)));
    add("homepage", metadata.homepage.as_ref().map(|text| json!(text)));
    add("repository", metadata.repository.as_ref().map(|text| json!(text)));
    add("license", metadata.license.as_ref().map(|text| json!(text)));
    add("keywords", (!metadata.keywords.is_empty()).then(|| json!(metadata.keywords)));
    manifest
}

fn person(author: &PackAuthor, with_url: bool) -> Value {
    let mut person = Map::from_iter([("name".to_owned(), json!(author.name))]);
    for (key, value) in [("email", author.email.as_ref()), ("url", author.url.as_ref().filter(|_| with_url))] {
        if let Some(value) = value {
            person.insert(key.to_owned(), json!(value));
        }
    }
    Value::Object(person)
}

/// The marketplace of Claude Code, whose format Cursor shares. It needs an owner.
fn named_marketplace(metadata: &Metadata, source: &str) -> Value {
    let own = PackAuthor { name: metadata.name.clone(), email: None, url: None };
    let mut plugin = json!({"name": metadata.name, "source": source});
    let mut marketplace = json!({
        "name": metadata.name,
        "owner": person(metadata.author.as_ref().unwrap_or(&own), false),
    });
    if let Some(description) = &metadata.description {
        plugin["description"] = json!(description);
        marketplace["metadata"] = json!({"description": description});
    }
    marketplace["plugins"] = json!([plugin]);
    marketplace
}

/// The marketplace of Codex, 0.142 or later if the plugin is in the same folder.
fn codex_marketplace(metadata: &Metadata, source: &str) -> Value {
    json!({
        "name": metadata.name,
        "plugins": [{
            "name": metadata.name,
            "source": {"source": "local", "path": source},
            "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
            "category": "Developer Tools",
        }],
    })
}

fn text(value: Value) -> String {
    serde_json::to_string_pretty(&value).expect("a JSON value has a text") + "\n"
}
