//! Scaling of plans: the times of a check, `run show` and `run next` by the number of steps, with and without a
//! report on each step, next to reading the same plan with serde_yaml.
//!
//! `cargo bench --bench plan -- [STEPS…]`; `cargo test --bench plan` runs a small size only. Files are in memory, so the figures
//! leave out the start of the process and the disk.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use canonry_app::check::{CheckRequest, check};
use canonry_app::plan::{next, show};
use canonry_app::{Environment, MemorySource, Quiet, Workspace};
use std::time::{Duration, Instant};

#[path = "common/mod.rs"]
#[allow(dead_code)]
mod common;
#[path = "common/sizes.rs"]
mod sizes;

use common::median;
use sizes::sizes;

const RUNS: usize = 5;
const PLAN: &str = "agent/plans/big/plan.yaml";

fn main() {
    let sizes = sizes(&[1_000, 10_000, 100_000], 200);
    println!(
        "{:>8} {:>8} {:>10} {:>10} {:>10} {:>10}  ratio of the check",
        "steps", "reports", "serde_yaml", "check", "show", "next"
    );
    for steps in sizes {
        for reports in [0, steps] {
            measure(steps, reports);
        }
    }
}

fn measure(steps: usize, reports: usize) {
    let text = plan(steps);
    let mut files = MemorySource::new();
    files.add(PLAN, &text);
    for step in 0..reports {
        files.add(format!("agent/reports/big/s{step}.1.json").as_str(), report(step, steps));
    }
    let mut workspace = Workspace::in_memory(&Environment::isolated(), files).unwrap();
    let yard = timed(|| {
        let value: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
        assert!(value.get("steps").is_some());
    });
    let request = CheckRequest { paths: vec![PLAN.into()], ..CheckRequest::default() };
    let whole = timed(|| {
        let report = check(&mut workspace, &request, &Quiet).unwrap();
        assert!(report.findings.is_empty(), "{:?}", report.findings.first());
    });
    let shown = timed(|| assert_eq!(show::run(&workspace, None).unwrap().steps.len(), steps));
    let ready = timed(|| {
        let next = next::run(&workspace, None, None).unwrap().next;
        assert!(matches!(next, next::NextStep::Ready(_)));
    });
    let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    let ratio = whole.as_secs_f64() / yard.as_secs_f64();
    println!(
        "{steps:>8} {reports:>8} {:>10} {:>10} {:>10} {:>10}  {ratio:.2}",
        ms(yard),
        ms(whole),
        ms(shown),
        ms(ready)
    );
}

fn timed(mut job: impl FnMut()) -> Duration {
    let run = |_| {
        let begin = Instant::now();
        job();
        begin.elapsed()
    };
    median((0..RUNS).map(run).collect())
}

/// Each step depends on its predecessor and on one ten steps before; two distant steps share each file. The first half is
/// complete.
fn plan(steps: usize) -> String {
    let mut text = "goal: Everything works.\nsteps:\n".to_owned();
    for step in 0..steps {
        let deps: Vec<String> =
            [1, 10].iter().filter_map(|back| step.checked_sub(*back)).map(|dep| format!("s{dep}")).collect();
        let status = if step < steps / 2 { "complete" } else { "pending" };
        let file = step.min(steps - 1 - step);
        text.push_str(&format!(
            "  - id: s{step}\n    description: Build part {step}.\n    owner: Coder\n    status: {status}\n    deps: [{}]\n    parallel: true\n    \
             criteria: [part {step} works]\n    commands: ['Run: make part-{step}']\n    files: [src/part{file}.rs]\n",
            deps.join(", ")
        ));
    }
    text
}

fn report(step: usize, steps: usize) -> String {
    let outcome = if step < steps / 2 { "success" } else { "failure" };
    format!(
        r#"{{"step_id": "s{step}", "outcome": "{outcome}", "details": "Done.", "artifacts": [{{"test": "make part-{step}", "result": "done"}}], "timestamp": "2026-05-01T09:30:00Z"}}"#
    )
}
