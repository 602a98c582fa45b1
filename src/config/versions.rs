//! The versions of tools that a team uses, and those that a skill needs.

use super::problem::ConfigProblem;
use super::target::Target;
use crate::syntax::node::Node;
use semver::{Version, VersionReq};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;

/// Why a skill is kept from a target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExclusionReason {
    /// The config names the targets that it is for.
    Targets,
    /// The tool is too old, or too new.
    Version {
        /// What the skill needs.
        requires: String,
        /// What the team uses.
        has: String,
    },
    /// Its own frontmatter names the targets that it is for.
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

/// The version of a tool: `2.1.4`; what is not given is 0.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct ToolVersion {
    text: String,
    version: Version,
}

/// The versions of a tool that a skill needs: `>=2.1`, `>=2.1, <3`, as in Cargo.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct VersionRequirement {
    text: String,
    versions: VersionReq,
}

impl TryFrom<String> for ToolVersion {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let numbers = text.split('.').count();
        let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let missing = if plain { 3usize.saturating_sub(numbers) } else { 0 };
        let version = Version::parse(&format!("{text}{}", ".0".repeat(missing)));
        let version = version.map_err(|e| format!("`{text}` is no version such as `2.1.0`: {e}"))?;
        Ok(Self { text, version })
    }
}

impl TryFrom<String> for VersionRequirement {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let versions = VersionReq::parse(&text);
        let versions = versions.map_err(|e| format!("`{text}` says no versions, as `>=2.1` does: {e}"))?;
        Ok(Self { text, versions })
    }
}

/// Why a skill with these requirements is kept from a target; nothing where it is not.
pub(super) fn kept(
    requires: &BTreeMap<Target, VersionRequirement>,
    versions: &BTreeMap<Target, ToolVersion>,
    target: Target,
) -> Option<ExclusionReason> {
    let (requirement, version) = (requires.get(&target)?, versions.get(&target)?);
    let kept = ExclusionReason::Version { requires: requirement.text.clone(), has: version.text.clone() };
    (!requirement.versions.matches(&version.version)).then_some(kept)
}

/// What is wrong with versions, which the schema cannot know.
pub(super) fn problems(root: &Node) -> Vec<ConfigProblem> {
    let versions = root.get("versions");
    let mut found: Vec<ConfigProblem> = texts(versions).filter_map(|(_, node)| wrong::<ToolVersion>(node)).collect();
    let skills = root.get("skills").and_then(Node::as_mapping).map_or(&[][..], |skills| &skills.entries);
    for skill in skills {
        for (tool, node) in texts(skill.value.get("requires")) {
            let known = versions.is_some_and(|versions| versions.get(tool).is_some());
            let message =
                format!("which version of {tool} you use is not known; say it: `versions: {{{tool}: \"…\"}}`");
            let unknown = (!known).then_some(ConfigProblem { span: node.span, message });
            found.extend(wrong::<VersionRequirement>(node).or(unknown));
        }
    }
    found
}

fn texts(node: Option<&Node>) -> impl Iterator<Item = (&str, &Node)> {
    let entries = node.and_then(Node::as_mapping).map_or(&[][..], |mapping| &mapping.entries);
    entries.iter().map(|entry| (entry.key.as_str(), &entry.value))
}

fn wrong<T: TryFrom<String, Error = String>>(node: &Node) -> Option<ConfigProblem> {
    let message = T::try_from(node.as_str()?.to_owned()).err()?;
    Some(ConfigProblem { span: node.span, message })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::syntax::{RepoPath, Source};

    fn parse(text: &str) -> Result<Config, Vec<String>> {
        let source = Source::new(RepoPath::from("agent/canonry.yaml"), text.to_owned());
        let say = |p: ConfigProblem| format!("{}: {}", source.slice(p.span), p.message);
        Config::parse(&source, &[]).map_err(|problems| problems.into_iter().map(say).collect())
    }

    #[test]
    fn a_tool_that_is_too_old_does_not_get_the_skill() {
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
            assert_eq!(config.admits("a", Target::Claude), admitted, "{text}");
            assert!(config.admits("a", Target::Codex) && config.admits("b", Target::Claude));
        }
        let config =
            parse("versions: {claude: '1'}\nskills: {a: {requires: {claude: '2'}, targets: [codex]}}\n").unwrap();
        assert_eq!(config.kept("a", Target::Claude), Some(ExclusionReason::Targets));
        assert_eq!(config.kept("a", Target::Gemini), Some(ExclusionReason::Targets));
    }

    #[test]
    fn points_at_what_is_no_version() {
        for (text, said) in [
            ("versions: {claude: two}\n", "two: `two` is no version"),
            ("versions: {claude: 2025.01.02}\n", "2025.01.02: `2025.01.02` is no version"),
            ("versions: {claude: \"2\"}\nskills: {a: {requires: {claude: new}}}\n", "new: `new` says no versions"),
            ("skills: {a: {requires: {claude: \">=2\"}}}\n", "\">=2\": which version of claude you use is not known"),
            ("versions: {agents: \"2\"}\n", "agents: unknown key `agents`"),
            ("skills: {a: {requires: {claud: \"2\"}}}\n", "claud: unknown key `claud`; did you mean `claude`?"),
        ] {
            let problems = parse(text).unwrap_err();
            assert!(problems[0].starts_with(said), "{problems:?}");
        }
        assert!(parse("versions: {claude: 2.1}\n").is_err(), "a number loses its zeros");
    }
}
