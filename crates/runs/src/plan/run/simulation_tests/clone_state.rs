//! A simulated clone: its work tree, its branch and its records.

use super::*;

/// The status of a step in the last commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Committed {
    pub(super) status: StepStatus,
    /// The commits that changed it.
    pub(super) changes: BTreeSet<u64>,
}

#[derive(Default)]
pub(super) struct CloneState {
    /// The statuses in the plan of the work tree.
    pub(super) plan: BTreeMap<String, StepStatus>,
    pub(super) committed: BTreeMap<String, Committed>,
    /// Whether an editor has saved the plan.
    pub(super) is_edited: bool,
    pub(super) branch: BTreeSet<Commit>,
    pub(super) reports: BTreeMap<Attempt, Value>,
    /// The statuses and reports that are committed.
    pub(super) published: BTreeMap<Attempt, (StepStatus, Value)>,
    pub(super) records: BTreeMap<Attempt, AttemptRecord>,
    pub(super) saved: BTreeMap<Attempt, Value>,
    pub(super) conclusions: BTreeMap<Attempt, Conclusion>,
    pub(super) trees: BTreeMap<Attempt, Tree>,
    /// The plan in an editor.
    pub(super) buffer: Option<BTreeMap<String, StepStatus>>,
    pub(super) locked_by: Option<u64>,
    /// Whether a merge is in progress.
    pub(super) is_busy: bool,
}

impl Sim {
    /// The team pulls. git refuses that while it would overwrite a change of the plan.
    pub(super) fn pull(&mut self, into: usize, from: usize) {
        let branch = self.clones[from].branch.clone();
        let published = self.clones[from].published.clone();
        let mut conflict = None;
        let mut committed = self.clones[into].committed.clone();
        for (step, theirs) in &self.clones[from].committed {
            let ours = committed.get_mut(step).expect("both have the plan");
            if ours.changes.is_subset(&theirs.changes) {
                *ours = theirs.clone();
            } else if theirs.changes.is_subset(&ours.changes) || ours.status == theirs.status {
                ours.changes.extend(&theirs.changes);
            } else {
                conflict.get_or_insert_with(|| {
                    format!("a pull conflicts: {step} is {:?} and {:?}", ours.status, theirs.status)
                });
            }
        }
        if let Some(conflict) = conflict {
            return self.violated(conflict);
        }
        let own = &mut self.clones[into];
        let statuses: BTreeMap<String, StepStatus> = committed.iter().map(|(id, it)| (id.clone(), it.status)).collect();
        if statuses != own.committed_plan() {
            if own.plan != own.committed_plan() {
                return;
            }
            own.plan = statuses;
        }
        own.committed = committed;
        own.branch.extend(branch);
        for (attempt, (status, report)) in published {
            own.reports.entry(attempt.clone()).or_insert_with(|| report.clone());
            own.published.entry(attempt).or_insert((status, report));
        }
    }
}

pub(super) fn history<'r>(reports: impl Iterator<Item = (&'r Attempt, &'r Value)>) -> AttemptHistory {
    let attempts: Vec<StepAttempt> = reports.map(|(attempt, report)| parsed(attempt, report)).collect();
    AttemptHistory::from_reports(attempts.iter())
}

impl CloneState {
    /// Whether the commit with the decision of an attempt is here.
    pub(super) fn has_decision(&self, attempt: &Attempt) -> bool {
        self.published.get(attempt).is_some_and(|(status, _)| *status != StepStatus::Pending)
    }

    pub(super) fn committed_plan(&self) -> BTreeMap<String, StepStatus> {
        self.committed.iter().map(|(step, committed)| (step.clone(), committed.status)).collect()
    }

    pub(super) fn history(&self, step: &str) -> AttemptHistory {
        history(self.reports.iter().filter(|((one, _), _)| one == step))
    }
}

fn parsed((step, number): &Attempt, report: &Value) -> StepAttempt {
    let text = |key: &str| report.get(key).and_then(Value::as_str);
    let source = Arc::new(Source::from_bytes(RepoPath::from("r.json"), b"{}".to_vec()).unwrap());
    let result = AttemptResult {
        outcome: match text("outcome").unwrap() {
            "success" => AttemptOutcome::Success,
            "blocked" => AttemptOutcome::Blocked,
            _ => AttemptOutcome::Failure,
        },
        source,
        span: Span::new(0, 0),
        cause: text("cause").and_then(AttemptCause::from_word),
        waiting_until: text("waiting_until").and_then(Timestamp::parse),
        timestamp: None,
        details: String::new(),
        error: text("error").map(str::to_owned),
        owner: None,
        commit: None,
        base: None,
    };
    StepAttempt { step: step.clone(), number: *number, path: RepoPath::from("r.json"), result: Some(result) }
}
