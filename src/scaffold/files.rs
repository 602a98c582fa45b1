//! The files that a canon begins with: those of `fixtures/scaffold`, at the same places below the canon's root.

use crate::canon::schema::SchemaKind;
use crate::canon::templates;

/// What a file of the scaffold is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// `AGENTS.md`
    Map,
    /// `canonry.yaml`
    Config,
    /// A skill, by its name.
    Skill(&'static str),
    /// The team's copy of a schema.
    Schema(SchemaKind),
    /// The example of a plan with its report.
    Example,
    /// A policy, a protocol or a page of the memory.
    Page,
}

/// One file.
pub(super) struct File {
    /// Where, below the canon's root.
    pub path: &'static str,
    /// What it holds.
    pub text: &'static str,
    /// What it is a part of.
    pub part: Part,
}

macro_rules! file {
    ($part:expr, $path:literal) => {
        File { path: $path, text: include_str!(concat!("../../fixtures/scaffold/", $path)), part: $part }
    };
}

macro_rules! skill {
    ($name:literal) => {
        File {
            path: concat!("skills/", $name, "/SKILL.md"),
            text: include_str!(concat!("../../fixtures/scaffold/skills/", $name, "/SKILL.md")),
            part: Part::Skill($name),
        }
    };
}

/// A file whose first form the dream needs too.
const fn template(path: &'static str, text: &'static str) -> File {
    File { path, text, part: Part::Page }
}

/// All of them.
pub(super) const FILES: [File; 26] = [
    file!(Part::Map, "AGENTS.md"),
    file!(Part::Config, "canonry.yaml"),
    skill!("intake"),
    skill!("plan"),
    skill!("execute"),
    skill!("verify"),
    skill!("report"),
    skill!("review"),
    skill!("security"),
    file!(Part::Page, "policies/WORKFLOW.md"),
    file!(Part::Page, "protocols/permissions.md"),
    file!(Part::Page, "protocols/delegation.md"),
    file!(Part::Page, "protocols/tool_schemas/git_push.schema.json"),
    file!(Part::Schema(SchemaKind::Plan), "schemas/plan-schema.json"),
    file!(Part::Schema(SchemaKind::Report), "schemas/report-schema.json"),
    template("memory/working/WORKSPACE.md", templates::WORKSPACE),
    template("memory/working/ACTIVE_PLAN.md", templates::ACTIVE_PLAN),
    file!(Part::Page, "memory/episodic/AGENT_LEARNINGS.jsonl"),
    file!(Part::Page, "memory/episodic/snapshots/.gitkeep"),
    template("memory/semantic/LESSONS.md", templates::LESSONS),
    file!(Part::Page, "memory/semantic/DECISIONS.md"),
    file!(Part::Page, "memory/semantic/DOMAIN_KNOWLEDGE.md"),
    file!(Part::Page, "memory/personal/PREFERENCES.md"),
    file!(Part::Example, "plans/example/intake.md"),
    file!(Part::Example, "plans/example/plan.yaml"),
    file!(Part::Example, "reports/example/scaffold-canon.1.json"),
];

/// The map of a canon that is only mirrored.
pub(super) const SMALL_MAP: &str = include_str!("../../fixtures/scaffold-minimal/AGENTS.md");

/// The line of the config that says the default targets.
pub(super) const DEFAULT_TARGETS: &str = "# targets: [claude, gemini, cursor, codex, antigravity]\n";
