//! A simulated clone: its work tree, its branch and its records.

use super::*;

#[derive(Default)]
pub(super) struct CloneState {
    /// The statuses in the plan of the work tree.
    pub(super) plan: BTreeMap<String, StepStatus>,
    /// The statuses in the last commit.
    pub(super) committed: BTreeMap<String, StepStatus>,
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
        let mut committed = self.clones[from].committed.clone();
        for (step, theirs) in &mut committed {
            let ours = self.clones[into].committed[step];
            let base = self.merge_base[step];
            if *theirs == base {
                *theirs = ours;
            } else if ours != base && ours != *theirs {
                let conflict = format!("a pull conflicts: {step} is {ours:?} and {theirs:?}");
                return self.violated(conflict);
            }
        }
        let merge_base = self.clones[from].committed.clone();
        let own = &mut self.clones[into];
        if committed != own.committed {
            if own.plan != own.committed {
                return;
            }
            own.plan = committed.clone();
        }
        own.committed = committed;
        own.branch.extend(branch);
        for (attempt, (status, report)) in published {
            own.reports.entry(attempt.clone()).or_insert_with(|| report.clone());
            own.published.entry(attempt).or_insert((status, report));
        }
        self.merge_base = merge_base;
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
