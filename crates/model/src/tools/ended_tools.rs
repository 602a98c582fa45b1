//! Tools that have ended: repositories still have their files.

use super::tool_cells::{SERVERS, commands, json_mcp, repeated, reported, rules, skills, text, verified};
use super::tool_formats::{CommandFormat, JsonServers, RuleFolder, RuleHeader};
use super::tool_row::{RepeatedSkill, SHARED_MIRROR, ToolRow, ToolStatus};

/// A commit shortly before its end.
const ROO_SOURCE: &str = "https://github.com/RooCodeInc/Roo-Code at `cb836567`: src/services, src/core/prompts";
const ROO_END: &str =
    "https://hivebook.wiki/wiki/roo-code-shut-down-2026-05-15-forked-as-zoocode-was-roo-cline, which quotes the notice";

pub(super) const ROO: ToolRow = ToolRow {
    id: "roo",
    name: "Roo Code",
    status: ToolStatus::Ended("ended in May 2026"),
    skills: repeated(RepeatedSkill::TakesOne, skills(".roo/skills", Some(".roo/skills"), &[SHARED_MIRROR])),
    context: &[rules(".roo/rules", RuleFolder::flat(RuleHeader::Paths)), text("AGENTS.md")],
    mcp: json_mcp(".roo/mcp.json", SERVERS, JsonServers::PLAIN),
    commands: commands(".roo/commands", CommandFormat::Described),
    traces: &[".roo", ".roomodes"],
    evidence: &[
        verified(
            "skill folders, context (rules without frontmatter), MCP servers, commands",
            ROO_SOURCE,
            Some("3.52.1"),
        ),
        reported("its end on 2026-05-15", ROO_END),
    ],
    ..ToolRow::EMPTY
};

/// The commit of its end.
const CONTINUE_SOURCE: &str = "https://github.com/continuedev/continue at `d0a3c0b6`: core/config, docs, README.md";
const CONTINUE_RULES: RuleFolder = RuleFolder { extension: ".md", has_folders: true, header: RuleHeader::Cursor };

pub(super) const CONTINUE: ToolRow = ToolRow {
    id: "continue",
    name: "Continue",
    status: ToolStatus::Ended("ended in June 2026"),
    skills: repeated(RepeatedSkill::Lists, skills(".continue/skills", Some(".continue/skills"), &[".claude/skills"])),
    context: &[rules(".continue/rules", CONTINUE_RULES), text("AGENTS.md")],
    mcp: json_mcp(".continue/mcpServers/mcp.json", SERVERS, JsonServers::PLAIN),
    traces: &[".continue"],
    evidence: &[verified("skill folders, context (`globs`), MCP servers, its end", CONTINUE_SOURCE, Some("2.0.0"))],
    ..ToolRow::EMPTY
};
