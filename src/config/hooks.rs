//! The settings of agent hooks.

use serde::Deserialize;

/// How agent hooks decide, and what they log.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "HookKeys")]
pub struct HooksConfig {
    /// The values of the keys that the config does not set.
    pub preset: HookPreset,
    /// The packs of commands that need approval.
    pub packs: Vec<HookPack>,
    /// The verdict on calls that no permission mentions. `allow` leaves the decision to the tool.
    pub unknown: HookAnswer,
    /// The verdict on command lines that cannot be parsed.
    pub unreadable: HookAnswer,
    /// The verdict on hosts that are not approved.
    pub hosts: HookAnswer,
    /// Whether to tell the tool explicitly that a call is allowed.
    pub allow: bool,
    /// What happens if the hook itself fails.
    pub fail: HookFailMode,
    /// Which calls to record in the episodic log.
    pub log: HookLogScope,
    /// The maximum number of tokens to inject at session start.
    pub budget: usize,
    /// Whether to remind an agent that stops.
    pub stop: StopReminder,
}

/// A configured verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HookAnswer {
    Allow,
    Ask,
    Deny,
}

/// What happens if a hook fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HookFailMode {
    /// The tool continues.
    #[default]
    Open,
    /// The call is denied.
    Closed,
}

/// Which calls to record in the episodic log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HookLogScope {
    /// Failures, and successful calls that required approval.
    #[default]
    Failures,
    All,
}

/// Whether to remind an agent that stops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StopReminder {
    /// Once per session with a logged failure: ask the agent to record what it learnt.
    #[default]
    Remind,
    Off,
}

/// The values of all keys of the hooks that the config does not set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HookPreset {
    /// Every call that no entry allows asks, and what cannot be known is denied.
    Strict,
    #[default]
    Standard,
    /// Only what the built-in guards deny, and what the team's pages say.
    Minimal,
}

/// A table of commands that need approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HookPack {
    Databases,
    Kubectl,
    Terraform,
    Cloud,
}

impl HookPack {
    pub const ALL: [Self; 4] = [Self::Databases, Self::Kubectl, Self::Terraform, Self::Cloud];

    pub fn name(self) -> &'static str {
        match self {
            Self::Databases => "databases",
            Self::Kubectl => "kubectl",
            Self::Terraform => "terraform",
            Self::Cloud => "cloud",
        }
    }
}

/// The keys as the config sets them.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct HookKeys {
    preset: HookPreset,
    packs: Option<Vec<HookPack>>,
    unknown: Option<HookAnswer>,
    unreadable: Option<HookAnswer>,
    hosts: Option<HookAnswer>,
    allow: Option<bool>,
    fail: Option<HookFailMode>,
    log: Option<HookLogScope>,
    budget: Option<usize>,
    stop: Option<StopReminder>,
}

impl From<HookKeys> for HooksConfig {
    fn from(keys: HookKeys) -> Self {
        let preset = Self::from_preset(keys.preset);
        Self {
            preset: keys.preset,
            packs: keys.packs.unwrap_or(preset.packs),
            unknown: keys.unknown.unwrap_or(preset.unknown),
            unreadable: keys.unreadable.unwrap_or(preset.unreadable),
            hosts: keys.hosts.unwrap_or(preset.hosts),
            allow: keys.allow.unwrap_or(preset.allow),
            fail: keys.fail.unwrap_or(preset.fail),
            log: keys.log.unwrap_or(preset.log),
            budget: keys.budget.unwrap_or(preset.budget),
            stop: keys.stop.unwrap_or(preset.stop),
        }
    }
}

impl HooksConfig {
    /// The values of a preset.
    pub fn from_preset(preset: HookPreset) -> Self {
        let standard = Self::default();
        match preset {
            HookPreset::Standard => standard,
            HookPreset::Strict => Self {
                preset,
                packs: HookPack::ALL.to_vec(),
                unknown: HookAnswer::Ask,
                unreadable: HookAnswer::Deny,
                hosts: HookAnswer::Deny,
                fail: HookFailMode::Closed,
                ..standard
            },
            HookPreset::Minimal => Self { preset, unreadable: HookAnswer::Allow, hosts: HookAnswer::Allow, ..standard },
        }
    }

    /// The keys that loosen a guard below the default. Those of a repository count only if a person trusts it; all others
    /// tighten. A pack always tightens.
    pub fn loosened(&self) -> Vec<&'static str> {
        let standard = Self::default();
        let strictness = |answer: HookAnswer| answer as u8;
        let keys = [
            ("allow", self.allow && !standard.allow),
            ("hosts", strictness(self.hosts) < strictness(standard.hosts)),
            ("unreadable", strictness(self.unreadable) < strictness(standard.unreadable)),
            ("unknown", strictness(self.unknown) < strictness(standard.unknown)),
        ];
        keys.into_iter().filter(|(_, is_looser)| *is_looser).map(|(key, _)| key).collect()
    }
}

impl Default for HooksConfig {
    fn default() -> Self {
        Self {
            preset: HookPreset::Standard,
            packs: Vec::new(),
            unknown: HookAnswer::Allow,
            unreadable: HookAnswer::Ask,
            hosts: HookAnswer::Ask,
            allow: false,
            fail: HookFailMode::Open,
            log: HookLogScope::Failures,
            budget: 1500,
            stop: StopReminder::Remind,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> HooksConfig {
        serde_yaml::from_str(text).unwrap()
    }

    #[test]
    fn a_key_overrides_its_preset() {
        assert_eq!(parse("{}"), HooksConfig::default());
        assert_eq!(parse("preset: standard"), HooksConfig::default());
        let strict = parse("{preset: strict, hosts: ask}");
        assert_eq!((strict.unknown, strict.hosts), (HookAnswer::Ask, HookAnswer::Ask));
        assert_eq!(strict.packs, HookPack::ALL);
        assert_eq!(parse("{preset: strict, packs: []}").packs, []);
        assert_eq!(parse("preset: minimal").unreadable, HookAnswer::Allow);
    }

    #[test]
    fn what_loosens_a_guard_is_listed() {
        for (text, want) in [
            ("{}", &[][..]),
            ("preset: strict", &[]),
            ("packs: [cloud]", &[]),
            ("{unknown: deny, hosts: deny}", &[]),
            ("preset: minimal", &["hosts", "unreadable"]),
            ("allow: true", &["allow"]),
            ("{preset: strict, hosts: allow}", &["hosts"]),
        ] {
            assert_eq!(parse(text).loosened(), want, "{text}");
        }
    }
}
