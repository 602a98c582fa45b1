//! The reasons for which steps were rejected, grouped by cause, as candidates for the review queue of the memory.

use super::run_folder::RunFolder;
use super::run_journal::RunJournal;
use crate::memory::propose::{self, LessonProposal, Occurrence, ProposeLessonsRequest, ProposedLesson};
use crate::{Error, Progress, Timestamp, Workspace};
use canonry_repo::git::commit::Committed;
use canonry_runs::workflow::event::{Destination, RunEvent, StepOutcome};
use canonry_text::error_text::normalize;
use canonry_text::printable::head;
use std::collections::HashMap;

/// The most bytes of a cause.
const CAUSE: usize = 200;

/// Which runs, and whether to stage the lessons.
#[derive(Clone, Debug, Default)]
pub struct WorkflowLessonsRequest {
    /// The run's id; all runs by default.
    pub run: Option<String>,
    /// Only show them.
    pub dry_run: bool,
    /// Do not commit the review queue.
    pub no_commit: bool,
}

/// The causes.
#[derive(Clone, Debug)]
pub struct WorkflowLessons {
    /// The number of runs that were looked at.
    pub runs: usize,
    /// The causes, in the order of their first rejections.
    pub causes: Vec<RejectionCause>,
    /// The commit of the review queue.
    pub commit: Option<Committed>,
}

/// A rejected step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    pub run: String,
    pub step: String,
    /// The n-th time the run reached the step.
    pub visit: u64,
    pub reason: String,
    /// When, in RFC 3339.
    pub at: String,
}

/// A cause of rejections.
#[derive(Clone, Debug)]
pub struct RejectionCause {
    /// The first line of the first reason.
    pub cause: String,
    /// The rejections: run, step, visit and time.
    pub rejections: Vec<Rejection>,
    /// Result of the proposal; `None` with `dry_run`.
    pub proposed: Option<ProposedLesson>,
}

/// Groups the reasons of rejected steps and stages each cause as a candidate lesson. Repeating it changes nothing.
///
/// # Errors
/// See [`propose::run`]; also if there is no such run or its journal is damaged.
pub fn run(
    workspace: &Workspace,
    request: &WorkflowLessonsRequest,
    progress: &dyn Progress,
) -> Result<WorkflowLessons, Error> {
    let folders = match &request.run {
        Some(id) => vec![RunFolder::named(workspace, id)?],
        None => RunFolder::all(workspace)?,
    };
    let mut rejections = Vec::new();
    for folder in &folders {
        rejections.extend(rejections_of(&RunJournal::open(folder)?));
    }
    let mut causes = by_cause(rejections);
    if request.dry_run || causes.is_empty() {
        return Ok(WorkflowLessons { runs: folders.len(), causes, commit: None });
    }
    let proposals = causes.iter().map(proposal).collect();
    let request = ProposeLessonsRequest { proposals, no_commit: request.no_commit, now: None };
    let proposed = propose::run(workspace, &request, progress)?;
    for (cause, lesson) in causes.iter_mut().zip(proposed.lessons) {
        cause.proposed = Some(lesson);
    }
    Ok(WorkflowLessons { runs: folders.len(), causes, commit: proposed.commit })
}

/// The rejections whose reasons differ in numbers, times, hashes and folders at most, in the order of their first ones. Reasons
/// that are merely similar stay apart: a person sees each text that is evidence.
fn by_cause(rejections: Vec<Rejection>) -> Vec<RejectionCause> {
    let mut causes: Vec<RejectionCause> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for rejection in rejections {
        let at = *known.entry(normalize(&rejection.reason)).or_insert(causes.len());
        match causes.get_mut(at) {
            Some(cause) => cause.rejections.push(rejection),
            None => {
                let first = rejection.reason.trim().lines().next().unwrap_or_default();
                let cause = head(first, CAUSE).to_owned();
                causes.push(RejectionCause { cause, rejections: vec![rejection], proposed: None });
            }
        }
    }
    causes
}

fn proposal(cause: &RejectionCause) -> LessonProposal {
    let steps: std::collections::BTreeSet<&str> =
        cause.rejections.iter().map(|rejection| rejection.step.as_str()).collect();
    let steps: Vec<&str> = steps.into_iter().collect();
    let occurrences = cause.rejections.iter().filter_map(|rejection| {
        Some(Occurrence {
            run: rejection.run.clone(),
            step: rejection.step.clone(),
            at: Timestamp::parse(&rejection.at)?,
            reason: rejection.reason.clone(),
        })
    });
    let text = format!("Work on {} was rejected: {}", steps.join(", "), cause.cause.trim());
    LessonProposal { text, occurrences: occurrences.collect() }
}

/// The rejections of a run, by reviewers and by persons.
fn rejections_of(journal: &RunJournal) -> Vec<Rejection> {
    let run = &journal.state.start.run;
    let mut found = Vec::new();
    for entry in &journal.entries {
        let (step, visit, reason) = match &entry.event {
            RunEvent::StepEnded { step, visit, outcome: StepOutcome::Rejected, reason: Some(reason), .. } => {
                (step, *visit, reason)
            }
            RunEvent::PersonAnswered { name, visit, why: Some(why), next: Destination::Step(_), .. } => {
                (name, *visit, why)
            }
            _ => continue,
        };
        found.push(Rejection {
            run: run.clone(),
            step: step.clone(),
            visit,
            reason: reason.clone(),
            at: entry.at.clone(),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_differ_in_numbers_are_one_cause_and_similar_ones_are_not() {
        let reasons = [
            "3 tests failed after 2.5s\nlogin",
            "src/a.rs has no test",
            "17 tests failed after 900ms\nlogin",
            "src/b.rs has no test",
            "",
        ];
        let rejection = |(visit, reason): (u64, &str)| {
            let [run, step, at] = ["r", "s", "2026-05-01T12:00:00Z"].map(str::to_owned);
            Rejection { run, step, visit, reason: reason.to_owned(), at }
        };
        let causes = by_cause((1..).zip(reasons).map(rejection).collect());
        let visits = |cause: &RejectionCause| cause.rejections.iter().map(|one| one.visit).collect::<Vec<_>>();
        let found: Vec<(&str, Vec<u64>)> = causes.iter().map(|cause| (cause.cause.as_str(), visits(cause))).collect();
        let wanted = [
            ("3 tests failed after 2.5s", vec![1, 3]),
            ("src/a.rs has no test", vec![2]),
            ("src/b.rs has no test", vec![4]),
            ("", vec![5]),
        ];
        assert_eq!(found, wanted);
    }
}
