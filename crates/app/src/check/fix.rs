//! Fixes findings: applies fixes in memory and checks again until nothing is left to fix, then writes all files at once.

use super::report::{CheckNotice, FixPreview};
use super::scope::CheckScope;
use super::{CheckOptions, check_scope};
use crate::diffs::FileDiff;
use crate::{Error, Workspace, file_edits};
use canonry_lint::Finding;
use canonry_model::canon::Blob;
use canonry_model::edit::Edit;
use canonry_model::finding::{Applicability, Fix, apply_fixes};
use canonry_repo::apply::WritePlan;
use canonry_repo::view::View;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_text::{RepoPath, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Each round fixes what the one before uncovered or could not reach. No real file needs more than a few.
const MAX_ROUNDS: usize = 10;

/// Fixes that are ready to be written.
pub(super) struct Fixes {
    /// Changed texts, then renames.
    edits: Vec<Edit>,
    /// The number of fixes in each file.
    counts: BTreeMap<RepoPath, usize>,
    /// Files that changed during the check. They are not written.
    changed_meanwhile: Vec<RepoPath>,
}

/// Fixes that were written.
pub(super) struct AppliedFixes {
    /// The number of fixes.
    pub count: usize,
    /// Renamed files, by their old and new names.
    renamed: Vec<(RepoPath, RepoPath)>,
    changed_meanwhile: Vec<RepoPath>,
}

/// A file with fixes.
struct FixedFile {
    before: Arc<Source>,
    text: String,
    count: usize,
}

#[derive(Default)]
struct FixedFiles {
    texts: BTreeMap<RepoPath, FixedFile>,
    /// New names of files.
    names: BTreeMap<RepoPath, String>,
}

/// Collects the fixes for the findings and for all findings that follow. Writes nothing, and leaves the view as it was.
///
/// # Errors
/// See [`super::check`].
pub(super) fn collect(
    workspace: &mut Workspace,
    options: &CheckOptions<'_>,
    scope: &CheckScope,
    findings: &[Finding],
    applicability: Applicability,
) -> Result<Fixes, Error> {
    let overlay = workspace.view.overlay().clone();
    let mut files = FixedFiles::default();
    let rounds = fix_rounds(workspace, options, scope, findings, applicability, &mut files);
    workspace.view.replace_overlay(overlay);
    rounds?;
    Ok(Fixes::new(&workspace.view, files))
}

fn fix_rounds(
    workspace: &mut Workspace,
    options: &CheckOptions<'_>,
    scope: &CheckScope,
    findings: &[Finding],
    applicability: Applicability,
    files: &mut FixedFiles,
) -> Result<(), Error> {
    let mut changed = files.apply(findings, applicability);
    for _ in 1..MAX_ROUNDS {
        if changed.is_empty() {
            break;
        }
        for path in &changed {
            let text = files.texts.get(path).map(|file| file.text.clone()).unwrap_or_default();
            workspace.view.set_overlay(path.clone(), text.into_bytes());
        }
        let checked = check_scope(workspace, options, &scope.reduced_to(&changed))?;
        changed = files.apply(&checked.findings, applicability);
    }
    Ok(())
}

impl FixedFiles {
    /// Applies the fixes of some findings once and returns the files that changed.
    fn apply(&mut self, findings: &[Finding], applicability: Applicability) -> BTreeSet<RepoPath> {
        let mut changed = BTreeSet::new();
        for of_file in findings.chunk_by(|a, b| a.location.path == b.location.path) {
            let mut fixes: Vec<&Fix> = of_file.iter().filter_map(|finding| finding.fix.as_ref()).collect();
            fixes.retain(|fix| fix.applicability <= applicability);
            if let (Some(name), Some(first)) = (fixes.iter().find_map(|fix| fix.rename.as_ref()), of_file.first()) {
                self.names.insert(first.location.path.clone(), name.clone());
            }
            fixes.retain(|fix| fix.rename.is_none());
            let source = of_file.iter().find_map(|finding| finding.location.source.as_ref());
            let Some(source) = source.filter(|_| !fixes.is_empty()) else { continue };
            // If two fixes overlap, the safe one is applied first.
            fixes.sort_by_key(|fix| fix.applicability);
            let fixed = apply_fixes(source.text(), fixes);
            if fixed.text != source.text() {
                let new = || FixedFile { before: Arc::clone(source), text: String::new(), count: 0 };
                let file = self.texts.entry(source.path().clone()).or_insert_with(new);
                file.text = fixed.text;
                file.count += fixed.count;
                changed.insert(source.path().clone());
            }
        }
        changed
    }
}

impl Fixes {
    fn new(view: &View, files: FixedFiles) -> Self {
        let mut fixes = Self { edits: Vec::new(), counts: BTreeMap::new(), changed_meanwhile: Vec::new() };
        let mut probe = view.probe();
        for (path, file) in files.texts {
            // The state is read before the bytes, so that a later change is noticed before the file is replaced.
            let was = probe.state(&path).filter(|state| state.mode.is_file());
            let is_same = view.read(&path, DOCUMENT_LIMIT) == Blob::Bytes(file.before.text().as_bytes().to_vec());
            match was.filter(|_| is_same) {
                Some(was) => {
                    fixes.counts.insert(path.clone(), file.count);
                    let bytes = file.text.into_bytes();
                    fixes.edits.push(Edit::write(path, bytes, Some(was), was.mode, view.object_hash()));
                }
                None => fixes.changed_meanwhile.push(path),
            }
        }
        for (path, name) in files.names {
            // The state after the texts are written.
            let written = fixes.edits.iter().find(|edit| *edit.path() == path).and_then(Edit::now);
            let was = written.or_else(|| probe.state(&path)).filter(|state| state.mode.is_file());
            let Some(was) = was else { continue };
            let to = path.parent().unwrap_or_default().join(&name);
            *fixes.counts.entry(path.clone()).or_default() += 1;
            fixes.edits.push(Edit::Rename { path, to, was });
        }
        fixes
    }

    /// The changes without writing them.
    pub fn preview(&self, workspace: &Workspace) -> FixPreview {
        let view = &workspace.view;
        // A file that changes and gets a new name is one difference, as in git.
        let diff = |edit: &Edit| {
            let other = self.edits.iter().find(|other| other.path() == edit.path() && *other != edit);
            match (edit, other) {
                (Edit::Rename { path, to, .. }, text) => Some(FileDiff::from_rename(view, path, to, text)),
                (_, Some(_)) => None,
                (_, None) => Some(FileDiff::from_edit(view, edit)),
            }
        };
        FixPreview {
            diffs: self.edits.iter().filter_map(diff).collect(),
            fixes: self.counts.values().sum(),
            files: self.counts.len(),
        }
    }

    /// Writes the fixes.
    ///
    /// # Errors
    /// Another run is active, an interrupted sync must be finished first, or a file cannot be written.
    pub fn write(mut self, workspace: &Workspace) -> Result<AppliedFixes, Error> {
        let mut renamed = Vec::new();
        if !self.edits.is_empty() {
            let mut session = file_edits::begin_plan(workspace)?;
            let plan = WritePlan { edits: &self.edits, back_up: &[], locks: Vec::new() };
            let applied = session.apply(&workspace.view, &plan, &workspace.env.cancel)?;
            self.changed_meanwhile.extend(applied.conflicts);
            renamed = applied.renamed;
        }
        for path in &self.changed_meanwhile {
            self.counts.remove(path);
        }
        Ok(AppliedFixes { count: self.counts.values().sum(), renamed, changed_meanwhile: self.changed_meanwhile })
    }
}

impl AppliedFixes {
    /// The current name of a path that the user named.
    pub fn current_path(&self, workspace: &Workspace, given: &Path) -> PathBuf {
        let path = workspace.inside(given).ok();
        let renamed = self.renamed.iter().find(|(old, _)| Some(old) == path.as_ref());
        renamed.map_or_else(|| given.to_owned(), |(_, new)| given.with_file_name(new.file_name_lossy()))
    }

    /// Notices for the user about the fixes.
    pub fn notices(&self, workspace: &Workspace) -> Vec<CheckNotice> {
        let view = &workspace.view;
        let changed = self.changed_meanwhile.iter().map(|path| CheckNotice::ChangedMeanwhile(view.full(path)));
        let mut notices: Vec<CheckNotice> = changed.collect();
        let ignores_case = |repo: &gix::Repository| repo.config_snapshot().boolean("core.ignoreCase") == Some(true);
        if workspace.repo().is_ok_and(ignores_case) {
            let renamed = self.renamed.iter().filter(|(old, _)| view.is_tracked(old));
            notices.extend(
                renamed
                    .map(|(old, new)| CheckNotice::RenameUnnoticedByGit { old: view.full(old), new: view.full(new) }),
            );
        }
        notices
    }
}
