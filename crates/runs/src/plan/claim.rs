//! Claims: who may work on a step, and when another worker may take the step over.

use canonry_model::canon::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use std::time::Duration;

const SCHEMA: &str = "canonry/claim/v1";

/// A claim is free after this time at the latest, whatever it says.
pub const MAX_CLAIM_TTL: Duration = Duration::from_secs(7 * 24 * 3600);
/// Stands for a commit that its clone could not make yet: the null id of git, which no branch has.
pub const UNCOMMITTED: &str = "0000000000000000000000000000000000000000";
/// Lifetime of a claim that cannot be read.
const UNREADABLE_TTL: Duration = Duration::from_secs(24 * 3600);

/// A worker's claim on a step, stored as JSON in a blob.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    schema: String,
    /// The ids of the plan and the step.
    pub plan: String,
    pub step: String,
    /// The name of the holder.
    pub holder: String,
    /// The machine of the holder, for people.
    #[serde(default)]
    pub host: String,
    /// Identifies the boot of the machine; `None` where the system has no such id.
    #[serde(default)]
    pub boot: Option<String>,
    /// The process whose end frees the claim; `None` if the claim outlives the process that made it.
    #[serde(default)]
    pub process: Option<ClaimProcess>,
    pub attempt: u64,
    /// The time to live in seconds.
    pub ttl: u64,
    /// When the claim was made or last renewed, by the holder's clock.
    #[serde(with = "rfc3339")]
    pub time: Timestamp,
    /// The same in seconds since the boot: a clock that nobody sets. `None` where the system has none.
    #[serde(default)]
    pub uptime: Option<u64>,
    /// Number of renewals. Makes each renewal another object, from which observers see that the holder is alive.
    #[serde(default)]
    pub renewals: u64,
    /// The commit with the work, if the step is complete. Other clones and work trees have it later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<String>,
    /// The commit with an earlier decision about the step, after which it was reopened. A clone without it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<String>,
    /// Whether it was released: it only tells other clones the number of the last attempt.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub released: bool,
    /// Identifies the claim. It stays the same when the claim is renewed.
    pub nonce: String,
}

/// A process on the machine of the holder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimProcess {
    pub pid: u32,
    /// When it started, in clock ticks since boot. Detects that another process has the same pid.
    #[serde(default)]
    pub start: Option<u64>,
    /// The pid namespace. The same pid in another container is another process.
    #[serde(default)]
    pub namespace: Option<String>,
}

/// The parts of a new claim that vary.
#[derive(Clone, Debug)]
pub struct NewClaim<'a> {
    pub plan: &'a str,
    pub step: &'a str,
    pub holder: &'a str,
    pub host: String,
    pub boot: Option<String>,
    pub process: Option<ClaimProcess>,
    pub attempt: u64,
    pub ttl: Duration,
    pub time: Timestamp,
    pub uptime: Option<u64>,
    pub renewals: u64,
    pub nonce: String,
}

impl Claim {
    /// A new claim.
    pub fn new(new: NewClaim<'_>) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            plan: new.plan.to_owned(),
            step: new.step.to_owned(),
            holder: new.holder.to_owned(),
            host: new.host,
            boot: new.boot,
            process: new.process,
            attempt: new.attempt,
            ttl: new.ttl.min(MAX_CLAIM_TTL).as_secs(),
            time: new.time,
            uptime: new.uptime,
            renewals: new.renewals,
            done: None,
            follows: None,
            released: false,
            nonce: new.nonce,
        }
    }

    /// The same claim of a step that is complete in a commit.
    #[must_use]
    pub fn completed(&self, commit: String) -> Self {
        Self { done: Some(commit), process: None, ..self.clone() }
    }

    /// The same claim of a step that is about to be complete in a commit. Its holder may be killed before everybody can see
    /// that, so that its end alone frees nothing. That of a person ends only with its time to live, and stays as it is.
    #[must_use]
    pub fn announced(&self, commit: String) -> Self {
        Self { done: self.process.as_ref().map(|_| commit), ..self.clone() }
    }

    /// The same claim, given up. `commit` reopens the step for everybody, if it had a decision.
    #[must_use]
    pub fn released(&self, commit: Option<String>) -> Self {
        let follows = self.follows.clone().map(|follows| commit.unwrap_or(follows));
        Self { released: true, done: None, process: None, follows, ..self.clone() }
    }

    /// The commit with the last decision about the step.
    pub fn decision(&self) -> Option<&str> {
        // Of an announced one, nobody knows whether it exists.
        self.done.as_deref().filter(|_| !self.is_announced()).or(self.follows.as_deref())
    }

    /// Whether the step is about to be complete.
    pub fn is_announced(&self) -> bool {
        self.done.is_some() && self.process.is_some()
    }

    /// Parses the content of a blob. `None` if it is not a claim of this version.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let claim: Self = serde_json::from_slice(bytes).ok()?;
        let is_valid = claim.schema == SCHEMA && !claim.holder.is_empty() && is_nonce(&claim.nonce);
        is_valid.then_some(claim)
    }

    /// The content of the blob.
    pub fn to_text(&self) -> String {
        serde_json::to_string_pretty(self).expect("texts and numbers have a JSON form") + "\n"
    }

    /// The same claim, renewed at `now`, `uptime` seconds since the boot.
    #[must_use]
    pub fn renewed(&self, now: Timestamp, uptime: Option<u64>) -> Self {
        Self { time: now, uptime, renewals: self.renewals.saturating_add(1), ..self.clone() }
    }

    fn ttl(&self) -> Duration {
        Duration::from_secs(self.ttl).min(MAX_CLAIM_TTL)
    }
}

/// Whether a text can identify a claim.
pub fn is_nonce(text: &str) -> bool {
    (16..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
}

/// An observer's knowledge of a claim besides its content.
#[derive(Clone, Debug)]
pub struct ClaimObserver<'a> {
    /// Who wants the claim; `None` if nobody's claim counts as the observer's own.
    pub holder: Option<&'a str>,
    /// The process that wants the claim.
    pub process: Option<&'a ClaimProcess>,
    /// The boot of the observer's machine.
    pub boot: Option<&'a str>,
    /// The observer's clock.
    pub now: Timestamp,
    /// Seconds since the boot of the observer's machine.
    pub uptime: Option<u64>,
    /// When the observer first saw this object, by its own clock.
    pub first_seen: Option<Timestamp>,
    /// Whether the holder's process is running; `None` if that cannot be known.
    pub is_running: Option<bool>,
    /// Whether the observer's branch has the commit with the last decision, see [`Claim::decision`].
    pub has_decision: bool,
}

/// Whether a worker may have a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimState {
    /// The holder's process ended in this boot.
    HolderEnded,
    /// The holder did not renew the claim for its time to live.
    Expired,
    /// The observer holds it.
    Own,
    /// Another worker holds it, until this time at the latest unless it is renewed.
    Held { until: Timestamp },
    /// The step has a decision in a commit that the observer does not have.
    Decided,
}

/// Decides whether the observer may have a claim. `claim` is `None` if the object is not a claim that this version can
/// read: then it counts as held by another worker.
///
/// In the same boot, the time since the boot counts, or the clock on a system without it. Otherwise the time to live begins when
/// the observer first saw the object.
pub fn claim_state(claim: Option<&Claim>, observer: &ClaimObserver<'_>) -> ClaimState {
    let is_unknown = claim.is_some_and(|claim| claim.decision().is_some()) && !observer.has_decision;
    match holder_state(claim, observer) {
        ClaimState::HolderEnded | ClaimState::Expired if is_unknown => ClaimState::Decided,
        state => state,
    }
}

fn holder_state(claim: Option<&Claim>, observer: &ClaimObserver<'_>) -> ClaimState {
    let is_announced = claim.is_some_and(Claim::is_announced);
    // With the decision, an open step was reopened.
    if claim.is_some_and(|claim| claim.released || claim.done.is_some() && !is_announced) {
        return ClaimState::Expired;
    }
    let is_same_boot = claim.is_some_and(|claim| claim.boot.is_some() && claim.boot.as_deref() == observer.boot);
    let process = claim.and_then(|claim| claim.process.as_ref());
    if is_same_boot && process.is_some() && observer.is_running == Some(false) && !is_announced {
        return ClaimState::HolderEnded;
    }
    let is_same_holder = claim.is_some_and(|claim| Some(claim.holder.as_str()) == observer.holder);
    // On two machines, processes can have the same number, start and namespace.
    if is_same_holder && (process.is_none() || is_same_boot && process == observer.process) {
        return ClaimState::Own;
    }
    let uptimes = claim.filter(|_| is_same_boot).and_then(|claim| Some((claim, claim.uptime?, observer.uptime?)));
    if let Some((claim, made, now)) = uptimes {
        let left = claim.ttl().saturating_sub(Duration::from_secs(now.saturating_sub(made)));
        return if left.is_zero() { ClaimState::Expired } else { ClaimState::Held { until: observer.now.plus(left) } };
    }
    // A time in the future is that of a clock which has been set back since.
    let past = |time: &Timestamp| *time <= observer.now;
    let made = claim.filter(|_| is_same_boot).map(|claim| claim.time).filter(past);
    let seen = observer.first_seen.filter(past);
    let since = made.into_iter().chain(seen).min().unwrap_or(observer.now);
    let until = since.plus(claim.map_or(UNREADABLE_TTL, Claim::ttl));
    if until <= observer.now { ClaimState::Expired } else { ClaimState::Held { until } }
}

mod rfc3339 {
    use canonry_model::canon::timestamp::Timestamp;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub fn serialize<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(time)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        let text = String::deserialize(deserializer)?;
        Timestamp::parse(&text).ok_or_else(|| D::Error::custom("not a time"))
    }
}

#[cfg(test)]
#[path = "claim_tests.rs"]
mod tests;
