//! Times to read journals of workflow runs and to append to them, next to parsing the same journal with serde_json.
//!
//! `cargo bench --bench workflow -- [EVENTS…]`; `cargo test --bench workflow` runs a small size only. The repository is in
//! memory (`/dev/shm`) and in the folder of temporary files: an append waits until the disk has it, so that the difference
//! is the cost of the disk. The start of the process is left out.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use canonry_app::runs::status::{self, RunPhase};
use canonry_app::runs::target::PlanOrRun;
use canonry_app::workflow::step::NextTask;
use canonry_app::workflow::{
    approve::{self, ApproveGateRequest},
    decide::{self, DecideTaskRequest},
    start::{self, StartRunRequest},
    step::{self, NextTaskRequest},
};
use canonry_app::{Basis, Environment, Workspace};
use canonry_runs::exec::RunEnd;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

#[path = "common/mod.rs"]
#[allow(dead_code)]
mod common;
#[path = "common/sizes.rs"]
mod sizes;

use common::{median, timed};
use sizes::sizes;

const RUNS: usize = 9;
/// Events of one visit to the step.
const VISIT: usize = 4;
const FLOW: &str = "workflow: flow
workflow_version: 1.0.0
max_steps: 1000000
steps:
  a:
    owner: A
    prompt: Work.
    context_mode: explicit
    context_inputs: []
    timeout: 1m
    max_retries: 1
    retry_strategy: serial
    feedback_mode: include_prev_error
    on_max_retries_exceeded: abort
    on_failure: abort
    output: {file: a.json, schema: {passed: bool, error: string, again: bool}}
    next: [{if: again, goto: a}, {goto: g}]
  b: {owner: A, prompt: Work., context_mode: explicit, context_inputs: [], timeout: 1m, on_failure: abort, output: {file: b.json, schema: {passed: bool}}, next: [{goto: end}]}
gates:
  - {gate_id: g, type: approval, trigger_condition: a.passed, message: \"{{a.passed}}?\", options: [{value: yes, goto: b}, {value: stop}], timeout: 24h, timeout_action: pause}
";

fn main() {
    let sizes = sizes(&[1_000, 10_000, 100_000], 200);
    println!(
        "{:>8} {:>8} {:>12} {:>12} {:>12} {:>12}",
        "events", "place", "serde_json", "status", "decision", "append"
    );
    let memory = Path::new("/dev/shm").is_dir().then(|| PathBuf::from("/dev/shm"));
    let places = memory.map(|folder| ("memory", folder)).into_iter().chain([("disk", std::env::temp_dir())]);
    for (place, folder) in places {
        sizes.iter().for_each(|events| measure(*events, place, &folder));
    }
}

fn measure(events: usize, place: &str, folder: &Path) {
    let temporary = tempfile::tempdir_in(folder).unwrap();
    let top = temporary.path().to_owned();
    timed(Command::new("git").args(["init", "-q"]).arg(&top));
    let config = top.join(".git/config");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(config, text + "[user]\n\tname = U\n\temail = u@example.com\n").unwrap();
    std::fs::create_dir_all(top.join("agent/workflows")).unwrap();
    std::fs::create_dir_all(top.join("agent/skills")).unwrap();
    std::fs::write(top.join("agent/workflows/flow.yaml"), FLOW).unwrap();
    let env = Environment { cwd: top.clone(), ..Environment::isolated() };
    let open = || Workspace::open(&env, &Basis::WorkTree).unwrap();
    start::run(&open(), &StartRunRequest::default()).unwrap();
    let run = || "flow-1".to_owned();
    let next = || NextTaskRequest { run: run(), take_over: false };
    let answer = |again: bool| {
        assert!(matches!(step::run(&open(), &next()).unwrap().next, NextTask::Task { .. }));
        let answer = json!({"passed": true, "error": "", "again": again}).to_string();
        decide::run(&open(), &DecideTaskRequest { run: run(), answer, ..DecideTaskRequest::default() }).unwrap();
    };
    answer(true);
    let journal = top.join("agent/runs/flow-1/events.jsonl");
    std::fs::write(&journal, repeated(&std::fs::read_to_string(&journal).unwrap(), events)).unwrap();
    answer(false);
    let bytes = std::fs::read(&journal).unwrap();
    let yard = times(|| {
        let entries = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let count = entries.filter(|line| serde_json::from_slice::<Value>(line).is_ok()).count();
        assert!(count >= events);
    });
    let status = times(|| {
        let outcome = status::run(&open(), &PlanOrRun::Run("flow-1".to_owned())).unwrap();
        assert_eq!(outcome.phase, RunPhase::NeedsPerson);
    });
    // A decision reads the journal as a step does.
    let read = times(|| {
        let next = step::run(&open(), &next()).unwrap().next;
        assert!(matches!(next, NextTask::End(RunEnd::Asks(_))));
    });
    let request = ApproveGateRequest { run: run(), option: Some("yes".to_owned()), ..ApproveGateRequest::default() };
    let decision = median(
        (0..RUNS)
            .map(|_| {
                std::fs::write(&journal, &bytes).unwrap();
                let begin = Instant::now();
                approve::run(&open(), &request).unwrap();
                begin.elapsed()
            })
            .collect(),
    );
    let ms = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
    // It then appends one event, and writes `state.json` and the readable log.
    let append = decision.saturating_sub(read);
    let count = bytes.iter().filter(|byte| **byte == b'\n').count();
    println!("{count:>8} {place:>8} {:>12} {:>12} {:>12} {:>12}", ms(yard), ms(status), ms(decision), ms(append));
}

/// The journal of one visit, as that of many.
fn repeated(text: &str, events: usize) -> String {
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 1 + VISIT, "{text}");
    let mut out = format!("{}\n", lines[0]);
    for visit in 1..=events / VISIT {
        for (at, line) in lines[1..].iter().enumerate() {
            let mut line = line.clone();
            line["seq"] = json!(2 + (visit - 1) * VISIT + at);
            for key in ["visit", "number", "task"] {
                if line.get(key).is_some() {
                    line[key] = json!(visit);
                }
            }
            out.push_str(&format!("{line}\n"));
        }
    }
    out
}

fn times(mut job: impl FnMut()) -> Duration {
    let run = |_| {
        let begin = Instant::now();
        job();
        begin.elapsed()
    };
    median((0..RUNS).map(run).collect())
}
