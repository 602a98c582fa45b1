//! Results of benchmarks. Texts of tools and of benchmarks are data: control characters are escaped.

use super::run::one_line;
use super::{counted, json};
use canonry_app::bench::{BenchResults, OwnerResult, PlanResult, TriggerTestResult, TriggerTestsResult};
use canonry_runs::plan::benchmark::{FactGroup, FactResult, PlannerRun, mean};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The document `canonry/bench/v1`.
pub fn to_json(outcome: &BenchResults) -> String {
    json::to_text(&json!({
        "schema": "canonry/bench/v1",
        "plans": outcome.plans.iter().map(plan_document).collect::<Vec<_>>(),
        "triggers": outcome.triggers.iter().map(triggers_document).collect::<Vec<_>>(),
        "failed": outcome.is_failed(),
    }))
}

fn plan_document(plan: &PlanResult) -> Value {
    let owner = |result: &OwnerResult| {
        let summary = &result.summary;
        let missed =
            |(fact, held): &(FactResult, usize)| json!({"group": fact.group.name(), "fact": fact.text, "held": held});
        json!({
            "owner": result.owner,
            "score": rounded(summary.score),
            "seconds": summary.seconds.map(rounded),
            "below_minimum": result.is_below(plan.min_score),
            "missed": summary.missed.iter().map(missed).collect::<Vec<_>>(),
            "runs": result.runs.iter().map(run_document).collect::<Vec<_>>(),
        })
    };
    json!({
        "name": plan.name,
        "path": plan.path,
        "min_score": plan.min_score,
        "owners": plan.owners.iter().map(owner).collect::<Vec<_>>(),
    })
}

fn run_document(run: &PlannerRun) -> Value {
    let groups = FactGroup::ALL.iter().filter_map(|group| Some((group.name(), rounded(group_score(run, *group)?))));
    json!({
        "score": rounded(run.score()),
        "seconds": run.seconds.map(rounded),
        "problem": run.problem,
        "groups": groups.collect::<BTreeMap<_, _>>(),
        "plan": run.plan.as_ref().map(|plan| &plan.shape),
    })
}

fn triggers_document(result: &TriggerTestsResult) -> Value {
    let test = |test: &TriggerTestResult| {
        json!({
            "prompt": test.prompt,
            "passed": test.misses.is_empty(),
            "chosen": test.chosen,
            "misses": test.misses,
        })
    };
    json!({
        "name": result.name,
        "path": result.path,
        "owner": result.owner,
        "passed": passed(result),
        "tests": result.tests.iter().map(test).collect::<Vec<_>>(),
    })
}

fn passed(result: &TriggerTestsResult) -> usize {
    result.tests.iter().filter(|test| test.misses.is_empty()).count()
}

fn group_score(run: &PlannerRun, group: FactGroup) -> Option<f64> {
    run.plan.as_ref()?.group_score(group)
}

fn rounded(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

/// A table of owners per plan benchmark with the facts they missed, and the failed trigger tests.
pub fn to_text(outcome: &BenchResults) -> String {
    let mut parts: Vec<String> = outcome.plans.iter().map(plan_text).collect();
    parts.extend(outcome.triggers.iter().map(triggers_text));
    parts.join("\n")
}

const COLUMNS: [&str; 8] = ["owner", "runs", "score", "steps", "deps", "criteria", "owners", "seconds"];

fn plan_text(plan: &PlanResult) -> String {
    let mut text = format!("{}  {}\n", one_line(&plan.name), plan.path);
    if plan.owners.is_empty() {
        return text + "  not run: no owner\n";
    }
    let mut rows = vec![COLUMNS.map(str::to_owned)];
    rows.extend(plan.owners.iter().map(row));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..COLUMNS.len()).map(width).collect();
    for row in &rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        let _ = writeln!(text, "  {}", cells.join("  ").trim_end());
    }
    for owner in &plan.owners {
        text.push_str(&owner_text(owner, plan.min_score));
    }
    text
}

fn row(result: &OwnerResult) -> [String; COLUMNS.len()] {
    let summary = &result.summary;
    let group_mean = |group: FactGroup| {
        let scores: Vec<f64> = result.runs.iter().filter_map(|run| group_score(run, group)).collect();
        mean(&scores).map_or_else(|| "-".to_owned(), |mean| format!("{mean:.2}"))
    };
    let [steps, deps, criteria, owners] = FactGroup::ALL.map(group_mean);
    [
        one_line(&result.owner).into_owned(),
        result.runs.len().to_string(),
        format!("{:.2}", summary.score),
        steps,
        deps,
        criteria,
        owners,
        summary.seconds.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.1}")),
    ]
}

fn owner_text(result: &OwnerResult, min_score: Option<f64>) -> String {
    let mut lines = Vec::new();
    if let Some(min) = min_score.filter(|_| result.is_below(min_score)) {
        lines.push(format!("the score {:.2} is below the minimum of {min}", result.summary.score));
    }
    let plans = result.runs.iter().filter(|run| run.plan.is_some()).count();
    for (fact, held) in &result.summary.missed {
        lines.push(format!("{}: in {held} of {}", one_line(&fact.text), counted(plans, "plan")));
    }
    for (run, number) in result.runs.iter().zip(1..) {
        lines.extend(run.problem.iter().map(|problem| format!("run {number}: {}", one_line(problem))));
    }
    lines.iter().map(|line| format!("  {}: {line}\n", one_line(&result.owner))).collect()
}

fn triggers_text(result: &TriggerTestsResult) -> String {
    let by = result.owner.as_deref().unwrap_or("skills match");
    let mut text = format!(
        "{}  {}\n  {}: {} of {} passed\n",
        one_line(&result.name),
        result.path,
        one_line(by),
        passed(result),
        counted(result.tests.len(), "test")
    );
    for TriggerTestResult { prompt, misses, .. } in &result.tests {
        for miss in misses {
            let _ = writeln!(text, "  failed: \"{}\": {}", one_line(prompt), one_line(miss));
        }
    }
    text
}
