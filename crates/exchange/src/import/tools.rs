//! The directories and files of the tools themselves.

use super::plan::{ImportPlan, PlannedItem};
use super::policies::{ConvertedText, convert_tool_rule, import_agents_md, import_rule_file, with_scope};
use super::prompts::{PromptKind, SourceKeys, import_markdown, import_toml};
use super::skills::import_skills;
use super::source::ImportSource;
use super::{audience, copies, hooks, ignore_files, other_settings, tool_permissions, tool_servers, trellis};
use canonry_model::canon::rule_scope::RuleScope;
use canonry_model::config::{TOOLS, Target, ToolRow, ToolStatus};
use canonry_model::tools::tool_formats::{CommandFormat, ContextForm, RuleHeader};
use canonry_text::{RepoPath, frontmatter};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// The imported paths. Not the whole directories of tools: some contain checkouts of repositories.
pub(super) static PATHS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let of_row = |row: &'static ToolRow| {
        let servers = row.mcp.map(|mcp| mcp.path);
        let permissions = row.permissions.as_ref().map(|permissions| permissions.path);
        let hooks = row.hooks.as_ref().filter(|hooks| !hooks.is_plugin()).map(|hooks| hooks.path);
        let rules = row.rule_folder().map(|(folder, _)| folder);
        [servers, permissions, hooks, rules].into_iter().flatten()
    };
    let written = TOOLS.iter().filter(|row| row.is_written()).flat_map(of_row);
    let prompts = prompt_directories().map(|directory| directory.path);
    let mirrors = Target::ALL.into_iter().map(Target::mirror);
    let others =
        CONTEXT_FILES.iter().copied().chain(OTHER_PATHS).chain(OTHER_SKILLS).chain(ignore_files::FILES.iter().copied());
    let all: BTreeSet<&str> = others.chain(mirrors).chain(prompts).chain(written).collect();
    all.into_iter().collect()
});

/// Files and folders that no row of the table has.
const OTHER_PATHS: [&str; 3] = [".cursorrules", ".codex/rules", ".trellis/.template-hashes.json"];

/// Folders of skills that are no tool's mirror.
pub const OTHER_SKILLS: [&str; 2] = [".skills", ".agent/skills"];

/// Next step about files that another manager generated; `None` without such files.
pub(super) fn generated_files_step(source: &ImportSource<'_>, manager: &str) -> Option<String> {
    let is_context = |path: &&&str| CONTEXT_FILES.contains(path) || path.starts_with(".trellis");
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
    /// The end of the names of the files that the tool reads there.
    extension: &'static str,
    /// The format of the commands; `None` for that of Claude Code, and for formats that differ only by TOML.
    format: Option<CommandFormat>,
}

fn target_of(row: &ToolRow) -> Option<Target> {
    Target::ALL.into_iter().find(|target| target.name() == row.id)
}

/// The directories of subagents that sync writes.
static SUBAGENTS: LazyLock<Vec<PromptDirectory>> = LazyLock::new(|| {
    let directory = |row: &'static ToolRow| {
        let subagents = row.subagents.as_ref()?;
        let tool = target_of(row)?;
        let extension = subagents.format?.extension();
        let directory = move |path| PromptDirectory { path, kind: PromptKind::Subagent, tool, extension, format: None };
        Some(both_folders(subagents.folder).map(directory))
    };
    TOOLS.iter().filter(|row| row.is_written()).filter_map(directory).flatten().collect()
});

/// OpenCode also reads the singular of its folders (<https://opencode.ai/docs/commands.md>, "legacy singular directory").
const SINGULAR_FOLDERS: [(&str, &str); 2] =
    [(".opencode/agent", ".opencode/agents"), (".opencode/command", ".opencode/commands")];

/// A folder, and the other one that the tool reads.
fn both_folders(folder: &'static str) -> impl Iterator<Item = &'static str> {
    let other = SINGULAR_FOLDERS.iter().find(|(_, plural)| *plural == folder).map(|(singular, _)| *singular);
    std::iter::once(folder).chain(other)
}

/// The directories of commands that sync writes.
static COMMANDS: LazyLock<Vec<PromptDirectory>> = LazyLock::new(|| {
    let directories = |row: &'static ToolRow| {
        let (commands, tool) = row.commands.as_ref().zip(target_of(row))?;
        let format = (!Target::DEFAULT.contains(&tool)).then_some(commands.format);
        let directory = move |path| PromptDirectory {
            path,
            kind: PromptKind::Command,
            tool,
            extension: commands.format.extension(),
            format,
        };
        Some(both_folders(commands.folder).map(directory))
    };
    TOOLS.iter().filter(|row| row.is_written()).filter_map(directories).flatten().collect()
});

fn prompt_directories() -> impl Iterator<Item = &'static PromptDirectory> {
    SUBAGENTS.iter().chain(COMMANDS.iter())
}

/// The context files that most repositories have, in order of precedence.
const MAIN_CONTEXT_FILES: [&str; 4] = ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md"];

/// Files that tools read at the start of a session, in order of precedence.
static CONTEXT_FILES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut files = MAIN_CONTEXT_FILES.to_vec();
    for context in TOOLS.iter().flat_map(|row| row.context) {
        let is_text = !matches!(context.mode, ContextForm::Rules(_));
        if is_text && !files.contains(&context.file) {
            files.push(context.file);
        }
    }
    files
});

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
    audience::keep(plan, &plan.source.layout.rules(), &rule_tool);
    for root in OTHER_SKILLS {
        import_skills(plan, root, |_| false);
    }
    for root in Target::ALL.map(Target::skills_root) {
        if is_directory(plan, &root) {
            import_skills(plan, &root.to_display(), |_| false);
        }
    }
    plan.items.retain(|item| !trellis_files.contains(&item.from));
    plan.tools.skills = plan.items.iter().filter_map(|item| Target::holding(&item.from)).collect();
    copies::merge(plan);
    for directory in prompt_directories() {
        import_prompts(plan, directory);
    }
    plan.items.retain(|item| !trellis_files.contains(&item.from));
    audience::keep(plan, &plan.source.layout.subagents(), &prompt_tool);
    audience::keep(plan, &plan.source.layout.commands(), &prompt_tool);
    tool_servers::import(plan);
    tool_permissions::import(plan);
    hooks::import_tools(plan);
    ignore_files::import(plan, &ignore_files::FILES);
    other_settings::report(plan);
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
    let root = RepoPath::from("AGENTS.md");
    let is_generated = plan.source.synced.contains(&root) && !plan.source.files.contains_key(&root);
    let mut imported: Option<(RepoPath, String)> = is_generated.then(|| (root, String::new()));
    let mut pointers = Vec::new();
    for file in CONTEXT_FILES.iter().copied() {
        let path = RepoPath::from(file);
        if !plan.source.has(file) {
            continue;
        }
        let Some((from, text)) = read_context_file(plan, &path) else { continue };
        let content = text.trim();
        let source = plan.source;
        let is_there = |other: &str| source.has(other) || source.synced.contains(&RepoPath::from(other));
        let others = CONTEXT_FILES.iter().copied().filter(|other| *other != file && is_there(other));
        match &imported {
            _ if content.is_empty() => {}
            _ if is_pointer(content, &others.clone().collect::<Vec<_>>()) => {
                pointers.push((path, others.map(str::to_owned).collect::<Vec<_>>()));
            }
            None => {
                let changes = if from == path { Vec::new() } else { vec![format!("{path} is a link to it")] };
                import_agents_md(plan, &from, ConvertedText { text: text.clone(), changes });
                plan.tools.owns_agents_md = from == path && file == "AGENTS.md";
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
    if let Some((first, _)) = &imported {
        for (path, _) in pointers.iter().filter(|(path, others)| path != first && others.contains(&first.to_display()))
        {
            plan.skip(path, format!("it only leads to {first}, which is imported"), "");
        }
    }
    // A canon with another text refuses this one.
    let is_other = |text: &str| {
        let existing = plan.source.canon.get(&plan.source.layout.map());
        existing.is_some_and(|existing| plan.source.state_of(text).is_none_or(|state| state.id != existing.id))
    };
    let is_managed = plan.tools.owns_agents_md;
    if let Some((path, _)) = imported.filter(|(_, text)| !is_managed && !is_other(text)) {
        let obstacle = if plan.source.link_target(&path).is_some() { "the link" } else { "its text" };
        plan.next_steps.push(match other_context(&path) {
            Some(row) => {
                let reads_both = row.context.iter().any(|context| context.file == "AGENTS.md");
                let then = if reads_both { format!(", then remove {path}: {} reads AGENTS.md, too", row.name) } else { String::new() };
                format!(
                    "{path} stays where it is. To give its text to every tool, set `files: {{agents: {{context: map}}}}`{then}"
                )
            }
            None => format!(
                "to generate {path} from agent/AGENTS.md, remove {obstacle} and set `files: {{agents: {{context: map}}}}`; until then both files contain the text"
            ),
        });
    }
}

/// The tool whose context file a path is, if it is not one of [`MAIN_CONTEXT_FILES`].
fn other_context(path: &RepoPath) -> Option<&'static ToolRow> {
    let is_file = |file: &str| path.as_bstr() == file;
    if MAIN_CONTEXT_FILES.into_iter().any(is_file) {
        return None;
    }
    TOOLS.iter().find(|row| row.context.iter().any(|context| is_file(context.file)))
}

/// A context file, or the file elsewhere in the repository that it is a link to: its path and text.
fn read_context_file(plan: &mut ImportPlan<'_>, path: &RepoPath) -> Option<(RepoPath, String)> {
    let is_elsewhere = |target: &RepoPath| CONTEXT_FILES.iter().all(|file| target.as_bstr() != *file);
    let target = plan.source.link_target(path).filter(is_elsewhere);
    match target.and_then(|target| Some((plan.source.text(&target).ok()?, target))) {
        Some((text, target)) => Some((target, text)),
        None => Some((path.clone(), plan.read(path)?)),
    }
}

/// Whether a text only leads to other context files: apart from headings, each line names one.
fn is_pointer(text: &str, others: &[&str]) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut body = lines.iter().filter(|line| !line.starts_with('#')).peekable();
    lines.is_empty() || body.peek().is_some() && body.all(|line| others.iter().any(|other| line.contains(other)))
}

/// The folders of rules with their tools.
fn rule_folders() -> impl Iterator<Item = (&'static str, &'static str, RuleHeader)> {
    let written = TOOLS.iter().filter(|row| row.is_written());
    written.filter_map(|row| row.rule_folder().map(|(folder, form)| (folder, row.id, form.header)))
}

/// The tool that reads a rule. Only Cursor has rules of the type `.mdc`, wherever a team keeps them.
fn rule_tool(path: &RepoPath) -> Option<&'static str> {
    if path.as_bstr().ends_with(b".mdc") || *path == RepoPath::from(".cursorrules") {
        return Some("cursor");
    }
    rule_folders().find(|(folder, ..)| path.is_within(&RepoPath::from(*folder))).map(|(_, tool, _)| tool)
}

/// The tool that reads a subagent or a command.
fn prompt_tool(path: &RepoPath) -> Option<&'static str> {
    let is_its = |directory: &&PromptDirectory| path.is_within(&RepoPath::from(directory.path));
    prompt_directories().find(is_its).map(|directory| directory.tool.name())
}

fn import_tool_rules(plan: &mut ImportPlan<'_>) {
    for (directory, tool, format) in rule_folders() {
        let is_command = |path: &RepoPath| COMMANDS.iter().any(|other| path.is_within(&RepoPath::from(other.path)));
        let paths = plan.source.below(directory).map(|(path, _)| path);
        let paths: Vec<RepoPath> = paths.filter(|path| !is_command(path)).collect();
        for path in paths {
            let name = path.below(&RepoPath::from(directory)).unwrap_or_default().to_string();
            if !name.ends_with(".mdc") && !name.ends_with(".md") {
                plan.skip(&path, "it is not a rule", "");
                continue;
            }
            // Only Cursor has rules of this type, wherever a team keeps them.
            let (tool, format) = if name.ends_with(".mdc") { ("cursor", RuleHeader::Cursor) } else { (tool, format) };
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
        plan.tools.single.insert(("cursor", "rules"));
        plan.superseded.push(cursor_rules);
    }
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
    for path in paths {
        let name = path.below(&root).unwrap_or_default().to_string();
        let stem = name.strip_suffix(directory.extension).or_else(|| {
            // Other Markdown files are read too, except among commands with a form of their own.
            name.strip_suffix(".md").filter(|_| directory.format.is_none())
        });
        if let Some(stem) = stem.filter(|_| name.ends_with(".md")) {
            let keys = SourceKeys { tool: Some(directory.tool), format: directory.format, ..SourceKeys::default() };
            import_markdown(plan, &path, directory.kind, &format!("{stem}.md"), keys);
            // Visual Studio Code takes any Markdown file there as an agent:
            // <https://github.com/microsoft/vscode/blob/main/src/vs/workbench/contrib/chat/common/promptSyntax/config/promptFileLocations.ts>
            if directory.kind == PromptKind::Subagent && !name.ends_with(directory.extension) {
                plan.superseded.push(path);
            }
        } else if name.ends_with(".toml") && (directory.format.is_none() || directory.tool.name() == "qwen") {
            import_toml(plan, &path, directory.kind, &name);
            // Qwen Code 0.10 replaced TOML with Markdown (github/spec-kit#1589).
            if directory.format.is_some() {
                plan.superseded.push(path);
            }
        } else {
            let extension = directory.extension;
            let advice = if name.ends_with(".mdc") { "rename it, then run this again" } else { "" };
            plan.skip(&path, format!("{} reads only `{extension}` files there", directory.tool.title()), advice);
        }
    }
    // Its prompts may be equal to those of another tool.
    let is_from =
        |item: &PlannedItem| std::iter::once(&item.from).chain(&item.also_from).any(|from| from.is_within(&root));
    if !plan.items.iter().any(is_from) {
        return;
    }
    let switch = directory.kind.switch();
    plan.tools.single.insert((directory.tool.name(), switch));
    if SINGULAR_FOLDERS.iter().any(|(singular, _)| *singular == directory.path) {
        plan.superseded.push(root);
    }
}
