//! The hooks in a tool file.

use super::ToolFile;
use super::kind::{Role, ToolFileReader};
use crate::tools::hook_form::{CLAUDE, COPILOT, CURSOR, GEMINI, HookForm, TEAM, ToolEvent, events_in, is_about_tools};
use canonry_text::Span;
use canonry_text::node::{MappingEntry, Node};

/// An event and its hooks.
#[derive(Clone, Copy, Debug)]
pub struct ListedHooks<'a> {
    pub form: &'static HookForm,
    pub name: &'a str,
    pub name_span: Span,
    /// The list of hooks or groups; the hook itself if it names its event.
    pub value: &'a Node,
    /// The entry of the marketplace that has the hooks.
    pub plugin: Option<&'a Node>,
}

/// The events in a file, known or not.
pub fn events(file: &ToolFile) -> Vec<ListedHooks<'_>> {
    let (Some(form), Some(root)) = (form(file), file.root()) else { return Vec::new() };
    let lists: Vec<(&Node, Option<&Node>)> = match file.kind.role {
        Role::Manifest => hooks_in_place(root).into_iter().map(|hooks| (hooks, None)).collect(),
        Role::Marketplace => {
            let plugins = root.get("plugins").and_then(Node::as_sequence).unwrap_or_default().iter();
            plugins
                .flat_map(|plugin| hooks_in_place(plugin).into_iter().map(move |hooks| (hooks, Some(plugin))))
                .collect()
        }
        _ => form.lists(root).into_iter().map(|hooks| (hooks, None)).collect(),
    };
    lists.into_iter().flat_map(|(list, plugin)| events_of_list(form, list, plugin)).collect()
}

fn events_of_list<'a>(form: &'static HookForm, list: &'a Node, plugin: Option<&'a Node>) -> Vec<ListedHooks<'a>> {
    let Some(keys) = form.event_keys else {
        let listed = |entry: &'a MappingEntry| ListedHooks {
            form,
            name: &entry.key,
            name_span: entry.key_span,
            value: &entry.value,
            plugin,
        };
        return events_in(list).map(listed).collect();
    };
    let listed = |hook: &'a Node| {
        let event = hook.get(keys.event)?;
        Some(ListedHooks { form, name: event.as_str()?, name_span: event.span, value: hook, plugin })
    };
    list.as_sequence().unwrap_or_default().iter().filter_map(listed).collect()
}

/// The hooks that a manifest, or the entry of a marketplace, defines in place. Others are paths.
fn hooks_in_place(plugin: &Node) -> Vec<&Node> {
    let Some(hooks) = plugin.get("hooks") else { return Vec::new() };
    let definitions = hooks.as_sequence().unwrap_or(std::slice::from_ref(hooks)).iter();
    // Written as in `hooks.json`, the events are one level deeper.
    definitions.map(|hooks| hooks.get("hooks").unwrap_or(hooks)).collect()
}

/// The format of the hooks in a file.
fn form(file: &ToolFile) -> Option<&'static HookForm> {
    match (file.kind.reader, file.kind.role) {
        (ToolFileReader::CLAUDE, Role::Manifest | Role::Marketplace) => Some(&CLAUDE),
        // Claude Code ignores hooks in the subagents of plugins ("Subagents", 2.1.240).
        (ToolFileReader::CLAUDE, Role::Subagent) if file.kind.in_plugin => None,
        (ToolFileReader::CLAUDE, Role::Skill | Role::Subagent | Role::Command) => {
            let hooks = file.root()?.get("hooks")?.as_mapping()?;
            hooks.entries.iter().any(is_hook_of_claude).then_some(&CLAUDE)
        }
        // Extensions of Gemini CLI use the same path as plugins of Claude Code.
        (ToolFileReader::CLAUDE, Role::Hooks) => {
            let hooks = file.root()?.get("hooks")?.as_mapping()?;
            let has = |form: &HookForm| hooks.entries.iter().any(|entry| form.event(&entry.key).is_some());
            let is_gemini = !has(&CLAUDE) && has(&GEMINI);
            // So do plugins of Cursor, whose hooks are in no groups.
            let is_flat = || !hooks.entries.iter().any(|entry| has_groups(&entry.value));
            let is_cursor =
                file.root()?.get("version").is_some() || !has(&CLAUDE) && !is_gemini && has(&CURSOR) && is_flat();
            if is_cursor { None } else { Some(if is_gemini { &GEMINI } else { &CLAUDE }) }
        }
        (ToolFileReader::COPILOT, Role::Hooks) => Some(&COPILOT),
        (ToolFileReader::Canonry, Role::Hooks) => Some(&TEAM),
        (reader, Role::Hooks) => Some(reader.row()?.hooks.as_ref()?.form),
        // A file with lists of any name is not one with other settings.
        (reader, Role::Settings) => Some(reader.row()?.hooks.as_ref()?.form).filter(|form| !form.is_named),
        _ => None,
    }
}

/// Whether an entry of `hooks` in a frontmatter is meant for Claude Code: it has the exact name of an event, or contains a
/// group of hooks. Other programs use the key for commands of their own (`pre: …`, `notification: …`).
fn is_hook_of_claude(entry: &MappingEntry) -> bool {
    CLAUDE.event(&entry.key).is_some() || has_groups(&entry.value)
}

/// Whether the value of an event has a group of hooks.
fn has_groups(value: &Node) -> bool {
    let is_group = |node: &Node| node.get("hooks").is_some() || node.get("matcher").is_some();
    value.as_sequence().is_some_and(|groups| groups.iter().any(is_group))
}

impl<'a> ListedHooks<'a> {
    /// The event, if the tool knows it.
    pub fn event(self) -> Option<&'static ToolEvent> {
        self.form.event(self.name)
    }

    /// The entries of the event: groups, or hooks.
    fn entries(self) -> &'a [Node] {
        if self.form.event_keys.is_some() {
            return std::slice::from_ref(self.value);
        }
        self.value.as_sequence().unwrap_or_default()
    }

    /// The groups of the event; for a tool without groups, none.
    pub fn groups(self) -> &'a [Node] {
        if self.form.has_groups { self.entries() } else { &[] }
    }

    /// The hooks of the event, each one command or prompt.
    pub fn handlers(self) -> impl Iterator<Item = &'a Node> {
        self.entries().iter().flat_map(|entry| self.form.hooks(entry))
    }

    /// The time limits of the hooks.
    pub fn timeouts(self) -> impl Iterator<Item = &'a Node> {
        // The limit is beside the action.
        let beside = self.form.event_keys.and_then(|_| self.value.get(self.form.timeout_key));
        self.handlers().filter_map(move |hook| hook.get(self.form.timeout_key)).chain(beside)
    }

    /// Whether the event concerns calls of tools, so that its matcher is compared with names of tools.
    pub fn is_about_tools(self) -> bool {
        let event = self.form.events.iter().find(|event| event.name.eq_ignore_ascii_case(self.name));
        event.is_some_and(|event| event.canon.is_some_and(is_about_tools) || event.name == "PermissionRequest")
    }
}
