//! The approval of a step by a person.

use super::layout::Layout;
use super::plan::PlanStep;
use canonry_text::RepoPath;
use serde::{Deserialize, Serialize};

/// A file `approvals/<plan>/<step>.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The plan's id.
    pub plan: String,
    /// The step's id.
    pub step: String,
    /// Who approved the step, as `Name <address>`.
    pub by: String,
    /// When, RFC 3339.
    pub at: String,
    /// Why.
    pub reason: String,
    /// The digest of the approved content, see [`content_digest`]: another content needs another approval.
    pub content: String,
}

impl Approval {
    /// Reads an approval.
    ///
    /// # Errors
    /// The text is not an approval.
    pub fn parse(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// Whether it approves a step as the plan describes it now.
    pub fn covers(&self, plan: &str, step: &PlanStep) -> bool {
        self.plan == plan && self.step == step.id_text() && self.content == content_digest(step)
    }
}

/// A digest of everything that a person approves: the step without its status and its place in the order.
pub fn content_digest(step: &PlanStep) -> String {
    let owner = step.owner.as_ref().map_or("", |owner| &owner.text);
    let fields: [(&str, Vec<&str>); 6] = [
        ("description", vec![&step.description]),
        ("owner", vec![owner]),
        ("criteria", step.criteria.iter().map(String::as_str).collect()),
        ("commands", step.commands.iter().map(|command| command.text.as_str()).collect()),
        ("files", step.files.iter().map(|file| file.text.as_str()).collect()),
        ("risk_notes", step.risk_notes.iter().map(String::as_str).collect()),
    ];
    let mut hasher = blake3::Hasher::new();
    for (name, values) in fields {
        hasher.update(name.as_bytes());
        for value in values {
            // The length keeps neighbouring values apart.
            hasher.update(&(value.len() as u64).to_le_bytes());
            hasher.update(value.as_bytes());
        }
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// `approvals/<plan>/<step>.json`
pub fn path(layout: &Layout, plan: &str, step: &str) -> RepoPath {
    layout.approvals().join(file_name(plan).as_str()).join(format!("{}.json", file_name(step)).as_str())
}

/// The file name of a step's approval: every byte that is not a letter, a digit, `-` or `_` is written as `%XX`, so that
/// different ids have different names and none leaves the folder.
pub fn file_name(step: &str) -> String {
    let mut name = String::new();
    for byte in step.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            _ => name.push_str(&format!("%{byte:02X}")),
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_distinct() {
        assert_eq!(file_name("api-1"), "api-1");
        assert_eq!(file_name("../a b"), "%2E%2E%2Fa%20b");
        assert_ne!(file_name("a.b"), file_name("a%2Eb"));
    }
}
