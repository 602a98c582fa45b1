//! The tool versions of a team, and the tool versions that a skill requires.

use super::problem::{ConfigProblem, ValueError};
use super::target::Target;
use canonry_text::node::Node;
use semver::{Version, VersionReq};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;

/// Why a skill is not mirrored for a target. Displayed as a clause ("as `skills` in the config says").
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExclusionReason {
    /// The config limits the skill to other targets.
    Targets,
    /// The team's version of the tool does not meet the skill's requirement.
    Version {
        /// The requirement of the skill.
        requires: String,
        /// The team's version.
        has: String,
    },
    /// The skill's frontmatter limits it to other targets.
    Document,
}

impl fmt::Display for ExclusionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Targets => f.write_str("`skills` in the config says"),
            Self::Version { requires, has } => {
                write!(f, "it requires {requires} there, and `versions` in the config says {has}")
            }
            Self::Document => f.write_str("`canonry-targets` in its frontmatter says"),
        }
    }
}

/// The version of a tool, such as `2.1.4`. Missing components are 0.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct ToolVersion {
    text: String,
    version: Version,
}

/// A version requirement in Cargo's syntax: `>=2.1`, `>=2.1, <3`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct VersionRequirement {
    text: String,
    versions: VersionReq,
}

impl TryFrom<String> for ToolVersion {
    type Error = ValueError;

    fn try_from(text: String) -> Result<Self, ValueError> {
        let numbers = text.split('.').count();
        let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let missing = if plain { 3usize.saturating_sub(numbers) } else { 0 };
        let version = Version::parse(&format!("{text}{}", ".0".repeat(missing)));
        let version = version.map_err(|e| ValueError::InvalidVersion { text: text.clone(), reason: e.to_string() })?;
        Ok(Self { text, version })
    }
}

impl ToolVersion {
    /// Whether it is at least `minimum`. An invalid minimum is never met.
    pub fn is_at_least(&self, minimum: &str) -> bool {
        Self::try_from(minimum.to_owned()).is_ok_and(|minimum| self.version >= minimum.version)
    }
}

impl fmt::Display for ToolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl TryFrom<String> for VersionRequirement {
    type Error = ValueError;

    fn try_from(text: String) -> Result<Self, ValueError> {
        let versions = VersionReq::parse(&text);
        let versions =
            versions.map_err(|e| ValueError::InvalidRequirement { text: text.clone(), reason: e.to_string() })?;
        Ok(Self { text, versions })
    }
}

/// Whether the requirements of a skill exclude it from a target.
pub(super) fn exclusion(
    requires: &BTreeMap<Target, VersionRequirement>,
    versions: &BTreeMap<Target, ToolVersion>,
    target: Target,
) -> Option<ExclusionReason> {
    let requirement = requires.get(&target)?;
    let version = versions.get(&target)?;
    let excluded = ExclusionReason::Version { requires: requirement.text.clone(), has: version.text.clone() };
    (!requirement.versions.matches(&version.version)).then_some(excluded)
}

/// Tools with a requirement whose versions the config does not name.
pub(super) fn problems(root: &Node) -> Vec<ConfigProblem> {
    let versions = root.get("versions");
    let is_unknown = |tool: &str| versions.is_none_or(|versions| versions.get(tool).is_none());
    let requirements = root.entries_at("skills").iter().flat_map(|skill| skill.value.entries_at("requires"));
    let unknown = requirements.filter(|entry| is_unknown(&entry.key));
    let problem = |tool: &str| format!("the version of {tool} is unknown; add `versions: {{{tool}: \"…\"}}`");
    unknown.map(|entry| ConfigProblem { span: entry.value.span, message: problem(&entry.key) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use canonry_text::{RepoPath, Source};

    fn parse(text: &str) -> Result<Config, Vec<String>> {
        let source = Source::new(RepoPath::from("agent/canonry.yaml"), text.to_owned());
        let located = |p: ConfigProblem| format!("{}: {}", source.slice(p.span), p.message);
        Config::parse(&source, &[]).map_err(|problems| problems.into_iter().map(located).collect())
    }

    #[test]
    fn version_requirement_excludes_older_tools() {
        for (version, requires, admitted) in [
            ("2.0.5", ">=2.1.0", false),
            ("2.1.0", ">=2.1.0", true),
            ("2.1", ">=2.1", true),
            ("3", ">=2.1, <3", false),
            ("2.5.1", "2", true),
            ("2.1.0-beta.1", ">=2.1.0", false),
        ] {
            let text = format!(
                "versions: {{claude: \"{version}\"}}\nskills: {{a: {{requires: {{claude: \"{requires}\"}}}}}}\n"
            );
            let config = parse(&text).unwrap();
            assert_eq!(config.admits("a", Target::CLAUDE), admitted, "{text}");
            assert!(config.admits("a", Target::CODEX) && config.admits("b", Target::CLAUDE));
        }
        let config =
            parse("versions: {claude: '1'}\nskills: {a: {requires: {claude: '2'}, targets: [codex]}}\n").unwrap();
        assert_eq!(config.exclusion("a", Target::CLAUDE), Some(ExclusionReason::Targets));
        assert_eq!(config.exclusion("a", Target::GEMINI), Some(ExclusionReason::Targets));
    }

    #[test]
    fn reports_invalid_versions() {
        for (text, want) in [
            ("versions: {claude: two}\n", "two: `two` is not a version"),
            ("versions: {claude: 2025.01.02}\n", "2025.01.02: `2025.01.02` is not a version"),
            (
                "versions: {claude: \"2\"}\nskills: {a: {requires: {claude: new}}}\n",
                "new: `new` is not a version requirement",
            ),
            ("skills: {a: {requires: {claude: \">=2\"}}}\n", "\">=2\": the version of claude is unknown"),
            ("versions: {agents: \"2\"}\n", "agents: unknown key `agents`"),
            ("skills: {a: {requires: {claud: \"2\"}}}\n", "claud: unknown key `claud`; did you mean `claude`?"),
        ] {
            let problems = parse(text).unwrap_err();
            assert!(problems[0].starts_with(want), "{problems:?}");
        }
        assert!(parse("versions: {claude: 2.1}\n").is_err(), "a number loses its zeros");
    }
}
