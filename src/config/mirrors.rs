//! Mirror settings: copies or links, and which skills are mirrored for which tool.

use super::target::Target;
use super::versions::VersionRequirement;
use serde::Deserialize;
use std::collections::BTreeMap;

/// How a skill is mirrored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MirrorMode {
    /// A copy of its files.
    #[default]
    Copy,
    /// A symbolic link to its folder in the canon.
    Symlink,
}

/// The settings of one mirror.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MirrorConfig {
    pub mode: MirrorMode,
}

/// The settings of all mirrors.
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
    /// The settings of a target's mirror.
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

    /// Whether every mirror contains copies.
    pub fn is_plain(&self) -> bool {
        Target::ALL.iter().all(|target| self.get(*target).mode == MirrorMode::Copy)
    }
}

/// The settings of one skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SkillConfig {
    /// The mode in every mirror; overrides the mirror's setting.
    pub mode: Option<MirrorMode>,
    /// The targets to mirror it for; by default all.
    pub targets: Option<Vec<Target>>,
    /// The tool versions that it requires. It is not mirrored for other versions.
    pub requires: BTreeMap<Target, VersionRequirement>,
}
