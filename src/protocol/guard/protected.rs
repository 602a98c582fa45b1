//! `protected-file`: what holds agents to the protocols may not be changed by them.

use super::GuardInput;
use crate::protocol::files::{Writes, writes};
use crate::protocol::matching::path::{PathScope, glob, starts_with};
use crate::protocol::matching::subcommand;
use crate::protocol::policy::Policy;
use crate::protocol::shell::{Simple, Word};
use crate::protocol::verdict::{Verdict, VerdictReason};

const RULE: &str = "canonry's guard `protected-file`";

/// Where tools keep their hooks and permissions.
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
/// Of git, and of canonry's config.
const OTHERS: [&str; 5] = [".git/hooks", ".git/config", ".husky", "canonry.yaml", "canonry.local.yaml"];

pub(super) fn check(case: &GuardInput<'_>) -> Vec<VerdictReason> {
    let mut found = turns_hooks_off(case.simple);
    let sources: Vec<&Word> = case.simple.words.iter().skip(1).filter(|word| !word.text.starts_with('-')).collect();
    for (how, word) in writes(case.simple) {
        let hit = hit(case, how, &word, &sources);
        found.extend(hit.filter(|reason| !found.contains(reason)));
    }
    found
}

fn hit(case: &GuardInput<'_>, how: Writes, word: &Word, sources: &[&Word]) -> Option<VerdictReason> {
    let cwd = case.simple.cwd.as_deref();
    let place = case.around.roots.place(cwd, word.text.trim_end_matches("/."));
    let verdict = if how == Writes::Perhaps { Verdict::Ask } else { Verdict::Deny };
    if let Some(reason) = written(&place, case.policy, verdict) {
        return Some(reason);
    }
    let all = protected(case.policy);
    let in_folder = |path: &String| match how {
        Writes::Whole => place.holds(path) && place.text() != "",
        // Under its own name in this folder.
        Writes::Onto => sources.iter().any(|source| {
            let name = source.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            let into = case.around.roots.place(cwd, &format!("{}/{name}", word.text));
            into.is(path) || path_in(&into, path) || !name.is_empty() && into.holds(path)
        }),
        Writes::Surely | Writes::Perhaps => false,
    };
    let by_pattern = |path: &String| {
        let matcher = word.is_glob.then(|| glob(place.text().trim_end_matches('/'))).flatten();
        matcher.is_some_and(|matcher| {
            matches!(place, PathScope::Inside(_)) && ancestors(path).any(|part| matcher.is_match(part))
        })
    };
    let path = all.iter().find(|path| in_folder(path) || (how != Writes::Perhaps && by_pattern(path)))?;
    Some(VerdictReason::guard(verdict, RULE, said(verdict, path)))
}

fn path_in(place: &PathScope, folder: &str) -> bool {
    matches!(place, PathScope::Inside(path) if starts_with(path, folder))
}

/// A path and the folders that it lies in.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at]).chain([path])
}

fn protected(policy: &Policy) -> Vec<String> {
    let layout = &policy.layout;
    let own = [layout.permissions(), layout.tool_schemas(), layout.config()].map(|path| path.to_display());
    own.into_iter().chain(SETTINGS.iter().chain(&OTHERS).map(|path| (*path).to_owned())).collect()
}

fn said(verdict: Verdict, path: &str) -> String {
    let verb = if verdict == Verdict::Deny { "it changes" } else { "it may change" };
    format!("{verb} `{path}`, which holds agents to the protocols: that is for a person")
}

/// What speaks against writing a file.
pub fn written(place: &PathScope, policy: &Policy, verdict: Verdict) -> Option<VerdictReason> {
    let own = |path: &&String| place.is(path) || path_in(place, path) || of_home(place, path);
    let path = protected(policy).iter().find(own).cloned()?;
    Some(VerdictReason::guard(verdict, RULE, said(verdict, &path)))
}

/// The user's own settings, which hold for every repository.
fn of_home(place: &PathScope, path: &str) -> bool {
    let PathScope::Outside(full) = place else { return false };
    let is_setting = SETTINGS.contains(&path);
    is_setting && (full.ends_with(&format!("/{path}")) || full.contains(&format!("/{path}/")))
}

/// `git config core.hooksPath`, `git -c core.hooksPath=…`.
fn turns_hooks_off(simple: &Simple) -> Vec<VerdictReason> {
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
            "it turns git's hooks off or to another folder: that is for a person",
        ));
    }
    if aliases {
        found.push(VerdictReason::guard(
            Verdict::Ask,
            RULE,
            "it runs an alias that it makes itself, which is not read",
        ));
    }
    found
}
