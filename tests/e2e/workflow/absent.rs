//! An absent answer, and an answer that decides nothing where a decision is due, are failures.

use crate::support::workflow::{WorkflowProject, says};

const REVIEWED: &str = "name: flow
steps:
  - {name: build, agent: A, prompt: p}
  - {name: review, agent: B, prompt: p, conditions: [{keyword: APPROVED, goto: ship}, {keyword: REJECTED, goto: build}]}
  - {name: ship, agent: A, prompt: p, end: true}
";

#[test]
fn a_worker_that_says_nothing_is_not_done() {
    for flow in [
        "name: flow\nsteps:\n  - {name: one, agent: A, prompt: p}\n  - {name: two, agent: A, prompt: p, end: true}\n",
        "name: flow\nsteps:\n  - {name: one, parallel: [{agent: A, prompt: p}, {agent: B, prompt: q}], check: all}\n  - {name: two, agent: A, prompt: p, end: true}\n",
    ] {
        let project = WorkflowProject::new(flow, "one partial \none exit 0\n").start();
        let ran = project.run(&["exec"], 3);
        says(&ran, &["the worker gave no answer"]);
        assert!(!project.steps().iter().any(|step| step.starts_with("two")), "{:?}", project.steps());
    }
    // A report is an answer.
    let flow = "name: flow\nsteps:\n  - {name: one, agent: A, prompt: p, end: true}\n";
    let project = WorkflowProject::new(flow, "one report-text {\"done\": true}\n").start();
    project.run(&["exec"], 0);
}

#[test]
fn an_answer_without_a_verdict_is_no_verdict() {
    for answer in [
        "review print Looks fine to me.\n",
        "review partial \nreview exit 0\n",
        "review print {\"decision\": \"fine\"}\n",
    ] {
        let project = WorkflowProject::new(REVIEWED, answer).start();
        let ran = project.run(&["exec"], 3);
        says(&ran, &["review"]);
        assert!(!project.steps().iter().any(|step| step.starts_with("ship")), "{answer}: {:?}", project.steps());
    }
    let project = WorkflowProject::new(REVIEWED, "review print Looks fine to me.\n").start();
    says(&project.run(&["exec"], 3), &["it has none of the words APPROVED, REJECTED"]);
    assert!(project.prompt(2).contains("Without one of them, the step has failed."), "{}", project.prompt(2));
    let project = WorkflowProject::new(REVIEWED, "review print APPROVED\n").start();
    project.run(&["exec"], 0);
    assert_eq!(project.steps(), ["build done", "review done", "ship done"]);
    // A single keyword is an exception, and a stated route is what happens otherwise.
    for flow in [
        REVIEWED.replace("{keyword: APPROVED, goto: ship}, ", ""),
        REVIEWED.replace("goto: build}]}", "goto: build}], next: ship}"),
    ] {
        let project = WorkflowProject::new(&flow, "review print Looks fine to me.\n").start();
        project.run(&["exec"], 0);
    }
}

#[test]
fn a_calling_session_answers_too() {
    let project = WorkflowProject::inline(REVIEWED).start();
    let ran = project.answer("", 3);
    says(&ran, &["HUMAN_REQUIRED", "the worker gave no answer"]);
    let project = WorkflowProject::inline(REVIEWED).start();
    project.answer("built", 0);
    let ran = project.answer("Looks fine to me.", 3);
    says(&ran, &["HUMAN_REQUIRED", "it has none of the words APPROVED, REJECTED"]);
}
