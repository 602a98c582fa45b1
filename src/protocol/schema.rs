//! The schemas of tools, held against a command or a call.

use super::call::CallContext;
use super::matching::options::Options;
use super::matching::path::glob;
use super::matching::push::Push;
use super::matching::{is_named, subcommand};
use super::policy::{LocatedTexts, Policy, ToolRule};
use super::shell::{Simple, Word};
use super::verdict::{PolicyLocation, Verdict, VerdictReason};
use serde_json::Value;

/// What the schemas say of a command.
pub fn of_command(simple: &Simple, policy: &Policy, around: &CallContext) -> Vec<VerdictReason> {
    let own = policy.tools.iter().filter(|rule| rule.schema.is_none() && applies(rule, simple));
    own.flat_map(|rule| command(rule, simple, around)).collect()
}

/// A schema of a shell speaks of every command.
fn applies(rule: &ToolRule, simple: &Simple) -> bool {
    let of_shell =
        matches!(rule.tool.to_lowercase().as_str(), "bash" | "shell" | "sh" | "terminal" | "run_shell_command");
    (of_shell && rule.command.len() == 1) || is_named(&rule.command, simple)
}

fn command(rule: &ToolRule, simple: &Simple, around: &CallContext) -> Vec<VerdictReason> {
    let program = simple.program().unwrap_or("\0");
    let words = simple.words.get(1..).map(|words| subcommand(program, words)).unwrap_or_default();
    let push = Push::of(simple);
    let mut found: Vec<VerdictReason> = Vec::new();
    for (pattern, at) in &rule.patterns {
        if has_pattern(pattern, simple) {
            found.push(reason(Verdict::Deny, "blocked_patterns", at, format!("`{pattern}` is blocked")));
        }
    }
    for (target, at) in &rule.targets {
        let reached = match &push {
            Some(push) => push.reaches(target, around.branch.as_deref()),
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
                format!("its target may be `{target}`: name it"),
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
    found.extend(asked(rule));
    found
}

/// Arguments are named by an option of that name, else by their number.
fn missing(required: &LocatedTexts, given: usize, program: &str, words: &[Word]) -> Option<VerdictReason> {
    let has = |name: &str| Options::of(program, words).has(&format!("--{}", name.replace('_', "-")));
    let unnamed: Vec<&(String, PolicyLocation)> = required.iter().filter(|(name, _)| !has(name)).collect();
    let lacking = unnamed.get(given..).filter(|lacking| !lacking.is_empty())?;
    let names: Vec<&str> = lacking.iter().map(|(name, _)| name.as_str()).collect();
    let at = &lacking.first()?.1;
    Some(reason(Verdict::Deny, "required_args", at, format!("name {}: the call must bring it", names.join(" and "))))
}

/// What has to be asked for, with what must hold before.
fn asked(rule: &ToolRule) -> Option<VerdictReason> {
    let before: Vec<&str> = rule.preconditions.iter().map(|(text, _)| text.as_str()).collect();
    let before = if before.is_empty() { String::new() } else { format!("; before it: {}", before.join("; ")) };
    match (&rule.approval, rule.preconditions.first()) {
        (Some(at), _) => {
            Some(reason(Verdict::Ask, "requires_approval", at, format!("`{}` requires approval{before}", rule.tool)))
        }
        (None, Some((_, at))) => Some(reason(
            Verdict::Ask,
            "preconditions",
            at,
            format!("`{}` has conditions that no hook can check{before}", rule.tool),
        )),
        (None, None) => None,
    }
}

fn reason(verdict: Verdict, rule: &str, at: &PolicyLocation, message: String) -> VerdictReason {
    VerdictReason { verdict, rule: rule.to_owned(), at: Some(at.clone()), message }
}

/// An option in any of its forms, a command with its words, or a word.
fn has_pattern(pattern: &str, simple: &Simple) -> bool {
    let wanted: Vec<String> = pattern.split_whitespace().map(str::to_owned).collect();
    let Some(first) = wanted.first() else { return false };
    let program = simple.program().unwrap_or("\0");
    let words = simple.words.get(1..).map(|words| subcommand(program, words)).unwrap_or_default();
    if first.starts_with('-') {
        return wanted
            .iter()
            .all(|flag| Options::of(program, words).has(flag) || super::matching::push::means(program, words, flag));
    }
    if wanted.len() > 1 {
        return is_named(&wanted, simple);
    }
    simple.words.iter().any(|word| word.text == *first || glob(first).is_some_and(|glob| glob.is_match(&word.text)))
}

/// What the schemas say of a call of a tool that is no shell.
pub fn of_call(name: &str, args: &Value, policy: &Policy) -> Vec<VerdictReason> {
    let own = name.rsplit("__").next().unwrap_or(name);
    let is_own = |rule: &&ToolRule| [name, own].iter().any(|name| rule.tool.eq_ignore_ascii_case(name));
    policy.tools.iter().filter(is_own).flat_map(|rule| call(rule, args)).collect()
}

fn call(rule: &ToolRule, args: &Value) -> Vec<VerdictReason> {
    if let Some(schema) = &rule.schema {
        let Ok(validator) = crate::canon::schema::compile(schema) else { return Vec::new() };
        let told = validator.iter_errors(args).next().map(|error| error.to_string());
        return told.map(|error| reason(Verdict::Deny, "schema", &rule.at, error)).into_iter().collect();
    }
    let mut texts = Vec::new();
    gather(args, &mut texts);
    let mut found = Vec::new();
    for (key, list) in [("blocked_targets", &rule.targets), ("blocked_patterns", &rule.patterns)] {
        for (pattern, at) in list {
            let matcher = glob(pattern);
            let hits = |text: &&&str| **text == pattern || matcher.as_ref().is_some_and(|glob| glob.is_match(text));
            if texts.iter().any(|text| {
                hits(&text) || key == "blocked_patterns" && text.split_whitespace().any(|word| word == pattern)
            }) {
                found.push(reason(Verdict::Deny, key, at, format!("`{pattern}` is blocked")));
            }
        }
    }
    for (name, at) in rule.required.iter().filter(|(name, _)| args.get(name).is_none_or(Value::is_null)) {
        found.push(reason(Verdict::Deny, "required_args", at, format!("name {name}: the call must bring it")));
    }
    found.extend(asked(rule));
    found
}

/// Every text in what a tool is given.
fn gather<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| gather(item, texts)),
        Value::Object(map) => map.values().for_each(|item| gather(item, texts)),
        _ => {}
    }
}
