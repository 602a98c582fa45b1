//! Finds the plans of a canon and the reports on each.

use super::parsed_reports::{ParsedReports, ReportedAttempts};
use super::{IgnoreMode, ListedFile, View, ViewError, load};
use canonry_model::canon::approval::{self, Approval};
use canonry_model::canon::file_kind::FileKind;
use canonry_model::canon::inventory::Inventory;
use canonry_model::canon::report::{Report, ReportPlace, StepAttempt};
use canonry_model::canon::schema::Schemas;
use canonry_model::canon::{Blob, Layout};
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The paths of the plans by id. Several files with one id are an error of whoever needs that plan.
///
/// # Errors
/// A folder with plans cannot be listed.
pub fn plans_by_id(view: &View, layout: &Layout) -> Result<BTreeMap<String, Vec<RepoPath>>, ViewError> {
    let mut plans: BTreeMap<String, Vec<RepoPath>> = BTreeMap::new();
    for root in layout.plan_roots() {
        let listing = view.list(root, IgnoreMode::Exclude)?;
        for entry in Inventory::from_entries(&listing.entries(), layout).files(FileKind::Plan) {
            let Some(id) = layout.plan_id(&entry.path) else { continue };
            let paths = plans.entry(id).or_default();
            if !paths.contains(&entry.path) {
                paths.push(entry.path.clone());
            }
        }
    }
    Ok(plans)
}

/// The reports of a canon by plan. Files are listed once; only reports whose content names the plan are read.
#[derive(Debug, Default)]
pub struct ReportIndex {
    /// The paths in `reports/<plan>/`, by plan.
    in_folders: BTreeMap<String, Vec<ListedFile>>,
    /// The reports directly in a folder with reports, with the plan that each counts for.
    flat: Vec<(Option<String>, Report)>,
    plans: BTreeMap<String, Vec<RepoPath>>,
}

impl ReportIndex {
    /// Lists the reports.
    ///
    /// # Errors
    /// A folder with plans or reports cannot be listed.
    pub fn load(view: &View, schemas: &Schemas, layout: &Layout) -> Result<Self, ViewError> {
        let mut index = Self { plans: plans_by_id(view, layout)?, ..Self::default() };
        let mut flat = BTreeSet::new();
        for root in layout.report_roots() {
            let listed = view.list(root, IgnoreMode::Exclude)?.files;
            for file in listed {
                let path = &file.entry.path;
                if FileKind::from_path(path, layout) != Some(FileKind::Report) {
                    continue;
                }
                match ReportPlace::from_path(path, layout) {
                    ReportPlace::Flat => {
                        flat.insert(path.clone());
                    }
                    place => {
                        if let Some(plan) = place.plan() {
                            index.in_folders.entry(plan.to_owned()).or_default().push(file);
                        }
                    }
                }
            }
        }
        index.flat = flat
            .iter()
            .map(|path| load::report(view, path, schemas, layout))
            .map(|report| {
                let plan = index.plan_of(&report).map(str::to_owned);
                (plan, report)
            })
            .collect();
        Ok(index)
    }

    /// The plan that a report counts for: the one that it names, otherwise the only plan.
    pub fn plan_of<'a>(&'a self, report: &'a Report) -> Option<&'a str> {
        match (report.plan_id(), &report.place) {
            (Some(plan), _) => Some(plan),
            (None, ReportPlace::Flat) if self.plans.len() == 1 => self.plans.keys().next().map(String::as_str),
            (None, _) => None,
        }
    }

    /// The file of a plan, if exactly one has the id.
    pub fn plan_path(&self, id: &str) -> Option<&RepoPath> {
        match self.plans.get(id).map(Vec::as_slice) {
            Some([path]) => Some(path),
            _ => None,
        }
    }

    /// Whether there are several plans.
    pub fn has_several_plans(&self) -> bool {
        self.plans.len() > 1
    }

    /// The reports on a plan's steps. An entry of a combined report counts only if its step has no report of its own: a
    /// combined report repeats them.
    pub fn attempts(&self, view: &View, plan: &str, schemas: &Schemas, layout: &Layout) -> Vec<Arc<StepAttempt>> {
        // Kept for the rules that look at the reports themselves.
        let read = |path: &RepoPath| view.read_kept(path, load::DOCUMENT_LIMIT);
        self.attempts_with(read, plan, schemas, layout, &mut ParsedReports::default())
    }

    /// The same; reports that did not change since they were parsed are not read.
    pub(super) fn attempts_with(
        &self,
        read: impl Fn(&RepoPath) -> Blob + Sync,
        plan: &str,
        schemas: &Schemas,
        layout: &Layout,
        parsed: &mut ParsedReports,
    ) -> Vec<Arc<StepAttempt>> {
        let files = self.in_folders.get(plan).map(Vec::as_slice).unwrap_or_default();
        let mut found = parsed.load(read, files, schemas, layout);
        let flat = self.flat.iter().filter(|(of, _)| of.as_deref() == Some(plan));
        found.extend(flat.map(|(_, report)| Arc::new(ReportedAttempts::new(report))));
        let own = found.iter().filter(|report| !report.is_combined).flat_map(|report| &report.attempts);
        let mut attempts: Vec<Arc<StepAttempt>> = own.cloned().collect();
        let combined: Vec<_> = found.iter().filter(|report| report.is_combined).collect();
        if !combined.is_empty() {
            let reported: BTreeSet<String> = attempts.iter().map(|attempt| attempt.step.clone()).collect();
            let entries = combined.into_iter().flat_map(|report| &report.attempts);
            attempts.extend(entries.filter(|attempt| !reported.contains(&attempt.step)).cloned());
        }
        attempts
    }
}

/// The approval of a step; `None` also if it cannot be read or is of another step.
pub fn approval(view: &View, layout: &Layout, plan: &str, step: &str) -> Option<Approval> {
    let bytes = view.read(&approval::path(layout, plan, step), load::DOCUMENT_LIMIT).into_bytes()?;
    Approval::parse(&bytes).ok().filter(|approval| approval.plan == plan && approval.step == step)
}

/// The reports on a plan's steps. To load several plans, use one [`ReportIndex`].
///
/// # Errors
/// See [`ReportIndex::load`].
pub fn attempts(
    view: &View,
    plan: &RepoPath,
    schemas: &Schemas,
    layout: &Layout,
) -> Result<Vec<Arc<StepAttempt>>, ViewError> {
    let Some(id) = layout.plan_id(plan) else { return Ok(Vec::new()) };
    Ok(ReportIndex::load(view, schemas, layout)?.attempts(view, &id, schemas, layout))
}
