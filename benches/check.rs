//! Scaling of a check: wall time, CPU and memory by the number of skills, in `agent/skills` and in `.agents/skills`;
//! and the time of a pre-commit hook for one changed skill.
//!
//! Also counts the instructions of a check of 1,000 skills on one thread, which do not depend on the load of the machine, and
//! prints the recorded count from `instructions.tsv`.
//!
//! `cargo bench --bench check -- [SKILLS…]`; needs python3, git, GNU time, and `../shared/bench` (or `CANONRY_SHARED`).
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const RUNS: usize = 5;

fn main() {
    let args: Vec<usize> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let sizes = if args.is_empty() { vec![1_000, 2_000, 4_000, 8_000, 16_000] } else { args };
    let given = std::env::var_os("CANONRY_SHARED").map(PathBuf::from);
    let shared = given.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    let generator = shared.join("bench/gen_skills.py");
    if !generator.is_file() || !Path::new("/usr/bin/time").is_file() {
        println!("skipped: no {}, or no GNU time", generator.display());
        return;
    }
    for root in ["agent/skills", ".agents/skills"] {
        for size in &sizes {
            whole(&generator, *size, root);
        }
    }
    for size in &sizes {
        hook(&generator, *size);
    }
    instructions(&generator);
}

/// Counted by callgrind, if it is installed.
fn instructions(generator: &Path) {
    let dir = skills(generator, 1_000, "agent/skills");
    let mut command = Command::new("valgrind");
    command
        .current_dir(dir.path())
        .env("RAYON_NUM_THREADS", "1")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    let Ok(ran) = command.args([env!("CARGO_BIN_EXE_canonry"), "check"]).output() else {
        println!("no valgrind: instructions are not counted");
        return;
    };
    let output = String::from_utf8_lossy(&ran.stderr);
    let count = output.lines().find_map(|line| line.split_once("refs:")).map_or("", |(_, count)| count.trim());
    let recorded = include_str!("instructions.tsv").lines().last().unwrap_or_default().replace('\t', " ");
    println!("check of 1,000 skills: {count} instructions; recorded: {recorded}");
}

/// The medians of wall and CPU time in milliseconds, and the peak memory in megabytes.
fn measured(dir: &Path, program: &str, args: &[&str]) -> (f64, f64, f64) {
    let mut walls = Vec::new();
    let mut cpus = Vec::new();
    let mut peak: f64 = 0.0;
    for _ in 0..RUNS {
        let mut command = Command::new("/usr/bin/time");
        command.current_dir(dir).args(["-f", "%e %U %S %M", program]).args(args).stdout(Stdio::null());
        let begin = std::time::Instant::now();
        let ran = command.output().unwrap();
        walls.push(begin.elapsed().as_secs_f64() * 1e3);
        let last = String::from_utf8_lossy(&ran.stderr).lines().last().unwrap_or_default().to_owned();
        let figures: Vec<f64> = last.split(' ').filter_map(|figure| figure.parse().ok()).collect();
        cpus.push((figures[1] + figures[2]) * 1e3);
        peak = peak.max(figures[3] / 1024.0);
    }
    walls.sort_by(f64::total_cmp);
    cpus.sort_by(f64::total_cmp);
    (walls[RUNS / 2], cpus[RUNS / 2], peak)
}

fn git(dir: &Path, args: &[&str]) {
    let mut git = Command::new("git");
    git.current_dir(dir).args(["-c", "user.name=U", "-c", "user.email=u@example.com"]).args(args);
    assert!(git.stdout(Stdio::null()).status().unwrap().success(), "git {args:?}");
}

fn skills(generator: &Path, size: usize, root: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let made = Command::new("python3").arg(generator).arg(dir.path()).arg(size.to_string()).arg(root).status();
    assert!(made.unwrap().success());
    git(dir.path(), &["init", "-q"]);
    dir
}

fn whole(generator: &Path, size: usize, root: &str) {
    let dir = skills(generator, size, root);
    let (wall, cpu, peak) = measured(dir.path(), env!("CARGO_BIN_EXE_canonry"), &["check", root]);
    let each = cpu * 1e3 / size as f64;
    println!("{root:14} {size:6} skills: {wall:7.1} ms, CPU {cpu:6.0} ms ({each:5.1} us a skill), {peak:5.1} MB");
}

fn hook(generator: &Path, size: usize) {
    let dir = skills(generator, size, "agent/skills");
    git(dir.path(), &["add", "-A"]);
    git(dir.path(), &["commit", "-qm", "begin"]);
    git(dir.path(), &["gc", "-q"]);
    let first = std::fs::read_dir(dir.path().join("agent/skills")).unwrap().next().unwrap().unwrap().path();
    let document = first.join("SKILL.md");
    std::fs::write(&document, std::fs::read_to_string(&document).unwrap() + "\nOne line more.\n").unwrap();
    git(dir.path(), &["add", "-A"]);
    let (wall, cpu, peak) = measured(dir.path(), env!("CARGO_BIN_EXE_canonry"), &["check", "--staged"]);
    let (yard, ..) = measured(dir.path(), "git", &["diff", "--cached", "--name-only"]);
    println!(
        "--staged       {size:6} skills: {wall:7.1} ms, CPU {cpu:6.0} ms, {peak:5.1} MB; `git diff --cached` {yard:.1} ms"
    );
}
