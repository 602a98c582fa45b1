//! The log of decisions: what hooks denied or asked about, and what a person allowed. It is in the user's state folder, without
//! secrets, and bounded.

use super::own_denial::OwnDenial;
use canonry_guard::{CallVerdict, ToolCall, Verdict, VerdictReason};
use canonry_repo::apply::state_file;
use canonry_text::secrets;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};

/// Size of the log, in bytes, from which it becomes the older one. An older one is dropped then.
const MAX_BYTES: u64 = 1 << 20;
/// Characters of a call and of a message in the log.
const MAX_CHARS: usize = 500;
/// Reasons of a decision in the log.
const MAX_REASONS: usize = 8;
/// Length of a code.
const CODE_CHARS: usize = 10;

/// A decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedDecision {
    /// When, RFC 3339.
    pub time: String,
    /// `deny`, `ask`, `grant` (a person allowed the next such call) or `allow-once` (that call was made).
    pub decision: String,
    /// The code of the call.
    pub code: String,
    /// The digest of the call and of its repository.
    pub digest: String,
    /// The tool that made the call.
    pub tool: String,
    /// The top of the repository.
    pub repository: String,
    /// The call, without secrets, shortened.
    pub call: String,
    /// The reasons, the deciding ones first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<LoggedReason>,
    /// The entry of the tool's own settings that denies the call too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied_by: Option<OwnDenial>,
}

/// A reason of a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedReason {
    /// `deny` or `ask`.
    pub verdict: String,
    /// The guard, or the section of the policy.
    pub rule: String,
    /// The part of the call that it is about.
    pub part: String,
    /// Reason for the decision.
    pub message: String,
    /// The file of the policy; `None` for a built-in guard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line in that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Safer alternative to the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alternative: Option<String>,
}

/// Identity of a call: its content, the directory and the repository. Of a command, its description does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallId {
    pub digest: String,
    pub code: String,
}

impl CallId {
    pub fn new(call: &ToolCall, event: &Value, cwd: &Path, repository: &str) -> Self {
        let arguments = match call {
            ToolCall::Shell { .. } | ToolCall::Read(_) | ToolCall::Fetch(_) => None,
            // An edit is more than its paths.
            _ => ["tool_input", "toolCall"].iter().find_map(|key| event.get(key)),
        };
        let text = format!("{call:?} {}", arguments.map(Value::to_string).unwrap_or_default());
        let mut hasher = blake3::Hasher::new();
        for part in [text.as_bytes(), cwd.as_os_str().as_encoded_bytes(), repository.as_bytes()] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        let digest = hasher.finalize().to_hex().to_string();
        let code = digest.get(..CODE_CHARS).unwrap_or_default().to_owned();
        Self { digest, code }
    }
}

/// The log in a state folder.
pub(super) struct DecisionLog {
    folder: PathBuf,
}

impl DecisionLog {
    pub fn new(state: &Path) -> Self {
        Self { folder: state.join("canonry") }
    }

    fn paths(&self) -> (PathBuf, PathBuf) {
        (self.folder.join("decisions.jsonl"), self.folder.join("decisions.old.jsonl"))
    }

    /// Appends a decision. Does not wait for the disk.
    ///
    /// # Errors
    /// The log cannot be written.
    pub fn append(&self, decision: &LoggedDecision) -> io::Result<()> {
        let (path, older) = self.paths();
        state_file::append_line(&path, &older, MAX_BYTES, &serde_json::to_string(decision)?)
    }

    /// All decisions, the newest last. Rows that cannot be read are skipped, as one that was cut off.
    ///
    /// # Errors
    /// The log exists and cannot be read.
    pub fn read(&self) -> io::Result<Vec<LoggedDecision>> {
        let (path, older) = self.paths();
        let mut rows = Vec::new();
        for path in [older, path] {
            // One more row may have been added to a log of the maximum size.
            let bytes = state_file::read(&path, 4 * MAX_BYTES)?.unwrap_or_default();
            rows.extend(bytes.split(|byte| *byte == b'\n').filter_map(|row| serde_json::from_slice(row).ok()));
        }
        Ok(rows)
    }
}

/// A call as the log shows it: on one line, without secrets, shortened.
pub(super) fn shown(call: &ToolCall) -> String {
    let text = match call {
        ToolCall::Other { name, args: Value::Null } => name.clone(),
        ToolCall::Other { name, args } => format!("{name} {args}"),
        call => call.to_string(),
    };
    shorten(&secrets::redact_any(&text))
}

fn shorten(text: &str) -> String {
    let mut line: String = text.chars().take(MAX_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(MAX_CHARS).is_some() {
        line.push('…');
    }
    line
}

/// The reasons of a verdict, the deciding ones first.
pub(super) fn reasons(verdict: &CallVerdict) -> Vec<LoggedReason> {
    let all = verdict.parts.iter().flat_map(|part| part.reasons.iter().map(move |reason| (part, reason)));
    let mut deciding: Vec<_> = all.filter(|(_, reason)| reason.verdict >= Verdict::Ask).collect();
    deciding.sort_by_key(|(_, reason)| std::cmp::Reverse(reason.verdict));
    let logged = |part: &str, reason: &VerdictReason| LoggedReason {
        verdict: reason.verdict.as_str().to_owned(),
        rule: reason.rule.clone(),
        part: shorten(&secrets::redact_any(part)),
        message: shorten(&secrets::redact_any(&reason.message)),
        path: reason.location.as_ref().map(|at| at.path.clone()),
        line: reason.location.as_ref().map(|at| at.line),
        alternative: reason.alternative().map(str::to_owned),
    };
    deciding.into_iter().take(MAX_REASONS).map(|(part, reason)| logged(&part.text, reason)).collect()
}
