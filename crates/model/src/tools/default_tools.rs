//! The tools that are targets by default.

use super::agent_tools::{ANTIGRAVITY_TOOLS, CODEX_TOOLS, CURSOR_TOOLS, gemini_name, own_name};
use super::hook_form;
use super::skill_listing::{CLAUDE_LISTING, ListingOverflow, SkillListing};
use super::tool_cells::{
    ANTIGRAVITY_EVIDENCE, CLAUDE_SERVERS, CURSOR_SERVERS, GEMINI_SERVERS, SERVERS, TRIGGER_RULES, agents_md, commands,
    earlier, hooks, import, json_mcp, limited, permissions, reported, rules, subagents, text, verified,
};
use super::tool_formats::{
    CommandFormat, ContextForm, FailClosed, HookFormat, HookQuestions, HookTrust, JsonServers, McpFormat,
    PermissionGrammar, RuleFolder, RuleHeader, SharedByWorktrees, SubagentFormat, TimeLimit, ToolFilters, ToolNames,
    TrustRecord, TrustScope,
};
use super::tool_row::{
    ContextEvent, ContextReading, ContextSetting, EvidenceLevel, HookRow, McpRow, MemoryScope, NameConflict,
    PermissionRow, RepeatedSkill, SHARED_MIRROR, SkillPaths, ToolMemory, ToolRow, ToolStatus, UserFiles,
};

pub(super) const CLAUDE: ToolRow = ToolRow {
    id: "claude",
    name: "Claude Code",
    home_variable: Some("CLAUDE_CONFIG_DIR"),
    skills: SkillPaths {
        mirror: ".claude/skills",
        user: Some(".claude/skills"),
        same_name: Some(NameConflict::TakesUsers),
        ..SkillPaths::EMPTY
    },
    listing: Some(CLAUDE_LISTING),
    memories: &[ToolMemory { folder: ".claude/projects/{path}/memory", scope: MemoryScope::Repository }],
    context: &[
        import("CLAUDE.md", "@"),
        agents_md(ContextReading::WithoutOwn),
        rules(".claude/rules", RuleFolder { extension: ".md", has_folders: true, header: RuleHeader::Paths }),
    ],
    user: Some(UserFiles { instructions: Some(".claude/CLAUDE.md"), has_servers: false }),
    mcp: json_mcp(".mcp.json", SERVERS, CLAUDE_SERVERS),
    subagents: subagents(".claude/agents", SubagentFormat::Claude),
    commands: commands(".claude/commands", CommandFormat::Claude),
    also_reads: &[".claude/CLAUDE.md", "CLAUDE.local.md"],
    programs: &["claude"],
    hooks: Some(HookRow {
        questions: HookQuestions::Always,
        approves: true,
        tool_names: ToolNames::Claude,
        fail_closed: FailClosed::StatusAndWord("onFailure", "block"),
        // Trust in a linked worktree: 2.1.330.
        trust: HookTrust::Recorded {
            file: ".claude.json",
            record: TrustRecord::Claude,
            remedy: "start `claude` here and accept it",
            worktrees: SharedByWorktrees::Trust,
            scope: TrustScope::Hooks,
        },
        ..hooks(".claude/settings.json", &hook_form::CLAUDE, "the tool runs; status 2 denies")
    }),
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
    installed: &[".claude"],
    evidence: &[
        earlier(verified(
            "skills, context, MCP, hooks, permissions",
            "the tool's own binary and documentation",
            Some("2.1.330"),
        )),
        verified("list of skills, memory", "the client, run in two worktrees", Some("2.1.330")),
        earlier(reported("`ask` has no effect in auto mode", "https://github.com/anthropics/claude-code/issues/89561")),
    ],
    ..ToolRow::EMPTY
};

pub(super) const GEMINI: ToolRow = ToolRow {
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
    memories: &[ToolMemory { folder: ".gemini/tmp/{slug}/memory", scope: MemoryScope::WorkTree }],
    context: &[import("GEMINI.md", "@./")],
    context_setting: Some(ContextSetting { file: ".gemini/settings.json", keys: ["context", "fileName"] }),
    user: Some(UserFiles { instructions: Some(".gemini/GEMINI.md"), has_servers: true }),
    mcp: json_mcp(".gemini/settings.json", SERVERS, GEMINI_SERVERS),
    subagents: subagents(".gemini/agents", SubagentFormat::Gemini),
    commands: commands(".gemini/commands", CommandFormat::GeminiToml),
    ignore: Some(".geminiignore"),
    programs: &["gemini"],
    hooks: Some(HookRow {
        format: HookFormat::Gemini,
        // Since 0.36; older versions continue. Without a terminal it waits, at least in 0.61.
        questions: HookQuestions::WithTerminal,
        approves: true,
        tool_names: ToolNames::Own(gemini_name),
        trust: HookTrust::Recorded {
            file: ".gemini/trustedFolders.json",
            record: TrustRecord::Gemini,
            remedy: "start `gemini` here and trust the folder with `/permissions`",
            worktrees: SharedByWorktrees::Nothing,
            scope: TrustScope::Settings,
        },
        ..hooks(
            ".gemini/settings.json",
            &hook_form::GEMINI,
            "a warning; a status other than 0 and 1 with stderr denies",
        )
    }),
    permissions: permissions(".gemini/settings.json", Some(".gemini/policies/canonry.toml"), PermissionGrammar::Gemini),
    traces: &["GEMINI.md", ".gemini"],
    installed: &[".gemini/settings.json"],
    evidence: &[
        earlier(verified(
            "skills, context, MCP, hooks, permissions",
            "https://github.com/google-gemini/gemini-cli",
            Some("0.49"),
        )),
        verified("memory", "the client, run in two worktrees", Some("0.61.0")),
    ],
    ..ToolRow::EMPTY
};

pub(super) const CURSOR: ToolRow = ToolRow {
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
    user: Some(UserFiles { instructions: None, has_servers: true }),
    mcp: json_mcp(".cursor/mcp.json", SERVERS, CURSOR_SERVERS),
    subagents: subagents(".cursor/agents", SubagentFormat::Cursor),
    commands: commands(".cursor/commands", CommandFormat::Plain),
    ignore: Some(".cursorignore"),
    programs: &["cursor-agent", "cursor"],
    hooks: Some(HookRow {
        format: HookFormat::Cursor,
        // It does not always ask.
        questions: HookQuestions::Never,
        approves: true,
        tool_names: ToolNames::Own(|name| own_name(name, &CURSOR_TOOLS, None)),
        trust: HookTrust::Unknown("Cursor records trust in its own database"),
        fail_closed: FailClosed::StatusAndFlag("failClosed"),
        ..hooks(".cursor/hooks.json", &hook_form::CURSOR, "the tool runs unless `failClosed: true`")
    }),
    permissions: permissions(".cursor/cli.json", None, PermissionGrammar::Cursor),
    plugin: Some(".cursor-plugin/plugin.json"),
    keys: &["disable-model-invocation", "paths", "globs"],
    traces: &[".cursor", ".cursorrules"],
    installed: &[".cursor"],
    evidence: &[
        earlier(reported("skill folders", "https://cursor.com/docs, as quoted by others")),
        earlier(verified("rules, MCP, subagents, commands, hooks", "https://cursor.com/docs", None)),
        earlier(reported("links, which of several equal skills is used, variables", "secondary sources")),
    ],
    ..ToolRow::EMPTY
};

pub(super) const CODEX: ToolRow = ToolRow {
    id: "codex",
    name: "Codex",
    home_variable: Some("CODEX_HOME"),
    skills: SkillPaths {
        mirror: ".codex/skills",
        user: Some(".codex/skills"),
        also_reads: &[SHARED_MIRROR],
        repeated: RepeatedSkill::Lists,
        same_name: Some(NameConflict::ListsBoth),
        ..SkillPaths::EMPTY
    },
    listing: Some(SkillListing {
        characters: 8_000,
        condition: "with a context of 100,000 tokens",
        description: 1_024,
        overflow: ListingOverflow::Cuts,
    }),
    memories: &[ToolMemory { folder: ".codex/memories", scope: MemoryScope::Everything }],
    context: &[limited("AGENTS.md", ContextForm::Text, "32 KiB in all")],
    user: Some(UserFiles { instructions: Some(".codex/AGENTS.md"), has_servers: true }),
    mcp: Some(McpRow { path: ".codex/config.toml", root: &["mcp_servers"], format: McpFormat::CodexToml }),
    subagents: subagents(".codex/agents", SubagentFormat::CodexToml),
    also_reads: &["AGENTS.override.md"],
    programs: &["codex"],
    hooks: Some(HookRow {
        // It reports `ask` as an error and continues.
        questions: HookQuestions::Never,
        tool_names: ToolNames::Own(|name| own_name(name, &CODEX_TOOLS, Some("mcp__"))),
        // Hooks in a linked worktree: `hooks/list` of the app server of 0.169.0.
        trust: HookTrust::Recorded {
            file: ".codex/config.toml",
            record: TrustRecord::Codex,
            remedy: "start `codex` here, trust the project, and review the hooks with `/hooks`; until then, it skips them",
            worktrees: SharedByWorktrees::TrustAndHooks,
            scope: TrustScope::SettingsAndEachHook,
        },
        ..hooks(".codex/hooks.json", &hook_form::CODEX, "the tool runs")
    }),
    permissions: permissions(".codex/config.toml", Some(".codex/rules/canonry.rules"), PermissionGrammar::Codex),
    plugin: Some(".codex-plugin/plugin.json"),
    traces: &[".codex"],
    installed: &[".codex"],
    evidence: &[
        earlier(verified("skill folders, context, hooks, rules", "https://github.com/openai/codex", Some("0.169"))),
        verified("list of skills", "the client, run", Some("0.169.0")),
        reported("memory", "https://github.com/openai/codex, as quoted by others"),
        earlier(reported("unknown keys of hooks.json, keys of subagents and variables", "measurements with 0.153")),
    ],
    ..ToolRow::EMPTY
};

pub(super) const ANTIGRAVITY: ToolRow = ToolRow {
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
        agents_md(ContextReading::Reported),
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
    programs: &["agy", "antigravity"],
    hooks: Some(HookRow {
        format: HookFormat::Antigravity,
        context: ContextEvent::Own("PreInvocation"),
        questions: HookQuestions::Always,
        approves: true,
        tool_names: ToolNames::Own(|name| own_name(name, &ANTIGRAVITY_TOOLS, None)),
        evidence: EvidenceLevel::Reported,
        ..hooks(".agents/hooks.json", &hook_form::ANTIGRAVITY, "the tool call is denied")
    }),
    permissions: Some(PermissionRow {
        path: ".antigravity/settings.json",
        commands: None,
        grammar: PermissionGrammar::Antigravity,
        evidence: EvidenceLevel::Reported,
    }),
    traces: &[".antigravity", ".agents/rules", ".agents/workflows", ".agents/skills.json"],
    installed: &[".gemini/antigravity"],
    evidence: ANTIGRAVITY_EVIDENCE,
    ..ToolRow::EMPTY
};
