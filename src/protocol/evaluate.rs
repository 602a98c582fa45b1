//! What is decided about a call.

use super::call::CallContext;
use super::call::ToolCall;
use super::guard::{self, GuardInput};
use super::matching::{begins_so, is_named};
use super::policy::Policy;
use super::schema;
use super::shell::{self, Script, Simple};
use super::verdict::{CallPart, CallVerdict, Verdict, VerdictReason};
use crate::canon::permissions::{Decision, PermissionSubject};

/// Judges a call by what a team has written down.
pub fn evaluate(call: &ToolCall, policy: &Policy, around: &CallContext) -> CallVerdict {
    let mut parts = match call {
        ToolCall::Shell { command, cwd } => shell_parts(command, cwd.as_deref(), policy, around),
        ToolCall::Read(paths) => paths.iter().map(|path| file(path, "read", policy, around)).collect(),
        ToolCall::Edit(paths) => paths.iter().map(|path| file(path, "edit", policy, around)).collect(),
        ToolCall::Fetch(addresses) => addresses.iter().map(|address| fetch(address, policy)).collect(),
        ToolCall::Other { .. } => Vec::new(),
    };
    if let ToolCall::Other { name, args } = call {
        let reasons = schema::of_call(name, args, policy);
        parts.push(CallPart::new(name.clone(), Verdict::Unlisted, reasons));
    }
    // What no entry speaks of has the answer of the config.
    for part in &mut parts {
        let answer = Verdict::from(policy.settings.unknown);
        if part.verdict == Verdict::Unlisted && answer > Verdict::Unlisted {
            let reason = VerdictReason::guard(answer, "hooks.unknown", "it stands in no list of permissions.md");
            *part = CallPart::new(std::mem::take(&mut part.shown), answer, vec![reason]);
        }
    }
    CallVerdict::from_parts(parts)
}

fn shell_parts(command: &str, cwd: Option<&str>, policy: &Policy, around: &CallContext) -> Vec<CallPart> {
    let cwd = cwd
        .and_then(|cwd| super::matching::path::resolve(Some(&around.cwd), cwd))
        .unwrap_or_else(|| around.cwd.clone());
    let script = shell::read(command, Some(&cwd));
    let mut parts: Vec<CallPart> =
        script.commands.iter().map(|simple| judged(simple, &script, policy, around)).collect();
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

fn judged(simple: &Simple, script: &Script, policy: &Policy, around: &CallContext) -> CallPart {
    let mut reasons = guard::all(&GuardInput { simple, script, policy, around });
    reasons.extend(listed(simple, policy));
    reasons.extend(schema::of_command(simple, policy, around));
    if simple.words.first().is_some_and(|word| !word.is_known()) {
        let verdict = Verdict::from(policy.settings.unreadable);
        reasons.push(VerdictReason::guard(verdict, "hooks.unreadable", "its program cannot be known"));
    }
    let writes = simple.redirects.iter().any(|redirect| redirect.writes && redirect.target.text != "/dev/null");
    let is_plain = !writes && simple.sets.is_empty();
    if !is_plain {
        // An entry allows the command, not what it is made to write or what is set for it.
        reasons.retain(|reason| reason.verdict != Verdict::Allow);
    }
    let does_nothing = simple.wraps || simple.is_function || simple.words.is_empty() && !writes || is_idle(simple);
    let otherwise = if does_nothing && is_plain { Verdict::Allow } else { Verdict::Unlisted };
    CallPart::new(simple.shown(), otherwise, reasons)
}

/// What changes nothing, and shows nothing that the agent did not know.
fn is_idle(simple: &Simple) -> bool {
    // A text between two marks, as in `"$(cat <<EOF …)"`.
    let says_text =
        simple.program() == Some("cat") && simple.words.len() == 1 && matches!(simple.input, shell::Input::Text(_));
    says_text
        || simple.program().is_some_and(|program| {
            matches!(
                program,
                "cd" | "true" | "false" | ":" | "echo" | "printf" | "test" | "[" | "exit" | "pwd" | "sleep"
            )
        })
}

/// The entries of `permissions.md` that speak of a command.
fn listed(simple: &Simple, policy: &Policy) -> Vec<VerdictReason> {
    let speaks = |decision: Decision, matter: &PermissionSubject| match matter {
        PermissionSubject::Command(words) if decision == Decision::Allow => begins_so(words, simple),
        PermissionSubject::Command(words) => is_named(words, simple),
        PermissionSubject::Flag(flag) => has_flag(simple, flag),
        PermissionSubject::Read(_) | PermissionSubject::Domain(_) | PermissionSubject::Push(_) => false,
    };
    let found = policy.entries.iter().filter(|listed| speaks(listed.entry.decision, &listed.entry.subject));
    found
        .map(|listed| {
            let entry = &listed.entry;
            let what = match &entry.subject {
                PermissionSubject::Command(words) => words.join(" "),
                PermissionSubject::Flag(flag) => flag.clone(),
                _ => String::new(),
            };
            let verb = match entry.decision {
                Decision::Allow => "is always allowed",
                Decision::Ask => "requires approval",
                Decision::Deny => "is never allowed",
            };
            let rule = entry.section.name().to_owned();
            VerdictReason {
                verdict: entry.decision.into(),
                rule,
                at: Some(listed.at.clone()),
                message: format!("`{what}` {verb}"),
            }
        })
        .collect()
}

/// Of a program that options are given to; a text that it is given to print is none.
fn has_flag(simple: &Simple, flag: &str) -> bool {
    let Some(program) = simple.program().filter(|program| !matches!(*program, "echo" | "printf" | "grep" | "rg"))
    else {
        return false;
    };
    let words = super::matching::subcommand(program, &simple.words[1..]);
    super::matching::options::Options::of(program, words).has(flag)
}

fn file(path: &str, verb: &str, policy: &Policy, around: &CallContext) -> CallPart {
    let place = around.roots.place(Some(&around.cwd), path);
    // To edit a file is to read it.
    let mut reasons: Vec<VerdictReason> = guard::read(&place, policy).into_iter().collect();
    if verb == "edit" {
        reasons.extend(guard::written(&place, policy, Verdict::Deny));
    }
    CallPart::new(format!("{verb} {path}"), Verdict::Unlisted, reasons)
}

fn fetch(address: &str, policy: &Policy) -> CallPart {
    let reasons = guard::host_of(address).and_then(|host| guard::host(&host, policy)).into_iter().collect();
    CallPart::new(format!("fetch {address}"), Verdict::Unlisted, reasons)
}
