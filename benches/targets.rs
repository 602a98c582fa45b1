//! `sync` to twenty targets, of which two are rows of the config, next to `cp -a` twenty times.
//!
//! `cargo bench --bench targets [-- SKILLS [RUNS]]`; 1,000 skills and 3 runs by default.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::{median, timed};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const KNOWN: [&str; 18] = [
    "claude",
    "gemini",
    "cursor",
    "codex",
    "antigravity",
    "agents",
    "copilot",
    "opencode",
    "cline",
    "windsurf",
    "kiro",
    "junie",
    "goose",
    "qwen",
    "factory",
    "devin",
    "roo",
    "continue",
];
/// Rows of the config.
const OWN: [&str; 2] = ["foo", "bar"];

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let skills = numbers.first().copied().unwrap_or(1000);
    let runs = numbers.get(1).copied().unwrap_or(3);
    let folder = tempfile::tempdir().unwrap();
    let mut fresh = Vec::new();
    let mut copies = Vec::new();
    let mut no_op = Vec::new();
    let mut status = Vec::new();
    for run in 0..runs {
        // New folders in each run: ext4 is slow to reuse inodes that were freed recently.
        let root = folder.path().join(format!("repo-{run}"));
        make(&root, skills);
        copies.push(copy(&root, &folder.path().join(format!("copies-{run}"))));
        fresh.push(timed(&mut ours(&root)));
        for _ in 0..runs {
            status.push(timed(program("git", &root).args(["status", "--porcelain"])));
            no_op.push(timed(&mut ours(&root)));
        }
        std::fs::remove_dir_all(&root).unwrap();
    }
    println!("{skills} skills, {} targets, medians of {runs} runs", KNOWN.len() + OWN.len());
    compare("fresh sync", median(fresh), "cp -a twenty times", median(copies));
    compare("no-op sync", median(no_op), "git status", median(status));
}

fn make(root: &Path, skills: usize) {
    for at in 0..skills {
        let folder = root.join(format!("agent/skills/skill-{at:05}"));
        std::fs::create_dir_all(folder.join("references")).unwrap();
        let body = format!("Step {at}: collect the ledger, compare it and record the count.\n").repeat(60);
        let text = format!("---\nname: skill-{at:05}\ndescription: Does {at}. Use for {at}.\n---\n\n{body}");
        std::fs::write(folder.join("SKILL.md"), text).unwrap();
        std::fs::write(folder.join("references/guide.md"), format!("# Guide {at}\n")).unwrap();
    }
    let known: String = KNOWN.iter().map(|name| format!("  {name}:\n")).collect();
    let own: String = OWN.iter().map(|name| format!("  {name}: {{skills: .{name}/skills}}\n")).collect();
    std::fs::write(root.join("agent/canonry.yaml"), format!("targets:\n{known}{own}")).unwrap();
    timed(program("git", root).args(["init", "-q"]));
}

fn copy(root: &Path, copies: &Path) -> Duration {
    let begin = Instant::now();
    for at in 0..KNOWN.len() + OWN.len() {
        let to = copies.join(at.to_string());
        std::fs::create_dir_all(&to).unwrap();
        timed(program("cp", root).arg("-a").arg("agent/skills").arg(to));
    }
    begin.elapsed()
}

fn ours(root: &Path) -> Command {
    let mut command = program(env!("CARGO_BIN_EXE_canonry"), root);
    command.arg("sync");
    command
}

fn program(program: &str, root: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    command.env("HOME", root).env("GIT_CONFIG_NOSYSTEM", "1").stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn compare(name: &str, ours: Duration, other: &str, theirs: Duration) {
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    println!("{name:12} {:9.1} ms   {other} {:9.1} ms   ratio {ratio:.2}", ms(ours), ms(theirs));
}
