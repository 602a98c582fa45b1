//! A hook of the team in the events, units and tool names of a tool.

use super::hooks::grouped;
use canonry_model::canon::team_hooks::TeamHook;
use canonry_model::config::{HookFormat, HookTool};
use canonry_model::tools::hook_form::is_about_tools;
use canonry_model::tools::tool_formats::ToolNames;
use serde_json::{Value, json};

/// Why a tool does not get a hook.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum HookError {
    #[error("it has no such event")]
    Event,
    #[error("it has no tool `{0}` for the matcher; for its own names, add a hook with `tools: [{1}]`")]
    Matcher(String, &'static str),
    #[error("the event has other matchers in each tool; add a hook with `tools: [{0}]` for this one")]
    EventMatcher(&'static str),
    #[error("it denies every call for which the hook prints no decision; name it in `tools` if the hook does")]
    Decision,
    #[error("it runs a hook at every call, so there is no place for the matcher")]
    NoMatcher,
    #[error("its matchers are names separated by `|`")]
    NoPattern,
    #[error("it has no time limits for hooks")]
    NoTimeout,
    #[error("it runs at most {0} of the team's hooks at an event")]
    Limit(usize),
}

/// A hook in the words of a tool.
#[derive(Debug)]
pub(super) struct ToolHook<'a> {
    pub event: &'static str,
    pub matcher: Option<String>,
    /// The time limit in the unit of the tool.
    pub timeout: Option<u64>,
    pub team: &'a TeamHook,
}

impl<'a> ToolHook<'a> {
    /// A hook beside those that the tool gets already.
    pub fn new(tool: HookTool, team: &'a TeamHook, others: &[Self]) -> Result<Self, HookError> {
        let form = tool.hooks.form;
        let event = form.name_of(team.event).ok_or(HookError::Event)?;
        let is_named = team.tools.iter().any(|id| id == tool.row.id);
        if tool.hooks.format == HookFormat::Antigravity && team.event == "pre-tool" && !is_named {
            return Err(HookError::Decision);
        }
        if team.timeout.is_some() && !form.has_options {
            return Err(HookError::NoTimeout);
        }
        let limit = tool.hooks.script_extensions.len();
        if limit > 0 && others.iter().filter(|other| other.event == event).count() == limit {
            return Err(HookError::Limit(limit));
        }
        let matcher = match &team.matcher {
            None => None,
            Some(_) if !form.has_options => return Err(HookError::NoMatcher),
            // For one tool, the matcher is its own.
            Some(matcher) if team.tools.len() == 1 => {
                if tool.hooks.format == HookFormat::OpenCode && !names(matcher).all(is_name) {
                    return Err(HookError::NoPattern);
                }
                Some(matcher.clone())
            }
            Some(_) if !is_about_tools(team.event) => return Err(HookError::EventMatcher(tool.row.id)),
            Some(matcher) => Some(translate(matcher, tool)?),
        };
        Ok(Self { event, matcher, timeout: team.timeout.map(|seconds| form.unit.of_seconds(seconds)), team })
    }

    /// The entry in settings.
    pub fn entry(&self, tool: HookTool) -> Value {
        let command = self.team.command.trim();
        let is_bare = command.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '/' | '_' | '-'));
        let command = if is_bare && tool.hooks.form.has_bare_paths {
            // Two words are a line for a shell, which starts at the top of the repository.
            format!("exec {command}")
        } else {
            self.team.command.clone()
        };
        let mut handler = json!({"type": "command", "command": command});
        if let Some(timeout) = self.timeout {
            handler["timeout"] = json!(timeout);
        }
        grouped(tool, handler, self.matcher.clone(), self.team.event)
    }
}

/// The names in a matcher that is a list of them.
pub(super) fn names(matcher: &str) -> impl Iterator<Item = &str> {
    matcher.split('|').map(str::trim)
}

fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

/// Translates Claude Code's names of tools, separated by `|`.
fn translate(matcher: &str, tool: HookTool) -> Result<String, HookError> {
    // Any pattern.
    let ToolNames::Own(tool_name) = tool.hooks.tool_names else { return Ok(matcher.to_owned()) };
    let mut translated: Vec<String> = Vec::new();
    for name in names(matcher) {
        let own = Some(name).filter(|name| is_name(name)).and_then(tool_name);
        let own = own.ok_or_else(|| HookError::Matcher(name.to_owned(), tool.row.id))?;
        // A tool may have several names.
        for own in own.split('|').map(str::to_owned) {
            if !translated.contains(&own) {
                translated.push(own);
            }
        }
    }
    Ok(translated.join("|"))
}
