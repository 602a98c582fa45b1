//! Entries that name an action in prose: which calls they apply to.

use super::call::CallContext;
use super::entry_reason::{Applies, reason};
use super::file_entries;
use super::files::{WriteEffect, writes};
use super::guard::GuardInput;
use super::matching::path::{PathScope, covers};
use super::matching::pattern::{begins_with_pattern, matches_pattern};
use super::matching::push::Push;
use super::policy::{Policy, PolicyEntry};
use super::shell::{SimpleCommand, Word};
use super::tool_name::OperationName;
use super::verdict::VerdictReason;
use canonry_model::canon::permissions::actions::Action;
use canonry_model::canon::permissions::{EntryScope, PermissionSubject, Verdict};

fn actions(policy: &Policy) -> impl Iterator<Item = (&PolicyEntry, &'static Action)> {
    policy.entries.iter().filter_map(|listed| match listed.entry.subject {
        PermissionSubject::Action(id) => Some((listed, Action::find(id)?)),
        _ => None,
    })
}

/// Lists the entries that apply to a shell command.
pub(super) fn command_reasons(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let GuardInput { simple, script, policy, context, .. } = *input;
    let is_dry = simple.words.iter().any(|word| matches!(word.text.as_str(), "--dry-run" | "--help"));
    let ends = ["--abort", "--continue", "--skip", "--quit"];
    let ends = simple.program() == Some("git") && simple.words.iter().any(|word| ends.contains(&word.text.as_str()));
    if is_dry || ends || simple.wraps && simple.program() != Some("sudo") && simple.words.is_empty() {
        return Vec::new();
    }
    let found = actions(policy).filter_map(|(listed, action)| {
        let allows = listed.entry.decision == Verdict::Allow;
        let is_named = |pattern: &&str| {
            if allows { begins_with_pattern(pattern, simple) } else { matches_pattern(pattern, simple, script) }
        };
        action.commands.iter().find(|pattern| is_named(pattern))?;
        reason(listed, action.what, applies(&listed.entry.scope, simple, context))
    });
    found.collect()
}

/// Lists the entries that apply to a call of another tool.
pub(super) fn call_reasons(name: &str, policy: &Policy) -> Vec<VerdictReason> {
    let own = OperationName::parse(name);
    let found =
        actions(policy).filter(|(listed, _)| listed.entry.decision != Verdict::Allow).filter_map(|(listed, action)| {
            action.operations.iter().find(|operation| own.is_operation(operation))?;
            let applies = if listed.entry.scope.is_empty() { Applies::Yes } else { Applies::Unknown };
            reason(listed, action.what, applies)
        });
    found.collect()
}

/// Lists the entries that apply to a change of a file.
pub(super) fn edit_reasons(place: &PathScope, policy: &Policy) -> Vec<VerdictReason> {
    let found =
        actions(policy).filter(|(listed, _)| listed.entry.decision != Verdict::Allow).filter_map(|(listed, action)| {
            action.files.iter().find(|pattern| is_file(pattern, place))?;
            let applies = path_applies(&listed.entry.scope, std::slice::from_ref(place));
            reason(listed, action.what, applies)
        });
    found.chain(file_entries::edit_restrictions(place, policy)).collect()
}

/// Lists the entries that apply to the files that a command writes.
pub(super) fn written_file_reasons(
    simple: &SimpleCommand,
    policy: &Policy,
    context: &CallContext,
) -> Vec<VerdictReason> {
    let has_files = actions(policy).any(|(_, action)| !action.files.is_empty());
    if !has_files && !file_entries::restrict_edits(policy) {
        return Vec::new();
    }
    let certain = writes(simple).into_iter().filter(|(effect, _)| *effect != WriteEffect::Possible);
    let places = certain.map(|(_, word)| context.roots.locate(simple.cwd.as_deref(), &word.text));
    places.flat_map(|place| edit_reasons(&place, policy)).collect()
}

/// A pattern ending in `/**` covers a folder; one without a folder applies at any depth.
fn is_file(pattern: &str, place: &PathScope) -> bool {
    !matches!(place, PathScope::Outside(_)) && !place.text().is_empty() && covers(pattern, place)
        || pattern.strip_suffix("/**").is_some_and(|folder| place.is(folder))
}

/// Checks the condition of an entry against a command.
pub(super) fn applies(scope: &EntryScope, simple: &SimpleCommand, context: &CallContext) -> Applies {
    let checks = [branch_applies(scope, simple, context), environment_applies(scope, simple), {
        let words = writes(simple).into_iter().filter(|(effect, _)| *effect != WriteEffect::CopiesTo);
        let place = |word: &Word| {
            if word.is_known() {
                context.roots.locate(simple.cwd.as_deref(), &word.text)
            } else {
                PathScope::Unresolved(word.text.clone())
            }
        };
        let places: Vec<PathScope> = words.map(|(_, word)| place(&word)).collect();
        path_applies(scope, &places)
    }];
    if checks.contains(&Applies::No) {
        Applies::No
    } else if checks.contains(&Applies::Unknown) {
        Applies::Unknown
    } else {
        Applies::Yes
    }
}

/// A push changes the branches that it names, `git branch` those in its arguments, and every other git command the one that
/// is checked out.
fn branch_applies(scope: &EntryScope, simple: &SimpleCommand, context: &CallContext) -> Applies {
    if scope.branches.is_empty() {
        return Applies::Yes;
    }
    let branch = context.branch.as_deref();
    if let Some(push) = Push::parse(simple) {
        let reached: Vec<Option<bool>> = scope.branches.iter().map(|own| push.reaches(own, branch)).collect();
        return if reached.contains(&Some(true)) {
            Applies::Yes
        } else if reached.contains(&None) {
            Applies::Unknown
        } else {
            Applies::No
        };
    }
    let is_listed = |name: &str| {
        scope
            .branches
            .iter()
            .any(|own| own == name || super::matching::path::glob(own).is_some_and(|glob| glob.is_match(name)))
    };
    let words = simple.words.get(1..).unwrap_or_default();
    if words.iter().any(|word| word.text == "branch") {
        return if words.iter().any(|word| is_listed(&word.text)) { Applies::Yes } else { Applies::No };
    }
    match branch {
        Some(branch) if simple.program() == Some("git") => {
            if is_listed(branch) {
                Applies::Yes
            } else {
                Applies::No
            }
        }
        _ => Applies::Unknown,
    }
}

fn environment_applies(scope: &EntryScope, simple: &SimpleCommand) -> Applies {
    if scope.environments.is_empty() {
        return Applies::Yes;
    }
    let known =
        ["production", "prod", "staging", "stage", "live", "dev", "development", "test", "qa", "preview", "local"];
    let texts = simple.words.iter().skip(1).map(|word| word.text.to_lowercase()).collect::<Vec<_>>();
    let parts: Vec<&str> = texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric())).collect();
    let short = |name: &str| {
        match name {
            "production" | "live" => "prod",
            "stage" => "staging",
            "development" => "dev",
            name => name,
        }
        .to_owned()
    };
    let named: Vec<String> = parts.iter().filter(|part| known.contains(part)).map(|part| short(part)).collect();
    if named.iter().any(|name| scope.environments.iter().any(|own| short(own) == *name)) {
        Applies::Yes
    } else if named.is_empty() {
        Applies::Unknown
    } else {
        Applies::No
    }
}

fn path_applies(scope: &EntryScope, places: &[PathScope]) -> Applies {
    let is_in = |list: &[String], place: &PathScope| list.iter().any(|pattern| covers(pattern, place));
    let is_known = |place: &PathScope| !matches!(place, PathScope::Unresolved(_)) && !place.text().contains(['$', '*']);
    if !scope.outside.is_empty() {
        let all = !places.is_empty() && places.iter().all(|place| is_known(place) && is_in(&scope.outside, place));
        return if all { Applies::No } else { Applies::Yes };
    }
    if scope.inside.is_empty() || places.iter().any(|place| is_in(&scope.inside, place)) {
        Applies::Yes
    } else if places.is_empty() || !places.iter().all(is_known) {
        Applies::Unknown
    } else {
        Applies::No
    }
}
