//! The input of rules about the repository as a whole.

use super::{lifecycle, triggers};
use canonry_agents::ToolFileProblem;
use canonry_mirror::document::may_render_differently;
use canonry_mirror::overlay::UnusedOverlay;
use canonry_mirror::skipped::Skipped;
use canonry_mirror::{SyncPlan, fold_name};
use canonry_model::canon::blob::BlobError;
use canonry_model::canon::io_diagnosis::IoDiagnosis;
use canonry_model::canon::skill::Skill;
use canonry_model::canon::tool_file::{Role, ToolFile, ToolFileReader};
use canonry_model::config::{Config, Target, ToolVersion};
use canonry_model::finding::Location;
use canonry_runs::plan::export::ExportTarget;
use canonry_text::{RepoPath, Source, Span, yaml};
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The part of the config that applies to one skill of the canon. Skills elsewhere use the default.
#[derive(Clone, Debug, Default)]
pub struct SkillConfig {
    /// The targets the skill is mirrored to.
    pub targets: Vec<Target>,
    /// All targets of the config.
    pub configured: Vec<Target>,
    /// The team's versions of tools.
    pub versions: BTreeMap<Target, ToolVersion>,
}

impl SkillConfig {
    /// Selects what applies to the skill in this folder of the canon.
    pub fn from_config(config: &Config, folder: &RepoPath) -> Self {
        let name = folder.file_name_lossy();
        let configured = config.targets.clone();
        Self {
            targets: configured.iter().copied().filter(|target| config.admits(&name, *target)).collect(),
            configured,
            versions: config.versions.clone(),
        }
    }
}

/// A fact that is computed when the first rule asks for it.
pub type Lazy<'a, T> = LazyCell<T, Box<dyn FnOnce() -> T + 'a>>;

/// Facts about the repository as a whole. What a rule does not ask for is not computed.
#[derive(Debug)]
pub struct RepoFacts<'a> {
    /// The skills of the canon, without those nested in other skills.
    pub skills: &'a [SkillSummary],
    /// The checked skills of a repository or folder without a canon, without those nested in other skills.
    pub other_skills: &'a [SkillSummary],
    /// The checked subagents, in any order.
    pub subagents: Vec<SubagentSummary>,
    /// Pipes, sockets and devices.
    pub special_files: Vec<RepoPath>,
    /// Folders that could not be listed, and why.
    pub unreadable_folders: Vec<(RepoPath, IoDiagnosis)>,
    /// The canon as a whole; `None` if only some of its skills are checked.
    pub canon: Lazy<'a, Option<CanonContext>>,
    /// Result of a dry sync; `None` if only parts of the repository are checked.
    pub survey: Lazy<'a, Option<MirrorSurvey>>,
    /// The permissions page and the MCP servers that it can name; `None` if the canon has no `mcp.json`.
    pub permission_servers: Lazy<'a, Option<PermissionServers>>,
    /// Files of the index that a merge has left unmerged.
    pub unmerged: Lazy<'a, Vec<RepoPath>>,
    /// Links to skill folders whose target cannot be read, and why.
    pub dead_skill_links: Lazy<'a, Vec<(RepoPath, BlobError)>>,
    /// Links in place of skills outside of the canon whose target is an absolute path, with that path.
    pub absolute_skill_links: Lazy<'a, Vec<(RepoPath, String)>>,
    /// Overlays that have no effect or cannot be used.
    pub overlays: Lazy<'a, OverlayProblems>,
    /// Episodes that lessons cite and that no log, archive or snapshot contains, with their ids.
    pub missing_episodes: Lazy<'a, Vec<(Location, String)>>,
    /// Generated lists of skills that are out of date.
    pub stale_registries: Lazy<'a, Vec<StaleRegistry>>,
    /// Exported plans that differ from what an export would write now.
    pub stale_exports: Lazy<'a, Vec<StaleExport>>,
    /// Differences of the packed plugin.
    pub stale_pack: Lazy<'a, Option<StalePack>>,
}

/// The mirrors and tool files as the next sync would find them.
#[derive(Debug)]
pub struct MirrorSurvey {
    /// The changes that the sync would make. The first sync ever has no edits here, because they are no drift.
    pub plan: SyncPlan,
    /// Tool files that it cannot write.
    pub tool_file_problems: Vec<ToolFileProblem>,
    /// Restrictions that a tool was seen not to follow.
    pub unenforced: Vec<ToolFileProblem>,
    /// Parts of the canon that cannot be mirrored.
    pub unmirrored: Vec<Skipped>,
    /// The folders of mirrors that are missing in the index or in a commit because git ignores them.
    pub ignored_mirrors: Vec<RepoPath>,
    /// The path of the lock of the mirrors.
    pub lock: RepoPath,
    /// The first conflict marker in the lock.
    pub lock_conflict: Option<Location>,
}

/// Overlays with problems, and why.
#[derive(Debug, Default)]
pub struct OverlayProblems {
    /// Overlays without effect.
    pub unused: Vec<(RepoPath, UnusedOverlay)>,
    /// Overlay files that cannot be used.
    pub unusable: Vec<(RepoPath, String)>,
}

/// A packed plugin that is not what a pack would write now.
#[derive(Clone, Debug)]
pub struct StalePack {
    /// The lock of the pack.
    pub lock: RepoPath,
    pub problem: PackProblem,
}

/// Why a packed plugin is stale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackProblem {
    /// The canon has changed since the pack.
    Outdated { version: String, next: String, files: Vec<RepoPath> },
    /// Files of the plugin were edited or removed.
    Edited { files: Vec<RepoPath> },
    /// The content differs from that of the last commit, but the version does not.
    SameVersion { version: String },
    /// The lock cannot be read, or the plugin cannot be made, and why.
    Impossible(String),
}

/// The permissions page, and the MCP servers of the canon.
#[derive(Clone, Debug)]
pub struct PermissionServers {
    pub page: Arc<Source>,
    pub servers: Vec<ServerTools>,
}

/// The tools that agents get of an MCP server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerTools {
    pub name: String,
    /// `None` for all.
    pub included: Option<Vec<String>>,
    pub excluded: Vec<String>,
}

/// An exported plan that is out of date.
#[derive(Clone, Debug)]
pub struct StaleExport {
    /// The id of its plan.
    pub plan: String,
    pub to: ExportTarget,
    /// The exported file.
    pub source: Arc<Source>,
    pub problem: ExportProblem,
}

/// Why an exported plan is out of date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportProblem {
    /// The plan has changed, or this version of canonry writes another text.
    Outdated,
    /// Somebody edited the file.
    Edited,
    /// The plan at this path does not exist.
    NoPlan(String),
    /// The plan can no longer be exported, and why.
    Impossible(String),
}

/// A generated list of skills that is out of date.
#[derive(Clone, Debug)]
pub struct StaleRegistry {
    /// Its path.
    pub path: RepoPath,
    /// Its content; `None` if the file is missing and only the other list exists.
    pub source: Option<Arc<Source>>,
    /// The expected content.
    pub wanted: String,
}

/// The canon as a whole.
#[derive(Clone, Debug)]
pub struct CanonContext {
    /// The folder of its skills.
    pub skills: RepoPath,
    /// The configured targets.
    pub targets: Vec<Target>,
    /// Where the targets are configured; the skills folder if they are not.
    pub targets_at: Location,
    /// The whole config.
    pub config: Config,
    /// Names of skills that are symbolic links.
    pub linked: Vec<String>,
    /// The text of the config, if it is in the repository.
    pub source: Option<Arc<Source>>,
}

impl CanonContext {
    /// Combines the skills folder and the config; `source` is the text of the config, if it is in the repository.
    pub fn new(skills: RepoPath, config: Config, source: Option<Arc<Source>>) -> Self {
        let targets = config.targets.clone();
        let targets_at = Location::file(&skills);
        let canon = Self { skills, targets, targets_at, config, linked: Vec::new(), source };
        Self { targets_at: canon.locate_key(&["targets"]), ..canon }
    }

    /// The location of a config key, given by its path from the root; the skills folder if the key is not set.
    pub fn locate_key(&self, keys: &[&str]) -> Location {
        let at = self.source.as_ref().and_then(|source| {
            let document = yaml::parse(source.text(), 0).ok()?;
            let (last, above) = keys.split_last()?;
            let node = above.iter().try_fold(&document.root, |node, key| node.get(key))?;
            Some(Location::at(source, node.as_mapping()?.get(last)?.key_span))
        });
        at.unwrap_or_else(|| Location::file(&self.skills))
    }
}

/// The parts of a skill that repository-wide rules compare.
#[derive(Clone, Debug)]
pub struct SkillSummary {
    /// Its folder.
    pub folder: RepoPath,
    /// The `name` in its frontmatter.
    pub name: Option<String>,
    /// The location of the name, or of the document if there is none.
    pub location: Location,
    /// Its description with its location.
    pub description: Option<(String, Location)>,
    /// Its `when_to_use`, which some tools list after the description.
    pub when_to_use: Option<String>,
    /// Whether only a person starts it, in the tools that know `disable-model-invocation`.
    pub is_manual: bool,
    /// Its trigger phrases with their locations.
    pub triggers: Vec<(String, Location)>,
    /// Whether its `metadata` says that it is deprecated.
    pub is_deprecated: bool,
    /// The skill that replaces it, with the location of the name.
    pub replaced_by: Option<(String, Location)>,
    /// Skills that its instructions name, with their locations.
    pub mentions: Vec<(String, Location)>,
    /// Whether no tool can read it.
    pub broken: bool,
    /// Whether its mirrors may differ from its document, for instance because of sections for single targets.
    pub may_differ: bool,
}

/// The name of a subagent, and where a tool looks for others of that name.
#[derive(Clone, Debug)]
pub struct SubagentSummary {
    /// The folder in which names are unique.
    pub scope: RepoPath,
    pub name: String,
    /// The location of the name.
    pub location: Location,
}

impl SubagentSummary {
    /// Summarizes a subagent of Claude Code with a name; `None` for other files. A project's names are unique below
    /// `.claude/agents`; in a plugin, a folder may be part of the name.
    pub fn new(file: &ToolFile) -> Option<Self> {
        if file.kind.role != Role::Subagent || file.kind.reader != ToolFileReader::CLAUDE {
            return None;
        }
        let source = file.document.as_ref().ok()?;
        let node = file.root()?.get("name")?;
        let project = file.base.join(".claude/agents");
        let scope = if file.path.is_within(&project) { project } else { file.path.parent()? };
        Some(Self { scope, name: node.as_str()?.to_owned(), location: Location::at(source, node.span) })
    }
}

impl SkillSummary {
    /// Summarizes a skill.
    pub fn new(skill: &Skill) -> Self {
        let text = |key: &str| skill.source().zip(skill.text_field(key));
        let named = text("name");
        Self {
            folder: skill.folder.path.clone(),
            broken: skill.is_broken(),
            may_differ: skill.source().is_some_and(|source| may_render_differently(source.text().as_bytes())),
            name: named.map(|(_, (name, _))| name.to_owned()),
            location: named
                .map_or_else(|| Location::file(skill.path()), |(source, (_, span))| without_source(source, span)),
            description: text("description")
                .map(|(source, (text, span))| (text.to_owned(), without_source(source, span))),
            when_to_use: skill.text_field("when_to_use").map(|(text, _)| text.to_owned()),
            is_manual: skill.field("disable-model-invocation").and_then(|entry| entry.value.as_bool()) == Some(true),
            is_deprecated: lifecycle::is_deprecated(skill),
            replaced_by: lifecycle::replaced_by(skill).map(|(name, at)| (name, forget_source(at))),
            mentions: lifecycle::mentions(skill).into_iter().map(|(name, at)| (name, forget_source(at))).collect(),
            triggers: triggers::trigger_phrases(skill)
                .into_iter()
                .map(|(text, source, span)| (text, without_source(source, span)))
                .collect(),
        }
    }

    /// Its `name` or, if it has none, the name of its folder.
    pub fn shown_name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.folder.file_name_lossy())
    }

    /// Whether another skill has the same name or folder name, ignoring case. `skill-name-clash` reports those pairs.
    pub fn shares_name_with(&self, other: &Self) -> bool {
        fold_name(self.shown_name().as_bytes()) == fold_name(other.shown_name().as_bytes())
            || fold_name(self.folder.file_name()) == fold_name(other.folder.file_name())
    }
}

fn forget_source(location: Location) -> Location {
    Location { source: None, ..location }
}

/// Drops the text of a location: summaries live until the end of the run.
fn without_source(source: &Arc<Source>, span: Span) -> Location {
    Location { source: None, ..Location::at(source, span) }
}
