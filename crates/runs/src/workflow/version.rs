//! Workflow versions, and whether a change of a workflow needs a new version.

use canonry_text::node::Node;
use serde_json::Value as Json;
use std::fmt;

/// A version that does not match the change of the workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionBumpError {
    /// The workflow changed but its version did not.
    Missing(WorkflowVersion),
    /// The version is lower than the previous one.
    Back(WorkflowVersion),
    /// Only PATCH was raised from this version, but the structure changed.
    TooSmall(WorkflowVersion),
}

/// Keys that a PATCH release may change, because runs in progress can adopt the new values: texts and limits.
const WORDING: [&str; 15] = [
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
    "quality_threshold",
    "message",
    "label",
    "trigger_condition",
    "check",
];

/// Compares a workflow with its previous version. `None` if the version number matches the change, or if there is no
/// valid version.
pub fn check_version_bump(before: &Node, now: &Node) -> Option<VersionBumpError> {
    let old = version(before)?;
    let new = version(now)?;
    if is_same_workflow(before, now) {
        return None;
    }
    if new < old {
        return Some(VersionBumpError::Back(old));
    }
    if new == old {
        return Some(VersionBumpError::Missing(old));
    }
    let is_patch = (old.major, old.minor) == (new.major, new.minor);
    (is_patch && !are_same_without(&WORDING, before, now)).then_some(VersionBumpError::TooSmall(old))
}

/// Whether two definitions are the same apart from their version.
pub fn is_same_workflow(before: &Node, now: &Node) -> bool {
    are_same_without(&["workflow_version"], before, now)
}

fn are_same_without(keys: &[&str], before: &Node, now: &Node) -> bool {
    order(before) == order(now) && without(&before.to_json(), keys) == without(&now.to_json(), keys)
}

/// The valid version of a definition.
pub fn version(root: &Node) -> Option<WorkflowVersion> {
    WorkflowVersion::parse(&root.get("workflow_version")?.as_scalar()?.text)
}

/// The names of steps whose order has a meaning: a run begins at the first step, and a phase continues with the next one.
fn order(root: &Node) -> Vec<&str> {
    let names = |key: &str| root.get(key).and_then(Node::as_mapping).map(|steps| steps.entries.iter());
    let names = match names("steps") {
        Some(steps) => steps.take(1),
        None => names("phases").unwrap_or_default().take(usize::MAX),
    };
    names.map(|entry| entry.key.as_str()).collect()
}

/// Removes `keys` from a document. Direct children of `steps`, `phases` and `schema` are names of steps and fields, not keys.
/// Recursion is safe because the parser limits the depth.
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
        Json::Object(named) if matches!(key, "steps" | "phases" | "schema") => {
            Json::Object(named.iter().map(|(name, value)| (name.clone(), without(value, keys))).collect())
        }
        value => without(value, keys),
    }
}

/// A version: MAJOR.MINOR.PATCH.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorkflowVersion {
    /// Raised if runs in progress cannot continue.
    pub major: u64,
    /// Raised if the structure changes.
    pub minor: u64,
    /// Raised if only texts and limits change.
    pub patch: u64,
}

impl WorkflowVersion {
    /// Parses a version. Leading zeros are invalid.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|part| {
            let is_plain = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            (is_plain && (part == "0" || !part.starts_with('0'))).then(|| part.parse().ok()).flatten()
        });
        let major = parts.next()??;
        let minor = parts.next()??;
        let patch = parts.next()??;
        parts.next().is_none().then_some(Self { major, minor, patch })
    }
}

impl fmt::Display for WorkflowVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}
