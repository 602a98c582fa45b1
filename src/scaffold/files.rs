//! The files that a canon begins with: those of `fixtures/scaffold`, at the same places below the canon's root.

use crate::canon::memory_file;
use crate::canon::schema::SchemaKind;

/// What a file of the scaffold is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaffoldPart {
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
pub(super) struct ScaffoldFile {
    /// Where, below the canon's root.
    pub path: &'static str,
    /// What it holds.
    pub text: &'static str,
    /// What it is a part of.
    pub part: ScaffoldPart,
}

macro_rules! file {
    ($part:expr, $path:literal) => {
        ScaffoldFile { path: $path, text: include_str!(concat!("../../fixtures/scaffold/", $path)), part: $part }
    };
}

macro_rules! skill {
    ($name:literal) => {
        ScaffoldFile {
            path: concat!("skills/", $name, "/SKILL.md"),
            text: include_str!(concat!("../../fixtures/scaffold/skills/", $name, "/SKILL.md")),
            part: ScaffoldPart::Skill($name),
        }
    };
}

/// A file whose first form the dream needs too.
const fn template(path: &'static str, text: &'static str) -> ScaffoldFile {
    ScaffoldFile { path, text, part: ScaffoldPart::Page }
}

/// All of them.
pub(super) const FILES: [ScaffoldFile; 26] = [
    file!(ScaffoldPart::Map, "AGENTS.md"),
    file!(ScaffoldPart::Config, "canonry.yaml"),
    skill!("intake"),
    skill!("plan"),
    skill!("execute"),
    skill!("verify"),
    skill!("report"),
    skill!("review"),
    skill!("security"),
    file!(ScaffoldPart::Page, "policies/WORKFLOW.md"),
    file!(ScaffoldPart::Page, "protocols/permissions.md"),
    file!(ScaffoldPart::Page, "protocols/delegation.md"),
    file!(ScaffoldPart::Page, "protocols/tool_schemas/git_push.schema.json"),
    file!(ScaffoldPart::Schema(SchemaKind::Plan), "schemas/plan-schema.json"),
    file!(ScaffoldPart::Schema(SchemaKind::Report), "schemas/report-schema.json"),
    template("memory/working/WORKSPACE.md", memory_file::WORKSPACE),
    template("memory/working/ACTIVE_PLAN.md", memory_file::ACTIVE_PLAN),
    file!(ScaffoldPart::Page, "memory/episodic/AGENT_LEARNINGS.jsonl"),
    file!(ScaffoldPart::Page, "memory/episodic/snapshots/.gitkeep"),
    template("memory/semantic/LESSONS.md", memory_file::LESSONS),
    file!(ScaffoldPart::Page, "memory/semantic/DECISIONS.md"),
    file!(ScaffoldPart::Page, "memory/semantic/DOMAIN_KNOWLEDGE.md"),
    file!(ScaffoldPart::Page, "memory/personal/PREFERENCES.md"),
    file!(ScaffoldPart::Example, "plans/example/intake.md"),
    file!(ScaffoldPart::Example, "plans/example/plan.yaml"),
    file!(ScaffoldPart::Example, "reports/example/scaffold-canon.1.json"),
];

/// The map of a canon that is only mirrored.
pub(super) const SMALL_MAP: &str = include_str!("../../fixtures/scaffold-minimal/AGENTS.md");

/// The line of the config that says the default targets.
pub(super) const DEFAULT_TARGETS: &str = "# targets: [claude, gemini, cursor, codex, antigravity]\n";
