//! The frontmatter of a rule file in the format of each tool.

use super::policies::one_line;
use canonry_model::canon::rule_scope::{RuleMode, RuleScope};
use canonry_model::config::tool_formats::RuleHeader;
use serde_json::json;

/// The number of characters that Antigravity and Windsurf read of a rule.
pub(super) const TRIGGER_LIMIT: usize = 12_000;

/// The header of a rule. `name` identifies a rule that the agent chooses.
pub(super) fn header(form: RuleHeader, scope: &RuleScope, name: &str) -> String {
    match form {
        RuleHeader::Cursor => cursor_header(scope),
        RuleHeader::Copilot => copilot_header(scope),
        RuleHeader::Kiro => kiro_header(scope, name),
        RuleHeader::Paths => paths_header(scope),
        RuleHeader::Trigger => trigger_header(scope),
    }
}

/// Whether a tool has no form for a rule that applies only if a person names it.
pub(super) fn has_no_form(form: RuleHeader, scope: &RuleScope) -> bool {
    form == RuleHeader::Paths && scope.mode() == RuleMode::Manual
}

pub(super) fn no_form(rule: &str, tool: &str) -> String {
    format!("`{rule}` is not written for {tool}, which has no rules that apply only if a person names them")
}

/// A line that says when a rule applies, for tools whose agent cannot choose it.
pub(super) fn note(form: RuleHeader, scope: &RuleScope) -> String {
    let is_for_agent = form == RuleHeader::Paths && scope.mode() == RuleMode::Agent;
    let description = scope.description.as_deref().filter(|_| is_for_agent);
    description.map(|text| format!("> {}\n\n", one_line(text))).unwrap_or_default()
}

/// Cursor reads its header line by line, so that no value is quoted.
fn cursor_header(scope: &RuleScope) -> String {
    let mut text = "---\n".to_owned();
    if let Some(description) = &scope.description {
        text.push_str(&format!("description: {}\n", one_line(description)));
    }
    if !scope.globs.is_empty() {
        text.push_str(&format!("globs: {}\n", scope.globs.join(",")));
    }
    text + &format!("alwaysApply: {}\n---\n\n", scope.always == Some(true))
}

/// The header of Antigravity and Windsurf.
fn trigger_header(scope: &RuleScope) -> String {
    let description = scope.description.as_deref().map(|text| format!("description: {}\n", plain(text)));
    let description = description.unwrap_or_default();
    let header = match scope.mode() {
        RuleMode::Always => "trigger: always_on\n".to_owned(),
        RuleMode::Files => format!("trigger: glob\n{description}globs: {}\n", scope.globs.join(",")),
        RuleMode::Agent => format!("trigger: model_decision\n{description}"),
        RuleMode::Manual => "trigger: manual\n".to_owned(),
    };
    format!("---\n{header}---\n\n")
}

/// The header of Claude Code and Cline; empty for a rule that always applies. Neither has a form for the other modes.
fn paths_header(scope: &RuleScope) -> String {
    match scope.mode() {
        RuleMode::Files => {
            let globs: String = scope.globs.iter().map(|glob| format!("  - {}\n", json!(glob))).collect();
            format!("---\npaths:\n{globs}---\n\n")
        }
        RuleMode::Always | RuleMode::Agent | RuleMode::Manual => String::new(),
    }
}

/// The header of GitHub Copilot. Instructions without `applyTo` are used if the agent or a person chooses them.
fn copilot_header(scope: &RuleScope) -> String {
    let description = scope.description.as_deref().map(|text| format!("description: {}\n", json!(one_line(text))));
    let apply_to = match scope.mode() {
        RuleMode::Always => format!("applyTo: {}\n", json!("**")),
        RuleMode::Files => format!("applyTo: {}\n", json!(scope.globs.join(","))),
        RuleMode::Agent | RuleMode::Manual => String::new(),
    };
    match description.unwrap_or_default() + &apply_to {
        empty if empty.is_empty() => empty,
        keys => format!("---\n{keys}---\n\n"),
    }
}

/// The header of Kiro. `name` identifies a rule that the agent chooses.
fn kiro_header(scope: &RuleScope, name: &str) -> String {
    let keys = match scope.mode() {
        RuleMode::Always => "inclusion: always\n".to_owned(),
        RuleMode::Files => {
            let globs: Vec<String> = scope.globs.iter().map(|glob| json!(glob).to_string()).collect();
            format!("inclusion: fileMatch\nfileMatchPattern: [{}]\n", globs.join(", "))
        }
        RuleMode::Agent => {
            let description = one_line(scope.description.as_deref().unwrap_or_default());
            format!("inclusion: auto\nname: {}\ndescription: {}\n", json!(name), json!(description))
        }
        RuleMode::Manual => "inclusion: manual\n".to_owned(),
    };
    format!("---\n{keys}---\n\n")
}

/// A text as YAML that needs no quotes.
pub(super) fn plain(text: &str) -> String {
    let plain: String =
        text.chars().map(|c| if c.is_alphanumeric() || " -_.,()/".contains(c) { c } else { ' ' }).collect();
    one_line(&plain).trim_start_matches(['-', '.', ',', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(description: Option<&str>, globs: &[&str], always: Option<bool>) -> RuleScope {
        let globs = globs.iter().map(|glob| (*glob).to_owned()).collect();
        RuleScope { description: description.map(str::to_owned), globs, always }
    }

    #[test]
    fn every_mode_in_every_tools_format() {
        let always = scope(Some("D"), &[], Some(true));
        let files = scope(Some("Use: \"a\""), &["src/**/*.{ts,tsx}", "*.js"], None);
        let agent = scope(Some("Use: \"a\""), &[], None);
        let manual = scope(None, &[], Some(false));
        let head = |keys: &str| format!("---\n{keys}---\n\n");
        for (scope, copilot, kiro, paths, trigger) in [
            (
                &always,
                head("description: \"D\"\napplyTo: \"**\"\n"),
                head("inclusion: always\n"),
                String::new(),
                head("trigger: always_on\n"),
            ),
            (
                &files,
                head("description: \"Use: \\\"a\\\"\"\napplyTo: \"src/**/*.{ts,tsx},*.js\"\n"),
                head("inclusion: fileMatch\nfileMatchPattern: [\"src/**/*.{ts,tsx}\", \"*.js\"]\n"),
                head("paths:\n  - \"src/**/*.{ts,tsx}\"\n  - \"*.js\"\n"),
                head("trigger: glob\ndescription: Use a\nglobs: src/**/*.{ts,tsx},*.js\n"),
            ),
            (
                &agent,
                head("description: \"Use: \\\"a\\\"\"\n"),
                head("inclusion: auto\nname: \"x\"\ndescription: \"Use: \\\"a\\\"\"\n"),
                String::new(),
                head("trigger: model_decision\ndescription: Use a\n"),
            ),
            (&manual, String::new(), head("inclusion: manual\n"), String::new(), head("trigger: manual\n")),
        ] {
            assert_eq!(
                (copilot_header(scope), kiro_header(scope, "x"), paths_header(scope), trigger_header(scope)),
                (copilot, kiro, paths, trigger)
            );
        }
    }
}
