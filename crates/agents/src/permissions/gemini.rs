//! Permissions of Gemini CLI: tools that the model does not get, and rules for commands in a file of their own.

use super::entry::{EntryMeaning, ToolPermissions};
use canonry_model::canon::permissions::{PermissionSubject, Verdict};
use serde_json::{Map, Value};

/// Its tools that change files.
const EDITS: [&str; 2] = ["replace", "write_file"];

/// The tools that Gemini CLI does not offer to the model. It has no form for a question, or for some files.
pub(super) fn exclusions(decision: Verdict, subject: &PermissionSubject) -> Vec<String> {
    match subject {
        _ if decision != Verdict::Deny => Vec::new(),
        PermissionSubject::Mcp { server, tool } => vec![format!("mcp_{server}_{}", tool.as_deref().unwrap_or("*"))],
        PermissionSubject::Edit(pattern) if pattern == "**" => EDITS.map(str::to_owned).to_vec(),
        _ => Vec::new(),
    }
}

/// The rule with the highest priority wins, so the strictest decision gets the highest.
pub(super) fn decision_word(decision: Verdict) -> (&'static str, u32) {
    match decision {
        Verdict::Allow => ("allow", 100),
        Verdict::Ask | Verdict::Unlisted => ("ask_user", 200),
        Verdict::Deny => ("deny", 300),
    }
}

/// Only commands: Gemini's patterns for the arguments of other tools are regular expressions over JSON.
pub(super) fn policy(decisions: &[(Verdict, PermissionSubject)]) -> String {
    let rule = |(decision, subject): &(Verdict, PermissionSubject)| {
        let PermissionSubject::Command(words) = subject else { return None };
        let (word, priority) = decision_word(*decision);
        let prefix = toml_edit::Value::from(words.join(" "));
        let prefix = prefix.to_string();
        Some(format!(
            "\n[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = {}\ndecision = \"{word}\"\npriority = {priority}\n",
            prefix.trim()
        ))
    };
    decisions.iter().filter_map(rule).collect()
}

/// The names of whole tools in its settings, and those of MCP servers as `mcp_SERVER_TOOL`.
pub(super) fn parse(settings: &Value) -> ToolPermissions {
    let mut found = ToolPermissions::default();
    let names = |section: &str, key: &str| {
        let names = settings.get(section).and_then(|section| section.get(key)?.as_array());
        names.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<String>>()
    };
    let servers: Vec<&String> =
        settings.get("mcpServers").and_then(Value::as_object).into_iter().flat_map(Map::keys).collect();
    let excluded = names("tools", "exclude");
    let denies_edits = EDITS.iter().all(|tool| excluded.iter().any(|name| name == tool));
    for name in &excluded {
        let edit = || {
            let is_edit = denies_edits && EDITS.contains(&name.as_str());
            is_edit.then(|| PermissionSubject::Edit("**".to_owned()))
        };
        match server_tool(name, &servers).or_else(edit) {
            Some(subject) => found.add(Verdict::Deny, Some(EntryMeaning::Subject(subject)), name),
            None => found.add(Verdict::Deny, None, &format!("tools.exclude: {name}")),
        }
    }
    // These lists are all that there is.
    for (section, key) in [("tools", "core"), ("mcp", "allowed")] {
        let names = names(section, key);
        if !names.is_empty() {
            found.add(Verdict::Deny, None, &format!("all but {section}.{key}: {}", names.join(", ")));
        }
    }
    for (section, key, decision) in [
        ("tools", "allowed", Verdict::Allow),
        ("tools", "confirmationRequired", Verdict::Ask),
        ("mcp", "excluded", Verdict::Deny),
    ] {
        names(section, key).iter().for_each(|name| found.add(decision, None, &format!("{section}.{key}: {name}")));
    }
    found
}

/// A tool of one of these servers. Where the server's name ends is otherwise unknown.
fn server_tool(name: &str, servers: &[&String]) -> Option<PermissionSubject> {
    let rest = name.strip_prefix("mcp_")?;
    let (server, tool) =
        servers.iter().find_map(|server| Some((server, rest.strip_prefix(server.as_str())?.strip_prefix('_')?)))?;
    let tool = (tool != "*").then(|| tool.to_owned());
    Some(PermissionSubject::Mcp { server: (*server).clone(), tool })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_of_gemini_belong_to_known_servers() {
        let a = "git_hub".to_owned();
        let b = "db".to_owned();
        let servers = [&a, &b];
        let mcp = |server: &str, tool: Option<&str>| {
            Some(PermissionSubject::Mcp { server: server.to_owned(), tool: tool.map(str::to_owned) })
        };
        assert_eq!(server_tool("mcp_git_hub_merge_pr", &servers), mcp("git_hub", Some("merge_pr")));
        assert_eq!(server_tool("mcp_db_*", &servers), mcp("db", None));
        assert_eq!(server_tool("mcp_other_x", &servers), None);
        assert_eq!(server_tool("run_shell_command", &servers), None);
    }
}
