//! Reports the files of tools that an import does not read, so that nothing stays unmentioned.

use super::ignore_files;
use super::plan::ImportPlan;
use bstr::{BStr, ByteSlice};
use canonry_model::canon::tool_file::kind::places_at_top;
use canonry_model::config::{SHARED_MIRROR, TOOLS, ToolRow};
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Files with instructions that no tool's row has as its context.
const OTHER_CONTEXT_FILES: [&str; 2] = ["AGENTS.override.md", "CLAUDE.local.md"];
/// Files with patterns of ignored files that an import does not read.
const OTHER_IGNORE_FILES: [&str; 2] = [".cursorindexingignore", ".codexignore"];

/// The files and folders that a name alone shows to be a tool's, in any folder.
static NAMES: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let of_row = |row: &'static ToolRow| {
        let context = row.context.iter().map(|context| context.file);
        context.chain(row.traces.iter().copied()).chain(row.mcp.map(|mcp| mcp.path)).filter(|path| !path.contains('/'))
    };
    let shared = SHARED_MIRROR.split('/').next();
    TOOLS.iter().flat_map(of_row).chain(shared).chain(OTHER_CONTEXT_FILES).chain(ignore_names()).collect()
});

fn ignore_names() -> impl Iterator<Item = &'static str> {
    ignore_files::FILES.iter().copied().chain(OTHER_IGNORE_FILES)
}

fn is_name(part: &BStr) -> bool {
    part.to_str().is_ok_and(|part| NAMES.contains(part))
}

/// Files and folders at the top that the tools read. An import reads some of them.
static NAMED: LazyLock<Vec<RepoPath>> = LazyLock::new(|| {
    let of_row = |row: &'static ToolRow| {
        let context = row.context.iter().map(|context| context.file);
        let servers = row.mcp.map(|mcp| mcp.path);
        let subagents = row.subagents.map(|subagents| subagents.folder);
        let commands = row.commands.map(|commands| commands.folder);
        let others = [servers, subagents, commands, row.ignore].into_iter().flatten();
        context.chain(row.traces.iter().copied()).chain(others)
    };
    let in_folders = places_at_top().filter(|path| path.contains('/'));
    let mut named: Vec<RepoPath> = TOOLS.iter().flat_map(of_row).chain(in_folders).map(RepoPath::from).collect();
    // The longest first.
    named.sort_by_key(|path| std::cmp::Reverse(path.as_bstr().len()));
    named
});

/// Why a file is not imported.
struct Leftover {
    /// The file, or the directory that stands for all of its files.
    path: RepoPath,
    reason: &'static str,
    advice: &'static str,
}

pub(super) const STAYS: &str = "nothing to do: it stays where it is";
const COMPARE: &str = "compare it with agent/protocols/permissions.md; it stays where it is";
const IGNORE_ADVICE: &str = "move the patterns to agent/ignore, with the directory in front; the file keeps working";

/// Files and directories in the directories of tools, by the beginning of their paths.
const KNOWN: [(&str, &str, &str); 7] = [
    (".claude/settings.local.json", "it is a personal file", STAYS),
    (".cursor/permissions.json", "canonry does not import these permissions", COMPARE),
    (".gemini/policies", "canonry does not import these permissions", COMPARE),
    (
        ".codex/prompts",
        "Codex has skills instead of project commands",
        "move what you need to agent/commands or a skill",
    ),
    (".claude/hooks", "hooks run it, so it stays where it is", ""),
    (".cursor/hooks", "hooks run it, so it stays where it is", ""),
    (".gemini/hooks", "hooks run it, so it stays where it is", ""),
];

/// Whether a path is that of a tool's file, anywhere in the repository.
pub fn is_tool_file(path: &RepoPath) -> bool {
    path.components().any(is_name) || NAMED.iter().any(|named| path.is_within(named))
}

/// Reports the files that the import of the tools does not read; `read` lists those that it reads.
pub(super) fn report(plan: &mut ImportPlan<'_>, read: &[&str]) {
    let is_imported = |path: &RepoPath| plan.items.iter().any(|item| item.from == *path);
    let is_read = |path: &RepoPath| read.iter().any(|read| path.is_within(&RepoPath::from(*read))) || is_imported(path);
    let rest: Vec<&RepoPath> = plan.source.other_tool_files.iter().filter(|path| !is_read(path)).collect();
    let mut found: BTreeMap<RepoPath, Leftover> = BTreeMap::new();
    for path in rest {
        let leftover = leftover(path);
        found.entry(leftover.path.clone()).or_insert(leftover);
    }
    for Leftover { path, reason, advice } in found.into_values() {
        plan.skip(&path, reason, advice);
    }
}

fn not_imported() -> Leftover {
    Leftover { path: RepoPath::default(), reason: "canonry does not import this kind of file", advice: STAYS }
}

/// Whether a folder has the subagents of a tool for which sync writes none.
fn is_unwritten(folder: &RepoPath) -> bool {
    let mut rows = TOOLS.iter().filter_map(|row| row.subagents);
    rows.any(|subagents| subagents.format.is_none() && *folder == RepoPath::from(subagents.folder))
}

fn leftover(path: &RepoPath) -> Leftover {
    let name = path.file_name_lossy();
    let components: Vec<_> = path.components().collect();
    let folders = components.split_last().map_or(&[][..], |(_, folders)| folders);
    let directory = folders.iter().position(|part| is_name(part));
    let first = |count: usize| components.iter().take(count).fold(RepoPath::default(), |path, part| path.join(*part));
    let whole = |reason, advice| Leftover { path: path.clone(), reason, advice };
    if ignore_names().any(|known| known == name) {
        return whole("the canon has one list of files that tools ignore, for the whole repository", IGNORE_ADVICE);
    }
    if let Some((known, reason, advice)) = KNOWN.iter().find(|(known, ..)| path.is_within(&RepoPath::from(*known))) {
        return Leftover { path: RepoPath::from(*known), reason, advice };
    }
    match directory {
        None if name == "CLAUDE.local.md" => whole("it is a personal file", STAYS),
        None if name == "AGENTS.override.md" && components.len() == 1 => {
            whole("Codex reads it instead of AGENTS.md", "move what applies to every tool to agent/AGENTS.md")
        }
        None if name == "AGENTS.md" => whole(
            "it is for one directory",
            "to manage it, move its text to agent/rules with `globs: [\"DIRECTORY/**\"]` and set \
             `files: {agents: {rules: true}}`; until then it stays where it is and keeps working",
        ),
        Some(at) if at > 0 => Leftover { path: first(at + 2), ..whole(NESTED, STAYS) },
        _ => match NAMED.iter().find(|named| path.is_within(named)) {
            // A folder with all of a tool's files is named in parts.
            Some(named) if named.components().count() == 1 => Leftover { path: first(2), ..not_imported() },
            Some(named) if is_unwritten(named) => Leftover {
                path: named.clone(),
                reason: "canonry writes no subagents for this tool, whose format it does not know",
                advice: STAYS,
            },
            Some(named) => Leftover { path: named.clone(), ..not_imported() },
            None if directory.is_some() => Leftover { path: first(2), ..not_imported() },
            None => whole(NESTED, STAYS),
        },
    }
}

const NESTED: &str = "it is for one directory, and canonry writes only the files at the top";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_files_and_directories_once() {
        for (path, want, words) in [
            ("packages/a/AGENTS.md", "packages/a/AGENTS.md", "one directory"),
            ("packages/a/.claude/skills/x/SKILL.md", "packages/a/.claude/skills", "one directory"),
            (".gemini/policies/own.toml", ".gemini/policies", "permissions"),
            (".claude/output-styles/a.md", ".claude/output-styles", "does not import"),
            (".cursorignore", ".cursorignore", "ignore"),
            ("packages/a/.qwen/settings.json", "packages/a/.qwen/settings.json", "one directory"),
            (".kiro/agents/a.json", ".kiro/agents", "no subagents"),
            ("sub/.geminiignore", "sub/.geminiignore", "ignore"),
        ] {
            let path = RepoPath::from(path);
            assert!(is_tool_file(&path));
            let found = leftover(&path);
            assert!(found.path == RepoPath::from(want) && found.reason.contains(words), "{path}: {}", found.reason);
        }
        assert!(!is_tool_file(&RepoPath::from("docs/agents.md")));
    }
}
