//! The directories and files of the tools themselves.

use super::formats::{parse_object, parse_toml, strings, toml_to_json};
use super::plan::ImportPlan;
use super::policies::{ConvertedText, RuleFormat, convert_tool_rule, import_agents_md, import_rule_file, with_scope};
use super::prompts::{PromptKind, SourceKeys, import_markdown, import_toml};
use super::servers::Servers;
use super::skills::import_skills;
use super::source::ImportSource;
use super::{copies, hooks, ignore_files, leftovers, tool_permissions, trellis};
use canonry_model::canon::rule_scope::RuleScope;
use canonry_model::config::{TOOLS, Target, ToolStatus};
use canonry_text::{RepoPath, frontmatter};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use toml_edit::Item;

/// The imported paths. Not the whole directories of tools: some contain checkouts of repositories.
pub(super) static PATHS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mirrors = Target::ALL.into_iter().map(Target::mirror).filter(|mirror| !FIRST_PATHS.contains(mirror));
    FIRST_PATHS.iter().copied().chain(mirrors).collect()
});

/// Folders of skills that are no tool's mirror.
const OTHER_SKILLS: [&str; 2] = [".skills", ".agent/skills"];

/// Those with an importer of their own, in the order in which they are listed.
const FIRST_PATHS: &[&str] = &[
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".cursorrules",
    ".mcp.json",
    ".claude/CLAUDE.md",
    ".claude/skills",
    ".claude/agents",
    ".claude/commands",
    ".claude/rules",
    ".claude/settings.json",
    ".gemini/skills",
    ".gemini/agents",
    ".gemini/commands",
    ".gemini/settings.json",
    ".cursor/skills",
    ".cursor/agents",
    ".cursor/commands",
    ".cursor/rules",
    ".cursor/mcp.json",
    ".cursor/cli.json",
    ".cursor/hooks.json",
    ".codex/skills",
    ".codex/agents",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".codex/rules",
    ".antigravity/settings.json",
    "opencode.json",
    ".qwen/settings.json",
    ".antigravity/skills",
    ".agents/skills",
    ".skills",
    ".agent/skills",
    ".agents/agents",
    ".agents/workflows",
    ".agents/rules",
    ".agents/mcp_config.json",
    ".agents/hooks.json",
    ".github/instructions",
    ".windsurf/rules",
    ".kiro/steering",
    ".clinerules",
    ".cursorignore",
    ".geminiignore",
    ".aiexclude",
    ".codeiumignore",
    ".kiroignore",
    ".clineignore",
    ".aiignore",
    ".trellis/.template-hashes.json",
];

/// Next step about files that another manager generated; `None` without such files.
pub(super) fn generated_files_step(source: &ImportSource<'_>, manager: &str) -> Option<String> {
    let is_context = |path: &&&str| CONTEXT_FILES.contains(*path) || path.starts_with(".trellis");
    let found: Vec<&str> = PATHS
        .iter()
        .filter(|path| !is_context(path))
        .filter(|path| source.has(path) || source.has_below(path))
        .copied()
        .collect();
    (!found.is_empty()).then(|| {
        format!(
            "the tools also have {}. They keep reading these files, for example rules next to the same text in AGENTS.md, and \
             `canonry sync` does not overwrite them. Remove what {manager} generated before the first sync, or run \
             `canonry sync --force`, which backs up each file in its way",
            found.join(", ")
        )
    })
}

/// A directory of prompts.
struct PromptDirectory {
    path: &'static str,
    kind: PromptKind,
    tool: Target,
}

const fn prompts(path: &'static str, kind: PromptKind, tool: Target) -> PromptDirectory {
    PromptDirectory { path, kind, tool }
}

const PROMPT_DIRECTORIES: [PromptDirectory; 9] = [
    prompts(".claude/agents", PromptKind::Subagent, Target::CLAUDE),
    prompts(".cursor/agents", PromptKind::Subagent, Target::CURSOR),
    prompts(".gemini/agents", PromptKind::Subagent, Target::GEMINI),
    prompts(".codex/agents", PromptKind::Subagent, Target::CODEX),
    prompts(".agents/agents", PromptKind::Subagent, Target::ANTIGRAVITY),
    prompts(".claude/commands", PromptKind::Command, Target::CLAUDE),
    prompts(".cursor/commands", PromptKind::Command, Target::CURSOR),
    prompts(".gemini/commands", PromptKind::Command, Target::GEMINI),
    prompts(".agents/workflows", PromptKind::Command, Target::ANTIGRAVITY),
];
/// Files with MCP servers.
const SERVER_FILES: [(&str, Target); 4] = [
    (".mcp.json", Target::CLAUDE),
    (".cursor/mcp.json", Target::CURSOR),
    (".gemini/settings.json", Target::GEMINI),
    (".agents/mcp_config.json", Target::ANTIGRAVITY),
];
/// The one of a tool without a target of its own.
const QWEN_SETTINGS: &str = ".qwen/settings.json";
/// Files that tools read at the start of a session, in order of precedence.
const CONTEXT_FILES: [&str; 4] = ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md"];

/// Whether any tool has files.
pub(super) fn exists(source: &ImportSource<'_>) -> bool {
    let of_tools = PATHS.iter().filter(|path| !path.starts_with(".trellis"));
    of_tools.into_iter().any(|path| source.has(path) || source.has_below(path))
}

/// Says which tools have ended. Their skills are imported like those of other tools.
fn report_ended_tools(plan: &mut ImportPlan<'_>) {
    for row in TOOLS {
        let ToolStatus::Ended(end) = row.status else { continue };
        let mut paths = row.traces.iter().copied().chain([row.skills.mirror]);
        if let Some(path) = paths.find(|path| plan.source.has(path) || plan.source.has_below(path)) {
            plan.next_steps.push(format!(
                "{} {end}: canonry imports its skills and writes no files for it besides skills; remove `{path}` when nobody uses it",
                row.name
            ));
        }
    }
}

/// Imports the files of all tools.
pub(super) fn import(plan: &mut ImportPlan<'_>) {
    let trellis_files = skip_trellis_files(plan);
    plan.next_steps.push(
        "if a tool's file differs from the canon, `canonry sync` does not overwrite it: `canonry sync --diff` shows the \
         difference, `canonry sync --force` replaces the file and backs it up"
            .to_owned(),
    );
    report_ended_tools(plan);
    import_context_files(plan);
    import_tool_rules(plan);
    for root in OTHER_SKILLS {
        import_skills(plan, root, &|_| false);
    }
    for target in Target::ALL {
        let root = target.skills_root();
        if is_directory(plan, &root) && !import_skills(plan, &root.to_display(), &|_| false).is_empty() {
            plan.tools.skills.insert(target);
        }
    }
    copies::merge(plan);
    for directory in &PROMPT_DIRECTORIES {
        import_prompts(plan, directory);
    }
    plan.items.retain(|item| !trellis_files.contains(&item.from));
    let mut servers = Servers::default();
    for (file, tool) in SERVER_FILES {
        if plan.source.has(file) && servers.add_file(plan, &RepoPath::from(file)) {
            plan.tools.add_switch(tool, "mcp");
        }
    }
    if plan.source.has(QWEN_SETTINGS) && servers.add_file(plan, &RepoPath::from(QWEN_SETTINGS)) {
        plan.tools.single.insert(("qwen", "mcp"));
    }
    import_codex_servers(plan, &mut servers);
    import_opencode_servers(plan, &mut servers);
    servers.finish(plan);
    tool_permissions::import(plan);
    hooks::import_tools(plan);
    ignore_files::import(plan, &ignore_files::FILES);
    leftovers::report(plan, &PATHS);
}

/// Whether a path is a real directory. Skips a link.
fn is_directory(plan: &mut ImportPlan<'_>, path: &RepoPath) -> bool {
    !plan.source.files.contains_key(path) || plan.is_file(path)
}

/// The files that Trellis copied to the directories of tools and that are unchanged.
fn skip_trellis_files(plan: &mut ImportPlan<'_>) -> BTreeSet<RepoPath> {
    let path = RepoPath::from(".trellis/.template-hashes.json");
    let Ok(text) = plan.source.text(&path) else { return BTreeSet::new() };
    let templates: BTreeMap<RepoPath, String> = trellis::templates(&text);
    let is_unchanged =
        |path: &RepoPath, hash: &String| plan.source.read(path).is_ok_and(|bytes| trellis::sha256(&bytes) == *hash);
    let imported = templates.iter().filter(|(path, _)| plan.source.files.contains_key(*path));
    let mut unchanged: BTreeSet<RepoPath> =
        imported.filter(|(path, hash)| is_unchanged(path, hash)).map(|(path, _)| path.clone()).collect();
    // If SKILL.md is unchanged, the whole skill counts as unchanged.
    let skills: Vec<RepoPath> =
        unchanged.iter().filter(|path| path.file_name() == "SKILL.md").filter_map(RepoPath::parent).collect();
    unchanged.extend(skills);
    if !unchanged.is_empty() {
        let reason =
            format!("{} files in the directories of tools are unchanged copies of Trellis' own files", unchanged.len());
        plan.skip(&path, reason, "");
    }
    unchanged
}

/// Imports the first context file as AGENTS.md. The user has to merge the others.
fn import_context_files(plan: &mut ImportPlan<'_>) {
    let mut imported: Option<(RepoPath, String)> = None;
    for file in CONTEXT_FILES {
        let path = RepoPath::from(file);
        if !plan.source.has(file) {
            continue;
        }
        let Some(text) = plan.read(&path) else { continue };
        let content = text.trim();
        let others = CONTEXT_FILES.into_iter().filter(|other| *other != file && plan.source.has(other));
        match &imported {
            _ if is_pointer(content, &others.collect::<Vec<_>>()) => {}
            None => {
                import_agents_md(plan, &path, ConvertedText::unchanged(text.clone()));
                imported = Some((path, text));
            }
            Some((_, first)) if first.trim() == content => {}
            Some((first, _)) => {
                let reason = format!("it differs from {first}, which takes precedence");
                let advice = "move what applies to every tool to agent/AGENTS.md; sync keeps the rest";
                plan.skip(&path, reason, advice);
            }
        }
    }
    // A canon with another text refuses this one.
    let is_other = |text: &str| {
        let existing = plan.source.canon.get(&plan.source.layout.map());
        existing.is_some_and(|existing| plan.source.state_of(text).is_none_or(|state| state.id != existing.id))
    };
    if let Some((path, _)) = imported.filter(|(_, text)| !is_other(text)) {
        plan.next_steps.push(format!(
            "to generate {path} from agent/AGENTS.md, remove its text and set `files: {{agents: {{context: map}}}}`; until then both files contain the text"
        ));
    }
}

/// Whether a text only leads to other context files: apart from headings, each line names one.
fn is_pointer(text: &str, others: &[&str]) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut body = lines.iter().filter(|line| !line.starts_with('#')).peekable();
    lines.is_empty() || body.peek().is_some() && body.all(|line| others.iter().any(|other| line.contains(other)))
}

/// The directories of rules.
const RULE_DIRECTORIES: [(&str, &str, RuleFormat); 7] = [
    (".claude/rules", "claude", RuleFormat::Claude),
    (".cursor/rules", "cursor", RuleFormat::Cursor),
    (".agents/rules", "antigravity", RuleFormat::Antigravity),
    (".github/instructions", "copilot", RuleFormat::Copilot),
    (".windsurf/rules", "windsurf", RuleFormat::Antigravity),
    (".kiro/steering", "kiro", RuleFormat::Kiro),
    (".clinerules", "cline", RuleFormat::Claude),
];

fn import_tool_rules(plan: &mut ImportPlan<'_>) {
    for (directory, tool, format) in RULE_DIRECTORIES {
        let paths: Vec<RepoPath> = plan.source.below(directory).map(|(path, _)| path).collect();
        for path in paths {
            let name = path.below(&RepoPath::from(directory)).unwrap_or_default().to_string();
            if !name.ends_with(".mdc") && !name.ends_with(".md") {
                plan.skip(&path, "it is not a rule", "");
                continue;
            }
            // Only Cursor has rules of this type, wherever a team keeps them.
            let (tool, format) = if name.ends_with(".mdc") { ("cursor", RuleFormat::Cursor) } else { (tool, format) };
            let Some(text) = plan.read(&path) else { continue };
            if !loads_every_file(tool) && is_readme(&path) && frontmatter::split(&text).is_err() {
                plan.skip(&path, "it describes the rules, and does not say when it applies", "");
                continue;
            }
            import_rule_file(plan, &path, &name, convert_tool_rule(&text, format));
            plan.tools.single.insert((tool, "rules"));
        }
    }
    let cursor_rules = RepoPath::from(".cursorrules");
    if plan.source.has(".cursorrules")
        && let Some(text) = plan.read(&cursor_rules)
    {
        let converted = with_scope(&text, &RuleScope { always: Some(true), ..RuleScope::default() });
        import_rule_file(plan, &cursor_rules, "cursorrules.md", converted);
    }
    let rules: Vec<&str> = RULE_DIRECTORIES
        .iter()
        .map(|(directory, ..)| *directory)
        .chain(std::iter::once(".cursorrules"))
        .filter(|path| plan.source.has(path) || plan.source.has_below(path))
        .collect();
    if !rules.is_empty() {
        let is_rules = |(_, switch): &&(&str, &str)| *switch == "rules";
        let tools: Vec<&str> = plan.tools.single.iter().filter(is_rules).map(|(tool, _)| *tool).collect();
        let tools = if tools.is_empty() {
            "each tool with `rules: true` in `files`".to_owned()
        } else {
            format!("{}, and for any other tool with `rules: true` in `files`", tools.join(", "))
        };
        plan.next_steps.push(format!(
            "canonry writes the rules from agent/rules for {tools}: remove {}, so that `canonry sync` writes them; until then, \
             the tools keep reading the old ones",
            rules.join(", ")
        ));
    }
}

/// Whether the prompts of a directory are TOML.
fn is_in_toml(directory: &PromptDirectory) -> bool {
    matches!(directory.path, ".gemini/commands" | ".codex/agents")
}

/// Whether a tool loads each Markdown file of its rules as one that always applies.
fn loads_every_file(tool: &str) -> bool {
    matches!(tool, "claude" | "kiro" | "cline")
}

fn is_readme(path: &RepoPath) -> bool {
    path.file_name().eq_ignore_ascii_case(b"readme.md")
}

fn import_prompts(plan: &mut ImportPlan<'_>, directory: &PromptDirectory) {
    let root = RepoPath::from(directory.path);
    let paths: Vec<RepoPath> = plan.source.below(directory.path).map(|(path, _)| path).collect();
    let count = |plan: &ImportPlan<'_>| plan.items.len() + plan.skipped.len();
    let before = count(plan);
    for path in paths {
        let name = path.below(&root).unwrap_or_default().to_string();
        if name.ends_with(".md") {
            let keys = SourceKeys { tool: Some(directory.tool), ..SourceKeys::default() };
            import_markdown(plan, &path, directory.kind, &name, keys);
        } else if name.ends_with(".toml") {
            import_toml(plan, &path, directory.kind, &name);
        } else {
            let extension = if is_in_toml(directory) { ".toml" } else { ".md" };
            let advice = if name.ends_with(".mdc") { "rename it, then run this again" } else { "" };
            plan.skip(&path, format!("{} reads only `{extension}` files there", directory.tool.title()), advice);
        }
    }
    if count(plan) > before {
        let switch = if directory.kind == PromptKind::Subagent { "subagents" } else { "commands" };
        plan.tools.add_switch(directory.tool, switch);
    }
}

fn import_codex_servers(plan: &mut ImportPlan<'_>, servers: &mut Servers) {
    let path = RepoPath::from(".codex/config.toml");
    if !plan.source.has(".codex/config.toml") {
        return;
    }
    let Some(table) = plan.read_as(&path, parse_toml) else { return };
    let Some(all) = table.get("mcp_servers").and_then(Item::as_table_like) else { return };
    plan.tools.add_switch(Target::CODEX, "mcp");
    for (name, item) in all.iter() {
        servers.add(plan, &path, name, &convert_codex_server(toml_to_json(item)));
    }
}

/// Imports the servers of OpenCode, of version 2 (`mcp.servers`) and of version 1 (`mcp`). The file stays as it is: sync writes
/// the form of version 2, which would be beside the other one.
fn import_opencode_servers(plan: &mut ImportPlan<'_>, servers: &mut Servers) {
    const FILE: &str = "opencode.json";
    if !plan.source.has(FILE) {
        return;
    }
    let path = RepoPath::from(FILE);
    let Some(settings) = plan.read_as(&path, parse_object) else { return };
    if settings.contains_key("permission") || settings.contains_key("permissions") {
        plan.skip(
            &path,
            "its permissions: OpenCode decides by their order, which the canon does not have",
            leftovers::COMPARE,
        );
    }
    let Some(mcp) = settings.get("mcp").and_then(Value::as_object) else { return };
    // Version 1 may have a server with this name.
    let is_section = |section: &&serde_json::Map<String, Value>| !section.get("type").is_some_and(Value::is_string);
    let all = mcp.get("servers").and_then(Value::as_object).filter(is_section).unwrap_or(mcp);
    for (name, server) in all {
        if server.get("timeout").is_some() {
            plan.next_steps.push(format!(
                "server `{name}`: `timeout` in {FILE} is the time to list its tools, which the canon does not have"
            ));
        }
        servers.add(plan, &path, name, &convert_opencode_server(server.clone()));
    }
}

/// Converts a server of OpenCode to the format of Claude Code.
fn convert_opencode_server(server: Value) -> Value {
    let Value::Object(mut server) = server else { return server };
    if let Some(Value::Array(words)) = server.get("command").cloned() {
        let mut words = words.into_iter();
        if let Some(command) = words.next() {
            server.insert("command".to_owned(), command);
        }
        server.insert("args".to_owned(), words.collect());
    }
    if let Some(environment) = server.shift_remove("environment") {
        server.insert("env".to_owned(), environment);
    }
    server.shift_remove("timeout");
    let text = Value::Object(server).to_string();
    serde_json::from_str(&text.replace("{env:", "${")).expect("outside of strings, JSON has no `{env:`")
}

/// Converts a server of Codex to the format of Claude Code.
fn convert_codex_server(server: Value) -> Value {
    let Value::Object(mut server) = server else { return server };
    let variable = |name: &str| Value::from(format!("${{{name}}}"));
    let put = |section: &str, pairs: Vec<(String, Value)>, server: &mut serde_json::Map<String, Value>| {
        let existing = server.entry(section).or_insert_with(|| Value::Object(serde_json::Map::new()));
        if let Value::Object(existing) = existing {
            existing.extend(pairs);
        }
    };
    if let Some(names) = server.shift_remove("env_vars") {
        let pairs = strings(Some(&names)).into_iter().map(|name| (name.clone(), variable(&name))).collect();
        put("env", pairs, &mut server);
    }
    if let Some(Value::Object(headers)) = server.shift_remove("http_headers") {
        put("headers", headers.into_iter().collect(), &mut server);
    }
    if let Some(Value::Object(headers)) = server.shift_remove("env_http_headers") {
        let pairs = headers.into_iter().filter_map(|(key, value)| Some((key, variable(value.as_str()?)))).collect();
        put("headers", pairs, &mut server);
    }
    if let Some(Value::String(name)) = server.shift_remove("bearer_token_env_var") {
        put("headers", vec![("Authorization".to_owned(), Value::from(format!("Bearer ${{{name}}}")))], &mut server);
    }
    if server.contains_key("url") && !server.contains_key("type") {
        server.insert("type".to_owned(), Value::from("http"));
    }
    Value::Object(server)
}
