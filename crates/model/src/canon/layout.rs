//! The paths of files and folders in a canon.

use canonry_text::RepoPath;

/// The pending log in git's folder: rows of hooks that are not in the episodic log yet.
pub const PENDING_LOG: &str = "canonry/pending.jsonl";

/// The folders of `memory/`, one per layer.
const LAYERS: [&str; 4] = ["working", "episodic", "semantic", "personal"];

/// File names of the plan in a plan folder.
const PLANS: [&str; 3] = ["plan.yaml", "plan.yml", "plan.json"];

/// The paths of one canon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    root: RepoPath,
    /// The folders with plans; never empty.
    plans: Vec<RepoPath>,
    /// The folders with reports; never empty.
    reports: Vec<RepoPath>,
}

impl Default for Layout {
    fn default() -> Self {
        Self::new(RepoPath::from("agent"))
    }
}

impl Layout {
    /// The layout of the canon at `root`.
    pub fn new(root: RepoPath) -> Self {
        let plans = vec![root.join("plans")];
        let reports = vec![root.join("reports"), root.join("artifacts")];
        Self { root, plans, reports }
    }

    /// The same layout if the folder is no canon: git stores nothing in the folder that takes its place, so that no file is
    /// of a canon. Folders with plans and reports elsewhere stay.
    pub fn without_canon(&self) -> Self {
        let elsewhere = |folders: &[RepoPath]| {
            folders.iter().filter(|folder| !folder.is_within(&self.root)).cloned().collect::<Vec<_>>()
        };
        Self::new(RepoPath::from(".git/canonry")).with_plan_folders(elsewhere(&self.plans), elsewhere(&self.reports))
    }

    /// Replaces the folders with plans and with reports. An empty list keeps the default.
    #[must_use]
    pub fn with_plan_folders(mut self, plans: Vec<RepoPath>, reports: Vec<RepoPath>) -> Self {
        if !plans.is_empty() {
            self.plans = plans;
        }
        if !reports.is_empty() {
            self.reports = reports;
        }
        self
    }

    pub fn root(&self) -> &RepoPath {
        &self.root
    }

    /// Prefix of the canon's files in a text: `agent/`, or nothing if the repository is the canon.
    pub fn folder_prefix(&self) -> String {
        if self.root.is_empty() { String::new() } else { format!("{}/", self.root) }
    }

    /// `skills/`
    pub fn skills(&self) -> RepoPath {
        self.root.join("skills")
    }

    /// `skills/_index.md`, the generated table of skills.
    pub fn skills_index(&self) -> RepoPath {
        self.skills().join("_index.md")
    }

    /// `skills/_manifest.jsonl`, the generated list of skills with one JSON object per line.
    pub fn skills_manifest(&self) -> RepoPath {
        self.skills().join("_manifest.jsonl")
    }

    /// The two generated files that list the skills.
    pub fn registry(&self) -> [RepoPath; 2] {
        [self.skills_index(), self.skills_manifest()]
    }

    /// Whether a path is named like a generated list of skills, in any canon.
    pub fn may_be_registry(path: &RepoPath) -> bool {
        let is_named = ["_index.md", "_manifest.jsonl"].iter().any(|name| path.file_name() == *name);
        is_named && path.parent().is_some_and(|folder| folder.file_name() == "skills")
    }

    /// `AGENTS.md`, the source of every tool's context file.
    pub fn map(&self) -> RepoPath {
        self.root.join("AGENTS.md")
    }

    /// `mcp.json`: the MCP servers that tools may start.
    pub fn mcp(&self) -> RepoPath {
        self.root.join("mcp.json")
    }

    /// `agents/`: subagents, one file each.
    pub fn subagents(&self) -> RepoPath {
        self.root.join("agents")
    }

    /// `commands/`: prompts that users call by name, one file each.
    pub fn commands(&self) -> RepoPath {
        self.root.join("commands")
    }

    /// `overlays/`: variants of skills for one tool.
    pub fn overlays(&self) -> RepoPath {
        self.root.join("overlays")
    }

    /// The folder of new plans: `plans/`, or the first configured one.
    pub fn plans(&self) -> RepoPath {
        self.plans.first().cloned().unwrap_or_default()
    }

    /// The folders in which every YAML or JSON file is a plan.
    pub fn plan_roots(&self) -> &[RepoPath] {
        &self.plans
    }

    /// Whether a path is below a folder with plans.
    pub fn is_in_plans(&self, path: &RepoPath) -> bool {
        self.plans.iter().any(|root| path.is_within(root))
    }

    /// The id of the plan at a path: the name of its folder for `<id>/plan.yaml` and the other formats, otherwise the stem of
    /// the file. `None` outside the folders with plans.
    pub fn plan_id(&self, plan: &RepoPath) -> Option<String> {
        let root = self.plans.iter().find(|root| plan.is_within(root))?;
        let folder =
            plan.parent().filter(|folder| folder != root && PLANS.iter().any(|name| plan.file_name() == *name));
        if let Some(folder) = folder {
            return Some(folder.file_name_lossy());
        }
        let name = plan.file_name_lossy();
        Some(name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem).to_owned())
    }

    /// The folder of the reports on a plan. `None` if the plan is outside the folders with plans.
    pub fn reports_on(&self, plan: &RepoPath) -> Option<RepoPath> {
        Some(self.reports().join(self.plan_id(plan)?.as_str()))
    }

    /// The possible plan files of a folder, in order of precedence.
    pub fn plan_files(folder: &RepoPath) -> [RepoPath; 3] {
        PLANS.map(|name| folder.join(name))
    }

    /// `workflows/`
    pub fn workflows(&self) -> RepoPath {
        self.root.join("workflows")
    }

    /// The folder of new reports: `reports/`, or the first configured one.
    pub fn reports(&self) -> RepoPath {
        self.reports.first().cloned().unwrap_or_default()
    }

    /// The folders with reports: `reports/` and `artifacts/`, or the configured ones.
    pub fn report_roots(&self) -> &[RepoPath] {
        &self.reports
    }

    /// `spec/`: guides for parts of the code.
    pub fn spec(&self) -> RepoPath {
        self.root.join("spec")
    }

    /// `tasks/`: a folder per task.
    pub fn tasks(&self) -> RepoPath {
        self.root.join("tasks")
    }

    /// `journals/`: a folder per person.
    pub fn journals(&self) -> RepoPath {
        self.root.join("journals")
    }

    /// `benchmarks/`: tasks for planners, and trigger tests of skills.
    pub fn benchmarks(&self) -> RepoPath {
        self.root.join("benchmarks")
    }

    /// `owners.yaml`: the command lines that execute the steps of plans.
    pub fn owners(&self) -> RepoPath {
        self.root.join("owners.yaml")
    }

    /// `hooks.yaml`: the team's own hooks.
    pub fn hooks(&self) -> RepoPath {
        self.root.join("hooks.yaml")
    }

    /// `ignore`: the files that coding agents do not read, in git's syntax.
    pub fn ignore(&self) -> RepoPath {
        self.root.join("ignore")
    }

    /// `exports/`: plans for other engines.
    pub fn exports(&self) -> RepoPath {
        self.root.join("exports")
    }

    /// `schemas/`
    pub fn schemas(&self) -> RepoPath {
        self.root.join("schemas")
    }

    /// `rules/`: rules with globs, for tools that support them.
    pub fn rules(&self) -> RepoPath {
        self.root.join("rules")
    }

    /// `policies/`
    pub fn policies(&self) -> RepoPath {
        self.root.join("policies")
    }

    /// `protocols/`
    pub fn protocols(&self) -> RepoPath {
        self.root.join("protocols")
    }

    /// `protocols/permissions.md`: what agents may do without asking.
    pub fn permissions(&self) -> RepoPath {
        self.root.join("protocols/permissions.md")
    }

    /// `protocols/tool_schemas/`
    pub fn tool_schemas(&self) -> RepoPath {
        self.root.join("protocols/tool_schemas")
    }

    /// `workflows/templates/`: prompts of workflow steps.
    pub fn templates(&self) -> RepoPath {
        self.root.join("workflows/templates")
    }

    /// `mirrors.lock`
    pub fn lock(&self) -> RepoPath {
        self.root.join("mirrors.lock")
    }

    /// `skills.lock`: the skills from elsewhere.
    pub fn skills_lock(&self) -> RepoPath {
        self.root.join("skills.lock")
    }

    /// `owners`: who owns which skills, for CODEOWNERS.
    pub fn skill_owners(&self) -> RepoPath {
        self.root.join("owners")
    }

    /// `pack.lock`: the version and the files of the plugin that `canonry pack` wrote.
    pub fn pack_lock(&self) -> RepoPath {
        self.root.join("pack.lock")
    }

    /// `mirrors.local.lock`, which replaces `mirrors.lock` for mirrors that git ignores.
    pub fn local_lock(&self) -> RepoPath {
        self.root.join("mirrors.local.lock")
    }

    /// `baseline.json`: the findings that are not reported.
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

    /// The folders of the four memory layers.
    pub fn layers(&self) -> [RepoPath; 4] {
        LAYERS.map(|layer| self.memory().join(layer))
    }

    /// The episodic log, with one JSON object per line.
    pub fn log(&self) -> RepoPath {
        self.root.join("memory/episodic/AGENT_LEARNINGS.jsonl")
    }

    /// The archive of rows that left the log, with one file per month.
    pub fn snapshots(&self) -> RepoPath {
        self.root.join("memory/episodic/snapshots")
    }

    /// `runs/`, the journals of runs.
    pub fn runs(&self) -> RepoPath {
        self.root.join("runs")
    }

    /// `approvals/`, the approvals of steps that a person must approve.
    pub fn approvals(&self) -> RepoPath {
        self.root.join("approvals")
    }

    /// Rows that could not be parsed, each after a line with the reason.
    pub fn quarantine(&self) -> RepoPath {
        self.root.join("memory/episodic/quarantine.txt")
    }

    /// The preferences of the user.
    pub fn preferences(&self) -> RepoPath {
        self.root.join("memory/personal/PREFERENCES.md")
    }

    /// The lessons learnt.
    pub fn lessons(&self) -> RepoPath {
        self.root.join("memory/semantic/LESSONS.md")
    }

    /// The decisions of the team.
    pub fn decisions(&self) -> RepoPath {
        self.root.join("memory/semantic/DECISIONS.md")
    }

    /// Knowledge of the team about its domain.
    pub fn domain_knowledge(&self) -> RepoPath {
        self.root.join("memory/semantic/DOMAIN_KNOWLEDGE.md")
    }

    /// `KNOWLEDGE.md` of a skill.
    pub fn knowledge(skill: &RepoPath) -> RepoPath {
        skill.join("KNOWLEDGE.md")
    }

    /// The retired lessons.
    pub fn retired_lessons(&self) -> RepoPath {
        self.root.join("memory/semantic/archive/LESSONS.md")
    }

    /// The review queue: proposed lessons and skills, and the decisions on them.
    pub fn review(&self) -> RepoPath {
        self.root.join("memory/semantic/REVIEW.jsonl")
    }

    /// Notes on the work in progress.
    pub fn workspace(&self) -> RepoPath {
        self.root.join("memory/working/WORKSPACE.md")
    }

    /// The plan in progress.
    pub fn active_plan(&self) -> RepoPath {
        self.root.join("memory/working/ACTIVE_PLAN.md")
    }
}
