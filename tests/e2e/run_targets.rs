//! `canonry run`: which plan, workflow or run a command means, and what each of them refuses.

use crate::plan::show::assert_valid;
use crate::support::repo::{Ran, Repo};

const PLAN: &str = "steps:
  - {id: draft, owner: A, criteria: c, commands: [\"Run: test -s draft.md\"], files: [draft.md]}
  - {id: review, owner: B, deps: [draft], criteria: c, commands: [\"Run: true\"], files: [review.md]}
";
const FLOW: &str = "name: flow
steps:
  - {name: write, agent: A, prompt: \"{{task}}\", next: confirm}
  - {name: confirm, human: Is it good?, end: true}
";

fn repo(files: &[(&str, &str)]) -> Repo {
    let repo = Repo::with_skill();
    files.iter().for_each(|(path, text)| repo.write(path, text));
    repo.commit_all("files");
    repo
}

fn plan_and_flow() -> Repo {
    repo(&[("agent/plans/login/plan.yaml", PLAN), ("agent/workflows/flow.yaml", FLOW)])
}

#[track_caller]
fn run(repo: &Repo, args: &[&str]) -> Ran {
    repo.canonry(&[&["run"], args].concat())
}

#[test]
fn a_target_is_a_name_a_file_a_folder_or_an_id() {
    let repo = plan_and_flow();
    for plan in ["login", "agent/plans/login", "agent/plans/login/plan.yaml", "./agent/plans/login/"] {
        run(&repo, &["show", plan]).expect(0).says(&["login  agent/plans/login/plan.yaml", "draft"]);
    }
    for workflow in ["flow", "flow.yaml", "agent/workflows/flow.yaml", "./agent/workflows/flow.yaml"] {
        run(&repo, &["show", workflow]).expect(0).says(&["flow  agent/workflows/flow.yaml", "confirm"]);
    }
    run(&repo, &["start", "flow", "--task", "t"]).expect(0);
    for target in ["flow-1", "agent/runs/flow-1", "flow"] {
        run(&repo, &["log", target]).expect(0).says(&["run flow-1 of flow starts: t"]);
    }
    let inside = repo.canonry_in(&repo.path("agent/plans"), &["run", "show", "login"]);
    inside.expect(0).says(&["draft"]);
    let unknown = run(&repo, &["show", "logon"]).expect(65);
    unknown.says(&["there is no plan, workflow or run `logon`", "did you mean `login`?"]);
    run(&repo, &["show", "x/y"]).expect(65).says(&["the plans are login; the workflows are flow; the runs are flow-1"]);
}

#[test]
fn a_shared_name_needs_a_path() {
    let repo = repo(&[("agent/plans/flow/plan.yaml", PLAN), ("agent/workflows/flow.yaml", FLOW)]);
    for args in [&["show", "flow"][..], &["exec", "flow"], &["check", "flow"], &["status", "flow"], &["start", "flow"]]
    {
        run(&repo, args).expect(64).says(&["agent/plans/flow/plan.yaml", "agent/workflows/flow.yaml", "name its path"]);
    }
    run(&repo, &["show", "agent/plans/flow"]).expect(0).says(&["draft"]);
    run(&repo, &["show", "agent/workflows/flow.yaml"]).expect(0).says(&["confirm  person"]);
    run(&repo, &["claim", "agent/plans/flow", "draft"]).expect(0);
}

#[test]
fn the_target_is_optional_where_only_one_thing_can_be_meant() {
    let repo = plan_and_flow();
    run(&repo, &["next"]).expect(0).says(&["draft  A"]);
    run(&repo, &["start", "flow", "--task", "t"]).expect(0);
    let ran = run(&repo, &["next"]).expect(64);
    ran.says(&["1 plan and 1 open run could be meant: name one", "the plans are login; the runs are flow-1"]);
    // A complete plan is not meant.
    repo.write("agent/plans/login/plan.yaml", PLAN.replace("criteria", "status: complete, criteria"));
    run(&repo, &["show"]).expect(0).says(&["flow-1", "confirm  person"]);
    run(&repo, &["abort"]).expect(0).says(&["flow-1: aborted"]);
    run(&repo, &["show"]).expect(0).says(&["2 complete"]);
    repo.remove("agent/plans/login/plan.yaml");
    run(&repo, &["log"]).expect(0).says(&["run aborted"]);
}

#[test]
fn a_single_word_is_a_target_or_a_step_but_never_both() {
    let repo = plan_and_flow();
    run(&repo, &["set", "draft", "in_progress"]).expect(0);
    run(&repo, &["finish", "login"]).expect(64).says(&["name a step of the plan `login`"]);
    run(&repo, &["finish", "nothing", "--details", "d"]).expect(65).says(&["the plan has no step `nothing`"]);
    repo.write("agent/workflows/draft.yaml", FLOW);
    for args in [&["finish", "draft"][..], &["exec", "draft"], &["approve", "draft"], &["claim", "draft"]] {
        let ran = run(&repo, args).expect(64);
        ran.says(&["`draft` is a workflow and a step of the plan `login`", "name both: `login draft`"]);
    }
    run(&repo, &["finish", "login", "draft", "--failed", "no idea"]).expect(0);
}

#[test]
fn commands_for_plans_name_the_command_for_workflows() {
    let repo = plan_and_flow();
    run(&repo, &["start", "flow", "--task", "t"]).expect(0);
    for (args, status, says) in [
        (&["claim", "flow", "write"][..], 5, "canonry run next flow"),
        (&["claim", "flow-1"], 5, "canonry run next flow-1"),
        (&["release", "flow", "write"], 5, "canonry run next flow --take-over"),
        (&["set", "flow", "write", "complete"], 5, "canonry run finish flow"),
        (&["verify", "flow"], 5, "canonry run report flow"),
        (&["export", "flow", "--to", "json"], 5, "canonry run report flow"),
        (&["abort", "login"], 5, "canonry run reject login STEP"),
        (&["start", "login"], 64, "canonry run exec login"),
        (&["start", "flow-1"], 64, "canonry run exec flow-1"),
        (&["next", "flow", "--claim"], 64, "`--claim` is an option for plans"),
        (&["next", "login", "--take-over"], 64, "`--take-over` is an option for workflows"),
        (&["exec", "login", "--once"], 64, "`--once` is an option for workflows"),
        (&["exec", "login", "--task", "t"], 64, "`--task` is an option for workflows"),
        (&["exec", "flow", "--fail-fast"], 64, "`--fail-fast` is an option for plans"),
        (&["exec", "flow", "write"], 64, "`STEP` is an option for plans"),
        (&["finish", "flow", "--blocked", "b"], 64, "`--blocked` is an option for plans"),
        (&["finish", "login", "draft", "--task", "1"], 64, "`--task` is an option for workflows"),
        (&["approve", "login", "draft", "--option", "x"], 64, "`--option` is an option for workflows"),
        (&["approve", "login", "draft"], 64, "`--reason TEXT` is required"),
        (&["reject", "login", "draft"], 64, "--reason"),
        (&["exec", "flow", "--task", "again"], 64, "canonry run exec flow-1"),
    ] {
        run(&repo, args).expect(status).says(&[says]);
    }
}

#[test]
fn exec_starts_a_workflow_that_has_a_task() {
    let repo = repo(&[("agent/workflows/flow.yaml", FLOW)]);
    repo.write("agent/owners.yaml", "default: {argv: [sh, -c, 'cat >/dev/null; echo Done.'], timeout: 20s}\n");
    run(&repo, &["exec", "flow"]).expect(65).says(&["the workflow `flow` has no run", "canonry run start flow --task"]);
    run(&repo, &["exec", "flow", "--task", "Write"]).expect(3).says(&["flow-1: started", "confirm waits for a person"]);
    // The rejection repeats the step, and its prompt has the reason.
    run(&repo, &["reject", "flow", "--reason", "too short"]).expect(0).says(&["decided `reject`"]);
    run(&repo, &["exec"]).expect(3);
    assert!(repo.text("agent/runs/flow-1/tasks/2.prompt.md").contains("too short"));
    run(&repo, &["approve", "confirm"]).expect(0);
    run(&repo, &["exec", "flow"]).expect(0).says(&["complete"]);
    run(&repo, &["exec", "flow"]).expect(0);
    assert!(!repo.exists("agent/runs/flow-2"));
}

#[test]
fn a_rejected_step_is_blocked_with_the_reason() {
    let repo = plan_and_flow();
    run(&repo, &["reject", "draft", "--reason", "not now"]).expect(0).says(&["draft: pending -> blocked"]);
    run(&repo, &["status", "login"])
        .expect(0)
        .says(&["draft: blocked: not now", "canonry run set login draft pending"]);
}

#[test]
fn the_status_lists_what_is_open_with_the_next_command() {
    let repo = plan_and_flow();
    run(&repo, &["start", "flow", "--task", "t"]).expect(0);
    let all = run(&repo, &["status"]).expect(0);
    let lines: Vec<&str> = all.stdout.lines().collect();
    assert_eq!(lines[0], "login: 0 of 2 steps complete, 1 ready; next: `canonry run exec login`");
    assert!(lines[1].starts_with("flow-1: ready to continue"), "{}", lines[1]);
    assert!(lines[1].ends_with("next: `canonry run exec flow-1`"), "{}", lines[1]);
    repo.write("agent/plans/broken/plan.yaml", "steps: [\n");
    let ran = run(&repo, &["status", "--format", "json"]).expect(0);
    let document = serde_json::from_str(&ran.stdout).unwrap();
    assert_valid("run-status.schema.json", &document);
    assert_eq!(document["runs"][0]["next"], "canonry run check broken");
    repo.remove("agent/plans/broken");
    run(&repo, &["abort", "flow"]).expect(0);
    repo.write("agent/plans/login/plan.yaml", PLAN.replace("criteria", "status: complete, criteria"));
    run(&repo, &["status"]).expect(0).says(&["no plan or run is open"]);
    run(&repo, &["status", "--all"]).expect(0).says(&["login: 2 of 2", "canonry run check login", "flow-1: aborted"]);
}

#[test]
fn the_log_of_a_plan_has_a_line_per_attempt_oldest_first() {
    let repo = plan_and_flow();
    run(&repo, &["log", "login"]).expect(0).says(&["login: nothing is reported yet"]);
    let report = |name: &str, step: &str, outcome: &str, minute: u32| {
        let text = format!(
            "{{\"step_id\": \"{step}\", \"outcome\": \"{outcome}\", \"owner\": \"A\", \"details\": \"First.\\nSecond.\", \"error\": \"broken\", \
             \"artifacts\": [], \"timestamp\": \"2026-01-02T03:0{minute}:05Z\"}}\n"
        );
        repo.write(&format!("agent/reports/login/{name}.json"), text);
    };
    report("draft.2", "draft", "success", 2);
    report("draft.1", "draft", "failure", 1);
    let text = run(&repo, &["log", "login"]).expect(0).stdout;
    assert_eq!(
        text,
        "2026-01-02T03:01:05Z draft: attempt 1 by A, failure: broken\n2026-01-02T03:02:05Z draft: attempt 2 by A, success: First.\n"
    );
    let lines = run(&repo, &["log", "login", "--format", "json"]).expect(0).stdout;
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((&first["step"], &first["attempt"], &first["outcome"]), (&"draft".into(), &1.into(), &"failure".into()));
    assert_valid("plan-log.schema.json", &first);
}

#[test]
fn a_check_without_a_target_checks_everything() {
    let repo = plan_and_flow();
    run(&repo, &["check"]).expect(0).says(&["login: phase Intake"]);
    repo.write("agent/workflows/flow.yaml", FLOW.replace("next: confirm", "next: nowhere"));
    run(&repo, &["check"]).expect(1).says(&["nowhere", "login: phase"]);
    run(&repo, &["check", "login"]).expect(0).says_nothing_of(&["nowhere"]);
    run(&repo, &["check", "flow"]).expect(1).says(&["nowhere"]).says_nothing_of(&["login"]);
}

#[test]
fn the_help_groups_the_commands() {
    let repo = Repo::empty();
    insta::assert_snapshot!("run_help", run(&repo, &["--help"]).expect(0).stdout);
}
