//! The paths in a tool file that do not exist.

use super::ToolFile;
use super::hooks::events;
use super::kind::{Reader, Role};
use super::servers::{McpServer, servers};
use crate::syntax::node::Node;
use crate::syntax::{PathEscape, RepoPath, Span};

/// A path that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingPath {
    /// The path as written.
    pub text: String,
    pub span: Span,
    pub role: PathRole,
    /// The path from the top of the repository.
    pub path: RepoPath,
}

/// What a path is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathRole {
    /// A part of a plugin, with the key that names it.
    Component(String),
    /// A plugin in a marketplace, with its name.
    Plugin(String),
    /// A script that a hook runs.
    Hook,
    /// The program of an MCP server, with the server's name.
    Server(String),
}

/// Keys of a manifest whose values are paths.
const COMPONENT_KEYS: [&str; 9] =
    ["agents", "commands", "skills", "hooks", "mcpServers", "lspServers", "outputStyles", "rules", "contextFileName"];

/// Folders that a build or an installation creates.
const GENERATED: [&str; 9] = ["node_modules", "dist", "build", "target", "out", "bin", ".venv", "venv", "vendor"];

/// The paths in `file` for which `exists` is false.
pub fn missing(file: &ToolFile, exists: &dyn Fn(&RepoPath) -> bool) -> Vec<MissingPath> {
    let Some(root) = file.root() else { return Vec::new() };
    let found = match file.kind.role {
        // Other tools have been seen to ignore a missing folder, which generators of manifests name as a matter of course.
        Role::Manifest if matches!(file.kind.reader, Reader::Codex | Reader::Cursor) => {
            let found = components(root, &file.base).into_iter();
            found.filter(|reference| reference.path.file_name().contains(&b'.')).collect()
        }
        Role::Manifest => components(root, &file.base),
        Role::Marketplace => plugins(root, &file.base, exists),
        _ => Vec::new(),
    };
    let found = found.into_iter().chain(scripts(file, exists)).filter(|reference| !is_generated(&reference.path));
    found.filter(|reference| !exists(&reference.path)).collect()
}

fn components(root: &Node, base: &RepoPath) -> Vec<MissingPath> {
    let values = COMPONENT_KEYS.iter().filter_map(|key| Some((*key, root.get(key)?)));
    let paths = values.flat_map(|(key, node)| path_nodes(node).into_iter().map(move |node| (key, node)));
    let component = |(key, node): (&str, &Node)| reference(node, base, PathRole::Component(key.to_owned()));
    paths.filter_map(component).collect()
}

/// A path, or a list of paths. Other values define the component in place.
fn path_nodes(node: &Node) -> Vec<&Node> {
    match node.as_sequence() {
        Some(items) => items.iter().filter(|item| item.as_str().is_some()).collect(),
        None => node.as_str().map(|_| node).into_iter().collect(),
    }
}

fn reference(node: &Node, base: &RepoPath, role: PathRole) -> Option<MissingPath> {
    let text = node.as_str()?.trim();
    let is_plain = !text.is_empty() && !text.contains("://") && !text.contains(['$', '*', '<', '{', '\n']);
    let path = base.join("x").resolve_beside(text.as_bytes())?;
    (is_plain && PathEscape::detect(text).is_none()).then(|| MissingPath {
        text: text.to_owned(),
        span: node.span,
        role,
        path,
    })
}

/// The plugins of a marketplace in the same repository, and the parts that their entries name.
fn plugins(root: &Node, base: &RepoPath, exists: &dyn Fn(&RepoPath) -> bool) -> Vec<MissingPath> {
    let mut found = Vec::new();
    for (entry, plugin) in local_plugins(root, base, exists) {
        if exists(&plugin.path) {
            found.extend(components(entry, &plugin.path));
        } else {
            found.push(plugin);
        }
    }
    found
}

/// The entries of a marketplace for plugins in the same repository, with the places that they name.
pub(super) fn local_plugins<'a>(
    root: &'a Node,
    base: &RepoPath,
    exists: &dyn Fn(&RepoPath) -> bool,
) -> Vec<(&'a Node, MissingPath)> {
    let mut found = Vec::new();
    let plugin_root = root.get("metadata").and_then(|metadata| metadata.get("pluginRoot")).and_then(Node::as_str);
    for entry in root.get("plugins").and_then(Node::as_sequence).unwrap_or_default() {
        let Some(source) = entry.get("source") else { continue };
        let is_local = source.get("source").and_then(Node::as_str) == Some("local");
        let Some(node) = (if is_local { source.get("path") } else { source.as_str().map(|_| source) }) else {
            continue;
        };
        let name = entry.get("name").and_then(Node::as_str).unwrap_or_default().to_owned();
        let Some(plugin) = reference(node, base, PathRole::Plugin(name)) else { continue };
        // A bare name is looked up in the configured folder.
        let below =
            |folder: &str| reference(node, &base.join("x").resolve_beside(folder.as_bytes())?, plugin.role.clone());
        let in_plugin_root = plugin_root.and_then(below).filter(|other| exists(&other.path));
        found.push((entry, in_plugin_root.unwrap_or(plugin)));
    }
    found
}

/// The scripts that hooks and MCP servers run.
fn scripts(file: &ToolFile, exists: &dyn Fn(&RepoPath) -> bool) -> Vec<MissingPath> {
    let mut found = Vec::new();
    for event in events(file) {
        for handler in event.handlers() {
            // Paths in the command are relative to another folder, which may depend on the machine.
            let has_folder = handler.get("cwd").is_some_and(|cwd| cwd.as_str() != Some("."));
            for command in event.dialect.command_keys.iter().filter_map(|key| handler.get(key)) {
                found.extend(scripts_in(command, file, &PathRole::Hook));
                if !has_folder {
                    found.extend(relative_script_in(command, file, exists));
                }
            }
        }
    }
    for server in servers(file) {
        let role = PathRole::Server(server.name.to_owned());
        let args = server.node.get("args").and_then(Node::as_sequence).unwrap_or_default();
        let mut option = None;
        for node in server.node.get("command").into_iter().chain(args) {
            let text = node.as_str().unwrap_or_default();
            // The value of an option may follow it or be part of it.
            let own = text.split_once('=').map(|(option, _)| option);
            if !own.or(option).is_some_and(names_data) {
                found.extend(scripts_in(node, file, &role));
            }
            option = Some(text);
        }
        found.extend(server_script(&server, file, role));
    }
    found
}

/// Words in the names of options whose value a server reads or writes, and does not run.
const DATA_OPTIONS: [&str; 16] = [
    "env",
    "config",
    "settings",
    "log",
    "logs",
    "output",
    "db",
    "database",
    "data",
    "cache",
    "state",
    "key",
    "cert",
    "token",
    "credentials",
    "storage",
];

/// Whether an argument is an option such as `--env-file`, whose value is not run. The user may create the file.
fn names_data(option: &str) -> bool {
    let name = option.strip_prefix("--");
    name.is_some_and(|name| name.split(['-', '_']).any(|word| DATA_OPTIONS.contains(&word)))
}

/// The script of a hook that is written relative to the project.
fn relative_script_in(node: &Node, file: &ToolFile, exists: &dyn Fn(&RepoPath) -> bool) -> Option<MissingPath> {
    let is_plugin = file.kind.in_plugin || file.is_plugin;
    let text = node.as_str().filter(|text| !is_plugin && !tests_for_files(text))?;
    let script = relative_script(text)?;
    let path = file.base.join("x").resolve_beside(script.as_bytes())?;
    // Cursor has been documented to start hooks in its own folder and in that of the project.
    let beside = file.path.resolve_beside(script.as_bytes());
    let is_beside = file.kind.reader != Reader::Claude && beside.is_some_and(|path| exists(&path));
    (!is_beside).then(|| MissingPath { text: script.to_owned(), span: node.span, role: PathRole::Hook, path })
}

/// The script that an interpreter starts as an MCP server, if it is written relative to the project.
fn server_script(server: &McpServer<'_>, file: &ToolFile, role: PathRole) -> Option<MissingPath> {
    let is_project =
        matches!(file.kind.role, Role::Servers | Role::Settings) && !file.is_plugin && !file.kind.in_plugin;
    let command = server.node.get("command")?;
    let program = command.as_str()?.rsplit('/').next()?;
    let node = match ["node", "python", "python3", "bash", "sh", "deno", "bun", "tsx"].contains(&program) {
        true => {
            server.node.get("args")?.as_sequence()?.iter().find(|arg| arg.as_str().is_some_and(|arg| arg != "run"))?
        }
        false => command,
    };
    let script =
        node.as_str().filter(|script| script.starts_with("./") && script.contains(|c: char| c.is_alphabetic()))?;
    let is_plain = !script.contains(['$', '*', ' ', '{', '<']) && script[2..].contains('.');
    let path = file.base.join("x").resolve_beside(script.as_bytes())?;
    let fits = is_project && is_plain && server.node.get("cwd").is_none();
    fits.then(|| MissingPath { text: script.to_owned(), span: node.span, role, path })
}

/// Whether a command tests whether files exist, and so expects that they may not.
fn tests_for_files(text: &str) -> bool {
    ["-f ", "-x ", "-e ", "-d ", "-s ", "-r "].iter().any(|test| text.contains(test)) && text.contains(['[', '&', '|'])
}

/// Variables that tools replace with the folder of the plugin.
const PLUGIN_VARIABLES: [&str; 4] = ["CLAUDE_PLUGIN_ROOT", "CURSOR_PLUGIN_ROOT", "PLUGIN_ROOT", "extensionPath"];
/// Variables that tools replace with the folder of the project.
const PROJECT_VARIABLES: [&str; 4] = ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "workspaceFolder", "workspacePath"];

fn scripts_in(node: &Node, file: &ToolFile, role: &PathRole) -> Vec<MissingPath> {
    let Some(text) = node.as_str() else { return Vec::new() };
    if tests_for_files(text) {
        return Vec::new();
    }
    let is_plugin = matches!(file.kind.role, Role::Manifest) || file.kind.in_plugin || file.is_plugin;
    let variables = if is_plugin { PLUGIN_VARIABLES } else { PROJECT_VARIABLES };
    let text = text.replace("${/}", "/");
    let words = variables.iter().flat_map(|name| paths_after(&text, name));
    let missing = |below: &str| {
        Some(MissingPath {
            text: below.to_owned(),
            span: node.span,
            role: role.clone(),
            path: file.base.join("x").resolve_beside(below.as_bytes())?,
        })
    };
    words.filter_map(missing).collect()
}

/// The paths after a variable: `a/b.sh` in `"${NAME}/a/b.sh"`, `"$NAME"/a/b.sh` and `${NAME:-.}/a/b.sh`.
fn paths_after<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let path = |at: usize| {
        let before = &text[..at];
        let rest = &text[at + name.len()..];
        let rest = match before.strip_suffix('{') {
            Some(before) if before.ends_with('$') => &rest[rest.find('}')? + 1..],
            None if before.ends_with('$') => rest,
            _ => return None,
        };
        let is_quoted = before.trim_end_matches(['$', '{']).ends_with('"') && !rest.starts_with('"');
        let rest = rest.trim_start_matches('"').strip_prefix('/')?;
        let is_end = |c: char| {
            matches!(c, '"' | '\'' | ';' | '|' | '&' | ')' | '>' | '<' | '`' | '\n') || (c == ' ' && !is_quoted)
        };
        let path = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        // A folder, or a path with a variable or pattern, is not known to be a file of the repository.
        let is_plain = !path.contains(['$', '*', '{', '?', '\\', ':']) && !path.ends_with('/') && path.contains('.');
        is_plain.then_some(path)
    };
    text.match_indices(name).filter_map(|(at, _)| path(at)).collect()
}

/// The script at the start of a command, if it is written relative to the project.
fn relative_script(command: &str) -> Option<&str> {
    let mut words = command.split_whitespace();
    let first = words.next()?;
    let is_interpreter = ["bash", "sh", "zsh", "node", "python", "python3"].contains(&first);
    let script = if is_interpreter { words.next()? } else { first };
    let is_path =
        [".claude/", ".cursor/", ".github/", ".gemini/", ".codex/", "./"].iter().any(|top| script.starts_with(top));
    (is_path && !script.contains(['$', '*', '"', '\'', ';', '|', '&'])).then_some(script)
}

fn is_generated(path: &RepoPath) -> bool {
    path.components().any(|part| GENERATED.iter().any(|name| *part == *name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_follow_variables() {
        for (text, want) in [
            ("${CLAUDE_PLUGIN_ROOT}/hooks/a.sh", vec!["hooks/a.sh"]),
            ("bash \"${CLAUDE_PLUGIN_ROOT}/my hooks/a.sh\" x", vec!["my hooks/a.sh"]),
            ("\"$CLAUDE_PLUGIN_ROOT\"/a.py --x", vec!["a.py"]),
            ("bash \"${CLAUDE_PLUGIN_ROOT:-.}/a.sh\"; node $CLAUDE_PLUGIN_ROOT/b.js", vec!["a.sh", "b.js"]),
            ("ls ${CLAUDE_PLUGIN_ROOT}/$X/a.sh ${CLAUDE_PLUGIN_ROOT}/*.sh ${CLAUDE_PLUGIN_ROOT}/bin", vec![]),
            ("--root \"${CLAUDE_PLUGIN_ROOT}\" x/y.sh", vec![]),
        ] {
            assert_eq!(paths_after(text, "CLAUDE_PLUGIN_ROOT"), want, "{text}");
        }
    }

    #[test]
    fn scripts_relative_to_the_project() {
        for (text, want) in [
            (".claude/hooks/a.sh", Some(".claude/hooks/a.sh")),
            ("python3 .claude/hooks/a.py --x", Some(".claude/hooks/a.py")),
            ("./a.sh", Some("./a.sh")),
            ("npx prettier --write .", None),
            ("cat .claude/x || true", None),
        ] {
            assert_eq!(relative_script(text), want, "{text}");
        }
    }
}
