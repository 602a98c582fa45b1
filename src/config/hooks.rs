//! What the hooks of tools answer and log.

use serde::Deserialize;

/// What the hooks of tools answer and log.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Hooks {
    /// Of what stands in no list; `allow` leaves it to the tool.
    pub unknown: Answer,
    /// Of a command line that cannot be read.
    pub unreadable: Answer,
    /// Of a host that is not among the approved ones.
    pub hosts: Answer,
    /// Whether what is always allowed is allowed in the tool's name, too.
    pub allow: bool,
    /// What a tool is told where a hook cannot do its work.
    pub fail: Fail,
    /// What is written into the log of episodes.
    pub log: LogWhat,
    /// Tokens, at most, that a session begins with.
    pub budget: usize,
    /// What an agent is told when it stops.
    pub stop: Stop,
}

/// What a hook answers of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
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
pub enum Fail {
    /// Nothing: the tool goes on.
    #[default]
    Open,
    /// Not to do it.
    Closed,
}

/// What is written into the log of episodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogWhat {
    /// Failures, and what went well of that which requires approval.
    #[default]
    Failures,
    /// Every call.
    All,
}

/// What an agent is told when it stops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stop {
    /// Once, to write down what it learnt, where the session logged a failure.
    #[default]
    Remind,
    /// Nothing.
    Off,
}

impl Default for Hooks {
    fn default() -> Self {
        Self {
            unknown: Answer::Allow,
            unreadable: Answer::Ask,
            hosts: Answer::Deny,
            allow: false,
            fail: Fail::Open,
            log: LogWhat::Failures,
            budget: 1500,
            stop: Stop::Remind,
        }
    }
}

/// The keys below `hooks`.
pub(super) const KEYS: &[&str] = &["unknown", "unreadable", "hosts", "allow", "fail", "log", "budget", "stop"];
