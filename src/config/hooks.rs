//! What the hooks of tools answer and log.

use serde::Deserialize;

/// What the hooks of tools answer and log.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HooksConfig {
    /// Of what stands in no list; `allow` leaves it to the tool.
    pub unknown: HookAnswer,
    /// Of a command line that cannot be read.
    pub unreadable: HookAnswer,
    /// Of a host that is not among the approved ones.
    pub hosts: HookAnswer,
    /// Whether what is always allowed is allowed in the tool's name, too.
    pub allow: bool,
    /// What a tool is told where a hook cannot do its work.
    pub fail: HookFailMode,
    /// What is written into the log of episodes.
    pub log: HookLogScope,
    /// Tokens, at most, that a session begins with.
    pub budget: usize,
    /// What an agent is told when it stops.
    pub stop: StopReminder,
}

/// What a hook answers of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HookAnswer {
    /// Nothing against it.
    Allow,
    /// A person decides.
    Ask,
    /// No.
    Deny,
}

/// What a tool is told where a hook cannot do its work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HookFailMode {
    /// Nothing: the tool goes on.
    #[default]
    Open,
    /// Not to do it.
    Closed,
}

/// What is written into the log of episodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HookLogScope {
    /// Failures, and what went well of that which requires approval.
    #[default]
    Failures,
    /// Every call.
    All,
}

/// What an agent is told when it stops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StopReminder {
    /// Once, to write down what it learnt, where the session logged a failure.
    #[default]
    Remind,
    /// Nothing.
    Off,
}

impl Default for HooksConfig {
    fn default() -> Self {
        Self {
            unknown: HookAnswer::Allow,
            unreadable: HookAnswer::Ask,
            hosts: HookAnswer::Deny,
            allow: false,
            fail: HookFailMode::Open,
            log: HookLogScope::Failures,
            budget: 1500,
            stop: StopReminder::Remind,
        }
    }
}

/// The keys below `hooks`.
pub(super) const KEYS: &[&str] = &["unknown", "unreadable", "hosts", "allow", "fail", "log", "budget", "stop"];
