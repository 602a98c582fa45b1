//! `protected-file`: agents may not change the files that enforce the policy.

use super::GuardInput;
use super::protected_files::{RULE, check_write, message, path_in, protected};
use crate::files::{WriteEffect, writes};
use crate::matching::path::{PathScope, glob};
use crate::shell::Word;
use crate::verdict::{Verdict, VerdictReason};
use canonry_model::canon::layout::PENDING_LOG;

pub(super) fn check(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let mut found: Vec<VerdictReason> = Vec::new();
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
    let roots = &input.context.roots;
    if let Some(reason) = check_write(&place, input.policy, roots, verdict) {
        return Some(reason);
    }
    // The copies keep the names of their sources.
    if how == WriteEffect::CopiesTo {
        let names = sources.iter().filter_map(|source| source.text.trim_end_matches('/').rsplit('/').next());
        let copies = names.map(|name| roots.locate(cwd, &format!("{}/{name}", word.text)));
        if let Some(reason) = copies.filter_map(|copy| check_write(&copy, input.policy, roots, verdict)).next() {
            return Some(reason);
        }
    }
    let all = protected(input.policy);
    let in_folder = |path: &String| match how {
        // Git replaces every file below a folder; a mode or an owner of the whole repository does no harm.
        WriteEffect::Removes if is_tree => input.simple.program() == Some("git"),
        WriteEffect::Removes => place.holds(path) && place.text() != "",
        // The source keeps its name in this folder.
        WriteEffect::CopiesTo => sources.iter().filter(|source| source.text != word.text).any(|source| {
            let name = source.text.trim_end_matches('/').rsplit('/').next().expect("split is never empty");
            // `rsync` copies the content of a folder whose name ends with a slash.
            let is_content = input.simple.program() == Some("rsync") && source.text.ends_with('/');
            let name = if is_content { "." } else { name };
            let into = input.context.roots.locate(cwd, &format!("{}/{name}", word.text));
            into.is(path) || path_in(&into, path) || !name.is_empty() && into.holds(path)
        }),
        WriteEffect::Possible if is_tree => input.simple.program() == Some("git"),
        WriteEffect::Certain | WriteEffect::Possible => false,
    };
    let is_pattern = word.is_glob && matches!(place, PathScope::Inside(_));
    let matcher = is_pattern.then(|| glob(place.text().trim_end_matches('/'))).flatten();
    let by_pattern =
        |path: &String| matcher.as_ref().is_some_and(|matcher| ancestors(path).any(|part| matcher.is_match(part)));
    match all.iter().find(|path| in_folder(path) || (how != WriteEffect::Possible && by_pattern(path))) {
        Some(path) => Some(VerdictReason::guard(verdict, RULE, message(verdict, path))),
        None => check_memory_log(input, how, &place, verdict),
    }
}

/// Checks that the log of the memory and the pending log stay the files they are. Agents append to them, but what they remove or
/// replace is lost: the dream has not read it yet.
fn check_memory_log(
    input: &GuardInput<'_>,
    how: WriteEffect,
    place: &PathScope,
    verdict: Verdict,
) -> Option<VerdictReason> {
    let logs = [input.policy.layout.log().to_display(), format!(".git/{PENDING_LOG}")];
    let program = input.simple.program().unwrap_or_default();
    let replaces = |log: &&String| match how {
        WriteEffect::Removes => place.is(log) || place.holds(log) && !place.text().is_empty(),
        WriteEffect::CopiesTo => place.is(log),
        WriteEffect::Certain => place.is(log) && matches!(program, "mkfifo" | "mknod" | "truncate" | "ln" | "link"),
        WriteEffect::Possible => false,
    };
    let log = logs.iter().find(replaces)?;
    // A new mode or owner loses nothing by itself.
    let is_mode = matches!(program, "chmod" | "chown" | "chgrp" | "setfacl" | "chattr");
    let verdict = if is_mode { Verdict::Ask } else { verdict };
    let message = format!("it removes or replaces `{log}`, the log of the memory; append to it with `canonry log`");
    Some(VerdictReason::guard(verdict, RULE, message))
}

/// Lists a path and its parent folders.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at]).chain([path])
}
