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
        let mut conflict = None;
        for (attempt, theirs) in &published {
            let base = self.published_base.get(attempt);
            match own.published.get(attempt) {
                Some(ours) if ours == theirs || base == Some(theirs) => {}
                Some(ours) if base != Some(ours) => {
                    conflict = Some(format!("a pull conflicts: reports on {attempt:?}"))
                }
                ours => {
                    let is_older = ours.is_some_and(|(_, ours)| own.reports.get(attempt) == Some(ours));
                    if is_older || !own.reports.contains_key(attempt) {
                        own.reports.insert(attempt.clone(), theirs.1.clone());
                    }
                    own.published.insert(attempt.clone(), theirs.clone());
                }
            }
        }
        self.merge_base = merge_base;
        self.published_base = published;
        conflict.into_iter().for_each(|conflict| self.violated(conflict));
    }

    /// The time to live ends for the claims that no run can continue: no record has them.
    pub(super) fn expire_claims(&mut self) {
        let records = self.clones.iter().flat_map(|clone| clone.records.values());
        let recorded: BTreeSet<&str> = records.map(|record| record.claim.as_str()).collect();
        for claim in self.claims.values_mut() {
            if claim.pid != 0 && !recorded.contains(claim.nonce.to_string().as_str()) {
                (claim.pid, claim.done, claim.is_free) = (0, None, true);
            }
        }
    }

    /// People merge the pull requests that a clone waits for, and the clone gets them. A run that was killed may have opened
    /// others.
    pub(super) fn merge_proposals(&mut self, clone: usize) {
        let CloneState { reports, branch, .. } = &mut self.clones[clone];
        let is_awaited = |work: &Commit| {
            let report = reports.get(&(work.step.clone(), work.attempt));
            report.is_some_and(|report| report["cause"] == AttemptCause::PullRequest.as_str())
        };
        branch.extend(self.proposed.iter().filter(|work| is_awaited(work)).cloned());
    }
}

pub(super) fn history<'r>(reports: impl Iterator<Item = (&'r Attempt, &'r Value)>) -> AttemptHistory {
    let attempts: Vec<StepAttempt> = reports.map(|(attempt, report)| parsed(attempt, report)).collect();
    AttemptHistory::from_reports(attempts.iter())
}

impl CloneState {
    /// Whether a commit with these decisions is here.
    pub(super) fn has_decisions(&self, decisions: &Decisions) -> bool {
        // Once a pull request is merged, the same attempt completes the step.
        let is_here = |(attempt, status): (&Attempt, &StepStatus)| {
            self.published.get(attempt).is_some_and(|(one, _)| one == status || *one == StepStatus::Complete)
        };
        decisions.iter().all(is_here)
    }

    /// The decisions about a step in the last commit.
    pub(super) fn decisions(&self, step: &str) -> Decisions {
        let about = self.published.iter().filter(|((one, _), _)| one == step);
        about.map(|(attempt, (status, _))| (attempt.clone(), *status)).collect()
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
