//! What a team has written down, ready to be held against calls.

use super::verdict::PolicyLocation;
use crate::canon::permissions::{Decision, PermissionEntry, PermissionSubject, entries, names_hosts};
use crate::canon::tool_schema::{ToolDocument, ToolSchema};
use crate::canon::{Blob, Layout};
use crate::config::HooksConfig;
use crate::syntax::node::{Mapping, Node, ScalarKind};
use crate::syntax::{RepoPath, Source, Span};

/// What a team has written down.
#[derive(Debug, Default)]
pub struct Policy {
    /// The entries of `permissions.md`.
    pub entries: Vec<PolicyEntry>,
    /// Whether hosts are named there, so that others are not approved.
    pub names_hosts: bool,
    /// The schemas of tools.
    pub tools: Vec<ToolRule>,
    /// What the config says.
    pub settings: HooksConfig,
    /// Where the canon is.
    pub layout: Layout,
    /// Files that could not be read, each with the reason.
    pub troubles: Vec<String>,
}

/// An entry with its place.
#[derive(Debug)]
pub struct PolicyEntry {
    /// What it says.
    pub entry: PermissionEntry,
    /// Where.
    pub at: PolicyLocation,
}

/// A guard of a tool's schema.
#[derive(Debug, Default)]
pub struct ToolRule {
    /// The tool's name.
    pub tool: String,
    /// How its command lines begin.
    pub command: Vec<String>,
    /// What a call must bring.
    pub required: LocatedTexts,
    /// What must hold before it.
    pub preconditions: LocatedTexts,
    /// What it may not touch.
    pub targets: LocatedTexts,
    /// What may not stand in it.
    pub patterns: LocatedTexts,
    /// Whether a person is asked.
    pub approval: Option<PolicyLocation>,
    /// Where it begins.
    pub at: PolicyLocation,
    /// A JSON Schema of the arguments.
    pub schema: Option<serde_json::Value>,
}

/// The texts of a key, with the place of each.
pub type LocatedTexts = Vec<(String, PolicyLocation)>;

impl Default for PolicyLocation {
    fn default() -> Self {
        Self { path: String::new(), line: 1 }
    }
}

impl Policy {
    /// Of nothing but a config.
    pub fn new(layout: Layout, settings: HooksConfig) -> Self {
        Self { layout, settings, ..Self::default() }
    }

    /// Takes in `permissions.md`.
    pub fn permissions(&mut self, text: String) {
        let path = self.layout.permissions();
        self.names_hosts = names_hosts(&text);
        let found = entries(&text);
        let source = Source::new(path, text);
        self.entries = found.into_iter().map(|entry| PolicyEntry { at: at(&source, entry.span), entry }).collect();
    }

    /// Takes in a tool's schema.
    pub fn tool(&mut self, path: RepoPath, bytes: Vec<u8>) {
        let schema = ToolSchema::parse(path, Blob::Bytes(bytes));
        match &schema.document {
            Err(_) => self.troubles.push(format!("{}: not UTF-8", schema.path)),
            Ok(document) => match (&document.json, &document.flaw) {
                (Err(error), _) => self.troubles.push(format!("{}: not valid JSON: {}", schema.path, error.message)),
                (_, Some((_, flaw))) => self.troubles.push(format!("{}: {flaw}", schema.path)),
                _ => self.tools.extend(rules(document)),
            },
        }
    }

    /// The hosts that may be read from.
    pub fn hosts(&self) -> impl Iterator<Item = (&str, &PolicyLocation)> {
        self.entries.iter().filter_map(|listed| match &listed.entry.subject {
            PermissionSubject::Domain(host) if listed.entry.decision == Decision::Allow => {
                Some((host.as_str(), &listed.at))
            }
            _ => None,
        })
    }
}

fn at(source: &Source, span: Span) -> PolicyLocation {
    PolicyLocation { path: source.path().to_display(), line: source.position(span.offset).line }
}

/// The rule for the tool as a whole, and one for each of its operations.
fn rules(document: &ToolDocument) -> Vec<ToolRule> {
    let source = &document.source;
    let stem = source.path().file_name_lossy();
    let stem = stem.trim_end_matches(".json").trim_end_matches(".schema").to_owned();
    let Some(whole) = document.record().and_then(Node::as_mapping) else {
        let root = document.json.as_ref().ok().map(|json| json.root.to_json());
        return vec![ToolRule { tool: stem, schema: root, at: at(source, Span::default()), ..ToolRule::default() }];
    };
    let name = text_of(whole, "tool").or_else(|| text_of(whole, "name")).unwrap_or(stem);
    let words = |text: String| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let command = text_of(whole, "command").map_or_else(|| name.split(['_', '-']).map(str::to_owned).collect(), words);
    let mut found = vec![rule(source, whole, name.clone(), command.clone())];
    let operations = whole.get("operations").and_then(|entry| entry.value.as_mapping());
    for (operation, record) in
        operations.into_iter().flat_map(|all| &all.entries).filter_map(|e| Some((&e.key, e.value.as_mapping()?)))
    {
        let own = text_of(record, "command").map(words);
        let command = own
            .unwrap_or_else(|| command.iter().cloned().chain(operation.split(['_', ' ']).map(str::to_owned)).collect());
        found.push(rule(source, record, format!("{name}_{operation}"), command));
    }
    found
}

fn rule(source: &Source, record: &Mapping, tool: String, command: Vec<String>) -> ToolRule {
    let list = |key: &str| listed(source, record, key);
    let is_true = |node: &Node| node.as_scalar().is_some_and(|scalar| matches!(scalar.kind, ScalarKind::Bool(true)));
    let approval = record.get("requires_approval").filter(|entry| is_true(&entry.value));
    ToolRule {
        tool,
        command,
        required: list("required_args"),
        preconditions: list("preconditions"),
        targets: list("blocked_targets"),
        patterns: list("blocked_patterns"),
        approval: approval.map(|entry| at(source, entry.key_span)),
        at: at(source, record.entries.first().map(|entry| entry.key_span).unwrap_or_default()),
        schema: None,
    }
}

fn text_of(record: &Mapping, key: &str) -> Option<String> {
    record.get(key).and_then(|entry| entry.value.as_str()).map(str::to_owned)
}

/// The texts of a list, or the keys of an object.
fn listed(source: &Source, record: &Mapping, key: &str) -> LocatedTexts {
    let Some(entry) = record.get(key) else { return Vec::new() };
    let items = entry.value.as_sequence().into_iter().flatten();
    let texts = items.filter_map(|item| Some((item.as_str()?.to_owned(), at(source, item.span))));
    let keys = entry.value.as_mapping().into_iter().flat_map(|all| &all.entries);
    texts.chain(keys.map(|entry| (entry.key.clone(), at(source, entry.key_span)))).collect()
}
