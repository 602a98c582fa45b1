//! The files of a new canon, from `crates/app/scaffold`.

use super::CanonPart;
use canonry_model::canon::FileMode;
use canonry_model::canon::memory_file;
use canonry_model::canon::schema::SchemaKind;

/// The role of a scaffold file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaffoldRole {
    /// `AGENTS.md`
    AgentsMd,
    /// `canonry.yaml`
    Config,
    /// A file of the skill with this name.
    Skill(&'static str),
    /// The team's own schema, which applies in addition to the built-in one.
    Schema(SchemaKind),
    /// A policy, a protocol or a memory page.
    Document,
}

pub(super) struct ScaffoldFile {
    /// The path below the root of the canon.
    pub path: &'static str,
    pub text: &'static str,
    pub mode: FileMode,
    pub part: CanonPart,
    pub role: ScaffoldRole,
}

macro_rules! file {
    ($part:ident, $role:expr, $path:literal) => {
        ScaffoldFile {
            path: $path,
            text: include_str!(concat!("../../scaffold/", $path)),
            mode: FileMode::File,
            part: CanonPart::$part,
            role: $role,
        }
    };
}

macro_rules! skill {
    ($part:ident, $name:literal) => {
        skill!($part, $name, "SKILL.md", FileMode::File)
    };
    ($part:ident, $name:literal, $file:literal, $mode:expr) => {
        ScaffoldFile {
            path: concat!("skills/", $name, "/", $file),
            text: include_str!(concat!("../../scaffold/skills/", $name, "/", $file)),
            mode: $mode,
            part: CanonPart::$part,
            role: ScaffoldRole::Skill($name),
        }
    };
}

/// Returns a file whose initial text is also used elsewhere.
const fn memory(path: &'static str, text: &'static str) -> ScaffoldFile {
    ScaffoldFile { path, text, mode: FileMode::File, part: CanonPart::Memory, role: ScaffoldRole::Document }
}

pub(super) const FILES: [ScaffoldFile; 29] = [
    file!(Instructions, ScaffoldRole::AgentsMd, "AGENTS.md"),
    file!(Skills, ScaffoldRole::Config, "canonry.yaml"),
    skill!(Workflow, "intake"),
    skill!(Workflow, "plan"),
    skill!(Workflow, "plan", "references/example.yaml", FileMode::File),
    skill!(Workflow, "execute"),
    skill!(Workflow, "verify"),
    skill!(Workflow, "verify", "scripts/run-tests.sh", FileMode::Executable),
    skill!(Workflow, "report"),
    skill!(Workflow, "review"),
    skill!(Workflow, "review", "references/checklist.md", FileMode::File),
    skill!(Workflow, "security"),
    skill!(Workflow, "security", "references/attacks.md", FileMode::File),
    skill!(Memory, "memory-manager"),
    skill!(Memory, "skillforge"),
    file!(Workflow, ScaffoldRole::Document, "policies/WORKFLOW.md"),
    file!(Hooks, ScaffoldRole::Document, "protocols/permissions.md"),
    file!(Workflow, ScaffoldRole::Document, "protocols/delegation.md"),
    file!(Hooks, ScaffoldRole::Document, "protocols/tool_schemas/git_push.schema.json"),
    file!(Workflow, ScaffoldRole::Schema(SchemaKind::Plan), "schemas/plan-schema.json"),
    file!(Workflow, ScaffoldRole::Schema(SchemaKind::Report), "schemas/report-schema.json"),
    memory("memory/working/WORKSPACE.md", memory_file::WORKSPACE),
    memory("memory/working/ACTIVE_PLAN.md", memory_file::ACTIVE_PLAN),
    file!(Memory, ScaffoldRole::Document, "memory/episodic/AGENT_LEARNINGS.jsonl"),
    file!(Memory, ScaffoldRole::Document, "memory/episodic/snapshots/.gitkeep"),
    memory("memory/semantic/LESSONS.md", memory_file::LESSONS),
    file!(Memory, ScaffoldRole::Document, "memory/semantic/DECISIONS.md"),
    file!(Memory, ScaffoldRole::Document, "memory/semantic/DOMAIN_KNOWLEDGE.md"),
    memory("memory/personal/PREFERENCES.md", memory_file::PREFERENCES),
];

/// The config line with the default targets.
pub(super) const DEFAULT_TARGETS: &str = "# targets: [claude, gemini, cursor, codex, antigravity]\n";

/// The config line without switches.
pub const NO_FILES: &str = "# files: {}\n";
