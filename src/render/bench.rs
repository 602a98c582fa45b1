//! Results of benchmarks. Texts of tools and of benchmarks are data: control characters are escaped.

use super::plan::one_line;
use super::{counted, json};
use canonry_app::bench::{BenchResults, OwnerResult, PlanResult, RunResult, TriggerTestResult, TriggerTestsResult};
use canonry_runs::plan::benchmark::{FactGroup, PlannerRun, mean};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The document `canonry/bench/v1`.
#[derive(Serialize)]
struct BenchDocument<'a> {
    schema: &'static str,
    plans: Vec<PlanBenchDocument<'a>>,
    triggers: Vec<TriggersDocument<'a>>,
    failed: bool,
}

#[derive(Serialize)]
struct PlanBenchDocument<'a> {
    name: &'a str,
    path: String,
    min_score: Option<f64>,
    owners: Vec<OwnerDocument<'a>>,
}

#[derive(Serialize)]
struct OwnerDocument<'a> {
    owner: &'a str,
    score: f64,
    seconds: Option<f64>,
    below_minimum: bool,
    missed: Vec<MissedDocument<'a>>,
    runs: Vec<RunDocument<'a>>,
}

#[derive(Serialize)]
struct MissedDocument<'a> {
    group: &'static str,
    fact: &'a str,
    held: usize,
}

#[derive(Serialize)]
struct RunDocument<'a> {
    score: f64,
    seconds: Option<f64>,
    problem: Option<&'a str>,
    groups: BTreeMap<&'static str, f64>,
    plan: Option<ShapeDocument<'a>>,
}

#[derive(Serialize)]
struct ShapeDocument<'a> {
    steps: usize,
    deps: usize,
    depth: usize,
    steps_with_criteria: usize,
    owners: Vec<&'a str>,
}

#[derive(Serialize)]
struct TriggersDocument<'a> {
    name: &'a str,
    path: String,
    owner: Option<&'a str>,
    passed: usize,
    tests: Vec<TestDocument<'a>>,
}

#[derive(Serialize)]
struct TestDocument<'a> {
    prompt: &'a str,
    passed: bool,
    chosen: &'a [String],
    misses: &'a [String],
}

/// The document `canonry/bench/v1`.
pub fn to_json(outcome: &BenchResults) -> String {
    json::to_text(&BenchDocument {
        schema: "canonry/bench/v1",
        plans: outcome.plans.iter().map(plan_document).collect(),
        triggers: outcome.triggers.iter().map(triggers_document).collect(),
        failed: outcome.is_failed(),
    })
}

fn plan_document(plan: &PlanResult) -> PlanBenchDocument<'_> {
    let owner = |result: &'_ OwnerResult| result.is_below(plan.min_score);
    PlanBenchDocument {
        name: &plan.name,
        path: plan.path.to_display(),
        min_score: plan.min_score,
        owners: plan.owners.iter().map(|result| owner_document(result, owner(result))).collect(),
    }
}

fn owner_document(result: &OwnerResult, below_minimum: bool) -> OwnerDocument<'_> {
    let summary = &result.summary;
    let missed = summary.missed.iter().map(|(fact, held)| MissedDocument {
        group: fact.group.name(),
        fact: &fact.text,
        held: *held,
    });
    OwnerDocument {
        owner: &result.owner,
        score: rounded(summary.score),
        seconds: summary.seconds.map(rounded),
        below_minimum,
        missed: missed.collect(),
        runs: result.runs.iter().map(run_document).collect(),
    }
}

fn run_document(RunResult { run, problem }: &RunResult) -> RunDocument<'_> {
    let groups = FactGroup::ALL.iter().filter_map(|group| Some((group.name(), rounded(group_score(run, *group)?))));
    RunDocument {
        score: rounded(run.score()),
        seconds: run.seconds.map(rounded),
        problem: problem.as_deref(),
        groups: groups.collect(),
        plan: run.plan.as_ref().map(|plan| ShapeDocument {
            steps: plan.shape.steps,
            deps: plan.shape.deps,
            depth: plan.shape.depth,
            steps_with_criteria: plan.shape.steps_with_criteria,
            owners: plan.shape.owners.iter().map(String::as_str).collect(),
        }),
    }
}

fn triggers_document(result: &TriggerTestsResult) -> TriggersDocument<'_> {
    TriggersDocument {
        name: &result.name,
        path: result.path.to_display(),
        owner: result.owner.as_deref(),
        passed: passed(result),
        tests: result
            .tests
            .iter()
            .map(|test| TestDocument {
                prompt: &test.prompt,
                passed: test.misses.is_empty(),
                chosen: &test.chosen,
                misses: &test.misses,
            })
            .collect(),
    }
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
        let scores: Vec<f64> = result.runs.iter().filter_map(|run| group_score(&run.run, group)).collect();
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
    let plans = result.runs.iter().filter(|run| run.run.plan.is_some()).count();
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
