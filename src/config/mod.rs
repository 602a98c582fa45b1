//! Floor 2: `canonry.yaml`.

mod files;
mod folders;
mod hooks;
mod memory;
mod mirrors;
mod overrides;
mod problem;
mod target;
mod versions;

pub use files::{
    AgentsFiles, AgentsMdMode, AntigravityFiles, ClaudeFiles, CodexFiles, ContextMode, CursorFiles, GeminiFiles,
    GitFiles, ToolFilesConfig,
};
pub use folders::FolderPattern;
pub use hooks::{HookAnswer, HookFailMode, HookLogScope, HooksConfig, StopReminder};
pub use memory::{MemoryConfig, Promotion, SalienceWeights};
pub use mirrors::{MirrorConfig, MirrorMode, MirrorsConfig, SkillConfig};
pub use overrides::{PathPatterns, SeverityOverride};
pub use problem::{ConfigProblem, closest_match};
pub use target::{NameConflict, Target, USER_SKILL_READERS, UserSkillReader};
pub use versions::{ExclusionReason, ToolVersion, VersionRequirement};

use crate::canon::schema::{SchemaKind, Schemas, Violation};
use crate::finding::Severity;
use crate::syntax::{RepoPath, Source, Span, yaml};
use problem::severities;
use serde::Deserialize;
use std::collections::BTreeMap;

/// What a team configures.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The canon's folder; only a file at the top of the repository may say it.
    pub root: Option<String>,
    /// Folders of the repository that have a canon of their own; only the repository's own config may say it.
    pub canons: Vec<String>,
    /// Where `--all` finds repositories; only the user's own config may say it.
    pub repositories: Vec<String>,
    /// Where skills are mirrored to.
    pub targets: Vec<Target>,
    /// Which files of the tools are written besides skills.
    pub files: ToolFilesConfig,
    /// Severity by rule id.
    #[serde(deserialize_with = "severities")]
    pub rules: BTreeMap<String, Severity>,
    /// Other severities below some paths; of two that speak of a rule in a file the later one holds.
    pub overrides: Vec<SeverityOverride>,
    /// How skills reach the tools.
    pub mirrors: MirrorsConfig,
    /// What holds for one skill, by its folder's name.
    pub skills: BTreeMap<String, SkillConfig>,
    /// Whether the lists of the skills are kept; by default where one of them is there that canonry made.
    pub skills_index: Option<bool>,
    /// The lowest version of each tool that the team uses.
    pub versions: BTreeMap<Target, ToolVersion>,
    /// What the nightly dream goes by.
    pub memory: MemoryConfig,
    /// What the hooks of tools answer and log.
    pub hooks: HooksConfig,
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
            mirrors: MirrorsConfig::default(),
            skills: BTreeMap::new(),
            skills_index: None,
            versions: BTreeMap::new(),
            memory: MemoryConfig::default(),
            hooks: HooksConfig::default(),
        }
    }
}

impl Config {
    /// Whether what another says of mirrors is the same, whatever it says of rules, memory and hooks.
    #[must_use]
    pub fn mirrors_as(&self, other: &Self) -> bool {
        let of_mirrors = |config: &Self| Self {
            repositories: Vec::new(),
            rules: BTreeMap::new(),
            overrides: Vec::new(),
            memory: MemoryConfig::default(),
            hooks: HooksConfig::default(),
            ..config.clone()
        };
        of_mirrors(self) == of_mirrors(other)
    }

    /// How a skill, by its folder's name, stands in a target's mirror.
    pub fn mode(&self, skill: &str, target: Target) -> MirrorMode {
        let own = self.skills.get(skill).and_then(|setting| setting.mode);
        own.unwrap_or_else(|| self.mirrors.get(target).mode)
    }

    /// Whether a skill, by its folder's name, is mirrored to a target.
    pub fn admits(&self, skill: &str, target: Target) -> bool {
        self.kept(skill, target).is_none()
    }

    /// Why a skill, by its folder's name, is kept from a target; nothing where it is not.
    pub fn kept(&self, skill: &str, target: Target) -> Option<ExclusionReason> {
        let setting = self.skills.get(skill)?;
        let only = setting.targets.as_ref().filter(|targets| !targets.contains(&target));
        only.map(|_| ExclusionReason::Targets).or_else(|| versions::kept(&setting.requires, &self.versions, target))
    }

    /// The severity that is configured for a rule in a file.
    pub fn severity(&self, rule: &str, path: &RepoPath) -> Option<Severity> {
        let of = |entry: &SeverityOverride| entry.rules.get(rule).filter(|_| entry.paths.hold(path)).copied();
        self.overrides.iter().rev().find_map(of).or_else(|| self.rules.get(rule).copied())
    }

    /// Reads a config's text; `rules` are the ids that there are.
    ///
    /// # Errors
    /// Every unknown key and wrong value with its place, or the first place where it is no YAML.
    pub fn parse(source: &Source, rules: &[&str]) -> Result<Self, Vec<ConfigProblem>> {
        let one = |span, message: String| vec![ConfigProblem { span, message }];
        let document = yaml::parse(source.text(), 0).map_err(|e| one(e.span, e.message))?;
        if let Some(duplicate) = document.duplicates.first() {
            return Err(one(duplicate.span, format!("the key `{}` stands twice", duplicate.key)));
        }
        if document.root.as_scalar().is_some_and(|s| s.text.is_empty()) {
            return Ok(Self::default());
        }
        let violations = Schemas::default().validate(SchemaKind::Config, &document.root);
        if !violations.is_empty() {
            return Err(violations.iter().map(problem).collect());
        }
        let root = document.root.get("root").and_then(|node| Some((node.span, &node.as_scalar()?.text)));
        if let Some((span, root)) = root.filter(|(_, root)| leaves_repository(root)) {
            return Err(one(span, format!("`root: {root}` is no folder of this repository")));
        }
        let mut problems = overrides::problems(&document.root, rules);
        problems.extend(versions::problems(&document.root));
        problems.extend(folders::problems(&document.root));
        problems.extend(memory::problems(&document.root));
        if !problems.is_empty() {
            return Err(problems);
        }
        serde_yaml::from_str(source.text()).map_err(|e| one(Span::default(), e.to_string()))
    }
}

/// Or leads into git's own folder.
fn leaves_repository(root: &str) -> bool {
    root.starts_with('/') || root.split('/').any(|part| part == ".." || part.eq_ignore_ascii_case(".git"))
}

fn problem(violation: &Violation) -> ConfigProblem {
    let at = violation.pointer.trim_start_matches('/').replace('/', ".");
    let message = match (&violation.key, at.as_str()) {
        (Some(key), at) if violation.keyword == "additionalProperties" => {
            did_you_mean(&violation.message, key, known_keys(at))
        }
        (_, "") => violation.message.clone(),
        (_, at) => format!("`{at}`: {}", violation.message),
    };
    ConfigProblem { span: violation.span, message }
}

/// The keys below a key.
fn known_keys(at: &str) -> &'static [&'static str] {
    match at {
        "" => &[
            "root",
            "canons",
            "repositories",
            "targets",
            "files",
            "rules",
            "overrides",
            "mirrors",
            "skills",
            "skills_index",
            "versions",
            "memory",
            "hooks",
        ],
        at if at.starts_with("overrides.") => &["paths", "rules"],
        "memory" => memory::KEYS,
        "hooks" => hooks::KEYS,
        "memory.weights" => memory::WEIGHTS,
        at => files::known_keys(at).unwrap_or_else(|| mirrors::known_keys(at)),
    }
}

fn did_you_mean(message: &str, key: &str, known: &[&'static str]) -> String {
    match closest_match(key, known.iter().copied()) {
        Some(known) => format!("{message}; did you mean `{known}`?"),
        None => message.to_owned(),
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
