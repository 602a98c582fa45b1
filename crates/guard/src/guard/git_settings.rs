//! `protected-file` for git: settings that disable its hooks, run programs, or change hosts.

use super::GuardInput;
use super::protected_files::RULE;
use crate::matching::subcommand;
use crate::shell::Word;
use crate::verdict::{Verdict, VerdictReason};

/// Checks for `git config core.hooksPath` and `git -c core.hooksPath=…`.
pub(super) fn check(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let simple = input.simple;
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
    // Settings in the environment can disable hooks too, https://typicode.github.io/husky/how-to.html,
    // https://lefthook.dev/usage/envs/LEFTHOOK.html, https://pre-commit.com/#temporarily-disabling-hooks
    let is_configured = simple
        .sets
        .iter()
        .any(|name| name.starts_with("GIT_CONFIG") || matches!(name.as_str(), "HUSKY" | "LEFTHOOK" | "SKIP"));
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
    if sub == "config"
        && let Some(message) = setting(&simple.words[1..])
    {
        found.push(VerdictReason::guard(Verdict::Ask, RULE, message));
    }
    found
}

/// Returns what a setting does that makes git run programs, read other settings, or contact other hosts.
fn setting(args: &[Word]) -> Option<&'static str> {
    let looks = |word: &Word| {
        word.text.starts_with("--get")
            || word.text.starts_with("--unset")
            || matches!(word.text.as_str(), "-l" | "--list")
    };
    if args.iter().any(looks) {
        return None;
    }
    let verbs = ["config", "set", "get", "unset", "list"];
    let mut plain =
        args.iter().filter(|word| !word.text.starts_with('-')).skip_while(|word| verbs.contains(&word.text.as_str()));
    let key = plain.next()?.text.to_lowercase();
    let value = plain.next()?.text.as_str();
    let ends = |end: &str| key.ends_with(end);
    match key.split('.').next().expect("split is never empty") {
        "core" if ends(".fsmonitor") && !matches!(value, "true" | "false" | "0" | "1") => {
            Some("it makes git run a program")
        }
        "core" if ends(".sshcommand") && !value.starts_with("ssh ") => Some("it makes git run a program"),
        "core" if ends(".gitproxy") => Some("it makes git run a program"),
        "diff" if key == "diff.external" => Some("it makes git run a program"),
        "filter" if ends(".clean") || ends(".smudge") || ends(".process") => Some("it makes git run a program"),
        "alias" if value.starts_with('!') => Some("it makes git run a program"),
        "credential" if ends("helper") && value.starts_with(['!', '/']) => Some("it makes git run a program"),
        "include" | "includeif" => Some("it makes git read settings from another file"),
        "init" if ends(".templatedir") => Some("it sets the hooks of new repositories"),
        "url" if ends(".insteadof") || ends(".pushinsteadof") => Some("it makes git contact another host"),
        _ => None,
    }
}
