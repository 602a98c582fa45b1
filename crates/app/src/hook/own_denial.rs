//! A tool's own denial of a call: entries of its settings that it applies whatever a hook answers.

use canonry_guard::ToolCall;
use canonry_model::config::HookTool;
use globset::GlobBuilder;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

/// The settings of Claude Code in a repository.
const CLAUDE_SETTINGS: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];
/// Larger files are not read.
const MAX_BYTES: u64 = 1 << 20;

/// An entry that denies a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnDenial {
    /// The file, from the top of the repository.
    pub path: String,
    /// The entry of `permissions.deny`.
    pub entry: String,
}

/// A call, as the entries name it.
pub(super) struct OwnCall<'a> {
    pub call: &'a ToolCall,
    /// The commands of a command line.
    pub commands: Vec<&'a str>,
    /// The folder in which the call is made.
    pub cwd: &'a Path,
}

impl OwnDenial {
    /// The entry by which a tool denies a call: the same words, or a pattern for its file. `None` also where only the tool
    /// knows.
    pub(super) fn find(top: &Path, tool: HookTool, call: &OwnCall<'_>) -> Option<Self> {
        if tool.row.id != "claude" {
            return None;
        }
        CLAUDE_SETTINGS.iter().find_map(|path| {
            let entries = denied(&top.join(path)).into_iter();
            let entry = entries.into_iter().find(|entry| call.is_named_by(entry, top))?;
            Some(Self { path: (*path).to_owned(), entry })
        })
    }

    /// The end of a denial: who can make the call.
    pub fn hint(&self) -> String {
        let Self { path, entry } = self;
        format!("`{entry}` in {path} denies it too, which no hook can lift: a person has to run it")
    }

    /// Whether the file still has the entry.
    pub(super) fn holds(&self, top: &Path) -> bool {
        denied(&top.join(&self.path)).contains(&self.entry)
    }
}

/// The entries of `permissions.deny`. A file that cannot be read has none: the tool reports it.
fn denied(path: &Path) -> Vec<String> {
    let is_small = path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_BYTES);
    let text = if is_small { canonry_repo::fs::read_to_string(path).unwrap_or_default() } else { String::new() };
    let settings: Value = serde_json::from_str(&text).unwrap_or_default();
    let entries = settings.pointer("/permissions/deny").and_then(Value::as_array);
    entries.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

impl OwnCall<'_> {
    fn is_named_by(&self, entry: &str, top: &Path) -> bool {
        let inner = |kind: &str| entry.strip_prefix(kind)?.strip_prefix('(')?.strip_suffix(')');
        match self.call {
            ToolCall::Shell { .. } => {
                inner("Bash").is_some_and(|pattern| self.commands.iter().any(|command| covers(pattern, command)))
            }
            ToolCall::Read(paths) => inner("Read").is_some_and(|pattern| self.names_file(pattern, paths, top)),
            ToolCall::Edit(paths) => {
                entry == "Edit" || inner("Edit").is_some_and(|pattern| self.names_file(pattern, paths, top))
            }
            ToolCall::Other { name, .. } => {
                let tool = name.strip_prefix(entry).filter(|_| entry.starts_with("mcp__"));
                tool.is_some_and(|tool| tool.is_empty() || tool.starts_with("__"))
            }
            ToolCall::PowerShell { .. } | ToolCall::Fetch(_) => false,
        }
    }

    fn names_file(&self, pattern: &str, paths: &[String], top: &Path) -> bool {
        // `/` is the project; `//` is the root of the file system.
        let (pattern, base) = match pattern.strip_prefix('/') {
            Some(rest) if rest.starts_with('/') => (rest, Path::new("/")),
            Some(rest) => (rest, top),
            None => (pattern, self.cwd),
        };
        let glob = GlobBuilder::new(pattern.trim_start_matches('/')).literal_separator(true).build();
        let Ok(matcher) = glob.map(|glob| glob.compile_matcher()) else { return false };
        let is_match = |path: &String| {
            let path = self.cwd.join(path);
            path.strip_prefix(base).is_ok_and(|path| matcher.is_match(path))
        };
        paths.iter().any(is_match)
    }
}

/// Whether a pattern of Claude Code names a command: word for word, or by its first words.
fn covers(pattern: &str, command: &str) -> bool {
    let prefix = pattern.strip_suffix(":*").or_else(|| pattern.strip_suffix(" *"));
    match prefix {
        Some(prefix) => command.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
        None => command == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_names_commands_files_and_tools() {
        let shell = ToolCall::Shell { command: String::new(), cwd: None };
        let read = |path: &str| ToolCall::Read(vec![path.to_owned()]);
        let tool = ToolCall::Other { name: "mcp__db__drop".to_owned(), args: Value::Null };
        let top = Path::new("/srv/repo");
        for (entry, call, command, want) in [
            ("Bash(rm *)", &shell, "rm -r x", true),
            ("Bash(rm:*)", &shell, "rm", true),
            ("Bash(rm *)", &shell, "rmdir x", false),
            ("Bash(rm)", &shell, "rm x", false),
            ("Read(rm)", &shell, "rm", false),
            ("Read(/**/.env*)", &read("/srv/repo/app/.env.local"), "", true),
            ("Read(/**/.env*)", &read(".env"), "", true),
            ("Read(/config/keys)", &read("app/config/keys"), "", false),
            ("Read(//etc/shadow)", &read("/etc/shadow"), "", true),
            ("Read(/**/.env*)", &ToolCall::Edit(vec![".env".to_owned()]), "", false),
            ("Edit", &ToolCall::Edit(vec![".env".to_owned()]), "", true),
            ("mcp__db", &tool, "", true),
            ("mcp__db__drop", &tool, "", true),
            ("mcp__d", &tool, "", false),
        ] {
            let call = OwnCall { call, commands: vec![command], cwd: top };
            assert_eq!(call.is_named_by(entry, top), want, "{entry} {command}");
        }
    }
}
