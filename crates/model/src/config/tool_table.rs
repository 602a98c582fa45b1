//! Every tool that canonry knows, one row each.
//!
//! The table is Rust, not a data file: the compiler checks every cell, targets are constants that patterns can name, and
//! neither `canonry --version` nor a hook parses anything. Docs, schema and completions derive from it.

use super::ended_tools::{CONTINUE, ROO};
use super::tool_cells::{
    ANTIGRAVITY, COPILOT_AGENTS, COPILOT_CONTEXT, CURSOR_SERVERS, FACTORY_SERVERS, GEMINI_SERVERS, QWEN_SERVERS,
    RULESYNC, SERVERS, SKILLS_CLI, TRIGGER_RULES, commands, earlier, hooks, import, json_mcp, limited, permissions,
    repeated, reported, rules, skills, subagents, text, unwritten_subagents, verified,
};
use super::tool_events;
use super::tool_formats::{
    CommandFormat, ContextForm, HookTool, JsonServers, McpFormat, OauthForm, PermissionGrammar, RuleFolder, RuleHeader,
    SubagentFormat, TimeLimit, TimeUnit, ToolFilters, TransportKey, VariableSyntax,
};
use super::tool_row::{HookRow, McpRow, NameConflict, RepeatedSkill, SHARED_MIRROR, SkillPaths, ToolRow, ToolStatus};

/// The rows. The first five are the default targets; the order is that of every list of targets.
pub const TOOLS: &[ToolRow] = &[
    ToolRow {
        id: "claude",
        name: "Claude Code",
        home_variable: Some("CLAUDE_CONFIG_DIR"),
        skills: SkillPaths {
            mirror: ".claude/skills",
            user: Some(".claude/skills"),
            same_name: Some(NameConflict::TakesUsers),
            ..SkillPaths::EMPTY
        },
        context: &[
            import("CLAUDE.md", "@"),
            text("AGENTS.md"),
            rules(".claude/rules", RuleFolder { extension: ".md", has_folders: true, header: RuleHeader::Paths }),
        ],
        mcp: json_mcp(
            ".mcp.json",
            SERVERS,
            JsonServers {
                variables: VariableSyntax::Shell,
                transport: TransportKey::Remote("type"),
                has_web_sockets: true,
                // It ignores shorter limits.
                timeout: TimeLimit::Milliseconds("timeout", 1000),
                has_headers_helper: true,
                oauth: OauthForm::Claude,
                filters: ToolFilters::Permissions,
                ..JsonServers::PLAIN
            },
        ),
        subagents: subagents(".claude/agents", SubagentFormat::Claude),
        commands: commands(".claude/commands", CommandFormat::Claude),
        hooks: Some(hooks(
            ".claude/settings.json",
            HookTool::Claude,
            tool_events::CLAUDE,
            "the tool runs; status 2 denies",
        )),
        permissions: permissions(".claude/settings.json", None, PermissionGrammar::Claude),
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
        context: &[import("GEMINI.md", "@./")],
        mcp: json_mcp(".gemini/settings.json", SERVERS, GEMINI_SERVERS),
        subagents: subagents(".gemini/agents", SubagentFormat::Gemini),
        commands: commands(".gemini/commands", CommandFormat::GeminiToml),
        ignore: Some(".geminiignore"),
        hooks: Some(HookRow {
            unit: TimeUnit::Milliseconds,
            ..hooks(
                ".gemini/settings.json",
                HookTool::Gemini,
                tool_events::GEMINI,
                "a warning; a status other than 0 and 1 with stderr denies",
            )
        }),
        permissions: permissions(
            ".gemini/settings.json",
            Some(".gemini/policies/canonry.toml"),
            PermissionGrammar::Gemini,
        ),
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
        context: &[
            rules(".cursor/rules", RuleFolder { extension: ".mdc", has_folders: true, header: RuleHeader::Cursor }),
            text("AGENTS.md"),
        ],
        mcp: json_mcp(".cursor/mcp.json", SERVERS, CURSOR_SERVERS),
        subagents: subagents(".cursor/agents", SubagentFormat::Cursor),
        commands: commands(".cursor/commands", CommandFormat::Plain),
        ignore: Some(".cursorignore"),
        hooks: Some(HookRow {
            start: "sessionStart",
            ..hooks(
                ".cursor/hooks.json",
                HookTool::Cursor,
                tool_events::CURSOR,
                "the tool runs unless `failClosed: true`",
            )
        }),
        permissions: permissions(".cursor/cli.json", None, PermissionGrammar::Cursor),
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
        home_variable: Some("CODEX_HOME"),
        skills: SkillPaths {
            mirror: ".codex/skills",
            user: Some(".codex/skills"),
            also_reads: &[SHARED_MIRROR],
            ignores_links: &["the Codex app"],
            repeated: RepeatedSkill::Lists,
            same_name: Some(NameConflict::ListsBoth),
        },
        context: &[limited("AGENTS.md", ContextForm::Text, "32 KiB in all")],
        mcp: Some(McpRow { path: ".codex/config.toml", root: &["mcp_servers"], format: McpFormat::CodexToml }),
        subagents: subagents(".codex/agents", SubagentFormat::CodexToml),
        hooks: Some(hooks(".codex/hooks.json", HookTool::Codex, tool_events::CODEX, "the tool runs")),
        permissions: permissions(".codex/config.toml", Some(".codex/rules/canonry.rules"), PermissionGrammar::Codex),
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
            user: Some(".gemini/config/skills"),
            also_reads: &[SHARED_MIRROR],
            ignores_links: &["Antigravity"],
            ..SkillPaths::EMPTY
        },
        context: &[
            limited(".agents/rules", ContextForm::Rules(TRIGGER_RULES), "12,000 characters a file"),
            text("AGENTS.md"),
            text("GEMINI.md"),
        ],
        mcp: json_mcp(
            ".agents/mcp_config.json",
            SERVERS,
            JsonServers {
                http_url_key: "serverUrl",
                sse_url_key: Some("serverUrl"),
                cwd: Some("cwd"),
                timeout: TimeLimit::WholeSeconds("timeoutSeconds"),
                filters: ToolFilters::Keys { include: None, exclude: Some("disabledTools") },
                ..JsonServers::PLAIN
            },
        ),
        subagents: subagents(".agents/agents", SubagentFormat::Markdown),
        commands: commands(".agents/workflows", CommandFormat::Described),
        hooks: Some(HookRow {
            start: "PreInvocation",
            ..hooks(".agents/hooks.json", HookTool::Antigravity, tool_events::ANTIGRAVITY, "the tool call is denied")
        }),
        permissions: permissions(".antigravity/settings.json", None, PermissionGrammar::Antigravity),
        traces: &[".antigravity", ".agents/rules", ".agents/workflows", ".agents/skills.json"],
        evidence: ANTIGRAVITY,
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
        home_variable: Some("COPILOT_HOME"),
        skills: repeated(
            RepeatedSkill::TakesOne,
            skills(".github/skills", Some(".copilot/skills"), &[".claude/skills", SHARED_MIRROR]),
        ),
        context: &[
            text("AGENTS.md"),
            text(".github/copilot-instructions.md"),
            rules(
                ".github/instructions",
                RuleFolder { extension: ".instructions.md", has_folders: true, header: RuleHeader::Copilot },
            ),
        ],
        mcp: json_mcp(
            ".vscode/mcp.json",
            &["servers"],
            JsonServers {
                variables: VariableSyntax::Env,
                transport: TransportKey::Every("type"),
                cwd: Some("cwd"),
                ..JsonServers::PLAIN
            },
        ),
        subagents: subagents(".github/agents", SubagentFormat::Copilot),
        commands: commands(".github/prompts", CommandFormat::CopilotPrompt),
        keys: &["argument-hint", "disable-model-invocation", "user-invocable"],
        traces: &[".github/copilot-instructions.md", ".github/instructions", ".github/prompts"],
        evidence: &[
            verified("skill folders", "https://docs.github.com/en/copilot/concepts/agents/about-agent-skills", None),
            verified(
                "a skill in several folders is listed once, `user-invocable`, hooks of `.claude/settings.json`",
                "the npm package `@github/copilot`, run",
                Some("1.0.102"),
            ),
            verified("MCP servers", "https://code.visualstudio.com/docs/agents/reference/mcp-configuration.md", None),
            verified(
                "commands (`${input:NAME}`; sessions of the Agent Host do not load them)",
                "https://code.visualstudio.com/docs/agent-customization/prompt-files.md",
                None,
            ),
            verified("subagents", COPILOT_AGENTS, None),
            verified("context", COPILOT_CONTEXT, None),
            reported("that MCP servers expand `${env:NAME}`", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "opencode",
        name: "OpenCode",
        skills: repeated(
            RepeatedSkill::TakesOne,
            skills(".opencode/skills", Some(".config/opencode/skills"), &[".claude/skills", SHARED_MIRROR]),
        ),
        context: &[text("AGENTS.md")],
        mcp: Some(McpRow { path: "opencode.json", root: &["mcp", "servers"], format: McpFormat::OpenCode }),
        subagents: unwritten_subagents(".opencode/agents"),
        commands: commands(".opencode/commands", CommandFormat::DescribedClaude),
        permissions: permissions("opencode.json", None, PermissionGrammar::OpenCode),
        traces: &[".opencode", "opencode.json", "opencode.jsonc"],
        evidence: &[
            verified("skill folders, frontmatter", "https://opencode.ai/docs/skills", Some("1")),
            verified(
                "a skill in several folders is listed once",
                "the npm package `opencode-ai`, run",
                Some("1.18.33"),
            ),
            verified(
                "`mcp.servers`; version 1 had the servers below `mcp`",
                "https://opencode.ai/docs/mcp-servers.md",
                Some("2"),
            ),
            verified("commands, `$ARGUMENTS`", "https://opencode.ai/v2/docs/commands/", Some("2")),
            verified("permissions", "https://opencode.ai/v1/docs/permissions/, and run", Some("1.18.33")),
            verified(
                "`environment`, `cwd`, `oauth`, `{env:NAME}`",
                "https://github.com/anomalyco/opencode packages/web/src/content/docs/mcp-servers.mdx",
                Some("1"),
            ),
            verified("context", "https://opencode.ai/v1/docs/rules.md", Some("1")),
            reported("subagents", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "amp",
        name: "Amp",
        skills: skills(SHARED_MIRROR, Some(".config/agents/skills"), &[]),
        context: &[text("AGENTS.md")],
        mcp: json_mcp(
            ".amp/settings.json",
            &["amp.mcpServers"],
            JsonServers {
                variables: VariableSyntax::ShellWithoutDefault,
                filters: ToolFilters::Keys { include: Some("includeTools"), exclude: None },
                ..JsonServers::PLAIN
            },
        ),
        traces: &[".amp"],
        evidence: &[
            reported("skill folders", "https://ampcode.com/manual#agent-skills, as quoted by others"),
            reported("context, MCP", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "zed",
        name: "Zed",
        skills: skills(SHARED_MIRROR, Some(SHARED_MIRROR), &[]),
        context: &[text(".rules"), text("AGENTS.md")],
        mcp: json_mcp(
            ".zed/settings.json",
            &["context_servers"],
            JsonServers { fixed: Some(("source", "custom")), ..JsonServers::PLAIN },
        ),
        keys: &["disable-model-invocation"],
        traces: &[".zed"],
        evidence: &[
            verified(
                "skill folders, frontmatter, trust",
                "https://github.com/zed-industries/zed docs/src/ai/skills.md",
                None,
            ),
            verified("MCP programs", "https://github.com/zed-industries/zed docs/src/ai/mcp.md", None),
            reported("MCP servers with a URL", "https://surrealdb.com/docs/agent-memory/integrations/mcp-server"),
            reported("context", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "warp",
        name: "Warp",
        skills: SkillPaths {
            mirror: SHARED_MIRROR,
            user: Some(SHARED_MIRROR),
            also_reads: &[
                ".warp/skills",
                ".claude/skills",
                ".codex/skills",
                ".cursor/skills",
                ".gemini/skills",
                ".factory/skills",
                ".github/skills",
                ".opencode/skills",
            ],
            repeated: RepeatedSkill::Lists,
            ..SkillPaths::EMPTY
        },
        context: &[text("AGENTS.md")],
        mcp: json_mcp(".warp/.mcp.json", SERVERS, JsonServers { cwd: Some("working_directory"), ..JsonServers::PLAIN }),
        traces: &[".warp"],
        evidence: &[
            verified(
                "skill folders, same names",
                "https://docs.warp.dev/agent-platform/cloud-agents/skills-as-agents",
                None,
            ),
            verified("context, if there is no `WARP.md`", "https://docs.warp.dev/agents/capabilities/rules.md", None),
            verified("MCP servers", "https://docs.warp.dev/agents/capabilities/mcp.md", None),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "cline",
        name: "Cline",
        skills: SkillPaths {
            mirror: ".cline/skills",
            user: Some(".cline/skills"),
            also_reads: &[".clinerules/skills", ".claude/skills", SHARED_MIRROR],
            repeated: RepeatedSkill::TakesOne,
            same_name: Some(NameConflict::TakesUsers),
            ..SkillPaths::EMPTY
        },
        context: &[rules(".clinerules", RuleFolder::flat(RuleHeader::Paths)), text("AGENTS.md")],
        commands: commands(".clinerules/workflows", CommandFormat::Plain),
        ignore: Some(".clineignore"),
        traces: &[".cline", ".clinerules"],
        evidence: &[
            verified(
                "`.cline`, `.clinerules` and `.claude`, same names",
                "https://github.com/cline/cline docs/customization/skills.mdx",
                None,
            ),
            verified("a skill in several folders is listed once", "the npm package `cline`, run", Some("3.0.65")),
            reported("`.agents/skills`", SKILLS_CLI),
            reported("context, commands", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "windsurf",
        name: "Windsurf",
        skills: skills(".windsurf/skills", Some(".codeium/windsurf/skills"), &[SHARED_MIRROR]),
        context: &[
            limited(".windsurf/rules", ContextForm::Rules(TRIGGER_RULES), "12,000 characters a file"),
            text("AGENTS.md"),
        ],
        commands: commands(".windsurf/workflows", CommandFormat::Described),
        ignore: Some(".codeiumignore"),
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
        skills: skills(".kiro/skills", Some(".kiro/skills"), &[]),
        context: &[rules(".kiro/steering", RuleFolder::flat(RuleHeader::Kiro)), text("AGENTS.md")],
        mcp: json_mcp(
            ".kiro/settings/mcp.json",
            SERVERS,
            JsonServers {
                variables: VariableSyntax::ShellWithoutDefault,
                filters: ToolFilters::Keys { include: None, exclude: Some("disabledTools") },
                always_allow: Some("autoApprove"),
                ..JsonServers::PLAIN
            },
        ),
        ignore: Some(".kiroignore"),
        subagents: unwritten_subagents(".kiro/agents"),
        traces: &[".kiro"],
        evidence: &[
            verified("skill folders, same names", "https://kiro.dev/docs/skills", None),
            verified(
                "MCP servers; variables need a person's approval",
                "https://kiro.dev/docs/mcp/configuration",
                None,
            ),
            reported("context, subagents", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "junie",
        name: "Junie",
        skills: skills(".junie/skills", Some(".junie/skills"), &[SHARED_MIRROR]),
        context: &[text(".junie/AGENTS.md"), text(".junie/guidelines.md")],
        mcp: json_mcp(".junie/mcp/mcp.json", SERVERS, JsonServers::PLAIN),
        subagents: unwritten_subagents(".junie/agents"),
        commands: commands(".junie/commands", CommandFormat::Described),
        traces: &[".junie"],
        evidence: &[
            verified("skill folders in JetBrains Air", "https://www.jetbrains.com/help/air/skills.html", None),
            reported("user folder", "https://zenn.dev/nattosystem_jp/articles/83eac3ea4f3b2f, after JetBrains' blog"),
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
        subagents: unwritten_subagents(".goose/agents"),
        traces: &[".goose", ".goosehints"],
        evidence: &[
            verified(
                "skill folders",
                "https://github.com/block/goose documentation/docs/guides/context-engineering/using-skills.md",
                None,
            ),
            reported("context, subagents; recipes are no commands", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "qwen",
        name: "Qwen Code",
        skills: skills(".qwen/skills", Some(".qwen/skills"), &[]),
        context: &[import("QWEN.md", "@./")],
        mcp: json_mcp(".qwen/settings.json", SERVERS, QWEN_SERVERS),
        subagents: unwritten_subagents(".qwen/agents"),
        commands: commands(".qwen/commands", CommandFormat::Described),
        keys: &["argument-hint", "disable-model-invocation", "user-invocable"],
        traces: &["QWEN.md", ".qwen"],
        evidence: &[
            verified(
                "skill folders, frontmatter",
                "https://qwenlm.github.io/qwen-code-docs/en/users/features/skills/",
                Some("1"),
            ),
            verified("`user-invocable`", "the npm package `@qwen-code/qwen-code`", Some("0.24.4")),
            verified("MCP servers", "https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp/", Some("1")),
            verified("commands", "https://qwenlm.github.io/qwen-code-docs/1.x/en/users/custom-commands/", Some("1")),
            reported("context, subagents", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "factory",
        name: "Factory Droid",
        skills: skills(".factory/skills", Some(".factory/skills"), &[".agent/skills"]),
        context: &[text("AGENTS.md")],
        mcp: json_mcp(".factory/mcp.json", SERVERS, FACTORY_SERVERS),
        subagents: unwritten_subagents(".factory/droids"),
        commands: commands(".factory/commands", CommandFormat::Described),
        traces: &[".factory"],
        evidence: &[
            verified("MCP servers", "https://docs.factory.ai/cli/configuration/mcp.md", None),
            reported(
                "variables, filters and time limits of MCP servers",
                "https://github.com/Factory-AI/factory/pull/1175 (2026-06-02)",
            ),
            verified("`.factory/skills`, commands", "https://docs.factory.ai/cli/configuration/skills.md", None),
            verified("subagents", "https://docs.factory.ai/cli/configuration/custom-droids", None),
            reported("`.agent/skills`, context", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "devin",
        name: "Devin",
        skills: skills(".devin/skills", Some(SHARED_MIRROR), &[SHARED_MIRROR, ".windsurf/skills"]),
        context: &[text("AGENTS.md")],
        mcp: json_mcp(
            ".devin/config.json",
            SERVERS,
            JsonServers { transport: TransportKey::Remote("transport"), ..JsonServers::PLAIN },
        ),
        keys: &["triggers", "model"],
        traces: &[".devin"],
        evidence: &[
            verified("skill folders, frontmatter", "https://docs.devin.ai/cli/extensibility/skills/overview", None),
            verified("MCP servers", "https://docs.devin.ai/cli/extensibility/mcp/configuration.md", None),
            reported("context", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ROO,
    CONTINUE,
];

/// The row of a tool.
pub fn tool_row(id: &str) -> Option<&'static ToolRow> {
    TOOLS.iter().find(|row| row.id == id)
}
