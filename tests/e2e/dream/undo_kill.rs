//! An undo killed at any of its writes, and the undo of a killed dream.

use crate::dream::kill::full;
use crate::dream::team::{LESSONS, NOW, row};
use crate::support::failpoints::{Failpoint, copy, failpoints, for_each_failpoint, is_temporary, kill, sample};
use crate::support::repo::{Held, Repo, Tree};
use crate::support::same::assert_same;
use std::sync::atomic::{AtomicUsize, Ordering};

const DREAM: [&str; 3] = ["dream", "--now", NOW];
const UNDO: [&str; 2] = ["memory", "undo"];

fn after_dream() -> Repo {
    let repo = full();
    repo.dream(&[]).expect(0);
    repo
}

fn files(repo: &Repo) -> Tree {
    repo.tree().into_iter().filter(|(_, held)| *held != Held::Folder).collect()
}

fn assert_tidy(repo: &Repo, failpoint: &Failpoint) {
    let own: Vec<String> = repo.tree_of(&[".git/canonry"]).into_keys().collect();
    let is_left = |path: &String| {
        path.contains("/undo") || path.ends_with("/journal") || path.ends_with(".json") || is_temporary(path)
    };
    assert!(!own.iter().any(is_left), "{failpoint:?}: {own:?}");
}

#[test]
fn an_undo_survives_a_kill_at_any_write() {
    let before = files(&full());
    let template = after_dream();
    let lines = full().lines();
    let uninterrupted = copy(&template);
    let failpoints = failpoints(&uninterrupted, &UNDO);
    assert_same(&files(&uninterrupted), &before, "without a kill");
    let story = uninterrupted.git(&["log", "--format=%s"]);
    assert!(failpoints.len() > 40, "{}", failpoints.len());
    for_each_failpoint(&failpoints, |failpoint| {
        let repo = copy(&template);
        kill(&repo, &UNDO, failpoint);
        let there = repo.lines();
        assert!(
            lines.keys().all(|line| is_kept(&repo, line) || there.contains_key(line)),
            "{failpoint:?}: a row is lost"
        );
        let again = repo.undo(&[]);
        // If the killed undo was already complete, there is nothing left to undo.
        assert!(matches!(again.status, 0 | 5), "{failpoint:?}: {again:?}");
        assert_same(&files(&repo), &before, &format!("after a kill at {failpoint:?}"));
        assert_eq!(repo.git(&["log", "--format=%s"]), story, "{failpoint:?}");
        assert_eq!(repo.git(&["status", "--porcelain"]), "A  staged", "{failpoint:?}");
        assert_tidy(&repo, failpoint);
    });
}

/// An invalid row may be in the quarantine.
fn is_kept(repo: &Repo, line: &[u8]) -> bool {
    let quarantine = crate::dream::team::QUARANTINE;
    repo.exists(quarantine) && repo.read(quarantine).split(|b| *b == b'\n').any(|there| there == line)
}

/// The next dream completes the undo first, and then dreams again.
#[test]
fn the_next_dream_completes_a_killed_undo() {
    let template = after_dream();
    let after = files(&template);
    let lines = template.lines();
    let finished = AtomicUsize::new(0);
    for_each_failpoint(&sample(failpoints(&copy(&template), &UNDO)), |failpoint| {
        let repo = copy(&template);
        kill(&repo, &UNDO, failpoint);
        repo.canonry(&["log", "--action", "late", "--id", "late", "--timestamp", NOW]).expect(0);
        let ran = repo.canonry(&DREAM).expect(0);
        finished.fetch_add(usize::from(ran.stderr.contains("Finished an earlier undo")), Ordering::Relaxed);
        let now = repo.lines();
        assert_eq!(now.len(), lines.len() + 1, "{failpoint:?}: {now:?}");
        assert!(now.values().all(|count| *count == 1), "{failpoint:?}: {now:?}");
        let lessons = repo.text(LESSONS);
        assert_eq!(lessons.matches("- a teaches").count(), 1, "{failpoint:?}: {lessons}");
        let there = files(&repo);
        assert!(after.keys().all(|path| there.contains_key(path)), "{failpoint:?}: {:?}", there.keys());
    });
    let finished = finished.into_inner();
    assert!(finished > 0, "no kill left an undo to complete");
}

/// Undo completes a killed dream first, and then reverts it.
#[test]
fn a_killed_dream_can_be_undone() {
    let template = full();
    let before = files(&template);
    let reverse_merge = AtomicUsize::new(0);
    for_each_failpoint(&failpoints(&copy(&template), &DREAM), |failpoint| {
        let repo = copy(&template);
        kill(&repo, &DREAM, failpoint);
        let ran = repo.undo(&[]);
        // A dream killed before its journal was complete has no effect.
        assert!(matches!(ran.status, 0 | 5), "{failpoint:?}: {ran:?}");
        reverse_merge.fetch_add(usize::from(ran.status == 0), Ordering::Relaxed);
        assert_same(&files(&repo), &before, &format!("after a kill at {failpoint:?}"));
        assert_eq!(repo.git(&["status", "--porcelain"]), "A  staged", "{failpoint:?}");
    });
    let reverse_merge = reverse_merge.into_inner();
    assert!(reverse_merge > 20, "{reverse_merge}");
}

/// The rows and edits that arrived between the kill and the completion of the dream stay.
#[test]
fn undo_of_a_completed_dream_keeps_changes_made_in_between() {
    let template = full();
    let lines = template.lines();
    let snapshot = "agent/memory/episodic/snapshots/2026-01.jsonl";
    let behind = AtomicUsize::new(0);
    for_each_failpoint(&sample(failpoints(&copy(&template), &DREAM)), |failpoint| {
        let repo = copy(&template);
        kill(&repo, &DREAM, failpoint);
        let after_dream = repo.text(LESSONS).contains("a teaches");
        repo.canonry(&["log", "--action", "late", "--id", "late"]).expect(0);
        repo.write(LESSONS, repo.text(LESSONS).replacen("# Ours", "# Ours, and by hand", 1).trim_end());
        repo.write(snapshot, repo.text(snapshot) + "{\"id\": \"by hand\"}");
        repo.canonry(&DREAM).expect(0);
        behind.fetch_add(
            usize::from(!after_dream && repo.text(LESSONS).starts_with("# Ours, and by hand\n")),
            Ordering::Relaxed,
        );
        let ran = repo.undo(&[]);
        let now = repo.lines();
        assert!(now.values().all(|count| *count == 1), "{failpoint:?}: {now:?}");
        if ran.status == 0 {
            assert_eq!(now.len(), lines.len() + 2, "{failpoint:?}: {now:?}");
            let by_hand = row("older", 101, "z", 1) + "{\"id\": \"by hand\"}";
            assert_eq!(repo.text(snapshot), by_hand, "{failpoint:?}");
            assert!(repo.text(LESSONS).starts_with("# Ours, and by hand"), "{failpoint:?}");
            assert!(!repo.text(LESSONS).contains("a teaches"), "{failpoint:?}");
        } else {
            // The edit removed a part of the dream's text: its final line break.
            assert!(ran.status == 5 && ran.stderr.contains("LESSONS.md") && after_dream, "{failpoint:?}: {ran:?}");
        }
    });
    let behind = behind.into_inner();
    assert!(behind > 5, "{behind}");
}

/// A kill while a transaction is being abandoned because the log was replaced.
#[test]
fn dream_is_not_undone_when_the_log_transaction_was_abandoned() {
    let template = full();
    let other = row("other", 1, "other", 1);
    let abandons = |repo: &Repo, failpoint: &Failpoint| {
        kill(repo, &DREAM, failpoint);
        repo.write(crate::dream::team::LOG, &other);
        copy(repo).canonry(&DREAM).expect(0).stderr.contains("the log was replaced")
    };
    let begun = failpoints(&copy(&template), &DREAM).into_iter().find_map(|failpoint| {
        let repo = copy(&template);
        abandons(&repo, &failpoint).then_some(repo)
    });
    let begun = begun.unwrap();
    for_each_failpoint(&sample(failpoints(&copy(&begun), &DREAM)), |failpoint| {
        let repo = copy(&begun);
        kill(&repo, &DREAM, failpoint);
        repo.canonry(&DREAM).expect(0);
        assert_eq!(repo.text(crate::dream::team::LOG), other, "{failpoint:?}");
        let subjects = repo.git(&["log", "--format=%s"]);
        assert!(!subjects.contains("decayed 2"), "{failpoint:?}: {subjects}");
        repo.undo(&[]);
        assert_eq!(repo.text(crate::dream::team::LOG), other, "{failpoint:?}");
    });
}

/// Between the kill and the next run, the user logs a row and edits the lessons.
#[test]
fn changes_between_a_killed_undo_and_the_next_are_kept() {
    let template = after_dream();
    let lines = full().lines();
    for_each_failpoint(&sample(failpoints(&copy(&template), &UNDO)), |failpoint| {
        let repo = copy(&template);
        kill(&repo, &UNDO, failpoint);
        repo.canonry(&["log", "--action", "late", "--id", "late"]).expect(0);
        repo.write(LESSONS, repo.text(LESSONS).replacen("# Ours", "# Ours, and by hand", 1));
        let ran = repo.undo(&[]);
        assert!(matches!(ran.status, 0 | 5), "{failpoint:?}: {ran:?}");
        let now = repo.lines();
        assert_eq!(now.len(), lines.len() + 1, "{failpoint:?}: {now:?}");
        assert!(now.values().all(|count| *count == 1), "{failpoint:?}: {now:?}");
        assert_eq!(repo.text(LESSONS), "# Ours, and by hand\n", "{failpoint:?}");
    });
}
