//! Limits of a run: usage limits of tools, iterations, steps, attempts and time.

use crate::support::workflow::{WorkflowProject, says};

const ONE: &str = "name: flow\nsteps:\n  - {name: one, agent: A, prompt: p, end: true}\n";
const THREE: &str = "name: flow
steps:
  - {name: one, agent: A, prompt: p}
  - {name: two, agent: A, prompt: p}
  - {name: three, agent: A, prompt: p, end: true}
";

#[test]
fn a_usage_limit_is_waited_out_and_counts_for_nothing() {
    let flow = ONE.replace("name: flow", "workflow: flow\nworkflow_version: 1.0.0\nmax_steps: 1").replace(
        "  - {name: one, agent: A, prompt: p, end: true}\n",
        "  one: {owner: A, prompt: p, COMMON, PASSES, next: [{goto: end}]}\n",
    );
    let project = WorkflowProject::new(&flow, "one once limit 2\none report-text {\"passed\": true}\n").start();
    let ran = project.run(&["exec"], 0);
    says(&ran, &["usage limit"]);
    assert_eq!(project.steps(), ["one done"]);
    assert!(project.events("step_retried").is_empty());
    let started = project.events("task_started");
    assert_eq!(started.iter().map(|event| event["attempt"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 1]);

    let project = WorkflowProject::new(&flow, "one limit 86400\n").start();
    says(&project.run(&["exec", "--no-wait"], 2), &["waiting until"]);
    // It still waits: nothing is started.
    project.run(&["exec", "--no-wait"], 2);
    assert_eq!(project.events("task_started").len(), 1);
    // The wait would be longer than the budget allows.
    project.run(&["exec", "--minutes", "1"], 2);
    says(&project.run(&["next"], 2), &["waiting until"]);
    project.run(&["abort", "--reason", "no time"], 0);
    says(&project.run(&["exec"], 1), &["no time"]);
}

/// A loop whose worker counts its iterations.
const UNTIL: &str = "workflow: flow
workflow_version: 1.0.0
max_steps: 20
steps:
  fix: {owner: A, prompt: \"Iteration {{iteration}}.\", COMMON, output: {schema: {passed: bool, ok: bool}}, next: [{goto: end}]}
";

#[test]
fn a_loop_ends_when_its_condition_holds() {
    let script = "fix report-text {\"passed\": true, \"ok\": false}\nfix when Iteration.3 report-text {\"passed\": true, \"ok\": true}\n";
    let flow = UNTIL.replace("Iteration {{iteration}}", "Iteration.{{iteration}}");
    // Different reasons, so that the loop is not stopped.
    let project = WorkflowProject::new(&flow, script).start();
    let ran = project.run(&["exec", "--until", "fix.ok", "--iterations", "2"], 2);
    says(&ran, &["2 iterations", "`--iterations`", "`fix.ok` does not hold"]);
    assert_eq!(project.events("iteration_started").len(), 1);
    project.run(&["exec", "--until", "fix.ok", "--iterations", "5"], 0);
    assert_eq!(project.events("iteration_started").len(), 2);
    assert_eq!(project.steps(), ["fix done"; 3]);
    project.run(&["exec", "--until", "fix.ok AND", "--iterations", "5"], 64);
    project.run(&["exec", "--iterations", "5"], 64);
}

#[test]
fn the_same_failure_three_times_needs_a_person() {
    let project = WorkflowProject::new(UNTIL, "fix report-text {\"passed\": true, \"ok\": false}\n").start();
    let ran = project.run(&["exec", "--until", "fix.ok", "--iterations", "9"], 3);
    says(&ran, &["same failure", "3 times", "1. `fix.ok` does not hold", "3. `fix.ok` does not hold"]);
    assert_eq!(project.steps().len(), 3);
    // Within a step, too.
    let flow = "workflow: flow
workflow_version: 1.0.0
max_steps: 9
steps:
  one:
    owner: A
    prompt: p
    context_mode: explicit
    context_inputs: []
    output: {schema: {passed: bool, error: string}}
    timeout: 1m
    retry_strategy: serial
    max_retries: 8
    feedback_mode: include_prev_error
    on_max_retries_exceeded: abort
    on_failure: abort
    next: [{goto: end}]
";
    let project = WorkflowProject::new(flow, "one complain error in line 12\none exit 1\n").start();
    says(&project.run(&["exec"], 3), &["failed 3 times", "retry|skip|abort"]);
    assert_eq!(project.events("task_started").len(), 3);
}

#[test]
fn a_run_ends_after_a_number_of_steps() {
    let project = WorkflowProject::new(THREE, "").start();
    says(&project.run(&["exec", "--once"], 2), &["1 step"]);
    assert_eq!(project.steps(), ["one done"]);
    says(&project.run(&["exec", "-m", "1"], 2), &["limit of 1 step"]);
    assert_eq!(project.steps(), ["one done", "two done"]);
    project.run(&["exec", "-m", "5"], 0);
    project.run(&["exec", "--once", "-m", "5"], 64);
    // 0 is no limit.
    let project = WorkflowProject::new(THREE, "").start();
    project.run(&["exec", "-m", "0"], 0);
    assert_eq!(project.steps(), ["one done", "two done", "three done"]);
}

#[test]
fn a_run_ends_with_its_budget() {
    let project = WorkflowProject::new(THREE, "").start();
    says(&project.run(&["exec", "--attempts", "2"], 2), &["2 attempts"]);
    assert_eq!(project.steps(), ["one done", "two done"]);
    says(&project.run(&["exec", "--minutes", "0"], 2), &["0 minutes"]);
    assert_eq!(project.steps().len(), 2);
    project.run(&["exec"], 0);
}

#[test]
fn a_workflow_ends_at_its_own_limit_of_steps() {
    let flow = "workflow: flow
workflow_version: 1.0.0
max_steps: 3
steps:
  a: {owner: A, prompt: p, COMMON, max_retries: 9, on_max_retries_exceeded: abort, retry_strategy: serial, feedback_mode: include_prev_error, output: {schema: {passed: bool, error: string, again: bool}}, next: [{if: again, goto: a}, {goto: end}]}
";
    let project =
        WorkflowProject::new(flow, "a report-text {\"passed\": true, \"error\": \"\", \"again\": true}\n").start();
    let ran = project.run(&["exec"], 2);
    says(&ran, &["3 steps (`max_steps`)", "canonry run exec flow-1 --migrate", "canonry run abort flow-1"]);
    assert!(!ran.stdout.contains("run this again"), "{}", ran.stdout);
    assert_eq!(project.events("task_started").len(), 3);
    says(&project.run(&["next"], 2), &["--migrate"]);
    // The remedy works as it is typed.
    project.define(&flow.replace("max_steps: 3", "max_steps: 4"));
    says(&project.run(&["exec", "flow-1", "--migrate"], 2), &["4 steps (`max_steps`)"]);
    assert_eq!(project.events("task_started").len(), 4);
    project.run(&["abort", "flow-1"], 0);
}

/// A step that is sent back for ever: by itself, or by the step after it.
const SENT_BACK: &str = "workflow: flow
workflow_version: 1.0.0
steps:
  write: {owner: A, prompt: p, COMMON, retry_strategy: serial, max_retries: 3, feedback_mode: include_prev_error, on_max_retries_exceeded: EXCEEDED, output: {schema: {passed: bool, error: string, again: bool}}, next: [{if: again, goto: retry}, {goto: read}]}
  read: {owner: A, prompt: p, COMMON, output: {schema: {passed: bool, error: string, again: bool}}, next: [{if: again, goto: write}, {goto: end}]}
";
const GIVE_UP: &str = "  give_up: {owner: A, prompt: p, COMMON, PASSES, next: [{goto: BACK}]}\n";

#[test]
fn max_retries_bounds_every_route_back() {
    let yes = "{\"passed\": true, \"error\": \"\", \"again\": true}";
    let no = "{\"passed\": true, \"error\": \"\", \"again\": false}";
    let started = |project: &WorkflowProject, step: &str| {
        project.events("task_started").iter().filter(|event| event["step"] == step).count()
    };
    for (write, read, exceeded, back, status) in [
        (yes, no, "give_up", "end", 0),
        (no, yes, "give_up", "end", 0),
        (no, yes, "abort", "end", 1),
        // The route for this case leads back, too: it is taken once.
        (no, yes, "give_up", "write", 3),
    ] {
        let last = if exceeded == "give_up" { GIVE_UP.replace("BACK", back) } else { String::new() };
        let flow = SENT_BACK.replace("EXCEEDED", exceeded) + &last;
        let script =
            format!("write report-text {write}\nread report-text {read}\ngive_up report-text {{\"passed\": true}}\n");
        let project = WorkflowProject::new(&flow, &script).start();
        project.run(&["exec"], status);
        assert_eq!(started(&project, "write"), 4, "{}", project.file("log.txt"));
        assert_eq!(started(&project, "give_up"), usize::from(exceeded == "give_up"), "{}", project.file("log.txt"));
        assert!(project.file("log.txt").contains("`max_retries` allows 4 attempts"), "{}", project.file("log.txt"));
    }
    // Failures and visits count together, and a person's decision begins anew.
    let flow = SENT_BACK.replace("EXCEEDED", "human_escalation");
    let script = format!("write once exit 3\nwrite report-text {yes}\n");
    let project = WorkflowProject::new(&flow, &script).start();
    project.run(&["exec"], 3);
    assert_eq!(started(&project, "write"), 4);
    project.run(&["approve", "--option", "retry"], 0);
    project.run(&["exec"], 3);
    assert_eq!(started(&project, "write"), 8);
}

#[test]
fn a_worker_that_takes_too_long_is_ended_with_its_group() {
    let flow = "workflow: flow
workflow_version: 1.0.0
max_steps: 3
steps:
  a: {owner: A, prompt: p, context_mode: explicit, context_inputs: [], timeout: 1s, on_failure: abort, PASSES, next: [{goto: end}]}
";
    let project = WorkflowProject::new(flow, "a leave-child child\na hang\n").start();
    says(&project.run(&["exec"], 1), &["did not end within 1 s"]);
    let child = std::fs::read_to_string(project.repo.path("child")).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
    assert_eq!(project.steps(), ["a failed"]);
}
