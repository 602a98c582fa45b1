//! See `permission_server_unknown.md`.

use crate::repo_facts::{RepoFacts, ServerTools};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::permissions::{PermissionSubject, items};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "permission-server-unknown",
    summary: "permission for an unknown MCP server or tool",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("permission_server_unknown.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    let Some(context) = repo.permission_servers.as_ref() else { return };
    let known: Vec<String> = context.servers.iter().map(|server| format!("`{}`", server.name)).collect();
    for item in items(context.page.text()) {
        for entry in &item.entries {
            let PermissionSubject::Mcp { server, tool } = &entry.subject else { continue };
            let message = match context.servers.iter().find(|known| known.name == *server) {
                None => format!("no MCP server is called `{server}` in agent/mcp.json"),
                Some(own) => match tool.as_deref().filter(|tool| !has_tool(own, tool)) {
                    Some(tool) => {
                        format!("agents do not get the tool `{tool}` of `{server}`: agent/mcp.json excludes it")
                    }
                    None => continue,
                },
            };
            let finding = RULE.at(Location::at(&context.page, item.span), message);
            findings.push(finding.help(format!("known servers: {}", known.join(", "))));
        }
    }
}

fn has_tool(server: &ServerTools, tool: &str) -> bool {
    let is_listed = |list: &[String]| list.iter().any(|own| own == tool);
    server.included.as_deref().is_none_or(is_listed) && !is_listed(&server.excluded)
}
