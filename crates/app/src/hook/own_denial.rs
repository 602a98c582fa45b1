//! A tool's own denial of a call: entries of its settings that it applies whatever a hook answers.

use canonry_agents::permissions::{EntryMeaning, parse_claude_entry};
use canonry_guard::matching::path::{PathRoots, covers};
use canonry_guard::tool_name::OperationName;
use canonry_guard::{ToolCall, Verdict};
use canonry_model::canon::permissions::PermissionSubject;
use canonry_model::config::HookTool;
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
        let Some(meaning) = parse_claude_entry(Verdict::Deny, entry) else { return false };
        let has_command = |is: &dyn Fn(&str) -> bool| {
            matches!(self.call, ToolCall::Shell { .. }) && self.commands.iter().any(|command| is(command))
        };
        match meaning {
            EntryMeaning::Prefix(words) => has_command(&|command| {
                command.strip_prefix(&words).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            }),
            EntryMeaning::Text(text) => has_command(&|command| command.starts_with(&text)),
            EntryMeaning::Exact(words) => has_command(&|command| command == words),
            EntryMeaning::Subject(subject) => self.is_about(&subject, top, false),
            EntryMeaning::AtTop(subject) => self.is_about(&subject, top, true),
            // Only the tool knows which of its tools changes the file.
            EntryMeaning::SomeEdits(_) => false,
        }
    }

    fn is_about(&self, subject: &PermissionSubject, top: &Path, at_top: bool) -> bool {
        let (paths, pattern) = match (self.call, subject) {
            (ToolCall::Other { name, .. }, PermissionSubject::Mcp { server, tool }) => {
                return OperationName::parse(name).belongs_to(server, tool.as_deref()) == Some(true);
            }
            (ToolCall::Read(paths), PermissionSubject::Read(pattern))
            | (ToolCall::Edit(paths), PermissionSubject::Edit(pattern)) => (paths, pattern),
            _ => return false,
        };
        let roots = PathRoots { top: top.to_string_lossy().into_owned(), ..PathRoots::default() };
        let cwd = self.cwd.to_string_lossy();
        let mut places = paths.iter().map(|path| roots.locate(Some(&cwd), path));
        places.any(|place| covers(pattern, &place) && !(at_top && place.text().contains('/')))
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
