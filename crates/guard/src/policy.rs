//! The team's policy in the form that calls are evaluated against.

use super::verdict::PolicyLocation;
use canonry_model::canon::constraint::SkillConstraint;
use canonry_model::canon::permissions::action_of;
use canonry_model::canon::permissions::actions::Action;
use canonry_model::canon::permissions::{PermissionEntry, PermissionSubject, Verdict, entries, names_hosts};
use canonry_model::canon::schema::compile;
use canonry_model::canon::tool_schema::{ToolDocument, ToolSchema, argument_schema};
use canonry_model::canon::{Blob, Layout};
use canonry_model::config::HooksConfig;
use canonry_text::node::{Mapping, Node};
use canonry_text::{RepoPath, Source, Span};
use jsonschema::Validator;
use std::sync::Arc;

/// The team's policy.
#[derive(Debug, Default)]
pub struct Policy {
    /// The entries of `permissions.md`.
    pub entries: Vec<PolicyEntry>,
    /// Whether `permissions.md` approves hosts; then all others are not approved.
    pub names_hosts: bool,
    /// The rules of the tool schemas.
    pub tools: Vec<ToolRule>,
    pub settings: HooksConfig,
    pub layout: Layout,
    /// Messages about files that cannot be read.
    pub load_errors: Vec<String>,
    /// Why the permissions were not read at all: they exceed a limit. Then a person decides about every call.
    pub over_limit: Option<String>,
    /// Files whose loosened settings or entries do not count.
    pub untrusted: Vec<UntrustedFile>,
}

/// A file of the repository that loosens a guard, and that the user does not trust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UntrustedFile {
    /// The digest of its content.
    pub digest: String,
    /// Ignored setting, with the remedy.
    pub message: String,
}

/// An entry of `permissions.md` with its location.
#[derive(Debug)]
pub struct PolicyEntry {
    pub entry: PermissionEntry,
    /// The skill whose constraint it is; `None` for an entry of the page.
    pub skill: Option<String>,
    pub location: PolicyLocation,
}

/// A rule of a tool schema.
#[derive(Debug, Default)]
pub struct ToolRule {
    /// The name of the tool.
    pub tool: String,
    /// The first words of its command lines.
    pub command: Vec<String>,
    /// The server and the operation, for an operation of an MCP server.
    pub operation: Option<(String, String)>,
    /// Other names of the operation: names of operations, or of tools.
    pub aliases: Vec<String>,
    /// The well-known action that the operation names; its commands count as calls.
    pub action: Option<&'static Action>,
    pub arguments: Vec<ArgumentRule>,
    /// Effects of a call in the record.
    pub effects: Vec<String>,
    /// Conditions that must hold before a call.
    pub preconditions: Vec<LocatedText>,
    /// Targets that a call may not touch.
    pub targets: Vec<LocatedText>,
    /// Patterns that a call may not contain.
    pub patterns: Vec<LocatedText>,
    /// The location of the key that requires approval.
    pub approval: Option<PolicyLocation>,
    pub location: PolicyLocation,
    /// A JSON Schema for the arguments.
    pub schema: Option<Arc<Validator>>,
}

/// An argument of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgumentRule {
    pub name: String,
    pub is_required: bool,
    /// The JSON Schema of the value.
    pub schema: Option<serde_json::Value>,
    pub location: PolicyLocation,
}

/// A text with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedText {
    pub text: String,
    pub location: PolicyLocation,
}

impl Default for PolicyLocation {
    fn default() -> Self {
        Self { path: String::new(), line: 1 }
    }
}

impl Policy {
    /// Creates a policy without entries.
    pub fn new(layout: Layout, settings: HooksConfig) -> Self {
        Self { layout, settings, ..Self::default() }
    }

    /// The messages about everything that does not count, because it cannot be read.
    pub fn problems(&self) -> Vec<String> {
        self.over_limit.iter().chain(&self.load_errors).cloned().collect()
    }

    /// Adds `permissions.md`.
    pub fn add_permissions(&mut self, text: String) {
        let path = self.layout.permissions();
        self.names_hosts = names_hosts(&text);
        let found = entries(&text);
        let source = Source::new(path, text);
        self.entries = found
            .into_iter()
            .map(|entry| PolicyEntry { location: locate(&source, entry.span), skill: None, entry })
            .collect();
        // "Never: send requests to hosts that are not listed"
        let forbids = |listed: &PolicyEntry| {
            listed.entry.decision == Verdict::Deny && listed.entry.subject == PermissionSubject::Action("unlisted-host")
        };
        if self.entries.iter().any(forbids) {
            self.settings.hosts = Verdict::Deny;
        }
    }

    /// Adds a constraint of a skill, whose `SKILL.md` is at `path`.
    pub fn add_constraint(&mut self, path: &RepoPath, constraint: &SkillConstraint) {
        let skill = path.parent().map(|folder| folder.file_name_lossy()).unwrap_or_default();
        let location = PolicyLocation { path: path.to_display(), line: constraint.line };
        let entries = constraint.entries().into_iter();
        let listed = entries.map(|entry| PolicyEntry { entry, skill: Some(skill.clone()), location: location.clone() });
        self.entries.extend(listed);
    }

    /// Adds a tool schema.
    pub fn add_tool_schema(&mut self, path: RepoPath, bytes: Vec<u8>) {
        let ToolSchema { path, document } = ToolSchema::parse(path, Blob::Bytes(bytes));
        match document.map_err(|_| ToolSchemaError::NotUtf8).and_then(|document| rules(&document)) {
            Ok(rules) => self.tools.extend(rules),
            Err(error) => self.load_errors.push(format!("{path}: {error}")),
        }
    }

    /// The entries that ask about or forbid a host.
    pub fn restricted_hosts(&self) -> impl Iterator<Item = (&str, &PolicyEntry)> {
        self.entries.iter().filter_map(|listed| match &listed.entry.subject {
            PermissionSubject::Domain(host) if listed.entry.decision != Verdict::Allow => Some((host.as_str(), listed)),
            _ => None,
        })
    }

    /// Whether any host is treated differently from others.
    pub fn decides_about_hosts(&self) -> bool {
        self.names_hosts || self.restricted_hosts().next().is_some()
    }

    /// Lists the approved hosts.
    pub fn hosts(&self) -> impl Iterator<Item = (&str, &PolicyLocation)> {
        self.entries.iter().filter_map(|listed| match &listed.entry.subject {
            PermissionSubject::Domain(host) if listed.entry.decision == Verdict::Allow => {
                Some((host.as_str(), &listed.location))
            }
            _ => None,
        })
    }
}

fn locate(source: &Source, span: Span) -> PolicyLocation {
    PolicyLocation { path: source.path().to_display(), line: source.position(span.offset).line }
}

/// Why a tool schema cannot be enforced.
#[derive(Debug, thiserror::Error)]
enum ToolSchemaError {
    #[error("not UTF-8")]
    NotUtf8,
    #[error("not valid JSON: {0}")]
    Json(String),
    #[error("{0}")]
    Schema(String),
    /// A JSON Schema can be `true` or `false` too, but no other value.
    #[error("a tool schema must be an object, but is a {0}")]
    NotAnObject(&'static str),
}

/// Returns the rule for the whole tool, and one for each operation.
fn rules(document: &ToolDocument) -> Result<Vec<ToolRule>, ToolSchemaError> {
    let root = match &document.json {
        Ok(json) => &json.root,
        Err(error) => return Err(ToolSchemaError::Json(error.message.clone())),
    };
    if let Some((_, flaw)) = &document.flaw {
        return Err(ToolSchemaError::Schema(flaw.clone()));
    }
    let source = &document.source;
    let stem = source.path().file_name_lossy();
    let stem = stem.trim_end_matches(".json").trim_end_matches(".schema").to_owned();
    let Some(whole) = document.record().and_then(Node::as_mapping) else {
        let schema = match &document.schema {
            Some(schema) => Arc::clone(schema),
            None => {
                compile(&root.to_json()).map(Arc::new).map_err(|_| ToolSchemaError::NotAnObject(root.kind_name()))?
            }
        };
        return Ok(vec![ToolRule {
            tool: stem,
            schema: Some(schema),
            location: locate(source, Span::default()),
            ..ToolRule::default()
        }]);
    };
    let name = text_of(whole, "tool").or_else(|| text_of(whole, "name")).unwrap_or(stem);
    let words = |text: String| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let command = text_of(whole, "command").map_or_else(|| name.split(['_', '-']).map(str::to_owned).collect(), words);
    let mut found = vec![rule(source, whole, name.clone(), command.clone())];
    if let Some(rule) = found.first_mut() {
        rule.aliases = texts_of(whole, "mcp");
    }
    let operations = whole.get("operations").and_then(|entry| entry.value.as_mapping());
    for (operation, record) in
        operations.into_iter().flat_map(|all| &all.entries).filter_map(|e| Some((&e.key, e.value.as_mapping()?)))
    {
        let own = text_of(record, "command").map(words);
        let command = own
            .unwrap_or_else(|| command.iter().cloned().chain(operation.split(['_', ' ']).map(str::to_owned)).collect());
        let mut rule = rule(source, record, format!("{name}_{operation}"), command);
        let has_command = record.get("command").is_some();
        rule.action = if has_command { None } else { action_of(operation) };
        rule.operation = Some((name.clone(), operation.clone()));
        found.push(rule);
    }
    Ok(found)
}

fn rule(source: &Source, record: &Mapping, tool: String, command: Vec<String>) -> ToolRule {
    let list = |key: &str| located_texts(source, record, key);
    let is_true = |node: &Node| node.as_bool() == Some(true);
    let approval = record.get("requires_approval").filter(|entry| is_true(&entry.value));
    ToolRule {
        tool,
        command,
        operation: None,
        aliases: texts_of(record, "mcp"),
        action: None,
        arguments: arguments(source, record),
        effects: [texts_of(record, "side_effects"), texts_of(record, "warning")].concat(),
        preconditions: list("preconditions"),
        targets: list("blocked_targets"),
        patterns: list("blocked_patterns"),
        approval: approval.map(|entry| locate(source, entry.key_span)),
        location: locate(source, record.entries.first().map(|entry| entry.key_span).unwrap_or_default()),
        schema: None,
    }
}

/// The arguments of a record. One with a default need not be given.
fn arguments(source: &Source, record: &Mapping) -> Vec<ArgumentRule> {
    let mut found: Vec<ArgumentRule> = Vec::new();
    for key in ["required_args", "optional_args"] {
        let names = located_texts(source, record, key);
        let specs = record.get(key).and_then(|entry| entry.value.as_mapping());
        found.extend(names.into_iter().map(|LocatedText { text, location }| {
            let spec = specs.and_then(|specs| specs.get(&text)).map(|entry| &entry.value);
            let has_default = spec.is_some_and(|spec| spec.get("default").is_some());
            let is_required = key == "required_args" && !has_default;
            ArgumentRule { name: text, is_required, schema: spec.and_then(argument_schema), location }
        }));
    }
    found
}

/// The texts of a key: a string, or a list of strings.
fn texts_of(record: &Mapping, key: &str) -> Vec<String> {
    let Some(entry) = record.get(key) else { return Vec::new() };
    let items = entry.value.as_sequence().into_iter().flatten();
    entry.value.as_str().into_iter().chain(items.filter_map(Node::as_str)).map(str::to_owned).collect()
}

fn text_of(record: &Mapping, key: &str) -> Option<String> {
    record.get(key).and_then(|entry| entry.value.as_str()).map(str::to_owned)
}

/// Returns the texts of a list, or the keys of an object.
fn located_texts(source: &Source, record: &Mapping, key: &str) -> Vec<LocatedText> {
    let Some(entry) = record.get(key) else { return Vec::new() };
    let items = entry.value.as_sequence().into_iter().flatten();
    let texts = items
        .filter_map(|item| Some(LocatedText { text: item.as_str()?.to_owned(), location: locate(source, item.span) }));
    let keys = entry.value.entries().iter();
    texts
        .chain(keys.map(|entry| LocatedText { text: entry.key.clone(), location: locate(source, entry.key_span) }))
        .collect()
}
