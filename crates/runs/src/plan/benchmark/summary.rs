//! The runs of an owner as a whole.

use super::score::{FactResult, ScoredPlan};

/// A run of an owner.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannerRun {
    /// The plan; `None` if the output has none.
    pub plan: Option<ScoredPlan>,
    pub seconds: Option<f64>,
    /// Why there is no plan.
    pub problem: Option<String>,
}

impl PlannerRun {
    /// The score of its plan; 0 without one.
    pub fn score(&self) -> f64 {
        self.plan.as_ref().map_or(0.0, ScoredPlan::score)
    }
}

/// The runs of an owner as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnerSummary {
    /// The mean score.
    pub score: f64,
    /// The mean over the runs whose time is known.
    pub seconds: Option<f64>,
    /// The facts that not every plan has, each with the number of plans that have it.
    pub missed: Vec<(FactResult, usize)>,
}

/// Summarizes the runs of an owner.
pub fn summarize(runs: &[PlannerRun]) -> OwnerSummary {
    let scores: Vec<f64> = runs.iter().map(PlannerRun::score).collect();
    let seconds: Vec<f64> = runs.iter().filter_map(|run| run.seconds).collect();
    OwnerSummary { score: mean(&scores).unwrap_or_default(), seconds: mean(&seconds), missed: missed(runs) }
}

/// The mean of some values; `None` without any.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The facts of one benchmark have the same order in every run.
fn missed(runs: &[PlannerRun]) -> Vec<(FactResult, usize)> {
    let plans: Vec<&ScoredPlan> = runs.iter().filter_map(|run| run.plan.as_ref()).collect();
    let Some(first) = plans.first() else { return Vec::new() };
    let held = |at: usize| plans.iter().filter(|plan| plan.facts.get(at).is_some_and(|fact| fact.holds)).count();
    let counts = first.facts.iter().enumerate().map(|(at, fact)| (fact.clone(), held(at)));
    counts.filter(|(_, count)| *count < plans.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::benchmark::FactGroup;
    use crate::plan::benchmark::score::PlanShape;

    fn run(holds: bool, seconds: f64) -> PlannerRun {
        let facts = vec![FactResult { group: FactGroup::Steps, text: "f".to_owned(), holds }];
        PlannerRun {
            plan: Some(ScoredPlan { shape: PlanShape::default(), facts }),
            seconds: Some(seconds),
            problem: None,
        }
    }

    #[test]
    fn runs_are_summarized_by_their_means() {
        let summary = summarize(&[run(true, 4.0), run(false, 2.0)]);
        assert_eq!((summary.score, summary.seconds), (0.5, Some(3.0)));
        assert_eq!(summary.missed.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [1]);
        assert_eq!(summarize(&[run(true, 4.0)]).missed, []);
    }

    #[test]
    fn a_run_without_a_plan_scores_nothing() {
        let summary = summarize(&[run(true, 4.0), PlannerRun { plan: None, seconds: None, problem: None }]);
        assert_eq!((summary.score, summary.seconds), (0.5, Some(4.0)));
        assert_eq!((summarize(&[]).score, summarize(&[]).seconds), (0.0, None));
    }
}
