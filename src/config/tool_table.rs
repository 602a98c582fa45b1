//! Every tool that canonry knows, one row each.
//!
//! The table is Rust, not a data file: the compiler checks every cell, targets are constants that patterns can name, and
//! neither `canonry --version` nor a hook parses anything. Docs, schema and completions derive from it.

use super::tool_row::{
    ContextForm, ContextRow, Evidence, EvidenceLevel, HookRow, McpFormat, McpRow, NameConflict, PermissionRow,
    RepeatedSkill, SHARED_MIRROR, SkillPaths, ToolRow, ToolStatus,
};

const fn verified(about: &'static str, source: &'static str, version: Option<&'static str>) -> Evidence {
    Evidence { about, source, version, date: "2026-11", level: EvidenceLevel::Verified }
}

const fn reported(about: &'static str, source: &'static str) -> Evidence {
    Evidence { about, source, version: None, date: "2026-11", level: EvidenceLevel::Reported }
}

const fn text(file: &'static str) -> ContextRow {
    ContextRow { file, mode: ContextForm::Text, limit: None }
}

const fn rules(file: &'static str) -> ContextRow {
    ContextRow { file, mode: ContextForm::Rules, limit: None }
}

const fn import(file: &'static str) -> ContextRow {
    ContextRow { file, mode: ContextForm::Import, limit: None }
}

const fn json_mcp(path: &'static str, root_key: &'static str, url_key: &'static str) -> Option<McpRow> {
    Some(McpRow { path, format: McpFormat::Json, root_key, url_key, variables: None })
}

/// For facts that were checked a month before the table was made.
const fn earlier(evidence: Evidence) -> Evidence {
    Evidence { date: "2026-10", ..evidence }
}

const RULESYNC: &str = "https://github.com/dyoshikawa/rulesync (2026-08-18)";
const SKILLS_CLI: &str = "https://github.com/vercel-labs/skills";

/// The rows. The first five are the default targets; the order is that of every list of targets.
pub const TOOLS: &[ToolRow] = &[
    ToolRow {
        id: "claude",
        name: "Claude Code",
        skills: SkillPaths {
            mirror: ".claude/skills",
            user: Some(".claude/skills"),
            same_name: Some(NameConflict::TakesUsers),
            ..SkillPaths::EMPTY
        },
        context: &[import("CLAUDE.md"), text("AGENTS.md"), rules(".claude/rules")],
        mcp: Some(McpRow {
            path: ".mcp.json",
            format: McpFormat::Json,
            root_key: "mcpServers",
            url_key: "url",
            variables: Some("${NAME}"),
        }),
        subagents: Some(".claude/agents"),
        commands: Some(".claude/commands"),
        hooks: Some(HookRow {
            path: ".claude/settings.json",
            before_tool: "PreToolUse",
            unit: "seconds",
            on_error: "the tool runs; status 2 denies",
        }),
        permissions: Some(PermissionRow { path: ".claude/settings.json", grammar: "Bash(git status *)" }),
        plugin: Some(".claude-plugin/plugin.json"),
        keys: &[
            "when_to_use",
            "argument-hint",
            "arguments",
            "disable-model-invocation",
            "user-invocable",
            "disallowed-tools",
            "model",
            "effort",
            "context",
            "agent",
            "background",
            "hooks",
            "shell",
            "paths",
        ],
        traces: &["CLAUDE.md", ".claude", ".mcp.json"],
        evidence: &[
            earlier(verified(
                "skills, context, MCP, hooks, permissions",
                "the tool's own binary and documentation",
                Some("2.1.330"),
            )),
            earlier(reported(
                "`ask` has no effect in auto mode",
                "https://github.com/anthropics/claude-code/issues/89561",
            )),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "gemini",
        name: "Gemini CLI",
        status: ToolStatus::Legacy("ended for consumers on 2026-06-18; paid keys and enterprise go on"),
        skills: SkillPaths {
            mirror: ".gemini/skills",
            user: Some(".gemini/skills"),
            also_reads: &[SHARED_MIRROR],
            repeated: RepeatedSkill::Warns,
            ..SkillPaths::EMPTY
        },
        context: &[import("GEMINI.md")],
        mcp: Some(McpRow {
            path: ".gemini/settings.json",
            format: McpFormat::Json,
            root_key: "mcpServers",
            url_key: "httpUrl",
            variables: Some("${NAME}"),
        }),
        subagents: Some(".gemini/agents"),
        commands: Some(".gemini/commands"),
        hooks: Some(HookRow {
            path: ".gemini/settings.json",
            before_tool: "BeforeTool",
            unit: "milliseconds",
            on_error: "a warning; a status other than 0 and 1 with stderr denies",
        }),
        permissions: Some(PermissionRow { path: ".gemini/policies/canonry.toml", grammar: "[[rule]] commandPrefix" }),
        traces: &["GEMINI.md", ".gemini"],
        evidence: &[earlier(verified(
            "skills, context, MCP, hooks, permissions",
            "https://github.com/google-gemini/gemini-cli",
            Some("0.49"),
        ))],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "cursor",
        name: "Cursor",
        skills: SkillPaths {
            mirror: ".cursor/skills",
            user: Some(".cursor/skills"),
            also_reads: &[SHARED_MIRROR, ".claude/skills", ".codex/skills"],
            ignores_links: &["Cursor"],
            ..SkillPaths::EMPTY
        },
        context: &[rules(".cursor/rules"), text("AGENTS.md")],
        mcp: Some(McpRow {
            path: ".cursor/mcp.json",
            format: McpFormat::Json,
            root_key: "mcpServers",
            url_key: "url",
            variables: Some("${env:NAME}"),
        }),
        subagents: Some(".cursor/agents"),
        commands: Some(".cursor/commands"),
        hooks: Some(HookRow {
            path: ".cursor/hooks.json",
            before_tool: "preToolUse",
            unit: "seconds",
            on_error: "the tool runs unless `failClosed: true`",
        }),
        permissions: Some(PermissionRow { path: ".cursor/cli.json", grammar: "Shell(git)" }),
        plugin: Some(".cursor-plugin/plugin.json"),
        keys: &["disable-model-invocation", "paths", "globs"],
        traces: &[".cursor", ".cursorrules"],
        evidence: &[
            earlier(reported("skill folders", "https://cursor.com/docs, as quoted by others")),
            earlier(verified("rules, MCP, subagents, commands, hooks", "https://cursor.com/docs", None)),
            earlier(reported("links, which of several equal skills is used, variables", "secondary sources")),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "codex",
        name: "Codex",
        skills: SkillPaths {
            mirror: ".codex/skills",
            user: Some(".codex/skills"),
            also_reads: &[SHARED_MIRROR],
            ignores_links: &["the Codex app"],
            repeated: RepeatedSkill::Lists,
            same_name: Some(NameConflict::ListsBoth),
        },
        context: &[ContextRow { file: "AGENTS.md", mode: ContextForm::Text, limit: Some("32 KiB in all") }],
        mcp: Some(McpRow {
            path: ".codex/config.toml",
            format: McpFormat::Toml,
            root_key: "mcp_servers",
            url_key: "url",
            variables: Some("env_vars"),
        }),
        subagents: Some(".codex/agents"),
        hooks: Some(HookRow {
            path: ".codex/hooks.json",
            before_tool: "PreToolUse",
            unit: "seconds",
            on_error: "the tool runs",
        }),
        permissions: Some(PermissionRow {
            path: ".codex/rules/canonry.rules",
            grammar: "prefix_rule(pattern, decision)",
        }),
        plugin: Some(".codex-plugin/plugin.json"),
        traces: &[".codex"],
        evidence: &[
            earlier(verified("skill folders, context, hooks, rules", "https://github.com/openai/codex", Some("0.169"))),
            earlier(reported("unknown keys of hooks.json, keys of subagents and variables", "measurements with 0.153")),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "antigravity",
        name: "Antigravity",
        skills: SkillPaths {
            mirror: ".antigravity/skills",
            also_reads: &[SHARED_MIRROR],
            ignores_links: &["Antigravity"],
            ..SkillPaths::EMPTY
        },
        context: &[ContextRow {
            file: ".agents/rules",
            mode: ContextForm::Rules,
            limit: Some("12,000 characters a file"),
        }],
        mcp: json_mcp(".agents/mcp_config.json", "mcpServers", "serverUrl"),
        subagents: Some(".agents/agents"),
        commands: Some(".agents/workflows"),
        hooks: Some(HookRow {
            path: ".agents/hooks.json",
            before_tool: "PreToolUse",
            unit: "seconds",
            on_error: "the tool call is denied",
        }),
        permissions: Some(PermissionRow { path: ".antigravity/settings.json", grammar: "action(target)" }),
        traces: &[".antigravity", ".agents/rules", ".agents/workflows", ".agents/skills.json"],
        evidence: &[earlier(reported(
            "every column; `.antigravity/skills` is read through `.agents/skills.json`",
            "several reports",
        ))],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "agents",
        name: "tools that read .agents",
        skills: SkillPaths {
            mirror: SHARED_MIRROR,
            user: Some(SHARED_MIRROR),
            ignores_links: &["Cursor", "the Codex app", "Antigravity"],
            ..SkillPaths::EMPTY
        },
        context: &[text("AGENTS.md")],
        evidence: &[verified("the shared folder", "https://agentskills.io", None)],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "copilot",
        name: "GitHub Copilot",
        skills: SkillPaths {
            mirror: ".github/skills",
            user: Some(".copilot/skills"),
            also_reads: &[".claude/skills", SHARED_MIRROR],
            ..SkillPaths::EMPTY
        },
        context: &[text("AGENTS.md"), text(".github/copilot-instructions.md"), rules(".github/instructions")],
        mcp: json_mcp(".vscode/mcp.json", "servers", "url"),
        subagents: Some(".github/agents"),
        commands: Some(".github/prompts"),
        traces: &[".github/copilot-instructions.md", ".github/instructions", ".github/prompts"],
        evidence: &[
            verified("skill folders", "https://docs.github.com/en/copilot/concepts/agents/about-agent-skills", None),
            reported("context, MCP, subagents, commands", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "opencode",
        name: "OpenCode",
        skills: SkillPaths {
            mirror: ".opencode/skills",
            user: Some(".config/opencode/skills"),
            also_reads: &[".claude/skills", SHARED_MIRROR],
            ..SkillPaths::EMPTY
        },
        context: &[text("AGENTS.md")],
        mcp: json_mcp("opencode.json", "mcp", "url"),
        subagents: Some(".opencode/agents"),
        commands: Some(".opencode/commands"),
        traces: &[".opencode", "opencode.json", "opencode.jsonc"],
        evidence: &[
            verified("skill folders, frontmatter", "https://opencode.ai/docs/skills", Some("1")),
            reported("MCP, subagents, commands", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "amp",
        name: "Amp",
        skills: SkillPaths { mirror: SHARED_MIRROR, user: Some(".config/agents/skills"), ..SkillPaths::EMPTY },
        context: &[text("AGENTS.md")],
        mcp: json_mcp(".amp/settings.json", "amp.mcpServers", "url"),
        traces: &[".amp"],
        evidence: &[reported("skill folders, context, MCP", RULESYNC)],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "zed",
        name: "Zed",
        skills: SkillPaths { mirror: SHARED_MIRROR, user: Some(SHARED_MIRROR), ..SkillPaths::EMPTY },
        context: &[text(".rules"), text("AGENTS.md")],
        mcp: json_mcp(".zed/settings.json", "context_servers", "url"),
        keys: &["disable-model-invocation"],
        traces: &[".zed"],
        evidence: &[
            verified(
                "skill folders, frontmatter, trust",
                "https://github.com/zed-industries/zed docs/src/ai/skills.md",
                None,
            ),
            reported("context, MCP", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "warp",
        name: "Warp",
        skills: SkillPaths {
            mirror: SHARED_MIRROR,
            user: Some(SHARED_MIRROR),
            also_reads: &[".warp/skills"],
            ..SkillPaths::EMPTY
        },
        context: &[text("AGENTS.md")],
        mcp: json_mcp(".warp/.mcp.json", "mcpServers", "url"),
        traces: &[".warp"],
        evidence: &[reported("skill folders", SKILLS_CLI), reported("`.warp/skills`, context, MCP", RULESYNC)],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "cline",
        name: "Cline",
        skills: SkillPaths {
            mirror: ".cline/skills",
            user: Some(".cline/skills"),
            also_reads: &[".clinerules/skills", ".claude/skills", SHARED_MIRROR],
            same_name: Some(NameConflict::TakesUsers),
            ..SkillPaths::EMPTY
        },
        context: &[rules(".clinerules"), text("AGENTS.md")],
        commands: Some(".clinerules/workflows"),
        traces: &[".cline", ".clinerules"],
        evidence: &[
            verified(
                "`.cline`, `.clinerules` and `.claude`, same names",
                "https://github.com/cline/cline docs/customization/skills.mdx",
                None,
            ),
            reported("`.agents/skills`", SKILLS_CLI),
            reported("context, commands", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "windsurf",
        name: "Windsurf",
        skills: SkillPaths {
            mirror: ".windsurf/skills",
            user: Some(".codeium/windsurf/skills"),
            also_reads: &[SHARED_MIRROR],
            ..SkillPaths::EMPTY
        },
        context: &[
            ContextRow { file: ".windsurf/rules", mode: ContextForm::Rules, limit: Some("12,000 characters a file") },
            text("AGENTS.md"),
        ],
        commands: Some(".windsurf/workflows"),
        traces: &[".windsurf", ".windsurfrules"],
        evidence: &[
            verified("skill folders", "https://docs.windsurf.com/windsurf/cascade/skills", None),
            reported(
                "`.agents/skills`",
                "https://github.com/microsoft/apm/issues/1520, which quotes the documentation",
            ),
            reported("context, commands", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "kiro",
        name: "Kiro",
        skills: SkillPaths { mirror: ".kiro/skills", user: Some(".kiro/skills"), ..SkillPaths::EMPTY },
        context: &[rules(".kiro/steering"), text("AGENTS.md")],
        mcp: json_mcp(".kiro/settings/mcp.json", "mcpServers", "url"),
        subagents: Some(".kiro/agents"),
        traces: &[".kiro"],
        evidence: &[
            verified("skill folders, same names", "https://kiro.dev/docs/skills", None),
            reported("context, MCP, subagents", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "junie",
        name: "Junie",
        skills: SkillPaths { mirror: ".junie/skills", user: Some(".junie/skills"), ..SkillPaths::EMPTY },
        context: &[text(".junie/AGENTS.md"), text(".junie/guidelines.md")],
        mcp: json_mcp(".junie/mcp/mcp.json", "mcpServers", "url"),
        subagents: Some(".junie/agents"),
        commands: Some(".junie/commands"),
        traces: &[".junie"],
        evidence: &[
            reported("skill folders", "https://zenn.dev/nattosystem_jp/articles/83eac3ea4f3b2f, after JetBrains' blog"),
            reported("context, MCP, subagents, commands", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "goose",
        name: "goose",
        skills: SkillPaths {
            mirror: ".goose/skills",
            user: Some(SHARED_MIRROR),
            also_reads: &[SHARED_MIRROR, ".claude/skills"],
            repeated: RepeatedSkill::TakesOne,
            ..SkillPaths::EMPTY
        },
        context: &[text("AGENTS.md"), text(".goosehints")],
        subagents: Some(".goose/agents"),
        commands: Some(".goose/recipes"),
        traces: &[".goose", ".goosehints"],
        evidence: &[
            verified(
                "skill folders",
                "https://github.com/block/goose documentation/docs/guides/context-engineering/using-skills.md",
                None,
            ),
            reported("context, subagents, commands", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "qwen",
        name: "Qwen Code",
        skills: SkillPaths { mirror: ".qwen/skills", user: Some(".qwen/skills"), ..SkillPaths::EMPTY },
        context: &[import("QWEN.md")],
        mcp: json_mcp(".qwen/settings.json", "mcpServers", "httpUrl"),
        subagents: Some(".qwen/agents"),
        commands: Some(".qwen/commands"),
        keys: &["argument-hint", "disable-model-invocation"],
        traces: &["QWEN.md", ".qwen"],
        evidence: &[
            verified(
                "skill folders, frontmatter",
                "https://qwenlm.github.io/qwen-code-docs/en/users/features/skills/",
                Some("1"),
            ),
            reported("context, MCP, subagents, commands", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "factory",
        name: "Factory Droid",
        skills: SkillPaths {
            mirror: ".factory/skills",
            user: Some(".factory/skills"),
            also_reads: &[".agent/skills"],
            ..SkillPaths::EMPTY
        },
        context: &[text("AGENTS.md")],
        mcp: json_mcp(".factory/mcp.json", "mcpServers", "url"),
        subagents: Some(".factory/droids"),
        commands: Some(".factory/commands"),
        traces: &[".factory"],
        evidence: &[reported("every column", RULESYNC)],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "devin",
        name: "Devin",
        skills: SkillPaths {
            mirror: ".devin/skills",
            user: Some(SHARED_MIRROR),
            also_reads: &[SHARED_MIRROR, ".windsurf/skills"],
            ..SkillPaths::EMPTY
        },
        context: &[text("AGENTS.md")],
        keys: &["triggers", "model"],
        traces: &[".devin"],
        evidence: &[
            verified("skill folders, frontmatter", "https://docs.devin.ai/cli/extensibility/skills/overview", None),
            reported("context", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "roo",
        name: "Roo Code",
        status: ToolStatus::Ended("ended in May 2026"),
        skills: SkillPaths { mirror: ".roo/skills", user: Some(".roo/skills"), ..SkillPaths::EMPTY },
        context: &[rules(".roo/rules")],
        mcp: json_mcp(".roo/mcp.json", "mcpServers", "url"),
        commands: Some(".roo/commands"),
        traces: &[".roo", ".roomodes"],
        evidence: &[reported("every column", RULESYNC), reported("its end", "several reports")],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "continue",
        name: "Continue",
        status: ToolStatus::Ended("ended in June 2026"),
        skills: SkillPaths { mirror: ".continue/skills", user: Some(".continue/skills"), ..SkillPaths::EMPTY },
        context: &[rules(".continue/rules")],
        traces: &[".continue"],
        evidence: &[reported("every column", RULESYNC), reported("its end", "several reports")],
        ..ToolRow::EMPTY
    },
];

/// The row of a tool.
pub fn tool_row(id: &str) -> Option<&'static ToolRow> {
    TOOLS.iter().find(|row| row.id == id)
}
