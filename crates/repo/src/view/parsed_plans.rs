//! Plans that were parsed before, with their reports: a run loads its plan many times for each step.

use super::parsed_reports::ParsedReports;
use super::plan_files::ReportIndex;
use super::{View, ViewError, load};
use canonry_model::canon::plan::{Plan, PlanDocument};
use canonry_model::canon::schema::Schemas;
use canonry_model::canon::{Blob, Layout};
use canonry_text::yaml::ParsedDocument;
use canonry_text::{RepoPath, Source};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Versions of plans that are kept: that of the last commit, those of the work tree, and those of another plan.
const VERSIONS: usize = 8;

/// Parsed plans by content. Files are read each time; what is parsed is a function of the content alone.
#[derive(Debug, Default)]
pub struct ParsedPlans(Mutex<Parsed>);

#[derive(Debug, Default)]
struct Parsed {
    /// The schemas that everything below was validated with, and their files.
    schema_files: Vec<(RepoPath, Blob)>,
    schemas: Schemas,
    /// The last used first.
    documents: VecDeque<Arc<PlanDocument>>,
    /// By plan.
    reports: HashMap<RepoPath, ParsedReports>,
}

impl ParsedPlans {
    /// A plan without its reports.
    ///
    /// # Errors
    /// The folder of the team's schemas cannot be listed.
    pub fn plan(&self, view: &View, path: &RepoPath, layout: &Layout) -> Result<Plan, ViewError> {
        let mut parsed = self.lock();
        parsed.load_schemas(view, layout)?;
        let Blob::Bytes(bytes) = view.read_kept(path, load::PLAN_LIMIT) else {
            return Ok(load::bare_plan(view, path, &parsed.schemas));
        };
        let is_same =
            |document: &Arc<PlanDocument>| document.source.path() == path && document.source.text().as_bytes() == bytes;
        if let Some(document) = parsed.documents.iter().position(is_same).and_then(|at| parsed.documents.remove(at)) {
            parsed.documents.push_front(Arc::clone(&document));
            return Ok(Plan::from_document(path.clone(), document));
        }
        let plan = Plan::parse(path.clone(), Blob::Bytes(bytes), &parsed.schemas);
        if let Ok(document) = &plan.document {
            parsed.keep(Arc::clone(document));
        }
        Ok(plan)
    }

    /// Keeps a plan that is about to be written, with its YAML, which was parsed to verify the edit.
    pub fn keep_edited(&self, path: &RepoPath, text: String, yaml: ParsedDocument) {
        let mut parsed = self.lock();
        let source = Arc::new(Source::new(path.clone(), text));
        let document = PlanDocument::from_yaml(source, Ok(yaml), &parsed.schemas);
        parsed.keep(Arc::new(document));
    }

    /// Adds the reports on the steps of a plan.
    ///
    /// # Errors
    /// A folder with plans or reports cannot be listed.
    pub fn with_reports(&self, plan: Plan, view: &View, layout: &Layout) -> Result<Plan, ViewError> {
        let Some(id) = layout.plan_id(&plan.path) else { return Ok(plan) };
        let mut parsed = self.lock();
        parsed.load_schemas(view, layout)?;
        let Parsed { schemas, reports, .. } = &mut *parsed;
        let index = ReportIndex::load(view, schemas, layout)?;
        let reports = reports.entry(plan.path.clone()).or_default();
        // Not kept: a file may change after the view has read it.
        let read = |path: &RepoPath| view.read(path, load::DOCUMENT_LIMIT);
        let attempts = index.attempts_with(read, &id, schemas, layout, reports);
        Ok(plan.with_attempts(attempts))
    }

    fn lock(&self) -> MutexGuard<'_, Parsed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Parsed {
    /// Loads the schemas. If they changed, nothing that was validated with the others is kept.
    fn load_schemas(&mut self, view: &View, layout: &Layout) -> Result<(), ViewError> {
        let entries = load::team_schemas(view, layout)?;
        let read = |path: RepoPath| {
            let content = view.read_kept(&path, load::DOCUMENT_LIMIT);
            (path, content)
        };
        let schema_files: Vec<(RepoPath, Blob)> = entries.into_iter().map(|entry| read(entry.path)).collect();
        if schema_files != self.schema_files {
            *self = Self { schemas: load::schemas(view, layout)?, schema_files, ..Self::default() };
        }
        Ok(())
    }

    fn keep(&mut self, document: Arc<PlanDocument>) {
        self.documents.push_front(document);
        self.documents.truncate(VERSIONS);
    }
}
