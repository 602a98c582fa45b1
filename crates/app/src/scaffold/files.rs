//! The files of a new canon, from `crates/app/scaffold`.

use canonry_model::canon::FileMode;
use canonry_model::canon::memory_file;
use canonry_model::canon::schema::SchemaKind;
use canonry_model::config::modeline::CONFIG_SCHEMA;

/// The role of a scaffold file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaffoldPart {
    /// `AGENTS.md`
    AgentsMd,
    /// `canonry.yaml`
    Config,
    /// A file of the skill with this name.
    Skill(&'static str),
    /// The team's own schema, which applies in addition to the built-in one.
    Schema(SchemaKind),
    /// The schema of the config, for editors.
    ConfigSchema,
    /// The example plan with its report.
    Example,
    /// A policy, a protocol or a memory page.
    Document,
}

pub(super) struct ScaffoldFile {
    /// The path below the root of the canon.
    pub path: &'static str,
    pub text: &'static str,
    pub mode: FileMode,
    pub part: ScaffoldPart,
}

macro_rules! file {
    ($part:expr, $path:literal) => {
        ScaffoldFile {
            path: $path,
            text: include_str!(concat!("../../scaffold/", $path)),
            mode: FileMode::File,
            part: $part,
        }
    };
}

macro_rules! skill {
    ($name:literal) => {
        skill!($name, "SKILL.md", FileMode::File)
    };
    ($name:literal, $file:literal, $mode:expr) => {
        ScaffoldFile {
            path: concat!("skills/", $name, "/", $file),
            text: include_str!(concat!("../../scaffold/skills/", $name, "/", $file)),
            mode: $mode,
            part: ScaffoldPart::Skill($name),
        }
    };
}

/// Returns a file whose initial text is also used elsewhere.
const fn template(path: &'static str, text: &'static str) -> ScaffoldFile {
    ScaffoldFile { path, text, mode: FileMode::File, part: ScaffoldPart::Document }
}

pub(super) const FILES: [ScaffoldFile; 32] = [
    file!(ScaffoldPart::AgentsMd, "AGENTS.md"),
    file!(ScaffoldPart::Config, "canonry.yaml"),
    skill!("intake"),
    skill!("plan"),
    skill!("execute"),
    skill!("verify"),
    skill!("verify", "scripts/run-tests.sh", FileMode::Executable),
    skill!("report"),
    skill!("review"),
    skill!("review", "references/checklist.md", FileMode::File),
    skill!("security"),
    skill!("security", "references/attacks.md", FileMode::File),
    skill!("memory-manager"),
    skill!("skillforge"),
    file!(ScaffoldPart::Document, "policies/WORKFLOW.md"),
    file!(ScaffoldPart::Document, "protocols/permissions.md"),
    file!(ScaffoldPart::Document, "protocols/delegation.md"),
    file!(ScaffoldPart::Document, "protocols/tool_schemas/git_push.schema.json"),
    file!(ScaffoldPart::Schema(SchemaKind::Plan), "schemas/plan-schema.json"),
    file!(ScaffoldPart::Schema(SchemaKind::Report), "schemas/report-schema.json"),
    ScaffoldFile {
        path: CONFIG_SCHEMA,
        text: SchemaKind::Config.built_in_text(),
        mode: FileMode::File,
        part: ScaffoldPart::ConfigSchema,
    },
    template("memory/working/WORKSPACE.md", memory_file::WORKSPACE),
    template("memory/working/ACTIVE_PLAN.md", memory_file::ACTIVE_PLAN),
    file!(ScaffoldPart::Document, "memory/episodic/AGENT_LEARNINGS.jsonl"),
    file!(ScaffoldPart::Document, "memory/episodic/snapshots/.gitkeep"),
    template("memory/semantic/LESSONS.md", memory_file::LESSONS),
    file!(ScaffoldPart::Document, "memory/semantic/DECISIONS.md"),
    file!(ScaffoldPart::Document, "memory/semantic/DOMAIN_KNOWLEDGE.md"),
    template("memory/personal/PREFERENCES.md", memory_file::PREFERENCES),
    file!(ScaffoldPart::Example, "plans/example/intake.md"),
    file!(ScaffoldPart::Example, "plans/example/plan.yaml"),
    file!(ScaffoldPart::Example, "reports/example/scaffold-canon.1.json"),
];

/// The `AGENTS.md` of a minimal canon.
pub(super) const MINIMAL_AGENTS_MD: &str = include_str!("../../scaffold/AGENTS.minimal.md");

/// The config line with the default targets.
pub(super) const DEFAULT_TARGETS: &str = "# targets: [claude, gemini, cursor, codex, antigravity]\n";

/// The config line without switches.
pub(super) const NO_FILES: &str = "# files: {}\n";
