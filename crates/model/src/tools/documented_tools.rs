//! Further tools, most of them known from their documentation alone.

use super::agent_tools::{GROK_TOOLS, own_name};
use super::hook_form;
use super::tool_cells::{RULESYNC, SKILLS_CLI, hooks, repeated, reported, skills, text, unwritten_subagents, verified};
use super::tool_formats::{
    FailClosed, HookQuestions, HookTrust, SharedByWorktrees, ToolNames, TrustRecord, TrustScope,
};
use super::tool_row::{ContextEvent, HookRow, NameConflict, RepeatedSkill, SHARED_MIRROR, SkillPaths, ToolRow};

pub(super) const GROK: ToolRow = ToolRow {
    id: "grok",
    name: "Grok Build",
    home_variable: Some("GROK_HOME"),
    skills: repeated(
        RepeatedSkill::TakesOne,
        skills(".grok/skills", Some(".grok/skills"), &[SHARED_MIRROR, ".claude/skills", ".cursor/skills"]),
    ),
    context: &[text("AGENTS.md")],
    subagents: unwritten_subagents(".grok/agents"),
    also_reads: &[
        "AGENT.md",
        "CLAUDE.md",
        "CLAUDE.local.md",
        ".claude/CLAUDE.md",
        ".claude/rules",
        ".mcp.json",
        ".cursor/mcp.json",
        ".claude/agents",
    ],
    programs: &["grok"],
    hooks: Some(HookRow {
        reads_folder: true,
        context: ContextEvent::None,
        // It does not ask if it approves every call.
        questions: HookQuestions::Never,
        tool_names: ToolNames::Own(|name| own_name(name, &GROK_TOOLS, Some(""))),
        fail_closed: FailClosed::StatusAndAnswer,
        trust: HookTrust::Recorded {
            file: ".grok/trusted_folders.toml",
            record: TrustRecord::Grok,
            remedy: "start `grok` here and run `/hooks-trust`; until then, it skips them",
            worktrees: SharedByWorktrees::Nothing,
            scope: TrustScope::Hooks,
        },
        ..hooks(".grok/hooks/canonry.json", &hook_form::GROK, "the tool runs; status 2 denies")
    }),
    traces: &[".grok"],
    evidence: &[
        verified(
            "skill folders, context, servers and subagents of Claude Code",
            "https://docs.x.ai/build/features/skills-plugins-marketplaces",
            None,
        ),
        verified(
            "hooks, same skills, instructions, servers and subagents of other tools",
            "https://docs.x.ai/build/features/hooks, and the npm package `@xai-official/grok`, run",
            Some("1.0.41"),
        ),
    ],
    ..ToolRow::EMPTY
};

pub(super) const KILO: ToolRow = ToolRow {
    id: "kilo",
    name: "Kilo Code",
    skills: skills(".kilo/skills", Some(".kilo/skills"), &[SHARED_MIRROR, ".claude/skills"]),
    context: &[text("AGENTS.md")],
    also_reads: &[".kilo/rules", ".kilocode/rules"],
    traces: &[".kilo", ".kilocode", "kilo.jsonc"],
    evidence: &[
        verified(
            "skill folders (`.claude/skills` in the editor only with its compatibility on)",
            "https://github.com/Kilo-Org/kilocode packages/kilo-docs/pages/customize/skills.md at `03132cbe`",
            None,
        ),
        reported("context, rules", RULESYNC),
    ],
    ..ToolRow::EMPTY
};

pub(super) const PI: ToolRow = ToolRow {
    id: "pi",
    name: "Pi",
    skills: repeated(RepeatedSkill::Warns, skills(".pi/skills", Some(".pi/agent/skills"), &[SHARED_MIRROR])),
    context: &[text("AGENTS.md")],
    keys: &["disable-model-invocation"],
    traces: &[".pi"],
    evidence: &[
        verified(
            "skill folders, same names, frontmatter",
            "https://github.com/earendil-works/pi packages/coding-agent/docs/skills.md at `0c896b37`",
            None,
        ),
        reported("context", RULESYNC),
    ],
    ..ToolRow::EMPTY
};

pub(super) const KIMI: ToolRow = ToolRow {
    id: "kimi",
    name: "Kimi Code",
    home_variable: Some("KIMI_CODE_HOME"),
    skills: repeated(RepeatedSkill::TakesOne, skills(".kimi-code/skills", Some(".kimi-code/skills"), &[SHARED_MIRROR])),
    context: &[text("AGENTS.md")],
    keys: &["whenToUse", "when-to-use", "when_to_use", "disable-model-invocation", "arguments", "type"],
    traces: &[".kimi-code"],
    evidence: &[
        verified(
            "skill folders, frontmatter",
            "https://github.com/MoonshotAI/kimi-code docs/en/customization/skills.md at `1dd712f6`",
            None,
        ),
        reported("that the first folder wins", "https://github.com/wookat/agentmove/releases/tag/v0.98.0"),
        reported("context", RULESYNC),
    ],
    ..ToolRow::EMPTY
};

pub(super) const AUGMENT: ToolRow = ToolRow {
    id: "augment",
    name: "Augment",
    skills: skills(".augment/skills", Some(".augment/skills"), &[SHARED_MIRROR, ".claude/skills"]),
    context: &[text("AGENTS.md")],
    also_reads: &[".augment/rules"],
    traces: &[".augment", ".augment-guidelines"],
    evidence: &[
        verified("skill folders", "https://docs.augmentcode.com/cli/skills.md", None),
        reported("context", "https://docs.augmentcode.com/cli/rules, as quoted by others"),
    ],
    ..ToolRow::EMPTY
};

pub(super) const ROVO_DEV: ToolRow = ToolRow {
    id: "rovodev",
    name: "Rovo Dev",
    skills: SkillPaths {
        same_name: Some(NameConflict::TakesUsers),
        ..skills(".rovodev/skills", Some(".rovodev/skills"), &[SHARED_MIRROR])
    },
    context: &[text("AGENTS.md")],
    traces: &[".rovodev"],
    evidence: &[
        verified(
            "skill folders, same names",
            "https://support.atlassian.com/rovo/docs/extend-rovo-dev-cli-with-agent-skills",
            None,
        ),
        reported("context", RULESYNC),
    ],
    ..ToolRow::EMPTY
};

pub(super) const TRAE: ToolRow = ToolRow {
    id: "trae",
    name: "Trae",
    skills: skills(".trae/skills", Some(".trae/skills"), &[]),
    context: &[text("AGENTS.md")],
    also_reads: &[".trae/rules"],
    traces: &[".trae"],
    evidence: &[
        reported("skill folders", SKILLS_CLI),
        reported(
            "rules; whether it reads `AGENTS.md` is not confirmed",
            "https://skills.sh/boshi-xixixi/traeskill/trae-project-setup",
        ),
    ],
    ..ToolRow::EMPTY
};

pub(super) const CRUSH: ToolRow = ToolRow {
    id: "crush",
    name: "Crush",
    skills: skills(".crush/skills", Some(".config/crush/skills"), &[]),
    context: &[text("AGENTS.md")],
    also_reads: &[
        "CRUSH.md",
        "CLAUDE.md",
        "CLAUDE.local.md",
        "GEMINI.md",
        ".cursorrules",
        ".cursor/rules",
        ".github/copilot-instructions.md",
    ],
    traces: &[".crush", "CRUSH.md", "crush.json", ".crush.json"],
    evidence: &[
        reported("skill folders", SKILLS_CLI),
        verified("context", "https://github.com/charmbracelet/crush internal/config/config.go at `003f5dbf`", None),
    ],
    ..ToolRow::EMPTY
};
