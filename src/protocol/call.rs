//! A call that an agent is about to make, independent of the names each tool uses.

use super::matching::path::PathRoots;
use serde_json::Value;

/// A coding agent whose hooks call us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookTool {
    /// Claude Code
    Claude,
    /// Gemini CLI
    Gemini,
    /// Codex CLI
    Codex,
    /// Cursor
    Cursor,
    /// Antigravity
    Antigravity,
}

/// What an agent is about to do.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolCall {
    /// Run a command line, in a folder if it names one.
    Shell {
        /// The command line.
        command: String,
        /// The folder.
        cwd: Option<String>,
    },
    /// Read files.
    Read(Vec<String>),
    /// Write or delete files.
    Edit(Vec<String>),
    /// Read from addresses.
    Fetch(Vec<String>),
    /// Something else.
    Other {
        /// The tool's name.
        name: String,
        /// What it is given.
        args: Value,
    },
}

/// What a tool of an agent does, by its name.
#[derive(Clone, Copy)]
enum Kind {
    Shell,
    Read,
    Edit,
    Fetch,
    Patch,
}

/// The names that the five tools have for what they offer; none means two things.
const NAMES: &[(&str, Kind)] = &[
    ("bash", Kind::Shell),
    ("shell", Kind::Shell),
    ("local_shell", Kind::Shell),
    ("exec_command", Kind::Shell),
    ("run_shell_command", Kind::Shell),
    ("run_command", Kind::Shell),
    ("run_terminal_cmd", Kind::Shell),
    ("edit", Kind::Edit),
    ("multiedit", Kind::Edit),
    ("write", Kind::Edit),
    ("delete", Kind::Edit),
    ("notebookedit", Kind::Edit),
    ("write_file", Kind::Edit),
    ("edit_file", Kind::Edit),
    ("delete_file", Kind::Edit),
    ("create_file", Kind::Edit),
    ("move_file", Kind::Edit),
    ("replace", Kind::Edit),
    ("write_to_file", Kind::Edit),
    ("replace_file_content", Kind::Edit),
    ("multi_replace_file_content", Kind::Edit),
    ("search_replace", Kind::Edit),
    ("strreplace", Kind::Edit),
    ("apply_patch", Kind::Patch),
    ("read", Kind::Read),
    ("read_file", Kind::Read),
    ("read_many_files", Kind::Read),
    ("view_file", Kind::Read),
    ("view_image", Kind::Read),
    ("grep", Kind::Read),
    ("search_file_content", Kind::Read),
    ("grep_search", Kind::Read),
    ("webfetch", Kind::Fetch),
    ("web_fetch", Kind::Fetch),
    ("read_url_content", Kind::Fetch),
    ("fetch", Kind::Fetch),
];

/// Keys whose values are paths.
const PATHS: [&str; 18] = [
    "file_path",
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
];

impl ToolCall {
    /// Of a tool's name and what it is given.
    pub fn from_name_and_args(name: &str, args: &Value) -> Self {
        let own = name.rsplit("__").next().unwrap_or(name).to_lowercase();
        let kind = NAMES.iter().find(|(known, _)| *known == own).map(|(_, kind)| *kind);
        let other = || Self::Other { name: name.to_owned(), args: args.clone() };
        match kind {
            Some(Kind::Shell) => shell(args).unwrap_or_else(other),
            Some(Kind::Read) => Self::Read(texts(args, &PATHS)),
            Some(Kind::Edit) => Self::Edit(texts(args, &PATHS)),
            Some(Kind::Patch) => patch(args).unwrap_or_else(other),
            Some(Kind::Fetch) => Self::Fetch(addresses(args)),
            None => other(),
        }
    }

    /// Of what a tool writes to its hook; `None` where that holds no call.
    pub fn from_hook_input(tool: HookTool, input: &Value) -> Option<Self> {
        if tool == HookTool::Antigravity {
            let call = input.get("toolCall")?;
            return Some(Self::from_name_and_args(
                call.get("name")?.as_str()?,
                call.get("args").unwrap_or(&Value::Null),
            ));
        }
        if let Some(name) = input.get("tool_name").and_then(Value::as_str) {
            // Some versions of Cursor hand the arguments over as text.
            let args = input.get("tool_input").cloned().unwrap_or_default();
            let parsed = args.as_str().and_then(|text| serde_json::from_str(text).ok());
            return Some(Self::from_name_and_args(name, &parsed.unwrap_or(args)));
        }
        // Cursor's events for one kind of call each.
        let event = input.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
        match event {
            "beforeReadFile" => Some(Self::Read(texts(input, &PATHS))),
            "afterFileEdit" => Some(Self::Edit(texts(input, &PATHS))),
            _ => shell(input),
        }
    }

    /// As a person reads it.
    pub fn shown(&self) -> String {
        match self {
            Self::Shell { command, .. } => command.clone(),
            Self::Read(paths) => format!("read {}", paths.join(", ")),
            Self::Edit(paths) => format!("edit {}", paths.join(", ")),
            Self::Fetch(addresses) => format!("fetch {}", addresses.join(", ")),
            Self::Other { name, .. } => name.clone(),
        }
    }
}

fn shell(args: &Value) -> Option<ToolCall> {
    let command = ["command", "CommandLine", "cmd"].iter().find_map(|key| args.get(key))?;
    let command = match command {
        Value::String(text) => text.clone(),
        // Words: what a shell would have made of the line.
        Value::Array(words) => {
            words.iter().map(|word| quoted(word.as_str().unwrap_or_default())).collect::<Vec<_>>().join(" ")
        }
        _ => return None,
    };
    let cwd = texts(args, &["cwd", "Cwd", "workdir", "directory", "dir_path"]).into_iter().next();
    Some(ToolCall::Shell { command, cwd })
}

/// A word that a shell reads as it is.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
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

/// The files that a patch names.
fn patch(args: &Value) -> Option<ToolCall> {
    let text = match args {
        Value::String(text) => text.clone(),
        args => texts(args, &["input", "patch", "command"]).join("\n"),
    };
    let marks = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
    let named = |line: &str| marks.iter().find_map(|mark| Some(line.trim().strip_prefix(mark)?.trim().to_owned()));
    let files: Vec<String> = text.lines().filter_map(named).collect();
    (!files.is_empty()).then_some(ToolCall::Edit(files))
}

/// Addresses, also those within a prompt.
fn addresses(args: &Value) -> Vec<String> {
    let given = texts(args, &["url", "urls", "Url", "prompt"]);
    let words = given.iter().flat_map(|text| {
        text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | ',' | '(' | ')'))
    });
    words.filter(|word| word.contains("://")).map(str::to_owned).collect()
}

/// Where a call is made.
#[derive(Clone, Debug, Default)]
pub struct CallContext {
    /// The folders that paths are told from.
    pub roots: PathRoots,
    /// The folder, in full.
    pub cwd: String,
    /// The branch that is checked out, where that is known.
    pub branch: Option<String>,
}
