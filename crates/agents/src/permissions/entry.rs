//! Meaning of a permission in the settings of a tool, in the terms of the canon.

use canonry_model::canon::permissions::{DefaultMode, PermissionSubject, Verdict};
use serde_json::Value;

/// Meaning of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryMeaning {
    /// Commands that begin with these words.
    Prefix(String),
    /// Commands that begin with this text; the canon knows whole words.
    Text(String),
    /// One command without further arguments.
    Exact(String),
    Subject(PermissionSubject),
    /// A restriction of some of the tools that change files; the canon restricts all of them.
    SomeEdits(PermissionSubject),
    /// The same as [`Self::Subject`], but only for a file at the top of the repository.
    AtTop(PermissionSubject),
}

/// A permission as a tool writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolEntry {
    /// `None` for a setting that neither allows nor restricts one thing.
    pub decision: Option<Verdict>,
    /// `None` if the canon cannot express it.
    pub meaning: Option<EntryMeaning>,
    pub as_written: String,
}

/// The permissions in the settings of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolPermissions {
    pub entries: Vec<ToolEntry>,
    pub mode: Option<ModeSetting>,
}

/// The mode in which agents start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModeSetting {
    /// `None` for a mode that the canon does not have.
    pub mode: Option<DefaultMode>,
    pub as_written: String,
}

impl ToolPermissions {
    pub(super) fn add(&mut self, decision: Verdict, meaning: Option<EntryMeaning>, as_written: &str) {
        self.entries.push(ToolEntry { decision: Some(decision), meaning, as_written: as_written.to_owned() });
    }

    pub(super) fn add_setting(&mut self, as_written: String) {
        self.entries.push(ToolEntry { decision: None, meaning: None, as_written });
    }
}

/// The texts in a list of the settings' permissions.
pub(super) fn listed(settings: &Value, key: &str) -> Vec<String> {
    let list = settings.get("permissions").and_then(|permissions| permissions.get(key)?.as_array());
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The text between the parentheses of `KIND(…)`.
pub(super) fn inner<'e>(entry: &'e str, kind: &str) -> Option<&'e str> {
    entry.strip_prefix(kind)?.strip_prefix('(')?.strip_suffix(')')
}

/// Whether a pattern is relative to the top. A name, also that of a folder, applies at any depth.
pub(super) fn is_path(pattern: &str) -> bool {
    pattern.trim_end_matches('/').contains('/')
}

/// The tools of a server, all of them for `*`.
pub(super) fn server_tool(server: &str, tool: &str) -> PermissionSubject {
    PermissionSubject::Mcp { server: server.to_owned(), tool: (tool != "*").then(|| tool.to_owned()) }
}

/// A glob from the top of the repository as a pattern of the canon.
fn pattern_of_glob(glob: &str) -> String {
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    match glob.strip_prefix("**/") {
        Some(rest) => match rest.strip_suffix("/**") {
            Some(folder) if !is_path(folder) => format!("{folder}/"),
            _ if !is_path(rest) => rest.to_owned(),
            _ => glob.to_owned(),
        },
        None => glob.to_owned(),
    }
}

/// A glob from the top of the repository. A name there is the one at the top.
pub(super) fn meaning_of_glob(glob: &str, subject: fn(String) -> PermissionSubject) -> EntryMeaning {
    let is_name = !is_path(glob.trim_start_matches("./")) && glob != "**";
    let subject = subject(pattern_of_glob(glob));
    if is_name { EntryMeaning::AtTop(subject) } else { EntryMeaning::Subject(subject) }
}

/// The entries without those for everything in a folder that is an entry itself: together they are one of the canon.
pub(super) fn without_folder_entries(entries: &[String]) -> impl Iterator<Item = &str> {
    let is_other = |entry: &&String| match entry.strip_suffix("/**)") {
        Some(start) => !entries.contains(&format!("{start})")),
        None => true,
    };
    entries.iter().filter(is_other).map(String::as_str)
}
