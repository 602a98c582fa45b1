//! The tasks of the canon as a queue of runs.

use crate::support::workflow::{WorkflowProject, says};
use std::process::Stdio;

const FLOW: &str = "name: flow
steps:
  - {name: build, agent: A, prompt: \"Build this: {{task}}\"}
  - {name: review, agent: B, prompt: Review it., end: true}
";

fn project(flow: &str, tasks: &[(&str, &str)]) -> WorkflowProject {
    let project = WorkflowProject::new(flow, "build print BUILT\n");
    for (id, rest) in tasks {
        project.repo.write(&format!("agent/tasks/{id}/task.yaml"), format!("# why\ntitle: Task {id} # short\n{rest}"));
    }
    project.committed()
}

fn status(project: &WorkflowProject, id: &str) -> String {
    let text = project.repo.text(&format!("agent/tasks/{id}/task.yaml"));
    text.lines().find_map(|line| line.strip_prefix("status: ")).unwrap_or("none").to_owned()
}

#[test]
fn a_run_takes_the_next_ready_task_until_none_is_left() {
    let tasks = [
        ("1-form", ""),
        ("2-done", "status: done\n"),
        ("3-mail", "status: planned # soon\n"),
        ("4-busy", "status: in_progress\n"),
    ];
    let project = project(FLOW, &tasks);
    project.repo.write("agent/tasks/1-form/prd.md", "# Form\n\nUsers can log in.\n");
    project.repo.commit_all("requirements");
    says(&project.run(&["start"], 0), &["flow-1: started", "task 1-form"]);
    assert_eq!(
        (status(&project, "1-form").as_str(), status(&project, "3-mail").as_str()),
        ("in_progress", "planned # soon")
    );
    project.run(&["exec"], 0);
    let prompt = project.prompt(1);
    assert!(prompt.contains("Build this: Task 1-form") && prompt.contains("Users can log in."), "{prompt}");
    assert_eq!(status(&project, "1-form"), "done");
    assert!(
        project
            .repo
            .text("agent/tasks/1-form/task.yaml")
            .starts_with("# why\ntitle: Task 1-form # short\nstatus: done\n")
    );
    says(&project.run(&["start"], 0), &["flow-2: started"]);
    project.run(&["exec"], 0);
    assert_eq!(status(&project, "3-mail"), "done # soon");
    // Nothing is left: nothing starts, and that is no failure.
    let ran = project.run(&["start"], 0);
    assert_eq!(ran.stdout, "NO_TASKS_AVAILABLE\n");
    let ran = project.run(&["start", "--format", "json"], 0);
    assert_eq!(ran.stdout, "{\"schema\":\"canonry/workflow-start/v1\",\"status\":\"NO_TASKS_AVAILABLE\"}\n");
    assert!(!project.repo.path("agent/runs/flow-3").exists());
    // A text is still a task, and so is one of a session.
    project.run(&["start", "--task", "By hand"], 0);
    assert_eq!(project.repo.git(&["status", "--porcelain"]), "");
    let log = project.repo.git(&["log", "--format=%s", "--reverse", "-4"]);
    assert_eq!(
        log,
        "tasks: 1-form is in_progress\ntasks: 1-form is done\ntasks: 3-mail is in_progress\ntasks: 3-mail is done"
    );
}

#[test]
fn one_command_runs_all_tasks() {
    let project = project(FLOW, &[("a", ""), ("b", ""), ("c", "")]);
    let ran = project.run(&["exec", "--queue"], 0);
    assert_eq!(["a", "b", "c"].map(|id| status(&project, id)), ["done"; 3]);
    assert!(
        ran.stdout.ends_with("\nNO_TASKS_AVAILABLE\n") && ran.stdout.matches("the workflow is complete").count() == 3,
        "{}",
        ran.stdout
    );
    assert_eq!(project.run(&["exec", "--queue"], 0).stdout, "NO_TASKS_AVAILABLE\n");
    // A task whose run does not complete ends the loop, and waits for a person.
    project.repo.write("agent/tasks/d/task.yaml", "title: D\n");
    project.repo.write("agent/tasks/e/task.yaml", "title: E\n");
    project.repo.commit_all("more");
    project.script("build exit 3\n");
    let ran = project.run(&["exec", "--queue", "flow"], 3);
    assert!(!ran.stdout.contains("NO_TASKS"), "{}", ran.stdout);
    assert_eq!(["d", "e"].map(|id| status(&project, id)), ["in_progress", "none"]);
    // The next call goes on with the open run.
    project.run(&["approve", "--option", "retry"], 0);
    project.script("build print BUILT\n");
    project.run(&["exec", "--queue"], 0);
    assert_eq!(["d", "e"].map(|id| status(&project, id)), ["done"; 2]);
}

#[test]
fn two_runs_never_take_the_same_task() {
    let project = project(FLOW, &[("a", ""), ("b", ""), ("c", ""), ("d", "")]);
    let starts: Vec<_> = (0..6)
        .map(|_| project.command(&["start"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
        .collect();
    let mut empty = 0;
    for start in starts {
        let output = start.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        empty += usize::from(output.stdout == b"NO_TASKS_AVAILABLE\n");
    }
    assert_eq!(empty, 2);
    let runs =
        std::fs::read_dir(project.repo.path("agent/runs")).unwrap().flatten().filter(|entry| entry.path().is_dir());
    let mut taken: Vec<String> = runs
        .map(|run| {
            let journal = std::fs::read_to_string(run.path().join("events.jsonl")).unwrap();
            let first: serde_json::Value = serde_json::from_str(journal.lines().next().unwrap()).unwrap();
            first["task_id"].as_str().unwrap().to_owned()
        })
        .collect();
    taken.sort();
    assert_eq!(taken, ["a", "b", "c", "d"]);
}

/// Another work tree does not have the commit that says who has the task.
#[test]
fn another_work_tree_does_not_take_a_task_again() {
    let project = project(FLOW, &[("a", ""), ("b", "")]);
    let other = project.repo.root.with_file_name("other");
    project.repo.git(&["worktree", "add", "-q", other.to_str().unwrap()]);
    project.run(&["start"], 0);
    let start = |words: &str| {
        let ran: crate::support::repo::Ran = project.command(&["start"]).current_dir(&other).output().unwrap().into();
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        says(&ran, &[words]);
    };
    start("task b");
    start("NO_TASKS_AVAILABLE");
}

#[test]
fn a_workflow_without_a_task_takes_none() {
    let project = project(&FLOW.replace("{{task}}", "x"), &[("a", "")]);
    project.run(&["start"], 0);
    assert_eq!(status(&project, "a"), "none");
    says(&project.run(&["exec", "--queue"], 64), &["`flow` has no prompt with {{task}}"]);
    // Neither does one that has to be named first.
    let project = WorkflowProject::new(FLOW, "");
    says(&project.run(&["start"], 64), &["needs a task", "agent/tasks/<id>/task.yaml"]);
}

#[test]
fn a_default_workflow_need_not_be_named() {
    let project = project(FLOW, &[]);
    project.repo.write("agent/workflows/other.yaml", FLOW.replace("name: flow", "name: other"));
    says(&project.run(&["start", "--task", "x"], 64), &["there are 2 workflows"]);
    project.repo.write("agent/workflows/config.yaml", "default_workflow: other.yaml\n");
    says(&project.run(&["start", "--task", "x"], 0), &["other-1: started"]);
}
