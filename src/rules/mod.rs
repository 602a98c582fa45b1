//! Floor 4: every rule.
//!
//! A rule is one file in its family's folder: a `static RULE`, its check function, and its page beside it. To add one,
//! write the file, the page and its fixtures, and name it in the family's table.

pub mod allowance;
pub mod context;
pub mod facts;
pub mod files;
mod fixes;
pub mod memory;
pub mod mirror;
mod missing;
pub mod plan;
pub mod policy;
pub mod protocol;
pub mod repo;
pub mod report;
mod resolve;
mod rule;
pub mod schema;
mod scripts;
pub mod security;
pub mod skill;
mod triggers;
pub mod violations;
pub mod workflow;

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
use crate::finding::RawFinding;
use facts::{RepoContext, Setting};
pub use resolve::{Extent, ResolvedFindings, SeverityPolicy, resolve};
pub use rule::{Check, Defaults, Profile, RawFindings, Rule};

/// The families' tables, in the order in which they are listed.
pub static FAMILIES: [(&str, &[&Rule]); 14] = [
    ("skill", skill::RULES),
    ("files", files::RULES),
    ("security", security::RULES),
    ("plan", plan::RULES),
    ("workflow", workflow::RULES),
    ("report", report::RULES),
    ("memory", memory::RULES),
    ("context", context::RULES),
    ("protocol", protocol::RULES),
    ("policy", policy::RULES),
    ("schema", schema::RULES),
    ("repo", repo::RULES),
    ("mirror", mirror::RULES),
    ("allowance", allowance::RULES),
];

/// Every rule.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|(_, rules)| rules.iter().copied())
}

/// The rule of an id.
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

/// Everything the rules say of one skill, whatever is configured.
pub fn check_skill(skill: &Skill) -> Vec<(&'static str, RawFinding)> {
    check_skill_with(skill, &Setting::default())
}

/// Everything the rules say of one skill where something is configured.
pub fn check_skill_with(skill: &Skill, setting: &Setting) -> Vec<(&'static str, RawFinding)> {
    judge(|check, drafts| match check {
        Check::Skill(check) => check(skill, drafts),
        Check::SkillIn(check) => check(skill, setting, drafts),
        _ => {}
    })
}

/// Everything the rules say of one plan.
pub fn check_plan(plan: &Plan) -> Vec<(&'static str, RawFinding)> {
    judge(|check, drafts| {
        if let Check::Plan(check) = check {
            check(plan, drafts);
        }
    })
}

/// Everything the rules say of one workflow.
pub fn check_workflow(workflow: &Workflow) -> Vec<(&'static str, RawFinding)> {
    judge(|check, drafts| {
        if let Check::Workflow(check) = check {
            check(workflow, drafts);
            workflow::shorten(drafts);
        }
    })
}

/// Everything the rules say of one report.
pub fn check_report(report: &Report) -> Vec<(&'static str, RawFinding)> {
    judge(|check, drafts| {
        if let Check::Report(check) = check {
            check(report, drafts);
        }
    })
}

/// Everything the rules say of one episodic log.
pub fn check_log(log: &EpisodeLog) -> Vec<(&'static str, RawFinding)> {
    judge(|check, drafts| {
        if let Check::Log(check) = check {
            check(log, drafts);
        }
    })
}

/// Everything the rules say of one Markdown file of the memory.
pub fn check_memory(file: &MemoryFile) -> Vec<(&'static str, RawFinding)> {
    judge(|check, drafts| {
        if let Check::Memory(check) = check {
            check(file, drafts);
        }
    })
}

/// Everything the rules say of one policy, protocol or template.
pub fn check_page(page: &Page) -> Vec<(&'static str, RawFinding)> {
    judge(|check, drafts| {
        if let Check::Page(check) = check {
            check(page, drafts);
        }
    })
}

/// Everything the rules say of one schema of a tool.
pub fn check_tool_schema(schema: &ToolSchema) -> Vec<(&'static str, RawFinding)> {
    judge(|check, drafts| {
        if let Check::ToolSchema(check) = check {
            check(schema, drafts);
        }
    })
}

/// Everything the rules say of one context file.
pub fn check_context(file: &ContextFile) -> Vec<(&'static str, RawFinding)> {
    judge(|check, drafts| {
        if let Check::Context(check) = check {
            check(file, drafts);
        }
    })
}

/// Everything the rules say of one schema file.
pub fn check_schema_file(file: &SchemaFile) -> Vec<(&'static str, RawFinding)> {
    judge(|check, drafts| {
        if let Check::SchemaFile(check) = check {
            check(file, drafts);
        }
    })
}

/// Everything the rules say of one comment that allows something.
pub fn check_allowance(allowance: &Suppression) -> Vec<(&'static str, RawFinding)> {
    judge(|check, drafts| {
        if let Check::Suppression(check) = check {
            check(allowance, drafts);
        }
    })
}

/// Everything the rules say of a repository as a whole.
pub fn check_repo(facts: &RepoContext) -> Vec<(&'static str, RawFinding)> {
    judge(|check, drafts| {
        if let Check::Repo(check) = check {
            check(facts, drafts);
        }
    })
}

fn judge(run: impl Fn(&Check, &mut RawFindings)) -> Vec<(&'static str, RawFinding)> {
    let mut found = Vec::new();
    let mut drafts = RawFindings::new();
    for rule in all() {
        run(&rule.check, &mut drafts);
        found.extend(drafts.drain(..).map(|draft| (rule.id, draft)));
    }
    found
}
