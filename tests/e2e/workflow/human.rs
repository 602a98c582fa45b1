//! Decisions of people: gates, their timeouts, steps of people, and failures.

use crate::support::workflow::{WorkflowProject, says};
use canonry_app::workflow::step::{self, NextTask, NextTaskRequest};
use canonry_app::{Basis, Clock, Environment, Timestamp, Workspace};
use canonry_runs::exec::RunEnd;
use std::time::Duration;

const GATED: &str = "workflow: flow
workflow_version: 1.0.0
max_steps: 20
steps:
  draft: {owner: A, prompt: Draft it., COMMON, PASSES, next: [{goto: editor}]}
  print: {owner: A, prompt: Print it., COMMON, PASSES, next: [{goto: end}]}
gates:
  - gate_id: editor
    type: approval
    trigger_condition: draft.passed
    message: Is the draft good?
    options: [{value: publish, goto: print}, {value: reject}, {value: stop}]
    timeout: 1h
    timeout_action: ACTION
";

fn gated(action: &str) -> WorkflowProject {
    WorkflowProject::new(&GATED.replace("ACTION", action), "* report-text {\"passed\": true}\n").start()
}

#[test]
fn a_gate_takes_one_decision() {
    let project = gated("pause");
    says(&project.run(&["exec"], 3), &["Is the draft good?", "approve flow-1 --option publish|reject|stop"]);
    says(&project.run(&["approve", "--option", "later"], 64), &["publish, reject, stop"]);
    project.run(&["approve", "other", "--option", "publish"], 5);
    says(&project.run(&["approve", "--option", "publish", "--reason", "well written"], 0), &["next: print"]);
    says(&project.run(&["approve", "--option", "stop"], 5), &["U", "publish"]);
    let [answer] = &project.events("person_answered")[..] else { panic!("one answer") };
    assert_eq!(
        (&answer["option"], &answer["why"], &answer["name"]),
        (&"publish".into(), &"well written".into(), &"editor".into())
    );
    assert!(answer["by"].as_str().unwrap().contains('U') && answer["at"].is_string(), "{answer}");
    project.run(&["exec"], 0);
    project.run(&["approve", "--option", "publish"], 5);
    assert_eq!(project.steps(), ["draft done", "print done"]);
}

#[test]
fn the_reason_of_a_rejection_reaches_the_next_prompt() {
    let project = gated("pause");
    project.run(&["exec"], 3);
    project.run(&["approve", "--option", "reject", "--reason", "the ending is weak"], 0);
    project.run(&["exec"], 3);
    assert!(project.prompt(2).contains("the ending is weak"), "{}", project.prompt(2));
    assert_eq!(project.events("person_asked")[1]["visit"], 2);
    project.run(&["approve", "--option", "stop"], 0);
    project.run(&["exec"], 1);
    assert_eq!(project.steps(), ["draft done", "draft done"]);
}

/// The gate as people write it: no step leads to it, and its options have no `goto`.
#[test]
fn a_gate_without_a_route_opens_once_after_the_step_that_its_condition_names() {
    let flow = "workflow: flow
workflow_version: 1.0.0
phases:
  plan: {owner: A, prompt: Plan it., output: {file: plan.json, schema: {passed: bool}}}
  build: {owner: A, prompt: Build it.}
gates:
  - gate_id: approval
    type: approval
    trigger_condition: phases.plan.passed
    message: \"Is the plan good? {{plan.passed}}\"
    options: [approve, reject, stop]
    timeout: 24h
    timeout_action: pause
";
    let project = WorkflowProject::new(flow, "plan print {\"passed\": true}\nbuild print built\n").start();
    assert_eq!(project.repo.canonry(&["check", "agent/workflows"]).status, 0);
    says(&project.run(&["exec"], 3), &["Is the plan good? true", "approve flow-1 --option approve|reject|stop"]);
    project.run(&["approve", "--option", "reject", "--reason", "too long"], 0);
    project.run(&["exec"], 3);
    assert!(project.prompt(2).contains("too long"), "{}", project.prompt(2));
    project.run(&["approve", "--option", "approve"], 0);
    project.run(&["exec"], 0);
    assert_eq!(project.steps(), ["plan done", "plan done", "build done"]);
}

#[test]
fn a_person_decides_while_the_session_works() {
    let flow = "name: flow
steps:
  - {name: draft, prompt: Draft it.}
  - {name: read, human: Is it good enough?, conditions: [{keyword: SHORTEN, goto: draft}]}
  - {name: print, prompt: Print it., end: true}
";
    let project = WorkflowProject::inline(flow).start();
    let ran = project.answer("a draft", 3);
    assert!(ran.stdout.starts_with("HUMAN_REQUIRED\n"), "{}", ran.stdout);
    says(&ran, &["Is it good enough?", "SHORTEN|done|reject|abort"]);
    says(&project.run(&["next"], 3), &["Is it good enough?"]);
    project.run(&["approve", "--option", "SHORTEN", "--reason", "two pages at most"], 0);
    says(&project.run(&["next"], 0), &["Draft it.", "two pages at most"]);
    project.run(&["finish", "--details", "a short draft"], 3);
    // A bare approval takes the affirmative option.
    says(&project.run(&["approve"], 0), &["`done`", "next: print"]);
    assert!(project.answer("printed", 0).stdout.starts_with("WORKFLOW_COMPLETE"));
    for (option, status) in [("reject", 0), ("abort", 1)] {
        let project = WorkflowProject::inline(flow).start();
        project.answer("a draft", 3);
        project.run(&["approve", "--option", option, "--reason", "no"], 0);
        let ran = project.run(&["next"], status);
        if status == 0 {
            says(&ran, &["Draft it."]);
        }
    }
}

#[test]
fn an_approved_step_with_a_prompt_is_executed() {
    let flow = "name: flow
steps:
  - {name: build, agent: A, prompt: Build it.}
  - {name: finish, agent: B, human: true, prompt: \"Clean up {{task}}.\", conditions: [{keyword: REDO, goto: build}], end: true}
";
    let project = WorkflowProject::new(flow, "finish once print REDO\nfinish print fine\n").start();
    says(&project.run(&["exec"], 3), &["Clean up Add a login.", "approve flow-1 --option approve|reject|abort"]);
    assert_eq!(project.events("task_started").len(), 1);
    says(&project.run(&["approve"], 0), &["`approve`", "next: finish"]);
    // The worker sends the work back, so the second visit needs a second approval.
    project.run(&["exec"], 3);
    assert_eq!(project.steps(), ["build done", "finish rejected", "build done"]);
    assert!(project.prompt(2).contains("Clean up Add a login."), "{}", project.prompt(2));
    // A rejection sends it back without executing it; its reason is known to the step before.
    project.run(&["approve", "--option", "reject", "--reason", "too-late"], 0);
    project.run(&["exec"], 3);
    assert!(project.prompt(4).contains("too-late"), "{}", project.prompt(4));
    project.run(&["approve", "--reason", "too-late"], 0);
    project.run(&["exec"], 0);
    assert_eq!(project.steps()[3..], ["build done", "finish done"]);
    // An approved step that fails and is repeated needs no second approval.
    let project = WorkflowProject::new(flow, "finish once exit 3\nfinish print done\n").start();
    project.run(&["exec"], 3);
    project.run(&["approve"], 0);
    says(&project.run(&["exec"], 3), &["`finish` failed", "retry|skip|abort"]);
    project.run(&["approve", "--option", "retry"], 0);
    project.run(&["exec"], 0);
    assert_eq!(project.steps(), ["build done", "finish failed", "finish done"]);
    let project = WorkflowProject::new(flow, "").start();
    project.run(&["exec"], 3);
    project.run(&["approve", "--option", "abort"], 0);
    project.run(&["exec"], 1);
    assert_eq!(project.events("task_started").len(), 1);
}

#[test]
fn an_option_that_leads_nowhere_is_recorded_and_asks_on() {
    let options = "[{value: publish, goto: print}, {value: reject}, {value: stop}]";
    let plain = "[{label: Ask the lawyers, value: lawyers}, {label: Print it, value: merge}]";
    let routed = GATED.replace(
        "PASSES, next: [{goto: editor}]",
        "output: {schema: {passed: bool, ask: bool}}, next: [{if: ask, goto: editor}, {goto: print}]",
    );
    let flow = routed.replace("ACTION", "pause").replace(options, plain);
    for (option, status, steps) in [
        ("skip", 0, &["draft done", "print done"][..]),
        ("retry", 3, &["draft done", "draft done"]),
        ("abort", 1, &["draft done"]),
    ] {
        let project = WorkflowProject::new(&flow, "* report-text {\"passed\": true, \"ask\": true}\n").start();
        says(&project.run(&["exec"], 3), &["--option lawyers|merge"]);
        says(&project.run(&["approve", "--option", "lawyers"], 0), &["next: a person decides"]);
        says(&project.run(&["exec"], 3), &["`lawyers` was chosen at `editor`", "--option retry|skip|abort"]);
        project.run(&["approve", "--option", option], 0);
        project.run(&["exec"], status);
        assert_eq!(project.steps(), steps, "{option}");
    }
}

#[test]
fn a_failure_that_the_workflow_does_not_handle_is_a_question() {
    let flow = "name: flow
steps:
  - {name: work, agent: A, prompt: Work.}
  - {name: close, agent: A, prompt: Close., end: true}
";
    for (option, status, steps) in [
        ("retry", 0, &["work failed", "work done", "close done"][..]),
        ("skip", 0, &["work failed", "close done"]),
        ("abort", 1, &["work failed"]),
    ] {
        let script = "work once exit 7\nwork print done\n";
        let project = WorkflowProject::new(flow, script).start();
        says(&project.run(&["exec"], 3), &["`work` failed", "retry|skip|abort"]);
        says(&project.run(&["approve"], 64), &["retry, skip, abort"]);
        project.run(&["approve", "--option", option], 0);
        project.run(&["exec"], status);
        assert_eq!(project.steps(), steps, "{option}");
    }
}

/// Next action of the calling session a number of seconds from now.
fn step_in(project: &WorkflowProject, seconds: u64) -> NextTask {
    let clock = Clock::Fixed(Clock::System.now().plus(Duration::from_secs(seconds)));
    let env = Environment { cwd: project.repo.root.clone(), clock, ..Environment::isolated() };
    let workspace = Workspace::open(&env, &Basis::WorkTree).unwrap();
    step::run(&workspace, &NextTaskRequest { run: "flow-1".to_owned(), take_over: false }).unwrap().next
}

#[test]
fn a_gate_that_times_out_does_what_it_says() {
    const SOON: u64 = 3_500;
    const LATE: u64 = 3_700;
    for action in ["pause", "abort", "publish", "continue\n    default: publish"] {
        let project = gated(action);
        project.run(&["exec"], 3);
        let asked = project.events("person_asked")[0]["deadline"].as_str().unwrap().to_owned();
        assert!(Timestamp::parse(&asked).is_some(), "{asked}");
        assert!(matches!(step_in(&project, SOON), NextTask::End(RunEnd::Asks(_))), "{action}");
        let expired = || project.events("gate_expired");
        assert!(expired().is_empty(), "{action}");
        let next = step_in(&project, LATE);
        match action {
            "pause" => {
                assert!(matches!(next, NextTask::End(RunEnd::Asks(_))), "{next:?}");
                assert!(expired().is_empty());
                project.run(&["approve", "--option", "publish"], 0);
            }
            "abort" => {
                assert!(matches!(next, NextTask::End(RunEnd::Aborted(_))), "{next:?}");
                assert_eq!(expired().len(), 1);
                project.run(&["approve", "--option", "publish"], 5);
            }
            _ => {
                assert!(matches!(&next, NextTask::Task { step, .. } if step == "print"), "{next:?}");
                assert_eq!(expired()[0]["next"]["step"], "print");
                // The decision comes too late.
                project.run(&["approve", "--option", "stop"], 5);
            }
        }
    }
}

#[test]
fn a_late_decision_at_a_gate_that_timed_out_is_refused() {
    let flow = GATED.replace("ACTION", "abort").replace("timeout: 1h", "timeout: 1s");
    let project = WorkflowProject::new(&flow, "* report-text {\"passed\": true}\n").start();
    project.run(&["exec"], 3);
    std::thread::sleep(Duration::from_millis(1_100));
    says(&project.run(&["approve", "--option", "publish"], 5), &["editor"]);
    project.run(&["exec"], 1);
}

#[test]
fn a_notification_waits_for_nobody() {
    let flow = GATED.replace("type: approval", "type: notification").replace("ACTION", "pause");
    let project = WorkflowProject::new(
        &flow.replace("{value: publish", "{value: publish, default: true"),
        "* report-text {\"passed\": true}\n",
    )
    .start();
    project.run(&["exec"], 0);
    assert_eq!(project.events("notified").len(), 1);
    assert_eq!(project.steps(), ["draft done", "print done"]);
}
