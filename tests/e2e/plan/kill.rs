//! A run that is killed before one of its writes and then continued ends as one that was not.

use super::run::{SHARED, WORKTREES, commit, project, report, statuses};
use super::{read, run};
use crate::support::failpoints::{failpoints, for_each_failpoint, kill, sample};
use crate::support::repo::Repo;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

const PLAN: &str = "steps:
  - {id: one, owner: A, criteria: c, commands: [\"Run: test -s out/one\"], files: [out/one]}
  - {id: two, owner: A, deps: [one], criteria: c, commands: [\"Run: test -s out/two\"], files: [out/two]}
";

/// Runs the plan and returns how many writes it made, or `None` if it was killed.
fn run_to(repo: &Repo, failpoint: Option<usize>) -> Option<usize> {
    let log = repo.tmp().join("failpoints");
    let mut command = repo.canonry_command();
    command.args(["run", "exec"]).env("RAYON_NUM_THREADS", "1").stdout(Stdio::null()).stderr(Stdio::null());
    match failpoint {
        Some(number) => command.env("CANONRY_FAILPOINT", format!("kill@{number}")),
        None => command.env("CANONRY_FAILPOINT_LOG", &log),
    };
    let code = command.status().unwrap().code();
    assert!(code.is_none() || code == Some(0), "{failpoint:?}: {code:?}");
    code.map(|_| std::fs::read_to_string(&log).map_or(0, |log| log.lines().count()))
}

#[track_caller]
fn assert_done(repo: &Repo, context: &str) {
    for (step, status) in statuses(repo) {
        assert_eq!(status, "complete", "{context}: {step}");
        // The work was merged once, however often it was tried.
        assert_eq!(read(repo, &format!("out/{step}")), format!("{step}\n"), "{context}");
        let reports = (1..).map_while(|number| {
            let path = format!("agent/reports/build/{step}.{number}.json");
            Path::new(&repo.path(&path)).is_file().then(|| report(repo, &step, number))
        });
        let outcomes: Vec<String> = reports.map(|report| report["outcome"].as_str().unwrap().to_owned()).collect();
        assert_eq!(outcomes.iter().filter(|outcome| *outcome == "success").count(), 1, "{context}: {outcomes:?}");
    }
    assert_eq!(repo.git(&["for-each-ref", "refs/canonry"]), "", "{context}");
    assert_eq!(repo.git(&["status", "--porcelain"]), "", "{context}");
    repo.git(&["fsck", "--no-dangling", "--connectivity-only"]);
}

fn new() -> Repo {
    let repo = project(PLAN, WORKTREES);
    commit(&repo);
    repo
}

/// Kills at the writes whose number leaves `offset` when divided by `step`.
fn walk(step: usize, offset: usize) {
    let whole = new();
    let writes = run_to(&whole, None).unwrap();
    assert_done(&whole, "not killed");
    assert!(writes > 40, "only {writes} writes");
    let points: Vec<usize> = (1..=writes).filter(|number| number % step == offset).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(number) = points.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    let repo = new();
                    run_to(&repo, Some(*number));
                    run(&repo, &["exec"], 0);
                    assert_done(&repo, &format!("killed at {number} of {writes}"));
                }
            });
        }
    });
}

#[test]
fn a_run_that_is_killed_at_a_write_ends_like_another() {
    walk(37, 11);
}

#[test]
#[ignore = "minutes: every write of a run"]
fn nightly_a_run_that_is_killed_at_any_write_ends_like_another() {
    walk(1, 0);
}

#[test]
fn work_by_hand_that_is_killed_at_a_write_is_finished_by_the_same_command() {
    let args = ["run", "finish", "build", "one", "--details", "done"];
    let begun = || {
        let repo = project(PLAN, SHARED);
        run(&repo, &["claim", "one"], 0);
        run(&repo, &["set", "one", "in_progress"], 0);
        repo.write("out/one", "one\n");
        repo
    };
    for_each_failpoint(&sample(failpoints(&begun(), &args)), |failpoint| {
        let repo = begun();
        kill(&repo, &args, failpoint);
        repo.canonry(&args).expect(0);
        let subjects = repo.git(&["log", "--format=%s", "-2"]);
        assert_eq!(subjects, "plan: one of build is complete\none: attempt 1 of plan build", "{failpoint:?}");
        assert_eq!(repo.git(&["status", "--porcelain"]), "", "{failpoint:?}");
        assert_eq!(repo.git(&["for-each-ref", "refs/canonry"]), "", "{failpoint:?}");
        assert_eq!(report(&repo, "one", 1)["outcome"], "success", "{failpoint:?}");
    });
}

#[test]
fn a_step_of_a_killed_run_that_is_freed_is_not_done_twice() {
    let new = || {
        let repo = project(&PLAN.lines().take(2).collect::<Vec<_>>().join("\n"), WORKTREES);
        commit(&repo);
        repo
    };
    let args = ["run", "exec"];
    for_each_failpoint(&sample(failpoints(&new(), &args)), |failpoint| {
        let repo = new();
        kill(&repo, &args, failpoint);
        // Refused if it is not in progress, or decided.
        let freed = repo.canonry(&["run", "set", "build", "one", "pending"]).status;
        assert!(matches!(freed, 0 | 5), "{failpoint:?}: {freed}");
        repo.canonry(&args).expect(0);
        assert_eq!(statuses(&repo), [("one".to_owned(), "complete".to_owned())], "{failpoint:?}");
        assert_eq!(read(&repo, "out/one"), "one\n", "{failpoint:?}");
        assert_eq!(repo.git(&["log", "--format=%s"]).matches("one: attempt").count(), 1, "{failpoint:?}");
        assert_eq!(repo.git(&["status", "--porcelain"]), "", "{failpoint:?}");
    });
}

/// Also if the run was killed before it could record the process that it had started.
#[test]
#[cfg(target_os = "linux")]
fn the_worker_of_a_killed_run_ends_before_another_begins() {
    // It prints nothing: a pipe that nobody reads would end it.
    let script = r#"cat >/dev/null
exec 9>>"$TMP/lock"
flock -n 9 || echo two >>"$TMP/both"
sleep 2
mkdir -p out && echo one >>out/one
echo '{"step_id": "one", "outcome": "success", "details": "d", "artifacts": [], "timestamp": "2026-01-02T03:04:05Z"}' >"$CANONRY_REPORT"
"#;
    let new = || {
        let repo = project(&PLAN.lines().take(2).collect::<Vec<_>>().join("\n"), SHARED);
        repo.write("tools/agent.sh", script.replace("$TMP", &repo.tmp().display().to_string()));
        commit(&repo);
        repo
    };
    let args = ["run", "exec"];
    // A kill before the first of these leaves no worker.
    let mut with_worker = 0;
    for failpoint in failpoints(&new(), &args) {
        let repo = new();
        kill(&repo, &args, &failpoint);
        if !repo.path(".git/canonry/attempts/build/one.1.attempt.json").exists() {
            continue;
        }
        // A process that was started has its lock by then.
        std::thread::sleep(Duration::from_millis(300));
        let lock = repo.tmp().join("lock");
        if !lock.exists() {
            continue;
        }
        repo.canonry(&args).expect(0);
        assert!(!repo.tmp().join("both").exists(), "{failpoint:?}");
        with_worker += 1;
        if with_worker == 3 {
            return;
        }
    }
    panic!("{with_worker} kills left a worker");
}
