//! A night beside the oracle, on generated logs of four styles; `canonry log` call by call; and how long an append waits
//! while a dream runs.
//!
//! `cargo bench --bench dream -- [ROWS [STYLE…]]`; needs python3 and `../shared/bench` (or `CANONRY_SHARED`).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;
#[path = "../tests/common/grouping.rs"]
mod grouping;

use canonry::apply::log::append;
use common::{median, timed};
use grouping::{patterns, quality, rows_of};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const NOW: &str = "2026-05-01T03:00:00+00:00";
const LOG: &str = "agent/memory/episodic/AGENT_LEARNINGS.jsonl";
const STYLES: [&str; 4] = ["mixed", "curated", "hook", "unique"];
/// Rows that the oracle, which holds all of them, is still asked for.
const ORACLE_LIMIT: usize = 200_000;
const CALLS: usize = 200;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let rows: usize = args.first().map_or(100_000, |rows| rows.parse().unwrap());
    let styles: Vec<&str> =
        if args.len() > 1 { args[1..].iter().map(String::as_str).collect() } else { STYLES.to_vec() };
    let given = std::env::var_os("CANONRY_SHARED").map(PathBuf::from);
    let shared = given.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    if !shared.join("bench/gen_episodes.py").is_file() {
        println!("skipped: no {}", shared.join("bench/gen_episodes.py").display());
        return;
    }
    for style in styles {
        night(&shared, rows, style);
    }
    for style in ["curated", "mixed"] {
        grouping(&shared, rows.min(20_000), style);
    }
    found(&shared);
    calls();
    waits(&shared, rows);
}

fn repository(log: &[u8]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for args in [&["init", "-q"][..], &["config", "user.name", "U"], &["config", "user.email", "u@example.com"]] {
        assert!(Command::new("git").args(args).current_dir(dir.path()).status().unwrap().success());
    }
    let log_file = dir.path().join(LOG);
    std::fs::create_dir_all(log_file.parent().unwrap()).unwrap();
    std::fs::write(log_file, log).unwrap();
    dir
}

fn generated(shared: &Path, rows: usize, style: &str) -> Vec<u8> {
    let script = shared.join("bench/gen_episodes.py");
    let made = Command::new("python3").arg(script).args([&rows.to_string(), "--style", style]).output().unwrap();
    assert!(made.status.success());
    made.stdout
}

fn canonry(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_canonry"));
    command.current_dir(dir).args(args).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Kilobytes that a run takes at its peak, by GNU time; `None` where that is not here.
fn peak(dir: &Path, args: &[&str]) -> Option<u64> {
    let mut command = Command::new("/usr/bin/time");
    command.current_dir(dir).args(["-f", "%M", env!("CARGO_BIN_EXE_canonry")]).args(args).stdout(Stdio::null());
    let ran = command.output().ok()?;
    String::from_utf8(ran.stderr).ok()?.lines().last()?.trim().parse().ok()
}

fn night(shared: &Path, rows: usize, style: &str) {
    let log = generated(shared, rows, style);
    let dir = repository(&log);
    let look = ["dream", "--dry-run", "--now", NOW];
    let seed = [&look[..], &["--compat", "seed"]].concat();
    let runs = |args: &[&str]| median((0..3).map(|_| timed(&mut canonry(dir.path(), args))).collect());
    let (ours, ours_seed) = (runs(&look), runs(&seed));
    let peak = peak(dir.path(), &look).map_or("?".to_owned(), |kb| format!("{} MB", kb / 1024));
    let oracle = (rows <= ORACLE_LIMIT).then(|| {
        let mut python = Command::new("python3");
        python.arg(shared.join("bench/oracle_dream.py")).arg(dir.path().join(LOG)).args(["--now", NOW]);
        timed(python.stdout(Stdio::null()))
    });
    // For good, with the commit: fresh each time, as the second night has nothing to do.
    let whole = |_| timed(&mut canonry(repository(&log).path(), &["dream", "--now", NOW]));
    let whole = median((0..3).map(whole).collect());
    let oracle = oracle.map_or("not asked".to_owned(), |oracle| {
        format!("{} ms (ours {:.3} of it)", oracle.as_millis(), ours_seed.as_secs_f64() / oracle.as_secs_f64())
    });
    println!(
        "{style:8} {rows} rows, {} MB: dry run {} ms, {peak}; seed's rules {} ms; oracle {oracle}; night with its commit {} ms",
        log.len() >> 20,
        ours.as_millis(),
        ours_seed.as_millis(),
        whole.as_millis(),
    );
}

fn grouping(shared: &Path, rows: usize, style: &str) {
    let quality = quality(&generated(shared, rows, style));
    println!(
        "grouping, {style:8} {rows} rows: pair precision {:.3}, recall {:.3}, {} patterns",
        quality.precision, quality.recall, quality.patterns
    );
}

/// Logs of people's, of which nobody has said what belongs together.
fn found(shared: &Path) {
    let folder = shared.join("corpus/dev/_other/memory");
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().flatten() {
        if entry.path().extension().is_some_and(|end| end == "jsonl") {
            let rows = rows_of(&std::fs::read(entry.path()).unwrap());
            let patterns = patterns(&rows);
            let most = patterns.iter().map(|pattern| pattern.rows.len()).max().unwrap_or(0);
            let name = entry.file_name().to_string_lossy();
            println!("grouping, {name}: {} rows, {} patterns, the largest of {most}", rows.len(), patterns.len());
        }
    }
}

fn calls() {
    let dir = repository(b"");
    let log = ["log", "--skill", "s", "--action", "a", "--result", "failure"];
    let mut ours: Vec<Duration> = (0..CALLS).map(|_| timed(&mut canonry(dir.path(), &log))).collect();
    let nothing = median((0..CALLS).map(|_| timed(&mut Command::new("true"))).collect());
    ours.sort();
    println!(
        "log: median {:.2} ms, 99th percentile {:.2} ms a call; starting `true` {:.2} ms",
        ours[CALLS / 2].as_secs_f64() * 1e3,
        ours[CALLS * 99 / 100].as_secs_f64() * 1e3,
        nothing.as_secs_f64() * 1e3
    );
}

/// Appends through the same lock as `canonry log` takes, as fast as they go, for as long as a dream that replaces the
/// log takes.
fn waits(shared: &Path, rows: usize) {
    let dir = repository(&generated(shared, rows, "mixed"));
    let row = format!("{{\"timestamp\":\"{NOW}\",\"action\":\"meanwhile\"}}");
    let done = AtomicBool::new(false);
    let mut waited: Vec<Duration> = Vec::new();
    let mut dream = Duration::ZERO;
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut waited = Vec::new();
            while !done.load(Ordering::Relaxed) {
                let begin = Instant::now();
                append(&dir.path().join(".git"), &dir.path().join(LOG), row.as_bytes()).unwrap();
                waited.push(begin.elapsed());
                std::thread::sleep(Duration::from_millis(1));
            }
            waited
        });
        dream = timed(&mut canonry(dir.path(), &["dream", "--no-commit", "--now", NOW]));
        done.store(true, Ordering::Relaxed);
        waited = writer.join().unwrap();
    });
    waited.sort();
    let text = std::fs::read_to_string(dir.path().join(LOG)).unwrap();
    assert_eq!(text.matches("meanwhile").count(), waited.len(), "appended rows are kept");
    let at = |part: usize| waited[(waited.len() - 1) * part / 100].as_secs_f64() * 1e3;
    println!(
        "{} appends during a dream of {} ms on {rows} rows: median {:.2} ms, 99th percentile {:.2} ms, longest {:.2} ms",
        waited.len(),
        dream.as_millis(),
        at(50),
        at(99),
        at(100)
    );
}
