//! Whether a changed workflow says by its version what a run that began before can count on.

use crate::syntax::node::Node;
use serde_json::Value as Json;
use std::fmt;

/// What is wrong with the step from one version to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionBumpError {
    /// The definition changed and the version did not.
    Missing(WorkflowVersion),
    /// The version went back: from which one.
    Back(WorkflowVersion),
    /// Only PATCH was raised from this version, but the structure changed.
    TooSmall(WorkflowVersion),
}

/// Keys whose values a run that goes on after a PATCH takes over: words for people and workers, and limits.
const WORDING: [&str; 14] = [
    "workflow_version",
    "description",
    "policy",
    "max_steps",
    "owner",
    "prompt",
    "timeout",
    "max_retries",
    "feedback_mode",
    "selection_criteria",
    "message",
    "label",
    "trigger_condition",
    "check",
];

/// Compares a definition with the one before it; nothing where the versions say what changed, or are none.
pub fn check_version_bump(before: &Node, now: &Node) -> Option<VersionBumpError> {
    let (old, new) = (version(before)?, version(now)?);
    // A run begins at the first step; beyond that the order of keys means nothing.
    let same_start = start(before) == start(now);
    let (before, now) = (before.to_json(), now.to_json());
    if same_start && without(&before, &["workflow_version"]) == without(&now, &["workflow_version"]) {
        return None;
    }
    if new < old {
        return Some(VersionBumpError::Back(old));
    }
    if new == old {
        return Some(VersionBumpError::Missing(old));
    }
    let is_patch = (old.major, old.minor) == (new.major, new.minor);
    let same_structure = || same_start && without(&before, &WORDING) == without(&now, &WORDING);
    (is_patch && !same_structure()).then_some(VersionBumpError::TooSmall(old))
}

fn version(root: &Node) -> Option<WorkflowVersion> {
    WorkflowVersion::parse(&root.get("workflow_version")?.as_scalar()?.text)
}

fn start(root: &Node) -> Option<&str> {
    Some(&root.get("steps")?.as_mapping()?.entries.first()?.key)
}

/// The document without some keys. The names of steps and of fields are no keys of the document's own, so what lies
/// right below `steps` and `schema` stays. No document is deep, as its reader sees to that.
fn without(json: &Json, keys: &[&str]) -> Json {
    match json {
        Json::Array(items) => Json::Array(items.iter().map(|item| without(item, keys)).collect()),
        Json::Object(entries) => {
            let kept = entries.iter().filter(|(key, _)| !keys.contains(&key.as_str()));
            Json::Object(kept.map(|(key, value)| (key.clone(), below(key, value, keys))).collect())
        }
        scalar => scalar.clone(),
    }
}

fn below(key: &str, value: &Json, keys: &[&str]) -> Json {
    match value {
        Json::Object(named) if key == "steps" || key == "schema" => {
            Json::Object(named.iter().map(|(name, value)| (name.clone(), without(value, keys))).collect())
        }
        value => without(value, keys),
    }
}

/// A version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorkflowVersion {
    /// Raised when a run that began before cannot go on.
    pub major: u64,
    /// Raised when the structure changes.
    pub minor: u64,
    /// Raised when only words and limits change.
    pub patch: u64,
}

impl WorkflowVersion {
    /// Reads a version; leading zeros are none.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|part| {
            let is_plain = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            (is_plain && (part == "0" || !part.starts_with('0'))).then(|| part.parse().ok()).flatten()
        });
        let (major, minor, patch) = (parts.next()??, parts.next()??, parts.next()??);
        parts.next().is_none().then_some(Self { major, minor, patch })
    }
}

impl fmt::Display for WorkflowVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}
