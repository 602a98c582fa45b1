//! Writers and dreams at the same time.

use crate::repo::Repo;
use crate::team::{LOG, NOW, row, rows, team};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const WRITERS: usize = 32;

/// Each row once, none torn.
fn assert_all(repo: &Repo, rows_each: usize) {
    let lines = repo.lines();
    for writer in 0..WRITERS {
        for at in 0..rows_each {
            let id = format!("\"id\":\"w{writer}-{at}\"");
            let found: Vec<usize> = lines
                .iter()
                .filter(|(line, _)| String::from_utf8_lossy(line).replace(": ", ":").contains(&id))
                .map(|(_, n)| *n)
                .collect();
            assert_eq!(found, [1], "{id}");
        }
    }
}

/// Dreams until the writers are done; each has something to archive, so that the log is replaced each time.
fn dream_meanwhile(repo: &Repo, write: impl Fn(usize) + Sync) -> usize {
    dream_and_then(repo, write, || {})
}

fn dream_and_then(repo: &Repo, write: impl Fn(usize) + Sync, then: impl Fn() + Sync) -> usize {
    let done = AtomicBool::new(false);
    let mut dreams = 0;
    thread::scope(|scope| {
        let handles: Vec<_> = (0..WRITERS)
            .map(|writer| {
                scope.spawn({
                    let write = &write;
                    move || write(writer)
                })
            })
            .collect();
        let dreaming = scope.spawn(|| {
            let mut dreams = 0;
            while !done.load(Ordering::Relaxed) {
                repo.canonry(&["log", "--action", "old", "--timestamp", "2025-01-01T00:00:00Z", "--pain", "1"])
                    .expect(0);
                let did = repo.dreamt(&["--no-commit"]);
                assert!(!did["archived"].as_array().unwrap().is_empty());
                then();
                dreams += 1;
            }
            dreams
        });
        handles.into_iter().for_each(|handle| handle.join().unwrap());
        done.store(true, Ordering::Relaxed);
        dreams = dreaming.join().unwrap();
    });
    dreams
}

#[test]
fn thirty_two_writers_that_log() {
    let repo = team(rows());
    let dreams = dream_meanwhile(&repo, |writer| {
        for at in 0..12 {
            let id = format!("w{writer}-{at}");
            repo.canonry(&["log", "--action", "work", "--id", &id, "--timestamp", NOW]).expect(0);
        }
    });
    assert!(dreams > 1, "{dreams}");
    assert_all(&repo, 12);
}

fn append(log: &Path, line: &str) {
    let mut file = OpenOptions::new().append(true).open(log).unwrap();
    file.write_all(line.as_bytes()).unwrap();
}

#[test]
fn thirty_two_writers_that_know_nothing_of_locks() {
    let repo = team(rows());
    let log = repo.path(LOG);
    let dreams = dream_meanwhile(&repo, |writer| {
        for at in 0..100 {
            append(&log, &row(&format!("w{writer}-{at}"), 0, "work", 5));
            thread::sleep(std::time::Duration::from_millis(10));
        }
    });
    assert!(dreams > 1, "{dreams}");
    assert_all(&repo, 100);
}

/// Half of them know of our lock, half do not; each dream is taken back, so that the log is replaced twice as often.
#[test]
fn thirty_two_writers_while_dreams_are_taken_back() {
    let repo = team(rows());
    let log = repo.path(LOG);
    let back = || {
        repo.undo(&["--no-commit"]).expect(0);
    };
    let write = |writer: usize| {
        for at in 0..10 {
            let id = format!("w{writer}-{at}");
            if writer.is_multiple_of(2) {
                repo.canonry(&["log", "--action", "work", "--id", &id, "--timestamp", NOW]).expect(0);
            } else {
                append(&log, &row(&id, 0, "work", 5));
                thread::sleep(std::time::Duration::from_millis(90));
            }
        }
    };
    let dreams = dream_and_then(&repo, write, back);
    assert!(dreams > 1, "{dreams}");
    assert_all(&repo, 10);
    assert!(repo.text(LOG).starts_with(&rows()));
}
