//! Commits ten changed files among 13,000 by path: canonry against `git commit --only`, process against process.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::{median, timed};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use canonry_app::Environment;
use canonry_app::commit::{self, CommitRequest, CommitSelection, GitHooks};
use gix::bstr::BString;

const FOLDERS: usize = 1000;
const FILES: usize = 13;
const CHANGED: usize = 10;
const RUNS: usize = 15;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.split_first() {
        Some((first, paths)) if first == "commit-here" => commit_here(paths),
        _ => compare(),
    }
}

/// The measured process: opens the repository and commits.
fn commit_here(paths: &[String]) {
    let environment = Environment { cwd: ".".into(), ..Environment::isolated() };
    let paths: Vec<BString> = paths.iter().map(|path| path.as_str().into()).collect();
    let request = CommitRequest { selection: CommitSelection::Literal(&paths), message: "ours", hooks: GitHooks::Run };
    let done = commit::run(&environment, &request).unwrap().unwrap();
    assert_eq!(done.changes.len(), CHANGED);
}

fn compare() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    make_repository(root);
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    for run in 0..RUNS {
        let paths = edit(root, 2 * run);
        let mut command = hermetic(root, std::env::current_exe().unwrap());
        ours.push(timed(command.arg("commit-here").args(paths)));
        let paths = edit(root, 2 * run + 1);
        let mut command = hermetic(root, "git");
        theirs.push(timed(command.args(["commit", "-q", "--only", "-m", "theirs", "--"]).args(paths)));
    }
    let commits = hermetic(root, "git").args(["rev-list", "--count", "HEAD"]).output().unwrap();
    assert_eq!(commits.stdout, format!("{}\n", 2 * RUNS + 1).into_bytes());
    let ours = median(ours);
    let theirs = median(theirs);
    println!("{CHANGED} changed of {} files, medians of {RUNS} runs", FOLDERS * FILES);
    println!("ours              {:6.1} ms", ours.as_secs_f64() * 1e3);
    println!("git commit --only {:6.1} ms", theirs.as_secs_f64() * 1e3);
    println!("ratio             {:6.2}", ours.as_secs_f64() / theirs.as_secs_f64());
}

fn make_repository(root: &Path) {
    for folder in 0..FOLDERS {
        let dir = root.join(format!("agent/skills/skill-{folder:04}"));
        std::fs::create_dir_all(&dir).unwrap();
        for file in 0..FILES {
            std::fs::write(dir.join(format!("{file:02}.md")), format!("{folder} {file}\n").repeat(20)).unwrap();
        }
    }
    for args in [
        &["init", "-q"][..],
        &["config", "user.name", "U"],
        &["config", "user.email", "u@example.com"],
        &["config", "gc.auto", "0"],
        &["add", "-A"],
        &["commit", "-qm", "init"],
        &["gc", "-q"],
    ] {
        timed(hermetic(root, "git").args(args));
    }
    // An entry as new as the index would be compared by content.
    std::thread::sleep(Duration::from_millis(1100));
    timed(hermetic(root, "git").args(["update-index", "-q", "--really-refresh", "--force-write-index"]));
}

/// Changes one file in each of several folders, and returns the paths.
fn edit(root: &Path, round: usize) -> Vec<String> {
    let paths = (0..CHANGED).map(|n| {
        let folder = (n * FOLDERS / CHANGED + round) % FOLDERS;
        let path = format!("agent/skills/skill-{folder:04}/03.md");
        std::fs::write(root.join(&path), format!("edit {round} of {n}\n")).unwrap();
        path
    });
    paths.collect()
}

fn hermetic(root: &Path, program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(root)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", root)
        .env("GIT_CONFIG_NOSYSTEM", "1");
    command
}
