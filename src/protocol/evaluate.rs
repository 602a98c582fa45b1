//! Evaluates a call against the policy.

use super::actions;
use super::call::CallContext;
use super::call::ToolCall;
use super::guard::{self, GuardInput};
use super::matching::{matches_entry, starts_with_words};
use super::packs;
use super::policy::{Policy, PolicyEntry};
use super::schema;
use super::shell::{self, SimpleCommand};
use super::verdict::{CallPart, CallVerdict, Verdict, VerdictReason};
use crate::canon::permissions::{Decision, PermissionSubject};

/// Returns the verdict on a call.
pub fn evaluate(call: &ToolCall, policy: &Policy, context: &CallContext) -> CallVerdict {
    let mut parts = match call {
        ToolCall::Shell { command, cwd } => shell_parts(command, cwd.as_deref(), policy, context),
        ToolCall::Read(paths) => paths.iter().map(|path| file(path, "read", policy, context)).collect(),
        ToolCall::Edit(paths) => paths.iter().map(|path| file(path, "edit", policy, context)).collect(),
        ToolCall::Fetch(addresses) => addresses.iter().map(|address| fetch(address, policy)).collect(),
        ToolCall::Other { .. } => Vec::new(),
    };
    if let ToolCall::Other { name, args } = call {
        let mut reasons = schema::evaluate_call(name, args, policy);
        reasons.extend(actions::call_reasons(name, policy));
        parts.push(CallPart::new(name.clone(), Verdict::Unlisted, reasons));
    }
    // The config decides about everything that no entry mentions.
    for part in &mut parts {
        let answer = Verdict::from(policy.settings.unknown);
        if part.verdict == Verdict::Unlisted && answer > Verdict::Unlisted {
            let reason = VerdictReason::guard(answer, "hooks.unknown", "permissions.md does not list it");
            *part = CallPart::new(std::mem::take(&mut part.text), answer, vec![reason]);
        }
    }
    CallVerdict::from_parts(parts)
}

fn shell_parts(command: &str, cwd: Option<&str>, policy: &Policy, context: &CallContext) -> Vec<CallPart> {
    let cwd = cwd
        .and_then(|cwd| super::matching::path::resolve(Some(&context.cwd), cwd))
        .unwrap_or_else(|| context.cwd.clone());
    let script = shell::read(command, Some(&cwd));
    let (downloads, loaded) = (guard::downloads(&script), guard::loaded(&script));
    let mut parts: Vec<CallPart> = Vec::new();
    for (at, simple) in script.commands.iter().enumerate() {
        let input = GuardInput { simple, script: &script, policy, context, downloads: &downloads, loaded: &loaded, at };
        parts.push(if simple.is_possible { evaluate_possible(&input) } else { evaluate_command(&input) });
    }
    let verdict = Verdict::from(policy.settings.unreadable);
    for doubt in &script.doubts {
        let reason = VerdictReason::guard(verdict, "hooks.unreadable", doubt.clone());
        parts.push(CallPart::new(shortened(command), verdict, vec![reason]));
    }
    parts
}

fn shortened(text: &str) -> String {
    let mut line: String = text.chars().take(60).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.len() < text.len() {
        line.push('…');
    }
    line
}

/// A program may run this argument, so that a guard that would deny it asks.
fn evaluate_possible(input: &GuardInput<'_>) -> CallPart {
    let denied = guard::check_all(input).into_iter().filter(|reason| reason.verdict == Verdict::Deny);
    let asks = |reason: VerdictReason| {
        let message = format!("as a command, {}", reason.message);
        VerdictReason { verdict: Verdict::Ask, message, ..reason }
    };
    CallPart::new(input.simple.shown(), Verdict::Allow, denied.map(asks).collect())
}

fn evaluate_command(input: &GuardInput<'_>) -> CallPart {
    let GuardInput { simple, policy, context, .. } = *input;
    let mut reasons = guard::check_all(input);
    reasons.extend(permission_reasons(simple, policy, context));
    reasons.extend(actions::command_reasons(input));
    reasons.extend(packs::command_reasons(input));
    reasons.extend(actions::written_file_reasons(simple, policy, context));
    reasons.extend(schema::evaluate_command(input));
    if simple.words.first().is_some_and(|word| !word.is_known() || word.is_glob && word.text.contains(['*', '?'])) {
        let verdict = Verdict::from(policy.settings.unreadable);
        reasons.push(VerdictReason::guard(verdict, "hooks.unreadable", "its program is unknown"));
    }
    let writes = simple.redirects.iter().any(|redirect| redirect.writes && redirect.target.text != "/dev/null");
    let is_plain = !writes && simple.sets.is_empty();
    if !is_plain {
        // An entry allows the command, but not the files it writes or the variables set for it.
        reasons.retain(|reason| reason.verdict != Verdict::Allow);
    }
    let does_nothing = simple.wraps || simple.is_function || simple.words.is_empty() && !writes || is_idle(simple);
    let otherwise = if does_nothing && is_plain { Verdict::Allow } else { Verdict::Unlisted };
    CallPart::new(simple.shown(), otherwise, reasons)
}

/// Checks for commands that change nothing and show nothing new to the agent.
fn is_idle(simple: &SimpleCommand) -> bool {
    // `cat` with a here-document only prints the text, as in `"$(cat <<EOF …)"`.
    let says_text =
        simple.program() == Some("cat") && simple.words.len() == 1 && matches!(simple.input, shell::Stdin::Text(_));
    says_text
        || simple.program().is_some_and(|program| {
            matches!(
                program,
                "cd" | "true" | "false" | ":" | "echo" | "printf" | "test" | "[" | "exit" | "pwd" | "sleep"
            )
        })
}

/// Lists the entries of `permissions.md` that match a command.
fn permission_reasons(simple: &SimpleCommand, policy: &Policy, context: &CallContext) -> Vec<VerdictReason> {
    let speaks = |listed: &PolicyEntry| match &listed.entry.subject {
        PermissionSubject::Command(words) if listed.entry.decision == Decision::Allow => {
            starts_with_words(words, simple)
        }
        PermissionSubject::Command(words) => matches_entry(words, simple),
        PermissionSubject::Flag(flag) => has_flag(simple, flag),
        PermissionSubject::Read(_)
        | PermissionSubject::Domain(_)
        | PermissionSubject::Push(_)
        | PermissionSubject::Action(_) => false,
    };
    let found = policy.entries.iter().filter(|listed| speaks(listed));
    found
        .filter_map(|listed| {
            let what = match &listed.entry.subject {
                PermissionSubject::Command(words) => words.join(" "),
                PermissionSubject::Flag(flag) => flag.clone(),
                _ => String::new(),
            };
            let applies = actions::applies(&listed.entry.scope, simple, context);
            actions::reason(listed, &format!("`{what}`"), applies)
        })
        .collect()
}

/// Checks whether an option is given. Programs that only print or search text do not count.
fn has_flag(simple: &SimpleCommand, flag: &str) -> bool {
    let Some(program) = simple.program().filter(|program| !matches!(*program, "echo" | "printf" | "grep" | "rg"))
    else {
        return false;
    };
    let words = super::matching::subcommand(program, &simple.words[1..]);
    super::matching::options::Options::new(program, words).has(flag)
}

fn file(path: &str, verb: &str, policy: &Policy, context: &CallContext) -> CallPart {
    let place = context.roots.locate(Some(&context.cwd), path);
    // Editing a file includes reading it.
    let mut reasons: Vec<VerdictReason> = guard::check_read(&place, policy).into_iter().collect();
    if verb == "edit" {
        reasons.extend(guard::check_write(&place, policy, Verdict::Deny));
        reasons.extend(actions::edit_reasons(&place, policy));
    }
    CallPart::new(format!("{verb} {path}"), Verdict::Unlisted, reasons)
}

fn fetch(address: &str, policy: &Policy) -> CallPart {
    let reasons = guard::check_address(address, policy).into_iter().collect();
    CallPart::new(format!("fetch {address}"), Verdict::Unlisted, reasons)
}
