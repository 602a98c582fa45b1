//! The outcome of a check.

use crate::Error;
use crate::diffs::FileDiff;
use canonry_lint::Finding;
use canonry_model::finding::{Applicability, Severity};
use canonry_text::RepoPath;
use std::collections::BTreeMap;

/// The findings of a check, in one canon or in several. All paths start at the top of the repository.
#[derive(Debug, Default)]
pub struct CheckReport {
    /// The findings, in the order of path, position and rule within each canon.
    pub findings: Vec<Finding>,
    /// Findings that a comment suppresses.
    pub suppressed: Vec<Finding>,
    /// Findings that the baseline contains.
    pub baselined: Vec<Finding>,
    /// The number of baseline entries without a finding.
    pub stale_baseline_entries: usize,
    /// The number of skills and files that are excluded, by the pattern or the folder that excludes them.
    pub excluded: BTreeMap<String, usize>,
    /// Checked files; a skill counts as one.
    pub files: usize,
    /// Checked skills.
    pub skills: usize,
    /// Findings that were fixed in this run.
    pub fixed: usize,
    /// The changes that a dry run of fixes would make, one preview per canon. Then there are no findings.
    pub previews: Vec<FixPreview>,
    /// Notices besides the findings, in the order of events.
    pub notices: Vec<CheckNotice>,
}

/// The changes that fixes would make in one canon.
#[derive(Debug)]
pub struct FixPreview {
    /// The changed files.
    pub diffs: Vec<FileDiff>,
    /// The number of fixes.
    pub fixes: usize,
    /// The number of files with fixes.
    pub files: usize,
}

/// Something the user should know besides the findings.
#[derive(Debug)]
pub enum CheckNotice {
    /// Named files are of no kind that can be checked.
    NotChecked(Vec<RepoPath>),
    /// The repository has no canon, so the files that agents read anywhere in it were checked.
    NoCanon {
        /// Why there is none.
        reason: String,
        /// The canons in folders below, and the config that has canonry see them.
        nested: Option<String>,
    },
    /// Nothing was checked.
    NothingChecked {
        /// Skills and files that git ignores.
        ignored: usize,
        /// Skills and files that are excluded.
        excluded: usize,
    },
    /// A file changed during the check, so its fixes were not written.
    ChangedMeanwhile(RepoPath),
    /// Git ignores case here and has not noticed a rename.
    RenameUnnoticedByGit {
        /// The name that git knows.
        old: RepoPath,
        /// The new name.
        new: RepoPath,
    },
    /// The baseline was written.
    BaselineWritten {
        /// The number of findings in it.
        findings: usize,
        /// Its path, as given or from the top of the repository.
        path: String,
    },
    /// One of several canons could not be checked.
    CanonFailed(Error),
}

impl CheckReport {
    /// The number of findings with a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }

    /// The number of findings with a fix, and with a safe fix.
    pub fn fixable(&self) -> (usize, usize) {
        let fixes = || self.findings.iter().filter_map(|finding| finding.fix.as_ref());
        (fixes().count(), fixes().filter(|fix| fix.applicability == Applicability::Safe).count())
    }

    /// The report with paths that start at the top of the repository, for a canon whose paths start at `base`.
    pub(super) fn below(mut self, base: &RepoPath) -> Self {
        if !base.is_empty() {
            let lists = [&mut self.findings, &mut self.suppressed, &mut self.baselined];
            lists.into_iter().flatten().for_each(|finding| move_below(finding, base));
        }
        self
    }

    /// Adds the report of another canon.
    pub(super) fn merge(&mut self, other: Self) {
        self.findings.extend(other.findings);
        self.suppressed.extend(other.suppressed);
        self.baselined.extend(other.baselined);
        self.stale_baseline_entries += other.stale_baseline_entries;
        for (reason, count) in other.excluded {
            *self.excluded.entry(reason).or_default() += count;
        }
        self.files += other.files;
        self.skills += other.skills;
        self.fixed += other.fixed;
        self.previews.extend(other.previews);
        self.notices.extend(other.notices);
    }
}

fn move_below(finding: &mut Finding, base: &RepoPath) {
    let related = finding.related.iter_mut().map(|related| &mut related.location);
    for location in std::iter::once(&mut finding.location).chain(related) {
        location.path = base.join(location.path.as_bstr());
    }
}
