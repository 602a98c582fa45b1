//! Action of a call of an unknown tool, as far as the names of the tool and of its arguments tell.

use super::names::{own_name, words};
use canonry_text::link_target::percent_decoded;
use serde_json::{Map, Value};

/// The maximum number of effects, so that a large argument does not delay the call.
const EFFECTS: usize = 256;
/// The maximum length of a text that is a path or an address.
const TEXT: usize = 4096;
/// The maximum nesting of arguments.
const DEPTH: usize = 32;

/// An effect of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallEffect {
    /// It runs a command line.
    Run {
        command: String,
        cwd: Option<String>,
        language: CommandLanguage,
        /// Whether the text is certainly a command line, and not another text under the same key.
        is_certain: bool,
    },
    Read(String),
    Edit(String),
    /// It does something unknown to a file.
    Use(String),
    Remove(Vec<String>),
    Copy(TransferPaths),
    Move(TransferPaths),
    /// It fetches a URL.
    Visit(String),
}

/// The files that a tool copies or moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransferPaths {
    pub from: Vec<String>,
    pub to: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandLanguage {
    Shell,
    PowerShell,
}

/// Action of a tool on the files it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileAction {
    /// It shows names, sizes and times.
    List,
    Read,
    Edit,
    Remove,
    Copy,
    Move,
    Unknown,
}

/// Words in names of tools that run commands.
const SHELLS: [&str; 17] = [
    "shell",
    "bash",
    "sh",
    "zsh",
    "terminal",
    "term",
    "tmux",
    "exec",
    "execute",
    "cmd",
    "powershell",
    "pwsh",
    "console",
    "spawn",
    "ssh",
    "pty",
    "subprocess",
];
/// The same if both a word of the first and of the second list occur.
const RUNS: ([&str; 2], [&str; 5]) = (["run", "start"], ["command", "commands", "process", "cli", "script"]);
/// Languages whose code is a command line.
const SHELL_LANGUAGES: [&str; 9] = ["shell", "bash", "sh", "zsh", "shellscript", "powershell", "pwsh", "cmd", "bat"];
/// Words in names of tools that type into a running program.
const TYPES: [&str; 9] = ["process", "stdin", "terminal", "term", "tmux", "pty", "console", "shell", "command"];
/// Words in names of tools that fetch web pages.
const BROWSES: [&str; 20] = [
    "navigate",
    "navigation",
    "goto",
    "visit",
    "browse",
    "browser",
    "fetch",
    "scrape",
    "crawl",
    "download",
    "http",
    "request",
    "web",
    "curl",
    "wget",
    "puppeteer",
    "playwright",
    "chrome",
    "open",
    "extract",
];
/// Words in names of tools that only store what they are given.
const STORES: [&str; 9] = ["create", "add", "post", "send", "comment", "update", "save", "message", "reply"];
/// Words in names of tools by what they do with files; the first row with a word of the name counts.
const ACTIONS: [(FileAction, &[&str]); 6] = [
    (FileAction::Remove, &["delete", "remove", "rm", "rmdir", "unlink", "trash", "erase", "wipe", "purge", "del"]),
    (FileAction::Move, &["move", "rename", "mv"]),
    (FileAction::Copy, &["copy", "cp", "duplicate", "clone"]),
    (
        FileAction::Edit,
        &[
            "write",
            "edit",
            "create",
            "replace",
            "insert",
            "append",
            "update",
            "patch",
            "apply",
            "save",
            "put",
            "modify",
            "truncate",
            "overwrite",
            "str",
            "undo",
            "push",
            "set",
            "chmod",
            "symlink",
            "link",
            "touch",
            "extract",
            "unzip",
            "download",
            "screenshot",
            "export",
            "format",
            "refactor",
            "generate",
            "restore",
            "prepend",
        ],
    ),
    (
        FileAction::List,
        &["list", "ls", "tree", "stat", "info", "exists", "glob", "metadata", "dir", "mkdir", "size", "watch"],
    ),
    (
        FileAction::Read,
        &[
            "read",
            "get",
            "view",
            "search",
            "find",
            "grep",
            "show",
            "open",
            "cat",
            "head",
            "tail",
            "load",
            "query",
            "describe",
            "diff",
            "lint",
            "lints",
            "check",
            "analyze",
            "analyse",
            "upload",
            "attach",
            "send",
            "import",
            "parse",
            "preview",
            "fetch",
            "navigate",
            "inspect",
            "outline",
            "symbols",
            "blame",
            "summarize",
            "index",
        ],
    ),
];
/// Words at the beginning of names of tools that change nothing.
const LOOKS: [&str; 8] = ["get", "list", "show", "read", "view", "describe", "query", "stat"];
/// Names of arguments with a command line.
const COMMANDS: [&str; 9] = [
    "command",
    "commands",
    "cmd",
    "command line",
    "cmdline",
    "shell command",
    "terminal command",
    "command text",
    "bash",
];
/// Names of arguments with text that is typed.
const TYPED: [&str; 7] = ["input", "chars", "keys", "keystrokes", "stdin", "data", "text"];
/// Last words of the names of arguments with a path.
const PATHS: [&str; 27] = [
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "filenames",
    "filepath",
    "filepaths",
    "filepattern",
    "notebook",
    "notebooks",
    "glob",
    "globs",
    "folder",
    "folders",
    "directory",
    "directories",
    "dir",
    "dirs",
    "src",
    "dst",
    "dest",
    "source",
    "destination",
    "include",
    "target",
    "targets",
];
/// First words of names of arguments that end like a path, but are none, or are paths that are left out.
const NO_PATHS: [&str; 14] = [
    "exclude",
    "excluded",
    "ignore",
    "ignored",
    "repo",
    "repository",
    "name",
    "json",
    "class",
    "working",
    "work",
    "xml",
    "import",
    "module",
];
/// Names of arguments with a URL.
const URLS: [&str; 6] = ["url", "urls", "uri", "uris", "href", "link"];
/// Names of arguments with other texts, which are not searched.
const CONTENTS: [&str; 14] = [
    "content",
    "contents",
    "body",
    "text",
    "message",
    "prompt",
    "description",
    "old string",
    "new string",
    "old text",
    "new text",
    "code",
    "html",
    "query",
];

/// Lists the effects of a call.
pub fn effects(name: &str, args: &Value) -> Vec<CallEffect> {
    let mut shape = Shape::new(name, args);
    shape.read(args, 0);
    shape.finish()
}

struct Shape {
    /// The words of the whole name, with those of the server.
    words: Vec<String>,
    action: FileAction,
    language: CommandLanguage,
    /// Whether the tool runs commands.
    is_shell: bool,
    /// Whether its code is a command line.
    is_shell_code: bool,
    cwd: Option<String>,
    /// The files that the call removes, copies or moves.
    paths: TransferPaths,
    found: Vec<CallEffect>,
}

impl Shape {
    fn new(name: &str, args: &Value) -> Self {
        let all = words(name);
        let shell =
            text_of(args, &["shell", "interpreter", "language", "languageId"]).unwrap_or_default().to_lowercase();
        let has = |words: &[&str]| all.iter().any(|word| words.contains(&word.as_str()));
        let is_shell = has(&SHELLS) || has(&RUNS.0) && has(&RUNS.1);
        let is_shell_code = SHELL_LANGUAGES.contains(&shell.as_str());
        let is_powershell = all.iter().any(|word| matches!(word.as_str(), "powershell" | "pwsh"))
            || ["powershell", "pwsh", "cmd"].iter().any(|name| shell.contains(name));
        // A command of one word next to a path, as in an editor with the commands `view` and `create`, is an action.
        let verb = text_of(args, &["command", "action", "operation"]).filter(|text| is_verb(text));
        let own = words(own_name(name));
        let action = verb.map(|verb| action(&words(verb))).filter(|action| *action != FileAction::Unknown);
        Self {
            action: action.unwrap_or_else(|| self::action(&own)),
            is_shell,
            is_shell_code,
            words: all,
            language: if is_powershell { CommandLanguage::PowerShell } else { CommandLanguage::Shell },
            cwd: text_of(args, &["cwd", "workdir", "working_directory", "workingDirectory", "directory"])
                .map(str::to_owned),
            paths: TransferPaths::default(),
            found: Vec::new(),
        }
    }

    fn is_one_of(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| words.contains(&word.as_str()))
    }

    fn read(&mut self, value: &Value, depth: usize) {
        if self.found.len() >= EFFECTS || depth > DEPTH {
            return;
        }
        match value {
            Value::Object(map) => {
                let outer = self.action;
                // A list of operations names the action of each.
                let own = text_of(value, &["type", "action", "operation", "op", "kind"]).filter(|text| is_verb(text));
                if let (FileAction::Unknown, Some(own)) = (outer, own) {
                    self.action = action(&words(own));
                }
                map.iter().for_each(|(key, value)| self.argument(key, value, map, depth));
                if self.paths == TransferPaths::default() {
                    self.action = outer;
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.read(item, depth + 1)),
            _ => {}
        }
    }

    fn argument(&mut self, key: &str, value: &Value, siblings: &Map<String, Value>, depth: usize) {
        let key_words = words(key);
        let key = key_words.join(" ");
        let is_code =
            key == "script" && self.is_shell || matches!(key.as_str(), "script" | "code") && self.is_shell_code;
        if CONTENTS.contains(&key.as_str()) && !is_code && !(key == "text" && self.is_one_of(&TYPES)) {
            return;
        }
        if COMMANDS.contains(&key.as_str()) || is_code {
            self.commands(value, siblings, self.is_shell || is_code);
        } else if TYPED.contains(&key.as_str()) && self.is_one_of(&TYPES) {
            let typed = value.as_str().map(str::trim).filter(|text| !text.is_empty());
            self.found.extend(typed.map(|text| self.run(text.to_owned(), false)));
        } else if is_url_key(&key_words) {
            let is_plain = URLS.contains(&key.as_str());
            texts(value).for_each(|text| self.address(text, is_plain));
        } else if is_path_key(&key_words) {
            texts(value).for_each(|text| self.path(&key_words, text));
        }
        if !value.is_string() {
            self.read(value, depth + 1);
        }
    }

    /// Reads a command line, or the words of one.
    fn commands(&mut self, value: &Value, siblings: &Map<String, Value>, is_certain: bool) {
        let arguments = match siblings.get("args").or_else(|| siblings.get("arguments")) {
            Some(Value::String(text)) => format!(" {text}"),
            Some(Value::Array(words)) => {
                words.iter().filter_map(Value::as_str).map(|word| format!(" {}", quoted(word))).collect()
            }
            _ => String::new(),
        };
        let is_action = siblings.len() > 1 && self.action != FileAction::Unknown;
        match value {
            Value::String(text) if is_verb(text) && is_action && arguments.is_empty() => {}
            Value::String(text) => {
                let run = self.run(format!("{text}{arguments}"), is_certain);
                self.found.push(run);
            }
            Value::Array(items) => {
                let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                // One command line with its words, or several command lines.
                let are_lines = items.first().is_some_and(|first| first.contains(char::is_whitespace));
                if are_lines {
                    let runs: Vec<CallEffect> =
                        items.iter().map(|line| self.run((*line).to_owned(), is_certain)).collect();
                    self.found.extend(runs);
                } else if !items.is_empty() {
                    let line = items.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
                    self.found.push(self.run(line, is_certain));
                }
            }
            _ => {}
        }
    }

    fn run(&self, command: String, is_certain: bool) -> CallEffect {
        CallEffect::Run { command, cwd: self.cwd.clone(), language: self.language, is_certain }
    }

    fn address(&mut self, text: &str, is_plain: bool) {
        if let Some(path) = file_of(text) {
            return self.path(&[], &path);
        }
        let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme).to_lowercase();
        let is_web = matches!(scheme.trim(), "http" | "https" | "ftp" | "ws" | "wss" | "view-source");
        let browses = self.is_one_of(&BROWSES);
        // A tool that stores the address of a page does not contact it.
        let contacts = browses || is_plain && is_web && !self.is_one_of(&STORES);
        if contacts {
            self.found.push(CallEffect::Visit(text.to_owned()));
        }
    }

    fn path(&mut self, key: &[String], text: &str) {
        if let Some(path) = file_of(text) {
            return self.path(key, &path);
        }
        if text.is_empty() || text.contains("://") {
            return;
        }
        let is_target = key
            .iter()
            .any(|word| matches!(word.as_str(), "dest" | "dst" | "destination" | "new" | "to" | "target" | "output"));
        let text = text.to_owned();
        match self.action {
            FileAction::List => {}
            FileAction::Read => self.found.push(CallEffect::Read(text)),
            FileAction::Edit => self.found.push(CallEffect::Edit(text)),
            FileAction::Unknown => self.found.push(CallEffect::Use(text)),
            FileAction::Copy | FileAction::Move if is_target => self.paths.to.push(text),
            FileAction::Remove | FileAction::Copy | FileAction::Move => self.paths.from.push(text),
        }
    }

    fn finish(mut self) -> Vec<CallEffect> {
        let paths = std::mem::take(&mut self.paths);
        if !paths.from.is_empty() || !paths.to.is_empty() {
            self.found.push(match self.action {
                FileAction::Remove => CallEffect::Remove(paths.from),
                FileAction::Copy => CallEffect::Copy(paths),
                _ => CallEffect::Move(paths),
            });
        }
        self.found.truncate(EFFECTS);
        self.found
    }
}

/// Returns what a tool does with files by the words of its name.
fn action(words: &[String]) -> FileAction {
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let looks = words.first().is_some_and(|first| LOOKS.contains(&first.as_str()));
    // A new folder changes no file.
    let makes_folder = has(&["create", "make"]) && has(&["directory", "folder", "dir"]) && !has(&["file"]);
    if makes_folder {
        return FileAction::List;
    }
    // Git stores the content of the files that it adds.
    if has(&["git"]) && has(&["add", "stage"]) {
        return FileAction::Read;
    }
    let rows = ACTIONS.iter().filter(|(action, _)| !looks || matches!(action, FileAction::List | FileAction::Read));
    rows.into_iter().find(|(_, names)| has(names)).map_or(FileAction::Unknown, |(action, _)| *action)
}

/// Checks for the name of an action: one word that is no program with a path.
fn is_verb(text: &str) -> bool {
    !text.is_empty() && text.len() < 32 && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

fn is_path_key(words: &[String]) -> bool {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return false };
    let ends = |word: &String| PATHS.contains(&word.as_str());
    let is_inside = ends(first) && words.get(1).is_some_and(|word| matches!(word.as_str(), "in" | "include" | "to"));
    let includes = matches!(first.as_str(), "include" | "includes" | "included");
    (ends(last) || is_inside || includes) && !NO_PATHS.contains(&first.as_str())
}

fn is_url_key(words: &[String]) -> bool {
    words.last().is_some_and(|last| URLS.contains(&last.as_str()))
}

/// Returns the path of a `file:` URL.
fn file_of(text: &str) -> Option<String> {
    let rest = text.trim().get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("file:")).and(text.trim().get(5..))?;
    let path = rest.split(['?', '#']).next().expect("split is never empty");
    let path = path.strip_prefix("//localhost").unwrap_or(path);
    let slashes = path.len() - path.trim_start_matches('/').len();
    let path = percent_decoded(if slashes > 1 { &path[slashes - 1..] } else { path });
    Some(String::from_utf8_lossy(&path).into_owned())
}

/// Quotes a word for a shell.
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn text_of<'v>(args: &'v Value, keys: &[&str]) -> Option<&'v str> {
    keys.iter().find_map(|key| args.get(key)?.as_str())
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    let items: &[Value] = match value {
        Value::Array(items) => items,
        value => std::slice::from_ref(value),
    };
    items.iter().filter_map(Value::as_str).filter(|text| text.len() <= TEXT)
}

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;
