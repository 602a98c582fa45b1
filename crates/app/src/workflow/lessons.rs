//! The reasons for which steps were rejected, grouped by cause, as candidates for the review queue of the memory.

use super::run_folder::RunFolder;
use super::run_journal::RunJournal;
use crate::memory::propose::{self, LessonProposal, Occurrence, ProposeLessonsRequest, ProposedLesson};
use crate::{Error, Progress, Timestamp, Workspace};
use canonry_repo::git::commit::Committed;
use canonry_runs::workflow::event::{Destination, RunEvent, StepOutcome};
use canonry_runs::workflow::lessons::{Rejection, group};
use canonry_text::printable::head;

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

/// A cause of rejections.
#[derive(Clone, Debug)]
pub struct RejectionCause {
    /// Cause of the rejections.
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
    let groups = group(&rejections);
    let mut causes: Vec<RejectionCause> = groups
        .into_iter()
        .map(|group| RejectionCause {
            cause: match group.rejections.as_slice() {
                [only] => rejections.get(*only).map_or(group.cause, |only| first_line(&only.reason)),
                _ => group.cause,
            },
            rejections: group.rejections.iter().filter_map(|at| rejections.get(*at).cloned()).collect(),
            proposed: None,
        })
        .collect();
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

fn first_line(reason: &str) -> String {
    head(reason.trim().lines().next().unwrap_or_default(), CAUSE).to_owned()
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
