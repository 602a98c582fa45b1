//! `check` and `sync` on generated skills, each compared with a yardstick in the same run, process against process.
//!
//! `cargo bench --bench spine [-- SKILLS [RUNS]]`; 5,000 skills and 5 runs by default. GNU `time`, if installed, measures
//! the peak memory, `strace` the number of opened files.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::{median, timed};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TARGETS: [&str; 5] = [".claude", ".gemini", ".cursor", ".codex", ".antigravity"];
/// Bytes of a generated SKILL.md, the median of real skills.
const DOCUMENT: usize = 4000;

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let skills = numbers.first().copied().unwrap_or(5000);
    let runs = numbers.get(1).copied().unwrap_or(5);
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench { root: folder.path().join("repo"), copies: folder.path().join("copies"), runs };
    println!("{skills} skills, 5 mirrors, medians of {runs} runs");
    bench.make(skills);
    bench.check("check, canon alone", &["check"]);
    bench.fresh();
    bench.commit_all();
    bench.check("check with mirrors", &["check"]);
    bench.check("check --staged", &["check", "--staged"]);
    bench.check("check --rev HEAD", &["check", "--rev", "HEAD"]);
    bench.no_op("no-op sync");
    bench.edit(10);
    bench.staged();
    bench.links();
    bench.opens(skills);
}

struct Bench {
    root: PathBuf,
    copies: PathBuf,
    runs: usize,
}

impl Bench {
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        command.env("HOME", &self.root).env("GIT_CONFIG_NOSYSTEM", "1").stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn ours(&self, args: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_canonry"));
        command.args(args);
        command
    }

    fn git(&self, args: &[&str]) -> Command {
        let mut command = self.command("git");
        command.args(args);
        command
    }

    fn make(&self, skills: usize) {
        for at in 0..skills {
            write_skill(&self.root.join(format!("agent/skills/skill-{at:05}")), at);
        }
        for args in [
            &["init", "-q"][..],
            &["config", "user.name", "U"],
            &["config", "user.email", "u@example.com"],
            &["config", "gc.auto", "0"],
            &["add", "-A"],
            &["commit", "-qm", "init"],
        ] {
            timed(&mut self.git(args));
        }
    }

    fn check(&self, name: &str, args: &[&str]) {
        flush();
        let time = median((0..self.runs).map(|_| timed(&mut self.ours(args))).collect());
        println!("{name:22} {:8.1} ms   peak {}", ms(time), self.peak(args));
    }

    /// Each run uses new folders: ext4 is slow to reuse inodes that were freed recently.
    fn fresh(&self) {
        let mut ours = Vec::new();
        let mut theirs = Vec::new();
        for run in 0..self.runs.min(3) {
            let root = self.copies.join(format!("repo-{run}"));
            std::fs::create_dir_all(&self.copies).unwrap();
            timed(self.command("cp").arg("-a").arg(&self.root).arg(&root));
            flush();
            theirs.push(self.copy_five_times(&self.copies.join(format!("copies-{run}"))));
            flush();
            ours.push(timed(self.ours(&["sync"]).current_dir(root)));
        }
        compare("fresh sync", median(ours), "cp -a five times", median(theirs));
    }

    fn copy_five_times(&self, copies: &Path) -> Duration {
        let begin = Instant::now();
        for target in TARGETS {
            let to = copies.join(target);
            std::fs::create_dir_all(&to).unwrap();
            timed(self.command("cp").arg("-a").arg("agent/skills").arg(to));
        }
        begin.elapsed()
    }

    fn commit_all(&self) {
        timed(&mut self.ours(&["sync", "--commit"]));
        self.refresh(&self.root);
    }

    /// The state after a commit by git: the index has cached trees and the stat of every file.
    fn refresh(&self, root: &Path) {
        timed(self.git(&["write-tree"]).current_dir(root));
        // An entry as new as the index would be compared by content.
        std::thread::sleep(Duration::from_millis(1100));
        let refresh = ["update-index", "-q", "--really-refresh", "--force-write-index"];
        let _ = self.git(&refresh).current_dir(root).status();
    }

    fn no_op(&self, name: &str) {
        let mut ours = Vec::new();
        let mut theirs = Vec::new();
        for _ in 0..self.runs {
            theirs.push(timed(&mut self.git(&["status", "--porcelain"])));
            ours.push(timed(&mut self.ours(&["sync"])));
        }
        compare(name, median(ours), "git status", median(theirs));
        println!("{:22} {:>11}   peak {}", "", "", self.peak(&["sync"]));
    }

    /// Appends a line to some skills in each run; the yardstick stages the same edits.
    fn edit(&self, skills: usize) {
        let mut ours = Vec::new();
        let mut theirs = Vec::new();
        for run in 0..self.runs {
            self.append(skills, run);
            ours.push(timed(&mut self.ours(&["sync"])));
            theirs.push(timed(&mut self.git(&["add", "agent", ".claude"])));
        }
        compare(&format!("sync, {skills} skills edited"), median(ours), "git add of one mirror", median(theirs));
        timed(&mut self.ours(&["sync", "--commit"]));
        self.refresh(&self.root);
    }

    fn append(&self, skills: usize, run: usize) {
        for at in 0..skills {
            let document = self.root.join(format!("agent/skills/skill-{at:05}/SKILL.md"));
            let text = std::fs::read_to_string(&document).unwrap();
            std::fs::write(&document, format!("{text}\nEdited in run {run}.\n")).unwrap();
        }
    }

    /// The work of a pre-commit hook for one staged skill.
    fn staged(&self) {
        let mut ours = Vec::new();
        let mut theirs = Vec::new();
        for run in 0..self.runs {
            self.append(1, 100 + run);
            timed(&mut self.git(&["add", "agent"]));
            theirs.push(timed(&mut self.git(&["diff", "--cached", "--name-only"])));
            ours.push(timed(&mut self.ours(&["sync", "--staged"])));
        }
        compare("sync --staged, 1 skill", median(ours), "git diff --cached", median(theirs));
    }

    /// Links instead of copies, in a separate checkout. The yardstick creates the same links with one `ln` per mirror.
    fn links(&self) {
        let root = self.copies.join("links");
        timed(self.command("cp").arg("-a").arg(&self.root).arg(&root));
        for target in TARGETS {
            std::fs::remove_dir_all(root.join(target)).unwrap();
        }
        let symlink = |target: &str| format!("  {}: {{mode: symlink}}\n", &target[1..]);
        let config = format!("mirrors:\n{}", TARGETS.map(symlink).concat());
        std::fs::write(root.join("agent/canonry.yaml"), config).unwrap();
        std::fs::remove_file(root.join("agent/mirrors.lock")).unwrap();
        self.refresh(&root);
        flush();
        let begin = Instant::now();
        for target in TARGETS {
            let to = self.copies.join("ln").join(target);
            std::fs::create_dir_all(&to).unwrap();
            timed(self.command("sh").args(["-c", "ln -s ../../agent/skills/* \"$0\""]).arg(to).current_dir(&root));
        }
        let theirs = begin.elapsed();
        flush();
        let ours = timed(self.ours(&["sync"]).current_dir(&root));
        compare("fresh sync of links", ours, "ln -s", theirs);
        let again = (0..self.runs).map(|_| timed(self.ours(&["sync"]).current_dir(&root))).collect();
        println!("{:22} {:8.1} ms", "no-op sync of links", ms(median(again)));
    }

    /// Peak memory, from GNU time.
    fn peak(&self, args: &[&str]) -> String {
        let mut command = self.command("time");
        command.args(["-f", "%M"]).arg(env!("CARGO_BIN_EXE_canonry")).args(args).stderr(Stdio::piped());
        let output = command.output().ok().filter(|output| output.status.success());
        let text = output.map(|output| String::from_utf8_lossy(&output.stderr).into_owned()).unwrap_or_default();
        let kilobytes = text.lines().last().and_then(|line| line.trim().parse::<f64>().ok());
        kilobytes.map_or("unknown (no GNU time)".to_owned(), |kb| format!("{:.0} MB", kb / 1024.0))
    }

    /// The number of files that a check opens, and the maximum of opens per file.
    fn opens(&self, skills: usize) {
        let log = self.copies.join("opens");
        let mut command = self.command("strace");
        command.args(["-f", "-e", "trace=open,openat", "-o"]).arg(&log).arg(env!("CARGO_BIN_EXE_canonry")).arg("check");
        if !command.status().is_ok_and(|status| status.success()) {
            println!("opens                  unknown (no strace)");
            return;
        }
        let text = std::fs::read_to_string(log).unwrap();
        let mut opened = std::collections::HashMap::new();
        for line in text.lines().filter(|line| line.contains("/agent/skills/") && !line.contains("O_DIRECTORY")) {
            let path = line.split('"').nth(1).unwrap_or_default().to_owned();
            *opened.entry(path).or_insert(0usize) += 1;
        }
        let most = opened.values().max().copied().unwrap_or(0);
        println!("opens of a check       {} files of {skills} skills, each at most {most} time(s)", opened.len());
    }
}

fn write_skill(folder: &Path, at: usize) {
    for sub in ["references", "scripts"] {
        std::fs::create_dir_all(folder.join(sub)).unwrap();
    }
    let name = format!("skill-{at:05}");
    let mut text = format!(
        "---\nname: {name}\ndescription: Handles case {at}. Use when the user asks about case {at}.\nlicense: MIT\n\
         metadata:\n  owner: team-{}\n---\n# {name}\n\n",
        at % 17
    );
    for step in 1.. {
        if text.len() > DOCUMENT {
            break;
        }
        text.push_str(&format!("{step}. Compare the entry {} with the ledger and note what differs.\n", at * step));
    }
    text.push_str("\nRead [the guide](references/guide.md), then run `scripts/run.sh`.\n");
    std::fs::write(folder.join("SKILL.md"), text).unwrap();
    std::fs::write(folder.join("references/guide.md"), format!("# Guide {at}\n\n{}", "One line of it.\n".repeat(40)))
        .unwrap();
    let script = folder.join("scripts/run.sh");
    std::fs::write(&script, "#!/bin/sh\nset -eu\necho ok\n").unwrap();
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn compare(ours_name: &str, ours: Duration, theirs_name: &str, theirs: Duration) {
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    println!("{ours_name:22} {:8.1} ms   {theirs_name} {:.1} ms   ratio {ratio:.2}", ms(ours), ms(theirs));
}

/// Flushes the writes of earlier runs, so that no run pays for another.
fn flush() {
    let _ = Command::new("sync").status();
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
