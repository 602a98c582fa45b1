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
const OTHERS: [&str; 5] = [".git/hooks", ".git/config", ".husky", "canonry.yaml", "canonry.local.yaml"];

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
    let verdict = if how == WriteEffect::Possible { Verdict::Ask } else { Verdict::Deny };
    if let Some(reason) = check_write(&place, input.policy, verdict) {
        return Some(reason);
    }
    let all = protected(input.policy);
    let in_folder = |path: &String| match how {
        WriteEffect::Removes => place.holds(path) && place.text() != "",
        // The source keeps its name in this folder.
        WriteEffect::CopiesTo => sources.iter().any(|source| {
            let name = source.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            let into = input.context.roots.locate(cwd, &format!("{}/{name}", word.text));
            into.is(path) || path_in(&into, path) || !name.is_empty() && into.holds(path)
        }),
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
    let sets = lower.iter().any(|word| word.starts_with("core.hookspath="))
        || sub == "config"
            && lower.iter().any(|word| word == "core.hookspath")
            && !lower.iter().any(|word| word.starts_with("--get") || word == "get");
    let aliases = lower.iter().any(|word| word.starts_with("alias.")) && sub != "config";
    let mut found = Vec::new();
    if sets {
        found.push(VerdictReason::guard(
            Verdict::Deny,
            RULE,
            "it disables or moves git's hooks; only a person may do this",
        ));
    }
    if aliases {
        found.push(VerdictReason::guard(Verdict::Ask, RULE, "it defines and runs a git alias, which is not analysed"));
    }
    found
}
