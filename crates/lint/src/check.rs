//! The kinds of documents that rules check.

use super::files::SkillLinks;
use super::repo_facts::{RepoFacts, SkillConfig};
use super::{Finding, limit};
use canonry_model::canon::agent_text::AgentText;
use canonry_model::canon::benchmark::Benchmark;
use canonry_model::canon::context_file::ContextFile;
use canonry_model::canon::log::EpisodeLog;
use canonry_model::canon::memory_file::MemoryFile;
use canonry_model::canon::owners::{Owners, OwnersFile};
use canonry_model::canon::page::Page;
use canonry_model::canon::phase_artifact::PhaseArtifact;
use canonry_model::canon::plan::Plan;
use canonry_model::canon::report::Report;
use canonry_model::canon::review_log::ReviewLog;
use canonry_model::canon::schema::SchemaFile;
use canonry_model::canon::skill::Skill;
use canonry_model::canon::suppression::Suppression;
use canonry_model::canon::task::TaskFile;
use canonry_model::canon::tool_file::ToolFile;
use canonry_model::canon::tool_schema::ToolSchema;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Defaults;
use canonry_text::RepoPath;

/// A document that rules check: a parsed file of the canon, or the repository as a whole.
pub trait Document {
    /// Calls the check function if it takes this kind of document.
    fn run(&self, check: &Check, findings: &mut Vec<Finding>);
}

/// A skill of the canon together with its configuration.
#[derive(Clone, Copy, Debug)]
pub struct ConfiguredSkill<'a> {
    /// The skill.
    pub skill: &'a Skill,
    /// The part of the config that applies to it.
    pub config: &'a SkillConfig,
}

/// A plan together with the owners of the canon.
#[derive(Clone, Copy, Debug)]
pub struct OwnedPlan<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The content of `owners.yaml`.
    pub owners: &'a Owners,
    /// The path of `owners.yaml`.
    pub owners_path: &'a RepoPath,
}

/// Declares [`Check`] and implements [`Document`] for each kind. `limit` names a function that shortens the findings of
/// one rule in one document.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident($document:ty) $(limit $limit:path)?,)*) => {
        /// The check function of a rule, by the kind of document it takes.
        #[derive(Debug)]
        pub enum Check {
            $($(#[$doc])* $kind(fn(&$document, &mut Vec<Finding>)),)*
            /// Several check functions.
            Each(&'static [Check]),
            /// A check function whose findings have another default severity than the rule.
            At(Defaults, &'static Check),
        }

        $(impl Document for $document {
            fn run(&self, check: &Check, findings: &mut Vec<Finding>) {
                if let Check::$kind(check) = check {
                    check(self, findings);
                    $($limit(findings);)?
                }
            }
        })*
    };
}

// A new kind of file needs its model in `canon`, a line here, and a family of rules.
kinds! {
    /// A skill with the list of its files.
    Skill(Skill),
    /// A skill of the canon, and what the config says about it.
    ConfiguredSkill(ConfiguredSkill<'_>),
    /// A skill with the links of its `SKILL.md`.
    SkillLinks(SkillLinks<'_>),
    /// A plan.
    Plan(Plan),
    /// A plan, and the owners of the canon.
    OwnedPlan(OwnedPlan<'_>),
    /// The owners of the canon.
    Owners(OwnersFile),
    /// A workflow.
    Workflow(Workflow) limit limit::limit_findings,
    /// An intake, a verification or a report of a plan.
    PhaseArtifact(PhaseArtifact),
    /// A report on a step of a plan.
    Report(Report),
    /// A task.
    Task(TaskFile),
    /// A benchmark.
    Benchmark(Benchmark),
    /// An episodic log.
    Log(EpisodeLog),
    /// The review queue of the memory.
    Review(ReviewLog),
    /// A Markdown file of the memory.
    Memory(MemoryFile),
    /// A policy, a protocol or a template.
    Page(Page),
    /// The schema of a tool, in `protocols/tool_schemas/`.
    ToolSchema(ToolSchema),
    /// A context file of a tool, such as `CLAUDE.md`.
    Context(ContextFile),
    /// A file that a tool reads besides skills and context files, such as `.mcp.json`.
    ToolFile(ToolFile),
    /// The text of a context file or tool file, whatever its format.
    AgentText(AgentText),
    /// One of the team's schema files.
    SchemaFile(SchemaFile),
    /// A suppression comment, after all findings it could suppress are known.
    Suppression(Suppression),
    /// The repository as a whole.
    Repo(RepoFacts<'_>),
}
