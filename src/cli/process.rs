//! The process as a command sees it: environment variables, terminal, signals.

use crate::render::human::{Colour, Style};
use canonry_app::{Clock, Environment, RepositoryScope};
use canonry_model::config::{TOOLS, ToolRow};
use canonry_repo::exec::group::WORKER_VARIABLE;
use canonry_repo::git::commit::{GitHooks, INSIDE_HOOK};
use canonry_text::RepoPath;
use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The variables in which tools name the project of a session to their hooks. Codex and Antigravity have none.
const PROJECT_DIRS: [&str; 4] = ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR", "GEMINI_CWD"];
/// The variables that tools set for the commands of their agents. `AGENT` and `AI_AGENT` are used by several.
const AGENTS: [&str; 9] = [
    "CLAUDECODE",
    "GEMINI_CLI",
    "CURSOR_AGENT",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "CODEX_CI",
    "AGENT",
    "AI_AGENT",
    WORKER_VARIABLE,
];

/// Reads the environment of the process and connects Ctrl-C.
///
/// # Errors
/// The current directory no longer exists.
pub fn process_environment() -> io::Result<Environment> {
    let cancel = Arc::new(AtomicBool::new(false));
    // A second Ctrl-C terminates the process immediately, in case the first one has no effect.
    let hang_up = (!ignores_hang_up()).then_some(signal_hook::consts::SIGHUP);
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM].into_iter().chain(hang_up) {
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&cancel))?;
        signal_hook::flag::register(signal, Arc::clone(&cancel))?;
    }
    Ok(Environment {
        cwd: std::env::current_dir()?,
        scope: RepositoryScope::Discovered,
        base: RepoPath::default(),
        user_config: user_config(),
        home: directory("HOME"),
        tool_homes: tool_homes(),
        state: directory("XDG_STATE_HOME").or_else(|| Some(directory("HOME")?.join(".local/state"))),
        project_dirs: PROJECT_DIRS.iter().filter_map(|name| directory(name)).collect(),
        agent: AGENTS.iter().copied().find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty())),
        path: std::env::var_os("PATH"),
        clock: Clock::System,
        git_hooks: if std::env::var_os(INSIDE_HOOK).is_some() { GitHooks::Off } else { GitHooks::Run },
        cancel,
        plans: Arc::default(),
    })
}

/// Whether this process was started with SIGHUP ignored, as `nohup` does. Without an answer of the system, it was.
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask & 1 == 1)
}

/// Columns of output that goes to no terminal.
const DEFAULT_WIDTH: usize = 100;

/// Layout of text for the process's terminal.
pub fn terminal_style() -> Style {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let plain = is_set("NO_COLOR") || !io::stdout().is_terminal();
    let colour = if plain && !is_set("CLICOLOR_FORCE") { Colour::None } else { Colour::Ansi };
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let width = columns.or_else(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)));
    let width = width.unwrap_or(DEFAULT_WIDTH).clamp(40, 160);
    let of = |is_terminal: bool| is_terminal.then_some(width);
    let notice_width = of(io::stderr().is_terminal());
    Style { width, notice_width, message_width: of(io::stdout().is_terminal()), colour }
}

/// The folders that replace those of tools in the user's home, by the name of the latter.
fn tool_homes() -> BTreeMap<&'static str, PathBuf> {
    let home = |row: &'static ToolRow| Some((row.skills.user?.split('/').next()?, directory(row.home_variable?)?));
    TOOLS.iter().filter_map(home).collect()
}

/// A directory named by an environment variable.
fn directory(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|dir| !dir.is_empty()).map(PathBuf::from)
}

/// `$XDG_CONFIG_HOME/canonry/canonry.yaml`, by default below `~/.config`.
fn user_config() -> Option<PathBuf> {
    let base = directory("XDG_CONFIG_HOME").or_else(|| Some(directory("HOME")?.join(".config")))?;
    Some(base.join("canonry/canonry.yaml"))
}
