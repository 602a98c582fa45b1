//! `protected-file` for programs: canonry is removed or overruled, or an agent starts without its checks.

use super::GuardInput;
use super::protected_files::RULE;
use crate::shell::{SimpleCommand, Word};
use crate::verdict::{Verdict, VerdictReason};
use canonry_model::config::TOOLS;

/// Programs that remove programs.
const PACKAGE_MANAGERS: [&str; 26] = [
    "cargo", "brew", "pip", "pip3", "pipx", "uv", "npm", "pnpm", "yarn", "bun", "apt", "apt-get", "dpkg", "dnf", "yum",
    "rpm", "pacman", "zypper", "apk", "snap", "nix", "nix-env", "scoop", "choco", "winget", "mise",
];
/// Their subcommands and options that remove.
const REMOVES: [&str; 10] =
    ["uninstall", "remove", "rm", "purge", "un", "del", "erase", "autoremove", "unlink", "--purge"];
/// Options that remove, of the package managers without subcommands.
const REMOVAL_OPTIONS: [&str; 4] = ["-r", "-R", "-Rs", "-e"];

pub(super) fn check(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let simple = input.simple;
    let message = match simple.program() {
        Some("canonry") => own_command(simple),
        Some(program) if PACKAGE_MANAGERS.contains(&program) => removal(program, simple),
        Some(program) if TOOLS.iter().any(|tool| tool.programs.contains(&program)) => agent(program, simple),
        _ => None,
    };
    message.map(|message| VerdictReason::guard(Verdict::Ask, RULE, message)).into_iter().collect()
}

/// Checks for commands of canonry that run command lines which stand elsewhere: in a plan, in `owners.yaml`, in their arguments.
/// What an entry allows is the name of the command, never these lines.
pub fn runs_documents(simple: &SimpleCommand) -> bool {
    if simple.program() != Some("canonry") {
        return false;
    }
    let names: Vec<&str> = texts(simple).filter(|word| !word.starts_with('-')).collect();
    let runs = |two: &[&str]| match two {
        ["run", "exec" | "finish" | "verify"] | ["bench", _] => true,
        // It decides as `finish` does.
        ["run", "set"] => names.contains(&"complete"),
        _ => false,
    };
    names.windows(2).any(runs)
}

fn texts(simple: &SimpleCommand) -> impl Iterator<Item = &str> {
    simple.words.iter().skip(1).map(|word: &Word| word.text.as_str())
}

/// Returns what a command of canonry does that is a person's decision.
fn own_command(simple: &SimpleCommand) -> Option<&'static str> {
    let has = |text: &str| texts(simple).any(|word| word == text);
    let names: Vec<&str> = texts(simple).filter(|word| !word.starts_with('-')).collect();
    let calls = |first: &str, second: &str| names.windows(2).any(|two| two == [first, second]);
    if has("--help") || has("-h") || has("--dry-run") {
        None
    } else if has("uninstall") {
        Some("it removes what canonry installed")
    } else if has("sync") && has("--force") {
        Some("it overwrites files that a person edited")
    } else if calls("run", "approve") || calls("run", "reject") {
        Some("it decides in the name of a person")
    } else {
        None
    }
}

fn removal(program: &str, simple: &SimpleCommand) -> Option<&'static str> {
    let is_canonry = |word: &str| word.split(['@', '=']).next() == Some("canonry");
    let has_options = matches!(program, "dpkg" | "rpm" | "pacman" | "nix-env");
    let removes = texts(simple).any(|word| REMOVES.contains(&word) || has_options && REMOVAL_OPTIONS.contains(&word));
    (removes && texts(simple).any(is_canonry)).then_some("it removes canonry, which enforces the policy")
}

/// Returns how an agent is started without its checks, or gets other settings.
fn agent(program: &str, simple: &SimpleCommand) -> Option<&'static str> {
    let words: Vec<&str> = texts(simple).collect();
    let skips = |word: &&str| {
        let name = word.split('=').next().unwrap_or(word);
        name.starts_with("--dangerously")
            || matches!(name, "--yolo" | "--allow-dangerously-skip-permissions")
            || program == "gemini" && name == "-y"
            || program == "cursor-agent" && matches!(name, "-f" | "--force")
    };
    let modes = ["bypassPermissions", "yolo", "danger-full-access"];
    let has_mode = words.iter().any(|word| modes.contains(&word.rsplit('=').next().unwrap_or(word)));
    let first: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with('-')).take(2).collect();
    match (first.first().copied(), first.get(1).copied()) {
        _ if words.iter().any(skips) || has_mode => Some("it starts an agent without its checks"),
        _ if words.iter().any(|word| word.split('=').next() == Some("--settings")) => {
            Some("it starts an agent with other settings")
        }
        (Some("mcp"), Some("add" | "add-json" | "add-from-claude-desktop" | "enable")) => {
            Some("it adds an MCP server, which agents start")
        }
        (Some("config"), Some("set" | "add" | "remove")) => Some("it changes the settings of an agent"),
        _ => None,
    }
}
