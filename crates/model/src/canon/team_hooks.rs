//! The team's own hooks, `hooks.yaml`.

use super::schema::{SchemaKind, Schemas};
use crate::tools::hook_form::TEAM;
use canonry_text::node::Node;
use canonry_text::{Source, yaml};

/// The file with these hooks.
pub fn to_yaml(hooks: &[TeamHook]) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut text = "hooks:\n".to_owned();
    for event in TEAM.events {
        let hooks: Vec<&TeamHook> = hooks.iter().filter(|hook| hook.event == event.name).collect();
        if !hooks.is_empty() {
            text.push_str(&format!("  {}:\n", event.name));
        }
        for hook in hooks {
            text.push_str(&format!("    - command: {}\n", quoted(&hook.command)));
            if let Some(matcher) = &hook.matcher {
                text.push_str(&format!("      matcher: {}\n", quoted(matcher)));
            }
            if let Some(timeout) = hook.timeout {
                text.push_str(&format!("      timeout: {timeout}\n"));
            }
            if !hook.tools.is_empty() {
                text.push_str(&format!("      tools: [{}]\n", hook.tools.join(", ")));
            }
        }
    }
    text
}

/// A hook of the team.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TeamHook {
    /// One of [`TEAM`].
    pub event: &'static str,
    /// The tools of the agent that the event concerns; `None` for all.
    pub matcher: Option<String>,
    /// The command line.
    pub command: String,
    /// The time limit in seconds.
    pub timeout: Option<u64>,
    /// The coding agents that get it; empty for all.
    pub tools: Vec<String>,
}

/// Why the file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TeamHooksError {
    #[error("line {line}: {message}")]
    Invalid { line: usize, message: String },
}

/// Parses the file.
///
/// # Errors
/// See [`TeamHooksError`].
pub fn parse(source: &Source) -> Result<Vec<TeamHook>, TeamHooksError> {
    let invalid =
        |offset: usize, message: String| TeamHooksError::Invalid { line: source.position(offset).line, message };
    let document = yaml::parse(source.text(), 0).map_err(|error| invalid(error.span.offset, error.message))?;
    if let Some(violation) = Schemas::default().validate(SchemaKind::Hooks, &document.root).first() {
        return Err(invalid(violation.span.offset, violation.message.clone()));
    }
    let mut hooks = Vec::new();
    for entry in document.root.entries_at("hooks") {
        let Some(event) = TEAM.event(&entry.key) else { continue };
        let handlers = entry.value.as_sequence().unwrap_or_default();
        hooks.extend(handlers.iter().map(|node| hook(event.name, node)));
    }
    Ok(hooks)
}

/// A hook whose keys the schema has checked.
fn hook(event: &'static str, node: &Node) -> TeamHook {
    let text = |key: &str| node.get(key).and_then(Node::as_str).map(str::to_owned);
    let tools = node.get("tools").and_then(Node::as_sequence).unwrap_or_default();
    TeamHook {
        event,
        matcher: text("matcher").filter(|matcher| !matches!(matcher.as_str(), "" | "*")),
        command: text("command").unwrap_or_default(),
        timeout: node.get("timeout").and_then(Node::as_u64),
        tools: tools.iter().filter_map(Node::as_str).map(str::to_owned).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon::schema::built_in_json;
    use canonry_text::RepoPath;

    fn parsed(text: &str) -> Result<Vec<TeamHook>, String> {
        parse(&Source::new(RepoPath::from("agent/hooks.yaml"), text.to_owned())).map_err(|error| error.to_string())
    }

    #[test]
    fn events_are_those_of_the_schema() {
        let schema = built_in_json(SchemaKind::Hooks);
        let events = schema.pointer("/properties/hooks/properties").unwrap().as_object().unwrap();
        let mut names: Vec<&str> = TEAM.events.iter().map(|event| event.name).collect();
        names.sort_unstable();
        let mut keys: Vec<&str> = events.keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(keys, names);
    }

    #[test]
    fn a_hook_has_defaults_for_everything_but_its_command() {
        let hooks = parsed(
            "hooks:\n  stop:\n    - command: ./a.sh\n  pre-tool:\n    - {command: b, matcher: Bash, timeout: 5, tools: [claude]}\n",
        );
        let hook = |event, matcher: Option<&str>, command: &str, timeout, tools: &[&str]| TeamHook {
            event,
            matcher: matcher.map(str::to_owned),
            command: command.to_owned(),
            timeout,
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        };
        let written = to_yaml(hooks.as_ref().unwrap());
        let mut again = parsed(&written).unwrap();
        again.sort_by_key(|hook| hook.command.clone());
        assert_eq!(again, *hooks.as_ref().unwrap(), "{written}");
        assert_eq!(
            hooks,
            Ok(vec![
                hook("stop", None, "./a.sh", None, &[]),
                hook("pre-tool", Some("Bash"), "b", Some(5), &["claude"])
            ])
        );
    }

    #[test]
    fn errors_name_the_line() {
        for (text, words) in [
            ("hooks: {stopp: []}", "line 1"),
            ("hooks:\n  stop:\n    - cmd: a\n", "line 3"),
            ("hooks:\n  stop:\n    - command: a\n      timeout: 1.5\n", "line 4"),
            ("hooks:\n  stop:\n    - command: a\n      tools: [vim]\n", "line 4"),
            ("hooks: [", "line 1"),
        ] {
            let error = parsed(text).unwrap_err();
            assert!(error.starts_with(words), "{text}: {error}");
        }
    }
}
