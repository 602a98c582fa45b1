//! Reports on the attempts at a plan's steps.
//!
//! A report is one attempt, or combines several. Its path names plan, step and attempt, or its content does: see
//! [`ReportPlace`].

pub use super::attempt::{AttemptCause, AttemptOutcome, AttemptResult, StepAttempt};
use super::blob::DocumentError;
use super::report_entry::ReportEntry;
use super::reported_plan::ReportedPlan;
use super::schema::{SchemaKind, Schemas, Violation};
use super::{Blob, Layout};
use bstr::ByteSlice;
use canonry_text::json;
use canonry_text::json::JsonError;
use canonry_text::node::{Node, SpannedText};
use canonry_text::yaml::ParsedDocument;
use canonry_text::{RepoPath, Source};
use std::collections::HashMap;
use std::sync::Arc;

/// A parsed report.
#[derive(Debug)]
pub struct Report {
    pub path: RepoPath,
    /// Plan, step and attempt, from its path.
    pub place: ReportPlace,
    pub document: Result<ReportDocument, DocumentError>,
    /// The plan that it counts for, if there is one that can be read.
    pub plan: Option<Arc<ReportedPlan>>,
    /// Whether several plans could be meant, and neither path nor content names one.
    pub is_ambiguous: bool,
}

/// Plan, step and attempt in the path of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportPlace {
    /// `reports/<plan>/<step>.<attempt>.json`
    Named(ReportName),
    /// Another file in `reports/<plan>/`.
    InPlan(String),
    /// A file in `reports/`: its `plan` counts or, without one, the only plan.
    Flat,
    /// Deeper below `reports/`: no plan counts it.
    Nested,
    /// Outside the folders with reports: no plan counts it.
    Outside,
}

/// The parts of a report's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportName {
    /// The plan's id, which is the name of its folder.
    pub plan: String,
    pub step: String,
    /// The number of the attempt, from 1.
    pub attempt: u64,
}

/// A report with its text.
#[derive(Debug)]
pub struct ReportDocument {
    pub source: Arc<Source>,
    /// The JSON, or its first syntax error.
    pub json: Result<ParsedDocument, JsonError>,
    pub form: ReportForm,
    /// Violations of the report schemas.
    pub violations: Vec<Violation>,
    /// `plan`, if it is a string.
    pub plan: Option<SpannedText>,
    /// The reported attempts: one, or the entries of a combined report.
    pub entries: Vec<ReportEntry>,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportForm {
    /// One attempt.
    Single,
    /// A list `reports`.
    Combined,
    /// JSON in `artifacts/` that is no report.
    Other,
}

impl ReportPlace {
    /// Parses a path below a folder with reports.
    pub fn from_path(path: &RepoPath, layout: &Layout) -> Self {
        let Some(root) = layout.report_roots().iter().find(|root| path.is_within(root)) else { return Self::Outside };
        let Some(below) = path.below(root) else { return Self::Outside };
        let mut parts = below.split_str("/");
        let Some(first) = parts.next() else { return Self::Nested };
        let Some(file) = parts.next() else { return Self::Flat };
        if parts.next().is_some() {
            return Self::Nested;
        }
        let Ok(plan) = first.to_str() else { return Self::Nested };
        match named(file) {
            Some((step, attempt)) => Self::Named(ReportName { plan: plan.to_owned(), step: step.to_owned(), attempt }),
            None => Self::InPlan(plan.to_owned()),
        }
    }

    /// The plan, step and attempt, if the path names all three.
    pub fn name(&self) -> Option<&ReportName> {
        match self {
            Self::Named(name) => Some(name),
            _ => None,
        }
    }

    /// The plan that the path names.
    pub fn plan(&self) -> Option<&str> {
        match self {
            Self::Named(name) => Some(&name.plan),
            Self::InPlan(plan) => Some(plan),
            Self::Flat | Self::Nested | Self::Outside => None,
        }
    }
}

/// Step and attempt in the name of a file `<step>.<attempt>.json`.
fn named(file: &[u8]) -> Option<(&str, u64)> {
    let (step, attempt) = file.to_str().ok()?.strip_suffix(".json")?.rsplit_once('.')?;
    let is_number = attempt.bytes().all(|b| b.is_ascii_digit()) && !attempt.starts_with('0') && !step.is_empty();
    Some((step, attempt.parse().ok().filter(|_| is_number)?))
}

impl ReportName {
    /// Parses a path below a folder with reports, if it names plan, step and attempt.
    pub fn from_path(path: &RepoPath, layout: &Layout) -> Option<Self> {
        match ReportPlace::from_path(path, layout) {
            ReportPlace::Named(name) => Some(name),
            _ => None,
        }
    }
}

impl Report {
    /// Parses a report.
    pub fn parse(path: RepoPath, blob: Blob, schemas: &Schemas, layout: &Layout) -> Self {
        let document = blob.into_source(&path).map(|source| ReportDocument::parse(source, schemas));
        let place = ReportPlace::from_path(&path, layout);
        Self { place, path, document, plan: None, is_ambiguous: false }
    }

    /// Plan, step and attempt, if its path names all three.
    pub fn name(&self) -> Option<&ReportName> {
        self.place.name()
    }

    /// The id of the plan that it names, by its path or by `plan`.
    pub fn plan_id(&self) -> Option<&str> {
        let named = || Some(self.document.as_ref().ok()?.plan.as_ref()?.text.as_str());
        match self.place {
            ReportPlace::Nested | ReportPlace::Outside => None,
            ReportPlace::Flat => named(),
            _ => self.place.plan(),
        }
    }

    /// Whether it holds the reports on several attempts.
    pub fn is_combined(&self) -> bool {
        self.document.as_ref().is_ok_and(|document| document.form == ReportForm::Combined)
    }

    /// The attempts that it reports. If its path does not name step and attempt, its entries do: an entry without `attempt`
    /// counts as the first one of its step, or as the next one after the entries before it.
    pub fn attempts(&self) -> Vec<StepAttempt> {
        let attempt = |step: &str, number: u64, result| StepAttempt {
            step: step.to_owned(),
            number,
            path: self.path.clone(),
            result,
        };
        let document = self.document.as_ref().ok();
        if let (Some(name), false) = (self.name(), self.is_combined()) {
            let entry = document.filter(|document| document.is_intact()).and_then(|document| document.entries.first());
            let result =
                entry.filter(|entry| entry.is_about(&name.step, name.attempt)).and_then(|entry| entry.result.clone());
            return vec![attempt(&name.step, name.attempt, result)];
        }
        let Some(document) = document else { return Vec::new() };
        let is_intact = document.is_intact();
        let suffix = named(self.path.file_name()).map(|(_, attempt)| attempt);
        let mut last: HashMap<&str, u64> = HashMap::new();
        let mut found = Vec::new();
        for entry in &document.entries {
            let Some(step) = &entry.step else { continue };
            let next = last.get(step.text.as_str()).map_or(suffix.unwrap_or(1), |last| last + 1);
            let number = entry.attempt.as_ref().and_then(SpannedText::to_u64).unwrap_or(next);
            last.insert(&step.text, number);
            found.push(attempt(&step.text, number, entry.result.clone().filter(|_| is_intact)));
        }
        found
    }
}

impl ReportDocument {
    /// Whether the file is JSON without duplicate keys.
    fn is_intact(&self) -> bool {
        self.json.as_ref().is_ok_and(|json| json.duplicates.is_empty())
    }

    fn parse(source: Arc<Source>, schemas: &Schemas) -> Self {
        let json = json::parse(source.text(), 0);
        let root = json.as_ref().ok().map(|document| &document.root);
        let form = root.map_or(ReportForm::Single, |root| ReportForm::detect(root, source.path()));
        let mut violations = Vec::new();
        let mut entries = Vec::new();
        match (root, form) {
            (Some(root), ReportForm::Single) => {
                violations = schemas.validate(SchemaKind::Report, root);
                let is_valid = violations.iter().all(|violation| is_number_id(root, violation));
                entries.push(ReportEntry::new(root, &source, is_valid));
            }
            (Some(root), ReportForm::Combined) => {
                violations = schemas.validate(SchemaKind::CombinedReport, root);
                let reports = root.get("reports").and_then(Node::as_sequence).unwrap_or_default();
                for (at, node) in reports.iter().enumerate().filter(|(_, node)| node.as_mapping().is_some()) {
                    let mut found = schemas.validate(SchemaKind::Report, node);
                    // The step's own report has them.
                    found.retain(|violation| violation.key.as_deref() != Some("artifacts"));
                    let is_valid = found.iter().all(|violation| is_number_id(node, violation));
                    entries.push(ReportEntry::new(node, &source, is_valid));
                    violations.extend(found.into_iter().map(|violation| violation.below(&format!("/reports/{at}"))));
                }
            }
            (_, ReportForm::Other) | (None, _) => {}
        }
        let plan = root.and_then(|root| root.get("plan")).filter(|node| node.as_str().is_some());
        let plan = plan.and_then(Node::spanned_text);
        Self { json, form, violations, plan, entries, source }
    }
}

impl ReportForm {
    /// Tools put files of their own into a folder `artifacts`. Everything in other folders is a report.
    fn detect(root: &Node, path: &RepoPath) -> Self {
        let in_artifacts = || path.parent().is_some_and(|folder| folder.components().any(|name| name == "artifacts"));
        if root.get("reports").is_some() && root.get("step_id").is_none() {
            Self::Combined
        } else if root.get("step_id").is_none() && root.get("outcome").is_none() && in_artifacts() {
            Self::Other
        } else {
            Self::Single
        }
    }
}

/// Whether a violation is a number as `step_id`, which is read by its text as in plans.
pub fn is_number_id(root: &Node, violation: &Violation) -> bool {
    violation.keyword == "type"
        && violation.pointer.ends_with("/step_id")
        && root.at_pointer(&violation.pointer).is_some_and(|(node, _)| node.kind_name() == "number")
}

/// Whether JSON is a report by its keys, wherever it is.
pub fn is_report(root: &Node) -> bool {
    let is_single = |node: &Node| node.get("step_id").is_some() && node.get("outcome").is_some();
    let entries = root.get("reports").and_then(Node::as_sequence).unwrap_or_default();
    is_single(root) || entries.first().is_some_and(is_single)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_report_paths() {
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

    #[test]
    fn folder_names_the_plan() {
        let of = |path: &str| ReportPlace::from_path(&RepoPath::from(path), &Layout::default());
        for (path, want) in [
            ("agent/reports/login/step2.json", ReportPlace::InPlan("login".to_owned())),
            ("agent/artifacts/login/combined.json", ReportPlace::InPlan("login".to_owned())),
            ("agent/reports/report_step2.json", ReportPlace::Flat),
            ("agent/reports/api.1.json", ReportPlace::Flat),
            ("agent/reports/login/old/api.1.json", ReportPlace::Nested),
            ("reports/report_step2.json", ReportPlace::Outside),
        ] {
            assert_eq!(of(path), want, "{path}");
        }
    }

    fn attempts(path: &str, text: &str) -> Vec<(String, u64, bool)> {
        let blob = Blob::Bytes(text.as_bytes().to_vec());
        let report = Report::parse(RepoPath::from(path), blob, &Schemas::default(), &Layout::default());
        let of = |attempt: StepAttempt| (attempt.step, attempt.number, attempt.result.is_some());
        report.attempts().into_iter().map(of).collect()
    }

    #[test]
    fn content_names_step_and_attempt() {
        let entry = |step: &str, more: &str| {
            format!(
                r#"{{"step_id": "{step}", "outcome": "success", "details": "", "artifacts": [], "timestamp": "2026-05-01T09:30:00Z"{more}}}"#
            )
        };
        let folder = "agent/reports/login";
        for (file, text, want) in [
            ("step2.json", entry("2", ""), vec![("2", 1, true)]),
            ("step2.json", entry("2", r#", "attempt": 3"#), vec![("2", 3, true)]),
            ("2.4.json", entry("2", ""), vec![("2", 4, true)]),
            ("2.4.json", entry("3", ""), vec![("2", 4, false)]),
            ("step2.json", r#"{"step_id": "2", "outcome": "success"}"#.to_owned(), vec![("2", 1, false)]),
            (
                "combined.json",
                format!(r#"{{"reports": [{}, {}, {}]}}"#, entry("1", ""), entry("2", ""), entry("1", "")),
                vec![("1", 1, true), ("2", 1, true), ("1", 2, true)],
            ),
            ("notes.json", "[]".to_owned(), vec![]),
        ] {
            let want: Vec<_> = want.into_iter().map(|(step, number, valid)| (step.to_owned(), number, valid)).collect();
            assert_eq!(attempts(&format!("{folder}/{file}"), &text), want, "{file}");
        }
        assert_eq!(attempts("agent/reports/2.4.json", &entry("x", "")), [("x".to_owned(), 4, true)]);
    }
}
