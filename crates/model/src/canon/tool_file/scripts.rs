//! The scripts that hooks and MCP servers run.

use super::ToolFile;
use super::hooks::{ListedHooks, events};
use super::kind::{Role, ToolFileReader};
use super::local_plugins::local_plugins;
use super::path_reference::{PathReference, PathRole};
use super::servers::{ListedServer, servers};
use crate::tools::hook_form::HookForm;
use canonry_text::RepoPath;
use canonry_text::node::Node;

/// The scripts that hooks and MCP servers run.
pub(super) fn scripts(file: &ToolFile, exists: &dyn Fn(&RepoPath) -> bool) -> Vec<PathReference> {
    let mut found = Vec::new();
    for event in events(file) {
        let Some(place) = CommandBase::new(file, event.plugin, exists) else { continue };
        for handler in event.handlers() {
            found.extend(hook_scripts(event, handler, file, &place));
        }
    }
    for server in servers(file) {
        if let Some(place) = CommandBase::new(file, server.plugin, exists) {
            found.extend(server_scripts(&server, file, &place));
        }
    }
    found
}

/// Base of the paths in commands.
struct CommandBase<'a> {
    folder: RepoPath,
    /// The folder of the skill or command that has the hooks: for these, reports differ on which of both folders
    /// `CLAUDE_PLUGIN_ROOT` names (astronomer/agents#56).
    skill: Option<RepoPath>,
    /// Whether the folder is a plugin, and not a project.
    is_plugin: bool,
    /// Whether relative paths start in the folder. Hooks of skills and subagents run in the current folder of the session,
    /// and their authors mean different ones.
    takes_relative: bool,
    exists: &'a dyn Fn(&RepoPath) -> bool,
}

impl<'a> CommandBase<'a> {
    /// Place of the commands in a file or, with `plugin`, in an entry of a marketplace; `None` if the plugin or the
    /// project is elsewhere.
    fn new(file: &ToolFile, plugin: Option<&Node>, exists: &'a dyn Fn(&RepoPath) -> bool) -> Option<Self> {
        let Some(plugin) = plugin else {
            // Other files at the top of a plugin are those of the project around it.
            let is_plugin = match file.kind.role {
                Role::Manifest => true,
                Role::Servers => file.is_plugin || file.kind.in_plugin,
                _ => file.kind.in_plugin,
            };
            let has_frontmatter = matches!(file.kind.role, Role::Skill | Role::Subagent | Role::Command);
            let is_installed = is_plugin || file.path.is_within(&file.base.join(".claude"));
            return (!has_frontmatter || is_installed).then(|| Self {
                folder: file.base.clone(),
                skill: file.path.parent().filter(|_| has_frontmatter && is_plugin),
                is_plugin,
                takes_relative: !is_plugin && !has_frontmatter,
                exists,
            });
        };
        let plugins = local_plugins(file.root()?, &file.base, exists).into_iter();
        let mut places = plugins.filter(|(entry, _)| std::ptr::eq(*entry, plugin));
        let folder = places.next().map(|(_, source)| source.path).filter(exists)?;
        Some(Self { folder, skill: None, is_plugin: true, takes_relative: false, exists })
    }

    /// The path from the top of the repository.
    fn resolve(&self, path: &str) -> Option<RepoPath> {
        let below = |folder: &RepoPath| folder.join("x").resolve_beside(path.as_bytes());
        let in_skill = self.skill.as_ref().and_then(below).filter(|path| (self.exists)(path));
        let found = below(&self.folder)?;
        Some(in_skill.filter(|_| !(self.exists)(&found)).unwrap_or(found))
    }

    /// The path of a script below the top of the repository. `None` if the folder may be a template, or the settings of a
    /// user: then the command is for another repository.
    fn resolve_at_top(&self, path: &str) -> Option<RepoPath> {
        let found = RepoPath::from("x").resolve_beside(path.as_bytes())?;
        let is_here = self.folder.is_empty() || found.is_within(&self.folder) || (self.exists)(&found);
        (is_here && !self.is_plugin).then_some(found)
    }
}

fn hook_scripts(
    event: ListedHooks<'_>,
    handler: &Node,
    file: &ToolFile,
    place: &CommandBase<'_>,
) -> Vec<PathReference> {
    // Paths in the command are relative to another folder, which may depend on the machine.
    let has_folder = handler.get("cwd").is_some_and(|cwd| cwd.as_str() != Some("."));
    let is_powershell = handler.get("shell").is_some_and(|shell| shell.as_str() == Some("powershell"));
    let mut found = Vec::new();
    for (key, command) in event.form.command_keys.iter().filter_map(|key| Some((*key, handler.get(key)?))) {
        let mut scripts = scripts_in(command, place, &PathRole::Hook);
        if !has_folder {
            scripts.extend(relative_script_in(command, event.form, file, place));
            scripts.extend(scripts_at_top(command, place));
        }
        if is_powershell || matches!(key, "powershell" | "windows") {
            scripts.iter_mut().for_each(|script| script.is_started = false);
        }
        found.extend(scripts);
    }
    found
}

fn server_scripts(server: &ListedServer<'_>, file: &ToolFile, place: &CommandBase<'_>) -> Vec<PathReference> {
    let role = PathRole::Server(server.entry.key.clone());
    let mut found =
        server.entry.value.get("command").map_or_else(Vec::new, |command| scripts_in(command, place, &role));
    let mut option = server.entry.value.get("command").and_then(Node::as_str);
    for node in server.entry.value.get("args").and_then(Node::as_sequence).unwrap_or_default() {
        let text = node.as_str().unwrap_or_default();
        // The value of an option may follow it or be part of it.
        let own = text.split_once('=').map(|(option, _)| option);
        if !own.or(option).is_some_and(names_data) {
            let arguments = scripts_in(node, place, &role).into_iter();
            found.extend(arguments.map(|script| script.started(false)));
        }
        option = Some(text);
    }
    found.extend(server_script(server, file, place, role));
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
fn relative_script_in(node: &Node, form: &HookForm, file: &ToolFile, place: &CommandBase<'_>) -> Option<PathReference> {
    let exists = place.exists;
    let text = node.as_str().filter(|text| place.takes_relative && !tests_for_files(text))?;
    let (script, is_direct) = relative_script(text)?;
    if form.has_bare_paths && script == text.trim() {
        let path = file.path.resolve_beside(script.as_bytes())?;
        return Some(PathReference::new(script, node, PathRole::Hook, path).started(is_direct));
    }
    let path = place.resolve(script)?;
    // Cursor has been documented to start hooks in its own folder and in that of the project.
    let beside = file
        .path
        .resolve_beside(script.as_bytes())
        .filter(|path| file.kind.reader != ToolFileReader::CLAUDE && exists(path));
    let is_unclear = beside.is_some() && exists(&path);
    let reference = PathReference::new(script, node, PathRole::Hook, beside.unwrap_or(path));
    Some(reference.started(is_direct && !is_unclear && may_start(text, script)))
}

/// The script that an interpreter starts as an MCP server, if it is written relative to the project.
fn server_script(
    server: &ListedServer<'_>,
    file: &ToolFile,
    place: &CommandBase<'_>,
    role: PathRole,
) -> Option<PathReference> {
    let is_project = matches!(file.kind.role, Role::Servers | Role::Settings) && !place.is_plugin;
    let command = server.entry.value.get("command")?;
    let program = command.as_str()?.rsplit('/').next()?;
    let has_interpreter = ["node", "python", "python3", "bash", "sh", "deno", "bun", "tsx"].contains(&program);
    let node = if has_interpreter {
        server
            .entry
            .value
            .get("args")?
            .as_sequence()?
            .iter()
            .find(|arg| arg.as_str().is_some_and(|arg| arg != "run"))?
    } else {
        command
    };
    let script =
        node.as_str().filter(|script| script.starts_with("./") && script.contains(|c: char| c.is_alphabetic()))?;
    let is_plain = !script.contains(['$', '*', ' ', '{', '<']) && script[2..].contains('.');
    let path = place.resolve(script)?;
    let fits = is_project && is_plain && server.entry.value.get("cwd").is_none();
    let is_started = !has_interpreter && may_start(script, script);
    fits.then(|| PathReference::new(script, node, role, path).started(is_started))
}

/// Whether a command tests whether files exist, and so expects that they may not.
fn tests_for_files(text: &str) -> bool {
    ["-f ", "-x ", "-e ", "-d ", "-s ", "-r "].iter().any(|test| text.contains(test)) && text.contains(['[', '&', '|'])
}

/// Variables that tools replace with the folder of the plugin.
const PLUGIN_VARIABLES: [&str; 4] = ["CLAUDE_PLUGIN_ROOT", "CURSOR_PLUGIN_ROOT", "PLUGIN_ROOT", "extensionPath"];
/// Variables that tools replace with the folder of the project.
const PROJECT_VARIABLES: [&str; 4] = ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "workspaceFolder", "workspacePath"];

/// Command with which a hook asks git for the top of the repository. More of the command may follow, such as
/// `2>/dev/null`.
const TOP_OF_REPOSITORY: &str = "$(git rev-parse --show-toplevel";

/// The scripts of a hook that start at the top of the repository: `"$(git rev-parse --show-toplevel)/hooks/a.sh"`.
fn scripts_at_top(node: &Node, place: &CommandBase<'_>) -> Vec<PathReference> {
    let text = node.as_str().filter(|text| !tests_for_files(text)).unwrap_or_default();
    let reference = |word: PathAfter<'_>| {
        let reference = PathReference::new(word.path, node, PathRole::Hook, place.resolve_at_top(word.path)?);
        Some(reference.started(word.is_first && may_start(text, word.path)))
    };
    paths_at_top(text).into_iter().filter_map(reference).collect()
}

fn scripts_in(node: &Node, place: &CommandBase<'_>, role: &PathRole) -> Vec<PathReference> {
    let Some(text) = node.as_str() else { return Vec::new() };
    if tests_for_files(text) {
        return Vec::new();
    }
    let variables = if place.is_plugin { PLUGIN_VARIABLES } else { PROJECT_VARIABLES };
    let text = text.replace("${/}", "/");
    let words = variables.iter().flat_map(|name| paths_after(&text, name));
    let reference = |word: PathAfter<'_>| {
        let reference = PathReference::new(word.path, node, role.clone(), place.resolve(word.path)?);
        Some(reference.started(word.is_first && may_start(&text, word.path)))
    };
    words.filter_map(reference).collect()
}

/// A path after a variable.
#[derive(Debug, PartialEq, Eq)]
struct PathAfter<'a> {
    path: &'a str,
    /// Whether it is the first word of a command.
    is_first: bool,
}

/// The paths after a variable: `a/b.sh` in `"${NAME}/a/b.sh"`, `"$NAME"/a/b.sh` and `${NAME:-.}/a/b.sh`.
fn paths_after<'a>(text: &'a str, name: &str) -> Vec<PathAfter<'a>> {
    let path = |at: usize| {
        let before = &text[..at];
        let rest = &text[at + name.len()..];
        let rest = match before.strip_suffix('{') {
            Some(before) if before.ends_with('$') => &rest[rest.find('}')? + 1..],
            None if before.ends_with('$') => rest,
            _ => return None,
        };
        path_between(before.trim_end_matches(['$', '{']), rest)
    };
    text.match_indices(name).filter_map(|(at, _)| path(at)).collect()
}

/// The paths after [`TOP_OF_REPOSITORY`].
fn paths_at_top(text: &str) -> Vec<PathAfter<'_>> {
    let path = |at: usize| {
        let rest = &text[at + TOP_OF_REPOSITORY.len()..];
        path_between(&text[..at], &rest[rest.find(')')? + 1..])
    };
    text.match_indices(TOP_OF_REPOSITORY).filter_map(|(at, _)| path(at)).collect()
}

/// The path at the start of `rest`, after a variable with the text `before` it.
fn path_between<'a>(before: &str, rest: &'a str) -> Option<PathAfter<'a>> {
    let is_quoted = before.ends_with('"') && !rest.starts_with('"');
    let rest = rest.trim_start_matches('"').strip_prefix('/')?;
    let is_end =
        |c: char| matches!(c, '"' | '\'' | ';' | '|' | '&' | ')' | '>' | '<' | '`' | '\n') || (c == ' ' && !is_quoted);
    let path = &rest[..rest.find(is_end).unwrap_or(rest.len())];
    // A folder, or a path with a variable or pattern, is not known to be a file of the repository.
    let is_plain = !path.contains(['$', '*', '{', '?', '\\', ':']) && !path.ends_with('/') && !path.is_empty();
    is_plain.then(|| PathAfter { path, is_first: is_start_of_command(before) })
}

/// Whether the word after a text is the first of a command: at the start, after an operator, or after assignments.
fn is_start_of_command(before: &str) -> bool {
    let before = before.strip_suffix('"').unwrap_or(before);
    let is_open = |quote: char| !before.matches(quote).count().is_multiple_of(2);
    let command = before.rsplit([';', '&', '|', '(', '{', '\n']).next().unwrap_or(before);
    let is_assignment = |word: &str| {
        let name = word.split_once('=').map_or("", |(name, _)| name);
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let is_word = command.is_empty() || command.ends_with(char::is_whitespace);
    is_word
        && !is_open('"')
        && !is_open('\'')
        && command.split_whitespace().all(|word| is_assignment(word) || word == "exec")
}

/// Whether a script at the start of a command is started as a program of Unix, and a failure is not provided for.
fn may_start(command: &str, script: &str) -> bool {
    let is_of_windows = [".cmd", ".bat", ".ps1", ".exe"].iter().any(|ending| script.to_lowercase().ends_with(ending));
    !is_of_windows && !command.contains("||")
}

/// The script at the start of a command, if it is written relative to the project, and whether it is started without an
/// interpreter.
fn relative_script(command: &str) -> Option<(&str, bool)> {
    let mut words = command.split_whitespace();
    let first = words.next()?;
    let is_interpreter = ["bash", "sh", "zsh", "node", "python", "python3"].contains(&first);
    let script = if is_interpreter { words.next()? } else { first };
    let is_path =
        [".claude/", ".cursor/", ".github/", ".gemini/", ".codex/", "./"].iter().any(|top| script.starts_with(top));
    (is_path && !script.contains(['$', '*', '"', '\'', ';', '|', '&'])).then_some((script, !is_interpreter))
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
            let found = paths_after(text, "CLAUDE_PLUGIN_ROOT").into_iter().map(|word| word.path);
            assert_eq!(found.filter(|path| path.contains('.')).collect::<Vec<_>>(), want, "{text}");
        }
    }

    #[test]
    fn paths_follow_the_top_of_the_repository() {
        for (text, want) in [
            ("$(git rev-parse --show-toplevel)/hooks/a.sh", Some(("hooks/a.sh", true))),
            ("\"$(git rev-parse --show-toplevel)/my hooks/a.sh\" x", Some(("my hooks/a.sh", true))),
            ("\"$(git rev-parse --show-toplevel)\"/a.sh", Some(("a.sh", true))),
            ("python3 \"$(git rev-parse --show-toplevel 2>/dev/null || pwd)/a.py\"", Some(("a.py", false))),
            ("cd \"$(git rev-parse --show-toplevel)\" && ./a.sh", None),
            ("$(git rev-parse --show-toplevel)/$X/a.sh", None),
        ] {
            let found: Vec<_> = paths_at_top(text).into_iter().map(|word| (word.path, word.is_first)).collect();
            assert_eq!(found, want.into_iter().collect::<Vec<_>>(), "{text}");
        }
    }

    #[test]
    fn first_words_are_started() {
        for (text, want) in [
            ("${ROOT}/a.sh", true),
            ("\"${ROOT}/a.sh\" x", true),
            ("\"$ROOT\"/a.sh", true),
            ("LEVEL=2 exec ${ROOT}/a.sh", true),
            ("cat | ${ROOT}/a.sh", true),
            ("cd x && \"${ROOT}/a.sh\"", true),
            ("bash ${ROOT}/a.sh", false),
            ("bash \"${ROOT}/a.sh\"", false),
            ("sh -c '${ROOT}/a.sh'", false),
            ("sh -c \"cd x && ${ROOT}/a.sh\"", false),
            ("echo \"a; b\" ${ROOT}/a.sh", false),
            ("A=${ROOT}/a.sh", false),
            ("# ${ROOT}/a.sh", false),
            (". ${ROOT}/a.sh", false),
        ] {
            let found: Vec<bool> = paths_after(text, "ROOT").into_iter().map(|word| word.is_first).collect();
            assert_eq!(found, [want], "{text}");
        }
    }

    #[test]
    fn scripts_relative_to_the_project() {
        for (text, want) in [
            (".claude/hooks/a.sh", Some((".claude/hooks/a.sh", true))),
            ("python3 .claude/hooks/a.py --x", Some((".claude/hooks/a.py", false))),
            ("./a.sh", Some(("./a.sh", true))),
            ("npx prettier --write .", None),
            ("cat .claude/x || true", None),
        ] {
            assert_eq!(relative_script(text), want, "{text}");
        }
    }
}
