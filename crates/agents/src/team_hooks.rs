//! The team's own hooks, in the events, units and tool names of each tool, parsed and rendered.

use super::desired::DesiredToolFiles;
use super::executable::Executable;
use super::hooks::is_our_command;
use super::request::ToolFileRequest;
use super::team_files;
use super::tool_hook::ToolHook;
use canonry_model::canon::team_hooks::{TeamHook, parse};
use canonry_model::config::{HookFormat, HookTool};
use canonry_model::tools::hook_form::{HookForm, TimeUnit, events_in};
use canonry_text::node::{MappingEntry, Node};
use canonry_text::{RepoPath, Source};
use serde_json::{Map, Value, json};

/// The name of the team's hooks in Antigravity's file.
const ANTIGRAVITY_NAME: &str = "team";

/// Adds the team's hooks for the configured tools.
pub(super) fn add(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let canon = request.layout.hooks();
    let Some(text) = request.sources.get(&canon) else { return };
    let tools: Vec<HookTool> =
        HookTool::all().iter().copied().filter(|tool| request.files.tool(tool.row.id).team_hooks).collect();
    if tools.is_empty() {
        return;
    }
    let hooks = text
        .map_err(ToString::to_string)
        .and_then(|text| parse(&Source::new(canon.clone(), text.to_owned())).map_err(|error| error.to_string()));
    match hooks {
        Ok(mut hooks) => {
            hooks.retain(|hook| !request.sources.withholds(&Executable::Hook(hook.clone())));
            tools.iter().for_each(|tool| add_for(*tool, &hooks, &canon, desired));
        }
        Err(message) => {
            for tool in tools {
                desired.frozen.insert(RepoPath::from(tool.hooks.path));
                desired.frozen.extend(team_files::paths(tool).into_iter().map(RepoPath::new));
            }
            desired.add_problem(&canon, message);
        }
    }
}

fn add_for(tool: HookTool, hooks: &[TeamHook], canon: &RepoPath, desired: &mut DesiredToolFiles) {
    let mut written: Vec<ToolHook<'_>> = Vec::new();
    let is_for_tool = |hook: &&TeamHook| hook.tools.is_empty() || hook.tools.iter().any(|id| id == tool.row.id);
    for hook in hooks.iter().filter(is_for_tool) {
        match ToolHook::new(tool, hook, &written) {
            Ok(hook) => written.push(hook),
            Err(error) => {
                let message = format!(
                    "the hook `{}` of `{}` is not written for {}: {error}",
                    hook.command, hook.event, tool.row.name
                );
                desired.add_omission(canon, format!("{}/hooks/{}", tool.row.id, hook.event), message);
            }
        }
    }
    for (path, text) in team_files::files(tool, &written) {
        desired.add_generated(&path, Some(text), canon);
    }
    if !tool.hooks.is_plugin() {
        add_settings(tool, &written, canon, desired);
    }
}

/// Adds hooks to settings that the tool shares with people.
fn add_settings(tool: HookTool, hooks: &[ToolHook<'_>], canon: &RepoPath, desired: &mut DesiredToolFiles) {
    let mut named: Map<String, Value> = Map::new();
    for hook in hooks {
        if tool.hooks.format == HookFormat::Antigravity {
            let list = named.entry(hook.event).or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(list) = list {
                list.push(hook.entry(tool));
            }
            continue;
        }
        desired.add_item(tool.hooks.path, &["hooks", hook.event], hook.entry(tool), canon);
    }
    if !named.is_empty() {
        desired.add_key(tool.hooks.path, &[ANTIGRAVITY_NAME], Value::Object(named), canon);
    }
    if !hooks.is_empty() && tool.hooks.format == HookFormat::Cursor {
        desired.add_key(tool.hooks.path, &["version"], json!(1), canon);
    }
}

/// The origin of a list of hooks.
#[derive(Clone, Copy, Debug)]
pub struct HookOrigin {
    /// The tool that gets the hooks; `None` for all.
    pub tool: Option<&'static str>,
    pub form: &'static HookForm,
    /// Whether events that the form lacks have the names of other tools, except for the case of their letters.
    pub has_other_events: bool,
}

/// A hook that the canon cannot express.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LostHook {
    #[error("the hooks of `{0}`: the canon has no such event")]
    Event(String),
    #[error("the hooks `{0}` are disabled")]
    Disabled(String),
    #[error("a hook of `{0}` runs no command")]
    NoCommand(&'static str),
    #[error("the hook `{command}` of `{event}`: the canon cannot express its `{key}`")]
    Key { command: String, event: &'static str, key: String },
}

/// Keys of a hook that the canon has, or that say nothing.
const KNOWN_KEYS: [&str; 6] = ["type", "command", "timeout", "matcher", "name", "description"];

/// The hooks in a tool's file, apart from those of canonry.
pub fn parse_settings(tool: HookTool, settings: &Node) -> Vec<Result<TeamHook, LostHook>> {
    let origin = HookOrigin { tool: Some(tool.row.id), form: tool.hooks.form, has_other_events: false };
    let form = tool.hooks.form;
    let is_disabled = |list: &Node| list.get("enabled").and_then(Node::as_bool) == Some(false);
    let disabled = settings.entries().iter().filter(|entry| form.is_named && is_disabled(&entry.value));
    let disabled = disabled.map(|entry| Err(LostHook::Disabled(entry.key.clone())));
    let lists = form.lists(settings).into_iter().filter(|list| !is_disabled(list));
    disabled.chain(lists.flat_map(|list| origin.parse(list))).collect()
}

impl HookOrigin {
    /// The hooks by event, apart from those of canonry.
    pub fn parse(&self, list: &Node) -> Vec<Result<TeamHook, LostHook>> {
        let form = self.form;
        let mut found = Vec::new();
        for entry in events_in(list) {
            let Some(groups) = entry.value.as_sequence() else { continue };
            let Some(event) = self.event(&entry.key) else {
                found.push(Err(LostHook::Event(entry.key.clone())));
                continue;
            };
            for group in groups {
                let hooks = form.hooks(group);
                if hooks.is_empty() {
                    found.push(Err(LostHook::NoCommand(event)));
                }
                found.extend(hooks.iter().filter_map(|hook| self.parse_one(event, group, hook).transpose()));
            }
        }
        found
    }

    /// A hook; `None` for one of canonry.
    fn parse_one(&self, event: &'static str, group: &Node, hook: &Node) -> Result<Option<TeamHook>, LostHook> {
        let text = |node: &Node, key: &str| node.get(key).and_then(Node::as_str).map(str::to_owned);
        let command = text(hook, "command").filter(|command| !command.trim().is_empty());
        let command = command.ok_or(LostHook::NoCommand(event))?;
        if is_our_command(&command) {
            return Ok(None);
        }
        // A hook that does not run in the background is like any other.
        let is_default = |entry: &MappingEntry| entry.key == "async" && entry.value.as_bool() == Some(false);
        let is_unknown = |entry: &&MappingEntry| !KNOWN_KEYS.contains(&entry.key.as_str()) && !is_default(entry);
        let unknown = hook.entries().iter().find(is_unknown).map(|entry| entry.key.clone());
        let is_other = text(hook, "type").is_some_and(|kind| kind != "command");
        if let Some(key) = unknown.or_else(|| is_other.then(|| "type".to_owned())) {
            return Err(LostHook::Key { command, event, key });
        }
        Ok(Some(TeamHook {
            event,
            matcher: text(group, "matcher").filter(|matcher| !matches!(matcher.as_str(), "" | "*" | ".*")),
            command,
            timeout: hook.get(self.form.timeout_key).and_then(Node::as_f64).map(|time| seconds(self.form.unit, time)),
            tools: self.tool.map(str::to_owned).into_iter().collect(),
        }))
    }

    /// The canon's event.
    fn event(&self, name: &str) -> Option<&'static str> {
        let own = self.form.event(name).and_then(|event| event.canon);
        let tools = HookTool::all().iter().filter(|_| self.has_other_events);
        let mut others = tools.flat_map(|tool| tool.hooks.form.events);
        own.or_else(|| others.find(|event| event.name.eq_ignore_ascii_case(name))?.canon)
    }
}

/// A time limit in whole seconds, rounded up.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn seconds(unit: TimeUnit, time: f64) -> u64 {
    let seconds = if unit == TimeUnit::Milliseconds { time / 1000.0 } else { time };
    seconds.ceil().max(1.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::parts;
    use crate::mcp::McpServer;
    use canonry_model::config::{HookFailMode, HookRow, McpRow, ToolRow, tool_row};
    use canonry_model::tools::hook_form::TEAM;
    use canonry_text::json;
    use proptest::prelude::*;
    use proptest::sample::select;

    #[test]
    fn a_hook_has_the_form_of_each_tool() {
        let hook = |event, matcher: Option<&str>, tools: &[&str]| TeamHook {
            event,
            matcher: matcher.map(str::to_owned),
            command: "./x.sh".to_owned(),
            timeout: Some(5),
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        };
        let shown = |hook: &TeamHook| -> Vec<String> {
            let show = |tool: &HookTool| match ToolHook::new(*tool, hook, &[]) {
                Ok(hook) if tool.hooks.is_plugin() => format!("{} {:?}", hook.event, hook.matcher),
                Ok(hook) => format!("{} {}", hook.event, hook.entry(*tool)),
                Err(error) => error.to_string(),
            };
            HookTool::all().iter().map(show).collect()
        };
        assert_eq!(
            shown(&hook("post-tool", Some("Edit|Write"), &[])),
            [
                r#"PostToolUse {"hooks":[{"type":"command","command":"./x.sh","timeout":5}],"matcher":"Edit|Write"}"#,
                r#"AfterTool {"hooks":[{"type":"command","command":"./x.sh","timeout":5000}],"matcher":"replace|write_file"}"#,
                r#"postToolUse {"command":"./x.sh","timeout":5,"matcher":"Write"}"#,
                r#"PostToolUse {"hooks":[{"type":"command","command":"./x.sh","timeout":5}],"matcher":"apply_patch"}"#,
                r#"PostToolUse {"matcher":"replace_file_content|write_to_file","hooks":[{"type":"command","command":"./x.sh","timeout":5}]}"#,
                r#"tool.execute.after Some("edit|apply_patch|write")"#,
                "it has no time limits for hooks",
                "it has no tool `Edit` for the matcher; for its own names, add a hook with `tools: [kiro]`",
                r#"PostToolUse {"hooks":[{"type":"command","command":"./x.sh","timeout":5000}],"matcher":"edit|write_file"}"#,
                r#"PostToolUse {"hooks":[{"type":"command","command":"./x.sh","timeout":5}],"matcher":"Edit|Create"}"#,
                r#"PostToolUse {"hooks":[{"type":"command","command":"exec ./x.sh","timeout":5}],"matcher":"search_replace|write"}"#,
            ]
        );
        let stop = shown(&hook("stop", None, &[]));
        assert_eq!(stop[4], r#"Stop {"type":"command","command":"./x.sh","timeout":5}"#);
        let denied = shown(&hook("pre-tool", Some("Bash|Skill"), &[]));
        assert!(denied[0].contains("Bash|Skill") && denied[1].contains("no tool `Skill`"), "{denied:#?}");
        assert!(denied[4].contains("prints no decision"), "{denied:#?}");
        let own = shown(&hook("pre-tool", Some("run_command"), &["antigravity"]));
        assert!(own[4].starts_with(r#"PreToolUse {"matcher":"run_command""#), "{own:#?}");
        assert!(shown(&hook("session-start", Some("resume"), &[]))[0].contains("other matchers"));
        assert!(shown(&hook("subagent-stop", None, &[]))[1].contains("no such event"));
    }

    /// The row is all that hooks and servers of a tool with the formats of Claude Code need.
    #[test]
    fn a_new_tool_is_its_row() {
        let claude = tool_row("claude").unwrap();
        let hooks = claude.hooks.as_ref().unwrap();
        let row: &'static ToolRow = Box::leak(Box::new(ToolRow {
            id: "example",
            name: "Example",
            mcp: claude.mcp.map(|mcp| McpRow { path: ".example/mcp.json", ..mcp }),
            hooks: Some(HookRow { path: ".example/settings.json", ..*hooks }),
            ..ToolRow::EMPTY
        }));
        let tool = HookTool { row, hooks: row.hooks.as_ref().unwrap() };
        let own = parts(tool, HookFailMode::Open, &RepoPath::from("agent/canonry.yaml"));
        assert!(own.iter().all(|part| part.file == RepoPath::from(".example/settings.json")));
        assert!(own.iter().all(|part| format!("{part:?}").contains("--tool example")), "{own:#?}");

        let hook = TeamHook {
            event: "post-tool",
            matcher: Some("Edit|Write".to_owned()),
            command: "./x.sh".to_owned(),
            timeout: Some(5),
            tools: vec!["example".to_owned()],
        };
        let written = ToolHook::new(tool, &hook, &[]).unwrap();
        let settings = json!({"hooks": {written.event: [written.entry(tool)]}}).to_string();
        assert_eq!(parse_settings(tool, &json::parse(&settings, 0).unwrap().root), [Ok(hook)]);

        let server = McpServer::parse("db", &json!({"command": "npx", "args": ["db"]})).unwrap();
        let written = server.render(&row.mcp.unwrap().format).unwrap();
        assert_eq!(McpServer::parse("db", &written.value).unwrap(), server);
    }

    proptest! {
        /// A hook in a tool's file is read as the hook of the canon, for this tool.
        #[test]
        fn a_written_hook_means_the_same(
            event in select(TEAM.events).prop_map(|event| event.name),
            matcher in proptest::option::of(select(vec!["Bash", "Edit|Write", "mcp__db__query"])),
            timeout in proptest::option::of(1..600_u64),
        ) {
            let command = "./x.sh --all; true".to_owned();
            let hook = TeamHook { event, matcher: matcher.map(str::to_owned), command, timeout, tools: Vec::new() };
            for tool in HookTool::all().iter().copied().filter(|tool| !tool.hooks.is_plugin()) {
                let named = TeamHook { tools: vec![tool.row.id.to_owned(), "other".to_owned()], ..hook.clone() };
                let Ok(written) = ToolHook::new(tool, &named, &[]) else { continue };
                let name = written.event;
                let written = written.entry(tool);
                let events = json!({name: [written]});
                let settings = if tool.hooks.format == HookFormat::Antigravity { json!({"team": events}) } else { json!({"hooks": events}) };
                let found = parse_settings(tool, &json::parse(&settings.to_string(), 0).unwrap().root);
                let [Ok(found)] = found.as_slice() else { panic!("{}: {found:?}", tool.row.id) };
                prop_assert_eq!((found.event, &found.command, found.timeout), (event, &hook.command, timeout));
                prop_assert_eq!(found.matcher.is_some(), matcher.is_some() && written.to_string().contains("matcher"));
                let again = ToolHook::new(tool, found, &[]).unwrap();
                prop_assert_eq!((again.event, again.entry(tool)), (name, written), "{}", tool.row.id);
            }
        }
    }
}
