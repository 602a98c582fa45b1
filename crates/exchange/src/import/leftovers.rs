//! Reports the files of tools that an import does not read, so that nothing stays unmentioned.

use super::plan::ImportPlan;
use canonry_model::canon::tool_file::kind::places_at_top;
use canonry_model::config::{TOOLS, ToolRow};
use canonry_text::RepoPath;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The directories of tools, at the top and in subdirectories.
const TOOL_DIRECTORIES: [&str; 6] = [".claude", ".gemini", ".cursor", ".codex", ".antigravity", ".agents"];
/// Files with instructions for agents.
const CONTEXT_FILES: [&str; 6] =
    ["AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", ".cursorrules"];
/// Files that name what a tool ignores.
const IGNORE_FILES: [&str; 5] =
    [".cursorignore", ".cursorindexingignore", ".geminiignore", ".codexignore", ".aiexclude"];

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
pub(super) const COMPARE: &str = "compare it with agent/protocols/permissions.md; it stays where it is";
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
    let name = path.file_name_lossy();
    let is_named =
        CONTEXT_FILES.contains(&name.as_str()) || IGNORE_FILES.contains(&name.as_str()) || name == ".mcp.json";
    is_named
        || path.components().any(|part| TOOL_DIRECTORIES.iter().any(|directory| part == *directory))
        || NAMED.iter().any(|named| path.is_within(named))
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
    let directory = components.iter().position(|part| TOOL_DIRECTORIES.iter().any(|directory| *part == *directory));
    let first = |count: usize| components.iter().take(count).fold(RepoPath::default(), |path, part| path.join(*part));
    let whole = |reason, advice| Leftover { path: path.clone(), reason, advice };
    match directory {
        _ if IGNORE_FILES.contains(&name.as_str()) => {
            whole("the canon has one list of files that tools ignore, for the whole repository", IGNORE_ADVICE)
        }
        None if name == "CLAUDE.local.md" => whole("it is a personal file", STAYS),
        None if name == "AGENTS.override.md" && components.len() == 1 => {
            whole("Codex reads it instead of AGENTS.md", "move what applies to every tool to agent/AGENTS.md")
        }
        None if name == "AGENTS.md" => whole(
            "it is for one directory",
            "to manage it, move its text to agent/rules with `globs: [\"DIRECTORY/**\"]` and set \
             `files: {agents: {rules: true}}`; until then it stays where it is and keeps working",
        ),
        None => match NAMED.iter().find(|named| path.is_within(named)) {
            // A folder with all of a tool's files is named in parts.
            Some(named) if named.components().count() == 1 => Leftover { path: first(2), ..not_imported() },
            Some(named) if is_unwritten(named) => Leftover {
                path: named.clone(),
                reason: "canonry writes no subagents for this tool, whose format it does not know",
                advice: STAYS,
            },
            Some(named) => Leftover { path: named.clone(), ..not_imported() },
            None => whole("it is for one directory, and canonry writes only the files at the top", STAYS),
        },
        Some(at) if at > 0 => {
            let reason = "it is for one directory, and canonry writes only the files at the top";
            Leftover { path: first(at + 2), reason, advice: STAYS }
        }
        Some(_) => {
            let known = KNOWN.iter().find(|(known, ..)| path.is_within(&RepoPath::from(*known)));
            match known {
                Some((known, reason, advice)) => Leftover { path: RepoPath::from(*known), reason, advice },
                None => Leftover { path: first(2), ..not_imported() },
            }
        }
    }
}

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
