//! The tools that a source configures.

use canonry_model::config::{SHARED_MIRROR, TOOLS, Target, ToolRow};
use std::collections::{BTreeMap, BTreeSet};

/// The tools that a source configures.
#[derive(Default)]
pub(super) struct DetectedTools {
    /// The targets that get skills.
    pub skills: BTreeSet<Target>,
    /// The tools that get any other file.
    pub tools: BTreeSet<Target>,
    /// The config switches of the files that each tool has; empty if every tool has all of them.
    pub switches: BTreeSet<(Target, &'static str)>,
    /// Switches of single tools, by their names in the config, for files that only these tools have.
    pub single: BTreeSet<(&'static str, &'static str)>,
    /// The switches that the source turns off.
    pub excluded: BTreeSet<(Target, &'static str)>,
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
    pub fn add(&mut self, tool: Target, skills: Target) {
        self.tools.insert(tool);
        self.skills.insert(skills);
    }

    /// Adds one kind of file of a tool.
    pub fn add_switch(&mut self, tool: Target, switch: &'static str) {
        self.tools.insert(tool);
        self.switches.insert((tool, switch));
    }

    /// Whether the source turns a switch of a tool off.
    pub fn excludes(&self, tool: Target, switch: &'static str) -> bool {
        self.excluded.contains(&(tool, switch))
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

    /// The row whose id the name begins with, such as `claudecode`, `qwencode` or `gemini-cli`.
    pub fn find(name: &str) -> Option<Self> {
        let rows = TOOLS.iter().filter(|row| row.id != Target::AGENTS.name() && name.starts_with(row.id));
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

    /// Whether the config has all switches of the tool, and not only those of its row.
    pub fn has_all_switches(&self) -> bool {
        self.tool == Target::AGENTS || Target::DEFAULT.contains(&self.tool)
    }
}

fn reads_shared_skills(row: &ToolRow) -> bool {
    row.skill_folders().any(|folder| folder == SHARED_MIRROR)
}
