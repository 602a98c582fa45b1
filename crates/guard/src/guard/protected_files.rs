//! The files that `protected-file` guards.

use crate::matching::path::{PathRoots, PathScope, starts_with};
use crate::policy::Policy;
use crate::verdict::{Verdict, VerdictReason};
use canonry_model::config::TOOLS;
use std::sync::LazyLock;

pub(super) const RULE: &str = "canonry's guard `protected-file`";

/// The files and folders of the tools' hooks and permissions, in a repository and in the user's home.
static SETTINGS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let hooks = TOOLS.iter().filter_map(|row| Some(row.hooks.as_ref()?.path));
    let permissions = TOOLS.iter().filter_map(|row| row.permissions.as_ref());
    let permissions = permissions.flat_map(|row| std::iter::once(row.path).chain(row.commands));
    // A tool reads every file in a folder of hooks or rules.
    let folder = |path: &'static str| path.rsplit_once('/').map(|(above, _)| above).filter(|above| above.contains('/'));
    hooks.chain(permissions).map(|path| folder(path).unwrap_or(path)).chain(MORE_SETTINGS).collect()
});
/// Those that sync does not write.
const MORE_SETTINGS: [&str; 12] = [
    ".claude/settings.local.json",
    ".claude/hooks",
    ".gemini/hooks",
    ".cursor/cli-config.json",
    ".cursor/hooks",
    ".gemini/trustedFolders.json",
    "opencode.jsonc",
    ".opencode/opencode.json",
    ".opencode/plugin",
    ".grok/config.toml",
    ".grok/trusted_folders.toml",
    ".cline/hooks",
];
/// The files of git and canonry.
const OTHERS: [&str; 7] =
    [".git/hooks", ".git/config", ".git/config.worktree", ".git/HEAD", ".husky", "canonry.yaml", "canonry.local.yaml"];
/// The names of git's files, which submodules and linked work trees have too.
const GIT: [&str; 4] = ["hooks", "config", "config.worktree", "HEAD"];
/// Files of the user, and of all users, that canonry and the tools read.
const USER: [&str; 3] = [".config/canonry", ".config/opencode/plugin", ".config/opencode/plugins"];
const SYSTEM: [&str; 4] =
    ["/etc/claude-code", "/etc/gemini-cli", "/etc/codex", "/Library/Application Support/ClaudeCode"];
/// Files of the user that later commands run or obey.
const STARTUP: [&str; 28] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".xprofile",
    ".config/fish",
    ".config/nushell",
    ".config/powershell",
    "Documents/PowerShell",
    "Documents/WindowsPowerShell",
    ".gitconfig",
    ".config/git",
    ".ssh/authorized_keys",
    ".ssh/config",
    ".ssh/rc",
    ".config/autostart",
    ".config/systemd/user",
    "Library/LaunchAgents",
];
/// The same for all users.
const SYSTEM_STARTUP: [&str; 9] = [
    "/etc/profile",
    "/etc/profile.d",
    "/etc/bash.bashrc",
    "/etc/bashrc",
    "/etc/zsh",
    "/etc/zshrc",
    "/etc/zshenv",
    "/etc/environment",
    "/etc/gitconfig",
];
/// Names of files in which agents find their MCP servers. `mcp.json` counts in folders with settings only.
const MCP: [&str; 5] =
    [".mcp.json", "mcp_config.json", "mcp_settings.json", "cline_mcp_settings.json", "claude_desktop_config.json"];

/// Lists the files and folders of the repository that only a person may change.
pub(super) fn protected(policy: &Policy) -> Vec<String> {
    let layout = &policy.layout;
    let own = [layout.permissions(), layout.tool_schemas(), layout.config(), layout.approvals()]
        .map(|path| path.to_display());
    own.into_iter().chain(SETTINGS.iter().chain(&OTHERS).map(|path| (*path).to_owned())).collect()
}

pub(super) fn path_in(place: &PathScope, folder: &str) -> bool {
    matches!(place, PathScope::Inside(path) if starts_with(path, folder))
}

pub(super) fn message(verdict: Verdict, path: &str) -> String {
    let verb = if verdict == Verdict::Deny { "it changes" } else { "it may change" };
    format!("{verb} `{path}`, which enforces the policy; only a person may do this")
}

/// Checks whether a file may be written. If it is uncertain that the file is written, `verdict` is [`Verdict::Ask`]; then
/// files that a person may approve do not count.
pub fn check_write(place: &PathScope, policy: &Policy, roots: &PathRoots, verdict: Verdict) -> Option<VerdictReason> {
    let below_home = below_home(place, roots);
    let own = |path: &&String| place.is(path) || path_in(place, path);
    let enforcing = protected(policy).iter().find(own).cloned().or_else(|| other_enforcing(place, below_home));
    if let Some(path) = enforcing {
        return Some(VerdictReason::guard(verdict, RULE, message(verdict, &path)));
    }
    if is_binary(place) {
        let text =
            format!("it changes `{}`, the program that enforces the policy; only a person may do this", place.text());
        return Some(VerdictReason::guard(verdict, RULE, text));
    }
    let is_executed = [policy.layout.hooks(), policy.layout.mcp()].iter().any(|path| place.is(&path.to_display()));
    let executed = is_executed.then_some("which names commands that agents' tools run");
    let why = (verdict == Verdict::Deny).then(|| executed.or_else(|| approvable(place, below_home))).flatten()?;
    Some(VerdictReason::guard(Verdict::Ask, RULE, format!("it changes `{}`, {why}", place.text())))
}

/// Returns a file that enforces the policy outside the repository, or in one of git's other folders.
fn other_enforcing(place: &PathScope, below_home: Option<&str>) -> Option<String> {
    match place {
        PathScope::Inside(path) => {
            let rest = path.strip_prefix(".git/modules/").or_else(|| path.strip_prefix(".git/worktrees/"))?;
            rest.split('/').skip(1).any(|part| GIT.contains(&part)).then(|| path.clone())
        }
        PathScope::Outside(path) => {
            let is_setting =
                |setting: &&&str| path.ends_with(&format!("/{setting}")) || path.contains(&format!("/{setting}/"));
            let user = || below_home.is_some_and(|below| is_one_of(below, &USER));
            let found = SETTINGS.iter().find(is_setting).map(|setting| (*setting).to_owned());
            found.or_else(|| (user() || is_one_of(path, &SYSTEM)).then(|| path.clone()))
        }
        PathScope::Unresolved(_) => None,
    }
}

/// Returns why a person must approve a change.
fn approvable(place: &PathScope, below_home: Option<&str>) -> Option<&'static str> {
    let path = place.text();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let parent = folder.rsplit('/').next().expect("split is never empty");
    let is_mcp =
        MCP.contains(&name) || name == "mcp.json" && parent.starts_with('.') || below_home == Some(".claude.json");
    if is_mcp {
        return Some("which sets the MCP servers that agents start");
    }
    let is_startup = below_home.is_some_and(|below| is_one_of(below, &STARTUP));
    let is_system = matches!(place, PathScope::Outside(path) if is_one_of(path, &SYSTEM_STARTUP));
    (is_startup || is_system).then_some("which later shells, sessions or git commands run")
}

fn is_one_of(path: &str, folders: &[&str]) -> bool {
    folders.iter().any(|folder| starts_with(path, folder))
}

/// Checks for canonry's binary in a folder with programs.
fn is_binary(place: &PathScope) -> bool {
    let PathScope::Outside(path) = place else { return false };
    let mut parts = path.rsplit('/');
    matches!(parts.next(), Some("canonry" | "canonry.exe"))
        && parts.next().is_some_and(|folder| matches!(folder, "bin" | "sbin" | "Scripts" | "shims"))
}

/// Returns the path below a home folder.
fn below_home<'p>(place: &'p PathScope, roots: &PathRoots) -> Option<&'p str> {
    let PathScope::Outside(path) = place else { return None };
    let own = roots.home.as_deref().and_then(|home| path.strip_prefix(home)?.strip_prefix('/'));
    own.or_else(|| path.strip_prefix("~/")).or_else(|| path.strip_prefix("/root/")).or_else(|| {
        let rest = path.strip_prefix("/home/").or_else(|| path.strip_prefix("/Users/"))?;
        rest.split_once('/').map(|(_, below)| below)
    })
}
