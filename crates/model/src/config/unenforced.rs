//! Restrictions that tools do not enforce, as seen with the tools themselves.

/// A restriction that some tools do not enforce. The texts are Markdown.
#[derive(Debug)]
pub struct UnenforcedRestriction {
    pub kind: RestrictionKind,
    /// The tools by their names in the config, and the version in which each was seen.
    pub tools: &'static [(&'static str, &'static str)],
    pub restriction: &'static str,
    /// The tools' behaviour instead.
    pub effect: &'static str,
    /// A restriction that holds, if any.
    pub remedy: Option<&'static str>,
}

/// The part of the canon with the restriction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestrictionKind {
    /// The permission mode of a subagent.
    PlanMode,
    /// A subagent that only reads, where the tool knows no lists of tools.
    ReadOnly,
    /// The filters of an MCP server.
    ServerFilter,
    /// The targets of a skill.
    SkillTargets,
}

/// Every restriction that was seen not to hold. `tests/clients` has the evidence.
pub const UNENFORCED: &[UnenforcedRestriction] = &[
    UnenforcedRestriction {
        kind: RestrictionKind::PlanMode,
        tools: &[("claude", "2.1.330")],
        restriction: "`permissionMode: plan` of a subagent",
        effect: "in a session that accepts edits, the subagent edits too",
        remedy: Some("list its tools: `tools: Read, Grep, Glob`"),
    },
    UnenforcedRestriction {
        kind: RestrictionKind::ReadOnly,
        tools: &[("codex", "0.169.0")],
        restriction: "`sandbox_mode = \"read-only\"` of a subagent",
        effect: "the sandbox of the session applies",
        remedy: Some("start the session with `--sandbox read-only`"),
    },
    UnenforcedRestriction {
        kind: RestrictionKind::ServerFilter,
        tools: &[("copilot", "1.0.102"), ("qwen", "0.24.4")],
        restriction: "`excludeTools` of a server",
        effect: "the tool reads `.mcp.json` too, where the filter is not",
        remedy: Some("write `null` for the server in the section `claude` of `agent/mcp.json`"),
    },
    UnenforcedRestriction {
        kind: RestrictionKind::SkillTargets,
        tools: &[("qwen", "0.24.4"), ("opencode", "1.18.33"), ("copilot", "1.0.102"), ("cline", "3.0.65")],
        restriction: "`skills.NAME.targets`",
        effect: "the tool reads `.agents/skills`, and all but Qwen Code also `.claude/skills`",
        remedy: None,
    },
];
