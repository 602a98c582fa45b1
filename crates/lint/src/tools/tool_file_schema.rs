//! See `tool_file_schema.md`.

use super::keys::{CLAUDE_MANIFEST, CLAUDE_PERMISSIONS, KeySpec, MARKETPLACE_ENTRY, ValueType, described, top_keys};
use super::{
    hook_invalid, hook_unknown_event, mcp_server_invalid, rule_scope_invalid, tool_file_duplicate_key,
    tool_file_syntax, tool_file_unknown_key,
};
use crate::violations::describe;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::schema::{SchemaKind, Schemas};
use canonry_model::canon::tool_file::{FileFormat, PathReference, Role, ToolFile, ToolFileReader};
use canonry_model::finding::{Location, Severity};
use canonry_text::node::{MappingEntry, Node};
use canonry_text::{Source, Span};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "tool-file-schema",
    summary: "key of a tool's file is missing or not accepted",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("tool_file_schema.md"),
    check: Check::Each(&[
        Check::ToolFile(check),
        Check::ToolFile(tool_file_syntax::check),
        Check::Page(tool_file_syntax::check_rule),
        Check::At(Defaults::both(Severity::Warning), &Check::ToolFile(tool_file_unknown_key::check)),
        Check::At(Defaults::both(Severity::Warning), &Check::ToolFile(tool_file_duplicate_key::check)),
        Check::At(Defaults::both(Severity::Warning), &Check::ToolFile(hook_unknown_event::check)),
        Check::ToolFile(hook_invalid::check),
        Check::ToolFile(mcp_server_invalid::check),
        Check::At(Defaults::both(Severity::Warning), &Check::ToolFile(rule_scope_invalid::check)),
    ]),
};

fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
    let (Ok(source), Some(root)) = (&file.document, file.root()) else { return };
    let keys = top_keys(file);
    if (file.kind.reader, file.kind.role) == (ToolFileReader::Canonry, Role::Hooks) {
        for violation in Schemas::default().validate(SchemaKind::Hooks, root) {
            // An unknown event and a missing command have rules of their own.
            let is_elsewhere =
                violation.pointer == "/hooks" || violation.keyword == "required" && !violation.pointer.is_empty();
            if !is_elsewhere {
                findings.push(
                    RULE.at(Location::at(source, violation.span), describe(&violation))
                        .help("see `canonry schema hooks`"),
                );
            }
        }
        return;
    }
    let is_data = file.kind.format != FileFormat::Markdown;
    if is_data && root.as_mapping().is_none() {
        let message = format!("{} expects an object here, but this is {}", file.kind.reader_name(), described(root));
        findings.push(RULE.at(Location::at(source, start_of(root)), message).help("write `{ … }`"));
        return;
    }
    let object = Object { source, reader: file.kind.reader_name(), what: what(file) };
    findings.extend(object.flaws(root, keys));
    if (file.kind.reader, file.kind.role) == (ToolFileReader::CLAUDE, Role::Manifest) {
        findings.extend(object.subagent_folders(root, &file.missing));
        findings.extend(object.component_paths(root));
        findings.extend(object.name_with_spaces(
            root,
            "plugin",
            "; `displayName`, which people see, may contain spaces",
        ));
    }
    if (file.kind.reader, file.kind.role) == (ToolFileReader::CODEX, Role::Hooks) {
        findings.extend(object.codex_hook_keys(root));
    }
    if file.kind.reader == ToolFileReader::AgentPlugins {
        findings.extend(object.portable_flaws(root));
    }
    if file.kind.role == Role::Marketplace {
        findings.extend(object.repeated_plugins(root));
        let is_claude = file.kind.reader == ToolFileReader::CLAUDE;
        findings.extend(object.name_with_spaces(root, "marketplace", "").filter(|_| is_claude));
        for entry in root.get("plugins").and_then(Node::as_sequence).unwrap_or_default() {
            let name = entry.get("name").and_then(Node::as_str);
            let what = name.map_or_else(|| "the plugin".to_owned(), |name| format!("the plugin `{name}`"));
            let entry_object = Object { what, ..object.clone() };
            findings.extend(entry_object.flaws(entry, &MARKETPLACE_ENTRY));
            let name = entry_object.name_with_spaces(entry, "plugin", ", also in the manifest of the plugin");
            // One habit of the author.
            let cause = format!("{} names", file.path);
            let what = ("name in this marketplace", "names in this marketplace");
            findings.extend(name.filter(|_| is_claude).map(|finding| finding.caused_by(cause, what)));
        }
    }
    let permissions = root
        .get("permissions")
        .filter(|_| (file.kind.reader, file.kind.role) == (ToolFileReader::CLAUDE, Role::Settings));
    if let Some(permissions) = permissions {
        findings.extend(Object { what: "`permissions`".to_owned(), ..object }.flaws(permissions, &CLAUDE_PERMISSIONS));
    }
}

/// Name of the file in messages.
fn what(file: &ToolFile) -> String {
    let what = match file.kind.role {
        Role::Manifest => "the manifest",
        Role::Marketplace => "the marketplace",
        Role::Subagent => "the subagent",
        Role::Command => "the command",
        _ => "the file",
    };
    what.to_owned()
}

/// An object with known keys.
#[derive(Clone)]
struct Object<'a> {
    source: &'a Arc<Source>,
    reader: &'static str,
    what: String,
}

impl Object<'_> {
    fn flaws(&self, node: &Node, keys: &[KeySpec]) -> Vec<Finding> {
        // Another rule or an empty file explains a node that is no object.
        let Some(mapping) = node.as_mapping() else { return Vec::new() };
        let is_missing = |spec: &&KeySpec| spec.is_required && mapping.get(spec.name).is_none();
        let missing: Vec<String> = keys.iter().filter(is_missing).map(|spec| format!("`{}`", spec.name)).collect();
        let missing = (!missing.is_empty()).then(|| {
            let missing = missing.join(", ");
            let message = format!("{} has no {missing}, which {} requires", self.what, self.reader);
            RULE.at(Location::at(self.source, start_of(node)), message).help(format!("add {missing}"))
        });
        let wrong = keys.iter().filter_map(|spec| {
            let value = &mapping.get(spec.name)?.value;
            // An optional key without a value is as good as none.
            let is_accepted = spec.value.accepts(value) || (value.is_null() && !spec.is_required);
            (!is_accepted).then(|| {
                let wanted = spec.value.name();
                let message = format!("`{}` must be {wanted}, but is {}", spec.name, described(value));
                RULE.at(Location::at(self.source, value.span), message).help(
                    person(spec, value)
                        .unwrap_or_else(|| format!("write {wanted}: {} does not accept this value", self.reader)),
                )
            })
        });
        missing.into_iter().chain(wrong).collect()
    }

    /// Requirements of the Agent Plugins specification 1.0.0 besides keys and types.
    fn portable_flaws(&self, root: &Node) -> Vec<Finding> {
        let text = |key: &str| root.get(key).and_then(|node| Some((node, node.as_str()?)));
        let name = text("name").filter(|(_, name)| !is_portable_name(name)).map(|(node, name)| {
            let message = format!("clients reject a plugin with the name `{name}`");
            RULE.at(Location::at(self.source, node.span), message)
                .help("use 1 to 64 lower-case letters, digits, single hyphens and single periods; start and end with a letter or digit")
        });
        let schema =
            text("$schema").filter(|(_, schema)| !schema.starts_with(PORTABLE_SCHEMAS)).map(|(node, schema)| {
                let message = format!("clients do not recognize the schema `{schema}` and reject the plugin");
                RULE.at(Location::at(self.source, node.span), message).help(format!(
                    "write `{PORTABLE_SCHEMAS}1.0.0/plugin.schema.json`, or `mcp.schema.json` in `mcp.json`"
                ))
            });
        name.into_iter().chain(schema).collect()
    }

    /// Paths in `plugin.json` that do not start with `./`.
    fn component_paths(&self, root: &Node) -> Vec<Finding> {
        let nodes = CLAUDE_MANIFEST.iter().filter(|spec| spec.value == ValueType::Component);
        let nodes = nodes.filter_map(|spec| root.get(spec.name));
        let paths = nodes.flat_map(|node| node.as_sequence().unwrap_or(std::slice::from_ref(node)));
        let is_path = |text: &str| !text.is_empty() && !text.contains("://") && !text.contains(['$', '{', '<']);
        let flaw = |node: &Node| {
            let text = node.as_str().filter(|text| is_path(text) && !text.starts_with("./"))?;
            let message = format!("the path `{text}` does not start with `./`, which Claude Code requires");
            // One habit of the author.
            let cause = self.source.path().to_string();
            let finding = RULE
                .at(Location::at(self.source, node.span), message)
                .caused_by(cause, ("path in this manifest", "paths in this manifest"));
            Some(if text.starts_with(['.', '/', '~']) {
                finding.help("name a path in the plugin: other files are not installed with it")
            } else {
                finding.help(format!("write `./{text}`"))
            })
        };
        paths.filter_map(flaw).collect()
    }

    /// Keys that make Codex ignore the whole `hooks.json`.
    fn codex_hook_keys(&self, root: &Node) -> Vec<Finding> {
        let unknown = root.entries().iter().filter(|entry| !CODEX_HOOK_KEYS.contains(&entry.key.as_str()));
        let finding = |entry: &MappingEntry| {
            let message = format!("Codex does not know the key `{}` and ignores the whole file", entry.key);
            RULE.at(Location::at(self.source, entry.key_span), message)
                .help("remove the key; the events of hooks belong below `hooks`")
        };
        unknown.map(finding).collect()
    }

    /// Plugins of a marketplace with the name of an earlier one.
    fn repeated_plugins(&self, root: &Node) -> Vec<Finding> {
        let entries = root.get("plugins").and_then(Node::as_sequence).unwrap_or_default();
        let names = entries.iter().filter_map(|entry| entry.get("name").filter(|name| name.as_str().is_some()));
        let mut first: BTreeMap<&str, Span> = BTreeMap::new();
        let mut findings = Vec::new();
        for name in names {
            let text = name.as_str().unwrap_or_default();
            match first.get(text) {
                Some(span) => {
                    let message = format!("another plugin of this marketplace is named `{text}`, too");
                    let finding = RULE.at(Location::at(self.source, name.span), message);
                    let finding = finding.related(Location::at(self.source, *span), "the first one");
                    findings.push(finding.help("rename one of them: a plugin is installed by its name"));
                }
                None => drop(first.insert(text, name.span)),
            }
        }
        findings
    }

    /// A name in words, which Claude Code rejects ("Marketplace name cannot contain spaces", "Plugin name cannot contain
    /// spaces"). `more` is the end of the help.
    fn name_with_spaces(&self, named: &Node, what: &str, more: &str) -> Option<Finding> {
        let node = named.get("name")?;
        let name = node.as_str().filter(|name| name.contains(' '))?;
        let joined = Some(kebab_case(name)).filter(|joined| !joined.is_empty())?;
        let message = format!("Claude Code rejects a {what} whose name contains spaces");
        Some(RULE.at(Location::at(self.source, node.span), message).help(format!("write `{joined}`{more}")))
    }

    /// Subagents that `plugin.json` names: Claude Code accepts files, but no folders.
    fn subagent_folders(&self, root: &Node, missing: &[PathReference]) -> Vec<Finding> {
        let Some(agents) = root.get("agents") else { return Vec::new() };
        let nodes = agents.as_sequence().unwrap_or(std::slice::from_ref(agents)).iter();
        let is_folder = |node: &&Node| node.as_str().is_some_and(|path| !path.ends_with(".md"));
        let finding = |node: &Node| {
            let message = "`agents` must name `.md` files; Claude Code rejects the plugin because of a folder";
            let misplaced = missing.iter().filter(|path| path.span == node.span);
            let misplaced = misplaced.filter_map(|path| Some((path.beside_manifest.as_ref()?, &path.path))).next();
            let first = misplaced.map(|(found, wanted)| format!("move `{found}` to `{wanted}`; then "));
            let first = first.unwrap_or_default();
            RULE.at(Location::at(self.source, node.span), message)
                .help(format!("{first}name each file, or remove the key: the folder `agents` is read without it"))
        };
        nodes.filter(is_folder).map(finding).collect()
    }
}

/// The beginning of a node, so that a report does not show all of it.
fn start_of(node: &Node) -> Span {
    Span { length: node.span.length.min(1), ..node.span }
}

/// The help for the name of a person where a plugin or marketplace has an object.
fn person(spec: &KeySpec, value: &Node) -> Option<String> {
    let name = value.as_str().map(str::trim).filter(|name| !name.is_empty())?;
    let is_person = ["author", "owner"].contains(&spec.name);
    is_person.then(|| format!("write `{}`", serde_json::json!({ "name": name })))
}

/// A name in words as lower-case words joined by hyphens: `accessibility-wcag` for `Accessibility & WCAG`.
fn kebab_case(name: &str) -> String {
    let words = name.split(|c: char| c.is_whitespace() || c == '-');
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

/// openai/codex#26426 rejects other keys, and #30229 permits `description` (2026-06).
const CODEX_HOOK_KEYS: [&str; 2] = ["hooks", "description"];

/// Prefix of the identifiers of the schemas of Agent Plugins.
const PORTABLE_SCHEMAS: &str = "https://agent-plugins.org/schemas/";

/// Agent Plugins 1.0.0, section 5.5.
fn is_portable_name(name: &str) -> bool {
    let is_end = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let bytes = name.as_bytes();
    (1..=64).contains(&bytes.len())
        && is_end(bytes.first())
        && is_end(bytes.last())
        && bytes.iter().all(|b| is_end(Some(b)) || matches!(b, b'-' | b'.'))
        && !name.contains("--")
        && !name.contains("..")
}
