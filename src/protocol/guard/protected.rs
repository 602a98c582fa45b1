//! `protected-file`: agents may not change the files that enforce the policy.

use super::GuardInput;
use crate::protocol::files::{WriteEffect, writes};
use crate::protocol::matching::path::{PathScope, glob, starts_with};
use crate::protocol::matching::subcommand;
use crate::protocol::policy::Policy;
use crate::protocol::shell::{SimpleCommand, Word};
use crate::protocol::verdict::{Verdict, VerdictReason};

const RULE: &str = "canonry's guard `protected-file`";

/// The files and folders of the tools' hooks and permissions.
const SETTINGS: [&str; 14] = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks",
    ".gemini/settings.json",
    ".gemini/policies",
    ".gemini/hooks",
    ".codex/hooks.json",
    ".codex/config.toml",
    ".codex/rules",
    ".cursor/hooks.json",
    ".cursor/cli.json",
    ".cursor/hooks",
    ".agents/hooks.json",
    ".antigravity/settings.json",
];
/// The files of git and canonry.
const OTHERS: [&str; 7] =
    [".git/hooks", ".git/config", ".git/config.worktree", ".git/HEAD", ".husky", "canonry.yaml", "canonry.local.yaml"];
/// Files of the user that every shell or git command runs.
const STARTUP: [&str; 10] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".gitconfig",
    ".config/git/config",
];

pub(super) fn check(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let mut found = disabled_hooks(input.simple);
    let sources: Vec<&Word> = input.simple.words.iter().skip(1).filter(|word| !word.text.starts_with('-')).collect();
    for (how, word) in writes(input.simple) {
        let reason = check_word(input, how, &word, &sources);
        found.extend(reason.filter(|reason| !found.contains(reason)));
    }
    found
}

fn check_word(input: &GuardInput<'_>, how: WriteEffect, word: &Word, sources: &[&Word]) -> Option<VerdictReason> {
    let cwd = input.simple.cwd.as_deref();
    let place = input.context.roots.locate(cwd, word.text.trim_end_matches("/."));
    let is_tree = place == PathScope::Inside(String::new());
    // A search by a pattern with wildcards names these files only among others.
    let is_broad = word.is_glob
        && word.text.contains("**/")
        && word.text.rsplit('/').next().is_some_and(|name| name.contains('*'));
    let is_uncertain = how == WriteEffect::Possible || is_broad || is_tree || word.text.contains('\0');
    let verdict = if is_uncertain { Verdict::Ask } else { Verdict::Deny };
    if how != WriteEffect::Possible && is_startup(&place) {
        let message = format!("it changes `{}`, which later shells or git commands run", place.text());
        return Some(VerdictReason::guard(Verdict::Ask, RULE, message));
    }
    if let Some(reason) = check_write(&place, input.policy, verdict) {
        return Some(reason);
    }
    let all = protected(input.policy);
    let in_folder = |path: &String| match how {
        // Git replaces every file below a folder; a mode or an owner of the whole repository does no harm.
        WriteEffect::Removes if is_tree => input.simple.program() == Some("git"),
        WriteEffect::Removes => place.holds(path) && place.text() != "",
        // The source keeps its name in this folder.
        WriteEffect::CopiesTo => sources.iter().filter(|source| source.text != word.text).any(|source| {
            let name = source.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            // `rsync` copies the content of a folder whose name ends with a slash.
            let is_content = input.simple.program() == Some("rsync") && source.text.ends_with('/');
            let name = if is_content { "." } else { name };
            let into = input.context.roots.locate(cwd, &format!("{}/{name}", word.text));
            into.is(path) || path_in(&into, path) || !name.is_empty() && into.holds(path)
        }),
        WriteEffect::Possible if is_tree => input.simple.program() == Some("git"),
        WriteEffect::Certain | WriteEffect::Possible => false,
    };
    let by_pattern = |path: &String| {
        let matcher = word.is_glob.then(|| glob(place.text().trim_end_matches('/'))).flatten();
        matcher.is_some_and(|matcher| {
            matches!(place, PathScope::Inside(_)) && ancestors(path).any(|part| matcher.is_match(part))
        })
    };
    let path = all.iter().find(|path| in_folder(path) || (how != WriteEffect::Possible && by_pattern(path)))?;
    Some(VerdictReason::guard(verdict, RULE, message(verdict, path)))
}

fn path_in(place: &PathScope, folder: &str) -> bool {
    matches!(place, PathScope::Inside(path) if starts_with(path, folder))
}

/// Lists a path and its parent folders.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at]).chain([path])
}

fn protected(policy: &Policy) -> Vec<String> {
    let layout = &policy.layout;
    let own = [layout.permissions(), layout.tool_schemas(), layout.config()].map(|path| path.to_display());
    own.into_iter().chain(SETTINGS.iter().chain(&OTHERS).map(|path| (*path).to_owned())).collect()
}

fn message(verdict: Verdict, path: &str) -> String {
    let verb = if verdict == Verdict::Deny { "it changes" } else { "it may change" };
    format!("{verb} `{path}`, which enforces the policy; only a person may do this")
}

/// Checks whether a file may be written.
pub fn check_write(place: &PathScope, policy: &Policy, verdict: Verdict) -> Option<VerdictReason> {
    let own = |path: &&String| place.is(path) || path_in(place, path) || is_user_setting(place, path);
    let path = protected(policy).iter().find(own).cloned()?;
    Some(VerdictReason::guard(verdict, RULE, message(verdict, &path)))
}

/// Checks for a file in a home folder that later commands run.
fn is_startup(place: &PathScope) -> bool {
    let PathScope::Outside(path) = place else { return false };
    let below = path.strip_prefix("~/").or_else(|| {
        let rest = path.strip_prefix("/home/").or_else(|| path.strip_prefix("/Users/"))?;
        rest.split_once('/').map(|(_, below)| below)
    });
    below.or_else(|| path.strip_prefix("/root/")).is_some_and(|below| STARTUP.contains(&below))
}

/// Checks for the user's own settings, which apply to every repository.
fn is_user_setting(place: &PathScope, path: &str) -> bool {
    let PathScope::Outside(full) = place else { return false };
    let is_setting = SETTINGS.contains(&path);
    is_setting && (full.ends_with(&format!("/{path}")) || full.contains(&format!("/{path}/")))
}

/// Checks for `git config core.hooksPath` and `git -c core.hooksPath=…`.
fn disabled_hooks(simple: &SimpleCommand) -> Vec<VerdictReason> {
    if simple.program() != Some("git") {
        return Vec::new();
    }
    let lower: Vec<String> = simple.words.iter().skip(1).map(|word| word.text.to_lowercase()).collect();
    let sub = subcommand("git", &simple.words[1..]).first().map_or("", |word| word.text.as_str());
    let sets_option = |word: &String| {
        let value = word.strip_prefix("--config-env=").or_else(|| word.strip_prefix("-c")).unwrap_or(word);
        value.starts_with("core.hookspath=")
    };
    let sets = lower.iter().any(sets_option)
        || sub == "config"
            && lower.iter().any(|word| word == "core.hookspath")
            && !lower.iter().any(|word| word.starts_with("--get") || word == "get");
    let edits = sub == "config" && lower.iter().any(|word| matches!(word.as_str(), "-e" | "--edit" | "edit"));
    // Settings in the environment can disable hooks too.
    let is_configured =
        simple.sets.iter().any(|name| name.starts_with("GIT_CONFIG") || matches!(name.as_str(), "HUSKY" | "LEFTHOOK"));
    let aliases = lower.iter().any(|word| word.starts_with("alias.")) && sub != "config";
    let mut found = Vec::new();
    if sets {
        found.push(VerdictReason::guard(
            Verdict::Deny,
            RULE,
            "it disables or moves git's hooks; only a person may do this",
        ));
    }
    if !sets && (edits || is_configured) {
        found.push(VerdictReason::guard(Verdict::Ask, RULE, "it changes git's settings, which may disable its hooks"));
    }
    if aliases {
        found.push(VerdictReason::guard(Verdict::Ask, RULE, "it defines and runs a git alias, which is not analysed"));
    }
    found
}
