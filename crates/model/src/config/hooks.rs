//! The settings of agent hooks.

use crate::canon::permissions::Verdict;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Decisions of agent hooks, and their logging.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "HookKeys")]
pub struct HooksConfig {
    /// The values of the keys that the config does not set.
    pub preset: HookPreset,
    /// The packs of commands that need approval.
    pub packs: Vec<HookPack>,
    /// The verdict on calls that no permission mentions. `allow` leaves the decision to the tool.
    pub unknown: Verdict,
    /// The verdict on command lines that cannot be parsed.
    pub unreadable: Verdict,
    /// The verdict on hosts that are not approved.
    pub hosts: Verdict,
    /// Whether to tell the tool explicitly that a call is allowed.
    pub allow: bool,
    /// Delivery of a verdict that asks.
    pub ask: HookAskMode,
    /// Behaviour if the hook itself fails.
    pub fail: HookFailMode,
    /// Which calls to record in the episodic log.
    pub log: HookLogScope,
    /// The maximum number of tokens to inject at session start.
    pub budget: usize,
    /// Whether to remind an agent that stops.
    pub stop: StopReminder,
}

/// Delivery of a verdict that asks. The order is by strictness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HookAskMode {
    /// With the tool's own question, where it has one.
    #[default]
    Native,
    /// With a denial that says that a person must approve the call.
    Deny,
}

/// Behaviour if a hook fails. The order is by strictness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
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
    unknown: Option<Verdict>,
    unreadable: Option<Verdict>,
    hosts: Option<Verdict>,
    allow: Option<bool>,
    ask: Option<HookAskMode>,
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
            ask: keys.ask.unwrap_or(preset.ask),
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
                unknown: Verdict::Ask,
                unreadable: Verdict::Deny,
                hosts: Verdict::Deny,
                fail: HookFailMode::Closed,
                ..standard
            },
            HookPreset::Minimal => Self { preset, unreadable: Verdict::Allow, hosts: Verdict::Allow, ..standard },
        }
    }
}

impl Default for HooksConfig {
    fn default() -> Self {
        Self {
            preset: HookPreset::Standard,
            packs: Vec::new(),
            unknown: Verdict::Allow,
            unreadable: Verdict::Ask,
            hosts: Verdict::Ask,
            allow: false,
            ask: HookAskMode::Native,
            fail: HookFailMode::Open,
            log: HookLogScope::Failures,
            budget: 1500,
            stop: StopReminder::Remind,
        }
    }
}

/// The settings of a repository's config, as far as they count.
#[derive(Debug, PartialEq, Eq)]
pub struct EffectiveHooks {
    pub settings: HooksConfig,
    /// The keys that do not count, because they would loosen a guard and the user does not trust the config.
    pub ignored: Vec<&'static str>,
}

impl HooksConfig {
    /// Applies the settings that a repository's config states on top of the user's `own` ones. Those of a config that the
    /// user does not trust count only if they are at least as strict.
    #[must_use]
    pub fn on_top_of(&self, own: &Self, stated: &BTreeSet<String>, is_trusted: bool) -> EffectiveHooks {
        let mut ignored = Vec::new();
        let mut counts = |key: &'static str, name: &str, is_looser: bool| {
            // A preset states every key.
            let is_stated = stated.contains(name) || stated.contains("preset");
            if is_stated && is_looser && !is_trusted {
                ignored.push(key);
            }
            is_stated && (is_trusted || !is_looser)
        };
        let mut settings = self.clone();
        // A pack makes the guards stricter.
        settings.packs.extend(&own.packs);
        settings.packs.sort_unstable();
        settings.packs.dedup();
        if !counts("hooks.unknown", "unknown", self.unknown < own.unknown) {
            settings.unknown = own.unknown;
        }
        if !counts("hooks.unreadable", "unreadable", self.unreadable < own.unreadable) {
            settings.unreadable = own.unreadable;
        }
        if !counts("hooks.hosts", "hosts", self.hosts < own.hosts) {
            settings.hosts = own.hosts;
        }
        if !counts("hooks.allow", "allow", self.allow && !own.allow) {
            settings.allow = own.allow;
        }
        if !counts("hooks.ask", "ask", self.ask < own.ask) {
            settings.ask = own.ask;
        }
        if !counts("hooks.fail", "fail", self.fail < own.fail) {
            settings.fail = own.fail;
        }
        EffectiveHooks { settings, ignored }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effective(own: &str, repository: &str, is_trusted: bool) -> (HooksConfig, Vec<&'static str>) {
        let parse = |text: &str| -> HooksConfig { serde_yaml::from_str(text).unwrap() };
        let keys: std::collections::BTreeMap<String, serde_yaml::Value> = serde_yaml::from_str(repository).unwrap();
        let stated = keys.into_keys().collect();
        let EffectiveHooks { settings, ignored } = parse(repository).on_top_of(&parse(own), &stated, is_trusted);
        (settings, ignored)
    }

    #[test]
    fn a_repository_may_only_be_stricter_unless_it_is_trusted() {
        let (settings, ignored) = effective("packs: [cloud]", "{preset: minimal, packs: [kubectl]}", false);
        assert_eq!((settings.hosts, settings.unreadable), (Verdict::Ask, Verdict::Ask));
        assert_eq!(settings.packs, [HookPack::Kubectl, HookPack::Cloud]);
        assert_eq!(ignored, ["hooks.unreadable", "hooks.hosts"]);
        let loose = "{allow: true, hosts: allow, unreadable: allow, unknown: allow, fail: open}";
        let (settings, ignored) = effective("{}", loose, false);
        assert_eq!(settings, HooksConfig::default());
        assert_eq!(ignored, ["hooks.unreadable", "hooks.hosts", "hooks.allow"]);
        let (settings, ignored) = effective("{}", loose, true);
        assert_eq!((settings.allow, settings.hosts, ignored.len()), (true, Verdict::Allow, 0));
        let strict = "{hosts: deny, unreadable: deny, unknown: ask, ask: deny, fail: closed}";
        let (settings, ignored) = effective("{}", strict, false);
        assert_eq!(
            (settings.hosts, settings.unknown, settings.fail),
            (Verdict::Deny, Verdict::Ask, HookFailMode::Closed)
        );
        assert!(ignored.is_empty());
        // The user's own strictness is the limit too.
        let (settings, ignored) =
            effective(strict, "{hosts: ask, unknown: allow, ask: native, fail: open, budget: 7}", false);
        assert_eq!((settings.hosts, settings.unknown, settings.budget), (Verdict::Deny, Verdict::Ask, 7));
        assert_eq!(ignored, ["hooks.unknown", "hooks.hosts", "hooks.ask", "hooks.fail"]);
    }

    #[test]
    fn the_users_own_settings_count_where_a_repository_states_nothing() {
        let (settings, ignored) = effective("{allow: true, hosts: allow}", "{budget: 3}", false);
        assert_eq!((settings.allow, settings.hosts, settings.budget), (true, Verdict::Allow, 3));
        assert!(ignored.is_empty());
        let (settings, _) = effective("{allow: true, hosts: allow}", "{hosts: ask, allow: false}", false);
        assert_eq!((settings.allow, settings.hosts), (false, Verdict::Ask));
    }

    fn parse(text: &str) -> HooksConfig {
        serde_yaml::from_str(text).unwrap()
    }

    #[test]
    fn a_key_overrides_its_preset() {
        assert_eq!(parse("{}"), HooksConfig::default());
        assert_eq!(parse("preset: standard"), HooksConfig::default());
        let strict = parse("{preset: strict, hosts: ask}");
        assert_eq!((strict.unknown, strict.hosts), (Verdict::Ask, Verdict::Ask));
        assert_eq!(strict.packs, HookPack::ALL);
        assert_eq!(parse("{preset: strict, packs: []}").packs, []);
        assert_eq!(parse("preset: minimal").unreadable, Verdict::Allow);
    }
}
