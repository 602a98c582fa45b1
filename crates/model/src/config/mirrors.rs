//! Mirror settings: copies or links, and which skills are mirrored for which tool.

use super::target::Target;
use super::versions::VersionRequirement;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Form of a mirrored skill.
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

/// The settings of all mirrors, by target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct MirrorsConfig {
    by_target: BTreeMap<Target, MirrorConfig>,
}

impl MirrorsConfig {
    /// The settings of a target's mirror.
    pub fn get(&self, target: Target) -> MirrorConfig {
        self.by_target.get(&target).copied().unwrap_or_default()
    }

    /// Whether every mirror contains copies.
    pub fn is_plain(&self) -> bool {
        self.by_target.values().all(|mirror| mirror.mode == MirrorMode::Copy)
    }

    /// Replaces the targets that stand for rows of the config.
    pub(super) fn resolve(&mut self, resolve: impl Fn(Target) -> Target) {
        self.by_target = std::mem::take(&mut self.by_target).into_iter().map(|(t, own)| (resolve(t), own)).collect();
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
