//! Evaluates calls against the tool schemas.

use super::call::CallContext;
use super::matching::options::Options;
use super::matching::path::glob;
use super::matching::push::Push;
use super::matching::{matches_entry, subcommand};
use super::policy::{LocatedText, Policy, ToolRule};
use super::shell::{SimpleCommand, Word};
use super::verdict::{PolicyLocation, Verdict, VerdictReason};
use serde_json::Value;

/// Evaluates a shell command.
pub fn evaluate_command(simple: &SimpleCommand, policy: &Policy, context: &CallContext) -> Vec<VerdictReason> {
    let own = policy.tools.iter().filter(|rule| rule.schema.is_none() && applies(rule, simple));
    own.flat_map(|rule| command(rule, simple, context)).collect()
}

/// A schema for a shell applies to every command.
fn applies(rule: &ToolRule, simple: &SimpleCommand) -> bool {
    let is_shell =
        matches!(rule.tool.to_lowercase().as_str(), "bash" | "shell" | "sh" | "terminal" | "run_shell_command");
    (is_shell && rule.command.len() == 1) || matches_entry(&rule.command, simple)
}

fn command(rule: &ToolRule, simple: &SimpleCommand, context: &CallContext) -> Vec<VerdictReason> {
    let program = simple.program().unwrap_or("\0");
    let words = simple.words.get(1..).map(|words| subcommand(program, words)).unwrap_or_default();
    let push = Push::parse(simple);
    let mut found: Vec<VerdictReason> = Vec::new();
    for LocatedText { text: pattern, location: at } in &rule.patterns {
        if has_pattern(pattern, simple) {
            found.push(reason(Verdict::Deny, "blocked_patterns", at, format!("`{pattern}` is blocked")));
        }
    }
    for LocatedText { text: target, location: at } in &rule.targets {
        let reached = match &push {
            Some(push) => push.reaches(target, context.branch.as_deref()),
            None => Some(
                words.iter().any(|word| word.text == *target || glob(target).is_some_and(|g| g.is_match(&word.text))),
            ),
        };
        match reached {
            Some(true) => {
                found.push(reason(Verdict::Deny, "blocked_targets", at, format!("the target `{target}` is blocked")))
            }
            None => found.push(reason(
                Verdict::Ask,
                "blocked_targets",
                at,
                format!("its target may be `{target}`; name the target"),
            )),
            Some(false) => {}
        }
    }
    let own = rule.command.iter().filter(|word| !word.starts_with('-')).count().saturating_sub(1);
    let given = match &push {
        Some(push) => push.plain.len(),
        None => words.iter().filter(|word| !word.text.starts_with('-')).count().saturating_sub(own),
    };
    found.extend(missing(&rule.required, given, program, words));
    found.extend(approval(rule));
    found
}

/// Required arguments are matched by an option of the same name, otherwise by the number of arguments.
fn missing(required: &[LocatedText], given: usize, program: &str, words: &[Word]) -> Option<VerdictReason> {
    let has = |name: &str| Options::new(program, words).has(&format!("--{}", name.replace('_', "-")));
    let unnamed: Vec<&LocatedText> = required.iter().filter(|required| !has(&required.text)).collect();
    let lacking = unnamed.get(given..).filter(|lacking| !lacking.is_empty())?;
    let names: Vec<&str> = lacking.iter().map(|required| required.text.as_str()).collect();
    let at = &lacking.first()?.location;
    Some(reason(Verdict::Deny, "required_args", at, format!("name {}: the call requires it", names.join(" and "))))
}

/// Returns the approval that a rule requires, with its preconditions.
fn approval(rule: &ToolRule) -> Option<VerdictReason> {
    let before: Vec<&str> = rule.preconditions.iter().map(|condition| condition.text.as_str()).collect();
    let before = if before.is_empty() { String::new() } else { format!("; before it: {}", before.join("; ")) };
    match (&rule.approval, rule.preconditions.first()) {
        (Some(at), _) => {
            Some(reason(Verdict::Ask, "requires_approval", at, format!("`{}` requires approval{before}", rule.tool)))
        }
        (None, Some(LocatedText { location: at, .. })) => Some(reason(
            Verdict::Ask,
            "preconditions",
            at,
            format!("`{}` has preconditions that a hook cannot check{before}", rule.tool),
        )),
        (None, None) => None,
    }
}

fn reason(verdict: Verdict, rule: &str, at: &PolicyLocation, message: String) -> VerdictReason {
    VerdictReason { verdict, rule: rule.to_owned(), location: Some(at.clone()), message }
}

/// Matches a pattern against a command: an option in any form, a command with its words, or a single word.
fn has_pattern(pattern: &str, simple: &SimpleCommand) -> bool {
    let wanted: Vec<String> = pattern.split_whitespace().map(str::to_owned).collect();
    let Some(first) = wanted.first() else { return false };
    let program = simple.program().unwrap_or("\0");
    let words = simple.words.get(1..).map(|words| subcommand(program, words)).unwrap_or_default();
    if first.starts_with('-') {
        return wanted.iter().all(|flag| {
            Options::new(program, words).has(flag) || super::matching::push::has_effect_of(program, words, flag)
        });
    }
    if wanted.len() > 1 {
        return matches_entry(&wanted, simple);
    }
    simple.words.iter().any(|word| word.text == *first || glob(first).is_some_and(|glob| glob.is_match(&word.text)))
}

/// Evaluates a call of a tool that is no shell.
pub fn evaluate_call(name: &str, args: &Value, policy: &Policy) -> Vec<VerdictReason> {
    let names = super::names::aliases(name);
    let is_own = |rule: &&ToolRule| names.iter().any(|name| rule.tool.eq_ignore_ascii_case(name));
    policy.tools.iter().filter(is_own).flat_map(|rule| call(rule, args)).collect()
}

fn call(rule: &ToolRule, args: &Value) -> Vec<VerdictReason> {
    if let Some(validator) = &rule.schema {
        let first = validator.iter_errors(args).next().map(|error| error.to_string());
        return first.map(|error| reason(Verdict::Deny, "schema", &rule.location, error)).into_iter().collect();
    }
    let mut texts = Vec::new();
    gather(args, &mut texts);
    let mut found = Vec::new();
    for (key, list) in [("blocked_targets", &rule.targets), ("blocked_patterns", &rule.patterns)] {
        for LocatedText { text: pattern, location: at } in list {
            let matcher = glob(pattern);
            let hits = |text: &&&str| **text == pattern || matcher.as_ref().is_some_and(|glob| glob.is_match(text));
            if texts.iter().any(|text| {
                hits(&text) || key == "blocked_patterns" && text.split_whitespace().any(|word| word == pattern)
            }) {
                found.push(reason(Verdict::Deny, key, at, format!("`{pattern}` is blocked")));
            }
        }
    }
    for LocatedText { text: name, location: at } in
        rule.required.iter().filter(|required| args.get(&required.text).is_none_or(Value::is_null))
    {
        found.push(reason(Verdict::Deny, "required_args", at, format!("name {name}: the call requires it")));
    }
    found.extend(approval(rule));
    found
}

/// Collects all strings in the arguments.
fn gather<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| gather(item, texts)),
        Value::Object(map) => map.values().for_each(|item| gather(item, texts)),
        _ => {}
    }
}
