//! A dream killed at any of its writes: the next dream keeps every row in exactly one place, and reaches the same state
//! as an uninterrupted one.

use crate::dream::team::{LESSONS, NOW, WORKSPACE, row, rows, team};
use crate::support::failpoints::{copy, failpoints, for_each_failpoint, is_temporary, kill, sample};
use crate::support::repo::Repo;
use crate::support::same::assert_same;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A memory with every kind of change: rows to archive, an invalid row, lessons, a stale workspace, a staged file.
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

#[test]
fn a_dream_survives_a_kill_at_any_write() {
    let line = ["dream", "--now", NOW];
    let template = full();
    let uninterrupted = copy(&template);
    let failpoints = failpoints(&uninterrupted, &line);
    let after = uninterrupted.tree();
    let lines = uninterrupted.lines();
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
        kill(&repo, &line, failpoint);
        assert!(lines.keys().all(|line| repo.lines().contains_key(line)), "{failpoint:?}: a row is lost");
        repo.canonry(&line).expect(0);
        assert_same(&repo.tree(), &after, &format!("after a kill at {failpoint:?}"));
        assert_eq!(repo.lines(), lines, "{failpoint:?}");
        assert_eq!(repo.git(&["status", "--porcelain"]), "A  staged", "{failpoint:?}");
        assert_eq!(repo.git(&["log", "--format=%s"]), format!("{message}\nbusy\nbegin"), "{failpoint:?}");
        // No journal and no temporary file is left, only the undo record of this dream and its files.
        let own: Vec<String> = repo.tree_of(&[".git/canonry"]).into_keys().collect();
        assert_eq!(own, tidy, "{failpoint:?}");
    });
}

/// Between the kill and the next run, the user logs a row and edits the lessons.
#[test]
fn changes_between_a_kill_and_the_next_dream_are_preserved() {
    let line = ["dream", "--now", NOW];
    let template = full();
    for_each_failpoint(&sample(failpoints(&copy(&template), &line)), |failpoint| {
        let repo = copy(&template);
        kill(&repo, &line, failpoint);
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

/// A checkout replaced the log after the kill: the next run abandons the transaction without a commit.
#[test]
fn a_transaction_is_abandoned_when_the_log_was_replaced() {
    let line = ["dream", "--now", NOW];
    let template = full();
    let uninterrupted = copy(&template);
    let failpoints = failpoints(&uninterrupted, &line);
    let message = uninterrupted.git(&["log", "-1", "--format=%s"]);
    let abandoned = AtomicUsize::new(0);
    for_each_failpoint(&failpoints, |failpoint| {
        let repo = copy(&template);
        kill(&repo, &line, failpoint);
        let other = row("other", 1, "other", 1);
        repo.write(crate::dream::team::LOG, &other);
        let ran = repo.canonry(&line).expect(0);
        assert_eq!(repo.text(crate::dream::team::LOG), other, "{failpoint:?}");
        if ran.stderr.contains("the log was replaced") {
            abandoned.fetch_add(1, Ordering::Relaxed);
            let subjects = repo.git(&["log", "--format=%s"]);
            assert!(!subjects.contains(&message), "{failpoint:?}: {subjects}");
        }
    });
    let abandoned = abandoned.into_inner();
    assert!(abandoned > 0, "no kill left a transaction to abandon");
}
