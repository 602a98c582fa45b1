//! Concurrent writers and dreams.

use crate::dream::team::{LOG, NOW, row, rows, team};
use crate::support::repo::Repo;
use serde_json::Value;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

const WRITERS: usize = 32;
/// Rows per writer in the tests that start no process per row.
const ROWS: usize = 200;

/// Asserts that the log and the snapshots have each row of the writers exactly once, and no incomplete row.
fn assert_all(repo: &Repo, rows_each: usize) {
    let mut found: HashMap<String, usize> = HashMap::new();
    for (line, count) in repo.lines() {
        let row: Value =
            serde_json::from_slice(&line).unwrap_or_else(|e| panic!("torn: {e}: {}", String::from_utf8_lossy(&line)));
        if let Some(id) = row["id"].as_str().filter(|id| id.starts_with('w')) {
            *found.entry(id.to_owned()).or_default() += count;
        }
    }
    let wanted = (0..WRITERS).flat_map(|writer| (0..rows_each).map(move |at| format!("w{writer}-{at}")));
    let wrong: Vec<_> =
        wanted.map(|id| (found.remove(&id).unwrap_or(0), id)).filter(|(count, _)| *count != 1).collect();
    assert!(wrong.is_empty(), "{} rows lost or doubled: {:?}", wrong.len(), &wrong[..wrong.len().min(20)]);
    assert!(found.is_empty(), "{found:?}");
}

/// Stops the writers from waiting if the dreaming thread panics.
struct SetWhenDropped<'a>(&'a AtomicBool);

impl Drop for SetWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Dreams until the writers are done; each dream has a row to archive, so that it replaces the log. Halfway, the
/// writers wait for the first dream, so that a second one overlaps with the rest of their rows.
fn dream_meanwhile(repo: &Repo, rows_each: usize, write: impl Fn(usize, usize) + Sync) {
    dream_and_then(repo, rows_each, write, || {});
}

fn dream_and_then(repo: &Repo, rows_each: usize, write: impl Fn(usize, usize) + Sync, then: impl Fn() + Sync) {
    let done = AtomicBool::new(false);
    let is_over = AtomicBool::new(false);
    let dreams = AtomicUsize::new(0);
    let write = &write;
    let dreams = &dreams;
    let is_over = &is_over;
    thread::scope(|scope| {
        let writer = |writer| {
            move || {
                for at in 0..rows_each {
                    while at == rows_each / 2 && dreams.load(Ordering::Acquire) == 0 && !is_over.load(Ordering::Acquire)
                    {
                        thread::sleep(Duration::from_millis(5));
                    }
                    write(writer, at);
                }
            }
        };
        let handles: Vec<_> = (0..WRITERS).map(|nth| scope.spawn(writer(nth))).collect();
        let dreaming = scope.spawn(|| {
            let _over = SetWhenDropped(is_over);
            while !done.load(Ordering::Relaxed) {
                repo.canonry(&["log", "--action", "old", "--timestamp", "2025-01-01T00:00:00Z", "--pain", "1"])
                    .expect(0);
                let did = repo.dream_json(&["--no-commit"]);
                assert!(!did["archived"].as_array().unwrap().is_empty());
                then();
                dreams.fetch_add(1, Ordering::Release);
            }
        });
        let wrote: Vec<_> = handles.into_iter().map(|handle| handle.join()).collect();
        done.store(true, Ordering::Relaxed);
        dreaming.join().unwrap();
        wrote.into_iter().for_each(|wrote| wrote.unwrap());
    });
    let dreams = dreams.load(Ordering::Acquire);
    eprintln!("{WRITERS} writers x {rows_each} rows, {dreams} dreams meanwhile");
    assert!(dreams > 1, "{dreams}");
}

#[test]
#[ignore = "slow: starts 384 processes, run by .ci/nightly"]
fn nightly_thirty_two_processes_log_during_dreams() {
    let repo = team(rows());
    dream_meanwhile(&repo, 12, |writer, at| {
        let id = format!("w{writer}-{at}");
        repo.canonry(&["log", "--action", "work", "--id", &id, "--timestamp", NOW]).expect(0);
    });
    assert_all(&repo, 12);
}

fn raw(log: &Path, line: &str) {
    let mut file = OpenOptions::new().append(true).open(log).unwrap();
    file.write_all(line.as_bytes()).unwrap();
}

#[test]
fn thirty_two_writers_without_locks_lose_no_row() {
    let repo = team(rows());
    let log = repo.path(LOG);
    dream_meanwhile(&repo, ROWS, |writer, at| {
        raw(&log, &row(&format!("w{writer}-{at}"), 0, "work", 5));
        thread::sleep(Duration::from_millis(1));
    });
    assert_all(&repo, ROWS);
}

/// Takes the lock of `canonry log`, without starting a process for each row.
#[test]
fn thirty_two_writers_with_the_lock_lose_no_row() {
    let repo = team(rows());
    let git_dir = repo.path(".git");
    let log = repo.path(LOG);
    std::fs::create_dir_all(git_dir.join("canonry")).unwrap();
    dream_meanwhile(&repo, ROWS, |writer, at| {
        let lock =
            File::options().create(true).truncate(false).write(true).open(git_dir.join("canonry/log.lock")).unwrap();
        lock.lock().unwrap();
        raw(&log, &row(&format!("w{writer}-{at}"), 0, "work", 5));
    });
    assert_all(&repo, ROWS);
}

/// Opens the log before a dream replaces it, and writes long after that.
#[test]
#[cfg(target_os = "linux")]
fn a_row_written_to_a_replaced_log_is_kept() {
    let repo = team(rows());
    let script = "exec 3>>\"$0\"; echo open; sleep 0.7; printf '%s' \"$1\" >&3";
    let late = row("w0-0", 0, "work", 5);
    let mut child =
        Command::new("sh").args(["-c", script]).arg(repo.path(LOG)).arg(&late).stdout(Stdio::piped()).spawn().unwrap();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    assert!(!repo.dream_json(&["--no-commit"])["archived"].as_array().unwrap().is_empty());
    child.wait().unwrap();
    assert!(repo.text(LOG).ends_with(&late), "{}", repo.text(LOG));
}

/// The dream does not wait forever for a writer that never closes the log, and names it.
#[test]
#[cfg(target_os = "linux")]
fn a_writer_that_keeps_the_log_open_is_reported() {
    let repo = team(rows());
    let mut child = Command::new("sh")
        .args(["-c", "exec 3>>\"$0\"; echo open; read line"])
        .arg(repo.path(LOG))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    let message = format!("Process {} still has the previous {LOG} open", child.id());
    repo.dream(&[]).expect(0).says(&[&message, "Make it reopen the log"]);
    drop(child.stdin.take());
    child.wait().unwrap();
}

/// Half of the writers use the lock. Each dream is undone, so that the log is replaced twice as often.
#[test]
fn thirty_two_writers_during_dreams_and_undos_lose_no_row() {
    let repo = team(rows());
    let log = repo.path(LOG);
    let undo = || {
        repo.undo(&["--no-commit"]).expect(0);
    };
    let write = |writer: usize, at: usize| {
        let id = format!("w{writer}-{at}");
        if writer.is_multiple_of(2) {
            repo.canonry(&["log", "--action", "work", "--id", &id, "--timestamp", NOW]).expect(0);
        } else {
            raw(&log, &row(&id, 0, "work", 5));
            thread::sleep(Duration::from_millis(90));
        }
    };
    dream_and_then(&repo, 10, write, undo);
    assert_all(&repo, 10);
    assert!(repo.text(LOG).starts_with(&rows()));
}
