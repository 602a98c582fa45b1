//! An undo that is killed at any of its writes, and a dream that is killed and then taken back.

use crate::dream::kill::{full, kill_and_unlock};
use crate::dream::team::{LESSONS, NOW, row};
use crate::support::killing::{Place, at_each, can_trace, copy, is_temporary, places};
use crate::support::repo::{Held, Repo, Tree};
use crate::support::same::assert_same;
use std::sync::atomic::{AtomicUsize, Ordering};

const DREAM: [&str; 3] = ["dream", "--now", NOW];
const UNDO: [&str; 2] = ["memory", "undo"];

fn dreamt() -> Repo {
    let repo = full();
    repo.dream(&[]).expect(0);
    repo
}

fn files(repo: &Repo) -> Tree {
    repo.tree().into_iter().filter(|(_, held)| *held != Held::Folder).collect()
}

fn assert_tidy(repo: &Repo, place: &Place) {
    let own: Vec<String> = repo.tree_of(&[".git/canonry"]).into_keys().collect();
    let is_left = |path: &String| path.contains("/undo") || path.ends_with(".json") || is_temporary(path);
    assert!(!own.iter().any(is_left), "{place:?}: {own:?}");
}

#[test]
fn an_undo_that_is_killed_anywhere() {
    if !can_trace() {
        return;
    }
    let (before, template) = (files(&full()), dreamt());
    let (lines, uninterrupted) = (full().lines(), copy(&template));
    let places = places(&uninterrupted, &UNDO);
    assert_same(&files(&uninterrupted), &before, "without a kill");
    let story = uninterrupted.git(&["log", "--format=%s"]);
    assert!(places.len() > 40, "{}", places.len());
    at_each(&places, |place| {
        let repo = copy(&template);
        kill_and_unlock(&repo, &UNDO, place);
        let there = repo.lines();
        assert!(lines.keys().all(|line| is_kept(&repo, line) || there.contains_key(line)), "{place:?}: a row is lost");
        let again = repo.undo(&[]);
        // Killed when all was done, there is nothing left to take back.
        assert!(matches!(again.status, 0 | 5), "{place:?}: {again:?}");
        assert_same(&files(&repo), &before, &format!("after a kill at {place:?}"));
        assert_eq!(repo.git(&["log", "--format=%s"]), story, "{place:?}");
        assert_eq!(repo.git(&["status", "--porcelain"]), "A  staged", "{place:?}");
        assert_tidy(&repo, place);
    });
}

/// The bad row may be in the quarantine.
fn is_kept(repo: &Repo, line: &[u8]) -> bool {
    let quarantine = crate::dream::team::QUARANTINE;
    repo.exists(quarantine) && repo.read(quarantine).split(|b| *b == b'\n').any(|there| there == line)
}

/// The next dream finishes it too, and then dreams the same once more.
#[test]
fn an_undo_that_is_killed_and_a_dream_that_follows() {
    if !can_trace() {
        return;
    }
    let template = dreamt();
    let after = files(&template);
    let lines = template.lines();
    let finished = AtomicUsize::new(0);
    at_each(&places(&copy(&template), &UNDO), |place| {
        let repo = copy(&template);
        kill_and_unlock(&repo, &UNDO, place);
        repo.canonry(&["log", "--action", "late", "--id", "late", "--timestamp", NOW]).expect(0);
        let ran = repo.canonry(&DREAM).expect(0);
        finished.fetch_add(usize::from(ran.stderr.contains("Finished an earlier undo")), Ordering::Relaxed);
        let now = repo.lines();
        assert_eq!(now.len(), lines.len() + 1, "{place:?}: {now:?}");
        assert!(now.values().all(|count| *count == 1), "{place:?}: {now:?}");
        let lessons = repo.text(LESSONS);
        assert_eq!(lessons.matches("- a teaches").count(), 1, "{place:?}: {lessons}");
        let there = files(&repo);
        assert!(after.keys().all(|path| there.contains_key(path)), "{place:?}: {:?}", there.keys());
    });
    let finished = finished.into_inner();
    assert!(finished > 0, "no kill left an undo that had to be finished");
}

/// Whatever the dream had done by then: it is finished, and then taken back.
#[test]
fn a_dream_that_is_killed_and_taken_back() {
    if !can_trace() {
        return;
    }
    let template = full();
    let before = files(&template);
    let reverse_merge = AtomicUsize::new(0);
    at_each(&places(&copy(&template), &DREAM), |place| {
        let repo = copy(&template);
        kill_and_unlock(&repo, &DREAM, place);
        let ran = repo.undo(&[]);
        // Killed before it was certain that it would happen, it did not.
        assert!(matches!(ran.status, 0 | 5), "{place:?}: {ran:?}");
        reverse_merge.fetch_add(usize::from(ran.status == 0), Ordering::Relaxed);
        assert_same(&files(&repo), &before, &format!("after a kill at {place:?}"));
        assert_eq!(repo.git(&["status", "--porcelain"]), "A  staged", "{place:?}");
    });
    let reverse_merge = reverse_merge.into_inner();
    assert!(reverse_merge > 20, "{reverse_merge}");
}

/// What the dream found changed when it was finished is taken back as well as what it did at once.
#[test]
fn a_dream_that_was_overtaken_is_taken_back() {
    if !can_trace() {
        return;
    }
    let template = full();
    let (lines, snapshot) = (template.lines(), "agent/memory/episodic/snapshots/2026-01.jsonl");
    let behind = AtomicUsize::new(0);
    at_each(&places(&copy(&template), &DREAM), |place| {
        let repo = copy(&template);
        kill_and_unlock(&repo, &DREAM, place);
        let dreamt = repo.text(LESSONS).contains("a teaches");
        repo.canonry(&["log", "--action", "late", "--id", "late"]).expect(0);
        repo.write(LESSONS, repo.text(LESSONS).replacen("# Ours", "# Ours, and by hand", 1).trim_end());
        repo.write(snapshot, repo.text(snapshot) + "{\"id\": \"by hand\"}");
        repo.canonry(&DREAM).expect(0);
        behind.fetch_add(
            usize::from(!dreamt && repo.text(LESSONS).starts_with("# Ours, and by hand\n")),
            Ordering::Relaxed,
        );
        let ran = repo.undo(&[]);
        let now = repo.lines();
        assert!(now.values().all(|count| *count == 1), "{place:?}: {now:?}");
        if ran.status == 0 {
            assert_eq!(now.len(), lines.len() + 2, "{place:?}: {now:?}");
            let by_hand = row("older", 101, "z", 1) + "{\"id\": \"by hand\"}";
            assert_eq!(repo.text(snapshot), by_hand, "{place:?}");
            assert!(repo.text(LESSONS).starts_with("# Ours, and by hand"), "{place:?}");
            assert!(!repo.text(LESSONS).contains("a teaches"), "{place:?}");
        } else {
            // The edit took a part of what the dream had written: its last line break.
            assert!(ran.status == 5 && ran.stderr.contains("LESSONS.md") && dreamt, "{place:?}: {ran:?}");
        }
    });
    let behind = behind.into_inner();
    assert!(behind > 5, "{behind}");
}

/// Killed while it leaves a log alone that has become another one: no run takes that for a dream that is done.
#[test]
fn a_transfer_that_is_abandoned_is_no_dream() {
    if !can_trace() {
        return;
    }
    let template = full();
    let other = row("other", 1, "other", 1);
    let abandons = |repo: &Repo, place: &Place| {
        kill_and_unlock(repo, &DREAM, place);
        repo.write(crate::dream::team::LOG, &other);
        copy(repo).canonry(&DREAM).expect(0).stderr.contains("the log is another one")
    };
    let begun = places(&copy(&template), &DREAM).into_iter().find_map(|place| {
        let repo = copy(&template);
        abandons(&repo, &place).then_some(repo)
    });
    let begun = begun.unwrap();
    at_each(&places(&copy(&begun), &DREAM), |place| {
        let repo = copy(&begun);
        kill_and_unlock(&repo, &DREAM, place);
        repo.canonry(&DREAM).expect(0);
        assert_eq!(repo.text(crate::dream::team::LOG), other, "{place:?}");
        let told = repo.git(&["log", "--format=%s"]);
        assert!(!told.contains("decayed 2"), "{place:?}: {told}");
        repo.undo(&[]);
        assert_eq!(repo.text(crate::dream::team::LOG), other, "{place:?}");
    });
}

/// Between the kill and the next run life goes on: rows are logged, lessons are written by hand.
#[test]
fn what_happens_after_a_killed_undo_is_kept() {
    if !can_trace() {
        return;
    }
    let template = dreamt();
    let lines = full().lines();
    at_each(&places(&copy(&template), &UNDO), |place| {
        let repo = copy(&template);
        kill_and_unlock(&repo, &UNDO, place);
        repo.canonry(&["log", "--action", "late", "--id", "late"]).expect(0);
        repo.write(LESSONS, repo.text(LESSONS).replacen("# Ours", "# Ours, and by hand", 1));
        let ran = repo.undo(&[]);
        assert!(matches!(ran.status, 0 | 5), "{place:?}: {ran:?}");
        let now = repo.lines();
        assert_eq!(now.len(), lines.len() + 1, "{place:?}: {now:?}");
        assert!(now.values().all(|count| *count == 1), "{place:?}: {now:?}");
        assert_eq!(repo.text(LESSONS), "# Ours, and by hand\n", "{place:?}");
    });
}
