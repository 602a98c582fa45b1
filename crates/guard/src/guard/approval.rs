//! `self-approval`: an agent may not allow its own calls, or trust files on behalf of the user.

use super::GuardInput;
use crate::call::CallContext;
use crate::files::{WriteEffect, writes};
use crate::matching::path::{PathScope, starts_with};
use crate::shell::SimpleCommand;
use crate::verdict::{Verdict, VerdictReason};

const RULE: &str = "canonry's guard `self-approval`";

pub(super) fn check(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let mut found: Vec<VerdictReason> = approval(input.simple).into_iter().collect();
    for (how, word) in writes(input.simple) {
        let place = input.context.roots.locate(input.simple.cwd.as_deref(), &word.text);
        let verdict = if how == WriteEffect::Possible { Verdict::Ask } else { Verdict::Deny };
        // A folder above, such as `~/.config`, has other content too.
        let is_above = || how == WriteEffect::Removes && holds_own_folder(&place, input.context);
        let reason =
            check_own_files(&place, input.context, verdict).or_else(|| is_above().then(|| reason(Verdict::Ask)));
        found.extend(reason.filter(|reason| !found.contains(reason)));
    }
    found
}

/// Checks whether a file of the user's canonry settings or state may be written.
pub fn check_own_files(place: &PathScope, context: &CallContext, verdict: Verdict) -> Option<VerdictReason> {
    let path = place.text();
    let is_own = matches!(place, PathScope::Outside(_)) && context.own_folders.iter().any(|own| starts_with(path, own));
    is_own.then(|| reason(verdict))
}

fn holds_own_folder(place: &PathScope, context: &CallContext) -> bool {
    matches!(place, PathScope::Outside(path) if context.own_folders.iter().any(|own| starts_with(own, path)))
}

fn reason(verdict: Verdict) -> VerdictReason {
    let message = "it changes the user's own canonry settings, trusted files or approvals; only a person may do this";
    VerdictReason::guard(verdict, RULE, message)
}

/// Checks for `canonry trust` and `canonry hook allow-once`.
fn approval(simple: &SimpleCommand) -> Option<VerdictReason> {
    let args: Vec<&str> = simple.words.iter().skip(1).map(|word| word.text.as_str()).collect();
    let found = |verdict, message| VerdictReason::guard(verdict, RULE, format!("{message}; only a person may do this"));
    // The program may have another name.
    if args.windows(2).any(|two| two == ["hook", "allow-once"]) && !prints(simple) {
        return Some(found(Verdict::Deny, "it approves a call on behalf of the user"));
    }
    if runs_code(simple) {
        let approves =
            |text: &&str| text.contains("canonry") && (text.contains("allow-once") || text.contains("trust"));
        return args.iter().any(approves).then(|| found(Verdict::Ask, "it may approve something for the user"));
    }
    if simple.program() != Some("canonry") || args.iter().any(|word| matches!(*word, "--help" | "-h")) {
        return None;
    }
    // `-C DIR` is the only option with a value before the command.
    let mut names = args
        .iter()
        .enumerate()
        .filter(|(at, word)| !word.starts_with('-') && at.checked_sub(1).and_then(|at| args.get(at)) != Some(&"-C"))
        .map(|(_, word)| *word);
    match (names.next(), names.next()) {
        (Some("trust"), _) if !args.contains(&"--list") => {
            Some(found(Verdict::Deny, "it trusts files on behalf of the user"))
        }
        // An unknown word may be one of these.
        (Some(word), _) | (Some("hook"), Some(word)) if word.contains('\0') => {
            Some(found(Verdict::Deny, "it may approve something for the user"))
        }
        _ => None,
    }
}

/// Checks for programs that only print or search their arguments.
fn prints(simple: &SimpleCommand) -> bool {
    matches!(simple.program(), Some("echo" | "printf" | "grep" | "rg"))
}

/// Checks for programs that run code in their arguments.
fn runs_code(simple: &SimpleCommand) -> bool {
    let interpreters = ["python", "node", "deno", "bun", "perl", "ruby", "php", "lua"];
    simple.program().is_some_and(|program| {
        let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        interpreters.contains(&name)
    })
}
