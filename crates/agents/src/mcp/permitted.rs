//! The team's permissions for MCP tools as options of servers, for a tool that has them there.

use super::server::McpServer;
use crate::request::ToolFileRequest;
use canonry_model::canon::permissions::{PermissionSubject, Verdict};

/// The servers of Codex, without what the permissions deny.
pub(super) fn servers(servers: Vec<McpServer>, request: &ToolFileRequest<'_>) -> Vec<McpServer> {
    let page = request.sources.get(&request.layout.permissions()).and_then(Result::ok);
    let Some(page) = page.filter(|_| request.files.tool("codex").permissions) else { return servers };
    let all = request.sources.decisions(page);
    servers.into_iter().filter_map(|server| permitted(server, &all)).collect()
}

/// The server with its permissions; `None` if the agent does not get it.
fn permitted(mut server: McpServer, all: &[(Verdict, PermissionSubject)]) -> Option<McpServer> {
    let own: Vec<(Verdict, Option<&str>)> = all
        .iter()
        .filter_map(|(decision, subject)| match subject {
            PermissionSubject::Mcp { server: name, tool } if *name == server.name => Some((*decision, tool.as_deref())),
            _ => None,
        })
        .collect();
    if own.contains(&(Verdict::Deny, None)) {
        return None;
    }
    let options = &mut server.options;
    for (decision, tool) in &own {
        let list = match (decision, tool) {
            (Verdict::Deny, Some(_)) => &mut options.exclude_tools,
            (Verdict::Ask, Some(_)) => &mut options.ask_tools,
            (Verdict::Allow, Some(_)) => &mut options.always_allow,
            _ => continue,
        };
        list.extend(tool.map(str::to_owned).filter(|tool| !list.contains(tool)).into_iter().collect::<Vec<_>>());
    }
    options.default_decision = own.iter().filter(|(_, tool)| tool.is_none()).map(|(decision, _)| *decision).max();
    // The stricter entry wins, also over one for a single tool.
    if options.default_decision == Some(Verdict::Ask) {
        options.always_allow.clear();
    }
    let asks = options.ask_tools.clone();
    let denies = options.exclude_tools.clone();
    options.always_allow.retain(|tool| !asks.contains(tool) && !denies.contains(tool));
    Some(server)
}
