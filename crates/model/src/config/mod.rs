//! The configuration in `canonry.yaml`.
//!
//! `schemas/config.schema.json` defines the keys, their types and their documentation. The structs here mirror it.

pub mod compatibility;
mod custom_files;
mod custom_targets;
mod exclude;
pub mod files;
mod folders;
mod hook_tool;
mod hooks;
mod memory;
mod mirrors;
pub mod modeline;
mod overrides;
pub mod pack;
mod plans;
mod problem;
pub mod restrictions;
pub mod switches;
mod target;
mod values;
mod versions;

pub use crate::tools::{
    CommandRow, ContextEvent, ContextReading, ContextRow, ContextSetting, EvidenceLevel, HookFormat, HookQuestions,
    HookRow, HookTrust, McpRow, MemoryScope, NameConflict, PermissionGrammar, PermissionRow, RepeatedSkill,
    SHARED_MIRROR, SharedByWorktrees, SubagentFormat, SubagentRow, TOOLS, ToolMemory, ToolRow, ToolStatus, tool_row,
};
pub use exclude::{ExcludePatterns, PatternMatch};
pub use files::{AgentsMdMode, ContextMode, CustomFiles, ToolFilesConfig};
pub use folders::FolderPattern;
pub use hook_tool::HookTool;
pub use hooks::{EffectiveHooks, HookAskMode, HookFailMode, HookLogScope, HookPack, HooksConfig, StopReminder};
pub use memory::{MemoryConfig, Promotion, SalienceWeights};
pub use mirrors::{MirrorMode, MirrorsConfig, SkillConfig};
pub use overrides::SeverityOverride;
pub use pack::{PackAuthor, PackConfig};
pub use plans::PlansConfig;
pub use problem::ConfigProblem;
pub use target::{Target, is_mirror_path, mirror_root};
pub use versions::{ExclusionReason, ToolVersion};

use crate::canon::schema::{SchemaKind, Schemas, Violation};
use crate::finding::Severity;
use canonry_text::closest_match;
use canonry_text::{RepoPath, Source, Span, yaml};
use problem::severities;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The configuration of a repository or a user. Every key has a default.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The canon's folder. Allowed only in a file at the top of the repository.
    pub root: Option<String>,
    /// Folders of the repository with a canon of their own. Allowed only in the repository's config.
    pub canons: Vec<String>,
    /// Where `--all` finds repositories. Allowed only in the user's config.
    pub repositories: Vec<String>,
    /// The tools that skills are mirrored for.
    #[serde(deserialize_with = "custom_targets::targets")]
    pub targets: Vec<Target>,
    /// The tool files to write besides skills.
    pub files: ToolFilesConfig,
    /// Severity by rule id.
    #[serde(deserialize_with = "severities")]
    pub rules: BTreeMap<String, Severity>,
    /// Severities below some paths. A later entry takes precedence.
    pub overrides: Vec<SeverityOverride>,
    /// Files that `check` leaves out, besides the conventional folders.
    pub exclude: ExcludePatterns,
    /// Whether each mirror holds copies or links.
    pub mirrors: MirrorsConfig,
    /// Settings per skill, by the name of its folder.
    pub skills: BTreeMap<String, SkillConfig>,
    /// Whether sync maintains the generated lists of skills. By default, if one generated list exists.
    pub skills_index: Option<bool>,
    /// The lowest version of each tool in use.
    pub versions: BTreeMap<Target, ToolVersion>,
    /// The settings of `canonry dream`.
    pub memory: MemoryConfig,
    /// The settings of agent hooks.
    pub hooks: HooksConfig,
    /// The keys of `hooks` that the text has.
    #[serde(skip)]
    pub stated_hooks: BTreeSet<String>,
    /// Where plans and reports are, and how steps are claimed.
    pub plans: PlansConfig,
    /// The plugin that `canonry pack` makes.
    pub pack: PackConfig,
    /// Sources whose skills and shared files all belong to the canon: `OWNER/REPO[/PATH][@REF]` or an address.
    pub extends: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            root: None,
            canons: Vec::new(),
            repositories: Vec::new(),
            targets: Target::DEFAULT.to_vec(),
            files: ToolFilesConfig::default(),
            rules: BTreeMap::new(),
            overrides: Vec::new(),
            exclude: ExcludePatterns::default(),
            mirrors: MirrorsConfig::default(),
            skills: BTreeMap::new(),
            skills_index: None,
            versions: BTreeMap::new(),
            memory: MemoryConfig::default(),
            hooks: HooksConfig::default(),
            stated_hooks: BTreeSet::new(),
            plans: PlansConfig::default(),
            pack: PackConfig::default(),
            extends: Vec::new(),
        }
    }
}

impl Config {
    /// Whether two configs lead to the same mirrors. Ignores rules, memory, hooks, plans and the plugin.
    #[must_use]
    pub fn has_same_mirrors(&self, other: &Self) -> bool {
        let mirror_settings = |config: &Self| Self {
            repositories: Vec::new(),
            rules: BTreeMap::new(),
            overrides: Vec::new(),
            exclude: ExcludePatterns::default(),
            memory: MemoryConfig::default(),
            hooks: HooksConfig::default(),
            stated_hooks: BTreeSet::new(),
            plans: PlansConfig::default(),
            pack: PackConfig::default(),
            extends: Vec::new(),
            ..config.clone()
        };
        mirror_settings(self) == mirror_settings(other)
    }

    /// Whether a mirror of the table or of this config contains `path`, or is `path`.
    pub fn is_in_mirror(&self, path: &RepoPath) -> bool {
        Target::holding(path).is_some() || self.targets.iter().any(|target| target.contains(path))
    }

    /// The targets of the table and of this config.
    pub fn known_targets(&self) -> BTreeSet<Target> {
        Target::with_all(self.targets.iter().copied())
    }

    /// The mirror mode of a skill for a target. `skill` is the name of its folder.
    pub fn mode(&self, skill: &str, target: Target) -> MirrorMode {
        let own = self.skills.get(skill).and_then(|setting| setting.mode);
        own.unwrap_or_else(|| self.mirrors.get(target).mode)
    }

    /// Whether a skill is mirrored for a target. `skill` is the name of its folder.
    pub fn admits(&self, skill: &str, target: Target) -> bool {
        self.exclusion(skill, target).is_none()
    }

    /// Why a skill is not mirrored for a target; `None` if it is.
    pub fn exclusion(&self, skill: &str, target: Target) -> Option<ExclusionReason> {
        let setting = self.skills.get(skill)?;
        let only = setting.targets.as_ref().filter(|targets| !targets.contains(&target));
        only.map(|_| ExclusionReason::Targets)
            .or_else(|| versions::exclusion(&setting.requires, &self.versions, target))
    }

    /// The configured severity of a rule in a file.
    pub fn severity(&self, rule: &str, path: &RepoPath) -> Option<Severity> {
        let severity = |entry: &SeverityOverride| entry.rules.get(rule).filter(|_| entry.paths.contain(path)).copied();
        self.overrides.iter().rev().find_map(severity).or_else(|| self.rules.get(rule).copied())
    }

    /// Parses a config. `rules` are the ids of all rules.
    ///
    /// # Errors
    /// Every unknown key and invalid value with its position, or the first YAML syntax error.
    pub fn parse(source: &Source, rules: &[&str]) -> Result<Self, Vec<ConfigProblem>> {
        let one = |span, message: String| vec![ConfigProblem { span, message }];
        let document = yaml::parse(source.text(), 0).map_err(|e| one(e.span, e.message))?;
        if let Some(duplicate) = document.duplicates.first() {
            return Err(one(duplicate.span, format!("duplicate key `{}`", duplicate.key)));
        }
        if document.root.as_scalar().is_some_and(|s| s.text.is_empty()) {
            return Ok(Self::default());
        }
        let violations = Schemas::default().validate(SchemaKind::Config, &document.root);
        if !violations.is_empty() {
            return Err(violations.iter().map(problem).collect());
        }
        let mut problems = values::problems(&document.root);
        problems.extend(overrides::unknown_rules(&document.root, rules));
        problems.extend(custom_targets::problems(&document.root));
        problems.extend(custom_files::problems(&document.root));
        problems.extend(versions::problems(&document.root));
        problems.sort_by_key(|problem| problem.span);
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut config: Self = serde_yaml::from_str(source.text()).map_err(|e| one(Span::default(), e.to_string()))?;
        config.resolve_targets();
        config.files.custom = custom_files::files(&document.root);
        let stated_hooks = document.root.entries_at("hooks").iter().map(|entry| entry.key.clone());
        Ok(Self { stated_hooks: stated_hooks.collect(), ..config })
    }
}

/// Whether the path leads out of the repository or into git's own folder.
fn leaves_repository(root: &str) -> bool {
    root.starts_with('/') || root.split('/').any(|part| part == ".." || part.eq_ignore_ascii_case(".git"))
}

fn problem(violation: &Violation) -> ConfigProblem {
    let at = violation.pointer.trim_start_matches('/').replace('/', ".");
    let message = match (&violation.key, at.as_str()) {
        (Some(key), _) if violation.keyword == "additionalProperties" => {
            let known = SchemaKind::Config.known_keys("", &violation.pointer);
            let place = if at.is_empty() { String::new() } else { format!(" of `{at}`") };
            match closest_match(key, known.iter().map(String::as_str)) {
                Some(known) => format!("{}; did you mean `{known}`?", violation.message),
                None => format!("{}; the keys{place} are {}", violation.message, known.join(", ")),
            }
        }
        (_, at) if violation.keyword == "enum" && at.starts_with("targets.") => format!(
            "`{at}`: {}; for another tool, use a map with its folder: `foo: {{skills: .foo/skills}}`",
            violation.message
        ),
        (_, "") => violation.message.clone(),
        (_, at) => format!("`{at}`: {}", violation.message),
    };
    ConfigProblem { span: violation.span, message }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
