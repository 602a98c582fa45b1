//! `protocol list`: what each entry of the protocols becomes in each tool.

use super::plain_repository::PlainRepository;
use super::protocol::find_repository;
use super::skills::remote::origin::Origins;
use crate::{Environment, Error};
use canonry_agents::permissions::native_rules;
use canonry_guard::packs::{self, PackRule};
use canonry_guard::policy::ToolRule;
use canonry_model::canon::permissions::actions::Action;
use canonry_model::canon::permissions::{Binding, PermissionEntry, PermissionItem, PermissionSubject, items};
use canonry_model::canon::{Blob, FileSource as _};
use canonry_model::config::{HookPack, TOOLS, ToolFilesConfig};
use canonry_repo::view::DiskSource;
use canonry_repo::view::load::PERMISSIONS_LIMIT;
use canonry_text::{RepoPath, Source};

/// The entries of the protocols.
#[derive(Debug)]
pub struct ProtocolList {
    /// The entries of `permissions.md`, the records of the tool schemas, and the constraints of skills.
    pub entries: Vec<ListedEntry>,
    /// Files of the protocols that cannot be read, and why.
    pub problems: Vec<String>,
}

/// An entry, and what it becomes.
#[derive(Debug)]
pub struct ListedEntry {
    /// The file, relative to the root of the repository.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// Where the file comes from, if it is not the canon's own.
    pub origin: Option<String>,
    /// The section, `tool schema`, or `skill`.
    pub section: String,
    /// The entry as written, in one line.
    pub text: String,
    /// Enforcement by the hook, one sentence each.
    pub hook: Vec<String>,
    /// Entries that are not enforced.
    pub unenforced: Vec<String>,
    /// For each tool, what enforces the entry there; nothing if the list is empty.
    pub tools: Vec<(&'static str, Vec<String>)>,
}

/// The rows of a pack.
#[derive(Debug)]
pub struct ListedPack {
    /// The pack.
    pub pack: HookPack,
    /// Whether the config switches it on.
    pub is_on: bool,
    /// Its rows.
    pub rules: Vec<PackRule>,
}

/// Lists the packs.
///
/// # Errors
/// No repository, no canon, or an invalid config.
pub fn list_packs(environment: &Environment) -> Result<Vec<ListedPack>, Error> {
    let repository = find_repository(environment)?;
    let on = &repository.config.hooks.packs;
    Ok(HookPack::ALL
        .map(|pack| ListedPack { pack, is_on: on.contains(&pack), rules: packs::rules(pack).collect() })
        .into())
}

/// Lists what each entry of the protocols becomes in each tool.
///
/// # Errors
/// No repository, no canon, or an invalid config.
pub fn list(environment: &Environment) -> Result<ProtocolList, Error> {
    let repository = find_repository(environment)?;
    let policy = repository.policy();
    let files = &repository.config.files;
    let mut entries = permissions(&repository, files);
    entries.extend(policy.tools.iter().filter(|rule| has_guard(rule)).map(|rule| tool_schema(rule, files)));
    for (path, constraint) in repository.skill_constraints() {
        let own = constraint.entries();
        let hook: Vec<String> = own.iter().map(sentence).collect();
        let unenforced = if hook.is_empty() { vec!["it names no command in backticks".to_owned()] } else { Vec::new() };
        let tools = tools(files, &own, !hook.is_empty(), false);
        let line = constraint.line;
        let section = "skill".to_owned();
        entries.push(ListedEntry {
            path: path.to_display(),
            line,
            origin: None,
            section,
            text: constraint.text,
            hook,
            unenforced,
            tools,
        });
    }
    let origins = Origins::read(&DiskSource::new(&repository.top), &repository.layout);
    for entry in &mut entries {
        entry.origin = origins.describe(&RepoPath::from(entry.path.as_str()));
    }
    Ok(ProtocolList { entries, problems: policy.problems() })
}

fn permissions(repository: &PlainRepository, files: &ToolFilesConfig) -> Vec<ListedEntry> {
    let path = repository.layout.permissions();
    // The policy reports a page that cannot be read, or is no text.
    let text = match DiskSource::new(&repository.top).read(&path, PERMISSIONS_LIMIT) {
        Blob::Bytes(bytes) => String::from_utf8(bytes).unwrap_or_default(),
        Blob::Missing(_) => return Vec::new(),
    };
    let found = items(&text);
    let source = Source::new(path.clone(), text);
    let found = found.into_iter().filter(|item| item.binding() != Binding::Empty);
    found.map(|item| permission(&path, source.position(item.span.offset).line, item, files)).collect()
}

fn permission(path: &RepoPath, line: usize, item: PermissionItem, files: &ToolFilesConfig) -> ListedEntry {
    let hook: Vec<String> = item.entries.iter().map(sentence).collect();
    let mut unenforced = item.unbound.clone();
    for entry in &item.entries {
        let words = entry.unchecked.iter().map(|words| format!("the condition \"{words}\""));
        unenforced.extend(words);
    }
    unenforced.dedup();
    let tools = tools(files, &item.entries, !hook.is_empty(), true);
    let section = item.section.name().to_owned();
    ListedEntry { path: path.to_display(), line, origin: None, section, text: item.text, hook, unenforced, tools }
}

/// Sentence about the hook's enforcement of an entry.
fn sentence(entry: &PermissionEntry) -> String {
    let verb = entry.decision.as_str();
    let scope = if entry.scope.is_empty() { String::new() } else { format!(" {}", entry.scope) };
    let what = match &entry.subject {
        PermissionSubject::Command(words) => format!("`{}`", words.join(" ")),
        PermissionSubject::Read(pattern) => format!("reading `{pattern}`"),
        PermissionSubject::Edit(pattern) => format!("editing `{pattern}`"),
        PermissionSubject::Mcp { server, tool } => {
            format!("the MCP tool `{server}/{}`", tool.as_deref().unwrap_or("*"))
        }
        PermissionSubject::Domain(host) => format!("reading from {host}"),
        PermissionSubject::Flag(flag) => format!("`{flag}` of any command"),
        PermissionSubject::Push(branch) => format!("pushing to `{branch}`"),
        PermissionSubject::Action(id) => {
            let what = Action::find(id).map(|found| format!("{}{scope}: {}", found.what, means(found)));
            return format!("{verb} {}", what.unwrap_or_default());
        }
    };
    format!("{verb} {what}{scope}")
}

/// An example of each kind of call that an action means.
fn means(action: &'static Action) -> String {
    let parts = [
        (action.guards.len(), format!("the built-in guard `{}`", action.guards.join("`, `"))),
        (action.commands.len(), format!("commands like `{}`", action.commands.first().copied().unwrap_or_default())),
        (
            action.operations.len(),
            format!("MCP tools like `{}`", action.operations.first().copied().unwrap_or_default()),
        ),
        (action.files.len(), format!("files like `{}`", action.files.first().copied().unwrap_or_default())),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text).collect();
    parts.join(", ")
}

/// Enforcement of entries in each tool: the hook, and the settings that sync writes from the permissions page.
fn tools(
    files: &ToolFilesConfig,
    entries: &[PermissionEntry],
    by_hook: bool,
    is_native: bool,
) -> Vec<(&'static str, Vec<String>)> {
    let tools = TOOLS.iter().filter(|row| row.hooks.is_some());
    let hooks = tools.map(|row| (row.id, files.tool(row.id).hooks));
    let native: Vec<_> = entries
        .iter()
        .filter(|entry| is_native && entry.is_plain())
        .flat_map(|entry| native_rules(files, entry.decision, &entry.subject))
        .collect();
    let all = hooks.map(|(tool, has_hook)| {
        let hook = (has_hook && by_hook).then(|| "hook".to_owned());
        let own = native.iter().filter(|rule| rule.tool == tool).map(|rule| rule.text.clone());
        (tool, hook.into_iter().chain(own).collect())
    });
    all.collect()
}

fn has_guard(rule: &ToolRule) -> bool {
    let lists = [&rule.preconditions, &rule.targets, &rule.patterns];
    rule.schema.is_some()
        || rule.approval.is_some()
        || !rule.arguments.is_empty()
        || lists.iter().any(|list| !list.is_empty())
}

fn tool_schema(rule: &ToolRule, files: &ToolFilesConfig) -> ListedEntry {
    let mut names = vec![format!("`{}`", rule.command.join(" "))];
    let mut unenforced = Vec::new();
    match &rule.operation {
        Some((server, operation)) => {
            names = vec![
                format!("`mcp__{server}__{operation}`"),
                format!("`mcp_{server}_{operation}`"),
                format!("`MCP:{operation}`"),
            ];
            names.extend(rule.aliases.iter().map(|alias| format!("`{alias}`")));
            match rule.action {
                Some(action) => {
                    names.extend(action.operations.iter().take(1).map(|name| format!("`mcp__{server}__{name}`")));
                    names.extend(action.commands.iter().take(2).map(|command| format!("`{command}`")));
                }
                None if rule.aliases.is_empty() => unenforced.push(format!(
                    "nothing, unless the MCP server `{server}` has a tool of that name; otherwise add `mcp` or `command`"
                )),
                None => {}
            }
        }
        None => names.push(format!("the tool `{}`", rule.tool)),
    }
    let mut does = Vec::new();
    does.extend(rule.approval.as_ref().map(|_| "ask"));
    does.extend((rule.approval.is_none() && !rule.preconditions.is_empty()).then_some("ask for the preconditions"));
    does.extend((!rule.targets.is_empty() || !rule.patterns.is_empty()).then_some("deny what is blocked"));
    does.extend((!rule.arguments.is_empty() || rule.schema.is_some()).then_some("deny invalid arguments"));
    let hook = vec![format!("{}: {}", does.join(", "), names.join(", "))];
    ListedEntry {
        origin: None,
        path: rule.location.path.clone(),
        line: rule.location.line,
        section: "tool schema".to_owned(),
        text: rule.tool.clone(),
        hook,
        unenforced,
        tools: tools(files, &[], true, false),
    }
}
