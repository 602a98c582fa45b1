//! MCP servers of several files, merged into the canon's.

use super::formats;
use super::plan::{ImportPlan, PlannedFile, PlannedItem};
use super::result::ImportRefusal;
use super::secrets::SecretVariables;
use super::server::normalize;
use canonry_agents::mcp::McpServer;
use canonry_model::config::TOOLS;
use canonry_model::edit::EditContent;
use canonry_text::RepoPath;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Collects servers from several files. Of two servers with the same name and audience, the first wins.
#[derive(Default)]
pub(super) struct Servers {
    all: Vec<ImportedServer>,
    /// The tools whose files were added, by [`Self::add_tool`].
    tools: Vec<&'static str>,
    /// The files with servers, by [`Self::add_tool`]. Each may be equal to one of another file.
    files: BTreeSet<RepoPath>,
    /// Differences from the sources that no single server has.
    changes: Vec<String>,
    variables: SecretVariables,
    /// Whether the source itself ignores all but the first server with a name.
    source_ignores_duplicates: bool,
}

struct ImportedServer {
    name: String,
    /// The id of the only tool that gets it; `None` for all tools.
    tool: Option<&'static str>,
    /// The server; null if the tool does not get the shared one.
    value: Value,
    file: RepoPath,
    /// Differences from the source, one sentence each.
    changes: Vec<String>,
}

impl ImportedServer {
    fn described(&self) -> String {
        described(&self.name, self.tool)
    }
}

fn described(name: &str, tool: Option<&str>) -> String {
    match tool {
        Some(tool) => format!("server `{name}` for {tool}"),
        None => format!("server `{name}`"),
    }
}

impl Servers {
    /// For a source that itself ignores all but the first server with a name.
    pub fn ignoring_duplicates() -> Self {
        Self { source_ignores_duplicates: true, ..Self::default() }
    }

    /// Adds the servers of a file with `mcpServers`. Returns whether the file has that key.
    pub fn add_file(&mut self, plan: &mut ImportPlan<'_>, from: &RepoPath) -> bool {
        let Some(object) = plan.read_as(from, formats::parse_object) else { return false };
        match object.get("mcpServers") {
            Some(Value::Object(servers)) => {
                servers.iter().for_each(|(name, value)| self.add(plan, from, name, value));
                return true;
            }
            Some(_) => plan.skip_unreadable(from, "`mcpServers` is not an object"),
            None => {}
        }
        false
    }

    /// Adds a server for all tools.
    pub fn add(&mut self, plan: &mut ImportPlan<'_>, from: &RepoPath, name: &str, value: &Value) {
        self.add_for(plan, from, None, name, value);
    }

    /// Adds a server for one tool, which replaces the shared one. Null removes the shared one for the tool.
    pub fn add_for(
        &mut self,
        plan: &mut ImportPlan<'_>,
        from: &RepoPath,
        tool: Option<&'static str>,
        name: &str,
        value: &Value,
    ) {
        let mut changes = Vec::new();
        let shown = described(name, tool);
        let value = match (tool, value) {
            (Some(_), Value::Null) => Value::Null,
            _ => match normalize(name, value, &mut self.variables, &mut changes) {
                Ok(server) => server,
                Err(error) => return plan.skip(from, format!("{shown}: {error}"), error.advice()),
            },
        };
        match self.all.iter().find(|server| server.name == name && server.tool == tool) {
            Some(existing) if existing.value == value => {}
            Some(existing) if self.source_ignores_duplicates => {
                plan.skip(from, format!("{shown}: the one in {} takes precedence", existing.file), "");
            }
            Some(existing) => {
                refuse(plan, from, format!("{shown} differs from the one in {}, which was imported", existing.file));
            }
            None => self.all.push(ImportedServer { name: name.to_owned(), tool, value, file: from.clone(), changes }),
        }
    }

    /// Adds the servers of a tool's own file.
    pub fn add_tool(
        &mut self,
        plan: &mut ImportPlan<'_>,
        from: &RepoPath,
        tool: &'static str,
        servers: &Map<String, Value>,
    ) {
        self.tools.push(tool);
        self.files.extend((!servers.is_empty()).then(|| from.clone()));
        servers.iter().for_each(|(name, value)| self.add_for(plan, from, Some(tool), name, value));
    }

    /// Shares the first server with a name. A tool whose file has another one keeps that, and a tool without one does not get
    /// it: what runs for a tool is for the user to decide.
    pub fn share(&mut self) {
        let mut names: Vec<String> = Vec::new();
        for server in &self.all {
            if !names.contains(&server.name) {
                names.push(server.name.clone());
            }
        }
        for name in names {
            let (same, others) = std::mem::take(&mut self.all).into_iter().partition(|server| server.name == name);
            self.all = others;
            self.share_same(&name, same);
        }
    }

    fn share_same(&mut self, name: &str, same: Vec<ImportedServer>) {
        let has = |tool: &&str| same.iter().any(|server| server.tool == Some(*tool));
        let without: Vec<&'static str> = self.tools.iter().copied().filter(|tool| !has(tool)).collect();
        let mut same = same.into_iter();
        let Some(mut shared) = same.next() else { return };
        shared.tool = None;
        let (equal, own): (Vec<ImportedServer>, Vec<ImportedServer>) =
            same.partition(|server| server.value == shared.value);
        let lost = equal.iter().flat_map(|server| {
            server.changes.iter().map(|change| format!("server `{name}` of {}: {change}", server.file))
        });
        self.changes.extend(lost);
        if !own.is_empty() {
            let tools: Vec<&str> = own.iter().filter_map(|server| server.tool).collect();
            self.changes.push(format!("server `{name}` differs for {}, which keeps its own", tools.join(", ")));
        }
        if !without.is_empty() {
            let tools = without.join(", ");
            self.changes.push(format!("server `{name}` is not for {tools}, as before: to share it, remove the `null`"));
        }
        let absent = without.into_iter().map(|tool| ImportedServer {
            name: name.to_owned(),
            tool: Some(tool),
            value: Value::Null,
            file: shared.file.clone(),
            changes: Vec::new(),
        });
        let absent: Vec<ImportedServer> = absent.collect();
        self.all.push(shared);
        self.all.extend(own);
        self.all.extend(absent);
    }

    /// Adds the canon's server file to the plan.
    pub fn finish(mut self, plan: &mut ImportPlan<'_>) {
        let to = plan.source.layout.mcp();
        let existing = plan.source.canon.get(&to).copied();
        if existing.is_some() {
            self.refuse_unlike_existing(plan, &to);
        }
        let Some(from) = self.all.first().map(|server| server.file.clone()) else { return };
        let text = serde_json::to_string_pretty(&self.document()).expect("a JSON value has a text") + "\n";
        let file = match existing {
            Some(state) => Some(PlannedFile { path: to.clone(), content: EditContent::Bytes(Vec::new()), state }),
            None => plan.text_file(text, to.clone()),
        };
        let of_servers = |server: &ImportedServer| {
            let described = server.described();
            server.changes.iter().map(|change| format!("{described}: {change}")).collect::<Vec<_>>()
        };
        let mut changes: Vec<String> = self.all.iter().flat_map(of_servers).chain(self.changes).collect();
        self.files.extend(self.all.iter().map(|server| server.file.clone()));
        let others: Vec<&RepoPath> = self.files.iter().filter(|file| **file != from).collect();
        if !others.is_empty() {
            let others: Vec<String> = others.into_iter().map(ToString::to_string).collect();
            changes.push(format!("merged with the servers of {}", others.join(", ")));
        }
        plan.items.push(PlannedItem { files: file.into_iter().collect(), changes, ..PlannedItem::new(from, to) });
    }

    /// The canon's server file: the shared servers, then a section for each tool with its own.
    fn document(&self) -> Value {
        let servers = |tool: Option<&str>| -> Map<String, Value> {
            let all = self.all.iter().filter(|server| server.tool == tool);
            all.map(|server| (server.name.clone(), server.value.clone())).collect()
        };
        let mut document = Map::new();
        document.insert("mcpServers".to_owned(), Value::Object(servers(None)));
        for tool in TOOLS.iter().map(|row| row.id) {
            let own = servers(Some(tool));
            if !own.is_empty() {
                let section = Map::from_iter([("mcpServers".to_owned(), Value::Object(own))]);
                document.insert(tool.to_owned(), Value::Object(section));
            }
        }
        Value::Object(document)
    }

    /// Keeps the servers that the canon's file already contains, and refuses the others: users edit that file.
    fn refuse_unlike_existing(&mut self, plan: &mut ImportPlan<'_>, path: &RepoPath) {
        let text = plan.source.text(path).map_err(|error| error.to_string());
        let document = match text.and_then(|text| formats::parse_object(&text).map_err(|error| error.to_string())) {
            Ok(document) => document,
            Err(error) => {
                for server in std::mem::take(&mut self.all) {
                    refuse(plan, &server.file, format!("{path} cannot be read: {error}"));
                }
                return;
            }
        };
        let section = |tool: Option<&str>| match tool {
            None => document.get("mcpServers").and_then(Value::as_object),
            Some(tool) => document.get(tool)?.get("mcpServers")?.as_object(),
        };
        for server in std::mem::take(&mut self.all) {
            let name = &server.name;
            let shared = || section(None)?.get(name).filter(|shared| is_same(shared, &server.value));
            match section(server.tool).and_then(|existing| existing.get(name)).or_else(shared) {
                Some(existing) if is_same(existing, &server.value) => self.all.push(server),
                Some(_) => refuse(plan, &server.file, format!("{path} has a different server `{name}`")),
                None if server.value.is_null() => {}
                None => {
                    refuse(plan, &server.file, format!("{path} exists without a server `{name}`: add it by hand"));
                }
            }
        }
    }
}

/// Whether a server of the canon means the same as an imported one, which has the form that canonry writes.
fn is_same(existing: &Value, imported: &Value) -> bool {
    let rendered = |server: &Value| Some(McpServer::parse("server", server).ok()?.render_canon().ok()?.value);
    existing == imported || rendered(existing).is_some_and(|existing| existing == *imported)
}

fn refuse(plan: &mut ImportPlan<'_>, from: &RepoPath, reason: String) {
    let to = plan.source.layout.mcp();
    plan.refused.push(ImportRefusal { from: from.clone(), to, reason });
}
