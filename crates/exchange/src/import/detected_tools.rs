//! The tools that a source configures.

use canonry_model::config::{SHARED_MIRROR, TOOLS, Target, ToolRow};
use std::collections::{BTreeMap, BTreeSet};

/// The tools that a source configures.
#[derive(Default)]
pub(super) struct DetectedTools {
    /// The targets that get skills.
    pub skills: BTreeSet<Target>,
    /// The tools that the source writes every kind of file for, by the ids of their rows.
    pub tools: BTreeSet<&'static str>,
    /// Switches of single tools, for files that only these tools have.
    pub single: BTreeSet<(&'static str, &'static str)>,
    /// The switches that the source turns off.
    pub excluded: BTreeSet<(&'static str, &'static str)>,
    /// The targets whose skills have an overlay.
    pub overlays: BTreeSet<Target>,
    /// Skills for a subset of the tools.
    pub narrow_skills: BTreeMap<String, Vec<Target>>,
    /// Whether the source generates the context files, so that canonry generates them from now on.
    pub has_context: bool,
    /// Whether AGENTS.md is the canon's, so that canonry generates it from now on.
    pub owns_agents_md: bool,
}

impl DetectedTools {
    /// Adds a tool with every kind of file, and the target of its skills.
    pub fn add(&mut self, tool: &NamedTool) {
        self.tools.extend(tool.row.map(|row| row.id));
        self.skills.insert(tool.skills);
    }

    /// The targets of skills. Most tools read `.agents/skills`, and no tool should see a skill twice.
    pub fn targets(&self) -> Vec<Target> {
        if !self.skills.contains(&Target::AGENTS) {
            return self.skills.iter().copied().collect();
        }
        let is_target = |target: &Target| {
            let reads_shared = target.row().is_some_and(reads_shared_skills);
            *target == Target::AGENTS || !reads_shared || self.overlays.contains(target)
        };
        self.skills.iter().copied().filter(is_target).collect()
    }
}

/// A tool by the name that another program has for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedTool {
    /// The row of the table; `None` for all tools that read the shared files.
    pub row: Option<&'static ToolRow>,
    pub tool: Target,
    /// The target of its skills.
    pub skills: Target,
}

impl NamedTool {
    pub const SHARED: Self = Self { row: None, tool: Target::AGENTS, skills: Target::AGENTS };

    /// The row whose id the name begins with, such as `claudecode`, `qwencode`, `rovodev` or `gemini-cli`.
    pub fn find(name: &str) -> Option<Self> {
        let name = name.replace('-', "");
        let begins = |row: &&ToolRow| name.starts_with(&row.id.replace('-', ""));
        let rows = TOOLS.iter().filter(|row| row.id != Target::AGENTS.name()).filter(begins);
        rows.max_by_key(|row| row.id.len()).map(Self::of_row)
    }

    pub fn of_row(row: &'static ToolRow) -> Self {
        let target = Target::ALL.into_iter().find(|target| target.name() == row.id);
        let tool = target.unwrap_or(Target::AGENTS);
        // The other tools of the default have folders of their own for skills that only they get.
        let is_shared = tool == Target::CODEX || !Target::DEFAULT.contains(&tool) && reads_shared_skills(row);
        Self { row: Some(row), tool, skills: if is_shared { Target::AGENTS } else { tool } }
    }

    /// The section of the canon's servers for the tool; `None` if it has no file of servers.
    pub fn servers_key(&self) -> Option<&'static str> {
        self.row.filter(|row| row.mcp.is_some()).map(|row| row.id)
    }

    /// Whether its rules can be in AGENTS.md.
    pub fn reads_shared_rules(&self) -> bool {
        self.tool == Target::AGENTS || Target::DEFAULT.contains(&self.tool)
    }
}

fn reads_shared_skills(row: &ToolRow) -> bool {
    row.skill_folders().any(|folder| folder == SHARED_MIRROR)
}
