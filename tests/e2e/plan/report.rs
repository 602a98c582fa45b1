//! `canonry run report`

use super::show::valid;
use super::{PLAN, read, repo, report, run};
use crate::support::html::assert_self_contained;
use crate::support::repo::Repo;

const EVIL: &str = "</pre><script>alert(1)</script><img src=http://x/y onerror=z>";

/// A plan with a failed and a successful attempt, and hostile texts.
pub fn reported() -> Repo {
    let repo = Repo::with_skill();
    let text = format!(
        "title: 'T {EVIL}'\nsteps:\n- {{id: a, owner: 'O {EVIL}', description: 'D {EVIL}', criteria: 'C {EVIL}', status: complete}}\n\
         - {{id: b, owner: B, deps: [a], criteria: c, status: complete}}\n"
    );
    repo.write(PLAN, &text);
    attempt(&repo, "a", 1, "failure", 2);
    attempt(&repo, "a", 2, "success", 0);
    attempt(&repo, "b", 3, "success", 0);
    repo
}

/// The same with a step whose only attempt failed.
pub fn failed() -> Repo {
    let repo = reported();
    repo.write(PLAN, read(&repo, PLAN).replace("criteria: c, status: complete", "criteria: c, status: pending"));
    attempt(&repo, "b", 3, "failure", 2);
    repo
}

fn attempt(repo: &Repo, step: &str, number: u32, outcome: &str, exit_status: i32) {
    let text = format!(
        "{{\"step_id\": \"{step}\", \"outcome\": \"{outcome}\", \"details\": \"{EVIL}\", \"error\": \"E {EVIL}\", \
         \"artifacts\": [{{\"file\": \"f\", \"status\": \"created\"}}], \"timestamp\": \"2026-01-0{number}T03:04:05.123456Z\", \
         \"commit\": \"0123456789abcdef0123456789abcdef01234567\", \
         \"commands\": [{{\"command\": \"make test {EVIL}\", \"exit_status\": {exit_status}}}]}}\n"
    );
    repo.write(&format!("agent/reports/login/{step}.{number}.json"), &text);
}

fn verify(repo: &Repo) {
    repo.write(
        "agent/reports/login/verification.json",
        "{\"outcome\": \"success\", \"timestamp\": \"2026-01-09T00:00:00Z\"}\n",
    );
}

#[test]
fn the_page_is_self_contained_and_escapes_every_text() {
    let repo = failed();
    let html = run(&repo, &["report", "--format", "html"], 0).stdout;
    assert_self_contained(&html);
    let escaped = html.matches("src=http://x/y onerror=z&gt;").count();
    assert_eq!(html.to_lowercase().matches("http").count(), escaped + html.matches("http-equiv").count());
    for shown in [
        "First failure: b, attempt 3",
        "<span class=\"part\">2026-01-03T03:04:05Z</span>",
        "<span class=\"part\">commit 0123456789</span>",
        "class=\"timeline\"",
        "<td class=\"failure\">2</td>",
        "stroke=\"#b91c1c\"",
        "prefers-color-scheme: dark",
    ] {
        assert!(html.contains(shown), "{shown}");
    }
    run(&repo, &["report", "--output", "page.html"], 0);
    assert_eq!(read(&repo, "page.html"), html);
    run(&repo, &["report", "--output", "page.html"], 0);
    repo.write("mine.html", "<p>mine</p>\n");
    run(&repo, &["report", "--output", "mine.html"], 5);
    run(&repo, &["report", "--output", "page.txt"], 64);
}

#[test]
fn a_failure_that_was_made_good_is_no_first_failure() {
    let repo = reported();
    let html = run(&repo, &["report", "--format", "html"], 0).stdout;
    assert!(!html.contains("First failure") && !html.contains("stroke=\"#b91c1c\""), "{html}");
    assert!(html.contains("Attempt 1: <span class=\"failure\">failure</span>"), "{html}");
    assert!(!run(&repo, &["report"], 0).stdout.contains("first failure"));
}

#[test]
fn a_page_that_is_not_text_is_not_replaced() {
    let repo = reported();
    verify(&repo);
    let page = "agent/reports/login/report.md";
    repo.write(page, b"# Mine\n\xff\n");
    let ran = run(&repo, &["report", "--write"], 0);
    assert_eq!(ran.stdout.matches("wrote ").count(), 1, "{}", ran.stdout);
    assert_eq!(std::fs::read(repo.path(page)).unwrap(), b"# Mine\n\xff\n");
}

#[test]
fn a_report_is_stored_only_after_a_verification() {
    let repo = reported();
    let refused = |says: &str| {
        let ran = run(&repo, &["report", "--write"], 5);
        assert!(ran.stderr.contains(says), "{}", ran.stderr);
        assert!(!repo.path("agent/reports/login/combined.json").exists());
    };
    refused("has no verification");
    repo.write(
        "agent/reports/login/verification.json",
        "{\"outcome\": \"success\", \"timestamp\": \"2026-01-01T00:00:00Z\"}\n",
    );
    refused("older than the last report");
    repo.write("agent/reports/login/verification.json", "{\"outcome\": \"failure\"}\n");
    refused("does not hold");
    verify(&repo);
    let ran = run(&repo, &["report", "--write"], 0);
    assert_eq!(ran.stdout.matches("wrote ").count(), 2, "{}", ran.stdout);
    assert_eq!(run(&repo, &["report", "--write"], 0).stdout.matches("wrote ").count(), 0);
    let document = valid(&repo, "run-report.schema.json", &["report"], 0);
    assert_eq!((&document["name"], &document["outcome"]), (&"login".into(), &"success".into()));
    let attempts: Vec<_> =
        document["reports"].as_array().unwrap().iter().map(|one| one["attempt"].as_u64().unwrap()).collect();
    assert_eq!(attempts, [1, 2, 3]);
    assert_eq!(read(&repo, "agent/reports/login/combined.json"), run(&repo, &["report", "--format", "json"], 0).stdout);
    let page = read(&repo, "agent/reports/login/report.md");
    assert!(page.contains("Outcome: **success**"), "{page}");
    // Commands are code. Everything else is escaped.
    let prose: String = page.split('`').step_by(2).collect();
    assert!(!prose.replace("\\<", "").contains("<script"), "{prose}");
    // A page that a person wrote stays.
    repo.write("agent/reports/login/report.md", "# Mine\n\nDone.\n");
    assert!(run(&repo, &["report", "--write"], 0).stdout.contains("kept"));
    assert_eq!(read(&repo, "agent/reports/login/report.md"), "# Mine\n\nDone.\n");
    // A step that only the stored report knows is not lost, and no attempt counts twice.
    std::fs::remove_file(repo.path("agent/reports/login/b.3.json")).unwrap();
    let reports = valid(&repo, "run-report.schema.json", &["report"], 0)["reports"].clone();
    let again: Vec<_> = reports.as_array().unwrap().iter().map(|one| (&one["step_id"], &one["details"])).collect();
    let a = "a".into();
    let b = "b".into();
    let details = EVIL.into();
    assert_eq!(again, [(&a, &details), (&a, &details), (&b, &details)]);
}

#[test]
fn an_unfinished_plan_is_reported_but_not_stored() {
    let repo = repo();
    report(&repo, "schema", 1, "failure");
    let text = run(&repo, &["report"], 0).stdout;
    assert!(text.starts_with("login: failure; 0 of 4 steps complete, 1 attempt\n"), "{text}");
    assert!(text.contains("first failure: schema, attempt 1 (failure)\n"), "{text}");
    verify(&repo);
    assert!(run(&repo, &["report", "--write"], 5).stderr.contains("`schema` is pending"));
    assert_eq!(valid(&repo, "run-report.schema.json", &["report"], 0)["outcome"], "failure");
}

#[test]
fn a_log_is_followed_until_the_plan_is_complete() {
    use super::run::{SHARED, behave, project, wait_for};
    let plan = "steps:\n  - {id: a, owner: A, criteria: c}\n  - {id: b, owner: A, deps: [a], criteria: c}\n";
    let repo = project(plan, SHARED);
    behave(&repo, "a", "failure 'it does not compile'\nsuccess\n");
    behave(&repo, "b", "while [ ! -e behaviour/go ]; do sleep 0.05; done; success\n");
    let ran = run(&repo, &["log"], 0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", "build: nothing is reported yet\n"));
    let start = |args: &[&str]| {
        let file = std::fs::File::create(repo.tmp().join(args[0])).unwrap();
        repo.canonry_command().arg("run").args(args).stdout(file).stderr(std::process::Stdio::null()).spawn().unwrap()
    };
    let mut log = start(&["log", "--follow"]);
    let mut exec = start(&["exec"]);
    let shown = || std::fs::read_to_string(repo.tmp().join("log")).unwrap();
    wait_for(|| shown().lines().count() == 2);
    assert!(log.try_wait().unwrap().is_none());
    repo.write("behaviour/go", "");
    assert!(exec.wait().unwrap().success() && log.wait().unwrap().success());
    let lines: Vec<String> = shown().lines().map(|line| line.split_once("Z ").unwrap().1.to_owned()).collect();
    assert_eq!(
        lines,
        [
            "a: attempt 1 by A, failure: it does not compile",
            "a: attempt 2 by A, success: did a",
            "b: attempt 1 by A, success: did b"
        ]
    );
}
