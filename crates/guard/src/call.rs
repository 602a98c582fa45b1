//! A call that an agent is about to make, independent of the names each tool uses.

use super::matching::path::PathRoots;
use super::patch::patched_files;
use super::shape::quoted;
use canonry_model::config::{HookFormat, HookTool};
use serde_json::Value;
use std::fmt;

/// An action of an agent.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolCall {
    /// Run a command line, possibly in another folder.
    Shell {
        command: String,
        cwd: Option<String>,
    },
    /// Run a command line of PowerShell.
    PowerShell {
        command: String,
        cwd: Option<String>,
    },
    /// Read files; patterns name all files that match.
    Read(Vec<String>),
    Edit(Vec<String>),
    /// Fetch URLs.
    Fetch(Vec<String>),
    Other {
        name: String,
        args: Value,
    },
}

/// Kind of an agent's tool.
#[derive(Clone, Copy)]
enum ToolKind {
    Shell,
    PowerShell,
    Read,
    Edit,
    Fetch,
    Patch,
}

/// The names of the agents' tools, in lower case. No name has two meanings.
const NAMES: &[(&str, ToolKind)] = &[
    ("bash", ToolKind::Shell),
    ("shell", ToolKind::Shell),
    ("local_shell", ToolKind::Shell),
    ("exec_command", ToolKind::Shell),
    ("run_shell_command", ToolKind::Shell),
    ("run_command", ToolKind::Shell),
    ("run_terminal_cmd", ToolKind::Shell),
    ("run_terminal_command", ToolKind::Shell),
    ("execute_command", ToolKind::Shell),
    ("execute_bash", ToolKind::Shell),
    ("monitor", ToolKind::Shell),
    ("powershell", ToolKind::PowerShell),
    ("edit", ToolKind::Edit),
    ("multiedit", ToolKind::Edit),
    ("write", ToolKind::Edit),
    ("delete", ToolKind::Edit),
    ("notebookedit", ToolKind::Edit),
    ("editnotebook", ToolKind::Edit),
    ("write_file", ToolKind::Edit),
    ("edit_file", ToolKind::Edit),
    ("delete_file", ToolKind::Edit),
    ("create_file", ToolKind::Edit),
    ("move_file", ToolKind::Edit),
    ("replace", ToolKind::Edit),
    ("write_to_file", ToolKind::Edit),
    ("replace_file_content", ToolKind::Edit),
    ("multi_replace_file_content", ToolKind::Edit),
    ("search_replace", ToolKind::Edit),
    ("strreplace", ToolKind::Edit),
    ("editor", ToolKind::Edit),
    ("replace_in_file", ToolKind::Edit),
    ("fs_write", ToolKind::Edit),
    ("fs_append", ToolKind::Edit),
    ("str_replace", ToolKind::Edit),
    ("apply_patch", ToolKind::Patch),
    ("read", ToolKind::Read),
    ("read_file", ToolKind::Read),
    ("read_many_files", ToolKind::Read),
    ("view_file", ToolKind::Read),
    ("fs_read", ToolKind::Read),
    ("view_image", ToolKind::Read),
    ("grep", ToolKind::Read),
    ("search_file_content", ToolKind::Read),
    ("grep_search", ToolKind::Read),
    ("webfetch", ToolKind::Fetch),
    ("web_fetch", ToolKind::Fetch),
    ("read_url_content", ToolKind::Fetch),
    ("fetch", ToolKind::Fetch),
];

/// Argument keys whose values are paths.
const PATHS: [&str; 24] = [
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "absolute_path",
    "target_file",
    "AbsolutePath",
    "TargetFile",
    "SearchPath",
    "paths",
    "include",
    "source",
    "destination",
    "dir_path",
    "file",
    "filename",
    "glob",
    "Path",
    "old_path",
    "target_notebook",
    "include_pattern",
    "Includes",
    "TargetPath",
    "globs",
];

impl ToolCall {
    /// Classifies a call by the name of the tool and its arguments.
    pub fn from_name_and_args(name: &str, args: &Value) -> Self {
        let lower = name.to_lowercase();
        let kind = NAMES.iter().find(|(known, _)| *known == lower).map(|(_, kind)| *kind);
        let files = || Some(texts(args, &PATHS)).filter(|paths| !paths.is_empty());
        let call = match kind {
            Some(ToolKind::Shell) => shell(args),
            Some(ToolKind::PowerShell) => shell(args).map(|call| match call {
                Self::Shell { command, cwd } => Self::PowerShell { command, cwd },
                call => call,
            }),
            Some(ToolKind::Read) => files().map(Self::Read),
            Some(ToolKind::Edit) => files().map(Self::Edit),
            Some(ToolKind::Patch) => patch(args),
            Some(ToolKind::Fetch) => Some(Self::Fetch(addresses(args))),
            None => None,
        };
        // The shape of the arguments decides about all other tools, and about unknown arguments of known ones.
        call.unwrap_or_else(|| Self::Other { name: name.to_owned(), args: args.clone() })
    }

    /// Reads the call from the input of a hook; `None` if there is none.
    pub fn from_hook_input(tool: HookTool, input: &Value) -> Option<Self> {
        if tool.hooks.format == HookFormat::Antigravity {
            let call = input.get("toolCall")?;
            return Some(Self::from_name_and_args(
                call.get("name")?.as_str()?,
                call.get("args").unwrap_or(&Value::Null),
            ));
        }
        if tool.hooks.format == HookFormat::Cline {
            return cline_call(input);
        }
        if let Some(name) = input.get("tool_name").and_then(Value::as_str) {
            // Some versions of Cursor pass the arguments as text.
            let args = input.get("tool_input").cloned().unwrap_or_default();
            let parsed = args.as_str().and_then(|text| serde_json::from_str(text).ok());
            let args = parsed.unwrap_or(args);
            return Some(match server_arguments(name, &args).filter(|_| tool.row.id == "grok") {
                Some(args) => Self::from_name_and_args(&format!("mcp__{name}"), args),
                None => Self::from_name_and_args(name, &args),
            });
        }
        // Cursor's events for a single kind of call have no tool name.
        let event = input.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
        match event {
            "beforeReadFile" => Some(Self::Read(texts(input, &PATHS))),
            "afterFileEdit" => Some(Self::Edit(texts(input, &PATHS))),
            _ => shell(input),
        }
    }
}

impl fmt::Display for ToolCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shell { command, .. } | Self::PowerShell { command, .. } => f.write_str(command),
            Self::Read(paths) => write!(f, "read {}", paths.join(", ")),
            Self::Edit(paths) => write!(f, "edit {}", paths.join(", ")),
            Self::Fetch(urls) => write!(f, "fetch {}", urls.join(", ")),
            Self::Other { name, .. } => f.write_str(name),
        }
    }
}

/// The arguments of a tool `SERVER__TOOL`, which Grok Build passes together with its name.
fn server_arguments<'a>(name: &str, args: &'a Value) -> Option<&'a Value> {
    let is_server = name.contains("__") && args.get("tool_name").and_then(Value::as_str) == Some(name);
    args.get("tool_input").filter(|_| is_server)
}

/// The call in an event of Cline: `tool_call` and `tool_result`, or the older `preToolUse` and `postToolUse`.
fn cline_call(input: &Value) -> Option<ToolCall> {
    let call = ["tool_call", "tool_result", "preToolUse", "postToolUse"].iter().find_map(|key| input.get(key))?;
    let name = ["name", "toolName"].iter().find_map(|key| call.get(key))?.as_str()?;
    let args = ["input", "parameters"].iter().find_map(|key| call.get(key)).unwrap_or(&Value::Null);
    let list = |key: &str| args.get(key).and_then(Value::as_array);
    let all = |items: &[Value], key: &str| items.iter().map(|item| Some(item.get(key)?.as_str()?.to_owned())).collect();
    let own = match name {
        "run_commands" => list("commands").and_then(|commands| cline_commands(commands)),
        "read_files" => list("files").and_then(|files| all(files, "path")).map(ToolCall::Read),
        "fetch_web_content" => list("requests").and_then(|requests| all(requests, "url")).map(ToolCall::Fetch),
        _ => None,
    };
    // `SERVER__TOOL`
    let name = if name.contains("__") { format!("mcp__{name}") } else { name.to_owned() };
    Some(own.unwrap_or_else(|| ToolCall::from_name_and_args(&name, args)))
}

/// Commands that run one after the other, each in a shell of its own: a text, or a program and its arguments.
fn cline_commands(commands: &[Value]) -> Option<ToolCall> {
    let line = |command: &Value| match command.get("command") {
        Some(program) => {
            let args = command.get("args").and_then(Value::as_array).into_iter().flatten();
            let words: Option<Vec<String>> =
                std::iter::once(program).chain(args).map(|word| word.as_str().map(quoted)).collect();
            words.map(|words| words.join(" "))
        }
        None => command.as_str().map(str::to_owned),
    };
    let lines: Vec<String> = commands.iter().map(line).collect::<Option<_>>()?;
    let command = match &lines[..] {
        [] => return None,
        [line] => line.clone(),
        lines => lines.iter().map(|line| format!("sh -c {}", quoted(line))).collect::<Vec<_>>().join("\n"),
    };
    Some(ToolCall::Shell { command, cwd: None })
}

fn shell(args: &Value) -> Option<ToolCall> {
    let command = ["command", "CommandLine", "cmd"].iter().find_map(|key| args.get(key))?;
    let command = match command {
        Value::String(text) => text.clone(),
        // Codex passes words. Quoting them gives an equivalent command line.
        Value::Array(words) => {
            let text = |word: &Value| word.as_str().map_or_else(|| word.to_string(), str::to_owned);
            words.iter().map(|word| quoted(&text(word))).collect::<Vec<_>>().join(" ")
        }
        _ => return None,
    };
    let cwd = texts(args, &["cwd", "Cwd", "workdir", "directory", "dir_path"]).into_iter().next();
    Some(ToolCall::Shell { command, cwd })
}

fn texts(args: &Value, keys: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for value in keys.iter().filter_map(|key| args.get(key)) {
        match value {
            Value::String(text) => found.push(text.clone()),
            Value::Array(items) => found.extend(items.iter().filter_map(|item| item.as_str().map(str::to_owned))),
            _ => {}
        }
    }
    found
}

/// Lists the files that a patch names.
fn patch(args: &Value) -> Option<ToolCall> {
    let text = match args {
        Value::String(text) => text.clone(),
        args => texts(args, &["input", "patch", "patchText", "command"]).join("\n"),
    };
    let files: Vec<String> = patched_files(&text).into_iter().map(|file| file.path).collect();
    (!files.is_empty()).then_some(ToolCall::Edit(files))
}

/// Lists the URLs in the arguments. A prompt counts only without them, as Gemini CLI passes URLs in it.
fn addresses(args: &Value) -> Vec<String> {
    let given = texts(args, &["url", "urls", "Url"]);
    if !given.is_empty() {
        return given;
    }
    let prompts = texts(args, &["prompt"]);
    let parts = |text: &str| -> Vec<String> {
        let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '(' | ')' | '`');
        let words = text.split(ends).map(|word| word.trim_end_matches([',', '.', ';', ':', '!', '?']));
        words.filter(|word| is_address(word)).map(str::to_owned).collect()
    };
    prompts.iter().flat_map(|text| parts(text)).collect()
}

fn is_address(word: &str) -> bool {
    let scheme = word.split_once(':').filter(|(_, rest)| !rest.is_empty()).map(|(scheme, _)| scheme.to_lowercase());
    word.contains("://") || matches!(scheme.as_deref(), Some("http" | "https" | "ftp"))
}

/// The surroundings of a call.
#[derive(Clone, Debug, Default)]
pub struct CallContext {
    pub roots: PathRoots,
    /// The absolute path of the current folder.
    pub cwd: String,
    /// The branch that is checked out, if known.
    pub branch: Option<String>,
    /// Folders of the user with canonry's settings and state, which decide what guards do.
    pub own_folders: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tools_of_servers_get_one_name() {
        let args = json!({"q": 1});
        let of_server = ToolCall::Other { name: "mcp__db__query".to_owned(), args: args.clone() };
        let grok =
            |name: &str| json!({"tool_name": name, "tool_input": {"tool_name": "db__query", "tool_input": args}});
        assert_eq!(
            ToolCall::from_hook_input(HookTool::find("grok").unwrap(), &grok("db__query")),
            Some(of_server.clone())
        );
        // A built-in tool with these arguments belongs to no server.
        let shell = ToolCall::from_hook_input(HookTool::find("grok").unwrap(), &grok("run_terminal_command"));
        assert!(matches!(shell, Some(ToolCall::Other { name, .. }) if name == "run_terminal_command"));
        let cline = json!({"tool_call": {"name": "db__query", "input": args}});
        assert_eq!(ToolCall::from_hook_input(HookTool::find("cline").unwrap(), &cline), Some(of_server));
    }
}
