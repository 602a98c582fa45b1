//! Loads and checks the files in scope, one by one.

use super::scope::{CheckScope, exists, plugin_folders};
use super::{CheckOptions, evidence, installation};
use crate::{Environment, Error, Workspace};
use canonry_lint::repo_facts::{SkillConfig, SkillSummary, SubagentSummary};
use canonry_lint::{Finding, OwnedPlan, RuleSet};
use canonry_model::canon::agent_text::AgentText;
use canonry_model::canon::blob::BlobError;
use canonry_model::canon::context_file::{ContextFile, ContextKind};
use canonry_model::canon::file_kind::FileKind;
use canonry_model::canon::file_source::ListedFile;
use canonry_model::canon::inventory::SkillFolder;
use canonry_model::canon::log::EpisodeLog;
use canonry_model::canon::memory_file::MemoryFile;
use canonry_model::canon::owners::{Owners, OwnersFile};
use canonry_model::canon::page::{Page, PageKind};
use canonry_model::canon::phase_artifact::PhaseArtifact;
use canonry_model::canon::report::Report;
use canonry_model::canon::reported_plan::ReportedPlan;
use canonry_model::canon::review_log::ReviewLog;
use canonry_model::canon::schema::Schemas;
use canonry_model::canon::skill::Skill;
use canonry_model::canon::suppression::Suppression;
use canonry_model::canon::tool_file::{PluginFolders, Role, ToolFile};
use canonry_model::canon::tool_schema::ToolSchema;
use canonry_model::canon::workflow::Workflow;
use canonry_model::canon::{Blob, FileState, Layout, TreeEntry};
use canonry_model::config::Config;
use canonry_repo::view::load::{self, DOCUMENT_LIMIT, LOG_LIMIT, PERMISSIONS_LIMIT};
use canonry_repo::view::plan_files::{self, ReportIndex};
use canonry_repo::view::{IgnoreMode, PathKind, View};
use canonry_text::{RepoPath, Source};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The result of checking files one by one.
pub(super) struct CheckedFiles {
    pub findings: Vec<Finding>,
    pub suppressions: Suppressions,
    pub skills: Vec<SkillSummary>,
    pub subagents: Vec<SubagentSummary>,
}

/// Checks all files in scope.
///
/// # Errors
/// The folder of the schemas cannot be listed.
pub(super) fn check(
    workspace: &Workspace,
    scope: &CheckScope,
    options: &CheckOptions<'_>,
) -> Result<CheckedFiles, Error> {
    let (schemas, mut findings) = check_schemas(workspace, options.rules, scope.files.files(FileKind::Schema))?;
    let needs_earlier = [FileKind::Workflow, FileKind::Report, FileKind::ToolFile]
        .iter()
        .any(|kind| !scope.files.files(*kind).is_empty())
        || !scope.files.skills.is_empty();
    let earlier = match &options.request.base {
        Some(base) => Some(workspace.open_base(&scope.basis, base)?),
        None if needs_earlier => workspace.open_earlier(&scope.basis)?,
        None => None,
    };
    let view = &workspace.view;
    let checker = Checker {
        rules: options.rules,
        view,
        plugins: plugin_folders(workspace),
        earlier,
        changes: OnceLock::new(),
        layout: &workspace.layout,
        config: &workspace.config,
        env: &workspace.env,
        scope,
        schemas,
        reports: OnceLock::new(),
        subagents: Mutex::default(),
        suppressions: Suppressions::default(),
    };
    let (skill_findings, skills) = checker.check_skills(options);
    findings.extend(skill_findings);
    for kind in FileKind::all() {
        let files = scope.files.files(kind);
        if !files.is_empty() {
            findings.extend(checker.check_kind(workspace, kind, files));
        }
    }
    let subagents = checker.subagents.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(CheckedFiles { findings, suppressions: checker.suppressions, skills, subagents })
}

/// Loads the team's schemas, which apply to all files, and checks those in scope.
fn check_schemas(
    workspace: &Workspace,
    rules: &RuleSet,
    in_scope: &[TreeEntry],
) -> Result<(Schemas, Vec<Finding>), Error> {
    let mut schemas = Schemas::default();
    let mut findings = Vec::new();
    let mut entries = load::team_schemas(&workspace.view, &workspace.layout)?;
    entries.extend_from_slice(in_scope);
    entries.sort();
    entries.dedup();
    for entry in entries {
        let Some(file) = load::schema_file(&workspace.view, &entry.path) else { continue };
        // A named schema elsewhere is checked, but applies to nothing here.
        if entry.path.is_within(&workspace.layout.schemas()) {
            schemas.add_team_file(&file);
        }
        if in_scope.contains(&entry) {
            findings.extend(rules.check(&file));
        }
    }
    Ok((schemas, findings))
}

struct Checker<'a> {
    rules: &'a RuleSet,
    view: &'a View,
    /// The plugins of the repository, and what exists in it.
    plugins: PluginFolders<'a>,
    /// The version before the checked one, if a rule compares with it.
    earlier: Option<View>,
    /// The files that differ from it, if the plugin at the top has a version.
    changes: OnceLock<Vec<RepoPath>>,
    layout: &'a Layout,
    config: &'a Config,
    env: &'a Environment,
    scope: &'a CheckScope,
    schemas: Schemas,
    /// The reports of the canon by plan, if plans or reports are checked.
    reports: OnceLock<ReportIndex>,
    /// The checked subagents, in any order.
    subagents: Mutex<Vec<SubagentSummary>>,
    suppressions: Suppressions,
}

impl Checker<'_> {
    /// Checks the files of one kind. This is the one place that connects a [`FileKind`] with its model and its rules.
    fn check_kind(&self, workspace: &Workspace, kind: FileKind, files: &[TreeEntry]) -> Vec<Finding> {
        match kind {
            // Loaded before all other files, because they apply to them.
            FileKind::Schema => Vec::new(),
            FileKind::Workflow => self.check_workflows(files),
            FileKind::PhaseArtifact => self.check_each(files, |path| {
                self.rules.check(&PhaseArtifact::parse(path.clone(), self.view.read_kept(path, DOCUMENT_LIMIT)))
            }),
            FileKind::Report => self.check_reports(workspace, files),
            FileKind::Log => self.check_logs(files),
            FileKind::Review => self.check_each(files, |path| {
                self.rules.check(&ReviewLog::parse(path.clone(), self.view.read(path, DOCUMENT_LIMIT), &self.schemas))
            }),
            FileKind::Memory => self.check_each(files, |path| {
                let file = MemoryFile::parse(path.clone(), self.view.read_kept(path, DOCUMENT_LIMIT));
                self.suppressions.collect(file.document.as_ref().ok());
                self.rules.check(&file)
            }),
            FileKind::ToolSchema => self.check_each(files, |path| {
                self.rules.check(&ToolSchema::parse(path.clone(), self.view.read(path, DOCUMENT_LIMIT)))
            }),
            FileKind::Page => self.check_each(files, |path| {
                let Some(kind) = PageKind::from_path(path, self.layout) else { return Vec::new() };
                let limit = if kind == PageKind::Permissions { PERMISSIONS_LIMIT } else { DOCUMENT_LIMIT };
                let page = Page::parse(path.clone(), kind, self.view.read_kept(path, limit));
                let source = page.document.as_ref().ok().map(|document| &document.source);
                self.suppressions.collect(source);
                let mut findings = self.rules.check(&page);
                findings.extend(self.check_agent_text(source));
                findings
            }),
            FileKind::Context => self.check_contexts(files),
            FileKind::Benchmark => self.check_benchmarks(files),
            FileKind::Task => self.check_each(files, |path| {
                let task = load::task(self.view, path, &self.schemas);
                self.suppressions.collect(task.document.as_ref().ok().map(|document| &document.source));
                self.rules.check(&task.with_existing(|path| self.view.kind(path) != PathKind::Nothing))
            }),
            FileKind::Plan => self.check_plans(files),
            FileKind::ToolFile => self.check_each(files, |path| self.check_tool_file(path)),
            FileKind::Owners => self.check_each(files, |path| {
                let file = OwnersFile::parse(path.clone(), self.view.read_kept(path, DOCUMENT_LIMIT));
                self.suppressions.collect(file.document.as_ref().ok().map(|document| &document.source));
                self.rules.check(&file)
            }),
        }
    }

    /// Checks files on all cores.
    fn check_each(&self, files: &[TreeEntry], check: impl Fn(&RepoPath) -> Vec<Finding> + Sync) -> Vec<Finding> {
        files.par_iter().flat_map_iter(|entry| check(&entry.path)).collect()
    }

    fn check_skills(&self, options: &CheckOptions<'_>) -> (Vec<Finding>, Vec<SkillSummary>) {
        let root = self.layout.skills();
        let skills = &self.scope.files.skills;
        options.progress.start("skills checked", skills.len());
        let check = |folder: &SkillFolder| {
            if self.env.is_cancelled() {
                return (Vec::new(), None);
            }
            let skill = load::skill(self.view, folder, &self.schemas)
                .with_surroundings(|path| self.view.kind(path) != PathKind::Nothing)
                .mirrored_from(&root)
                .listed_in_manifest(|skill| installation::is_listed_in_manifest(self.view, skill));
            options.progress.advance(1);
            if skill.is_other_page() {
                return (Vec::new(), None);
            }
            let skill = self.with_earlier_skill(skill);
            self.suppressions.collect(skill.source());
            let config = if folder.path.is_within(&root) {
                SkillConfig::from_config(self.config, &folder.path)
            } else {
                SkillConfig::default()
            };
            let mut findings = self.rules.check_skill(&skill, &config);
            if let Some(hooks) = ToolFile::from_skill(&skill, &self.plugins) {
                findings.extend(self.rules.check(&hooks.with_modes(&self.plugins, &|path| self.view.mode(path))));
            }
            (findings, Some(SkillSummary::new(&skill)))
        };
        let checked: Vec<(Vec<Finding>, Option<SkillSummary>)> = skills.par_iter().map(check).collect();
        options.progress.finish();
        let (findings, skills): (Vec<Vec<Finding>>, Vec<Option<SkillSummary>>) = checked.into_iter().unzip();
        (findings.into_iter().flatten().collect(), skills.into_iter().flatten().collect())
    }

    /// Compares each workflow with the files it names and with its earlier version, because a change needs a new version
    /// number.
    fn check_workflows(&self, files: &[TreeEntry]) -> Vec<Finding> {
        self.check_each(files, |path| {
            let workflow = Workflow::parse(path.clone(), self.view.read(path, DOCUMENT_LIMIT), &self.schemas);
            let workflow = workflow.with_files(self.layout, &|path| self.view.read_kept(path, DOCUMENT_LIMIT));
            let workflow = match &self.earlier {
                Some(earlier) => workflow.with_earlier(earlier.read(path, DOCUMENT_LIMIT)),
                None => workflow,
            };
            self.suppressions.collect(workflow.document.as_ref().ok().map(|document| &document.source));
            self.rules.check(&workflow)
        })
    }

    /// Compares the owners in each plan with those that the canon defines, if it defines any.
    fn check_plans(&self, files: &[TreeEntry]) -> Vec<Finding> {
        let owners_path = self.layout.owners();
        let owners: Option<Owners> =
            load::source(self.view, &owners_path).and_then(|source| Owners::parse(source).ok());
        self.check_each(files, |path| {
            let plan = load::bare_plan(self.view, path, &self.schemas);
            let plan = match self.layout.plan_id(path) {
                Some(id) => plan
                    .with_attempts(self.reports().attempts(self.view, &id, &self.schemas, self.layout))
                    .with_approvals(|step| plan_files::approval(self.view, self.layout, &id, step)),
                None => plan,
            };
            self.suppressions.collect(plan.document.as_ref().ok().map(|document| &document.source));
            let mut findings = self.rules.check(&plan);
            if let Some(owners) = &owners {
                findings.extend(self.rules.check(&OwnedPlan { plan: &plan, owners, owners_path: &owners_path }));
            }
            findings
        })
    }

    fn reports(&self) -> &ReportIndex {
        // The check has listed the folders before, and reports what it could not list.
        let load = || ReportIndex::load(self.view, &self.schemas, self.layout).unwrap_or_default();
        self.reports.get_or_init(load)
    }

    /// Compares each benchmark with all skills of the canon, whether or not they are in scope.
    fn check_benchmarks(&self, files: &[TreeEntry]) -> Vec<Finding> {
        let skills = load::skill_names(self.view, self.layout);
        self.check_each(files, |path| {
            let benchmark = load::benchmark(self.view, path, &self.schemas);
            self.suppressions.collect(benchmark.document.as_ref().ok().map(|document| &document.source));
            self.rules.check(&benchmark.among(skills.clone()))
        })
    }

    /// Compares each report with its plan, whether or not the plan is in scope, and with the repository.
    fn check_reports(&self, workspace: &Workspace, files: &[TreeEntry]) -> Vec<Finding> {
        let index = self.reports();
        let read = |entry: &TreeEntry| load::report(self.view, &entry.path, &self.schemas, self.layout);
        let mut reports: Vec<Report> = files.par_iter().map(read).collect();
        let ids: BTreeSet<String> =
            reports.iter().filter_map(|report| index.plan_of(report)).map(str::to_owned).collect();
        let plans: BTreeMap<String, Arc<ReportedPlan>> = ids
            .into_par_iter()
            .filter_map(|id| {
                let plan = load::bare_plan(self.view, index.plan_path(&id)?, &self.schemas);
                Some((id.clone(), Arc::new(ReportedPlan::new(id, plan)?)))
            })
            .collect();
        for report in &mut reports {
            let id = index.plan_of(report).map(str::to_owned);
            report.is_ambiguous = id.is_none() && index.has_several_plans();
            report.plan = id.and_then(|id| plans.get(&id).cloned());
        }
        evidence::collect(workspace, self.earlier.as_ref(), &mut reports);
        reports.par_iter().flat_map_iter(|report| self.rules.check(report)).collect()
    }

    /// Checks logs one after the other: each is held in memory as a whole and checked on all cores.
    fn check_logs(&self, files: &[TreeEntry]) -> Vec<Finding> {
        let mut findings = Vec::new();
        for TreeEntry { path, .. } in files.iter().take_while(|_| !self.env.is_cancelled()) {
            let blob = match self.view.kind(path) {
                PathKind::Folder => Blob::Missing(BlobError::NotAFile),
                _ => self.view.read(path, LOG_LIMIT),
            };
            findings.extend(self.rules.check(&EpisodeLog::parse(path.clone(), blob, &self.schemas)));
        }
        findings
    }

    fn check_tool_file(&self, path: &RepoPath) -> Vec<Finding> {
        let blob = self.view.read_kept(path, DOCUMENT_LIMIT);
        let Some(file) = ToolFile::parse(path.clone(), blob, &self.plugins) else { return Vec::new() };
        let file = file.with_modes(&self.plugins, &|path| self.view.mode(path));
        let file = self.with_earlier_plugin(file);
        let file = match file.kind.role {
            Role::Marketplace => {
                file.with_manifests(&|path| exists(self.view, path), &|path| self.view.read_kept(path, DOCUMENT_LIMIT))
            }
            _ => file,
        };
        let subagent = SubagentSummary::new(&file);
        self.subagents.lock().unwrap_or_else(PoisonError::into_inner).extend(subagent);
        let source = file.document.as_ref().ok();
        self.suppressions.collect(source);
        let mut findings = self.rules.check(&file);
        findings.extend(self.check_agent_text(source));
        findings
    }

    /// Compares a plugin with its earlier version, if its manifest has one.
    fn with_earlier_plugin(&self, file: ToolFile) -> ToolFile {
        let is_versioned =
            file.kind.role == Role::Manifest && file.root().is_some_and(|root| root.get("version").is_some());
        let Some(earlier) = self.earlier.as_ref().filter(|_| is_versioned) else { return file };
        // The plugin at the top of a repository contains the others.
        let own;
        let changed = if file.base.is_empty() {
            self.changes.get_or_init(|| changed_files(self.view, earlier, &file.base))
        } else {
            own = match self.changes.get() {
                Some(all) => all.iter().filter(|path| path.is_within(&file.base)).cloned().collect(),
                None => changed_files(self.view, earlier, &file.base),
            };
            &own
        };
        let inside: Vec<RepoPath> = changed.iter().filter(|path| path.is_within(&file.base)).cloned().collect();
        match earlier.read(&file.path, DOCUMENT_LIMIT) {
            Blob::Bytes(bytes) if !inside.is_empty() => file.with_earlier(&bytes, inside),
            _ => file,
        }
    }

    /// Compares a skill with its earlier version, if it has a version number.
    fn with_earlier_skill(&self, skill: Skill) -> Skill {
        let Some(earlier) = self.earlier.as_ref().filter(|_| skill.version().is_some()) else { return skill };
        let mut files = changed_files(self.view, earlier, &skill.folder.path);
        files.retain(|path| skill.folder.files.iter().any(|entry| entry.path == *path));
        // People get a skill of a plugin with the plugin's version.
        if files.is_empty() || has_new_plugin_version(self.view, earlier, &skill.folder.path) {
            return skill;
        }
        match earlier.read(skill.path(), DOCUMENT_LIMIT) {
            Blob::Bytes(bytes) => skill.with_change(&bytes, files),
            Blob::Missing(_) => skill,
        }
    }

    fn check_agent_text(&self, source: Option<&Arc<Source>>) -> Vec<Finding> {
        let Some(source) = source else { return Vec::new() };
        let text = AgentText::new(source, &self.plugins);
        // Only for these does it matter where the text is stored.
        let stored = || source.path().resolve_beside(&self.view.link_text(source.path())?);
        match (!text.broken_links.is_empty()).then(stored).flatten() {
            Some(stored) => self.rules.check(&text.stored_at(&stored, &|path| exists(self.view, path))),
            None => self.rules.check(&text),
        }
    }

    /// Reports a finding in a file that two context files import only once.
    fn check_contexts(&self, files: &[TreeEntry]) -> Vec<Finding> {
        let mut findings = self.check_each(files, |path| match load_context_file(self.view, path) {
            Some(file) => {
                let mut findings = self.rules.check(&file);
                findings.extend(self.check_agent_text(file.document.as_ref().ok()));
                findings
            }
            None => Vec::new(),
        });
        let mut seen = BTreeSet::new();
        findings.retain(|found| seen.insert((found.rule.id, found.location.path.clone(), found.location.span)));
        findings
    }
}

/// The manifests of a plugin, from its folder.
const PLUGIN_MANIFESTS: [&str; 4] =
    [".claude-plugin/plugin.json", ".codex-plugin/plugin.json", ".cursor-plugin/plugin.json", "plugin.json"];

/// The files below a folder that two versions do not have in common, sorted; none if a version cannot be listed.
fn changed_files(now: &View, earlier: &View, folder: &RepoPath) -> Vec<RepoPath> {
    let list = |view: &View| {
        let files = view.list(folder, IgnoreMode::Exclude).ok()?.files;
        let states = view.states(&files);
        Some((files, states))
    };
    let Some((files, states)) = list(now) else { return Vec::new() };
    let Some((earlier_files, earlier_states)) = list(earlier) else { return Vec::new() };
    let find = |files: &[ListedFile], path: &RepoPath| files.binary_search_by(|file| file.entry.path.cmp(path)).ok();
    // A file whose state is unknown says nothing.
    let is_same = |file: &ListedFile, state: &Option<FileState>| {
        let before = find(&earlier_files, &file.entry.path).map(|at| earlier_states[at]);
        before.is_some_and(|before| before.is_none() || state.is_none() || before == *state)
    };
    let changed = files.iter().zip(&states).filter(|(file, state)| !is_same(file, state)).map(|(file, _)| file);
    let gone = earlier_files.iter().filter(|file| find(&files, &file.entry.path).is_none());
    let paths = changed.chain(gone).map(|file| file.entry.path.clone());
    let mut paths: Vec<RepoPath> = paths.filter(|path| !now.is_outside_checkout(path)).collect();
    paths.sort_unstable();
    paths
}

/// `None` for a link to another context file, which is checked at its own path.
fn load_context_file(view: &View, path: &RepoPath) -> Option<ContextFile> {
    let kind = ContextKind::from_path(path)?;
    let target = view.link_text(path).and_then(|text| path.resolve_beside(&text));
    if target.is_some_and(|target| ContextKind::from_path(&target).is_some() && view.kind(&target) == PathKind::File) {
        return None;
    }
    let read = |path: &RepoPath| view.read_kept(path, DOCUMENT_LIMIT);
    Some(ContextFile::parse(path.clone(), kind, read(path), &read))
}

/// The suppression comments of checked files, collected by all threads while the texts are at hand.
#[derive(Default)]
pub(super) struct Suppressions(Mutex<Vec<Suppression>>);

impl Suppressions {
    fn collect(&self, source: Option<&Arc<Source>>) {
        let found = source.map(Suppression::find_all).unwrap_or_default();
        if !found.is_empty() {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
        }
    }

    /// All suppressions, with those of every other file that has a finding, sorted by path and position.
    pub fn for_findings(self, findings: &[Finding]) -> Vec<Suppression> {
        let sources = findings.iter().filter_map(|finding| finding.location.source.as_ref());
        let by_path: BTreeMap<_, _> = sources.map(|source| (source.path(), source)).collect();
        by_path.values().for_each(|source| self.collect(Some(source)));
        let mut all = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        all.sort_by(|a, b| (a.source.path(), a.span).cmp(&(b.source.path(), b.span)));
        all.dedup_by(|a, b| (a.source.path(), a.span) == (b.source.path(), b.span));
        all
    }
}

/// Whether the version of a plugin that contains `folder` has changed.
fn has_new_plugin_version(view: &View, earlier: &View, folder: &RepoPath) -> bool {
    let above = std::iter::successors(folder.parent(), RepoPath::parent);
    let mut manifests = above.flat_map(|folder| PLUGIN_MANIFESTS.map(|manifest| folder.join(manifest)));
    manifests.any(|path| {
        let version = |view: &View| {
            let bytes = view.read(&path, DOCUMENT_LIMIT).into_bytes()?;
            let manifest: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
            Some(manifest["version"].as_str()?.to_owned())
        };
        version(view).is_some_and(|now| version(earlier).is_some_and(|before| before != now))
    })
}
