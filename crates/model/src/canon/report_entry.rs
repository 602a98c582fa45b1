//! Report on one attempt.

use super::attempt::AttemptResult;
use super::report_evidence::ReportEvidence;
use canonry_text::node::{Node, SpannedText};
use canonry_text::{Source, Span};
use std::sync::Arc;

/// Report on one attempt. Values of the wrong type are left out.
#[derive(Debug)]
pub struct ReportEntry {
    /// `step_id`, if it is a string or a number.
    pub step: Option<SpannedText>,
    /// `attempt`, if it is a number.
    pub attempt: Option<SpannedText>,
    /// `outcome`
    pub outcome: Option<SpannedText>,
    /// `passed`, and where.
    pub passed: Option<(bool, Span)>,
    /// `commit`
    pub commit: Option<SpannedText>,
    pub files: Vec<ReportedFile>,
    pub tests: Vec<ReportedTest>,
    pub commands: Vec<ReportedCommand>,
    /// The result; `None` if the entry violates a schema.
    pub result: Option<AttemptResult>,
    /// Evidence in the repository; empty if nothing was looked up.
    pub evidence: ReportEvidence,
}

/// A file among the artifacts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedFile {
    pub path: SpannedText,
    pub status: String,
}

/// A test among the artifacts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedTest {
    pub test: String,
    pub result: SpannedText,
}

/// An executed command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedCommand {
    pub command: String,
    pub exit_status: SpannedText,
}

impl ReportEntry {
    /// Reads an entry. `is_valid` says whether it follows the schemas.
    pub(super) fn new(node: &Node, source: &Arc<Source>, is_valid: bool) -> Self {
        let string = |key: &str| node.get(key).filter(|node| node.as_str().is_some())?.spanned_text();
        let list = |key: &str| node.get(key).and_then(Node::as_sequence).unwrap_or_default().iter();
        let step = node.get("step_id").filter(|node| matches!(node.kind_name(), "string" | "number"));
        let passed = node.get("passed").filter(|node| node.kind_name() == "boolean");
        Self {
            step: step.and_then(Node::spanned_text),
            attempt: node.get("attempt").filter(|node| node.kind_name() == "number").and_then(Node::spanned_text),
            outcome: string("outcome"),
            passed: passed.and_then(|node| Some((node.as_scalar()?.text == "true", node.span))),
            commit: string("commit"),
            files: list("artifacts").filter_map(ReportedFile::from_node).collect(),
            tests: list("artifacts").filter_map(ReportedTest::from_node).collect(),
            commands: list("commands").filter_map(ReportedCommand::from_node).collect(),
            result: is_valid.then(|| AttemptResult::from_report(node, source)).flatten(),
            evidence: ReportEvidence::default(),
        }
    }

    /// Whether it is about the step and attempt in the path of its report.
    pub(super) fn is_about(&self, step: &str, number: u64) -> bool {
        self.step.as_ref().is_some_and(|own| own.text == step)
            && self.attempt.as_ref().is_none_or(|attempt| attempt.text == number.to_string())
    }

    /// Whether it claims success.
    pub fn claims_success(&self) -> bool {
        self.outcome.as_ref().is_some_and(|outcome| outcome.text == "success")
    }
}

impl ReportedFile {
    fn from_node(node: &Node) -> Option<Self> {
        let path = node.get("file").filter(|node| node.as_str().is_some())?.spanned_text()?;
        let status = node.get("status").and_then(Node::as_str).unwrap_or_default().to_owned();
        Some(Self { path, status })
    }

    /// Whether the attempt removed the file.
    pub fn is_deleted(&self) -> bool {
        let word = self.status.trim().to_ascii_lowercase();
        matches!(word.as_str(), "deleted" | "removed" | "delete" | "remove" | "d")
    }

    /// Whether the attempt created or changed the file.
    pub fn is_written(&self) -> bool {
        let word = self.status.trim().to_ascii_lowercase();
        let words =
            ["created", "modified", "added", "changed", "updated", "written", "new", "create", "modify", "edited"];
        words.contains(&word.as_str())
    }
}

impl ReportedTest {
    fn from_node(node: &Node) -> Option<Self> {
        let test = node.get("test").and_then(Node::as_str)?.to_owned();
        Some(Self { test, result: node.get("result").filter(|node| node.as_str().is_some())?.spanned_text()? })
    }

    /// Whether the result says that the test failed: its first word does.
    pub fn is_failure(&self) -> bool {
        let text = self.result.text.to_ascii_lowercase();
        let word = text.split(|c: char| !c.is_ascii_alphabetic()).find(|word| !word.is_empty()).unwrap_or_default();
        matches!(
            word,
            "fail" | "fails" | "failed" | "failing" | "failure" | "failures" | "error" | "errored" | "broken"
        )
    }
}

impl ReportedCommand {
    fn from_node(node: &Node) -> Option<Self> {
        let command = node.get("command").and_then(Node::as_str)?.to_owned();
        let exit_status = node.get("exit_status").filter(|node| node.kind_name() == "number")?.spanned_text()?;
        Some(Self { command, exit_status })
    }
}
