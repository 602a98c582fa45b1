//! The settings of agent hooks.

use serde::Deserialize;

/// How agent hooks decide, and what they log.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HooksConfig {
    /// The verdict on calls that no permission mentions. `allow` leaves the decision to the tool.
    pub unknown: HookAnswer,
    /// The verdict on command lines that cannot be parsed.
    pub unreadable: HookAnswer,
    /// The verdict on hosts that are not approved.
    pub hosts: HookAnswer,
    /// Whether to tell the tool explicitly that a call is allowed.
    pub allow: bool,
    /// How a tool gets a verdict that asks.
    pub ask: HookAskMode,
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

/// How a tool gets a verdict that asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HookAskMode {
    /// With the tool's own question, where it has one.
    #[default]
    Native,
    /// With a denial that says that a person must approve the call.
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

impl Default for HooksConfig {
    fn default() -> Self {
        Self {
            unknown: HookAnswer::Allow,
            unreadable: HookAnswer::Ask,
            hosts: HookAnswer::Ask,
            allow: false,
            ask: HookAskMode::Native,
            fail: HookFailMode::Open,
            log: HookLogScope::Failures,
            budget: 1500,
            stop: StopReminder::Remind,
        }
    }
}
