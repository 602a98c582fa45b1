//! How skills reach the tools: as copies or as links, and which skill reaches which tool.

use super::target::Target;
use super::versions::VersionRequirement;
use serde::Deserialize;
use std::collections::BTreeMap;

/// How a skill stands in a mirror.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MirrorMode {
    /// As a copy of its files.
    #[default]
    Copy,
    /// As a link to its folder in the canon.
    Symlink,
}

/// What is configured of one target's mirror.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MirrorConfig {
    /// How its skills stand in it.
    pub mode: MirrorMode,
}

/// What is configured of the mirrors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MirrorsConfig {
    /// `.claude/skills`
    pub claude: MirrorConfig,
    /// `.gemini/skills`
    pub gemini: MirrorConfig,
    /// `.cursor/skills`
    pub cursor: MirrorConfig,
    /// `.codex/skills`
    pub codex: MirrorConfig,
    /// `.antigravity/skills`
    pub antigravity: MirrorConfig,
    /// `.agents/skills`
    pub agents: MirrorConfig,
}

impl MirrorsConfig {
    /// What is configured of a target's mirror.
    pub fn get(&self, target: Target) -> MirrorConfig {
        match target {
            Target::Claude => self.claude,
            Target::Gemini => self.gemini,
            Target::Cursor => self.cursor,
            Target::Codex => self.codex,
            Target::Antigravity => self.antigravity,
            Target::Agents => self.agents,
        }
    }

    /// Whether every mirror holds copies.
    pub fn is_plain(&self) -> bool {
        Target::ALL.iter().all(|target| self.get(*target).mode == MirrorMode::Copy)
    }
}

/// What is configured of one skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SkillConfig {
    /// How it stands in every mirror, whatever is said of the mirror.
    pub mode: Option<MirrorMode>,
    /// The only targets it is mirrored to.
    pub targets: Option<Vec<Target>>,
    /// The versions of tools that it needs; to others it is not mirrored.
    pub requires: BTreeMap<Target, VersionRequirement>,
}

/// The keys below `mirrors` and `skills`.
pub(super) fn known_keys(at: &str) -> &'static [&'static str] {
    match at {
        "mirrors" => &["claude", "gemini", "cursor", "codex", "antigravity", "agents"],
        at if at.starts_with("mirrors.") => &["mode"],
        at if at == "versions" || at.starts_with("skills.") && at.ends_with(".requires") => {
            &["claude", "gemini", "cursor", "codex", "antigravity"]
        }
        at if at.starts_with("skills.") => &["mode", "targets", "requires"],
        _ => &[],
    }
}
