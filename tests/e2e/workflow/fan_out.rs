//! Parallel steps, candidates, and evaluator loops.

use crate::support::workflow::{AGENT, WorkflowProject, says};
use serde_json::Value;
use std::process::Stdio;

fn parallel(rest: &str) -> String {
    format!(
        "name: flow
steps:
  - {{name: build, agent: A, prompt: Build.}}
  - {{name: review, parallel: [{{agent: A, prompt: part-one}}, {{agent: B, prompt: part-two}}], {rest}}}
  - {{name: close, agent: A, prompt: Close., end: true}}
"
    )
}

#[test]
fn children_decide_together() {
    let all = "check: all, reject: [NO], conditions: [{keyword: NO, goto: build}]";
    let any = "check: any, reject: [NO], conditions: [{keyword: NO, goto: build}]";
    let sent_back = &["build done", "review rejected", "build done", "review done", "close done"][..];
    let passed = &["build done", "review done", "close done"][..];
    for (rest, script, steps) in [
        (all, "review print YES\n", passed),
        (all, "review print YES\nreview when part-two once print NO\n", sent_back),
        (all, "review print YES\nreview once print NO\n", sent_back),
        (any, "review print YES\nreview when part-two print NO\n", passed),
        (any, "review print YES\nreview when part-one exit 3\n", passed),
        (any, "review print NO\nreview once when part print NO\n", &[]),
    ] {
        let project = WorkflowProject::new(&parallel(rest), script).start();
        if steps.is_empty() {
            // Everybody rejects each time: the loop ends with a person.
            project.run(&["exec", "-m", "6"], 2);
            assert!(project.steps().iter().filter(|step| *step == "review rejected").count() >= 2);
            continue;
        }
        project.run(&["exec"], 0);
        assert_eq!(project.steps(), steps, "{rest}: {script}");
    }
}

#[test]
fn a_rejection_without_a_route_needs_a_person_and_a_failed_child_too() {
    for script in ["review print REJECTED: a hole\n", "review when part-two exit 3\n"] {
        let project = WorkflowProject::new(&parallel("check: all"), script).start();
        says(&project.run(&["exec"], 3), &["review", "retry|skip|abort"]);
    }
    // A failed child is named.
    let project = WorkflowProject::new(&parallel("check: all"), "review when part-two exit 3\n").start();
    says(&project.run(&["exec"], 3), &["`B` failed: it exited 3"]);
}

#[test]
fn a_rejection_without_a_list_takes_the_route_of_its_keyword() {
    let rest =
        "check: all, conditions: [{keyword: APPROVED, goto: close}, {keyword: REJECTED, goto: build}], next: close";
    let script = "review print APPROVED\nreview when part-two once print At first I thought APPROVED. REJECTED\n";
    let project = WorkflowProject::new(&parallel(rest), script).start();
    project.run(&["exec"], 0);
    assert_eq!(project.steps(), ["build done", "review rejected", "build done", "review done", "close done"]);
}

/// The failure JSON of a worker, with fields that only a success fills.
const FAILURE: &str = "{\"passed\": false, \"error\": \"Log file not found\", \"root_cause\": null}";

#[test]
fn the_error_of_a_failure_json_reaches_the_retry_and_the_person() {
    let flow = "workflow: flow
workflow_version: 1.0.0
phases:
  phase_1: {owner: A, prompt: p, on_failure: gate_a, retry_strategy: serial, max_retries: 1, feedback_mode: include_prev_error, on_max_retries_exceeded: gate_a, output: {schema: {passed: bool, error: string, root_cause: string}}}
gates:
  - {gate_id: gate_a, type: interrupt, message: \"Failed: {{phase_1.error}}!\", options: [retry, stop], timeout: 1h, timeout_action: pause}
";
    let project = WorkflowProject::new(flow, &format!("phase_1 report-text {FAILURE}\n")).start();
    says(&project.run(&["exec"], 3), &["Failed: Log file not found!"]);
    assert!(project.prompt(2).contains("Log file not found"), "{}", project.prompt(2));
    let log = project.file("log.txt");
    assert!(!log.contains("breaks its contract"), "{log}");
    // A worker that says nothing has an error, too.
    let project = WorkflowProject::new(flow, "phase_1 exit 4\n").start();
    says(&project.run(&["exec"], 3), &["Failed: it exited 4"]);
    // From a child.
    let flow = "workflow: flow
workflow_version: 1.0.0
phases:
  phase_2:
    parallel:
      - {name: x, owner: A, prompt: part-one}
      - {name: y, owner: B, prompt: part-two, output: {schema: {passed: bool, error: string, root_cause: string}}}
    fan_in_strategy: fail-fast
    on_any_failure: gate_a
gates:
  - {gate_id: gate_a, type: interrupt, message: \"Failed: {{phase_2.error}}!\", options: [retry, stop], timeout: 1h, timeout_action: pause}
";
    for script in
        [format!("phase_2 when part-two report-text {FAILURE}\n"), "phase_2 when part-two exit 4\n".to_owned()]
    {
        let project = WorkflowProject::new(flow, &format!("phase_2 print done\n{script}")).start();
        let ran = project.run(&["exec"], 3);
        let wanted = if script.contains("exit") { "it exited 4" } else { "Log file not found" };
        says(&ran, &["Failed: ", "`y`", wanted]);
    }
}

#[test]
fn children_work_side_by_side() {
    // Each waits for the file of the other.
    let script = "review when part-one write one\nreview when part-two write two\nreview await one\nreview await two\nreview print done\n";
    let project = WorkflowProject::new(&parallel("check: all"), script).start();
    project.run(&["exec"], 0);
    assert_eq!(project.steps(), ["build done", "review done", "close done"]);
}

pub fn candidates(rest: &str) -> String {
    format!(
        "workflow: flow
workflow_version: 1.0.0
max_steps: 9
steps:
  try:
    owner: A
    prompt: \"Try candidate-{{{{candidate}}}}.\"
    context_mode: explicit
    context_inputs: []
    timeout: 1m
    retry_strategy: parallel
    parallel_candidates: 3
    {rest}
    on_all_failed: abort
    on_max_retries_exceeded: abort
    on_failure: abort
    output: {{file: \"try/{{{{candidate}}}}.json\", schema: {{passed: bool, error: string, score: number}}}}
    next: [{{goto: use}}]
  use: {{owner: A, prompt: \"Use {{{{try.score}}}}.\", COMMON, PASSES, next: [{{goto: end}}]}}
"
    )
}

fn candidate_script(results: [(bool, u32); 3]) -> String {
    let last = "use report-text {\"passed\": true}\n";
    let line = |(number, (passed, score)): (usize, &(bool, u32))| {
        let error = if *passed { "" } else { "it does not build" };
        format!(
            "try when candidate-{} report-text {{\"passed\": {passed}, \"error\": \"{error}\", \"score\": {score}}}\n",
            number + 1
        )
    };
    results.iter().enumerate().map(line).collect::<String>() + last
}

#[test]
fn the_best_candidate_is_used() {
    let best = "fan_in_strategy: collect-all\n    selection_criteria: passed AND max(score)";
    for (results, score) in [
        ([(true, 3), (true, 9), (true, 5)], Some(9)),
        ([(true, 3), (false, 9), (true, 5)], Some(5)),
        ([(false, 3), (false, 9), (false, 5)], None),
    ] {
        let project = WorkflowProject::new(&candidates(best), &candidate_script(results)).committed().start();
        project.run(&["exec"], i32::from(score.is_none()));
        match score {
            Some(score) => assert!(project.prompt(4).contains(&format!("Use {score}.")), "{}", project.prompt(4)),
            None => assert_eq!(project.steps(), ["try failed"]),
        }
        for number in 1..=3 {
            let output = project.file(&format!("outputs/try/{number}.json"));
            let output: Value = serde_json::from_str(&output).unwrap();
            assert_eq!(output["score"], results[number - 1].1);
        }
    }
}

#[test]
fn a_session_writes_the_output_of_each_candidate() {
    let best = "fan_in_strategy: collect-all\n    selection_criteria: passed AND max(score)";
    let project = WorkflowProject::inline(&candidates(best)).committed().start();
    for (number, word) in [(1, "CONTINUE"), (2, "CONTINUE"), (3, "STEP_COMPLETE")] {
        let answer = format!("{{\"passed\": true, \"error\": \"\", \"score\": {number}}}");
        let ran = project.answer(&answer, 0);
        assert!(ran.stdout.starts_with(word), "{number}: {}", ran.stdout);
        assert!(project.file(&format!("outputs/try/{number}.json")).contains(&number.to_string()));
    }
    says(&project.run(&["next"], 0), &["Use 3."]);
}

pub const BEST: &str = "fan_in_strategy: collect-all\n    selection_criteria: passed AND max(score)";

/// Candidates that write to the same file; the second is the best, and the third fails.
pub fn writing(rest: &str) -> String {
    let writes = "try when candidate-1 write work.txt one\ntry when candidate-2 write work.txt two\ntry when candidate-3 write work.txt three\n";
    format!("{writes}{rest}{}", candidate_script([(true, 3), (true, 9), (false, 10)]))
}

/// The branches of candidates.
fn branches(project: &WorkflowProject) -> Vec<String> {
    let branches = project.repo.git(&["branch", "--format=%(refname:short)", "--list", "canonry/*"]);
    branches.lines().map(str::to_owned).collect()
}

fn text(project: &WorkflowProject, path: &str) -> String {
    std::fs::read_to_string(project.repo.path(path)).unwrap_or_default()
}

#[test]
fn candidates_never_share_a_tree() {
    for owners in
        ["default: {argv: [AGENT], timeout: 1m}\n", "default: {argv: [AGENT], timeout: 1m, isolation: worktree}\n"]
    {
        let project = WorkflowProject::with_owners(&candidates(BEST), &writing(""), owners).committed().start();
        let ran = project.run(&["exec"], 0);
        assert_eq!(text(&project, "work.txt"), "two\n");
        assert_eq!(project.repo.git(&["show", "HEAD:work.txt"]), "two");
        assert_eq!(project.repo.git(&["status", "--porcelain"]), "");
        // The losers' work is kept and named, and the winner's is merged.
        let kept = ["canonry/run-flow-1/try.1", "canonry/run-flow-1/try.3"];
        assert_eq!(branches(&project), kept);
        says(&ran, &kept);
        assert_eq!(project.repo.git(&["show", "canonry/run-flow-1/try.3:work.txt"]), "three");
        assert_eq!(project.repo.git(&["worktree", "list"]).lines().count(), 3);
        let settled = project.events("candidates_settled");
        let [settled] = &settled.iter().filter(|event| event["step"] == "try").collect::<Vec<_>>()[..] else {
            panic!("one attempt: {settled:?}")
        };
        assert_eq!((&settled["task"], settled["kept"].as_array().unwrap().len()), (&2.into(), 2), "{settled}");
    }
    // Candidates without changes leave nothing.
    let project = WorkflowProject::new(&candidates(BEST), &candidate_script([(true, 3), (true, 9), (true, 5)]));
    let project = project.committed().start();
    project.run(&["exec"], 0);
    assert!(branches(&project).is_empty(), "{:?}", branches(&project));
    // Where all fail, nothing is merged.
    let script = writing("")
        .replace("\"passed\": true, \"error\": \"\", \"score\"", "\"passed\": false, \"error\": \"\", \"score\"");
    let project = WorkflowProject::new(&candidates(BEST), &script).committed().start();
    project.run(&["exec"], 1);
    assert_eq!((text(&project, "work.txt"), branches(&project).len()), (String::new(), 3));
    // Without a commit there is nothing to work on.
    let project = WorkflowProject::new(&candidates(BEST), &writing("")).start();
    says(&project.run(&["exec"], 5), &["a work tree needs a commit to start from"]);
    assert!(project.events("task_started").is_empty());
}

#[test]
fn an_isolated_step_works_in_its_own_tree_and_is_merged() {
    let steps = "name: flow
steps:
  - {name: first, agent: A, prompt: p, next: second}
  - {name: second, agent: A, prompt: p, end: true}
";
    let owners = "default: {argv: [AGENT], timeout: 1m, isolation: worktree}\nsetup: touch ready\n";
    let script =
        "first write work.txt one\nfirst print done\nsecond await work.txt\nsecond await ready\nsecond print done\n";
    let project = WorkflowProject::with_owners(steps, script, owners);
    project.repo.write(".gitignore", "ready\n");
    let project = project.committed().start();
    // Work of a person that is not committed stays where it is.
    project.repo.write("mine.txt", "mine\n");
    let ran = project.run(&["exec"], 0);
    says(&ran, &["starts from the last commit, without mine.txt"]);
    assert_eq!(project.repo.git(&["show", "HEAD:work.txt"]), "one");
    assert_eq!(project.repo.git(&["status", "--porcelain"]), "?? mine.txt");
    assert!(branches(&project).is_empty(), "{:?}", branches(&project));
}

#[test]
fn work_in_the_way_of_the_chosen_candidate_is_not_overwritten() {
    let project = WorkflowProject::new(&candidates(BEST), &writing("")).committed().start();
    project.repo.write("work.txt", "mine\n");
    let ran = project.run(&["exec"], 5);
    says(
        &ran,
        &[
            "work.txt changed in the work tree",
            "canonry run exec flow-1",
            "starts from the last commit, without work.txt",
        ],
    );
    assert_eq!((text(&project, "work.txt").as_str(), branches(&project).len()), ("mine\n", 3));
    std::fs::remove_file(project.repo.path("work.txt")).unwrap();
    project.run(&["exec"], 0);
    assert_eq!(text(&project, "work.txt"), "two\n");
    // Nobody worked twice.
    assert_eq!(project.events("task_started").len(), 4);
    // A conflict with what was committed since is a failure of the step.
    let project = WorkflowProject::new(&candidates(BEST), &writing("try when candidate-2 await go\n"));
    let project = project.committed().start();
    let go = project.repo.tmp().join("go");
    project.script(&writing(&format!("try when candidate-2 await {}\n", go.display())));
    let mut run = project.command(&["exec"]).spawn().unwrap();
    while project.events("worker_started").len() < 3 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    project.repo.write("work.txt", "mine\n");
    project.repo.git(&["add", "work.txt"]);
    project.repo.git(&["commit", "-qm", "mine"]);
    std::fs::write(go, "").unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(1));
    assert_eq!((text(&project, "work.txt").as_str(), project.steps()), ("mine\n", vec!["try failed".to_owned()]));
    assert!(project.file("log.txt").contains("conflicts with other work in work.txt"), "{}", project.file("log.txt"));
    assert_eq!(branches(&project).len(), 3);
}

#[test]
fn a_hook_that_refuses_a_candidate_is_its_failure() {
    let script = writing("try when candidate-2 write secret.txt x\n");
    let project = WorkflowProject::new(&candidates(BEST), &script).committed().start();
    let hook = project.repo.path(".git/hooks/pre-commit");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(
        &hook,
        "#!/bin/sh\n! git diff --cached --name-only | grep -q secret || { echo no secrets; exit 1; }\n",
    )
    .unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let ran = project.run(&["exec"], 0);
    // The next best is used, and the refused work is where it was.
    assert_eq!(text(&project, "work.txt"), "one\n");
    says(&ran, &["its work cannot be committed", "no secrets", "canonry/run-flow-1/try.2 (2 files"]);
}

#[test]
fn a_worker_that_cannot_start_leaves_no_work_tree() {
    let project = WorkflowProject::with_owners(
        &candidates(BEST),
        &candidate_script([(true, 3), (true, 9), (true, 5)]),
        "default: {argv: [no-such-agent], timeout: 1m}\n",
    );
    let project = project.committed().start();
    says(&project.run(&["exec"], 65), &["`no-such-agent` not found"]);
    project.repo.write("agent/owners.yaml", format!("default: {{argv: [{AGENT}], timeout: 1m}}\n"));
    project.run(&["exec"], 0);
    assert!(branches(&project).is_empty(), "{:?}", branches(&project));
    assert_eq!(project.repo.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn a_task_whose_work_tree_is_gone_has_failed() {
    let flow = "name: flow\nsteps:\n  - {name: build, agent: A, prompt: Build., end: true}\n";
    let project = WorkflowProject::inline(flow);
    let worker = project.repo.tmp().join("worker");
    std::fs::write(&worker, "rm -r \"$PWD\"\necho done\n").unwrap();
    let owners = format!("default: {{argv: [sh, {}], timeout: 1m, isolation: worktree}}\n", worker.display());
    project.repo.write("agent/owners.yaml", owners);
    let project = project.committed().start();
    let ran = project.run(&["exec"], 3);
    says(&ran, &["the work tree of the task is gone", "retry|skip|abort"]);
    assert_eq!(project.repo.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn a_session_does_each_candidate_in_its_own_tree() {
    let project = WorkflowProject::inline(&candidates(BEST)).committed().start();
    for (number, word) in [(1, "one"), (2, "two"), (3, "three")] {
        let prompt = project.run(&["next"], 0).stdout;
        let folder = prompt.split("Work only in the folder `").nth(1).unwrap().split('`').next().unwrap();
        std::fs::write(format!("{folder}/work.txt"), format!("{word}\n")).unwrap();
        let score = if number == 2 { 9 } else { number };
        project.run(&["finish", "--details", &format!("{{\"passed\": true, \"error\": \"\", \"score\": {score}}}")], 0);
    }
    assert_eq!(text(&project, "work.txt"), "two\n");
    assert_eq!(branches(&project), ["canonry/run-flow-1/try.1", "canonry/run-flow-1/try.3"]);
    says(&project.run(&["next"], 0), &["Use 9."]);
}

#[test]
fn an_aborted_run_leaves_only_work() {
    let go = "try when candidate-1 write work.txt one\ntry when candidate-3 hang\n";
    let script = format!("{go}{}", candidate_script([(true, 3), (true, 9), (true, 5)]));
    for is_killed in [false, true] {
        let project = WorkflowProject::new(&candidates(BEST), &script).committed().start();
        let mut run = project.command(&["exec"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while project.events("task_ended").len() < 2 {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        if is_killed {
            run.kill().unwrap();
            run.wait().unwrap();
        }
        project.run(&["abort", "--reason", "enough"], 0);
        assert_eq!(run.wait().unwrap().code(), if is_killed { None } else { Some(1) });
        // The first has work, the second changed nothing, and the third was at work.
        assert_eq!(branches(&project), ["canonry/run-flow-1/try.1"], "{}", project.file("log.txt"));
        assert_eq!(project.repo.git(&["show", "canonry/run-flow-1/try.1:work.txt"]), "one");
        assert_eq!(project.repo.git(&["worktree", "list"]).lines().count(), 2);
        assert!(
            project.file("log.txt").contains("the work of task 1 on `try` is kept: branch canonry/run-flow-1/try.1")
        );
        says(&project.run(&["abort"], 5), &["has ended already"]);
    }
}

/// The writes of a whole run.
fn writes() -> usize {
    let project = WorkflowProject::new(&candidates(BEST), &writing("")).committed().start();
    let log = project.repo.tmp().join("writes");
    let status = project.command(&["exec"]).env("CANONRY_FAILPOINT_LOG", &log).stderr(Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(0));
    std::fs::read_to_string(log).unwrap().lines().count()
}

#[test]
fn a_run_killed_among_candidates_merges_one_of_them_once() {
    let step = if std::env::var_os("CANONRY_EVERY_WRITE").is_some() { 1 } else { 29 };
    for write in (11..writes()).step_by(step) {
        let project = WorkflowProject::new(&candidates(BEST), &writing("")).committed().start();
        let mut command = project.command(&["exec"]);
        command.env("CANONRY_FAILPOINT", format!("kill@{write}")).stdout(Stdio::null()).stderr(Stdio::null());
        assert_eq!(command.status().unwrap().code(), None, "write {write}");
        project.run(&["exec"], 0);
        let log = project.file("log.txt");
        assert_eq!(text(&project, "work.txt"), "two\n", "write {write}: {log}");
        assert_eq!(project.repo.git(&["status", "--porcelain"]), "", "write {write}: {log}");
        assert_eq!(project.repo.git(&["rev-list", "--count", "HEAD", "--", "work.txt"]), "1", "write {write}: {log}");
        assert_eq!(project.steps(), ["try done", "use done"], "write {write}: {log}");
        // Each branch that is left has work that the log names.
        for branch in branches(&project) {
            assert!(log.contains(&branch), "write {write}: {branch}: {log}");
        }
    }
}

const LOOP: &str = "workflow: flow
workflow_version: 1.0.0
max_steps: 9
steps:
  write:
    generator: Writer
    evaluator: Critic
    prompt: Write it.
    quality_threshold: {min_score: 7, complete: true}
    retry_strategy: serial
    feedback_mode: include_prev_error
    max_retries: 2
    on_max_retries_exceeded: abort
    context_mode: explicit
    context_inputs: []
    output: {schema: {passed: bool, error: string, text: string}}
    timeout: 1m
    on_failure: abort
    next: [{goto: end}]
";

#[test]
fn an_evaluator_sends_work_back_until_it_is_good_enough() {
    let script = "write.1 when generator report-text {\"passed\": true, \"error\": \"\", \"text\": \"thin\"}
write.1 when generator print a thin text
write.1 when evaluator print Too thin. {\"score\": 4, \"complete\": true}
write.2 when generator report-text {\"passed\": true, \"error\": \"\", \"text\": \"thick\"}
write.2 when evaluator print {\"score\": \"8\", \"complete\": true}
";
    let project = WorkflowProject::new(LOOP, script).start();
    project.run(&["exec"], 0);
    assert_eq!(project.steps(), ["write done"]);
    assert!(project.prompt(2).contains("a thin text"), "{}", project.prompt(2));
    let second = project.prompt(3);
    assert!(second.contains("Too thin.") && second.contains("score >= 7"), "{second}");
    assert_eq!(project.events("task_started").len(), 4);
    // It is never good enough.
    let project = WorkflowProject::new(
        LOOP,
        "write print {\"passed\": true, \"error\": \"\", \"text\": \"\", \"score\": 9, \"complete\": false}\n",
    )
    .start();
    says(&project.run(&["exec"], 3), &["complete == true"]);
    let project =
        WorkflowProject::new(&LOOP.replace("max_retries: 2", "max_retries: 1"), "write print no numbers\nwrite when generator report-text {\"passed\": true, \"error\": \"\", \"text\": \"\"}\n").start();
    project.run(&["exec"], 1);
    assert_eq!(project.events("step_retried").len(), 1);
}
