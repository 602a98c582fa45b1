//! Plans and workflows as people write them, executed by two clients together.

use crate::client::{Client, claude, codex};
use crate::sandbox::Sandbox;
use crate::server::{Call, Turn};
use serde_json::{Value, json};

const CLIENTS: [&Client; 2] = [&claude::CLIENT, &codex::CLIENT];

/// Numbers as ids, criteria as text, no goal and no files.
const PLAN: &str = r#"steps:
  - id: 1
    description: "Show the list of orders"
    owner: "Frontend"
    deps: []
    criteria: "A visitor sees a row for each order"
    status: pending
  - id: 2
    description: "Sort the orders and answer with them"
    owner: "Backend"
    deps: [1]
    parallel: false
    criteria: "The newest order comes first"
    status: pending
    commands: ["Run: grep -q newest server/orders.txt", "Read: docs/orders.md"]
  - id: 3
    description: "Describe the order of the list"
    owner: "Frontend"
    deps: [1]
    criteria: "docs/orders.md says which order comes first"
    status: pending
    commands: ["Run: grep -q newest docs/orders.md"]
  - id: 4
    description: "Try all of it together"
    owner: "Tester"
    deps: [1, 2, 3]
    criteria: "All tests pass"
    status: pending
    commands: ["Run: sh tests/all.sh"]
"#;

/// The owners of the plan: one tool builds the pages, the other one the server and the tests.
fn owners(isolation: &str) -> String {
    let claude = json!({
        "argv": ["claude", "-p", "--output-format", "json", "--permission-mode", "acceptEdits"],
        "timeout": "100s", "isolation": isolation,
    });
    let codex = json!({
        "argv": ["codex", "exec", "--json", "--sandbox", "workspace-write", "--dangerously-bypass-hook-trust", "-"],
        "timeout": "100s", "isolation": isolation,
    });
    json!({"owners": {"Frontend": claude, "Backend": codex, "Tester": codex}}).to_string()
}

fn project(before: impl FnOnce(&crate::support::repo::Repo)) -> Sandbox {
    Sandbox::prepared(&CLIENTS.map(|client| client.id), |repo| {
        repo.write("docs/orders.md", "# Orders\n\nEach has a date.\n");
        before(repo);
    })
}

/// Claude Code writes a file.
fn write(path: &str, text: &str) -> Turn {
    Turn::Call(Call { tool: "Write".to_owned(), arguments: json!({"file_path": path, "content": text}) })
}

/// Codex adds a file.
fn add(path: &str, text: &str) -> Turn {
    let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
    let patch = format!("*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch\n");
    let code = format!("text(await tools.apply_patch({}))", json!(patch));
    Turn::Call(Call { tool: "functions/exec".to_owned(), arguments: json!(code) })
}

fn report(step: impl Into<Value>, details: &str, artifacts: Value) -> String {
    let step: Value = step.into();
    json!({
        "step_id": step, "outcome": "success", "details": details, "artifacts": artifacts,
        "timestamp": "2026-02-03T10:00:00Z",
    })
    .to_string()
}

/// The beginning of the prompt of an attempt.
fn attempt(step: &str, number: u32) -> String {
    format!("# Step `{step}` of the plan `current_plan`\n\nYou execute one step of a plan. This is attempt {number}.")
}

#[test]
#[ignore = "needs the clients: see CONTRIBUTING.md"]
fn needs_clients_founding_plan() {
    let sandbox = project(|repo| {
        repo.write("agent/owners.yaml", owners("worktree"));
        repo.write("agent/plans/current_plan.yaml", PLAN);
    });
    let file = |path: &str, status: &str| json!({"file": path, "status": status});
    let page = [
        write("web/orders.html", "<ul><li>An order</li></ul>\n"),
        Turn::Say(report(1, "The page has a row for each order.", json!([file("web/orders.html", "created")]))),
    ];
    let unsorted = [
        add("server/orders.txt", "the oldest first"),
        Turn::Say(report("2", "The route answers.", json!([file("server/orders.txt", "created")]))),
    ];
    let sorted = report("2", "The newest order comes first.", json!([{"test": "grep", "result": "PASSED in 0.1s"}]));
    let save = format!("printf '%s' '{sorted}' >\"$CANONRY_REPORT\"");
    let sorted = [
        add("server/orders.txt", "the newest first"),
        Turn::Call((codex::CLIENT.shell)(&save)),
        Turn::Say("It is sorted.".to_owned()),
    ];
    let limit = [Turn::Limit(1)];
    let described = [
        write("docs/orders.md", "# Orders\n\nThe newest comes first.\n"),
        write(
            "agent/reports/current_plan/3.2.json",
            &report("3", "Described.", json!([file("docs/orders.md", "modified")])),
        ),
        Turn::Say("The page is written.".to_owned()),
    ];
    let tested = [
        add("tests/all.sh", "grep -q order web/orders.html && grep -q newest server/orders.txt docs/orders.md"),
        Turn::Say(report("4", "All tests pass.", json!([{"test": "tests/all.sh", "result": "PASSED in 0.1s"}]))),
    ];
    let marks =
        [("1", 1), ("2", 1), ("2", 2), ("3", 1), ("3", 2), ("4", 1)].map(|(step, number)| attempt(step, number));
    let scripts: [&[Turn]; 6] = [&page, &unsorted, &sorted, &limit, &described, &tested];
    let marked: Vec<(&str, &[Turn])> = marks.iter().map(String::as_str).zip(scripts).collect();
    let session = sandbox.run_all(&CLIENTS, &[], &marked, &["canonry", "run", "exec", "agent/plans/current_plan.yaml"]);
    assert_eq!(session.ran.status, 0, "{}\n{}", session.ran.all(), session.transcript());

    let repo = &sandbox.repo;
    let plan = repo.text("agent/plans/current_plan.yaml");
    assert_eq!(plan, PLAN.replace("status: pending", "status: complete"));
    assert_eq!(repo.text("web/orders.html"), "<ul><li>An order</li></ul>\n");
    assert_eq!(repo.text("server/orders.txt"), "the newest first\n");
    let status = repo.git(&["status", "--porcelain"]);
    assert!(status.lines().all(|line| line.contains("agent/memory/")), "{status}");
    // Only the work of the attempt that failed is kept.
    let kept = repo.git(&["for-each-ref", "--format=%(refname)", "refs/heads/canonry", "refs/canonry"]);
    assert_eq!(kept, "refs/heads/canonry/current_plan/2.1");
    // The limit was no attempt, and the failed command was part of the next prompt.
    let report = |name: &str| -> Value {
        serde_json::from_str(&repo.text(&format!("agent/reports/current_plan/{name}.json"))).unwrap()
    };
    assert_eq!(report("3.1")["cause"], "usage_limit");
    assert_eq!(report("2.1")["cause"], "unverified");
    assert!(
        session.seen.iter().any(|seen| seen.count(&marks[2]) > 0 && seen.count("server/orders.txt` exited 1") > 0),
        "{}",
        session.transcript()
    );
    sandbox.canonry(&["run", "verify"]).expect(0);
    sandbox.canonry(&["run", "report", "--write"]).expect(0).says(&["4 of 4 steps complete, 6 attempts"]);
    sandbox.canonry(&["run", "check"]).expect(0).says(&["phase Report: closed"]);
    sandbox.canonry(&["check"]).expect(0);
}

/// The list form of an orchestrator: each step says which word its answer ends with.
const WORKFLOW: &str = r#"name: small-change
description: A change with two reviews side by side

steps:
  - name: plan
    agent: planner
    prompt: |
      Read the task and write a plan of the change.

      End your answer with exactly one of:
      - PLANNED if the plan is ready
      - BLOCKED if a question is open
    report:
      name: plan
      format: |
        ## Plan

        ### Files
        - path: what changes
      validation: "PLANNED|BLOCKED"
    next: implement
    conditions:
      - keyword: BLOCKED
        goto: plan

  - name: implement
    agent: coder
    prompt: |
      Make the change that reports/plan.md describes.

      End your answer with exactly one of:
      - DONE if it is made
      - ERROR if it cannot be made
    report:
      name: implementation
      validation: "DONE|ERROR"
    next: review
    conditions:
      - keyword: ERROR
        goto: implement

  - name: review
    parallel:
      - agent: code-reviewer
        prompt: |
          Review the quality of the change in reports/implementation.md.

          End your answer with exactly one of:
          - APPROVED if it is good
          - REJECTED with what has to change
      - agent: security-reviewer
        prompt: |
          Review the security of the change in reports/implementation.md.

          End your answer with exactly one of:
          - APPROVED if it is safe
          - REJECTED with what has to change
    check: all
    report:
      name: review
      validation: "APPROVED|REJECTED"
    next: finalize
    conditions:
      - keyword: APPROVED
        goto: finalize
      - keyword: REJECTED
        goto: implement

  - name: finalize
    agent: coder
    human: true
    prompt: |
      Clean the change up; see reports/review_0.md and reports/review_1.md.

      End your answer with exactly one of:
      - FINALIZED if it is clean
      - TASK_DONE if nothing is left to do
    report:
      name: finalization
      validation: "FINALIZED|TASK_DONE"
    end: true
"#;

#[test]
#[ignore = "needs the clients: see CONTRIBUTING.md"]
fn needs_clients_founding_workflow() {
    let sandbox = project(|repo| {
        let owners = owners("none").replace("Frontend", "coder").replace("Backend", "planner");
        let owners = owners.replace("Tester", "security-reviewer");
        let mut owners: Value = serde_json::from_str(&owners).unwrap();
        owners["owners"]["code-reviewer"] = owners["owners"]["coder"].clone();
        repo.write("agent/owners.yaml", owners.to_string());
        repo.write("agent/workflows/small-change.yaml", WORKFLOW);
    });
    sandbox.canonry(&["check", "agent/workflows"]).expect(0);
    sandbox.canonry(&["run", "start", "small-change", "--task", "Show the newest order first"]).expect(0);
    let say = |text: &str| Turn::Say(text.to_owned());
    let planned = [say("## Plan\n\n### Files\n- server/orders.txt: the newest first\n\nPLANNED")];
    let made = [
        write("server/orders.txt", "the newest first\n"),
        say("Made.\n\nDONE"),
        Turn::Call(Call {
            tool: "Edit".to_owned(),
            arguments: json!({
                "file_path": "server/orders.txt", "old_string": "first\n", "new_string": "first, with checked dates\n",
            }),
        }),
        say("Repaired.\n\nDONE"),
    ];
    let quality = [say("It is short.\n\nAPPROVED"), say("It is short.\n\nAPPROVED")];
    let security = [say("The dates are not checked.\n\nREJECTED"), say("It is safe.\n\nAPPROVED")];
    let marks = ["plan`", "implement`", "review`, part 1", "review`, part 2"]
        .map(|part| format!("# Step `{part} of the workflow `small-change`"));
    let scripts: [&[Turn]; 4] = [&planned, &made, &quality, &security];
    let marked: Vec<(&str, &[Turn])> = marks.iter().map(String::as_str).zip(scripts).collect();
    let session = sandbox.run_all(&CLIENTS, &[], &marked, &["canonry", "run", "exec"]);
    // A person approves, and then the worker finalizes.
    assert_eq!(session.ran.status, 3, "{}\n{}", session.ran.all(), session.transcript());
    let prompt = |mark: &str| {
        let messages = session.seen.iter().flat_map(|seen| &seen.messages);
        messages.map(|message| message.text.as_str()).find(|text| text.contains(mark)).unwrap_or_default()
    };
    for mark in &marks {
        assert!(prompt(mark).contains("Show the newest order first"), "{}", prompt(mark));
    }
    assert!(prompt(&marks[1]).contains("server/orders.txt: the newest first"), "{}", prompt(&marks[1]));
    let repair = session.seen.iter().any(|seen| seen.count("The dates are not checked.") > 0);
    assert!(repair, "{}", session.transcript());
    sandbox.canonry(&["run", "approve", "--option", "approve"]).expect(0);
    let session = sandbox.run_all(&CLIENTS, &[say("Nothing is left.\n\nTASK_DONE")], &[], &["canonry", "run", "exec"]);
    assert_eq!(session.ran.status, 0, "{}\n{}", session.ran.all(), session.transcript());
    assert!(session.last().count("It is safe.") > 0, "{}", session.transcript());
    assert_eq!(sandbox.repo.text("server/orders.txt"), "the newest first, with checked dates\n");
    let state: Value = serde_json::from_str(&sandbox.repo.text("agent/runs/small-change-1/state.json")).unwrap();
    assert_eq!(state["end"]["end"], "complete", "{state:#}");
    let status = sandbox
        .canonry(&["run", "status", "small-change-1"])
        .expect(0)
        .says(&["finalize: complete", "(TASK_DONE)"])
        .stdout;
    assert_eq!(status.matches("review: rejected").count(), 1, "{status}");
    sandbox.canonry(&["check"]).expect(0);
    assert_eq!(sandbox.repo.git(&["status", "--porcelain"]), "");
}
