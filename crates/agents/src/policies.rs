//! The policies of the canon as text of tool files.

use super::desired::DesiredToolFiles;
use super::request::ToolFileRequest;
use canonry_model::canon::rule_scope::{RuleMode, ScopedPolicy, split_policy};
use canonry_text::RepoPath;

/// Returns the readable policies, and reports the others.
pub(super) fn policies<'w>(
    request: &'w ToolFileRequest<'_>,
    desired: &mut DesiredToolFiles,
) -> Vec<(&'w RepoPath, String)> {
    let mut found = Vec::new();
    for (path, text) in request.sources.below(&request.layout.policies()) {
        match text {
            Ok(text) => found.push((path, with_final_newline(text))),
            Err(error) => {
                desired.frozen.insert(RepoPath::from("AGENTS.md"));
                desired.frozen.extend(request.files.context_tools().iter().map(|tool| RepoPath::from(tool.file)));
                desired.add_problem(path, error.to_string());
            }
        }
    }
    found
}

pub(super) fn with_final_newline(text: &str) -> String {
    if text.ends_with('\n') || text.is_empty() { text.to_owned() } else { format!("{text}\n") }
}

/// A policy as part of a context file, which always applies: the scope becomes a line of text. `None` for a policy that
/// applies only if a person names it.
pub(super) fn text_for_context(policy: &str) -> Option<String> {
    let ScopedPolicy { scope, body, .. } = split_policy(policy);
    let Some(scope) = scope else { return Some(body.to_owned()) };
    let globs: Vec<String> = scope.globs.iter().map(|glob| format!("`{glob}`")).collect();
    let files = if globs.is_empty() { String::new() } else { format!("For files: {}. ", globs.join(", ")) };
    let description = scope.description.as_deref().map(one_line).unwrap_or_default();
    match scope.mode() {
        RuleMode::Manual => None,
        RuleMode::Always => Some(body.to_owned()),
        RuleMode::Files | RuleMode::Agent => {
            Some(format!("> {}\n\n{body}", format!("{files}{description}").trim_end()))
        }
    }
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
