//! The journal and the folder of a run: damage, links, names, locks.

use crate::support::workflow::{WorkflowProject, says};
use std::os::unix::fs::symlink;

const FLOW: &str =
    "name: flow\nsteps:\n  - {name: a, prompt: p}\n  - {name: b, prompt: p}\n  - {name: c, prompt: p, end: true}\n";

fn begun() -> WorkflowProject {
    let project = WorkflowProject::inline(FLOW).start();
    project.answer("done", 0);
    project
}

const JOURNAL: &str = "agent/runs/flow-1/events.jsonl";

#[test]
fn a_journal_of_another_version_is_refused() {
    let project = begun();
    let text = project.file("events.jsonl");
    project.repo.write(JOURNAL, text.replace("canonry/workflow-journal/v1", "canonry/workflow-journal/v2"));
    for args in [&["next", "flow-1"][..], &["exec", "flow-1"], &["approve", "flow-1"], &["abort", "flow-1"]] {
        says(&project.run(args, 65), &["canonry/workflow-journal/v2"]);
    }
}

#[test]
fn a_damaged_line_in_the_middle_is_refused() {
    let project = begun();
    let text = project.file("events.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    for (damaged, word) in [
        (lines[1..].join("\n") + "\n", "line 1"),
        ([&lines[..2], &lines[3..]].concat().join("\n") + "\n", "line 3"),
        ([&lines[..2], &[&lines[2][..9]], &lines[3..]].concat().join("\n") + "\n", "line 3"),
        (String::new(), "empty"),
        ("\0\0\0\n".to_owned(), "line 1"),
    ] {
        project.repo.write(JOURNAL, &damaged);
        says(&project.run(&["next", "flow-1"], 65), &[word]);
        assert_eq!(project.file("events.jsonl"), damaged);
    }
}

#[test]
fn a_torn_last_line_is_repaired_with_a_note() {
    for torn in ["{\"seq\": 6, \"at\": \"20", "{", "\u{fffd}\u{fffd}"] {
        let project = begun();
        let text = project.file("events.jsonl") + torn;
        project.repo.write(JOURNAL, &text);
        project.run(&["next"], 0);
        let repaired = project.file("events.jsonl");
        assert!(repaired.starts_with(&text), "{repaired}");
        let notes = project.events("note");
        assert!(notes.len() == 1 && notes[0]["text"].as_str().unwrap().contains("torn"), "{notes:?}");
        // The repair was torn, too.
        let cut = text.len() + 20;
        project.repo.write(JOURNAL, &repaired[..cut]);
        project.run(&["next"], 0);
        assert!(project.file("events.jsonl").starts_with(&repaired[..cut]));
        project.run(&["finish", "--details", "done"], 0);
        assert_eq!(project.steps(), ["a done", "b done"]);
    }
}

#[test]
fn the_folder_of_runs_stays_in_the_repository() {
    let project = WorkflowProject::inline(FLOW);
    let outside = project.repo.tmp().join("outside");
    std::fs::create_dir(&outside).unwrap();
    symlink(&outside, project.repo.path("agent/runs")).unwrap();
    says(&project.run(&["start", "flow"], 5), &["leads out of the repository"]);
    project.run(&["next"], 5);
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn links_in_the_folder_of_a_run_are_not_followed() {
    let project = begun();
    let outside = project.repo.tmp().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::rename(project.repo.path("agent/runs/flow-1"), outside.join("flow-1")).unwrap();
    symlink(outside.join("flow-1"), project.repo.path("agent/runs/flow-1")).unwrap();
    says(&project.run(&["next", "flow-1"], 65), &["or run `flow-1`"]);
    let project = begun();
    let journal = project.repo.tmp().join("journal");
    std::fs::rename(project.repo.path(JOURNAL), &journal).unwrap();
    symlink(&journal, project.repo.path(JOURNAL)).unwrap();
    let before = std::fs::read(&journal).unwrap();
    let ran = project.command(&["next", "flow-1"]).output().unwrap();
    assert!(matches!(ran.status.code(), Some(65 | 70)), "{ran:?}");
    assert_eq!(std::fs::read(&journal).unwrap(), before);
    // Answers are written below the run's folder, and nowhere else.
    for folder in ["tasks", "reports", "outputs"] {
        let flow = "workflow: flow
workflow_version: 1.0.0
max_steps: 3
steps:
  a: {owner: A, prompt: p, COMMON, output: {file: out.json, schema: {passed: bool}}, next: [{goto: end}]}
";
        let project = WorkflowProject::inline(flow).start();
        let outside = project.repo.tmp().join("outside");
        std::fs::create_dir(&outside).unwrap();
        project.run(&["next"], 0);
        let path = project.repo.path(&format!("agent/runs/flow-1/{folder}"));
        // `step` has saved the prompt already.
        let _ = std::fs::remove_dir_all(&path);
        symlink(&outside, path).unwrap();
        project.command(&["finish", "--details", "{\"passed\": true}"]).output().unwrap();
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0, "{folder}");
    }
}

#[test]
fn hostile_names_stay_in_the_folder_of_the_run() {
    for id in ["../flow-1", "/etc", "..", ".", "", "flow-1/../flow-1", "flow-1\n"] {
        let project = begun();
        project.run(&["next", id], 65);
        project.run(&["abort", id], 65);
    }
    let name = "../../up\\u001b[31m/../x";
    let flow =
        format!("name: flow\nsteps:\n  - {{name: \"{name}\", prompt: p}}\n  - {{name: b, prompt: p, end: true}}\n");
    let project = WorkflowProject::inline(&flow).start();
    let ran = project.answer("\u{1b}]0;title\u{7} done", 0);
    assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'));
    assert!(!project.file("log.txt").contains('\u{1b}'));
    let reports = std::fs::read_dir(project.repo.path("agent/runs/flow-1/reports")).unwrap();
    assert_eq!(reports.count(), 1);
    assert!(!project.repo.path("agent/up").exists() && !project.repo.path("agent/runs/x.md").exists());
}

#[test]
fn two_runs_at_once_have_locks_of_their_own() {
    let flow = "name: flow\nsteps:\n  - {name: a, agent: A, prompt: p, end: true}\n";
    let project =
        WorkflowProject::new(flow, "a when second print done\na when first await go\na when first print done\n");
    let flow = flow.replace("prompt: p", "prompt: \"Do the {{task}}.\"");
    project.define(&flow);
    project.run(&["start", "flow", "--task", "first"], 0);
    project.run(&["start", "flow", "--task", "second"], 0);
    says(&project.run(&["exec"], 64), &["flow-1, flow-2"]);
    let mut first = project.command(&["exec", "flow-1"]).spawn().unwrap();
    let begin = std::time::Instant::now();
    while project.events("worker_started").is_empty() {
        assert!(begin.elapsed().as_secs() < 20);
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    project.run(&["exec", "flow-2"], 0);
    // The end of the second run has not freed the first.
    project.run(&["exec", "flow-1"], 4);
    project.run(&["abort", "flow-2"], 5);
    project.run(&["exec", "flow-1"], 4);
    project.repo.write("go", "");
    assert_eq!(first.wait().unwrap().code(), Some(0));
    project.run(&["exec", "flow-1"], 0);
}

#[test]
fn an_abort_ends_the_workers_of_another_process() {
    let flow = "name: flow\nsteps:\n  - {name: a, agent: A, prompt: p, end: true}\n";
    let project = WorkflowProject::new(flow, "a pid worker\na hang\n").start();
    let mut run = project.command(&["exec"]).spawn().unwrap();
    let begin = std::time::Instant::now();
    while !project.repo.path("worker").exists() || project.events("worker_started").is_empty() {
        assert!(begin.elapsed().as_secs() < 20);
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    project.run(&["abort", "--reason", "enough"], 0);
    assert_eq!(run.wait().unwrap().code(), Some(1));
    let pid = std::fs::read_to_string(project.repo.path("worker")).unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{}", pid.trim())).exists());
    project.run(&["abort"], 5);
    assert_eq!(project.state()["end"]["reason"], "enough");
}

#[test]
fn no_secret_is_in_the_journal_or_in_a_report() {
    // In two parts, so that no scanner reports this file.
    let token = format!("ghp_{}{}", "q7Zp2LxV9mKdR4tWc8N", "bYf3HsJ6gTaQe5uXo");
    let flow = "workflow: flow
workflow_version: 1.0.0
max_steps: 5
steps:
  a: {owner: A, prompt: \"Do {{task}}.\", COMMON, output: {schema: {passed: bool, note: string}}, next: [{goto: b}]}
  b: {owner: A, prompt: templates/b.md, context_mode: accumulate, timeout: 1m, on_failure: ask, output: {schema: {passed: bool, note: string}}, next: [{goto: end}]}
gates:
  - {gate_id: ask, type: interrupt, trigger_condition: b.passed, message: \"{{a.note}} {{b.error}}\", options: [retry, stop], timeout: 1h, timeout_action: pause}
";
    let script = format!(
        "a report-text {{\"passed\": true, \"note\": \"use {token}\"}}\nb complain {token}\nb report-text {{\"passed\": false, \"error\": \"{token} is refused\"}}\n"
    );
    let project = WorkflowProject::new(flow, &script);
    project.repo.write("agent/workflows/templates/b.md", format!("Log in with {token}.\n"));
    project.run(&["start", "flow", "--task", &format!("use {token}")], 0);
    let ran = project.run(&["exec"], 3);
    assert!(!format!("{}{}", ran.stdout, ran.stderr).contains(&token));
    let because = format!("try {token}");
    project.run(&["approve", "--option", "stop", "--reason", &because], 0);
    project.run(&["exec"], 1);
    for file in ["events.jsonl", "state.json", "log.txt", "outputs/out-0.json", "reports/a.md", "reports/b.md"] {
        let text = project.file(file);
        assert!(!text.contains(&token), "{file}: {text}");
    }
    assert!(project.file("events.jsonl").contains("redacted"));
    for format in ["html", "markdown", "json", "human"] {
        let report = project.run(&["report", "--format", format], 0).stdout;
        assert!(!report.contains(&token), "{format}: {report}");
    }
}
