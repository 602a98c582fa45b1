//! What a rule is.

use super::facts::{Facts, Setting};
use crate::canon::allowance::Allowance;
use crate::canon::context_file::ContextFile;
use crate::canon::log::EpisodeLog;
use crate::canon::memory_file::MemoryFile;
use crate::canon::page::Page;
use crate::canon::plan::Plan;
use crate::canon::report::Report;
use crate::canon::schema_file::SchemaFile;
use crate::canon::skill::Skill;
use crate::canon::tool_schema::ToolSchema;
use crate::canon::workflow::Workflow;
use crate::finding::{Draft, Severity};

/// What check functions add to.
pub type Drafts = Vec<Draft>;

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
    Skill(fn(&Skill, &mut Drafts)),
    /// One skill, and what is configured.
    SkillIn(fn(&Skill, &Setting, &mut Drafts)),
    /// One plan.
    Plan(fn(&Plan, &mut Drafts)),
    /// One workflow.
    Workflow(fn(&Workflow, &mut Drafts)),
    /// One report on a step.
    Report(fn(&Report, &mut Drafts)),
    /// One episodic log.
    Log(fn(&EpisodeLog, &mut Drafts)),
    /// One Markdown file of the memory.
    Memory(fn(&MemoryFile, &mut Drafts)),
    /// One policy, protocol or template.
    Page(fn(&Page, &mut Drafts)),
    /// One schema of a tool.
    ToolSchema(fn(&ToolSchema, &mut Drafts)),
    /// One context file of a tool.
    Context(fn(&ContextFile, &mut Drafts)),
    /// One of the team's schema files.
    SchemaFile(fn(&SchemaFile, &mut Drafts)),
    /// One comment that allows something, once it is known what came of it.
    Allowance(fn(&Allowance, &mut Drafts)),
    /// The repository as a whole.
    Repo(fn(&Facts, &mut Drafts)),
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
