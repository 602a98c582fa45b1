//! Looks up in the repository what reports claim. Everything that cannot be known, for example in a shallow clone, is left
//! out, so that the rules report only what is proved.

use super::scope::exists;
use crate::Workspace;
use canonry_model::canon::report::Report;
use canonry_model::canon::report_entry::ReportEntry;
use canonry_model::canon::report_evidence::{AttemptChanges, CommitEvidence};
use canonry_model::canon::{Blob, IgnoreMode};
use canonry_repo::git::attempt::{NamedObject, changes_in, count_lines, find_object, has_path, never_existed};
use canonry_repo::view::View;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_text::{PathEscape, RepoPath};
use gix::ObjectId;
use std::collections::{BTreeMap, BTreeSet};

/// Adds the evidence to each report.
pub(super) fn collect(workspace: &Workspace, earlier: Option<&View>, reports: &mut [Report]) {
    let claims = |entry: &ReportEntry| entry.commit.is_some() || !entry.files.is_empty();
    let has_claims =
        |report: &Report| report.document.as_ref().is_ok_and(|document| document.entries.iter().any(claims));
    if !reports.iter().any(has_claims) {
        return;
    }
    let mut evidence = EvidenceCollector::new(workspace, earlier);
    for report in reports.iter_mut().filter(|report| has_claims(report)) {
        evidence.add_commits_and_files(report);
    }
    evidence.remove_excused_files(reports);
    evidence.add_changes(reports);
}

struct EvidenceCollector<'a> {
    workspace: &'a Workspace,
    view: &'a View,
    earlier: Option<&'a View>,
    /// The ids of the earlier versions of reports, as far as they are known.
    earlier_ids: BTreeMap<RepoPath, Option<ObjectId>>,
    repo: Option<&'a gix::Repository>,
    /// Whether the clone has the whole history.
    is_complete: bool,
    commits: BTreeMap<String, Option<CommitEvidence>>,
}

impl<'a> EvidenceCollector<'a> {
    fn new(workspace: &'a Workspace, earlier: Option<&'a View>) -> Self {
        // Without a repository, nothing can be looked up.
        let repo = workspace.repo().ok();
        let mut earlier_ids = BTreeMap::new();
        for root in workspace.layout.report_roots() {
            let listing = earlier.and_then(|earlier| earlier.list(root, IgnoreMode::Exclude).ok()).unwrap_or_default();
            earlier_ids.extend(listing.files.into_iter().map(|file| (file.entry.path.clone(), file.id())));
        }
        let is_complete = repo.is_some_and(|repo| repo.is_shallow().is_ok_and(|shallow| !shallow));
        Self { workspace, view: &workspace.view, earlier, earlier_ids, repo, is_complete, commits: BTreeMap::new() }
    }

    /// Whether the checked change adds or changes a report.
    fn is_new(&self, path: &RepoPath, text: &str) -> bool {
        let Some(earlier) = self.earlier else { return true };
        match self.earlier_ids.get(path) {
            None => true,
            Some(Some(id)) => {
                let now = gix::objs::compute_hash(id.kind(), gix::objs::Kind::Blob, text.as_bytes());
                now.is_ok_and(|now| now != *id)
            }
            Some(None) => earlier.read(path, DOCUMENT_LIMIT) != Blob::Bytes(text.as_bytes().to_vec()),
        }
    }

    fn add_commits_and_files(&mut self, report: &mut Report) {
        let Ok(document) = &mut report.document else { return };
        let is_new = self.is_new(&report.path, document.source.text());
        for entry in &mut document.entries {
            entry.evidence.is_new = is_new;
            if let Some(commit) = &entry.commit {
                entry.evidence.commit = self.commit(&commit.text);
            }
            if entry.claims_success() && entry.result.is_some() {
                self.add_files(entry);
            }
        }
    }

    fn commit(&mut self, hex: &str) -> Option<CommitEvidence> {
        if let Some(known) = self.commits.get(hex) {
            return *known;
        }
        let found = self.repo.and_then(|repo| find_object(repo, hex).ok());
        let evidence = match found {
            Some(NamedObject::Commit(id)) => Some(CommitEvidence::Exists(id)),
            Some(NamedObject::Other) => Some(CommitEvidence::NotACommit),
            Some(NamedObject::Missing) if self.is_complete => Some(CommitEvidence::Missing),
            Some(NamedObject::Missing | NamedObject::Ambiguous) | None => None,
        };
        self.commits.insert(hex.to_owned(), evidence);
        evidence
    }

    fn add_files(&self, entry: &mut ReportEntry) {
        let evidence = &mut entry.evidence;
        let commit = match evidence.commit {
            Some(CommitEvidence::Exists(id)) => self.repo.map(|repo| (repo, id)),
            _ => None,
        };
        for (at, file) in entry.files.iter().enumerate() {
            let Some(path) = plain_path(&file.path.text) else { continue };
            let is_here = exists(self.view, &path);
            // A path may start at the top of the repository although the canon belongs to a folder.
            let was_committed = || commit.is_some_and(|(repo, id)| self.is_in_commit(repo, id, &path));
            if file.is_deleted() && is_here && evidence.is_new {
                evidence.remaining_files.push(at)
            } else if !file.is_deleted() && !is_here && !was_committed() {
                evidence.missing_files.push(at)
            }
        }
    }

    fn is_in_commit(&self, repo: &gix::Repository, commit: ObjectId, path: &RepoPath) -> bool {
        [self.view.full(path), path.clone()].iter().any(|path| has_path(repo, commit, path).unwrap_or(true))
    }

    /// Removes missing files that git ignores, and those of older reports that the history knows: later work may have
    /// removed them.
    fn remove_excused_files(&self, reports: &mut [Report]) {
        let entries = || reports.iter().filter_map(|report| report.document.as_ref().ok()).flat_map(|d| &d.entries);
        let missing = |entry: &ReportEntry| -> Vec<RepoPath> {
            let files = entry.evidence.missing_files.iter().filter_map(|at| entry.files.get(*at));
            files.filter_map(|file| plain_path(&file.path.text)).collect()
        };
        let all: Vec<RepoPath> = entries().flat_map(missing).collect::<BTreeSet<_>>().into_iter().collect();
        if all.is_empty() {
            return;
        }
        let ignored = self.view.ignored(&all).unwrap_or_default();
        let older: BTreeSet<RepoPath> = entries()
            .filter(|entry| !entry.evidence.is_new)
            .flat_map(missing)
            .map(|path| self.view.full(&path))
            .collect();
        let unknown = self.never_existed(older);
        for entry in reports.iter_mut().filter_map(|report| report.document.as_mut().ok()).flat_map(|d| &mut d.entries)
        {
            let files = &entry.files;
            let is_new = entry.evidence.is_new;
            entry.evidence.missing_files.retain(|at| {
                let path = files.get(*at).and_then(|file| plain_path(&file.path.text));
                path.is_some_and(|path| {
                    !ignored.contains(&path) && (is_new || unknown.contains(&self.view.full(&path)))
                })
            });
        }
    }

    fn never_existed(&self, paths: BTreeSet<RepoPath>) -> BTreeSet<RepoPath> {
        let Some(repo) = self.repo.filter(|_| !paths.is_empty()) else { return BTreeSet::new() };
        never_existed(repo, self.view.revision(), paths).ok().flatten().unwrap_or_default()
    }

    /// Adds the changes of attempts that the checked change reports, if their step limits them.
    fn add_changes(&self, reports: &mut [Report]) {
        // A file that several attempts changed cannot be split between them.
        let mut listed: BTreeMap<RepoPath, usize> = BTreeMap::new();
        let new = reports.iter().filter_map(|report| report.document.as_ref().ok()).flat_map(|d| &d.entries);
        for entry in new.filter(|entry| entry.evidence.is_new) {
            for path in entry.files.iter().filter_map(|file| plain_path(&file.path.text)) {
                *listed.entry(path).or_default() += 1;
            }
        }
        for report in reports {
            let (Some(plan), Ok(document)) = (&report.plan, &mut report.document) else { continue };
            for entry in document.entries.iter_mut().filter(|entry| entry.evidence.is_new && entry.result.is_some()) {
                let step = entry.step.as_ref().and_then(|step| plan.step(&step.text));
                if step.is_none_or(|step| step.files.is_empty() && step.max_diff_lines.is_none()) {
                    continue;
                }
                entry.evidence.changes = match entry.evidence.commit {
                    Some(CommitEvidence::Exists(id)) => self.changes_in(id),
                    _ => Some(self.listed_changes(entry, &listed)),
                };
            }
        }
    }

    /// The changes in a commit outside the canon and the mirrors.
    fn changes_in(&self, commit: ObjectId) -> Option<AttemptChanges> {
        let changes = changes_in(self.repo?, commit).ok()??;
        let mut work = AttemptChanges { files: Vec::new(), lines: None };
        let mut lines = 0;
        for change in changes {
            let Some(path) = change.path.below(self.view.base()).map(RepoPath::new) else { continue };
            if self.is_work(&path) {
                lines += change.added + change.removed;
                work.files.push(path);
            }
        }
        Some(AttemptChanges { lines: Some(lines), ..work })
    }

    /// The changes of the files that an attempt lists.
    fn listed_changes(&self, entry: &ReportEntry, listed: &BTreeMap<RepoPath, usize>) -> AttemptChanges {
        let changed = entry.files.iter().filter(|file| file.is_written() || file.is_deleted());
        let files: BTreeSet<RepoPath> =
            changed.filter_map(|file| plain_path(&file.path.text)).filter(|path| self.is_work(path)).collect();
        let own = files.iter().filter(|path| listed.get(*path) == Some(&1));
        let lines = self.earlier.map(|earlier| {
            let text = |view: &View, path: &RepoPath| view.read(path, DOCUMENT_LIMIT).into_bytes().unwrap_or_default();
            own.map(|path| count_lines(&text(earlier, path), &text(self.view, path))).sum()
        });
        AttemptChanges { files: files.into_iter().collect(), lines }
    }

    /// Whether a file is neither part of the canon, nor a plan or report elsewhere, nor a mirror.
    fn is_work(&self, path: &RepoPath) -> bool {
        let layout = &self.workspace.layout;
        let folders = layout.plan_roots().iter().chain(layout.report_roots()).chain([layout.root()]);
        !folders.into_iter().any(|folder| path.is_within(folder)) && !self.workspace.config.is_in_mirror(path)
    }
}

/// The path of an artifact; `None` for addresses, patterns, and paths outside the repository.
fn plain_path(text: &str) -> Option<RepoPath> {
    let is_plain = !text.contains("://") && !text.contains(['*', '?', '\\', '{', '\n', ' ']) && !text.starts_with('~');
    let path = Some(text).filter(|text| is_plain && PathEscape::detect(text).is_none()).map(RepoPath::new)?;
    Some(path).filter(|path| !path.is_empty())
}
