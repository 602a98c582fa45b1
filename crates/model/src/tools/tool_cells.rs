//! Cells that many rows of the table of tools share.

use super::hook_form::HookForm;
use super::tool_formats::{
    CommandFormat, ContextForm, FailClosed, HookFormat, HookQuestions, HookTrust, JsonServers, McpFormat, OauthForm,
    PermissionGrammar, RuleFolder, RuleHeader, SubagentFormat, TimeLimit, ToolFilters, ToolNames, TransportKey,
    VariableSyntax,
};
use super::tool_row::{
    CommandRow, ContextEvent, ContextReading, ContextRow, Evidence, EvidenceLevel, HookRow, McpRow, PermissionRow,
    RepeatedSkill, SkillPaths, SubagentRow,
};

pub(super) const fn verified(about: &'static str, source: &'static str, version: Option<&'static str>) -> Evidence {
    Evidence { about, source, version, date: "2026-11", level: EvidenceLevel::Verified }
}

pub(super) const fn reported(about: &'static str, source: &'static str) -> Evidence {
    Evidence { about, source, version: None, date: "2026-11", level: EvidenceLevel::Reported }
}

/// `also_reads` are the project's other folders.
pub(super) const fn skills(
    mirror: &'static str,
    user: Option<&'static str>,
    also_reads: &'static [&'static str],
) -> SkillPaths {
    SkillPaths { mirror, user, also_reads, ..SkillPaths::EMPTY }
}

/// `does` is what the tool does with a skill that is in several of its folders.
pub(super) const fn repeated(does: RepeatedSkill, skills: SkillPaths) -> SkillPaths {
    SkillPaths { repeated: does, ..skills }
}

pub(super) const fn text(file: &'static str) -> ContextRow {
    ContextRow { file, mode: ContextForm::Text, limit: None, reading: ContextReading::Always }
}

pub(super) const fn limited(file: &'static str, mode: ContextForm, limit: &'static str) -> ContextRow {
    ContextRow { mode, limit: Some(limit), ..text(file) }
}

pub(super) const fn rules(file: &'static str, folder: RuleFolder) -> ContextRow {
    ContextRow { mode: ContextForm::Rules(folder), ..text(file) }
}

/// `prefix` is the text of an import before the path.
pub(super) const fn import(file: &'static str, prefix: &'static str) -> ContextRow {
    ContextRow { mode: ContextForm::Import(prefix), ..text(file) }
}

/// The `AGENTS.md` of a tool that does not always read it.
pub(super) const fn agents_md(reading: ContextReading) -> ContextRow {
    ContextRow { reading, ..text("AGENTS.md") }
}

pub(super) const fn json_mcp(path: &'static str, root: &'static [&'static str], form: JsonServers) -> Option<McpRow> {
    Some(McpRow { path, root, format: McpFormat::Json(form) })
}

pub(super) const fn commands(folder: &'static str, format: CommandFormat) -> Option<CommandRow> {
    Some(CommandRow { folder, format })
}

pub(super) const fn subagents(folder: &'static str, format: SubagentFormat) -> Option<SubagentRow> {
    Some(SubagentRow { folder, format: Some(format) })
}

/// For tools whose format is only reported.
pub(super) const fn unwritten_subagents(folder: &'static str) -> Option<SubagentRow> {
    Some(SubagentRow { folder, format: None })
}

pub(super) const fn permissions(
    path: &'static str,
    commands: Option<&'static str>,
    grammar: PermissionGrammar,
) -> Option<PermissionRow> {
    Some(PermissionRow { path, commands, grammar, evidence: EvidenceLevel::Verified })
}

/// Hooks in the format of Claude Code, with the least that is known of them: no questions, no approvals and no matchers.
/// `on_error` says what happens if a hook fails.
pub(super) const fn hooks(path: &'static str, form: &'static HookForm, on_error: &'static str) -> HookRow {
    HookRow {
        path,
        team_path: None,
        script_extensions: &[],
        reads_folder: false,
        format: HookFormat::Claude,
        form,
        context: ContextEvent::SessionStart,
        questions: HookQuestions::Never,
        approves: false,
        tool_names: ToolNames::Own(|_| None),
        trust: HookTrust::Undocumented,
        fail_closed: FailClosed::Status,
        on_error,
        evidence: EvidenceLevel::Verified,
    }
}

/// The key of the servers in most JSON files.
pub(super) const SERVERS: &[&str] = &["mcpServers"];
/// Rules as Windsurf and Antigravity read them.
pub(super) const TRIGGER_RULES: RuleFolder = RuleFolder::flat(RuleHeader::Trigger);

/// For facts that were checked a month before the table was made.
pub(super) const fn earlier(evidence: Evidence) -> Evidence {
    Evidence { date: "2026-10", ..evidence }
}

pub(super) const COPILOT_CONTEXT: &str =
    "https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-custom-instructions";
pub(super) const RULESYNC: &str = "https://github.com/dyoshikawa/rulesync (2026-08-18)";
/// The documentation is a site that only browsers can read. What is known of it comes from copies of its pages that others made,
/// so it does not count as verified.
pub(super) const ANTIGRAVITY_EVIDENCE: &[Evidence] = &[
    reported(
        "`.agents/skills`, `AGENTS.md` and `GEMINI.md`, MCP servers with `serverUrl`",
        "https://antigravity.google/docs/cli/gcli-migration, as copied to https://github.com/google-antigravity/antigravity-cli docs/ at `4ebbda8e`",
    ),
    reported("the user's skill folder", "https://antigravity.google/docs/skills, as copied by others, who differ"),
    reported("rules, 12,000 characters", "https://antigravity.google/docs/rules-workflows, as copied by others"),
    reported("MCP keys: `cwd`, `disabledTools`", "https://antigravity.google/docs/mcp, as quoted by others"),
    reported("hooks", "https://antigravity.google/docs/hooks, in one copy"),
    reported("subagents", "https://antigravity.google/docs/subagents, as quoted by others"),
    reported(
        "commands: workflows were to be retired on 2026-11-01, in favour of skills",
        "https://antigravity.google/docs/migration/workflows-to-skills, as quoted by others",
    ),
    reported(
        "permissions in the repository; the documentation has only the user's `~/.gemini/antigravity-cli/settings.json`, and literal paths",
        "several reports; https://antigravity.google/docs/cli/permissions, as quoted by others",
    ),
    reported("triggers in the frontmatter of rules", RULESYNC),
    earlier(reported("`.antigravity/skills` is read through `.agents/skills.json`", "several reports")),
];
pub(super) const COPILOT_AGENTS: &str =
    "https://github.com/github/docs content/copilot/reference/custom-agents-configuration.md at `03e038c5`";
pub(super) const SKILLS_CLI: &str = "https://github.com/vercel-labs/skills";

/// The servers of Claude Code.
pub(super) const CLAUDE_SERVERS: JsonServers = JsonServers {
    variables: VariableSyntax::Shell,
    transport: TransportKey::Remote("type"),
    has_web_sockets: true,
    // It ignores shorter limits.
    timeout: TimeLimit::Milliseconds("timeout", 1000),
    has_headers_helper: true,
    oauth: OauthForm::Claude,
    filters: ToolFilters::Permissions,
    ..JsonServers::PLAIN
};

/// The servers of Gemini CLI, as `gemini mcp add` of 0.61.0 writes them; its `httpUrl` is deprecated.
pub(super) const GEMINI_SERVERS: JsonServers = JsonServers {
    variables: VariableSyntax::ShellWithoutDefault,
    transport: TransportKey::Remote("type"),
    cwd: Some("cwd"),
    timeout: TimeLimit::Milliseconds("timeout", 1),
    oauth: OauthForm::Gemini,
    filters: ToolFilters::Keys { include: Some("includeTools"), exclude: Some("excludeTools") },
    ..JsonServers::PLAIN
};

/// The servers of Qwen Code, a fork of Gemini CLI, as `qwen mcp add` of 0.24.4 writes them.
pub(super) const QWEN_SERVERS: JsonServers =
    JsonServers { http_url_key: "httpUrl", transport: TransportKey::None, oauth: OauthForm::None, ..GEMINI_SERVERS };

/// The servers of Cursor.
pub(super) const CURSOR_SERVERS: JsonServers =
    JsonServers { variables: VariableSyntax::Env, oauth: OauthForm::Cursor, ..JsonServers::PLAIN };

/// The servers of Factory.
pub(super) const FACTORY_SERVERS: JsonServers = JsonServers {
    variables: VariableSyntax::Shell,
    sse_url_key: None,
    transport: TransportKey::Every("type"),
    timeout: TimeLimit::Milliseconds("timeoutMs", 1),
    filters: ToolFilters::Keys { include: Some("enabledTools"), exclude: Some("disabledTools") },
    ..JsonServers::PLAIN
};
