//! Restrictions of the canon in each tool, as tests with the tools themselves show.

/// A restriction, and the tools that follow it or not. The texts are Markdown.
#[derive(Debug)]
pub struct Restriction {
    pub kind: RestrictionKind,
    pub name: &'static str,
    pub results: &'static [RestrictionResult],
    /// Behaviour of the tools that do not follow it; empty if all do.
    pub effect: &'static str,
    /// A restriction that holds there, if any.
    pub remedy: Option<&'static str>,
}

/// A restriction in one tool.
#[derive(Debug)]
pub struct RestrictionResult {
    /// The name in the config.
    pub tool: &'static str,
    pub version: &'static str,
    /// Whether the tool follows it.
    pub holds: bool,
    /// The tool for which the file is written: another one if this tool reads its file too, and has none of its own.
    pub written_for: &'static str,
    /// The test in `tests/clients`; `None` if it is only reported.
    pub test: Option<&'static str>,
}

/// The part of the canon with the restriction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestrictionKind {
    /// The tools of a subagent.
    ToolList,
    /// The permission mode of a subagent.
    PlanMode,
    /// A subagent that only reads, where the tool knows no lists of tools.
    ReadOnly,
    /// The filters of an MCP server.
    ServerFilter,
    /// The targets of a skill.
    SkillTargets,
}

impl RestrictionKind {
    /// The middle of `TOOL/KIND/NAME` in `files.accept_omitted`.
    pub fn part(self) -> &'static str {
        match self {
            Self::ToolList | Self::PlanMode | Self::ReadOnly => "subagents",
            Self::ServerFilter => "mcp",
            Self::SkillTargets => "skills",
        }
    }
}

/// A tool and its version.
type Client = (&'static str, &'static str);

const CLAUDE: Client = ("claude", "2.1.330");
const CODEX: Client = ("codex", "0.169.0");
const GEMINI: Client = ("gemini", "0.61.0");
const COPILOT: Client = ("copilot", "1.0.102");
const OPENCODE: Client = ("opencode", "1.18.33");
const QWEN: Client = ("qwen", "0.24.4");
const CLINE: Client = ("cline", "3.0.65");

const fn holds(client: Client, test: &'static str) -> RestrictionResult {
    RestrictionResult { tool: client.0, version: client.1, holds: true, written_for: client.0, test: Some(test) }
}

const fn fails(client: Client, test: &'static str) -> RestrictionResult {
    RestrictionResult { holds: false, ..holds(client, test) }
}

/// In a file that is written for Claude Code.
const fn fails_in_claudes(client: Client, test: &'static str) -> RestrictionResult {
    RestrictionResult { written_for: CLAUDE.0, ..fails(client, test) }
}

/// Every restriction that was tried.
pub const RESTRICTIONS: &[Restriction] = &[
    Restriction {
        kind: RestrictionKind::ToolList,
        name: "`tools` of a subagent",
        results: &[
            holds(CLAUDE, "needs_clients_subagent"),
            holds(GEMINI, "needs_clients_subagent"),
            holds(COPILOT, "needs_clients_subagent"),
            holds(QWEN, "needs_clients_subagent"),
        ],
        effect: "",
        remedy: None,
    },
    Restriction {
        kind: RestrictionKind::PlanMode,
        name: "`permissionMode: plan` of a subagent",
        results: &[
            holds(COPILOT, "needs_clients_plan_mode"),
            fails(CLAUDE, "needs_clients_plan_mode"),
            fails_in_claudes(COPILOT, "needs_clients_plan_of_claude"),
        ],
        effect: "in a session that accepts edits, the subagent edits too",
        remedy: Some("list its tools: `tools: Read, Grep, Glob`"),
    },
    Restriction {
        kind: RestrictionKind::ReadOnly,
        name: "`sandbox_mode = \"read-only\"` of a subagent",
        results: &[fails(CODEX, "needs_clients_subagent")],
        effect: "the sandbox of the session applies",
        remedy: Some("start the session with `--sandbox read-only`"),
    },
    Restriction {
        kind: RestrictionKind::ServerFilter,
        name: "`excludeTools` of a server",
        results: &[
            holds(CLAUDE, "needs_clients_together"),
            holds(CODEX, "needs_clients_together"),
            holds(GEMINI, "needs_clients_together"),
            holds(QWEN, "needs_clients_together"),
            fails_in_claudes(COPILOT, "needs_clients_filter_of_claude"),
            fails_in_claudes(QWEN, "needs_clients_filter_of_claude"),
        ],
        effect: "the tool reads `.mcp.json` too, where the filter is not",
        remedy: Some("write `null` for the server in the section `claude` of `agent/mcp.json`"),
    },
    Restriction {
        kind: RestrictionKind::SkillTargets,
        name: "`skills.NAME.targets`",
        results: &[
            holds(GEMINI, "needs_clients_targets"),
            holds(CODEX, "needs_clients_targets"),
            fails(QWEN, "needs_clients_probe"),
            fails(OPENCODE, "needs_clients_targets"),
            fails(COPILOT, "needs_clients_targets"),
            RestrictionResult { test: None, ..fails(CLINE, "") },
        ],
        effect: "the tool reads `.agents/skills`, and all but Qwen Code and Cline also `.claude/skills`",
        remedy: None,
    },
];
