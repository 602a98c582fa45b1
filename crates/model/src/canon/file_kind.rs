//! The kinds of files that canonry checks one by one, each recognised by its path.
//!
//! A new kind needs a variant of [`FileKind`] and a row in [`KINDS`] here; the listing, the staged check and the
//! statistics follow from the table.

use super::context_file::ContextKind;
use super::tool_file::ToolFileKind;
use super::{FileMode, Layout, TreeEntry};
use canonry_text::RepoPath;

/// Kind of a file by its path alone. Skills are folders and not among the kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A schema of the team, `schemas/*.json` or `schemas/*.yaml`.
    Schema,
    Workflow,
    /// `intake.md`, `verification.md` or `report.md` of a plan.
    PhaseArtifact,
    /// A report on a plan step.
    Report,
    /// An episodic log.
    Log,
    /// The review queue of the memory.
    Review,
    /// A Markdown file of a memory layer.
    Memory,
    /// `protocols/tool_schemas/*.json` and `protocols/*.schema.json`
    ToolSchema,
    /// A policy, a rule with globs, a protocol or a workflow template.
    Page,
    /// A context file of a tool, such as `CLAUDE.md`.
    Context,
    /// `benchmarks/*.yaml`
    Benchmark,
    /// `tasks/<id>/task.yaml`
    Task,
    Plan,
    /// `owners.yaml`
    Owners,
    /// File that a tool reads besides skills and context files, such as `.mcp.json`.
    ToolFile,
}

impl FileKind {
    /// The number of kinds.
    pub const COUNT: usize = 15;

    /// Every kind.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|spec| spec.kind)
    }

    /// The kind of a file. Plans and logs are recognised by their name anywhere in the repository.
    pub fn from_path(path: &RepoPath, layout: &Layout) -> Option<Self> {
        CanonFolders::new(layout).kind(path)
    }

    fn spec(self) -> &'static KindSpec {
        &KINDS[self as usize]
    }

    /// Whether an entry of this kind is checked. Links count only for some kinds.
    pub(super) fn accepts(self, entry: &TreeEntry) -> bool {
        entry.mode.is_file() || (self.spec().links && entry.mode == FileMode::Link)
    }

    /// Whether a file of this kind inside a skill's folder is checked as this kind, and not only as part of the skill.
    pub(super) fn counts_in_skills(self) -> bool {
        self.spec().in_skills
    }
}

/// Recognition of the files of a kind.
struct KindSpec {
    kind: FileKind,
    matches: fn(&CanonFolders, &RepoPath) -> PathMatch,
    /// Whether a symbolic link is checked by the content of its target.
    links: bool,
    in_skills: bool,
}

enum PathMatch {
    Yes,
    No,
    /// The path belongs to the kind's folder, but is not checked as any kind.
    Ignored,
}

impl From<bool> for PathMatch {
    fn from(matches: bool) -> Self {
        if matches { Self::Yes } else { Self::No }
    }
}

const fn spec(kind: FileKind, matches: fn(&CanonFolders, &RepoPath) -> PathMatch) -> KindSpec {
    KindSpec { kind, matches, links: true, in_skills: true }
}

/// Every kind in the order of [`FileKind`]. The first row that matches a path decides.
static KINDS: [KindSpec; FileKind::COUNT] = [
    KindSpec {
        links: false,
        ..spec(FileKind::Schema, |folders, path| (is_data(path) && path.is_within(&folders.schemas)).into())
    },
    spec(FileKind::Workflow, |folders, path| is_workflow_within(path, &folders.workflows).into()),
    spec(FileKind::PhaseArtifact, |folders, path| folders.is_phase_artifact(path).into()),
    spec(FileKind::Report, |folders, path| {
        if !folders.reports.iter().any(|root| path.is_within(root)) {
            PathMatch::No
        } else if has_extension(path, ".json") {
            PathMatch::Yes
        } else {
            PathMatch::Ignored
        }
    }),
    spec(FileKind::Log, |folders, path| (path.file_name() == folders.log.file_name()).into()),
    spec(FileKind::Review, |folders, path| (*path == folders.review).into()),
    spec(FileKind::Memory, |folders, path| {
        (has_extension(path, ".md") && folders.memory_layers.iter().any(|layer| path.is_within(layer))).into()
    }),
    spec(FileKind::ToolSchema, |folders, path| {
        let is_beside =
            path.file_name().ends_with(b".schema.json") && path.parent().as_ref() == Some(&folders.protocols);
        (has_extension(path, ".json") && path.is_within(&folders.tool_schemas) || is_beside).into()
    }),
    spec(FileKind::Page, |folders, path| {
        (has_extension(path, ".md") && folders.pages.iter().any(|folder| path.is_within(folder))).into()
    }),
    KindSpec { in_skills: false, ..spec(FileKind::Context, |_, path| ContextKind::from_path(path).is_some().into()) },
    spec(FileKind::Benchmark, |folders, path| is_benchmark_within(path, &folders.benchmarks).into()),
    spec(FileKind::Task, |folders, path| is_task_within(path, &folders.tasks).into()),
    KindSpec {
        links: false,
        ..spec(FileKind::Plan, |folders, path| {
            let is_below = || is_data(path) && folders.plans.iter().any(|root| path.is_within(root));
            (!is_schema_name(path) && (is_plan(path) || is_below())).into()
        })
    },
    spec(FileKind::Owners, |folders, path| (*path == folders.owners).into()),
    KindSpec {
        in_skills: false,
        ..spec(FileKind::ToolFile, |_, path| ToolFileKind::candidates(path).next().is_some().into())
    },
];

/// The folders of a canon that decide the kind of a file, computed once for all its files.
pub(super) struct CanonFolders {
    workflows: RepoPath,
    schemas: RepoPath,
    plans: Vec<RepoPath>,
    reports: Vec<RepoPath>,
    benchmarks: RepoPath,
    tasks: RepoPath,
    memory_layers: [RepoPath; 4],
    log: RepoPath,
    review: RepoPath,
    protocols: RepoPath,
    tool_schemas: RepoPath,
    pages: [RepoPath; 5],
    owners: RepoPath,
}

impl CanonFolders {
    pub fn new(layout: &Layout) -> Self {
        Self {
            workflows: layout.workflows(),
            schemas: layout.schemas(),
            plans: layout.plan_roots().to_vec(),
            reports: layout.report_roots().to_vec(),
            benchmarks: layout.benchmarks(),
            tasks: layout.tasks(),
            memory_layers: layout.layers(),
            log: layout.log(),
            review: layout.review(),
            protocols: layout.protocols(),
            tool_schemas: layout.tool_schemas(),
            pages: [layout.policies(), layout.rules(), layout.protocols(), layout.templates(), layout.spec()],
            owners: layout.owners(),
        }
    }

    /// Whether a file is named like an artifact of a phase, and is in a folder of a plan or of its reports.
    fn is_phase_artifact(&self, path: &RepoPath) -> bool {
        let is_named = PHASE_ARTIFACTS.iter().any(|name| path.file_name() == *name);
        let root = || path.parent()?.parent();
        is_named && root().is_some_and(|root| self.plans.contains(&root) || self.reports.contains(&root))
    }

    pub fn kind(&self, path: &RepoPath) -> Option<FileKind> {
        for spec in &KINDS {
            match (spec.matches)(self, path) {
                PathMatch::Yes => return Some(spec.kind),
                PathMatch::Ignored => return None,
                PathMatch::No => {}
            }
        }
        None
    }
}

/// The files that the phases before and after the execution of a plan leave behind.
const PHASE_ARTIFACTS: [&str; 4] = ["intake.md", "verification.md", "verification.json", "report.md"];

/// Whether a file is YAML or JSON by its name.
pub fn is_data(path: &RepoPath) -> bool {
    is_yaml(path) || has_extension(path, ".json")
}

/// Whether a file is named like a schema: `plan-schema.json`, `plan.schema.yaml`.
fn is_schema_name(path: &RepoPath) -> bool {
    ["schema.json", "schema.yaml", "schema.yml"].iter().any(|end| path.file_name().ends_with(end.as_bytes()))
}

/// Whether a file is a plan by its name: `plan.yaml`, `plan-7.yml`, `plan.json`, but not `plan-schema.json`.
pub fn is_plan(path: &RepoPath) -> bool {
    if is_schema_name(path) {
        return false;
    }
    let name = path.file_name();
    let Some(stem) = [".yaml", ".yml", ".json"].iter().find_map(|ext| name.strip_suffix(ext.as_bytes())) else {
        return false;
    };
    let rest = stem.strip_prefix(b"plan");
    rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'-' | b'_' | b'.')))
}

/// Whether a file is YAML in the canon's `workflows/`, outside its `templates/` and without the parameters.
fn is_workflow_within(path: &RepoPath, workflows: &RepoPath) -> bool {
    let is_below = is_yaml(path) && path.is_within(workflows) && !path.is_within(&workflows.join("templates"));
    is_below && !is_workflow_config(path)
}

/// Whether a file in a folder of workflows has the parameters of these workflows.
fn is_workflow_config(path: &RepoPath) -> bool {
    path.file_name() == "config.yaml" || path.file_name() == "config.yml"
}

/// Whether a file is YAML directly in the canon's `benchmarks/`. Folders below it hold recorded outputs.
fn is_benchmark_within(path: &RepoPath, benchmarks: &RepoPath) -> bool {
    is_yaml(path) && path.parent().is_some_and(|folder| folder == *benchmarks)
}

/// Whether a file is the `task.yaml` of a folder directly in the canon's `tasks/`.
pub fn is_task_within(path: &RepoPath, tasks: &RepoPath) -> bool {
    let is_named = path.file_name() == "task.yaml" || path.file_name() == "task.yml";
    is_named && path.parent().and_then(|folder| folder.parent()).is_some_and(|above| above == *tasks)
}

/// Whether a file outside the canon's `workflows/` could be a workflow by its name or folder. Its keys decide, because
/// CI systems keep their workflows in folders of the same name.
pub fn may_be_workflow(path: &RepoPath) -> bool {
    let name = path.file_name();
    let has_name = [&b"workflow"[..], b"wf"].iter().any(|word| {
        let rest = name.strip_prefix(*word);
        rest.is_some_and(|rest| matches!(rest.first(), Some(b'-' | b'_' | b'.')))
    });
    let in_folder = path.parent().is_some_and(|folder| folder.file_name() == "workflows");
    is_yaml(path) && (has_name || in_folder) && !is_workflow_config(path)
}

/// Whether a file is YAML by its name.
pub fn is_yaml(path: &RepoPath) -> bool {
    has_extension(path, ".yaml") || has_extension(path, ".yml")
}

fn has_extension(path: &RepoPath, extension: &str) -> bool {
    path.as_bstr().ends_with(extension.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_in_the_order_of_the_enum() {
        for (at, spec) in KINDS.iter().enumerate() {
            assert_eq!(spec.kind as usize, at, "{:?}", spec.kind);
        }
    }

    #[test]
    fn path_decides_the_kind() {
        for (path, want) in [
            ("agent/schemas/plan.json", Some(FileKind::Schema)),
            ("agent/workflows/triage.yaml", Some(FileKind::Workflow)),
            ("agent/workflows/plan.yaml", Some(FileKind::Workflow)),
            ("agent/workflows/config.yaml", None),
            ("agent/workflows/night/config.yml", None),
            ("agent/workflows/templates/step.yaml", None),
            ("agent/reports/x/plan.1.json", Some(FileKind::Report)),
            ("agent/reports/x/plan.md", None),
            ("agent/reports/x/plan.yaml", None),
            ("agent/memory/episodic/AGENT_LEARNINGS.jsonl", Some(FileKind::Log)),
            (".agent/memory/episodic/AGENT_LEARNINGS.jsonl", Some(FileKind::Log)),
            ("agent/memory/episodic/snapshots/2026-05.jsonl", None),
            ("agent/memory/semantic/REVIEW.jsonl", Some(FileKind::Review)),
            ("docs/REVIEW.jsonl", None),
            ("agent/plans/current_plan.yaml", Some(FileKind::Plan)),
            ("agent/plans/old/task.json", Some(FileKind::Plan)),
            ("agent/plans/plan-schema.yaml", None),
            ("agent/plans/notes.md", None),
            ("agent/plans/login/intake.md", Some(FileKind::PhaseArtifact)),
            ("agent/plans/intake.md", None),
            ("agent/reports/login/verification.json", Some(FileKind::PhaseArtifact)),
            ("agent/reports/report_step2.json", Some(FileKind::Report)),
            ("agent/artifacts/login/step2.json", Some(FileKind::Report)),
            ("agent/schemas/plan-schema.yaml", Some(FileKind::Schema)),
            ("schemas/plan-schema.yaml", None),
            ("agent/memory/semantic/LESSONS.md", Some(FileKind::Memory)),
            ("agent/memory/semantic/lessons.jsonl", None),
            ("agent/memory/notes.md", None),
            ("docs/plan.yaml", Some(FileKind::Plan)),
            ("agent/benchmarks/login.yaml", Some(FileKind::Benchmark)),
            ("agent/tasks/login/task.yaml", Some(FileKind::Task)),
            ("agent/tasks/task.yaml", None),
            ("agent/spec/a/b.md", Some(FileKind::Page)),
            ("agent/benchmarks/plan-login.yaml", Some(FileKind::Benchmark)),
            ("agent/benchmarks/recorded/login/claude.1.yaml", None),
            ("agent/policies/WORKFLOW.md", Some(FileKind::Page)),
            ("agent/rules/api/style.md", Some(FileKind::Page)),
            ("agent/protocols/tool_schemas/push.schema.json", Some(FileKind::ToolSchema)),
            ("agent/protocols/push.schema.json", Some(FileKind::ToolSchema)),
            ("agent/protocols/push.json", None),
            ("agent/owners.yaml", Some(FileKind::Owners)),
            ("docs/owners.yaml", None),
            ("agent/AGENTS.md", Some(FileKind::Context)),
            (".cursor/rules/a.mdc", Some(FileKind::Context)),
            (".claude/agents/a.md", Some(FileKind::ToolFile)),
            (".mcp.json", Some(FileKind::ToolFile)),
        ] {
            assert_eq!(FileKind::from_path(&RepoPath::from(path), &Layout::default()), want, "{path}");
        }
    }

    #[test]
    fn name_decides_whether_a_file_is_a_plan() {
        for (path, want) in [
            ("agent/plans/x/plan.yaml", true),
            ("plan-01-linear.yaml", true),
            ("plan.json", true),
            ("planner.yaml", false),
            ("plan.md", false),
            ("agent/schemas/plan-schema.json", false),
            ("schemas/plan.schema.json", false),
        ] {
            assert_eq!(is_plan(&RepoPath::from(path)), want, "{path}");
        }
    }

    #[test]
    fn folder_and_name_decide_whether_a_file_is_a_workflow() {
        let workflows = Layout::default().workflows();
        for (path, in_canon, candidate) in [
            ("agent/workflows/triage.yaml", true, true),
            ("agent/workflows/night/triage.yml", true, false),
            ("agent/workflows/plan.yaml", true, true),
            ("agent/workflows/templates/step.yaml", false, false),
            ("agent/workflows/README.md", false, false),
            ("cases/wf-triage.yaml", false, true),
            ("cases/workflow.yaml", false, true),
            ("cases/wfx.yaml", false, false),
            ("agent/schemas/workflow-schema.json", false, false),
        ] {
            let path = RepoPath::from(path);
            assert_eq!(
                (is_workflow_within(&path, &workflows), may_be_workflow(&path)),
                (in_canon, candidate),
                "{path}"
            );
        }
    }
}
