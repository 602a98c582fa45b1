//! Every tool that canonry knows, one row each.
//!
//! The table is Rust, not a data file: the compiler checks every cell, targets are constants that patterns can name, and
//! neither `canonry --version` nor a hook parses anything. Docs, schema and completions derive from it.

use super::agent_tools::{FACTORY_TOOLS, OPENCODE_TOOLS, QWEN_TOOLS, own_name};
use super::default_tools::{ANTIGRAVITY, CLAUDE, CODEX, CURSOR, GEMINI};
use super::documented_tools::{AUGMENT, CRUSH, GROK, KILO, KIMI, PI, ROVO_DEV, TRAE};
use super::ended_tools::{CONTINUE, ROO};
use super::hook_form;
use super::tool_cells::{
    COPILOT_AGENTS, COPILOT_CONTEXT, FACTORY_SERVERS, QWEN_SERVERS, RULESYNC, SERVERS, TRIGGER_RULES, commands, hooks,
    import, json_mcp, limited, permissions, repeated, reported, rules, skills, subagents, text, unwritten_subagents,
    verified,
};
use super::tool_formats::{
    CommandFormat, ContextForm, HookFormat, HookQuestions, HookTrust, JsonServers, McpFormat, PermissionGrammar,
    RuleFolder, RuleHeader, SubagentFormat, ToolFilters, ToolNames, TransportKey, VariableSyntax,
};
use super::tool_row::{
    ContextEvent, EvidenceLevel, HookRow, McpRow, MemoryScope, NameConflict, RepeatedSkill, SHARED_MIRROR, SkillPaths,
    ToolMemory, ToolRow,
};

/// The rows. The first five are the default targets; the order is that of every list of targets.
pub const TOOLS: &[ToolRow] = &[
    CLAUDE,
    GEMINI,
    CURSOR,
    CODEX,
    ANTIGRAVITY,
    ToolRow {
        id: "agents",
        name: "tools that read .agents",
        skills: SkillPaths {
            mirror: SHARED_MIRROR,
            user: Some(SHARED_MIRROR),
            ignores_links: &["Cursor", "Antigravity"],
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
            skills(".github/skills", Some(".copilot/skills"), &[SHARED_MIRROR, ".claude/skills"]),
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
        also_reads: &["CLAUDE.md", "GEMINI.md", ".claude/rules", ".claude/agents", ".mcp.json"],
        keys: &["argument-hint", "disable-model-invocation", "user-invocable"],
        traces: &[".github/copilot-instructions.md", ".github/instructions", ".github/prompts"],
        evidence: &[
            verified("skill folders", "https://docs.github.com/en/copilot/concepts/agents/about-agent-skills", None),
            verified(
                "`user-invocable`, hooks of `.claude/settings.json`",
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
        subagents: subagents(".opencode/agents", SubagentFormat::OpenCode),
        commands: commands(".opencode/commands", CommandFormat::DescribedClaude),
        also_reads: &["CLAUDE.md", "CONTEXT.md"],
        permissions: permissions("opencode.json", None, PermissionGrammar::OpenCode),
        programs: &["opencode"],
        hooks: Some(HookRow {
            team_path: Some(".opencode/plugins/canonry-team.js"),
            format: HookFormat::OpenCode,
            context: ContextEvent::Own("experimental.chat.system.transform"),
            // A plugin can only deny: 1.18.33 never calls `permission.ask`.
            questions: HookQuestions::Never,
            tool_names: ToolNames::Own(|name| own_name(name, &OPENCODE_TOOLS, Some("mcp__"))),
            trust: HookTrust::Always,
            ..hooks(".opencode/plugins/canonry.js", &hook_form::OPENCODE, "the tool runs")
        }),
        traces: &[".opencode", "opencode.json", "opencode.jsonc"],
        evidence: &[
            verified("skill folders, frontmatter", "https://opencode.ai/docs/skills", Some("1")),
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
            verified(
                "subagents: `mode`, `permission`, and `tools` as its older form",
                "https://github.com/anomalyco/opencode packages/core/src/v1/config/agent.ts, and run",
                Some("1.18.33"),
            ),
            verified("plugins and their events", "the npm package `opencode-ai`, run", Some("1.18.33")),
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
            JsonServers {
                fixed: Some(("source", "custom")),
                has_extensions: true,
                has_command_objects: true,
                ..JsonServers::PLAIN
            },
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
            verified("settings of MCP servers of extensions", "https://zed.dev/docs/extensions/mcp-extensions", None),
            verified(
                "`command` as an object, which it migrates",
                "https://github.com/zed-industries/zed/blob/main/crates/migrator/src/migrations/m_2025_06_27/settings.rs",
                None,
            ),
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
            also_reads: &[SHARED_MIRROR, ".clinerules/skills"],
            repeated: RepeatedSkill::TakesOne,
            same_name: Some(NameConflict::TakesUsers),
            ..SkillPaths::EMPTY
        },
        context: &[rules(".clinerules", RuleFolder::flat(RuleHeader::Paths)), text("AGENTS.md")],
        commands: commands(".clinerules/workflows", CommandFormat::Plain),
        ignore: Some(".clineignore"),
        programs: &["cline"],
        hooks: Some(HookRow {
            team_path: Some(".clinerules/hooks/PreToolUse.sh"),
            // 3.0.65 runs every script whose name without one of its extensions is that of an event, with the interpreter of
            // its first line: `toHookConfigFileName` of `@cline/core` 0.0.86. These are the extensions of shells; canonry's
            // own scripts have none.
            script_extensions: &["sh", "bash", "zsh"],
            format: HookFormat::Cline,
            context: ContextEvent::None,
            trust: HookTrust::Always,
            ..hooks(".clinerules/hooks/PreToolUse", &hook_form::CLINE, "the tool runs")
        }),
        traces: &[".cline", ".clinerules"],
        evidence: &[
            verified("skill folders, same names, hooks", "the npm package `cline`, run", Some("3.0.65")),
            verified(
                "`.claude/skills`, which 3.0.65 does not read",
                "https://github.com/cline/cline docs/customization/skills.mdx",
                None,
            ),
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
        programs: &["kiro-cli"],
        hooks: Some(HookRow {
            team_path: Some(".kiro/hooks/canonry-team.json"),
            reads_folder: true,
            format: HookFormat::Kiro,
            evidence: EvidenceLevel::Reported,
            ..hooks(".kiro/hooks/canonry.json", &hook_form::KIRO, "the tool runs; status 2 denies")
        }),
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
            verified("files, events and matchers of hooks", "https://kiro.dev/docs/cli/v3/hooks/", Some("3")),
            reported(
                "input, status and output of hooks in the IDE and the CLI",
                "https://kiro.dev/docs/cli/hooks (2), and https://github.com/Asymptote-Labs/agent-beacon/pull/487",
            ),
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
        skills: repeated(RepeatedSkill::TakesOne, skills(".qwen/skills", Some(".qwen/skills"), &[SHARED_MIRROR])),
        context: &[import("QWEN.md", "@./"), text("AGENTS.md")],
        mcp: json_mcp(".qwen/settings.json", SERVERS, QWEN_SERVERS),
        programs: &["qwen"],
        hooks: Some(HookRow {
            questions: HookQuestions::WithTerminal,
            approves: true,
            tool_names: ToolNames::Own(|name| own_name(name, &QWEN_TOOLS, Some("mcp__"))),
            trust: HookTrust::Unknown("Qwen Code asks for trust only with `security.folderTrust.enabled`"),
            ..hooks(".qwen/settings.json", &hook_form::QWEN, "the tool runs; status 2 denies")
        }),
        subagents: subagents(".qwen/agents", SubagentFormat::Qwen),
        commands: commands(".qwen/commands", CommandFormat::Described),
        also_reads: &[".mcp.json"],
        memories: &[
            ToolMemory { folder: ".qwen/projects/{path}/memory", scope: MemoryScope::WorkTree },
            ToolMemory { folder: ".qwen/memories", scope: MemoryScope::Everything },
        ],
        keys: &["argument-hint", "disable-model-invocation", "user-invocable"],
        traces: &["QWEN.md", ".qwen"],
        evidence: &[
            verified(
                "skill folders, frontmatter",
                "https://qwenlm.github.io/qwen-code-docs/en/users/features/skills/",
                Some("1"),
            ),
            verified("`user-invocable`, hooks", "the npm package `@qwen-code/qwen-code`", Some("0.24.4")),
            verified("memory", "the client, run in two worktrees", Some("0.24.4")),
            verified("MCP servers", "https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp/", Some("1")),
            verified("commands", "https://qwenlm.github.io/qwen-code-docs/1.x/en/users/custom-commands/", Some("1")),
            verified("subagents", "its own documentation and the client, run", Some("0.24.4")),
            reported("context", RULESYNC),
        ],
        ..ToolRow::EMPTY
    },
    ToolRow {
        id: "factory",
        name: "Factory Droid",
        skills: skills(".factory/skills", Some(".factory/skills"), &[".agent/skills"]),
        context: &[text("AGENTS.md")],
        mcp: json_mcp(".factory/mcp.json", SERVERS, FACTORY_SERVERS),
        subagents: subagents(".factory/droids", SubagentFormat::Factory),
        commands: commands(".factory/commands", CommandFormat::Described),
        programs: &["droid"],
        hooks: Some(HookRow {
            questions: HookQuestions::Always,
            approves: true,
            tool_names: ToolNames::Own(|name| match name {
                "MultiEdit" => Some("Edit".to_owned()),
                "Task" => Some("Task".to_owned()),
                _ => own_name(name, &FACTORY_TOOLS, Some("mcp__")),
            }),
            evidence: EvidenceLevel::Reported,
            ..hooks(".factory/settings.json", &hook_form::FACTORY, "the tool runs; status 2 denies")
        }),
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
            reported("hooks", "https://cupcake.eqtylab.io/reference/harnesses/factory-ai"),
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
    GROK,
    KILO,
    PI,
    KIMI,
    AUGMENT,
    ROVO_DEV,
    TRAE,
    CRUSH,
    ROO,
    CONTINUE,
];

/// The row of a tool.
pub fn tool_row(id: &str) -> Option<&'static ToolRow> {
    TOOLS.iter().find(|row| row.id == id)
}
