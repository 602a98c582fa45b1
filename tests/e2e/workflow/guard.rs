//! The guard: which answers continue, complete or abort a run.

use crate::support::workflow::{WorkflowProject, says};

/// Answers the first step of a workflow and returns the word for the calling loop.
#[track_caller]
fn decide(steps: &str, answer: &str) -> (String, i32) {
    let project = WorkflowProject::inline(&format!("name: flow\nsteps:\n{steps}")).start();
    project.run(&["next"], 0);
    let output = project.command(&["finish", "--details", answer]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().take(2).collect();
    (lines.join(" ").trim_end().to_owned(), output.status.code().unwrap())
}

const ENDS: &str = "  - {name: a, prompt: p, conditions: [{keyword: PLANNED, goto: b}, {keyword: NEEDS-WORK, goto: a}, {keyword: TASK_DONE, goto: end}], end: true}\n  - {name: b, prompt: p, end: true}\n";
const OPEN: &str = "  - {name: a, prompt: p, conditions: [{keyword: PLANNED, goto: c}, {keyword: NEEDS-WORK, goto: a}]}\n  - {name: b, prompt: p, end: true}\n  - {name: c, prompt: p, end: true}\n";

const ONE: &str = "  - {name: a, prompt: p, conditions: [{keyword: PLANNED, goto: c}]}\n  - {name: b, prompt: p, end: true}\n  - {name: c, prompt: p, end: true}\n";

#[test]
fn every_row_of_the_table() {
    for (steps, answer, word, status) in [
        // The step ends the run, and nothing redirects.
        (ENDS, "It is done.", "WORKFLOW_COMPLETE", 0),
        // A condition redirects.
        (ENDS, "PLANNED", "STEP_COMPLETE next: b", 0),
        (ENDS, "NEEDS-WORK", "CONTINUE next: a", 0),
        // `TASK_DONE` ends a run from any step.
        (ENDS, "TASK_DONE", "WORKFLOW_COMPLETE", 0),
        (OPEN, "TASK_DONE", "WORKFLOW_COMPLETE", 0),
        // Not with a redirection.
        (ENDS, "PLANNED TASK_DONE", "ABORT", 1),
        (OPEN, "PLANNED, TASK_DONE", "ABORT", 1),
        // The step does not end the run, and has no other route: it waits for a decision.
        (OPEN, "It is done.", "HUMAN_REQUIRED", 3),
        (OPEN, "PLANNED", "STEP_COMPLETE next: c", 0),
        // Two conditions.
        (OPEN, "PLANNED or NEEDS-WORK", "ABORT", 1),
        // Whole words only.
        (OPEN, "unplanned, UNPLANNED, PLANNEDLY, PLANNED_LATER", "HUMAN_REQUIRED", 3),
        (OPEN, "NEEDS, WORK", "HUMAN_REQUIRED", 3),
        (OPEN, "**PLANNED**.", "STEP_COMPLETE next: c", 0),
        (OPEN, "Verdict: `NEEDS-WORK`", "CONTINUE next: a", 0),
        // The last line with a keyword decides.
        (OPEN, "NEEDS-WORK\nbut then\nPLANNED", "STEP_COMPLETE next: c", 0),
        (OPEN, "PLANNED\nThat is all.", "STEP_COMPLETE next: c", 0),
        // A negated keyword is no decision.
        (OPEN, "not PLANNED", "ABORT", 1),
        (OPEN, "", "HUMAN_REQUIRED", 3),
        // One keyword is an exception.
        (ONE, "It is done.", "STEP_COMPLETE next: b", 0),
        (ONE, "PLANNED", "STEP_COMPLETE next: c", 0),
    ] {
        let (found, code) = decide(steps, answer);
        assert!(found.starts_with(word) && code == status, "{answer:?}: {found} ({code}) instead of {word} ({status})");
    }
}

#[test]
fn a_field_of_a_json_answer_decides() {
    let flow = "workflow: flow
workflow_version: 1.0.0
max_steps: 9
steps:
  a:
    owner: A
    prompt: p
    context_mode: explicit
    context_inputs: []
    timeout: 1m
    on_failure: abort
    output: {schema: {passed: bool, score: \"number[0..10]\"}}
    next: [{if: score >= 7, goto: good}, {if: score >= 3 AND passed, goto: fair}, {goto: poor}]
  good: {owner: A, prompt: p, COMMON, PASSES, next: [{goto: end}]}
  fair: {owner: A, prompt: p, COMMON, PASSES, next: [{goto: end}]}
  poor: {owner: A, prompt: p, COMMON, PASSES, next: [{goto: end}]}
";
    for (answer, word, status) in [
        ("{\"passed\": true, \"score\": 8}", "STEP_COMPLETE\nnext: good\n", 0),
        ("I looked.\n```json\n{\"passed\": true, \"score\": 3}\n```", "STEP_COMPLETE\nnext: fair\n", 0),
        ("{\"passed\": true, \"score\": 2.5}", "STEP_COMPLETE\nnext: poor\n", 0),
        // Success that the output denies.
        ("{\"passed\": false, \"score\": 10}", "ABORT\n", 1),
        ("It went well: 8.", "ABORT\n", 1),
        ("{\"passed\": true, \"score\": 80}", "ABORT\n", 1),
        ("{\"passed\": true}", "ABORT\n", 1),
    ] {
        let project = WorkflowProject::inline(flow).start();
        let ran = project.answer(answer, status);
        assert!(ran.stdout.starts_with(word), "{answer}: {}", ran.stdout);
    }
    let keyword = "name: flow\nsteps:\n  - {name: a, prompt: p, conditions: [{keyword: REDO, goto: a}], end: true}\n";
    let project = WorkflowProject::inline(keyword).start();
    let ran = project.answer("REDO was my first thought.\n{\"decision\": \"REDO\", \"note\": \"again\"}", 0);
    assert!(ran.stdout.starts_with("CONTINUE\nnext: a\n"), "{}", ran.stdout);
}

#[test]
fn a_failed_answer_and_a_long_one() {
    let project = WorkflowProject::inline("name: flow\nsteps:\n  - {name: a, prompt: p, end: true}\n").start();
    project.run(&["next"], 0);
    std::fs::write(project.repo.path("long"), vec![b'x'; (256 << 10) + 1]).unwrap();
    says(&project.run(&["finish", "--report", "long"], 64), &["longer than"]);
    project.run(&["finish", "--report", "missing"], 65);
    project.run(&["finish", "--task", "7", "--details", "x"], 64);
    let ran = project.run(&["finish", "--failed", "the compiler is missing"], 3);
    assert!(ran.stdout.starts_with("HUMAN_REQUIRED\n"), "{}", ran.stdout);
    says(&ran, &["the compiler is missing", "retry|skip|abort"]);
    project.run(&["approve", "--option", "retry"], 0);
    // The reason is known to the next attempt.
    says(&project.run(&["next"], 0), &["the compiler is missing"]);
    let json = project.run(&["finish", "--details", "ok", "--format", "json"], 0);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((&json["status"], &json["run"]), (&"WORKFLOW_COMPLETE".into(), &"flow-1".into()));
}
