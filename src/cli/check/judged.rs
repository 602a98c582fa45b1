//! What a check of one canon came to, or of several together, and how it is told.

use super::args::{Args, FormatArg};
use super::asked::Done;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::finding::{Finding, Severity};
use crate::render::{Report, github, human, json, sarif};
use crate::rules::ResolvedFindings;
use crate::syntax::RepoPath;

/// What it came to.
#[derive(Default)]
pub struct Judged {
    settled: ResolvedFindings,
    files: usize,
    skills: usize,
    fixed: usize,
    /// Where the canon would be, of which nothing is staged.
    missing: Option<RepoPath>,
    /// Where only fixes were foreseen, and told.
    foreseen: Option<Status>,
}

impl Judged {
    /// Of the canon of a folder: what is told of it is told by paths from the top of the repository.
    pub fn new(done: Done, fixed: usize, base: &RepoPath) -> Self {
        let (files, skills) = (done.report().files, done.report().skills);
        let mut settled = done.settled;
        if !base.is_empty() {
            let lists = [&mut settled.findings, &mut settled.allowed, &mut settled.baselined];
            lists.into_iter().flatten().for_each(|finding| move_below(finding, base));
        }
        Self { settled, files, skills, fixed, ..Self::default() }
    }

    /// Of a canon of which nothing is staged.
    pub fn without_canon(root: &RepoPath) -> Self {
        Self { missing: Some(root.clone()), ..Self::default() }
    }

    /// Of one whose fixes have been told.
    pub fn foreseen(status: Status) -> Self {
        Self { foreseen: Some(status), ..Self::default() }
    }

    /// Takes in another canon.
    pub fn add(&mut self, other: Self) {
        let settled = &mut self.settled;
        settled.findings.extend(other.settled.findings);
        settled.allowed.extend(other.settled.allowed);
        settled.baselined.extend(other.settled.baselined);
        settled.stale_baseline_entries += other.settled.stale_baseline_entries;
        self.files += other.files;
        self.skills += other.skills;
        self.fixed += other.fixed;
        self.foreseen = match (self.foreseen, other.foreseen) {
            (Some(one), Some(other)) => Some(one.and(other)),
            (one, other) => one.or(other),
        };
    }

    /// Prints it.
    pub fn tell(&self, args: &Args, out: &Out<'_>) -> Status {
        if let Some(status) = self.foreseen {
            return status;
        }
        if let Some(root) = self.missing.as_ref().filter(|_| args.format == FormatArg::Human) {
            // A hook holds for every branch, and is not to stop commits on one that has no canon.
            out.result(&format!("There is no canon in what is staged, no folder `{root}`: nothing to judge.\n"));
            return Status::Done;
        }
        let report = Report { settled: &self.settled, files: self.files, skills: self.skills, fixed: self.fixed };
        out.result(&match args.format {
            FormatArg::Human => human::findings(&report, out.style),
            FormatArg::Json => json::findings(&report),
            FormatArg::Sarif => sarif::findings(&report),
            FormatArg::Github => github::findings(&report),
        });
        if report.count(Severity::Error) > 0 { Status::Findings } else { Status::Done }
    }
}

fn move_below(finding: &mut Finding, base: &RepoPath) {
    let draft = &mut finding.raw;
    let places =
        std::iter::once(&mut draft.location).chain(draft.related.iter_mut().map(|related| &mut related.location));
    for place in places {
        place.path = base.join(place.path.as_bstr());
    }
}
