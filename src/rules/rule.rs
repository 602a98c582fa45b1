//! What a rule is.

use super::facts::{RepoContext, Setting};
use crate::canon::context_file::ContextFile;
use crate::canon::log::EpisodeLog;
use crate::canon::memory_file::MemoryFile;
use crate::canon::page::Page;
use crate::canon::plan::Plan;
use crate::canon::report::Report;
use crate::canon::schema_file::SchemaFile;
use crate::canon::skill::Skill;
use crate::canon::suppression::Suppression;
use crate::canon::tool_schema::ToolSchema;
use crate::canon::workflow::Workflow;
use crate::finding::{RawFinding, Severity};

/// What check functions add to.
pub type RawFindings = Vec<RawFinding>;

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// Kebab-case name of the defect; reads well behind "allow".
    pub id: &'static str,
    /// One line: what it finds.
    pub summary: &'static str,
    /// How much its findings matter by default.
    pub severity: Defaults,
    /// Its page, Markdown.
    pub docs: &'static str,
    /// What it looks at, and the function that looks.
    pub check: Check,
}

/// Default severity by profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defaults {
    /// In the `team` profile: pragmatic.
    pub team: Severity,
    /// In the `spec` profile: the specification to the letter, and nothing outside it above a warning.
    pub spec: Severity,
}

impl Defaults {
    /// The same in both profiles.
    pub const fn both(severity: Severity) -> Self {
        Self { team: severity, spec: severity }
    }
}

/// Which defaults apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Profile {
    /// Pragmatic.
    #[default]
    Team,
    /// The specification to the letter, for skills that are to be published.
    Spec,
}

/// What a rule looks at.
#[derive(Debug)]
pub enum Check {
    /// One skill with the list of its files.
    Skill(fn(&Skill, &mut RawFindings)),
    /// One skill, and what is configured.
    SkillIn(fn(&Skill, &Setting, &mut RawFindings)),
    /// One plan.
    Plan(fn(&Plan, &mut RawFindings)),
    /// One workflow.
    Workflow(fn(&Workflow, &mut RawFindings)),
    /// One report on a step.
    Report(fn(&Report, &mut RawFindings)),
    /// One episodic log.
    Log(fn(&EpisodeLog, &mut RawFindings)),
    /// One Markdown file of the memory.
    Memory(fn(&MemoryFile, &mut RawFindings)),
    /// One policy, protocol or template.
    Page(fn(&Page, &mut RawFindings)),
    /// One schema of a tool.
    ToolSchema(fn(&ToolSchema, &mut RawFindings)),
    /// One context file of a tool.
    Context(fn(&ContextFile, &mut RawFindings)),
    /// One of the team's schema files.
    SchemaFile(fn(&SchemaFile, &mut RawFindings)),
    /// One comment that allows something, once it is known what came of it.
    Suppression(fn(&Suppression, &mut RawFindings)),
    /// The repository as a whole.
    Repo(fn(&RepoContext, &mut RawFindings)),
}

impl Rule {
    /// The default severity under a profile.
    pub fn default_severity(&self, profile: Profile) -> Severity {
        match profile {
            Profile::Team => self.severity.team,
            Profile::Spec => self.severity.spec,
        }
    }
}
