//! A report: what came of one attempt at a step.

use super::blob::DocumentError;
use super::plan::SpannedText;
use super::schema::{SchemaKind, Schemas, Violation};
use super::{Blob, Layout};
use crate::syntax::json;
use crate::syntax::json::JsonError;
use crate::syntax::node::Node;
use crate::syntax::yaml::ParsedDocument;
use crate::syntax::{RepoPath, Source, Span};
use gix::bstr::ByteSlice;
use std::sync::Arc;

/// A report as far as it could be read.
#[derive(Debug)]
pub struct Report {
    /// Where it lies.
    pub path: RepoPath,
    /// What its path says; `None` where that is not `reports/<plan>/<step>.<attempt>.json`.
    pub name: Option<ReportName>,
    /// What it holds.
    pub document: Result<ReportDocument, DocumentError>,
    /// The ids of its plan's steps, where there is such a plan and it could be read.
    pub steps: Option<Vec<String>>,
}

/// What the path of a report says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportName {
    /// The plan's id: the name of its folder.
    pub plan: String,
    /// The step's id.
    pub step: String,
    /// Which attempt, from 1.
    pub attempt: u64,
}

/// The text of a report.
#[derive(Debug)]
pub struct ReportDocument {
    /// The text.
    pub source: Arc<Source>,
    /// The JSON, or the first place where it is none.
    pub json: Result<ParsedDocument, JsonError>,
    /// Where it breaks the report schemas.
    pub violations: Vec<Violation>,
    /// `step_id`, where it is text.
    pub step: Option<SpannedText>,
    /// `attempt`, where it is a number.
    pub attempt: Option<SpannedText>,
}

impl ReportName {
    /// Of a path in the folder of the reports.
    pub fn from_path(path: &RepoPath, layout: &Layout) -> Option<Self> {
        let mut below = path.below(&layout.reports())?.split_str("/");
        let (plan, file, None) = (below.next()?, below.next()?, below.next()) else { return None };
        let (step, attempt) = file.to_str().ok()?.strip_suffix(".json")?.rsplit_once('.')?;
        let is_number = attempt.bytes().all(|b| b.is_ascii_digit()) && !attempt.starts_with('0') && !step.is_empty();
        let attempt = attempt.parse().ok().filter(|_| is_number)?;
        Some(Self { plan: plan.to_str().ok()?.to_owned(), step: step.to_owned(), attempt })
    }
}

impl Report {
    /// Reads a report.
    pub fn parse(path: RepoPath, blob: Blob, schemas: &Schemas, layout: &Layout) -> Self {
        let document = blob.into_source(&path).map(|source| ReportDocument::parse(source, schemas));
        Self { name: ReportName::from_path(&path, layout), path, document, steps: None }
    }

    /// With the ids of its plan's steps.
    #[must_use]
    pub fn among(mut self, steps: Option<Vec<String>>) -> Self {
        self.steps = steps;
        self
    }

    /// What it says of its step; `None` where its path names no attempt.
    pub fn attempt(&self) -> Option<StepAttempt> {
        let name = self.name.as_ref()?;
        let valid = self.document.as_ref().ok().filter(|document| document.is_valid(name));
        let result =
            valid.and_then(|document| AttemptResult::from_report(&document.json.as_ref().ok()?.root, &document.source));
        Some(StepAttempt { step: name.step.clone(), number: name.attempt, path: self.path.clone(), result })
    }
}

impl ReportDocument {
    /// Whether it is what the schemas ask for, and on the step and the attempt that its file is named after.
    fn is_valid(&self, name: &ReportName) -> bool {
        let is_same = self.step.as_ref().is_some_and(|step| step.text == name.step)
            && self.attempt.as_ref().is_none_or(|attempt| attempt.text == name.attempt.to_string());
        let is_read = self.json.as_ref().is_ok_and(|json| json.duplicates.is_empty());
        is_same && is_read && self.violations.is_empty()
    }

    fn parse(source: Arc<Source>, schemas: &Schemas) -> Self {
        let json = json::parse(source.text(), 0);
        let root = json.as_ref().ok().map(|document| &document.root);
        let violations = root.map_or_else(Vec::new, |root| schemas.validate(SchemaKind::Report, root));
        let text = |key: &str, is_wanted: fn(&Node) -> bool| {
            let node = root?.get(key).filter(|node| is_wanted(node))?;
            node.as_scalar().map(|scalar| SpannedText { text: scalar.text.clone(), span: node.span })
        };
        let step = text("step_id", |node| node.as_str().is_some());
        let attempt = text("attempt", |node| node.kind_name() == "number");
        Self { json, violations, step, attempt, source }
    }
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The step is done.
    Success,
    /// It is to be tried again.
    Failure,
    /// It waits for something.
    Blocked,
}

/// One report on a step of a plan.
#[derive(Clone, Debug)]
pub struct StepAttempt {
    /// The step's id.
    pub step: String,
    /// Which attempt, from 1.
    pub number: u64,
    /// Where the report lies.
    pub path: RepoPath,
    /// What it says; `None` where it is not valid, and counts for nothing.
    pub result: Option<AttemptResult>,
}

/// What a valid report says, and where.
#[derive(Clone, Debug)]
pub struct AttemptResult {
    /// How the attempt ended.
    pub outcome: AttemptOutcome,
    /// The report's text.
    pub source: Arc<Source>,
    /// Where it says so.
    pub span: Span,
}

impl AttemptResult {
    /// Of a report that is valid.
    pub fn from_report(root: &Node, source: &Arc<Source>) -> Option<Self> {
        let outcome = root.get("outcome")?;
        let passed = root.get("passed");
        let is_disproved = passed.and_then(|passed| passed.as_scalar()).is_some_and(|scalar| scalar.text == "false");
        let (outcome, node) = match outcome.as_str()? {
            // The criteria decide, whatever the worker thinks of it.
            "success" if is_disproved => (AttemptOutcome::Failure, passed?),
            "success" => (AttemptOutcome::Success, outcome),
            "blocked" => (AttemptOutcome::Blocked, outcome),
            _ => (AttemptOutcome::Failure, outcome),
        };
        Some(Self { outcome, source: Arc::clone(source), span: node.span })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_say_which_attempt_at_which_step() {
        let of = |path: &str| ReportName::from_path(&RepoPath::from(path), &Layout::default());
        let name = |step: &str, attempt| Some(ReportName { plan: "login".to_owned(), step: step.to_owned(), attempt });
        for (path, want) in [
            ("agent/reports/login/api.1.json", name("api", 1)),
            ("agent/reports/login/v1.2.json", name("v1", 2)),
            ("agent/reports/login/a.b.30.json", name("a.b", 30)),
            ("agent/reports/login/api.json", None),
            ("agent/reports/login/api.0.json", None),
            ("agent/reports/login/api.01.json", None),
            ("agent/reports/login/api.+1.json", None),
            ("agent/reports/login/.1.json", None),
            ("agent/reports/api.1.json", None),
            ("agent/reports/login/old/api.1.json", None),
            ("reports/login/api.1.json", None),
        ] {
            assert_eq!(of(path), want, "{path}");
        }
    }
}
