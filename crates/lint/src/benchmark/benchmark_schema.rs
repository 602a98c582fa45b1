//! See `benchmark_schema.md`.

use crate::violations::describe;
use crate::{Check, Defaults, Finding, Rule, yaml_problems};
use canonry_model::canon::benchmark::{Benchmark, BenchmarkContent, BenchmarkDocument};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "benchmark-schema",
    summary: "benchmark is not valid",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("benchmark_schema.md"),
    check: Check::Benchmark(check),
};

fn check(benchmark: &Benchmark, findings: &mut Vec<Finding>) {
    let Ok(document) = &benchmark.document else { return };
    let source = &document.source;
    findings.extend(yaml_problems::findings(&RULE, source, &document.yaml));
    findings.extend(document.violations.iter().filter(|violation| violation.team.is_none()).map(|violation| {
        RULE.at(Location::at(source, violation.span), describe(violation))
            .help("run `canonry schema benchmark` for the valid keys and values")
    }));
    findings.extend(contradictions(document));
}

/// Facts that no plan can have.
fn contradictions(document: &BenchmarkDocument) -> Vec<Finding> {
    let BenchmarkContent::Plan(plan) = &document.content else { return Vec::new() };
    let steps = plan.expected.contradictory_steps.map(|span| {
        RULE.at(Location::at(&document.source, span), "the minimum number of steps is above the maximum")
            .help("swap the two numbers")
    });
    let order = plan.expected.unknown_in_order().map(|(order, name)| {
        RULE.at(Location::at(&document.source, order.span), format!("no required step is named `{name}`"))
            .help("`order` uses the `name` of steps in `required`")
    });
    steps.into_iter().chain(order).collect()
}
