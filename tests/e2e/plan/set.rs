//! `canonry run set`

use super::{PLAN, TEXT, read, repo, report, run};
use crate::support::repo::Repo;
use serde_json::Value;
use std::process::Stdio;

#[test]
fn a_commented_plan_changes_in_one_line() {
    let repo = repo();
    let ran = run(&repo, &["set", "schema", "in_progress"], 0);
    assert_eq!(ran.stdout, "schema: pending -> in_progress in agent/plans/login/plan.yaml\n");
    assert_eq!(read(&repo, PLAN), TEXT.replacen("status: pending", "status: in_progress", 1));
    report(&repo, "schema", 1, "success");
    run(&repo, &["set", "login", "schema", "complete"], 0);
    run(&repo, &["set", "login", "api", "in_progress"], 0);
    let complete = TEXT.replacen("status: pending", "status: complete", 1);
    assert_eq!(read(&repo, PLAN), complete.replace("  - id: api\n", "  - id: api\n    status: in_progress\n"));
}

#[test]
fn line_ends_and_the_byte_order_mark_stay() {
    let repo = Repo::with_skill();
    let text = format!("\u{feff}{}", TEXT.replace('\n', "\r\n"));
    repo.write(PLAN, &text);
    run(&repo, &["set", "schema", "in_progress"], 0);
    assert_eq!(read(&repo, PLAN), text.replacen("status: pending", "status: in_progress", 1));
}

#[test]
fn json_plans_and_numeric_ids_work() {
    let repo = Repo::with_skill();
    let text = "{\"steps\": [\n  {\"id\": 1, \"owner\": \"A\", \"criteria\": \"c\"},\n  {\"id\": 2, \"owner\": \"A\", \"deps\": [1], \"criteria\": \"c\"}\n]}\n";
    repo.write("agent/plans/login/plan.json", text);
    run(&repo, &["set", "2", "in_progress"], 5);
    run(&repo, &["set", "1", "in_progress"], 0);
    report(&repo, "1", 1, "success");
    run(&repo, &["set", "1", "complete"], 0);
    run(&repo, &["set", "2", "in_progress"], 0);
    let now = text.replace("\"id\": 1,", "\"id\": 1, \"status\": \"complete\",");
    let now = now.replace("\"id\": 2,", "\"id\": 2, \"status\": \"in_progress\",");
    assert_eq!(read(&repo, "agent/plans/login/plan.json"), now);
}

#[test]
fn other_transitions_are_refused() {
    let repo = repo();
    for (args, says) in [
        (&["set", "schema", "pending"][..], "`schema` is already pending"),
        (&["set", "schema", "complete"], "`schema` is pending and cannot become complete"),
        (&["set", "docs", "in_progress"], "`docs` cannot start: `api` is not complete (and 1 more)"),
    ] {
        let ran = run(&repo, args, 5);
        assert!(ran.stderr.contains(says), "{}", ran.stderr);
        assert_eq!(read(&repo, PLAN), TEXT);
    }
    assert!(run(&repo, &["set", "schema", "done"], 64).stderr.contains("valid statuses are pending"));
    assert!(run(&repo, &["set", "schem", "blocked"], 65).stderr.contains("did you mean `schema`?"));
    run(&repo, &["set", "schema", "in_progress"], 0);
    run(&repo, &["set", "schema", "blocked"], 0);
    assert!(run(&repo, &["set", "schema", "pending"], 5).stderr.contains("add `--reason TEXT`"));
    assert!(run(&repo, &["set", "schema", "pending", "--reason", " "], 5).stderr.contains("a reason is required"));
}

#[test]
fn completion_needs_a_report_on_the_last_attempt() {
    let repo = repo();
    run(&repo, &["set", "schema", "in_progress"], 0);
    let refused = |says: &str| {
        let ran = run(&repo, &["set", "schema", "complete"], 5);
        assert!(ran.stderr.contains(says), "{}", ran.stderr);
    };
    refused("has no report");
    report(&repo, "schema", 1, "failure");
    refused("failed in its last attempt");
    report(&repo, "schema", 2, "success");
    repo.write("agent/reports/login/schema.3.json", "{}\n");
    refused("has no valid report on its last attempt");
    refused("agent/reports/login/schema.4.json");
    std::fs::remove_file(repo.path("agent/reports/login/schema.3.json")).unwrap();
    run(&repo, &["set", "schema", "complete"], 0);
}

#[test]
fn a_reason_is_recorded_and_an_earlier_success_no_longer_counts() {
    let repo = repo();
    run(&repo, &["set", "schema", "in_progress"], 0);
    report(&repo, "schema", 1, "success");
    run(&repo, &["set", "schema", "complete"], 0);
    let ran = run(&repo, &["set", "schema", "pending", "--reason", "the index is missing"], 0);
    assert!(ran.stdout.contains("recorded the reason in agent/reports/login/schema.2.json"), "{}", ran.stdout);
    assert_eq!(read(&repo, PLAN), TEXT);
    let report: Value = serde_json::from_str(&read(&repo, "agent/reports/login/schema.2.json")).unwrap();
    assert_eq!((&report["outcome"], &report["details"]), (&"failure".into(), &"Reopened: the index is missing".into()));
    assert_eq!(repo.canonry(&["check", "agent/plans", "agent/reports"]).status, 0);
    run(&repo, &["set", "schema", "in_progress"], 0);
    run(&repo, &["set", "schema", "complete"], 5);
    run(&repo, &["set", "schema", "blocked"], 0);
    run(&repo, &["set", "schema", "pending", "--reason", "the server is back"], 0);
    let report: Value = serde_json::from_str(&read(&repo, "agent/reports/login/schema.3.json")).unwrap();
    assert_eq!(report["details"], "Unblocked: the server is back");
}

#[test]
fn an_id_cannot_lead_out_of_the_reports() {
    let repo = Repo::with_skill();
    let text = "steps: [{id: ../../../x, owner: A, criteria: c, status: blocked}]\n";
    repo.write(PLAN, text);
    let ran = run(&repo, &["set", "../../../x", "pending", "--reason", "r"], 5);
    assert!(ran.stderr.contains("the reason cannot be recorded"), "{}", ran.stderr);
    assert_eq!(read(&repo, PLAN), text);
    assert!(!repo.path("x.1.json").exists() && !repo.path("agent/reports").exists());
}

#[test]
fn linked_reports_are_not_written_to() {
    let repo = Repo::with_skill();
    let text = "steps: [{id: a, owner: A, criteria: c, status: blocked}]\n";
    repo.write(PLAN, text);
    std::os::unix::fs::symlink(repo.tmp(), repo.path("agent/reports")).unwrap();
    let ran = run(&repo, &["set", "a", "pending", "--reason", "r"], 5);
    assert!(ran.stderr.contains("symbolic link"), "{}", ran.stderr);
    assert_eq!((read(&repo, PLAN), repo.tmp().join("login").exists()), (text.to_owned(), false));
}

#[test]
fn one_of_many_rivals_starts_a_step() {
    for _ in 0..3 {
        let repo = repo();
        let start = || {
            let mut command = repo.canonry_command();
            command.args(["run", "set", "schema", "in_progress"]);
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let rivals: Vec<_> = (0..16).map(|_| start()).collect();
        let statuses: Vec<i32> = rivals.into_iter().map(|mut rival| rival.wait().unwrap().code().unwrap()).collect();
        assert_eq!(statuses.iter().filter(|status| **status == 0).count(), 1, "{statuses:?}");
        assert!(statuses.iter().all(|status| [0, 4, 5].contains(status)), "{statuses:?}");
    }
}

#[test]
fn a_remedial_step_is_inserted_before_a_step_that_failed() {
    let repo = repo();
    run(&repo, &["set", "schema", "in_progress"], 0);
    run(&repo, &["set", "schema", "blocked"], 0);
    run(&repo, &["set", "schema", "pending", "--remedy", "fix"], 64);
    run(&repo, &["set", "schema", "pending", "--reason", "no database", "--remedy", "api"], 5);
    run(&repo, &["set", "schema", "pending", "--reason", "no database", "--remedy", "fix"], 0);
    let next = run(&repo, &["next"], 0).stdout;
    assert!(next.starts_with("fix  Backend-Agent\n  no database\n"), "{next}");
    let shown = run(&repo, &["show"], 0).stdout;
    assert!(shown.contains("waits for fix"), "{shown}");
    assert!(read(&repo, PLAN).contains("status: pending  # not started"), "comments stay");
    assert_eq!(repo.canonry(&["check"]).status, 0);
}
