//! The permissions in the settings of each tool. Those of the first tool are imported whole; the others can only add
//! restrictions, because a canon's permission applies to every tool.

use super::formats::{FormatError, parse_object, parse_toml, strings};
use super::permissions::Permissions;
use super::plan::ImportPlan;
use canonry_model::canon::permissions::{DefaultMode, PermissionSubject, Verdict};
use canonry_model::config::Target;
use canonry_text::RepoPath;
use serde_json::{Map, Value};
use toml_edit::Item;

/// The keys of `permissions` that Claude Code knows. Those besides the lists and the mode are about its sessions alone.
const CLAUDE_KEYS: [&str; 7] =
    ["allow", "ask", "deny", "defaultMode", "additionalDirectories", "disableBypassPermissionsMode", "disableAutoMode"];

const LISTS: [(&str, Verdict); 3] = [("allow", Verdict::Allow), ("ask", Verdict::Ask), ("deny", Verdict::Deny)];

/// A file with permissions.
struct PermissionFile {
    path: &'static str,
    tool: Target,
    read: fn(&str, &mut Permissions) -> Result<(), FormatError>,
}

/// The files with permissions, in order of precedence.
const FILES: [PermissionFile; 5] = [
    PermissionFile { path: ".claude/settings.json", tool: Target::CLAUDE, read: read_claude },
    PermissionFile { path: ".cursor/cli.json", tool: Target::CURSOR, read: read_cursor },
    PermissionFile { path: ".antigravity/settings.json", tool: Target::ANTIGRAVITY, read: read_antigravity },
    PermissionFile { path: ".gemini/settings.json", tool: Target::GEMINI, read: read_gemini },
    PermissionFile { path: ".codex/config.toml", tool: Target::CODEX, read: read_codex },
];

const CODEX_RULES: &str = ".codex/rules";

/// Imports the permissions.
pub(super) fn import(plan: &mut ImportPlan<'_>) {
    let mut found: Vec<(Permissions, Target, RepoPath)> = Vec::new();
    for file in FILES {
        let path = RepoPath::from(file.path);
        if !plan.source.has(file.path) {
            continue;
        }
        // Settings of Gemini and Codex that cannot be read are reported with their servers.
        let is_reported = matches!(file.tool, Target::GEMINI | Target::CODEX);
        let text = if is_reported { plan.source.text(&path).ok() } else { plan.read(&path) };
        let Some(text) = text else { continue };
        let mut permissions = Permissions::default();
        match (file.read)(&text, &mut permissions) {
            Ok(()) => found.extend((!permissions.is_empty()).then_some((permissions, file.tool, path))),
            Err(_) if is_reported => {}
            Err(error) => plan.skip_unreadable(&path, error.to_string()),
        }
    }
    import_codex_rules(plan, &mut found);
    let tools: Vec<Target> = found.iter().map(|(_, tool, _)| *tool).collect();
    let mut found = found.into_iter();
    let Some((mut all, _, from)) = found.next() else { return };
    for (other, tool, path) in found {
        all.merge(other, tool.title(), plan, &path);
    }
    all.finish(plan, &from);
    for tool in tools {
        plan.tools.add_switch(tool, "permissions");
    }
}

fn given(text: &str) -> Result<Map<String, Value>, FormatError> {
    Ok(match parse_object(text)?.shift_remove("permissions") {
        Some(Value::Object(given)) => given,
        _ => Map::new(),
    })
}

fn read_claude(text: &str, permissions: &mut Permissions) -> Result<(), FormatError> {
    let given = given(text)?;
    for (key, decision) in LISTS {
        strings(given.get(key)).iter().for_each(|entry| permissions.add_claude_entry(decision, entry));
    }
    // Claude Code ignores what it does not know, such as an older form by kind of tool.
    let is_unknown = |key: &&String| !CLAUDE_KEYS.contains(&key.as_str());
    given.keys().filter(is_unknown).for_each(|key| permissions.lose_setting(&format!("permissions.{key}")));
    if let Some(mode) = given.get("defaultMode").and_then(Value::as_str) {
        permissions.set_mode(DefaultMode::from_name(mode), &format!("defaultMode: {mode}"));
    }
    Ok(())
}

fn read_cursor(text: &str, permissions: &mut Permissions) -> Result<(), FormatError> {
    let given = given(text)?;
    for (key, decision) in LISTS {
        permissions.add_cursor_entries(decision, &strings(given.get(key)));
    }
    Ok(())
}

fn read_antigravity(text: &str, permissions: &mut Permissions) -> Result<(), FormatError> {
    let given = given(text)?;
    for (key, decision) in LISTS {
        permissions.add_antigravity_entries(decision, &strings(given.get(key)));
    }
    Ok(())
}

/// Gemini CLI names whole tools, and those of MCP servers as `mcp_SERVER_TOOL`.
fn read_gemini(text: &str, permissions: &mut Permissions) -> Result<(), FormatError> {
    let settings = parse_object(text)?;
    let section = |name: &str| settings.get(name).and_then(Value::as_object);
    let names = |key: &str| strings(section("tools").and_then(|tools| tools.get(key)));
    let servers: Vec<&String> = section("mcpServers").into_iter().flat_map(Map::keys).collect();
    let excluded = names("exclude");
    let edits = ["write_file", "replace"];
    let denies_edits = edits.iter().all(|tool| excluded.iter().any(|name| name == tool));
    for name in &excluded {
        match gemini_tool(name, &servers) {
            Some(subject) => permissions.add(Verdict::Deny, subject, name),
            None if denies_edits && edits.contains(&name.as_str()) => {
                permissions.add(Verdict::Deny, PermissionSubject::Edit("**".to_owned()), name);
            }
            None => permissions.lose(Verdict::Deny, &format!("tools.exclude: {name}")),
        }
    }
    // `core` and the servers that are allowed are all that there are.
    for (key, decision) in
        [("core", Verdict::Deny), ("allowed", Verdict::Allow), ("confirmationRequired", Verdict::Ask)]
    {
        names(key).iter().for_each(|name| permissions.lose(decision, &format!("tools.{key}: {name}")));
    }
    for key in ["allowed", "excluded"] {
        let servers = strings(section("mcp").and_then(|mcp| mcp.get(key)));
        servers.iter().for_each(|name| permissions.lose(Verdict::Deny, &format!("mcp.{key}: {name}")));
    }
    let mode = section("general").and_then(|general| general.get("defaultApprovalMode")).and_then(Value::as_str);
    if let Some(name) = mode {
        let mode = match name {
            "default" => Some(DefaultMode::Default),
            "plan" => Some(DefaultMode::Plan),
            _ => None,
        };
        permissions.set_mode(mode, &format!("general.defaultApprovalMode: {name}"));
    }
    Ok(())
}

/// A tool of one of these servers. Where the server's name ends is otherwise unknown.
fn gemini_tool(name: &str, servers: &[&String]) -> Option<PermissionSubject> {
    let rest = name.strip_prefix("mcp_")?;
    let (server, tool) =
        servers.iter().find_map(|server| Some((server, rest.strip_prefix(server.as_str())?.strip_prefix('_')?)))?;
    let tool = (tool != "*").then(|| tool.to_owned());
    Some(PermissionSubject::Mcp { server: (*server).clone(), tool })
}

/// Codex's approvals and its sandbox are one mode only together.
fn read_codex(text: &str, permissions: &mut Permissions) -> Result<(), FormatError> {
    let settings = parse_toml(text)?;
    let key = |name: &str| settings.get(name).and_then(Item::as_str);
    match (key("approval_policy"), key("sandbox_mode")) {
        (None, None) => {}
        (Some("on-request"), Some("read-only")) => permissions.set_mode(Some(DefaultMode::Default), ""),
        (approval, sandbox) => {
            let keys = [("approval_policy", approval), ("sandbox_mode", sandbox)];
            let keys = keys.into_iter().filter_map(|(name, value)| Some(format!("{name} = \"{}\"", value?)));
            permissions.lose_setting(&keys.collect::<Vec<_>>().join(", "));
        }
    }
    Ok(())
}

/// Codex's `prefix_rule`s are a small language; only rules in one line with plain words are read.
fn import_codex_rules(plan: &mut ImportPlan<'_>, found: &mut Vec<(Permissions, Target, RepoPath)>) {
    let paths: Vec<RepoPath> = plan.source.below(CODEX_RULES).map(|(path, _)| path).collect();
    for path in paths.into_iter().filter(|path| path.as_bstr().ends_with(b".rules")) {
        let Some(text) = plan.read(&path) else { continue };
        let mut permissions = Permissions::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match prefix_rule(line) {
                Some((decision, words)) => {
                    permissions.add(decision, PermissionSubject::Command(words), line);
                }
                None => match rule_decision(line) {
                    Some(decision) => permissions.lose(decision, line),
                    None => permissions.lose_setting(line),
                },
            }
        }
        found.extend((!permissions.is_empty()).then_some((permissions, Target::CODEX, path)));
    }
}

fn prefix_rule(line: &str) -> Option<(Verdict, Vec<String>)> {
    let inside = line.strip_prefix("prefix_rule(")?.strip_suffix(')')?;
    let (pattern, rest) = inside.strip_prefix("pattern")?.trim_start().strip_prefix('=')?.split_once(']')?;
    let words: Vec<String> = serde_json::from_str(&format!("{}]", pattern.trim())).ok()?;
    let decision = rest.trim_start_matches([',', ' ']).strip_prefix("decision")?.trim_start().strip_prefix('=')?;
    let decision = match decision.trim().trim_end_matches(',').trim_matches('"') {
        "allow" => Verdict::Allow,
        "prompt" => Verdict::Ask,
        "forbidden" => Verdict::Deny,
        _ => return None,
    };
    Some((decision, words))
}

/// The decision of a rule that is otherwise not understood. Codex allows if the rule does not say.
fn rule_decision(line: &str) -> Option<Verdict> {
    if !line.starts_with("prefix_rule(") {
        None
    } else if line.contains("\"forbidden\"") {
        Some(Verdict::Deny)
    } else if line.contains("\"prompt\"") {
        Some(Verdict::Ask)
    } else {
        Some(Verdict::Allow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codex_rules_are_read_if_they_are_plain() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        for (line, want) in [
            (
                r#"prefix_rule(pattern=["git", "push"], decision="prompt")"#,
                Some((Verdict::Ask, words(&["git", "push"]))),
            ),
            (r#"prefix_rule(pattern = ["rm"], decision = "forbidden",)"#, Some((Verdict::Deny, words(&["rm"])))),
            (r#"prefix_rule(pattern=["a", ["b", "c"]], decision="allow")"#, None),
            (r#"prefix_rule(pattern=["a"], decision="allow", match=["a"])"#, None),
            ("prefix_rule(", None),
        ] {
            assert_eq!(prefix_rule(line), want, "{line}");
        }
    }

    #[test]
    fn tools_of_gemini_belong_to_known_servers() {
        let a = "git_hub".to_owned();
        let b = "db".to_owned();
        let servers = [&a, &b];
        let mcp = |server: &str, tool: Option<&str>| {
            Some(PermissionSubject::Mcp { server: server.to_owned(), tool: tool.map(str::to_owned) })
        };
        assert_eq!(gemini_tool("mcp_git_hub_merge_pr", &servers), mcp("git_hub", Some("merge_pr")));
        assert_eq!(gemini_tool("mcp_db_*", &servers), mcp("db", None));
        assert_eq!(gemini_tool("mcp_other_x", &servers), None);
        assert_eq!(gemini_tool("run_shell_command", &servers), None);
    }
}
