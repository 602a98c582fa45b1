//! How much the runs of an owner differ.

use super::score::{FactResult, PlanShape, ScoredPlan};
use std::collections::BTreeSet;

/// A run of an owner.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannerRun {
    /// The plan; `None` if the output has none.
    pub plan: Option<ScoredPlan>,
    pub seconds: Option<f64>,
}

impl PlannerRun {
    /// The score of its plan; 0 without one.
    pub fn score(&self) -> f64 {
        self.plan.as_ref().map_or(0.0, ScoredPlan::score)
    }
}

/// The mean of some values, their extremes, and their standard deviation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    pub mean: f64,
    pub min: f64,
    pub max: f64,
    pub deviation: f64,
}

/// The runs of an owner as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnerSummary {
    pub score: Spread,
    /// Over the runs whose time is known.
    pub seconds: Option<Spread>,
    /// The mean similarity of two runs, from 0 to 1; `None` if there is only one run.
    pub consistency: Option<f64>,
    /// The facts that not every plan has, each with the number of plans that have it.
    pub missed: Vec<(FactResult, usize)>,
}

impl Spread {
    /// `None` without values.
    pub fn new(values: &[f64]) -> Option<Self> {
        let count = values.len() as f64;
        let first = *values.first()?;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        Some(Self {
            mean,
            min: values.iter().copied().fold(first, f64::min),
            max: values.iter().copied().fold(first, f64::max),
            deviation: variance.sqrt(),
        })
    }
}

/// Summarizes the runs of an owner.
pub fn summarize(runs: &[PlannerRun]) -> OwnerSummary {
    let scores: Vec<f64> = runs.iter().map(PlannerRun::score).collect();
    let seconds: Vec<f64> = runs.iter().filter_map(|run| run.seconds).collect();
    let pairs = runs.iter().enumerate().flat_map(|(at, run)| runs[at + 1..].iter().map(move |other| (run, other)));
    let similarities: Vec<f64> = pairs.map(|(run, other)| similarity(run, other)).collect();
    OwnerSummary {
        score: Spread::new(&scores).unwrap_or_default(),
        seconds: Spread::new(&seconds),
        consistency: Spread::new(&similarities).map(|spread| spread.mean),
        missed: missed(runs),
    }
}

/// The facts of one benchmark have the same order in every run.
fn missed(runs: &[PlannerRun]) -> Vec<(FactResult, usize)> {
    let plans: Vec<&ScoredPlan> = runs.iter().filter_map(|run| run.plan.as_ref()).collect();
    let Some(first) = plans.first() else { return Vec::new() };
    let held = |at: usize| plans.iter().filter(|plan| plan.facts.get(at).is_some_and(|fact| fact.holds)).count();
    let counts = first.facts.iter().enumerate().map(|(at, fact)| (fact.clone(), held(at)));
    counts.filter(|(_, count)| *count < plans.len()).collect()
}

/// How alike two runs are: the mean over the number of steps, the number of dependencies, the depth, the owners, the files
/// and the facts. A run without a plan is like no other.
fn similarity(run: &PlannerRun, other: &PlannerRun) -> f64 {
    let (Some(a), Some(b)) = (&run.plan, &other.plan) else { return 0.0 };
    let facts = a.facts.iter().zip(&b.facts).filter(|(a, b)| a.holds == b.holds).count();
    let facts = if a.facts.is_empty() { 1.0 } else { facts as f64 / a.facts.len() as f64 };
    let (a, b): (&PlanShape, &PlanShape) = (&a.shape, &b.shape);
    let parts = [
        ratio(a.steps, b.steps),
        ratio(a.deps, b.deps),
        ratio(a.depth, b.depth),
        overlap(&a.owners, &b.owners),
        overlap(&a.files, &b.files),
        facts,
    ];
    parts.iter().sum::<f64>() / parts.len() as f64
}

/// The smaller of two numbers as a share of the larger.
fn ratio(a: usize, b: usize) -> f64 {
    if a == b { 1.0 } else { a.min(b) as f64 / a.max(b) as f64 }
}

/// The share of elements that both sets have.
fn overlap(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let all = a.union(b).count();
    if all == 0 { 1.0 } else { a.intersection(b).count() as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::benchmark::FactGroup;

    fn run(steps: usize, holds: bool) -> PlannerRun {
        let shape = PlanShape { steps, ..PlanShape::default() };
        let facts = vec![FactResult { group: FactGroup::Steps, text: "f".to_owned(), holds }];
        PlannerRun { plan: Some(ScoredPlan { shape, facts }), seconds: Some(steps as f64) }
    }

    #[test]
    fn equal_runs_are_consistent() {
        let summary = summarize(&[run(4, true), run(4, true)]);
        assert_eq!((summary.consistency, summary.score.deviation, summary.missed.len()), (Some(1.0), 0.0, 0));
        assert_eq!(summarize(&[run(4, true)]).consistency, None);
    }

    #[test]
    fn different_runs_are_less_consistent() {
        let summary = summarize(&[run(4, true), run(2, false)]);
        // Half as many steps, and another fact; everything else is equal.
        assert_eq!(summary.consistency, Some((0.5 + 4.0) / 6.0));
        assert_eq!(summary.score, Spread { mean: 0.5, min: 0.0, max: 1.0, deviation: 0.5 });
        assert_eq!(summary.seconds.map(|seconds| seconds.mean), Some(3.0));
        assert_eq!(summary.missed.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn a_run_without_a_plan_scores_nothing() {
        let summary = summarize(&[run(4, true), PlannerRun { plan: None, seconds: None }]);
        assert_eq!((summary.score.mean, summary.consistency), (0.5, Some(0.0)));
        assert_eq!(summarize(&[]).score, Spread::default());
    }
}
