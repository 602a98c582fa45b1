//! Servers of the Model Context Protocol, in each tool's own file and words.

mod codex;
mod server;
mod variables;

use super::desired::{DesiredPart, DesiredToolFiles, PartContent};
use super::request::ToolFileRequest;
use crate::syntax::RepoPath;
use serde_json::{Map, Value, json};
use server::{Link, Server};
use variables::Variables;

/// A tool whose servers stand in JSON.
struct Tool {
    name: &'static str,
    file: &'static str,
    variables: Variables,
    /// What it calls the address of a server: of one that streams over HTTP, and of one that sends events.
    address: [&'static str; 2],
    /// Whether it wants the kind of an address said.
    says_type: bool,
}

const CLAUDE: Tool = Tool {
    name: "Claude Code",
    file: ".mcp.json",
    variables: Variables::Shell,
    address: ["url", "url"],
    says_type: true,
};
const GEMINI: Tool = Tool {
    name: "Gemini CLI",
    file: ".gemini/settings.json",
    variables: Variables::ShellPlain,
    address: ["httpUrl", "url"],
    says_type: false,
};
const CURSOR: Tool = Tool {
    name: "Cursor",
    file: ".cursor/mcp.json",
    variables: Variables::Env,
    address: ["url", "url"],
    says_type: false,
};
const ANTIGRAVITY: Tool = Tool {
    name: "Antigravity",
    file: ".agents/mcp_config.json",
    variables: Variables::None,
    address: ["serverUrl", "serverUrl"],
    says_type: false,
};
const CODEX_FILE: &str = ".codex/config.toml";

/// Adds what is switched on.
pub(super) fn add(wish: &ToolFileRequest<'_>, wanted: &mut DesiredToolFiles) {
    let files = wish.files;
    let tools: Vec<&Tool> = [
        (files.claude.mcp, &CLAUDE),
        (files.gemini.mcp, &GEMINI),
        (files.cursor.mcp, &CURSOR),
        (files.antigravity.mcp, &ANTIGRAVITY),
    ]
    .into_iter()
    .filter(|(on, _)| *on)
    .map(|(_, tool)| tool)
    .collect();
    let canon = wish.layout.mcp();
    let Some(text) = wish.sources.get(&canon) else { return };
    let freeze = |wanted: &mut DesiredToolFiles| {
        wanted.frozen.extend(tools.iter().map(|tool| RepoPath::from(tool.file)));
        wanted.frozen.extend(files.codex.mcp.then(|| RepoPath::from(CODEX_FILE)));
    };
    if tools.is_empty() && !files.codex.mcp {
        return;
    }
    let servers = match text.map_err(str::to_owned).and_then(server::read) {
        Ok(servers) => servers,
        Err(why) => {
            wanted.problem(&canon, why);
            return freeze(wanted);
        }
    };
    for server in servers {
        match server {
            Err(why) => {
                wanted.problem(&canon, why);
                freeze(wanted);
            }
            Ok(server) => {
                tools.iter().for_each(|tool| tool.add(&server, &canon, wanted));
                if files.codex.mcp {
                    add_to_codex(&server, &canon, wanted);
                }
            }
        }
    }
}

fn add_to_codex(server: &Server, canon: &RepoPath, wanted: &mut DesiredToolFiles) {
    match codex::table(server) {
        Ok(text) => {
            let path = vec!["mcp_servers".to_owned(), server.name.clone()];
            let place = PartContent::Table { path, text };
            wanted.parts.push(DesiredPart { file: RepoPath::from(CODEX_FILE), canon: canon.clone(), place });
        }
        Err(why) => wanted.problem(canon, format!("`{}` is not written for Codex CLI: {why}", server.name)),
    }
}

impl Tool {
    fn add(&self, server: &Server, canon: &RepoPath, wanted: &mut DesiredToolFiles) {
        match self.value(server) {
            Ok(value) => wanted.key(self.file, &["mcpServers", &server.name], value, canon),
            Err(why) => wanted.problem(canon, format!("`{}` is not written for {}: {why}", server.name, self.name)),
        }
    }

    fn value(&self, server: &Server) -> Result<Value, String> {
        let text = |text: &String| self.variables.spell(text);
        let pairs = |pairs: &[(String, String)]| -> Result<Value, String> {
            let spelt = pairs.iter().map(|(name, value)| Ok((name.clone(), Value::String(text(value)?))));
            Ok(Value::Object(spelt.collect::<Result<Map<String, Value>, String>>()?))
        };
        let mut value = Map::new();
        match &server.link {
            Link::Program { command, args, env } => {
                value.insert("command".to_owned(), json!(text(command)?));
                if !args.is_empty() {
                    value.insert("args".to_owned(), json!(args.iter().map(text).collect::<Result<Vec<_>, _>>()?));
                }
                if !env.is_empty() {
                    value.insert("env".to_owned(), pairs(env)?);
                }
            }
            Link::Remote { url, events, headers } => {
                if self.says_type {
                    value.insert("type".to_owned(), json!(if *events { "sse" } else { "http" }));
                }
                value.insert(self.address[usize::from(*events)].to_owned(), json!(text(url)?));
                if !headers.is_empty() {
                    value.insert("headers".to_owned(), pairs(headers)?);
                }
            }
        }
        Ok(Value::Object(value))
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
