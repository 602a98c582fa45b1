//! A dream compared with the oracle, on generated logs of four styles; single `canonry log` calls; and how long an append
//! waits while a dream runs.
//!
//! `cargo bench --bench dream -- [scale | writers | ROWS [STYLE…]]`. The oracle is
//! `bench/oracle_dream.py` in `$CANONRY_SHARED` (default `../shared`), if it is there. `scale` measures the dream alone, with 10^4, 10^5 and 10^6 rows.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;

use canonry_app::{
    Basis, Environment, Quiet, Workspace,
    log::{self, LogEpisodeRequest},
};
use canonry_testing::episodes::{self, Options, Style};
use common::{median, timed};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const NOW: &str = "2026-05-01T03:00:00+00:00";
const LOG: &str = "agent/memory/episodic/AGENT_LEARNINGS.jsonl";
const STYLES: [&str; 4] = ["mixed", "curated", "hook", "unique"];
/// Row limit for the oracle, which keeps all rows in memory.
const ORACLE_LIMIT: usize = 1_000_000;
const SCALE: [usize; 3] = [10_000, 100_000, 1_000_000];
const WRITERS: usize = 32;
const APPENDS: usize = 1_000;
const CALLS: usize = 200;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let only = args.first().map(String::as_str);
    if only == Some("writers") {
        writers();
        return;
    }
    let rows: usize = args.first().filter(|_| only != Some("scale")).map_or(100_000, |rows| rows.parse().unwrap());
    let styles: Vec<&str> =
        if args.len() > 1 { args[1..].iter().map(String::as_str).collect() } else { STYLES.to_vec() };
    let given = std::env::var_os("CANONRY_SHARED").map(PathBuf::from);
    let shared = given.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    if only == Some("scale") {
        for style in ["mixed", "unique"] {
            SCALE.into_iter().for_each(|rows| night(&shared, rows, style));
        }
        return;
    }
    for style in styles {
        night(&shared, rows, style);
    }
    calls();
    waits(rows);
    writers();
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

fn generated(rows: usize, style: &str) -> Vec<u8> {
    let style = match style {
        "mixed" => Style::Mixed,
        "curated" => Style::Curated,
        "hook" => Style::Hook,
        "unique" => Style::Unique,
        _ => panic!("no style `{style}`: mixed, curated, hook or unique"),
    };
    episodes::log(&Options::new(rows, style))
}

fn canonry(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_canonry"));
    command.current_dir(dir).args(args).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Wall time and peak memory in megabytes of a command; the latter from GNU time, if installed.
fn measured(program: &str, args: &[&str], dir: &Path) -> (Duration, String) {
    let begin = Instant::now();
    let gnu = "/usr/bin/time";
    if !Path::new(gnu).is_file() {
        return (timed(Command::new(program).current_dir(dir).args(args).stdout(Stdio::null())), "?".to_owned());
    }
    let mut command = Command::new(gnu);
    command.current_dir(dir).args(["-f", "%M", program]).args(args).stdout(Stdio::null()).stderr(Stdio::piped());
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{program} {args:?}: {}", ran.status);
    let output = String::from_utf8_lossy(&ran.stderr).into_owned();
    let peak = output.lines().last().and_then(|line| line.trim().parse::<u64>().ok());
    (begin.elapsed(), peak.map_or("?".to_owned(), |kb| (kb / 1024).to_string()))
}

fn night(shared: &Path, rows: usize, style: &str) {
    let log = generated(rows, style);
    let dir = repository(&log);
    let look = ["dream", "--dry-run", "--now", NOW];
    let seed = [&look[..], &["--compat", "seed"]].concat();
    let runs = |args: &[&str]| median((0..3).map(|_| timed(&mut canonry(dir.path(), args))).collect());
    let ours = runs(&look);
    let ours_seed = runs(&seed);
    let program = env!("CARGO_BIN_EXE_canonry");
    let (_, peak) = measured(program, &look, dir.path());
    let (_, peak_seed) = measured(program, &seed, dir.path());
    // A full run with its commit, in a new repository each time, because a second dream has nothing to do.
    let whole = |_| timed(&mut canonry(repository(&log).path(), &["dream", "--now", NOW]));
    let whole = median((0..3).map(whole).collect());
    let script = shared.join("bench/oracle_dream.py");
    let oracle = (rows <= ORACLE_LIMIT && script.is_file()).then(|| {
        let args = [script.to_str().unwrap(), LOG, "--now", NOW];
        let (took, peak) = measured("python3", &args, dir.path());
        let times = took.as_secs_f64() / ours_seed.as_secs_f64();
        format!("{} ms, {peak} MB ({times:.1} times as long)", took.as_millis())
    });
    println!(
        "{style:8} {rows} rows, {} MB: dry run {} ms, {peak} MB; seed rules {} ms, {peak_seed} MB; oracle {}; night with its \
         commit {} ms",
        log.len() >> 20,
        ours.as_millis(),
        ours_seed.as_millis(),
        oracle.unwrap_or("skipped".to_owned()),
        whole.as_millis(),
    );
}

fn workspace(root: &Path) -> Workspace {
    let environment = Environment { cwd: root.to_owned(), ..Environment::isolated() };
    Workspace::open(&environment, &Basis::WorkTree).unwrap()
}

/// Appends an episode as `canonry log` does, within this process.
fn append(workspace: &Workspace, row: &str) {
    let request = LogEpisodeRequest { episode: log::parse_episode(row).unwrap(), ..LogEpisodeRequest::default() };
    log::run(workspace, &request, &Quiet).unwrap();
}

/// Writers append continuously while dreams run. Each dream has something to archive, so it replaces the log.
fn writers() {
    let dir = repository(b"");
    let row = |id: &str, at: &str| {
        format!("{{\"timestamp\":\"{at}\",\"id\":\"{id}\",\"action\":\"meanwhile\",\"pain_score\":1}}")
    };
    let done = AtomicBool::new(false);
    let mut waited: Vec<Duration> = Vec::new();
    let mut dreams: usize = 0;
    std::thread::scope(|scope| {
        let write = |writer: usize| {
            let workspace = workspace(dir.path());
            move || {
                let once = |at: usize| {
                    let line = row(&format!("w{writer}-{at}"), NOW);
                    let begin = Instant::now();
                    append(&workspace, &line);
                    let waited = begin.elapsed();
                    std::thread::sleep(Duration::from_millis(2));
                    waited
                };
                (0..APPENDS).map(once).collect::<Vec<_>>()
            }
        };
        let handles: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(write(writer))).collect();
        let dreaming = scope.spawn(|| {
            let workspace = workspace(dir.path());
            let mut dreams = 0;
            while !done.load(Ordering::Relaxed) {
                append(&workspace, &row(&format!("old{dreams}"), "2025-01-01T00:00:00Z"));
                timed(&mut canonry(dir.path(), &["dream", "--no-commit", "--now", NOW]));
                dreams += 1;
            }
            dreams
        });
        waited = handles.into_iter().flat_map(|handle| handle.join().unwrap()).collect();
        done.store(true, Ordering::Relaxed);
        dreams = dreaming.join().unwrap();
    });
    let text = std::fs::read_to_string(dir.path().join(LOG)).unwrap();
    let rows: Vec<serde_json::Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let ids: std::collections::HashSet<&str> = rows.iter().filter_map(|row| row["id"].as_str()).collect();
    let kept = ids.iter().filter(|id| id.starts_with('w')).count();
    waited.sort();
    let at = |part: usize| waited[(waited.len() - 1) * part / 100].as_secs_f64() * 1e3;
    println!(
        "{WRITERS} writers x {APPENDS} appends during {dreams} dreams: {} lost, {} torn; an append took {:.2} ms (median), \
         {:.2} ms (99th percentile), {:.2} ms at most",
        WRITERS * APPENDS - kept,
        text.lines().count() - rows.len(),
        at(50),
        at(99),
        at(100)
    );
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

/// Appends continuously while a dream replaces the log.
fn waits(rows: usize) {
    let dir = repository(&generated(rows, "mixed"));
    let row = format!("{{\"timestamp\":\"{NOW}\",\"action\":\"meanwhile\"}}");
    let done = AtomicBool::new(false);
    let mut waited: Vec<Duration> = Vec::new();
    let mut dream = Duration::ZERO;
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let workspace = workspace(dir.path());
            let mut waited = Vec::new();
            while !done.load(Ordering::Relaxed) {
                let begin = Instant::now();
                append(&workspace, &row);
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
