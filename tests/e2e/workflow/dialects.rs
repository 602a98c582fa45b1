//! One workflow in each dialect runs to its end.

use crate::support::workflow::{WorkflowProject, says};

const LISTED: &str = "name: flow
parameters: {level: normal, style: plain}
steps:
  - {name: plan, agent: Planner, prompt: \"Plan {{task}} at {{level}} in {{style}}, {{config.color}}.\", report: design}
  - {name: build, agent: Builder, prompt: templates/build.md}
  - name: review
    parallel:
      - {agent: Security, prompt: \"Look for holes in {{report.build}}.\"}
      - {agent: Style, prompt: Look at the names.}
    check: all
    reject: [NEEDS_FIXES]
    conditions: [{keyword: NEEDS_FIXES, goto: build}]
  - {name: finish, prompt: \"Close run {{run_id}}.\", end: true}
";

/// An orchestrator puts the task before each prompt, and its prompts name reports by their files.
#[test]
fn prompts_contain_the_task_and_the_reports_that_they_name() {
    let flow = "name: flow
steps:
  - {name: plan, agent: A, prompt: Read the task and plan it., report: {name: design}}
  - name: review
    parallel:
      - {agent: A, prompt: \"Review .jdi/reports/{task_id}/design.md; the task is {{task}}.\"}
      - {agent: B, prompt: Review the names in reports/none.md.}
    check: all
  - {name: finish, agent: A, prompt: \"Finish reports/review_1.md, reports/finish.md and reports/review.md.\", end: true}
";
    let script =
        "plan print the design\nreview when names print names are good\nreview print it holds\nfinish print closed\n";
    let project = WorkflowProject::new(flow, script).start();
    project.run(&["exec"], 0);
    let plan = project.prompt(1);
    assert!(plan.contains("## Task of the run\n\nAdd a login\n\n## Task\n\nRead the task"), "{plan}");
    let review = project.prompt(2);
    assert_eq!((review.matches("Add a login").count(), review.matches("the design").count()), (1, 1), "{review}");
    assert!(review.contains("`reports/design.md`:"), "{review}");
    assert!(!project.prompt(3).contains("Earlier results"), "{}", project.prompt(3));
    let finish = project.prompt(4);
    assert!(finish.contains("`reports/review_1.md`:") && finish.contains("`reports/review.md`:"), "{finish}");
    assert!(!finish.contains("`reports/finish.md`:"), "{finish}");
}

#[test]
fn a_list_of_steps_with_keywords_runs_to_its_end() {
    let script = "plan print the design
build print the code
review when holes once print There is a hole. NEEDS_FIXES
review print APPROVED
finish environment env
finish print closed
";
    // The keyword of the first review is the last line.
    let script = script.replace(
        "review when holes once print There is a hole. NEEDS_FIXES\nreview print APPROVED\n",
        "review print APPROVED\nreview when holes once print There is a hole. NEEDS_FIXES\n",
    );
    let project = WorkflowProject::new(LISTED, &script);
    project.repo.write("agent/workflows/templates/build.md", "Build what follows.\n\n{{report.design}}\n");
    project.repo.write("agent/workflows/config.yaml", "color: green\nlevel: high\n");
    let started = project.run(&["start", "flow", "--task", "Add a login", "--param", "style=terse"], 0);
    says(&started, &["flow-1: started", "plan"]);
    let ran = project.run(&["exec"], 0);
    says(&ran, &["the workflow is complete"]);
    assert_eq!(
        project.steps(),
        ["plan done", "build done", "review rejected", "build done", "review done", "finish done"]
    );
    assert!(project.prompt(1).contains("Plan Add a login at high in terse, green."), "{}", project.prompt(1));
    assert!(project.prompt(2).contains("Build what follows.\n\nthe design"), "{}", project.prompt(2));
    assert!(project.prompt(3).contains("Look for holes in the code."), "{}", project.prompt(3));
    // The rejection reaches the step that has to remove its cause.
    assert!(project.prompt(5).contains("There is a hole."), "{}", project.prompt(5));
    // The step without an agent was done by the default owner, who knows its task.
    let env = std::fs::read_to_string(project.repo.path("env")).unwrap();
    for line in ["CANONRY_ATTEMPT=1", "CANONRY_RUN=flow-1", "CANONRY_STEP=finish", "CANONRY_TASK=8"] {
        assert!(env.lines().any(|known| known == line), "{line}: {env}");
    }
    assert!(env.contains("CANONRY_PROMPT=") && env.contains("CANONRY_REPORT="), "{env}");
    // Reports are only appended, and the log has one entry for each event, that of a task with its answer.
    let report = project.file("reports/build.md");
    assert_eq!(report.matches("the code").count(), 2, "{report}");
    assert!(report.contains("visit 1") && report.contains("visit 2"), "{report}");
    let log = project.file("log.txt");
    assert!(log.contains("finish: task 8 by default, attempt 1"), "{log}");
    let journal = project.file("events.jsonl");
    let entries = log.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count();
    assert_eq!(entries, journal.lines().count(), "{log}");
    let details: Vec<&str> = log.lines().filter(|line| line.starts_with("<details>")).collect();
    assert_eq!(details.len(), project.events("task_ended").len(), "{log}");
    assert!(
        details.iter().any(|line| line.starts_with("<details><summary>build by ") && line.contains(" s: ")),
        "{log}"
    );
    assert!(log.contains("review: rejected") && log.ends_with("run complete\n"), "{log}");
    assert_eq!(project.state()["end"]["end"], "complete");
    // What ended stays ended.
    says(&project.run(&["exec"], 0), &["complete"]);
    assert_eq!(project.file("events.jsonl"), journal);
    assert_eq!(project.repo.git(&["status", "--porcelain", "agent/runs"]), "");
}

const ROUTED: &str = "name: flow
steps:
  sort:
    agent: Sorter
    prompt: Sort it.
    next: [{if: BUG, goto: fix}, {if: IDEA, goto: note}, {goto: end}]
  fix: {agent: Coder, prompt: Fix it., next: [{if: STUCK, goto: abort}, {goto: end}]}
  note: {agent: Writer, prompt: Write it down., goto: end}
";

#[test]
fn a_map_of_steps_with_routes_runs_to_its_end() {
    for (answer, steps, status) in [
        ("It crashes: BUG", &["sort done", "fix done"][..], 0),
        ("IDEA", &["sort done", "note done"], 0),
        ("DEBUGGING IDEAS", &["sort done"], 0),
        ("BUG or IDEA", &["sort failed"], 1),
    ] {
        let project = WorkflowProject::new(ROUTED, &format!("sort print {answer}\n")).start();
        project.run(&["exec"], status);
        assert_eq!(project.steps(), steps, "{answer}");
    }
    let project = WorkflowProject::new(ROUTED, "sort print BUG\nfix print STUCK\n").start();
    let ran = project.run(&["exec"], 1);
    says(&ran, &["aborted"]);
    assert_eq!(project.state()["end"]["end"], "aborted");
}

const DURABLE: &str = "workflow: flow
workflow_version: 1.0.0
policy: policy.md
max_steps: 20
steps:
  collect:
    owner: Researcher
    prompt: Collect for {{task}}.
    context_mode: explicit
    context_inputs: []
    timeout: 1m
    on_failure: abort
    output: {file: collect.json, schema: {passed: bool, trace: string, count: \"number[0..9]\"}}
    next: [{goto: diagnose}]
  diagnose:
    owner: Analyst
    prompt: \"Diagnose {{collect.trace}}.\"
    context_mode: explicit
    context_inputs: [{source: collect, fields: [count]}]
    timeout: 1m
    retry_strategy: serial
    max_retries: 2
    feedback_mode: include_prev_error
    on_max_retries_exceeded: cause
    on_failure: abort
    output: {file: diagnose.json, schema: {passed: bool, error: string, confidence: \"number[0..1]\"}}
    next: [{if: confidence >= 0.9, goto: patch}, {goto: cause}]
  patch:
    owner: Coder
    prompt: Patch it as candidate-{{candidate}}.
    context_mode: accumulate
    timeout: 1m
    retry_strategy: parallel
    parallel_candidates: 3
    fan_in_strategy: collect-all
    selection_criteria: passed AND max(coverage)
    on_all_failed: cause
    on_max_retries_exceeded: cause
    on_failure: abort
    output: {file: \"patch/{{candidate}}.json\", schema: {passed: bool, error: string, coverage: \"number[0..100]\"}}
    next: [{goto: announce}]
  announce:
    owner: Writer
    prompt: \"Announce {{patch.coverage}}.\"
    context_mode: last_only
    context_inputs: [patch.coverage]
    timeout: 1m
    effects: external
    idempotency: {marker: \"[run:{{run_id}}]\"}
    on_failure: fail
    output: {file: announce.json, schema: {passed: bool, error: string}}
    next: [{goto: end}]
gates:
  - gate_id: cause
    type: interrupt
    trigger_condition: diagnose.confidence < 0.9
    message: \"Confidence {{diagnose.confidence}} for {{task}}.\"
    options: [{label: Patch anyway, value: patch, goto: patch}, {label: Stop, value: stop, goto: abort}]
    timeout: 24h
    timeout_action: pause
";

const DURABLE_SCRIPT: &str = r#"collect print I looked.
collect report-text {"passed": true, "trace": "main.rs:7", "count": 3}
diagnose.1 report-text {"passed": true, "error": "", "confidence": 7}
diagnose.2 report-text {"passed": true, "error": "", "confidence": 0.5}
patch when candidate-1 report-text {"passed": true, "error": "", "coverage": 60}
patch when candidate-2 report-text {"passed": true, "error": "", "coverage": 80}
patch when candidate-3 report-text {"passed": false, "error": "it does not build", "coverage": 99}
announce report-text {"passed": true, "error": ""}
"#;

#[test]
fn a_durable_workflow_with_retries_candidates_and_a_gate_runs_to_its_end() {
    let project = WorkflowProject::new(DURABLE, DURABLE_SCRIPT);
    project.repo.write("agent/workflows/policy.md", "# Policy\n\nStay calm.\n");
    let project = project.committed().start();
    let stopped = project.run(&["exec"], 3);
    says(&stopped, &["Confidence 0.5 for Add a login.", "--option patch|stop"]);
    project.run(&["exec"], 3);
    project.run(&["approve", "--option", "patch"], 0);
    project.run(&["exec"], 0);
    assert_eq!(project.steps(), ["collect done", "diagnose done", "patch done", "announce done"]);
    let [retried] = &project.events("step_retried")[..] else { panic!("one retry") };
    assert!(retried["reason"].as_str().unwrap().contains("between 0 and 1"), "{retried}");
    assert!(project.prompt(1).contains("Stay calm."), "{}", project.prompt(1));
    let second = project.prompt(3);
    assert!(second.contains("Diagnose main.rs:7.") && second.contains("`collect.count`"), "{second}");
    assert!(second.contains("between 0 and 1"), "{second}");
    let patch = project.prompt(4);
    assert!(patch.contains("main.rs:7") && patch.contains("0.5"), "{patch}");
    let announce = project.prompt(7);
    assert!(announce.contains("Announce 80.") && announce.contains("[run:flow-1]"), "{announce}");
    for file in ["collect.json", "diagnose.json", "patch/1.json", "patch/2.json", "patch/3.json", "announce.json"] {
        serde_json::from_str::<serde_json::Value>(&project.file(&format!("outputs/{file}"))).unwrap();
    }
}

#[test]
fn context_inputs_limit_what_a_step_accumulates() {
    let flow = "workflow: flow
workflow_version: 1.0.0
phases:
  one: {owner: A, prompt: Measure., output: {schema: {passed: bool, size: number, colour: string}}}
  two: {owner: A, prompt: Weigh., output: {schema: {passed: bool, weight: number, taste: string}}}
  all: {owner: A, prompt: Sum up., context_mode: accumulate}
  some: {owner: A, prompt: Sum up., context_mode: accumulate, context_inputs: [phases.one.size, {source: phases.two, fields: [weight]}]}
  none: {owner: A, prompt: Sum up.}
";
    let script = "one print {\"passed\": true, \"size\": 12, \"colour\": \"green\"}
two print {\"passed\": true, \"weight\": 34, \"taste\": \"sour\"}
* print done
";
    let project = WorkflowProject::new(flow, script).start();
    project.run(&["exec"], 0);
    for (task, seen) in [(3, &["12", "34", "green", "sour"][..]), (4, &["12", "34"]), (5, &[])] {
        let prompt = project.prompt(task);
        for word in ["12", "34", "green", "sour"] {
            assert_eq!(prompt.contains(word), seen.contains(&word), "{task}, {word}: {prompt}");
        }
    }
}

#[test]
fn phases_run_in_the_order_of_the_file() {
    let flow = "workflow: flow
workflow_version: 1.0.0
phases:
  one: {owner: A, prompt: Measure., COMMON, output: {schema: {passed: bool, size: number}}}
  two: {owner: B, prompt: \"Use {{phases.one.size}}.\", context_mode: explicit, context_inputs: [phases.one.size], timeout: 1m, on_failure: abort, PASSES}
";
    let project =
        WorkflowProject::new(flow, "one print {\"passed\": true, \"size\": 12}\ntwo print {\"passed\": true}\n")
            .start();
    project.run(&["exec"], 0);
    assert_eq!(project.steps(), ["one done", "two done"]);
    assert!(project.prompt(2).contains("Use 12."), "{}", project.prompt(2));
}

#[test]
fn the_calling_session_does_the_steps_without_an_agent() {
    let flow = "name: flow
steps:
  - {name: draft, prompt: \"Draft {{task}}.\", report: text}
  - {name: check, prompt: \"Check {{report.text}}.\", conditions: [{keyword: REWORK, goto: draft}], end: true}
";
    let project = WorkflowProject::inline(flow).start();
    let ran = project.run(&["exec"], 3);
    says(&ran, &["canonry run next flow-1"]);
    let first = project.run(&["next"], 0);
    assert!(first.stdout.contains("Draft Add a login.") && !first.stdout.contains("task 1"), "{}", first.stdout);
    says(&first, &["canonry run finish flow-1 --task 1"]);
    let ran = project.run(&["finish", "--details", "A first text."], 0);
    assert!(ran.stdout.starts_with("STEP_COMPLETE\nnext: check\n"), "{}", ran.stdout);
    let second = project.run(&["next"], 0);
    assert!(second.stdout.contains("Check A first text.."), "{}", second.stdout);
    let ran = project.run(&["finish", "--details", "Too short.\nREWORK"], 0);
    assert!(ran.stdout.starts_with("CONTINUE\nnext: draft\n"), "{}", ran.stdout);
    assert!(project.run(&["next"], 0).stdout.contains("Too short."));
    project.run(&["finish", "--details", "A longer text."], 0);
    assert!(project.answer("It is fine.", 0).stdout.starts_with("WORKFLOW_COMPLETE\n"));
    // Nothing is at work any more.
    project.run(&["finish", "--details", "once more"], 5);
    says(&project.run(&["next"], 0), &["complete"]);
}

#[test]
fn a_step_executes_a_plan() {
    let flow = "name: flow
steps:
  - {name: before, agent: A, prompt: Prepare it.}
  - {name: work, plan: build}
  - {name: after, agent: A, prompt: \"Sum up {{report.work}}.\", end: true}
";
    let script = "one write out/one\none report success\n";
    let project = WorkflowProject::new(flow, script);
    project.repo.write(
        "agent/plans/build/plan.yaml",
        "steps:\n  - {id: one, owner: A, criteria: c, commands: [\"Run: test -s out/one\"], files: [out/one]}\n",
    );
    project.repo.git(&["add", "-A"]);
    project.repo.git(&["commit", "-qm", "state"]);
    let project = project.start();
    project.run(&["exec", "flow"], 0);
    assert_eq!(project.steps(), ["before done", "work done", "after done"]);
    let plan = std::fs::read_to_string(project.repo.path("agent/plans/build/plan.yaml")).unwrap();
    assert!(plan.contains("complete"), "{plan}");
}

#[test]
fn what_cannot_run_is_refused_before_anything_starts() {
    let flow = "name: flow\nsteps:\n  - {name: a, prompt: \"Do {{task}} at {{level}}.\", end: true}\n";
    let project = WorkflowProject::inline(&format!("{flow}parameters: [level]\n"));
    says(&project.run(&["start", "flow", "--param", "level=1"], 64), &["needs a task"]);
    says(&project.run(&["start", "flow", "--task", "x"], 64), &["`level`", "--param level=VALUE"]);
    says(&project.run(&["start", "flow", "--task", "x", "--param", "lvl=1"], 64), &["lvl"]);
    project.run(&["start", "flow", "--task", "x", "--param", "level"], 64);
    says(&project.run(&["start", "flo", "--task", "x"], 65), &["flow"]);
    assert!(!project.repo.path("agent/runs/flow-1").exists());
    for broken in [
        "name: flow\nsteps:\n  - {name: a, prompt: x, next: nowhere}\n",
        "name: flow\nsteps: {a: {agent: A, prompt: x, next: [{if: X, goto: a}]}}\n",
        "name: [flow\n",
        "",
    ] {
        let project = WorkflowProject::inline(broken);
        project.run(&["start", "flow", "--task", "x"], 65);
    }
    // A role without an owner.
    let project = WorkflowProject::with_owners(
        "name: flow\nsteps:\n  - {name: a, agent: Nobody, prompt: x, end: true}\n",
        "",
        "owners: {Somebody: {argv: [AGENT]}}\n",
    )
    .start();
    says(&project.run(&["exec"], 65), &["Nobody"]);
}

#[test]
fn a_prompt_without_a_value_fails_its_step() {
    let flow = "name: flow
steps:
  - {name: a, agent: A, prompt: templates/a.md}
  - {name: later, agent: A, prompt: Later., end: true}
";
    let project = WorkflowProject::new(flow, "");
    project.repo.write("agent/workflows/templates/a.md", "Use {{ later.size }}.\n");
    let project = project.start();
    says(&project.run(&["exec"], 3), &["later.size", "retry|skip|abort"]);
    project.run(&["approve", "--option", "skip"], 0);
    project.run(&["exec"], 0);
}

/// A step without `output` has that of its template's section.
#[test]
fn the_output_contract_of_a_template_is_enforced_and_read() {
    let flow = "workflow: flow
workflow_version: 1.0.0
phases:
  look: {owner: A, prompt: templates/look.md, retry_strategy: serial, feedback_mode: include_prev_error, max_retries: 1, on_max_retries_exceeded: abort}
  use: {owner: A, prompt: \"Use {{look.score}}.\", context_mode: explicit, context_inputs: [{source: phases.look, fields: [score]}]}
";
    let script = "look once print I looked.\nlook report-text {\"passed\": true, \"score\": 0.5}\nuse print done\n";
    let script = script.replace("look report-text", "look when Earlier report-text");
    let project = WorkflowProject::new(flow, &script);
    let contract = "Look.\n\n## Output Contract\n\n```json\n{\"passed\": true, \"score\": 1}\n```\n";
    project.repo.write("agent/workflows/templates/look.md", contract);
    let project = project.start();
    project.run(&["exec"], 0);
    assert_eq!(project.steps(), ["look done", "use done"], "{}", project.file("log.txt"));
    assert!(project.prompt(2).contains("the answer contains no JSON"), "{}", project.prompt(2));
    assert!(project.prompt(1).contains("- `score`: number"), "{}", project.prompt(1));
    assert!(project.prompt(3).contains("Use 0.5."), "{}", project.prompt(3));
    // A field that the template does not declare is an error.
    project.define(&flow.replace("fields: [score]", "fields: [points]"));
    let checked = project.repo.canonry(&["check", "agent/workflows/flow.yaml"]).expect(1);
    says(&checked, &["`use` reads the field `points` of `look`, which does not declare it"]);
}
