//! `canonry run new` and `canonry run check`

use super::{read, report, run};
use crate::support::repo::Repo;

const INTAKE: &str = "agent/plans/rate-limit/intake.md";
const PLAN: &str = "agent/plans/rate-limit/plan.yaml";

/// A closed intake with two criteria, one of them hostile.
const CLOSED: &str = "# Intake: rate-limit\n\n## In our own words\n\nA client cannot fill the disk. It is told why.\n\n\
                      ## Acceptance criteria\n\n1. A body over 10 MB is refused.\n2. \"Old\" clients: still #work\\\n\n## Open questions\n\nNone.\n";

#[test]
fn a_plan_begins_with_an_intake_and_gets_a_step_per_criterion() {
    let repo = Repo::with_skill();
    let first = run(&repo, &["new", "rate-limit"], 0).stdout;
    assert!(first.contains(INTAKE) && first.contains("again"), "{first}");
    let skeleton = read(&repo, INTAKE);
    let ran = run(&repo, &["new", "rate-limit"], 5);
    assert!(ran.stderr.contains("nothing is filled in"), "{}", ran.stderr);
    repo.write(INTAKE, CLOSED.replace("None.", "- Which limit?"));
    assert!(run(&repo, &["new", "rate-limit"], 5).stderr.contains("open question: Which limit?"));
    repo.write(INTAKE, CLOSED);
    run(&repo, &["new", "rate-limit", "--from-intake"], 0);
    let text = read(&repo, PLAN);
    assert_eq!(text.matches("  - id: ").count(), 2, "{text}");
    assert!(text.contains("id: a-body-over-10-mb-is\n") && text.contains("id: old-clients-still-work\n"), "{text}");
    // Nothing is left but what a person must fill in.
    assert_eq!(repo.canonry(&["check", "agent/plans"]).status, 0);
    assert!(run(&repo, &["check"], 0).stdout.ends_with("name the owner of `a-body-over-10-mb-is`\n"));
    let ran = run(&repo, &["new", "rate-limit"], 5);
    assert!(ran.stderr.contains("plan.yaml exists"), "{}", ran.stderr);
    assert_eq!((read(&repo, PLAN), read(&repo, INTAKE)), (text, CLOSED.to_owned()));
    assert!(skeleton.contains("## Acceptance criteria\n"));
}

#[test]
fn a_template_is_copied_with_every_step_pending() {
    let repo = super::repo();
    run(&repo, &["set", "schema", "in_progress"], 0);
    run(&repo, &["new", "again", "--template", "login"], 0);
    assert_eq!(read(&repo, "agent/plans/again/plan.yaml"), super::TEXT);
    assert!(read(&repo, "agent/plans/again/intake.md").starts_with("# Intake: again\n"));
    repo.write(
        "templates/t.json",
        "{\"steps\": [{\"id\": \"a\", \"owner\": \"A\", \"status\": \"complete\", \"criteria\": \"c\"}]}\n",
    );
    run(&repo, &["new", "third", "--template", "templates/t.json"], 0);
    assert!(read(&repo, "agent/plans/third/plan.json").contains("\"status\": \"pending\""));
    for (template, status) in [("nothing", 65), ("../../etc/passwd", 65), ("agent/skills/release-notes/SKILL.md", 65)] {
        run(&repo, &["new", "fourth", "--template", template], status);
        assert!(!repo.path("agent/plans/fourth").exists(), "{template}");
    }
}

#[test]
fn ids_and_links_cannot_lead_out_of_the_plans() {
    let repo = Repo::with_skill();
    for id in ["../x", "a/b", "A", ".", ""] {
        assert!(run(&repo, &["new", id], 64).stderr.contains("lower-case words with hyphens"));
    }
    run(&repo, &["new", "x", "--from-intake"], 5);
    std::os::unix::fs::symlink(repo.tmp(), repo.path("agent/plans")).unwrap();
    run(&repo, &["new", "x"], 5);
    assert!(!repo.tmp().join("x").exists());
}

#[test]
fn each_phase_opens_when_the_artifact_before_it_is_valid() {
    let repo = Repo::with_skill();
    assert!(run(&repo, &["next"], 65).stderr.contains("canonry run new ID"));
    // An empty page is a finding as well.
    let phase = |says: &str| {
        let ran = repo.canonry(&["run", "check", "login"]);
        assert_eq!(ran.status, i32::from(says.contains("empty")), "{says}:\n{}", ran.stdout);
        assert!(ran.stdout.contains(says), "{says}:\n{}", ran.stdout);
    };
    repo.write("agent/plans/login/intake.md", "# Intake\n\n<!-- hint -->\n");
    phase("phase Intake: agent/plans/login/intake.md is empty");
    repo.write("agent/plans/login/intake.md", CLOSED);
    phase("phase Plan: agent/plans/login/plan.yaml does not exist");
    let plan = "steps: [{id: a, owner: A, criteria: c}]\n";
    repo.write(super::PLAN, plan);
    phase("phase Execute: step `a` is not complete");
    repo.write(super::PLAN, plan.replace("criteria", "status: complete, criteria"));
    report(&repo, "a", 1, "success");
    phase("phase Verify: agent/reports/login/verification.md does not exist");
    let verification = |text: &str| repo.write("agent/reports/login/verification.md", text);
    verification("# Verification: login\n");
    phase("phase Verify: agent/reports/login/verification.md is not ready: it is empty");
    verification("# Verification\n\nVerdict: holds / does not hold.\n");
    phase("its verdict is not decided");
    verification("# Verification\n\n2025-01-01, by Ann.\n\nVerdict: holds.\n");
    phase("it is older than the last report");
    verification("# Verification\n\n2026-01-02, by Ann.\n\nVerdict: holds.\n");
    phase("phase Report: agent/reports/login/combined.json does not exist");
    repo.write("agent/reports/login/report.md", "# Report: login\n\n<the answer>\n\n## Criteria\n");
    phase("phase Report: agent/reports/login/report.md is empty");
    run(&repo, &["report", "--write"], 0);
    phase("login: phase Report: closed");
    report(&repo, "a", 2, "success");
    phase("phase Report: agent/reports/login/combined.json is not ready: it is out of date");
    // Findings decide the status, in every format.
    repo.write(super::PLAN, "steps: [{id: a, owner: A, criteria: c, deps: [b]}]\n");
    let ran = run(&repo, &["check", "--format", "json"], 1);
    assert!(ran.stdout.contains("plan-unknown-dep") && ran.stderr.contains("phase Plan"), "{}", ran.stderr);
}
