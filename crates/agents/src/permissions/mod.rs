//! Permissions in the format of each tool, parsed and rendered. If a tool cannot ask, the permission becomes a denial.

mod antigravity;
mod claude;
mod codex;
mod cursor;
mod entry;
mod gemini;
mod losses;
mod mode;
mod opencode;
#[cfg(test)]
mod property_tests;

use super::desired::DesiredToolFiles;
use super::executable::Executable;
use super::mcp::server_names;
use super::request::ToolFileRequest;
use canonry_model::canon::permissions::{DefaultMode, PermissionSubject, Verdict, default_mode, names_hosts};
use canonry_model::config::{PermissionGrammar, PermissionRow, ToolFilesConfig, ToolRow};
use canonry_text::RepoPath;
pub use claude::parse as parse_claude_entry;
pub(crate) use claude::{entry_includes as claude_entry_includes, render_path as claude_path};
pub use codex::parse_rules as parse_codex_rules;
use entry::without_folder_entries;
pub use entry::{EntryMeaning, ModeSetting, ToolEntry, ToolPermissions};
use mode::{ToolMode, parse_mode, tool_mode};
use opencode::{OpenCodeBase, opencode_rules};
use serde_json::{Map, Value, json};

type Decisions = [(Verdict, PermissionSubject)];

/// The lists of permissions in most settings.
const LISTS: [(&str, Verdict); 3] = [("allow", Verdict::Allow), ("ask", Verdict::Ask), ("deny", Verdict::Deny)];

/// Parses the settings of a tool.
pub fn parse(grammar: PermissionGrammar, settings: &Value) -> ToolPermissions {
    let mut found = match grammar {
        PermissionGrammar::Claude => claude::parse_settings(settings),
        PermissionGrammar::Cursor => parse_lists(settings, cursor::parse),
        PermissionGrammar::Antigravity => parse_lists(settings, antigravity::parse),
        PermissionGrammar::Gemini => gemini::parse(settings),
        PermissionGrammar::OpenCode => opencode::parse(settings),
        // Its rules are in files of their own.
        PermissionGrammar::Codex => ToolPermissions::default(),
    };
    found.mode = parse_mode(grammar, settings).or(found.mode);
    found
}

/// The keys of a tool's settings that [`parse`] reads, or that an import names otherwise.
pub fn setting_keys(grammar: PermissionGrammar) -> &'static [&'static str] {
    match grammar {
        PermissionGrammar::Claude | PermissionGrammar::Cursor | PermissionGrammar::Antigravity => &["permissions"],
        PermissionGrammar::Gemini => &["tools", "mcp", "general"],
        PermissionGrammar::Codex => &["approval_policy", "sandbox_mode"],
        PermissionGrammar::OpenCode => &["permission", "permissions"],
    }
}

fn parse_lists(settings: &Value, parse: fn(&str) -> Option<EntryMeaning>) -> ToolPermissions {
    let mut found = ToolPermissions::default();
    for (key, decision) in LISTS {
        let list = entry::listed(settings, key);
        without_folder_entries(&list).for_each(|entry| found.add(decision, parse(entry), entry));
    }
    found
}

/// A tool with permissions, as its row says.
#[derive(Clone, Copy, Debug)]
struct PermissionTool {
    row: &'static ToolRow,
    permissions: &'static PermissionRow,
}

/// The tools that get permissions.
fn permission_tools(files: &ToolFilesConfig) -> Vec<PermissionTool> {
    files.permission_tools().into_iter().map(|(row, permissions)| PermissionTool { row, permissions }).collect()
}

/// Adds the configured permission files.
pub(super) fn add(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let canon = request.layout.permissions();
    let Some(text) = request.sources.get(&canon) else { return };
    let tools = permission_tools(request.files);
    let lists_hosts = text.is_ok_and(names_hosts);
    let read = text.map_err(ToString::to_string).and_then(|text| match default_mode(text) {
        None => Ok((request.sources.decisions(text), None)),
        Some(setting) => match setting.mode {
            Ok(mode) if request.sources.withholds(&Executable::Mode(mode)) => {
                Ok((request.sources.decisions(text), None))
            }
            Ok(mode) => Ok((request.sources.decisions(text), Some(mode))),
            Err(name) => Err(format!("unknown `defaultMode`: `{name}`")),
        },
    });
    let (decisions, mode) = match read {
        Ok(read) => read,
        Err(message) => {
            let files =
                tools.iter().flat_map(|tool| std::iter::once(tool.permissions.path).chain(tool.permissions.commands));
            desired.frozen.extend(files.map(RepoPath::from));
            return desired.add_problem(&canon, message);
        }
    };
    for tool in tools {
        tool.add(&decisions, &canon, desired);
        if tool.permissions.grammar == PermissionGrammar::OpenCode {
            let servers = server_names(request, tool.row.id);
            let base = OpenCodeBase { mode, servers: &servers, lists_hosts };
            tool.add_rules(opencode::rules(&decisions, &base), &canon, desired);
        }
        if let Some(mode) = mode {
            tool.add_mode(mode, &canon, desired);
        }
        // canonry's hook enforces what the settings cannot express.
        if !request.files.tool(tool.row.id).hooks {
            losses::report(tool.row, tool.permissions.grammar, &decisions, request, desired);
        }
    }
}

impl PermissionTool {
    fn add(&self, decisions: &Decisions, canon: &RepoPath, desired: &mut DesiredToolFiles) {
        for (decision, subject) in decisions {
            for (list, entry) in self.entries(*decision, subject) {
                desired.add_item(self.permissions.path, &list, json!(entry), canon);
            }
        }
        let lines = match self.permissions.grammar {
            PermissionGrammar::Gemini => gemini::policy(decisions),
            PermissionGrammar::Codex => codex::rules(decisions),
            PermissionGrammar::Claude
            | PermissionGrammar::Cursor
            | PermissionGrammar::Antigravity
            | PermissionGrammar::OpenCode => String::new(),
        };
        if let Some(file) = self.permissions.commands.filter(|_| !lines.is_empty()) {
            let head = format!("# Generated by canonry from {canon}; edit that file and run `canonry sync`.\n");
            desired.add_generated(file, Some(head + &lines), canon);
        }
    }

    /// The entries of the settings, with the path of their list.
    fn entries(&self, decision: Verdict, subject: &PermissionSubject) -> Vec<([&'static str; 2], String)> {
        let (list, entries) = match self.permissions.grammar {
            PermissionGrammar::Claude => (["permissions", decision.as_str()], claude::entries(decision, subject)),
            PermissionGrammar::Cursor => (["permissions", cursor::list(decision)], cursor::entries(subject)),
            PermissionGrammar::Antigravity => (["permissions", decision.as_str()], antigravity::entries(subject)),
            PermissionGrammar::Gemini => (["tools", "exclude"], gemini::exclusions(decision, subject)),
            PermissionGrammar::Codex | PermissionGrammar::OpenCode => return Vec::new(),
        };
        entries.into_iter().map(|entry| (list, entry)).collect()
    }

    /// Adds rules whose order decides, so that they are one part as a whole.
    fn add_rules(&self, rules: Map<String, Value>, canon: &RepoPath, desired: &mut DesiredToolFiles) {
        if !rules.is_empty() {
            desired.add_key(self.permissions.path, &["permission"], Value::Object(rules), canon);
        }
    }

    fn add_mode(&self, mode: DefaultMode, canon: &RepoPath, desired: &mut DesiredToolFiles) {
        match tool_mode(self.permissions.grammar, mode) {
            ToolMode::Keys(keys) => {
                keys.into_iter()
                    .for_each(|(path, value)| desired.add_key(self.permissions.path, path, json!(value), canon));
            }
            ToolMode::Implied => {}
            ToolMode::Unsupported(reason) => {
                let message = format!("`defaultMode: {}` is not written for {}: {reason}", mode.name(), self.row.name);
                desired.add_omission(canon, format!("{}/permissions/mode", self.row.id), message);
            }
        }
    }
}

/// A permission as the settings of a tool express it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeRule {
    /// The tool, as in the config.
    pub tool: &'static str,
    /// The list or the decision, and the rule.
    pub text: String,
}

/// Rules that sync writes for a permission, for the tools whose permissions are on.
pub fn native_rules(files: &ToolFilesConfig, decision: Verdict, subject: &PermissionSubject) -> Vec<NativeRule> {
    let mut found = Vec::new();
    for tool in permission_tools(files) {
        let own = tool.entries(decision, subject).into_iter().map(|([_, list], entry)| format!("{list} {entry}"));
        let command = match (tool.permissions.grammar, subject) {
            (PermissionGrammar::Gemini, PermissionSubject::Command(words)) => {
                Some((gemini::decision_word(decision).0, words))
            }
            (PermissionGrammar::Codex, PermissionSubject::Command(words)) => {
                codex::decision_word(decision).map(|word| (word, words))
            }
            _ => None,
        };
        let command = command.map(|(word, words)| format!("{word} {}", words.join(" ")));
        let listed = match tool.permissions.grammar {
            PermissionGrammar::OpenCode => opencode_rules(decision, subject),
            _ => Vec::new(),
        };
        let listed = listed.into_iter().map(|rule| format!("{} {} {}", decision.as_str(), rule.action, rule.resource));
        found.extend(own.chain(command).chain(listed).map(|text| NativeRule { tool: tool.row.id, text }));
    }
    found
}
