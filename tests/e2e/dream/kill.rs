//! A dream that is killed at any of its writes: the next one leaves every row in exactly one failpoint, and ends where it
//! would have ended.

use crate::dream::team::{LESSONS, NOW, WORKSPACE, row, rows, team};
use crate::support::failpoints::{Failpoint, copy, failpoints, for_each_failpoint, is_temporary, kill};
use crate::support::repo::Repo;
use crate::support::same::assert_same;
use std::sync::atomic::{AtomicUsize, Ordering};

/// With something of everything: rows that leave, a bad one, lessons, a stale workspace, something staged.
pub fn full() -> Repo {
    let repo = team("oops\n".to_owned() + &rows());
    repo.write("agent/memory/episodic/snapshots/2026-01.jsonl", row("older", 101, "z", 1));
    repo.write(LESSONS, "# Ours\n");
    repo.write(WORKSPACE, "busy\n");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "busy"]);
    repo.write("staged", "staged\n");
    repo.git(&["add", "staged"]);
    repo
}

/// Whatever git leaves of its own when it is killed is git's to tell, and a person's to remove.
pub fn kill_and_unlock(repo: &Repo, line: &[&str], failpoint: &Failpoint) {
    kill(repo, line, failpoint);
    for lock in [".git/index.lock", ".git/HEAD.lock", ".git/refs/heads/main.lock"] {
        if repo.exists(lock) {
            repo.remove(lock);
        }
    }
}

#[test]
fn killed_anywhere() {
    let line = ["dream", "--now", NOW];
    let template = full();
    let uninterrupted = copy(&template);
    let failpoints = failpoints(&uninterrupted, &line);
    let (after, lines) = (uninterrupted.tree(), uninterrupted.lines());
    let message = uninterrupted.git(&["log", "-1", "--format=%s"]);
    let tidy: Vec<String> = uninterrupted.tree_of(&[".git/canonry"]).into_keys().collect();
    let is_left = |path: &&String| {
        is_temporary(path) || path.ends_with("/journal") || (path.ends_with(".json") && !path.ends_with("/undo.json"))
    };
    assert_eq!(tidy.iter().find(is_left), None, "{tidy:?}");
    assert!(failpoints.len() > 40, "{}", failpoints.len());
    assert!(lines.values().all(|count| *count == 1) && lines.len() == 6, "{lines:?}");
    for_each_failpoint(&failpoints, |failpoint| {
        let repo = copy(&template);
        kill_and_unlock(&repo, &line, failpoint);
        assert!(lines.keys().all(|line| repo.lines().contains_key(line)), "{failpoint:?}: a row is lost");
        repo.canonry(&line).expect(0);
        assert_same(&repo.tree(), &after, &format!("after a kill at {failpoint:?}"));
        assert_eq!(repo.lines(), lines, "{failpoint:?}");
        assert_eq!(repo.git(&["status", "--porcelain"]), "A  staged", "{failpoint:?}");
        assert_eq!(repo.git(&["log", "--format=%s"]), format!("{message}\nbusy\nbegin"), "{failpoint:?}");
        // No journal and no draft: the record of this dream, and what it speaks of.
        let own: Vec<String> = repo.tree_of(&[".git/canonry"]).into_keys().collect();
        assert_eq!(own, tidy, "{failpoint:?}");
    });
}

/// Between the kill and the next run life goes on: rows are logged, lessons are written by hand.
#[test]
fn what_happens_in_between_is_kept() {
    let line = ["dream", "--now", NOW];
    let template = full();
    for_each_failpoint(&failpoints(&copy(&template), &line), |failpoint| {
        let repo = copy(&template);
        kill_and_unlock(&repo, &line, failpoint);
        repo.canonry(&["log", "--action", "late", "--id", "late"]).expect(0);
        let mine = repo.text(LESSONS).replacen("# Ours", "# Ours, and by hand", 1);
        repo.write(LESSONS, &mine);
        repo.canonry(&line).expect(0);
        let lines = repo.lines();
        assert_eq!(lines.len(), 7, "{failpoint:?}: {lines:?}");
        assert!(lines.values().all(|count| *count == 1), "{failpoint:?}: {lines:?}");
        let lessons = repo.text(LESSONS);
        assert!(lessons.starts_with("# Ours, and by hand\n"), "{failpoint:?}: {lessons}");
        assert_eq!(lessons.matches("- a teaches").count(), 1, "{failpoint:?}: {lessons}");
    });
}

/// Another log by then, as after a change of branch: what was begun is not carried on, and no commit says that it was.
#[test]
fn a_log_that_is_another_by_then_is_left_alone() {
    let line = ["dream", "--now", NOW];
    let template = full();
    let uninterrupted = copy(&template);
    let failpoints = failpoints(&uninterrupted, &line);
    let message = uninterrupted.git(&["log", "-1", "--format=%s"]);
    let abandoned = AtomicUsize::new(0);
    for_each_failpoint(&failpoints, |failpoint| {
        let repo = copy(&template);
        kill_and_unlock(&repo, &line, failpoint);
        let other = row("other", 1, "other", 1);
        repo.write(crate::dream::team::LOG, &other);
        let ran = repo.canonry(&line).expect(0);
        assert_eq!(repo.text(crate::dream::team::LOG), other, "{failpoint:?}");
        if ran.stderr.contains("the log was replaced") {
            abandoned.fetch_add(1, Ordering::Relaxed);
            let told = repo.git(&["log", "--format=%s"]);
            assert!(!told.contains(&message), "{failpoint:?}: {told}");
        }
    });
    let abandoned = abandoned.into_inner();
    assert!(abandoned > 0, "no kill left a transfer that had to be abandoned");
}
