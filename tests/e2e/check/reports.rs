//! A plan against the reports on its steps, from every view.

use super::{json, rules};
use crate::common::repo::Repo;

const PLAN: &str = "agent/plans/login/plan.yaml";
const REPORT: &str = "agent/reports/login/api.1.json";

fn report(outcome: &str) -> String {
    format!(
        r#"{{"step_id": "api", "outcome": "{outcome}", "details": "", "artifacts": [], "timestamp": "2026-05-01T09:30:00Z"}}"#
    )
}

fn with_plan(status: &str) -> Repo {
    let repo = Repo::with_skill();
    repo.write(PLAN, &format!("steps:\n  - {{id: api, owner: Coder, status: {status}, criteria: the tests pass}}\n"));
    repo.write(REPORT, &report("success"));
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "a plan"]);
    repo
}

/// The rules on plans that fire.
fn of_plans(repo: &Repo, args: &[&str]) -> Vec<String> {
    let document = json(repo, args);
    rules(&document).into_iter().filter(|rule| rule.starts_with("plan-")).map(str::to_owned).collect()
}

#[test]
fn a_plan_is_held_against_its_reports_from_every_view() {
    let repo = with_plan("complete");
    assert_eq!(of_plans(&repo, &[]), [""; 0]);
    repo.write(REPORT, &report("failure"));
    let failed = ["plan-complete-failed"];
    assert_eq!(of_plans(&repo, &[]), failed);
    assert_eq!(of_plans(&repo, &[PLAN]), failed);
    assert_eq!((of_plans(&repo, &["--staged"]), of_plans(&repo, &["--rev", "HEAD"])), (Vec::new(), Vec::new()));
    // Only the report is staged: the plan that it contradicts is judged with it.
    repo.git(&["add", "-A"]);
    assert_eq!(of_plans(&repo, &["--staged"]), failed);
    repo.git(&["commit", "-qm", "it failed"]);
    assert_eq!(of_plans(&repo, &["--rev", "HEAD"]), failed);
    let told = repo.run(&["check"]);
    assert!(told.status == 1 && told.stdout.contains(&format!("{REPORT}:1: the report says")), "{}", told.stdout);
}

#[test]
fn a_report_that_is_taken_out_is_missed() {
    let repo = with_plan("complete");
    repo.write("agent/reports/login/other.1.json", &report("success").replace("api", "other"));
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "more"]);
    assert_eq!(of_plans(&repo, &["--staged"]), [""; 0]);
    repo.git(&["rm", "-q", REPORT]);
    assert_eq!(of_plans(&repo, &["--staged"]), ["plan-complete-unreported"]);
}

#[test]
fn a_success_that_the_plan_does_not_know_is_told() {
    assert_eq!(of_plans(&with_plan("pending"), &[]), ["plan-status-behind"]);
    assert_eq!(of_plans(&with_plan("in_progress"), &[]), [""; 0]);
}
