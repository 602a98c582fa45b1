//! Consistency of a plan with the reports on its steps, in every view.

use super::{json, rules};
use crate::support::repo::Repo;

const PLAN: &str = "agent/plans/login/plan.yaml";
const REPORT: &str = "agent/reports/login/api.1.json";

fn report(outcome: &str) -> String {
    format!(
        r#"{{"step_id": "api", "outcome": "{outcome}", "details": "", "artifacts": [], "timestamp": "2026-05-01T09:30:00Z"}}"#
    )
}

fn with_plan(status: &str) -> Repo {
    let repo = Repo::with_skill();
    repo.write(PLAN, format!("steps:\n  - {{id: api, owner: Coder, status: {status}, criteria: the tests pass}}\n"));
    repo.write(REPORT, report("success"));
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "a plan"]);
    repo
}

/// The ids of the reported plan rules.
fn plan_findings(repo: &Repo, args: &[&str]) -> Vec<String> {
    let document = json(repo, args);
    rules(&document).into_iter().filter(|rule| rule.starts_with("plan-")).map(str::to_owned).collect()
}

#[test]
fn a_plan_is_compared_with_its_reports_in_every_view() {
    let repo = with_plan("complete");
    assert_eq!(plan_findings(&repo, &[]), [""; 0]);
    repo.write(REPORT, report("failure"));
    let failed = ["plan-status-contradicted"];
    assert_eq!(plan_findings(&repo, &[]), failed);
    assert_eq!(plan_findings(&repo, &[PLAN]), failed);
    assert_eq!(
        (plan_findings(&repo, &["--staged"]), plan_findings(&repo, &["--rev", "HEAD"])),
        (Vec::new(), Vec::new())
    );
    // Only the report is staged: the plan that it contradicts is checked too.
    repo.git(&["add", "-A"]);
    assert_eq!(plan_findings(&repo, &["--staged"]), failed);
    repo.git(&["commit", "-qm", "it failed"]);
    assert_eq!(plan_findings(&repo, &["--rev", "HEAD"]), failed);
    let ran = repo.canonry(&["check"]);
    assert!(ran.status == 1 && ran.stdout.contains(&format!("{REPORT}:1: the report says")), "{}", ran.stdout);
}

#[test]
fn a_removed_report_of_a_complete_step_is_reported() {
    let repo = with_plan("complete");
    repo.write("agent/reports/login/other.1.json", report("success").replace("api", "other"));
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "more"]);
    assert_eq!(plan_findings(&repo, &["--staged"]), [""; 0]);
    repo.git(&["rm", "-q", REPORT]);
    assert_eq!(plan_findings(&repo, &["--staged"]), ["plan-status-contradicted"]);
}

#[test]
fn a_success_report_for_a_pending_step_is_reported() {
    assert_eq!(plan_findings(&with_plan("pending"), &[]), ["plan-status-contradicted"]);
    assert_eq!(plan_findings(&with_plan("in_progress"), &[]), [""; 0]);
}
