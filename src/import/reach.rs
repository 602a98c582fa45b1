//! The tools that an origin wrote for.

use crate::config::Target;
use std::collections::{BTreeMap, BTreeSet};

/// The tools that the origin wrote for.
#[derive(Default)]
pub(super) struct Reach {
    /// The folders of skills that it wrote.
    pub skills: BTreeSet<Target>,
    /// The tools it wrote anything else for.
    pub tools: BTreeSet<Target>,
    /// What each tool had, by the switch for it; nothing where all of them had all.
    pub had: BTreeSet<(Target, &'static str)>,
    /// Skills that were for some tools only.
    pub narrow: BTreeMap<String, Vec<Target>>,
    /// Whether it wrote the files that tools read at the start, so that they are canonry's from now on.
    pub context: bool,
}

impl Reach {
    /// A tool that got everything.
    pub fn add(&mut self, tool: Target, skills: Target) {
        self.tools.insert(tool);
        self.skills.insert(skills);
    }

    /// A tool that had something of a kind.
    pub fn had(&mut self, tool: Target, switch: &'static str) {
        self.tools.insert(tool);
        self.had.insert((tool, switch));
    }

    /// `.agents/skills` reaches every tool but Claude Code, and no tool should see a skill twice.
    pub fn targets(&self) -> Vec<Target> {
        if !self.skills.contains(&Target::Agents) {
            return self.skills.iter().copied().collect();
        }
        self.skills.iter().copied().filter(|target| matches!(target, Target::Claude | Target::Agents)).collect()
    }
}
