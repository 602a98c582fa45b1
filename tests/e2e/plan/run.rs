//! `canonry run exec` of plans

use super::show::assert_valid;
use super::{read, run};
use crate::support::repo::{Ran, Repo};
use serde_json::Value;
use std::time::{Duration, Instant};

const PLAN: &str = "agent/plans/build/plan.yaml";

/// The worker of the tests: a shell script that does what the file `behaviour/<step>` says, a line per attempt.
const AGENT: &str = r#"#!/bin/sh
cat >/dev/null
top=$(dirname "$0")
line=$(sed -n "${CANONRY_ATTEMPT}p" "$top/../behaviour/$CANONRY_STEP" 2>/dev/null)
[ -n "$line" ] || line="write out/$CANONRY_STEP; success"
echo "working on $CANONRY_STEP"
report() {
    printf '{"step_id": "%s", "outcome": "%s", "details": "%s", "error": "%s", "artifacts": [], "timestamp": "2026-01-02T03:04:05Z"}\n' \
        "$CANONRY_STEP" "$1" "did $CANONRY_STEP" "$2"
}
write() { mkdir -p "$(dirname "$1")"; echo "$CANONRY_STEP" >>"$1"; }
success() { report success "" >"$CANONRY_REPORT"; }
failure() { report failure "$1" >"$CANONRY_REPORT"; }
blocked() { report blocked "$1" >"$CANONRY_REPORT"; }
printed() { report success ""; }
limit() { echo '{"type":"result","subtype":"success","is_error":true,"result":"Claude AI usage limit reached|'$(($(date +%s) + 86400))'"}'; exit 1; }
hang() { sleep 60 & wait; }
eval "$line"
"#;

/// A repository with a worker and a plan; `owners` is the text of `owners.yaml`.
pub fn project(plan: &str, owners: &str) -> Repo {
    let repo = Repo::with_skill();
    repo.write("tools/agent.sh", AGENT);
    repo.write("agent/owners.yaml", owners.replace("AGENT", &repo.path("tools/agent.sh").display().to_string()));
    repo.write(PLAN, plan);
    repo.write(".gitignore", "behaviour/\n");
    commit(&repo);
    repo
}

pub fn commit(repo: &Repo) {
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-q", "--allow-empty", "-m", "state"]);
}

pub fn behave(repo: &Repo, step: &str, lines: &str) {
    repo.write(&format!("behaviour/{step}"), lines);
}

pub fn report(repo: &Repo, step: &str, attempt: u32) -> Value {
    serde_json::from_str(&read(repo, &format!("agent/reports/build/{step}.{attempt}.json"))).unwrap()
}

pub fn statuses(repo: &Repo) -> Vec<(String, String)> {
    let shown: Value = serde_json::from_str(&run(repo, &["show", "build", "--format", "json"], 0).stdout).unwrap();
    let text = |step: &Value, key: &str| step[key].as_str().unwrap().to_owned();
    shown["steps"].as_array().unwrap().iter().map(|step| (text(step, "id"), text(step, "status"))).collect()
}

pub fn status(repo: &Repo, step: &str) -> String {
    statuses(repo).into_iter().find(|(id, _)| id == step).unwrap().1
}

pub const SHARED: &str = "default: {argv: [sh, AGENT]}\n";
pub const WORKTREES: &str = "default: {argv: [sh, AGENT], isolation: worktree}\n";

pub const ONCE: &str = "default: {argv: [sh, AGENT], isolation: worktree, retries: 0}\n";

pub const DIAMOND: &str = "steps:
  - {id: base, owner: A, criteria: c, commands: [\"Run: test -s out/base\"], files: [out/base]}
  - {id: left, owner: A, deps: [base], parallel: true, criteria: c, commands: [\"Run: test -s out/left\"], files: [out/left]}
  - {id: right, owner: B, deps: [base], parallel: true, criteria: c, commands: [\"Run: test -s out/right\"], files: [out/right]}
  - {id: top, owner: B, deps: [left, right], criteria: c, commands: [\"Run: test -s out/top\"], files: [out/top]}
";

/// An attempt without a readable record could not be concluded, and another one would do its work again.
#[test]
fn a_damaged_record_of_an_attempt_stops_a_run() {
    let repo = project(DIAMOND, SHARED);
    let record = ".git/canonry/attempts/build/base.1.attempt.json";
    repo.write(record, "{\"step\": ");
    for args in ["status", "exec"] {
        let ran = run(&repo, &[args, "build"], 65);
        assert!(ran.stderr.contains("base.1.attempt.json: the record of an attempt cannot be read"), "{}", ran.stderr);
    }
    assert!(!repo.exists("out/base"));
    repo.remove(record);
    run(&repo, &["exec"], 0);
}

#[test]
fn a_plan_with_one_repaired_failure_is_executed() {
    let repo = project(DIAMOND, SHARED);
    behave(&repo, "left", "failure 'it does not compile'\nwrite out/left; success\n");
    let ran = run(&repo, &["exec"], 0);
    assert!(ran.stdout.contains("build: 4 of 4 steps complete, 5 attempts in this run"), "{}", ran.stdout);
    assert!(ran.stderr.contains("build: 4 steps to do; at most 4 workers at a time"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("left: attempt 1 failed and may be tried again: it does not compile"),
        "{}",
        ran.stderr
    );
    assert!(statuses(&repo).iter().all(|(_, status)| status == "complete"));
    assert_eq!(
        (&report(&repo, "left", 1)["outcome"], &report(&repo, "left", 2)["outcome"]),
        (&"failure".into(), &"success".into())
    );
    assert_eq!(report(&repo, "top", 1)["commands"][0]["exit_status"], 0);
    // The failure was part of the next prompt.
    let prompt = read(&repo, ".git/canonry/attempts/build/left.2.prompt.md");
    assert!(prompt.contains("it does not compile"), "{prompt}");
    assert!(read(&repo, ".git/canonry/attempts/build/left.2.log").contains("working on left"));
    assert!(read(&repo, ".git/canonry/pending.jsonl").lines().count() == 5);
    assert!(!repo.path("agent/runs").exists());
    assert!(!repo.path("agent/memory").exists());
    assert_eq!(repo.git(&["for-each-ref", "refs/canonry"]), "");
    // A complete plan starts nothing.
    let again = run(&repo, &["exec"], 0);
    assert!(again.stdout.contains("0 attempts in this run"), "{}", again.stdout);
    run(&repo, &["exec", "top"], 0);
}

#[test]
fn a_claim_of_success_counts_for_nothing() {
    let plan = "steps:\n  - {id: lie, owner: A, criteria: c, commands: [\"Run: echo the reason; false\"]}\n";
    let repo = project(plan, "default: {argv: [sh, AGENT], retries: 1}\n");
    behave(&repo, "lie", "success\nprinted\nsuccess\n");
    let ran = run(&repo, &["exec"], 3);
    assert!(ran.stdout.contains("a person is needed"), "{}", ran.stdout);
    assert_eq!(status(&repo, "lie"), "blocked");
    for attempt in [1, 2] {
        let report = report(&repo, "lie", attempt);
        assert_eq!((&report["outcome"], &report["cause"]), (&"failure".into(), &"unverified".into()), "{report}");
        assert!(report["error"].as_str().unwrap().contains("the reason"), "{report}");
    }
    // The bound survives a restart.
    assert!(run(&repo, &["exec"], 3).stdout.contains("0 attempts in this run"));
    // A person reopens the step; then attempts are allowed again.
    run(&repo, &["set", "lie", "pending", "--reason", "try again"], 0);
    assert!(run(&repo, &["exec"], 3).stdout.contains("2 attempts in this run"));
}

#[test]
fn reports_are_taken_from_the_output_and_missing_ones_are_failures() {
    let plan = "steps:\n  - {id: printed, owner: A, criteria: c}\n  - {id: silent, owner: A, criteria: c}\n  - {id: broken, owner: A, criteria: c}\n  - {id: mute, owner: A, criteria: c}\n";
    let repo = project(plan, "default: {argv: [sh, AGENT], retries: 0}\n");
    behave(&repo, "printed", "printed\n");
    behave(&repo, "silent", "echo nothing to see; exit 7\n");
    behave(&repo, "mute", "exec >/dev/null; exit 0\n");
    behave(&repo, "broken", "echo '{\"step_id\": 1' >\"$CANONRY_REPORT\"\n");
    run(&repo, &["exec"], 3);
    assert_eq!(report(&repo, "printed", 1)["outcome"], "success");
    let silent = report(&repo, "silent", 1);
    assert_eq!(silent["cause"], "missing_report");
    assert!(silent["error"].as_str().unwrap().contains("exited 7; its last output: nothing to see"), "{silent}");
    assert!(report(&repo, "broken", 1)["error"].as_str().unwrap().contains("not JSON"));
    // A worker that says nothing and succeeds is not done.
    assert_eq!(
        (&report(&repo, "mute", 1)["cause"], status(&repo, "mute").as_str()),
        (&"missing_report".into(), "blocked")
    );
}

#[test]
fn a_message_claims_only_what_was_proved() {
    let plan = "steps:\n  - {id: proved, owner: A, criteria: c, commands: [\"Run: true\", \"Read: x\"]}\n  - {id: claimed, owner: A, criteria: c}\n";
    let repo = project(plan, SHARED);
    let ran = run(&repo, &["exec"], 0);
    assert!(ran.stderr.contains("proved: attempt 1 complete: 1 command passed; commit "), "{}", ran.stderr);
    assert!(ran.stderr.contains("claimed: attempt 1 complete: on the worker's word: the step has no commands"));
    let repo = project(&plan.replace("id: claimed", "id: a/../b"), SHARED);
    assert!(run(&repo, &["exec"], 5).stderr.contains("step `a/../b` of plan `build` can have no reports"));
    assert_eq!(status(&repo, "proved"), "pending");
    let repo = project(&plan.replace("owner: A", "owner: TODO"), SHARED);
    assert!(run(&repo, &["exec"], 65).stderr.contains("step `proved` has no owner yet"));
}

#[test]
fn a_usage_limit_is_a_state_and_no_failure() {
    let plan = "steps:\n  - {id: limited, owner: A, criteria: c}\n";
    let repo = project(plan, "default: {argv: [sh, AGENT], retries: 0}\n");
    behave(&repo, "limited", "limit\nsuccess\n");
    let ran = run(&repo, &["exec", "--no-wait"], 2);
    let until = report(&repo, "limited", 1)["waiting_until"].as_str().unwrap().to_owned();
    assert!(ran.stdout.contains(&format!("waiting until {until}")), "{}", ran.stdout);
    assert_eq!(status(&repo, "limited"), "pending");
    let limited = report(&repo, "limited", 1);
    assert_eq!((&limited["cause"], &limited["outcome"]), (&"usage_limit".into(), &"blocked".into()));
    assert!(run(&repo, &["status", "build"], 0).stdout.contains(&format!("limited: waiting until {until}")));
    // Another run starts nothing before that time, and the attempt did not count.
    assert!(run(&repo, &["exec", "--no-wait"], 2).stdout.contains("0 attempts in this run"));
    let path = "agent/reports/build/limited.1.json";
    repo.write(path, read(&repo, path).replace(&until, "2020-01-01T00:00:00Z"));
    run(&repo, &["exec"], 0);
}

#[test]
fn a_timeout_ends_the_whole_process_group() {
    let plan = "steps:\n  - {id: slow, owner: A, criteria: c}\n";
    let repo = project(plan, "default: {argv: [sh, AGENT], retries: 0, timeout: 1s}\n");
    behave(&repo, "slow", "hang\n");
    let started = Instant::now();
    run(&repo, &["exec"], 3);
    assert!(started.elapsed() < Duration::from_secs(20));
    let slow = report(&repo, "slow", 1);
    assert_eq!((&slow["cause"], &slow["error"]), (&"timeout".into(), &"the worker did not end within 1 s".into()));
}

#[test]
fn limits_of_the_budget_are_enforced() {
    let repo = project(DIAMOND, SHARED);
    let ran = run(&repo, &["exec", "--attempts", "2"], 2);
    assert!(ran.stdout.contains("the limit of 2 attempts is reached"), "{}", ran.stdout);
    assert_eq!(statuses(&repo).iter().filter(|(_, status)| status == "complete").count(), 2);
    run(&repo, &["exec", "--minutes", "0"], 2);
    run(&repo, &["exec", "--workers", "1"], 0);
}

#[test]
fn only_committed_commands_are_run() {
    let repo = project(DIAMOND, SHARED);
    repo.write(PLAN, DIAMOND.replace("test -s out/top", "touch pwned"));
    let ran = run(&repo, &["exec"], 5);
    assert!(ran.stderr.contains("`Run: touch pwned` of step `top` is not committed"), "{}", ran.stderr);
    assert!(!repo.path("pwned").exists() && !repo.path("out").exists());
    commit(&repo);
    run(&repo, &["exec", "--dry-run"], 0);
    assert!(!repo.path("out").exists());
}

#[test]
fn steps_that_need_approval_wait_for_a_person() {
    let plan = "steps:\n  - {id: free, owner: A, criteria: c}\n  - {id: gated, owner: A, criteria: c, approval: true}\n  - {id: deploy, owner: A, criteria: c, commands: [\"Run: echo release\"]}\n";
    let repo = project(plan, SHARED);
    repo.write("agent/protocols/permissions.md", "# Permissions\n\n## Requires approval\n\n- `echo release`\n");
    commit(&repo);
    let ran = run(&repo, &["exec"], 3);
    assert!(ran.stdout.contains("gated: needs approval: the plan says `approval: true`"), "{}", ran.stdout);
    assert!(ran.stdout.contains("deploy: needs approval"), "{}", ran.stdout);
    run(&repo, &["approve", "free", "--reason", "fine"], 5);
    run(&repo, &["approve", "gated", "--reason", "looked at it"], 0);
    let second = run(&repo, &["approve", "gated", "--reason", "again"], 5);
    assert!(second.stderr.contains("approved `gated` already"), "{}", second.stderr);
    let approval: Value = serde_json::from_str(&read(&repo, "agent/approvals/build/gated.json")).unwrap();
    assert_eq!((&approval["reason"], &approval["step"]), (&"looked at it".into(), &"gated".into()));
    // A step that changed since must be approved again.
    repo.write(PLAN, read(&repo, PLAN).replace("criteria: c, approval", "criteria: other, approval"));
    commit(&repo);
    assert!(run(&repo, &["exec"], 3).stdout.contains("gated: needs approval"));
    run(&repo, &["approve", "gated", "--reason", "again"], 0);
    run(&repo, &["approve", "deploy", "--reason", "release day"], 0);
    run(&repo, &["exec"], 0);
}

#[test]
fn worktrees_are_merged_and_removed() {
    let repo = project(DIAMOND, WORKTREES);
    let ran = run(&repo, &["exec"], 0);
    assert!(!ran.stderr.contains("kept"), "{}", ran.stderr);
    for step in ["base", "left", "right", "top"] {
        assert_eq!(read(&repo, &format!("out/{step}")), format!("{step}\n"));
        let commit = report(&repo, step, 1)["commit"].as_str().unwrap().to_owned();
        repo.git(&["merge-base", "--is-ancestor", &commit, "HEAD"]);
    }
    assert_eq!(repo.git(&["branch", "--list", "canonry/*"]), "");
    assert_eq!(repo.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    repo.git(&["fsck", "--no-dangling"]);
    run(&repo, &["verify"], 0);
    assert_eq!(repo.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn a_failed_verification_reverts_the_work_and_keeps_the_history() {
    let plan = "steps:\n  - {id: a, owner: A, criteria: c, commands: [\"Run: test ! -e gone\"], files: [out/a]}\n  - {id: b, owner: A, deps: [a], criteria: c, files: [out/b]}\n";
    let repo = project(plan, WORKTREES);
    run(&repo, &["verify"], 5);
    run(&repo, &["exec"], 0);
    assert!(run(&repo, &["verify"], 0).stdout.contains("1 command passed in a clean checkout of"));
    // What was true is no longer true.
    repo.write("gone", "x\n");
    commit(&repo);
    let ran = run(&repo, &["verify", "--revert"], 1);
    assert!(ran.stdout.contains("a: reverted by") && ran.stdout.contains("1 step failed"), "{}", ran.stdout);
    assert_eq!(status(&repo, "a"), "pending");
    assert!(!repo.path("out/a").exists() && repo.path("out/b").exists());
    let log = repo.git(&["log", "--format=%s"]);
    assert!(log.starts_with("Revert a (plan build)\n") && log.contains("a: attempt 1 of plan build"), "{log}");
    let reopened = report(&repo, "a", 2);
    assert_eq!(reopened["cause"], "reopened");
    assert!(reopened["error"].as_str().unwrap().contains("the verification failed"), "{reopened}");
}

#[test]
fn a_conflict_blocks_the_step_and_keeps_the_work() {
    let plan = "steps:\n  - {id: one, owner: A, parallel: true, criteria: c, files: [one]}\n  - {id: two, owner: A, parallel: true, criteria: c, files: [two]}\n";
    let repo = project(plan, ONCE);
    // Both change the same file, which neither may.
    behave(&repo, "one", "write same; success\n");
    behave(&repo, "two", "echo other >same; success\n");
    let ran = run(&repo, &["exec"], 3);
    assert!(ran.stdout.contains("changed files that the step does not name: same"), "{}", ran.stdout);
    let plan = plan.replace("[one]", "[]").replace("[two]", "[]");
    let repo = project(&plan, ONCE);
    behave(&repo, "one", "write same; sleep 0.2; success\n");
    behave(&repo, "two", "echo other >same; sleep 0.2; success\n");
    let ran = run(&repo, &["exec"], 3);
    assert!(ran.stdout.contains("conflicts with other work in same"), "{}", ran.stdout);
    assert!(ran.stderr.contains("kept canonry/build/"), "{}", ran.stderr);
    let blocked = statuses(&repo).into_iter().find(|(_, status)| status == "blocked").unwrap().0;
    let branch = format!("canonry/build/{blocked}.1");
    let want = if blocked == "one" { "one" } else { "other" };
    assert_eq!(repo.git(&["show", &format!("{branch}:same")]), want);
}

/// Each passes alone. Whoever is merged second learns why it failed, and tries again on top of the first.
#[test]
fn work_that_fails_together_with_other_work_is_not_merged() {
    let alone = "test $(ls parts | wc -l) -eq 1 || test -e both";
    let step =
        |id: &str| format!("  - {{id: {id}, owner: A, parallel: true, criteria: c, commands: [\"Run: {alone}\"]}}\n");
    let repo = project(&format!("steps:\n{}{}", step("one"), step("two")), WORKTREES);
    for id in ["one", "two"] {
        // The second worker starts before the first ends.
        let first = format!("write parts/{id}; sleep 0.3; success");
        behave(&repo, id, &format!("{first}\nwrite parts/{id}; write both; success\n"));
    }
    let ran = run(&repo, &["exec"], 0);
    assert!(ran.stderr.contains("merged with the work of other steps, `test $("), "{}", ran.stderr);
    assert!(repo.path("parts/one").exists() && repo.path("parts/two").exists() && repo.path("both").exists());
    let failed: Vec<Value> =
        ["one", "two"].iter().map(|id| report(&repo, id, 1)).filter(|r| r["outcome"] == "failure").collect();
    assert_eq!(failed.len(), 1, "{failed:#?}");
    assert_eq!(failed[0]["cause"], "unverified");
    run(&repo, &["verify"], 0);
}

#[test]
fn changes_beyond_the_step_are_failures() {
    let plan = "steps:\n  - {id: big, owner: A, criteria: c, max_diff_lines: 2}\n";
    let repo = project(plan, "default: {argv: [sh, AGENT], isolation: worktree, retries: 0}\n");
    behave(&repo, "big", "seq 3 >numbers; success\n");
    assert!(run(&repo, &["exec"], 3).stdout.contains("changed 3 lines, and the step allows 2"));
    assert!(!repo.path("numbers").exists());
}

#[test]
fn a_worker_cannot_commit_commands_reports_or_approvals() {
    let plan = "steps:\n  - {id: sly, owner: A, criteria: c}\n  - {id: next, owner: A, deps: [sly], criteria: c}\n";
    let repo = project(plan, ONCE);
    for file in [PLAN, "agent/owners.yaml", "agent/approvals/build/next.json", "agent/reports/build/next.1.json"] {
        behave(
            &repo,
            "sly",
            &format!("mkdir -p $(dirname {file}); echo '# Run: touch pwned' >>{file}; success\n").repeat(9),
        );
        let ran = run(&repo, &["exec"], 3);
        assert!(ran.stdout.contains(&format!("changed files that the step does not name: {file}")), "{}", ran.stdout);
        run(&repo, &["set", "sly", "pending", "--reason", "another try"], 0);
        commit(&repo);
    }
    assert!(!read(&repo, PLAN).contains("pwned") && !repo.path("agent/approvals").exists());
}

#[test]
fn ctrl_c_leaves_a_resumable_state() {
    let plan = "steps:\n  - {id: slow, owner: A, criteria: c}\n";
    let repo = project(plan, "default: {argv: [sh, AGENT], retries: 0}\n");
    behave(&repo, "slow", "hang\nsuccess\n");
    let child = repo.canonry_command().args(["run", "exec"]).stderr(std::process::Stdio::null()).spawn().unwrap();
    wait_for(|| read_if(&repo, ".git/canonry/attempts/build/slow.1.log").contains("working"));
    repo.command("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let ended: Ran = child.wait_with_output().unwrap().into();
    assert_eq!(ended.status, 130);
    assert_eq!(report(&repo, "slow", 1)["cause"], "interrupted");
    assert_eq!(status(&repo, "slow"), "pending");
    run(&repo, &["exec"], 0);
}

#[test]
fn the_documents_of_a_plan_match_their_schemas() {
    let repo = project(DIAMOND, SHARED);
    behave(&repo, "left", "blocked 'which file?'\n");
    let events = run(&repo, &["exec", "--format", "json"], 3).stdout;
    let events: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    events.iter().for_each(|event| assert_valid("run-event.schema.json", event));
    let end = events.last().unwrap();
    assert_eq!(
        (&end["run"], &end["kind"], &end["status"]),
        (&"build".into(), &"plan".into(), &"HUMAN_REQUIRED".into())
    );
    assert_eq!((&end["steps"][0]["step"], &end["complete"], &end["total"]), (&"left".into(), &2.into(), &4.into()));
    for args in [&["status", "build", "--format", "json"][..], &["status", "--format", "json"]] {
        let status: Value = serde_json::from_str(&run(&repo, args, 0).stdout).unwrap();
        assert_valid("run-status.schema.json", &status);
        let build = &status["runs"][0];
        assert_eq!((&build["kind"], &build["state"]), (&"plan".into(), &"needs_person".into()));
        assert!(build["blocked"][0]["reason"].as_str().unwrap().starts_with("blocked: which file?;"), "{build}");
        assert_eq!(build["steps"]["complete"], 2, "{build}");
    }
}

#[test]
fn a_killed_run_is_continued() {
    for owners in [SHARED, WORKTREES] {
        let plan = "steps:\n  - {id: slow, owner: A, criteria: c, commands: [\"Run: test -s out/slow\"]}\n";
        let repo = project(plan, owners);
        behave(&repo, "slow", "hang\nwrite out/slow; success\n");
        let mut child =
            repo.canonry_command().args(["run", "exec"]).stderr(std::process::Stdio::null()).spawn().unwrap();
        wait_for(|| read_if(&repo, ".git/canonry/attempts/build/slow.1.log").contains("working"));
        let shown = run(&repo, &["status", "build"], 0).stdout;
        assert!(shown.contains("slow: attempt 1 by A, running for"), "{shown}");
        // While it runs, another run has nothing to do.
        run(&repo, &["exec"], 4);
        child.kill().unwrap();
        child.wait().unwrap();
        let ran = run(&repo, &["exec"], 0);
        assert!(ran.stderr.contains("slow: found attempt 1 of an earlier run"), "{}", ran.stderr);
        assert_eq!(report(&repo, "slow", 1)["cause"], "interrupted");
        assert_eq!(read(&repo, "out/slow"), "slow\n");
    }
}

pub fn read_if(repo: &Repo, path: &str) -> String {
    std::fs::read_to_string(repo.path(path)).unwrap_or_default()
}

#[track_caller]
pub fn wait_for(mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(20), "it did not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}
