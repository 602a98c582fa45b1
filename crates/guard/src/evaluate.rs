//! Evaluates a call against the policy.

use super::actions;
use super::call::CallContext;
use super::call::ToolCall;
use super::entry_reason;
use super::file_entries;
use super::guard::{self, GuardInput, Origins};
use super::matching::{matches_entry, starts_with_words};
use super::packs;
use super::policy::{Policy, PolicyEntry};
use super::schema;
use super::shape::{self, CallEffect, CommandLanguage, TransferPaths};
use super::shell::{self, Script, SimpleCommand, Word};
use super::verdict::{CallPart, CallVerdict, Verdict, VerdictReason};
use canonry_model::canon::permissions::PermissionSubject;
use canonry_text::shortened;
use serde_json::Value;

/// The rule of commands that cannot be analysed.
const UNREADABLE: &str = "hooks.unreadable";
const POWERSHELL: &str = "it is PowerShell, which canonry does not analyse";

/// Returns the verdict on a call.
pub fn evaluate(call: &ToolCall, policy: &Policy, context: &CallContext) -> CallVerdict {
    let mut parts = match call {
        ToolCall::Shell { command, cwd } => run(command, cwd.as_deref(), CommandLanguage::Shell, policy, context),
        ToolCall::PowerShell { command, cwd } => {
            run(command, cwd.as_deref(), CommandLanguage::PowerShell, policy, context)
        }
        ToolCall::Read(paths) => paths.iter().map(|path| file(path, FileUse::Read, policy, context)).collect(),
        ToolCall::Edit(paths) => paths.iter().map(|path| file(path, FileUse::Edit, policy, context)).collect(),
        ToolCall::Fetch(addresses) => addresses.iter().map(|address| fetch(address, policy)).collect(),
        ToolCall::Other { name, args } => other(name, args, policy, context),
    };
    // The config decides about everything that no entry mentions.
    for part in &mut parts {
        let answer = policy.settings.unknown;
        if part.verdict == Verdict::Unlisted && answer > Verdict::Unlisted {
            let reason = VerdictReason::guard(answer, "hooks.unknown", "permissions.md does not list it");
            *part = CallPart::new(std::mem::take(&mut part.text), answer, vec![reason]);
        }
    }
    CallVerdict::from_parts(parts)
}

/// Evaluates a call of a tool without a known name: its schema, and what its arguments say about its effects.
fn other(name: &str, args: &Value, policy: &Policy, context: &CallContext) -> Vec<CallPart> {
    let mut reasons = schema::evaluate_call(name, args, policy);
    reasons.extend(actions::call_reasons(name, policy));
    let mut parts = vec![CallPart::new(name.to_owned(), Verdict::Unlisted, reasons)];
    for effect in shape::effects(name, args) {
        parts.extend(evaluate_effect(effect, policy, context));
    }
    parts.iter_mut().for_each(remove_allowance);
    let named = file_entries::mcp_reasons(name, policy);
    if let Some(first) = parts.first_mut().filter(|_| !named.is_empty()) {
        let reasons = std::mem::take(&mut first.reasons).into_iter().chain(named).collect();
        *first = CallPart::new(std::mem::take(&mut first.text), Verdict::Unlisted, reasons);
    }
    parts
}

/// An entry allows a command of the shell, not what another tool does with it.
fn remove_allowance(part: &mut CallPart) {
    if part.verdict == Verdict::Allow {
        *part = CallPart::new(std::mem::take(&mut part.text), Verdict::Unlisted, Vec::new());
    }
}

fn evaluate_effect(effect: CallEffect, policy: &Policy, context: &CallContext) -> Vec<CallPart> {
    match effect {
        CallEffect::Run { command, cwd, language, is_certain } => {
            let mut parts = run(&command, cwd.as_deref(), language, policy, context);
            if !is_certain {
                parts.iter_mut().for_each(remove_doubts);
            }
            parts
        }
        CallEffect::Read(path) => vec![file(&path, FileUse::Read, policy, context)],
        CallEffect::Edit(path) => vec![file(&path, FileUse::Edit, policy, context)],
        CallEffect::Use(path) => vec![file(&path, FileUse::Unknown, policy, context)],
        CallEffect::Visit(address) => {
            let mut parts = vec![fetch(&address, policy)];
            let reasons = guard::check_ambiguous_address(&address, policy);
            parts.extend(
                (!reasons.is_empty()).then(|| CallPart::new(format!("fetch {address}"), Verdict::Unlisted, reasons)),
            );
            parts
        }
        CallEffect::Remove(paths) => transfer("delete", &["rm", "-r"], paths, policy, context),
        CallEffect::Copy(TransferPaths { from, to }) => {
            transfer("copy", &["cp", "-r"], [from, to].concat(), policy, context)
        }
        CallEffect::Move(TransferPaths { from, to }) => transfer("move", &["mv"], [from, to].concat(), policy, context),
    }
}

/// Evaluates a tool that deletes, copies or moves files like the command that does the same.
fn transfer(verb: &str, command: &[&str], paths: Vec<String>, policy: &Policy, context: &CallContext) -> Vec<CallPart> {
    let text = format!("{verb} {}", paths.join(", "));
    let paths = paths.iter().map(|path| slashed(path));
    let words = command.iter().map(|word| (*word).to_owned()).chain(paths).map(Word::new).collect();
    let simple = SimpleCommand { words, cwd: Some(context.cwd.clone()), ..SimpleCommand::default() };
    let script = Script { commands: vec![simple], ..Script::default() };
    let mut parts = script_parts(&script, &text, policy, context);
    parts.iter_mut().for_each(|part| part.text.clone_from(&text));
    parts
}

fn run(
    command: &str,
    cwd: Option<&str>,
    language: CommandLanguage,
    policy: &Policy,
    context: &CallContext,
) -> Vec<CallPart> {
    let cwd = cwd
        .and_then(|cwd| super::matching::path::resolve(Some(&context.cwd), cwd))
        .unwrap_or_else(|| context.cwd.clone());
    let mut parts = script_parts(&shell::read(command, Some(&cwd)), command, policy, context);
    if language == CommandLanguage::PowerShell {
        // Read as another language, only a denial of the text means something.
        parts.retain(|part| part.verdict == Verdict::Deny);
        parts.push(unreadable(POWERSHELL, command, policy));
    }
    parts
}

/// Removes the reasons that follow from not knowing what a command does.
fn remove_doubts(part: &mut CallPart) {
    if part.reasons.iter().any(|reason| reason.rule == UNREADABLE) {
        let reasons = std::mem::take(&mut part.reasons).into_iter().filter(|reason| reason.rule != UNREADABLE);
        *part = CallPart::new(std::mem::take(&mut part.text), Verdict::Unlisted, reasons.collect());
    }
}

fn script_parts(script: &Script, command: &str, policy: &Policy, context: &CallContext) -> Vec<CallPart> {
    let downloads = Origins::of_downloads(script);
    let loaded = guard::loaded(script);
    let mut parts: Vec<CallPart> = Vec::new();
    for (at, simple) in script.commands.iter().enumerate() {
        let input = GuardInput { simple, script, policy, context, downloads: &downloads, loaded: &loaded, at };
        parts.push(if simple.is_possible { evaluate_possible(&input) } else { evaluate_command(&input) });
    }
    parts.extend(script.doubts.iter().map(|doubt| unreadable(doubt, command, policy)));
    parts
}

/// A part of a command line that cannot be analysed.
fn unreadable(doubt: &str, command: &str, policy: &Policy) -> CallPart {
    let verdict = policy.settings.unreadable.max(Verdict::Unlisted);
    let reason = VerdictReason::guard(verdict, UNREADABLE, doubt.to_owned());
    let text = shortened(&command.replace(char::is_control, " "), 60).into_owned();
    CallPart::new(text, verdict, vec![reason])
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
        reasons.push(VerdictReason::guard(
            policy.settings.unreadable.max(Verdict::Unlisted),
            UNREADABLE,
            "its program is unknown",
        ));
    }
    let writes = simple.redirects.iter().any(|redirect| redirect.writes && redirect.target.text != "/dev/null");
    let is_plain = !writes && simple.sets.is_empty();
    if !is_plain || guard::runs_documents(simple) {
        // An entry allows the command, but not the files it writes, the variables set for it, or the lines that it runs.
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
        || simple.program().is_some_and(|program| match program {
            "cd" | "true" | "false" | ":" | "test" | "[" | "exit" | "pwd" | "sleep" => true,
            // The environment may hold a secret.
            "echo" | "printf" => !simple.words.iter().any(|word| word.is_inherited),
            _ => false,
        })
}

/// Lists the entries of `permissions.md` that match a command.
fn permission_reasons(simple: &SimpleCommand, policy: &Policy, context: &CallContext) -> Vec<VerdictReason> {
    let speaks = |listed: &PolicyEntry| match &listed.entry.subject {
        PermissionSubject::Command(words) if listed.entry.decision == Verdict::Allow => {
            starts_with_words(words, simple)
        }
        PermissionSubject::Command(words) => matches_entry(words, simple),
        PermissionSubject::Flag(flag) => has_flag(simple, flag),
        PermissionSubject::Read(_)
        | PermissionSubject::Edit(_)
        | PermissionSubject::Mcp { .. }
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
            entry_reason::reason(listed, &format!("`{what}`"), applies)
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

/// Use of a file by a tool.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileUse {
    Read,
    Edit,
    Unknown,
}

fn file(path: &str, how: FileUse, policy: &Policy, context: &CallContext) -> CallPart {
    let text = slashed(path);
    // Editing a file includes reading it.
    let named = guard::matches_of_pattern(&text);
    let places = named.iter().map(|path| context.roots.locate(Some(&context.cwd), path));
    let mut reasons: Vec<VerdictReason> = places.filter_map(|place| guard::check_read(&place, policy)).collect();
    if how != FileUse::Read {
        let place = context.roots.locate(Some(&context.cwd), &text);
        reasons.extend(guard::check_write(&place, policy, &context.roots, Verdict::Deny));
        reasons.extend(guard::check_own_files(&place, context, Verdict::Deny));
        reasons.extend(actions::edit_reasons(&place, policy));
        reasons.extend(file_entries::edit_allowance(&place, policy).filter(|_| how == FileUse::Edit));
    } else if let [one] = named.as_slice() {
        let place = context.roots.locate(Some(&context.cwd), one);
        reasons.extend(file_entries::read_allowance(&place, policy));
    }
    if how == FileUse::Unknown {
        for reason in &mut reasons {
            reason.verdict = reason.verdict.min(Verdict::Ask);
            reason.message = format!("if its tool uses the file, {}", reason.message);
        }
    }
    let verb = match how {
        FileUse::Read => "read",
        FileUse::Edit => "edit",
        FileUse::Unknown => "use",
    };
    CallPart::new(format!("{verb} {path}"), Verdict::Unlisted, reasons)
}

/// Returns a path of Windows with slashes.
fn slashed(path: &str) -> String {
    path.replace('\\', "/")
}

fn fetch(address: &str, policy: &Policy) -> CallPart {
    let reasons = guard::check_address(address, policy).into_iter().collect();
    CallPart::new(format!("fetch {address}"), Verdict::Unlisted, reasons)
}
