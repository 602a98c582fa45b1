//! Restrictions that the settings of a tool cannot express. canonry's hook enforces them; without it, they are reported.

use super::desired::DesiredToolFiles;
use super::mcp::server_names;
use super::permission_entries::gemini_exclusions;
use super::request::ToolFileRequest;
use crate::canon::permissions::{Decision, PermissionSubject};
use crate::config::{PermissionGrammar, ToolRow};
use std::collections::{BTreeMap, BTreeSet};

/// Reports the restrictions that a tool does not get, once for each kind.
pub(super) fn report(
    tool: &ToolRow,
    grammar: PermissionGrammar,
    decisions: &[(Decision, PermissionSubject)],
    request: &ToolFileRequest<'_>,
    desired: &mut DesiredToolFiles,
) {
    let servers = if grammar == PermissionGrammar::Codex { server_names(request, tool.id) } else { BTreeSet::new() };
    let mut lost: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (decision, subject) in decisions.iter().filter(|(decision, _)| *decision != Decision::Allow) {
        let Some((kind, what)) = described(subject) else { continue };
        if !is_expressed(grammar, *decision, subject, &servers) {
            let verb = if *decision == Decision::Deny { "deny" } else { "ask before" };
            lost.entry(kind).or_default().push(format!("{verb} {what}"));
        }
    }
    for (kind, entries) in lost {
        let message = format!(
            "{} has no setting for \"{}\": switch on `files.{}.hooks`, whose hook enforces it",
            tool.name,
            entries.join("\", \""),
            tool.id
        );
        desired.add_omission(&request.layout.permissions(), format!("{}/permissions/{kind}", tool.id), message);
    }
}

fn described(subject: &PermissionSubject) -> Option<(&'static str, String)> {
    match subject {
        PermissionSubject::Edit(pattern) => Some(("edits", format!("editing {pattern}"))),
        PermissionSubject::Read(pattern) => Some(("reads", format!("reading {pattern}"))),
        PermissionSubject::Mcp { server, tool } => {
            Some(("mcp", format!("the MCP tool {server}/{}", tool.as_deref().unwrap_or("*"))))
        }
        PermissionSubject::Domain(host) => Some(("hosts", format!("fetching from {host}"))),
        // Every tool has commands; no tool has a setting for the rest, which is said to work through the hook alone.
        PermissionSubject::Command(_)
        | PermissionSubject::Flag(_)
        | PermissionSubject::Push(_)
        | PermissionSubject::Action(_) => None,
    }
}

fn is_expressed(
    grammar: PermissionGrammar,
    decision: Decision,
    subject: &PermissionSubject,
    servers: &BTreeSet<String>,
) -> bool {
    match (grammar, subject) {
        (PermissionGrammar::Gemini, _) => !gemini_exclusions(decision, subject).is_empty(),
        (PermissionGrammar::Codex, PermissionSubject::Mcp { server, .. }) => servers.contains(server),
        (PermissionGrammar::Codex, _) => false,
        (PermissionGrammar::Antigravity, PermissionSubject::Edit(_)) => false,
        _ => true,
    }
}
