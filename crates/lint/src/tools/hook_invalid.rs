//! Part of `tool-file-schema`: hook that the tool cannot load.

use super::keys::described;
use super::tool_file_schema::RULE;
use crate::Finding;
use canonry_model::canon::tool_file::ToolFile;
use canonry_model::canon::tool_file::hooks::{ListedHooks, events};
use canonry_model::finding::Location;
use canonry_model::tools::hook_form::HookForm;
use canonry_text::Span;
use canonry_text::node::{Node, ScalarKind};

/// A problem, where it is, and what to do.
type Flaw = (Span, String, &'static str);

pub(super) fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    for event in events(file).into_iter().filter(|event| event.event().is_some()) {
        let handlers = event.handlers().filter_map(|handler| flaw(handler, event.form));
        let timeouts = event.timeouts().filter_map(|timeout| timeout_flaw(timeout, event.form));
        let flaws = event_flaws(event).into_iter().chain(handlers).chain(timeouts);
        let finding = |(span, message, help): Flaw| RULE.at(Location::at(source, span), message).help(help);
        findings.extend(flaws.map(finding));
    }
}

fn event_flaws(event: ListedHooks<'_>) -> Vec<Flaw> {
    let name = event.name;
    if event.form.event_keys.is_none() && event.value.as_sequence().is_none() {
        let message = format!("the hooks of `{name}` must be a list, but are {}", described(event.value));
        return vec![(event.name_span, message, "put them in `[ … ]`")];
    }
    let group_flaw = |group: &Node| {
        if group.get("hooks").is_some_and(|hooks| hooks.as_sequence().is_some()) {
            return None;
        }
        let is_handler = group.get("command").is_some() || group.get("prompt").is_some();
        let help = if is_handler {
            "put the hook into a group: `{\"matcher\": \"…\", \"hooks\": [ … ]}`; omit `matcher` for all calls"
        } else {
            "add `\"hooks\": [ … ]` with the commands to run"
        };
        let span = Span { length: group.span.length.min(1), ..group.span };
        Some((span, format!("an entry of `{name}` has no list `hooks`, so nothing runs"), help))
    };
    event.groups().iter().filter_map(group_flaw).collect()
}

fn flaw(node: &Node, form: &HookForm) -> Option<Flaw> {
    let start = Span { length: node.span.length.min(1), ..node.span };
    let kind = node.get("type").map(|kind| (kind.span, kind.as_str()));
    if !form.types.is_empty() {
        match kind {
            None => return Some((start, "the hook has no `type`".to_owned(), "add `\"type\": \"command\"`")),
            Some((span, None)) => {
                return Some((span, "`type` must be a string".to_owned(), "write `\"type\": \"command\"`"));
            }
            Some((span, Some(text))) if !form.types.contains(&text) => {
                let message = format!("unknown type of hook `{text}`; known are {}", form.types.join(", "));
                return Some((span, message, "write `\"type\": \"command\"` for a shell command"));
            }
            Some(_) => {}
        }
    }
    let runs_command = kind.is_none_or(|(_, text)| text == Some("command"));
    match form.command_keys.iter().find_map(|key| node.get(key)) {
        None if runs_command && form.command_keys.len() > 1 => {
            let message = "the hook has no `bash`, `powershell` or `exec`".to_owned();
            Some((start, message, "add the command to run as `bash`, `powershell` or both, or a program as `exec`"))
        }
        None if runs_command => {
            Some((start, "the hook has no `command`".to_owned(), "add the command to run as `command`"))
        }
        Some(command) if runs_command && command.as_str().is_none() => Some((
            command.span,
            format!("the command must be a string, but is {}", described(command)),
            "write the whole command line as one string",
        )),
        _ => None,
    }
}

fn timeout_flaw(timeout: &Node, form: &HookForm) -> Option<Flaw> {
    let key = form.timeout_key;
    let is_number = timeout.as_scalar().is_some_and(|scalar| matches!(scalar.kind, ScalarKind::Number(_)));
    let message = format!("`{key}` must be a number, but is {}", described(timeout));
    (!is_number).then_some((timeout.span, message, "write the number without quotes"))
}
