//! Where things stand below the canon's root.

use crate::syntax::RepoPath;

/// The folders of `memory/`, one a layer.
const LAYERS: [&str; 4] = ["working", "episodic", "semantic", "personal"];

/// What the plan in a folder is called.
const PLANS: [&str; 3] = ["plan.yaml", "plan.yml", "plan.json"];

/// The folder that is the canon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    root: RepoPath,
}

impl Default for Layout {
    fn default() -> Self {
        Self { root: RepoPath::from("agent") }
    }
}

impl Layout {
    /// A canon in `root`.
    pub fn new(root: RepoPath) -> Self {
        Self { root }
    }

    /// The canon's folder.
    pub fn root(&self) -> &RepoPath {
        &self.root
    }

    /// `skills/`
    pub fn skills(&self) -> RepoPath {
        self.root.join("skills")
    }

    /// `skills/_index.md`: the skills as a table, made from them.
    pub fn skills_index(&self) -> RepoPath {
        self.skills().join("_index.md")
    }

    /// `skills/_manifest.jsonl`: the skills for programs, one JSON object a line, made from them.
    pub fn skills_manifest(&self) -> RepoPath {
        self.skills().join("_manifest.jsonl")
    }

    /// The two files that list the skills.
    pub fn registry(&self) -> [RepoPath; 2] {
        [self.skills_index(), self.skills_manifest()]
    }

    /// Whether a path, in whatever canon, is named as one of the two files that list the skills.
    pub fn may_be_registry(path: &RepoPath) -> bool {
        let is_named = ["_index.md", "_manifest.jsonl"].iter().any(|name| path.file_name() == *name);
        is_named && path.parent().is_some_and(|folder| folder.file_name() == "skills")
    }

    /// `AGENTS.md`: the map that every tool's context file is made from.
    pub fn map(&self) -> RepoPath {
        self.root.join("AGENTS.md")
    }

    /// `mcp.json`: the servers that tools may start.
    pub fn mcp(&self) -> RepoPath {
        self.root.join("mcp.json")
    }

    /// `agents/`: subagents, one file each.
    pub fn subagents(&self) -> RepoPath {
        self.root.join("agents")
    }

    /// `commands/`: prompts that a person calls by name, one file each.
    pub fn commands(&self) -> RepoPath {
        self.root.join("commands")
    }

    /// `overlays/`: what one tool has in the place of the canon's, or beside it.
    pub fn overlays(&self) -> RepoPath {
        self.root.join("overlays")
    }

    /// `plans/`
    pub fn plans(&self) -> RepoPath {
        self.root.join("plans")
    }

    /// The folder of the reports on a plan's steps; `None` for a plan that is not `plans/<plan>/plan.yaml`, in any of its
    /// formats.
    pub fn reports_on(&self, plan: &RepoPath) -> Option<RepoPath> {
        let folder = plan.parent()?;
        let is_own = folder.parent()? == self.plans() && PLANS.iter().any(|name| plan.file_name() == *name);
        is_own.then(|| self.reports().join(folder.file_name()))
    }

    /// The files that may be the plan of a folder, the one that counts first.
    pub fn plan_files(folder: &RepoPath) -> [RepoPath; 3] {
        PLANS.map(|name| folder.join(name))
    }

    /// `workflows/`
    pub fn workflows(&self) -> RepoPath {
        self.root.join("workflows")
    }

    /// `reports/`
    pub fn reports(&self) -> RepoPath {
        self.root.join("reports")
    }

    /// `schemas/`
    pub fn schemas(&self) -> RepoPath {
        self.root.join("schemas")
    }

    /// `policies/`
    pub fn policies(&self) -> RepoPath {
        self.root.join("policies")
    }

    /// `protocols/`
    pub fn protocols(&self) -> RepoPath {
        self.root.join("protocols")
    }

    /// What an agent may do by itself.
    pub fn permissions(&self) -> RepoPath {
        self.root.join("protocols/permissions.md")
    }

    /// `protocols/tool_schemas/`
    pub fn tool_schemas(&self) -> RepoPath {
        self.root.join("protocols/tool_schemas")
    }

    /// Prompts of workflows.
    pub fn templates(&self) -> RepoPath {
        self.root.join("workflows/templates")
    }

    /// `mirrors.lock`
    pub fn lock(&self) -> RepoPath {
        self.root.join("mirrors.lock")
    }

    /// `mirrors.local.lock`: what git ignores of `mirrors.lock`, where it ignores the mirrors
    pub fn local_lock(&self) -> RepoPath {
        self.root.join("mirrors.local.lock")
    }

    /// `baseline.json`: findings that are put off
    pub fn baseline(&self) -> RepoPath {
        self.root.join("baseline.json")
    }

    /// `canonry.yaml` inside the canon
    pub fn config(&self) -> RepoPath {
        self.root.join("canonry.yaml")
    }

    /// `memory/`
    pub fn memory(&self) -> RepoPath {
        self.root.join("memory")
    }

    /// The folders of the memory's four layers.
    pub fn layers(&self) -> [RepoPath; 4] {
        LAYERS.map(|layer| self.memory().join(layer))
    }

    /// The episodic log, one JSON object a line.
    pub fn log(&self) -> RepoPath {
        self.root.join("memory/episodic/AGENT_LEARNINGS.jsonl")
    }

    /// Where rows that left the log are kept, a file a month.
    pub fn snapshots(&self) -> RepoPath {
        self.root.join("memory/episodic/snapshots")
    }

    /// Rows that could not be read, each behind a line that says why.
    pub fn quarantine(&self) -> RepoPath {
        self.root.join("memory/episodic/quarantine.txt")
    }

    /// What the person who is worked for likes.
    pub fn preferences(&self) -> RepoPath {
        self.root.join("memory/personal/PREFERENCES.md")
    }

    /// What was learnt.
    pub fn lessons(&self) -> RepoPath {
        self.root.join("memory/semantic/LESSONS.md")
    }

    /// What a skill knows, in its folder.
    pub fn knowledge(skill: &RepoPath) -> RepoPath {
        skill.join("KNOWLEDGE.md")
    }

    /// Lessons that were retired.
    pub fn retired_lessons(&self) -> RepoPath {
        self.root.join("memory/semantic/archive/LESSONS.md")
    }

    /// What waits for a person's word on what becomes a lesson or a skill, and what was said.
    pub fn review(&self) -> RepoPath {
        self.root.join("memory/semantic/REVIEW.jsonl")
    }

    /// Notes on what is being done.
    pub fn workspace(&self) -> RepoPath {
        self.root.join("memory/working/WORKSPACE.md")
    }

    /// The plan that is being worked on.
    pub fn active_plan(&self) -> RepoPath {
        self.root.join("memory/working/ACTIVE_PLAN.md")
    }
}
