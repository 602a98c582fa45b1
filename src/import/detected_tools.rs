//! The tools that a source configures.

use crate::config::Target;
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

    /// The targets of skills. `.agents/skills` reaches every tool except Claude Code, and no tool should see a skill twice.
    pub fn targets(&self) -> Vec<Target> {
        if !self.skills.contains(&Target::AGENTS) {
            return self.skills.iter().copied().collect();
        }
        let is_target =
            |target: &Target| matches!(*target, Target::CLAUDE | Target::AGENTS) || self.overlays.contains(target);
        self.skills.iter().copied().filter(is_target).collect()
    }
}
