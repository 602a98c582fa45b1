//! Evaluates calls against the tool schemas.

use super::call::CallContext;
use super::guard::GuardInput;
use super::matching::options::Options;
use super::matching::path::glob;
use super::matching::pattern::matches_pattern;
use super::matching::push::Push;
use super::matching::{matches_entry, subcommand};
use super::names::aliases;
use super::policy::{ArgumentRule, LocatedText, Policy, ToolRule};
use super::shell::{Script, SimpleCommand, Word};
use super::tool_name::OperationName;
use super::verdict::{PolicyLocation, Verdict, VerdictReason};
use canonry_model::canon::schema::compile;
use serde_json::Value;

/// Evaluates a shell command.
pub fn evaluate_command(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let GuardInput { simple, script, policy, context, .. } = *input;
    let own = policy.tools.iter().filter(|rule| rule.schema.is_none());
    own.flat_map(|rule| {
        if applies(rule, simple) {
            command(rule, simple, context, true)
        } else if names_action(rule, simple, script) {
            // The arguments of `gh pr merge` are not those of the operation `merge_pr`.
            command(rule, simple, context, false)
        } else {
            Vec::new()
        }
    })
    .collect()
}

/// Checks whether a command does what a well-known operation does.
fn names_action(rule: &ToolRule, simple: &SimpleCommand, script: &Script) -> bool {
    let patterns = rule.action.into_iter().flat_map(|action| &action.commands);
    let mut patterns =
        patterns.filter(|_| !simple.words.iter().any(|word| matches!(word.text.as_str(), "--help" | "--dry-run")));
    patterns.any(|pattern| matches_pattern(pattern, simple, script))
}

/// A schema for a shell applies to every command.
fn applies(rule: &ToolRule, simple: &SimpleCommand) -> bool {
    let is_shell =
        matches!(rule.tool.to_lowercase().as_str(), "bash" | "shell" | "sh" | "terminal" | "run_shell_command");
    (is_shell && rule.command.len() == 1) || matches_entry(&rule.command, simple)
}

fn command(rule: &ToolRule, simple: &SimpleCommand, context: &CallContext, has_args: bool) -> Vec<VerdictReason> {
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
    if has_args {
        found.extend(missing(&rule.arguments, given, program, words));
    }
    found.extend(rule.arguments.iter().filter_map(|argument| {
        let option = format!("--{}", argument.name.replace('_', "-"));
        let value = option_value(&option, words)?;
        invalid(argument, &typed(&value, argument))
    }));
    found.extend(approval(rule));
    found
}

/// The value of `--name value` or `--name=value`.
fn option_value(option: &str, words: &[Word]) -> Option<String> {
    let at = words.iter().position(|word| word.text == option || word.text.starts_with(&format!("{option}=")))?;
    let word = words.get(at)?;
    let value = match word.text.split_once('=') {
        Some((_, value)) => value,
        None => words.get(at + 1).filter(|next| next.is_known()).map(|next| next.text.as_str())?,
    };
    Some(value.to_owned())
}

/// Words on a command line are numbers and booleans where the schema says so.
fn typed(text: &str, argument: &ArgumentRule) -> Value {
    let wanted = argument.schema.as_ref().and_then(|schema| schema.get("type")).and_then(Value::as_str);
    match wanted {
        Some("integer" | "number" | "boolean") => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
        _ => text.into(),
    }
}

/// Checks the value of an argument.
fn invalid(argument: &ArgumentRule, value: &Value) -> Option<VerdictReason> {
    let schema = argument.schema.as_ref()?;
    let at = &argument.location;
    let name = &argument.name;
    match compile(schema) {
        Ok(validator) => {
            let error = validator.iter_errors(value).next()?.to_string();
            Some(reason(Verdict::Deny, "arguments", at, format!("the argument `{name}` is invalid: {error}")))
        }
        Err(error) => {
            let message = format!("the schema of the argument `{name}` is invalid: {error}");
            Some(reason(Verdict::Ask, "arguments", at, message))
        }
    }
}

/// Required arguments are matched by an option of the same name, otherwise by the number of arguments.
fn missing(arguments: &[ArgumentRule], given: usize, program: &str, words: &[Word]) -> Option<VerdictReason> {
    let has = |name: &str| Options::new(program, words).has(&format!("--{}", name.replace('_', "-")));
    let required = arguments.iter().filter(|argument| argument.is_required);
    let unnamed: Vec<&ArgumentRule> = required.filter(|argument| !has(&argument.name)).collect();
    let lacking = unnamed.get(given..).filter(|lacking| !lacking.is_empty())?;
    let names: Vec<&str> = lacking.iter().map(|argument| argument.name.as_str()).collect();
    let at = &lacking.first()?.location;
    Some(reason(Verdict::Deny, "required_args", at, format!("name {}: the call requires it", names.join(" and "))))
}

/// Returns the approval that a rule requires, with its preconditions.
fn approval(rule: &ToolRule) -> Option<VerdictReason> {
    let before: Vec<&str> = rule.preconditions.iter().map(|condition| condition.text.as_str()).collect();
    let before = if before.is_empty() { String::new() } else { format!("; before it: {}", before.join("; ")) };
    let effects = if rule.effects.is_empty() { String::new() } else { format!("; it {}", rule.effects.join(", and ")) };
    let before = effects + &before;
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
    let parsed = OperationName::parse(name);
    policy
        .tools
        .iter()
        .flat_map(|rule| match fit(rule, name, &parsed) {
            Some(fit) => call(rule, args, fit),
            None => Vec::new(),
        })
        .collect()
}

/// Fit between a rule and a tool.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// By its name, so that the arguments have the names of the schema.
    Exact,
    /// By what it does: the server may name the arguments differently.
    Similar,
}

fn fit(rule: &ToolRule, name: &str, parsed: &OperationName) -> Option<Fit> {
    let names = aliases(name);
    let is_named = |known: &str| names.iter().any(|name| known.eq_ignore_ascii_case(name));
    if is_named(&rule.tool) || rule.aliases.iter().any(|alias| is_named(alias)) {
        return Some(Fit::Exact);
    }
    let (server, operation) = rule.operation.as_ref()?;
    let is_operation = |operation: &str| parsed.is_operation_of(server, operation);
    if is_operation(operation) || rule.aliases.iter().any(|alias| is_operation(alias)) {
        let is_literal = name.to_lowercase().ends_with(&operation.to_lowercase());
        return Some(if is_literal { Fit::Exact } else { Fit::Similar });
    }
    let mut operations = rule.action.into_iter().flat_map(|action| &action.operations);
    operations.any(|operation| is_operation(operation)).then_some(Fit::Similar)
}

fn call(rule: &ToolRule, args: &Value, fit: Fit) -> Vec<VerdictReason> {
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
    for argument in &rule.arguments {
        match value_of(args, &argument.name) {
            Some(value) => found.extend(invalid(argument, value)),
            None if argument.is_required && fit == Fit::Exact => {
                let message = format!("name {}: the call requires it", argument.name);
                found.push(reason(Verdict::Deny, "required_args", &argument.location, message));
            }
            None => {}
        }
    }
    found.extend(approval(rule));
    found
}

/// The value of an argument: `merge_method` is also `mergeMethod`.
fn value_of<'v>(args: &'v Value, name: &str) -> Option<&'v Value> {
    let same = |other: &str| {
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
        letters(other) == letters(name)
    };
    let by_words = || args.as_object()?.iter().find(|(key, _)| same(key)).map(|(_, value)| value);
    args.get(name).or_else(by_words).filter(|value| !value.is_null())
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
