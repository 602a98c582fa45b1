//! Stops a run before each of its writes, through the failpoints of debug builds (`src/fs/failpoint.rs`).

use crate::support::repo::{Held, Repo, Tree, binary};
use crate::support::same::assert_same;
use crate::support::scratch;
use std::fs::{File, FileTimes};
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of interrupted runs at the same time.
const PARALLEL: usize = 3;

const SIGABRT: i32 = 6;

/// A command line that is interrupted at each of its writes, each time in a new copy of the same repository.
pub struct Scenario {
    pub make: fn() -> Repo,
    pub args: &'static [&'static str],
    /// User texts that must exist somewhere after each kill.
    pub precious: &'static [&'static str],
    /// Checks that hold after the next run.
    pub then: fn(&Repo),
}

/// A write of a run: its number, counted from 1, and its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failpoint {
    number: usize,
    pub write: String,
}

impl Failpoint {
    /// The value of `CANONRY_FAILPOINT` with which this write fails.
    pub fn error(&self, error: &str) -> String {
        format!("{error}@{}", self.number)
    }
}

/// Runs a command with one more variable.
pub fn run(mut command: Command, (name, value): (&str, &str)) -> ExitStatus {
    // With one worker, the n-th write is the same one in each run.
    command.env("RAYON_NUM_THREADS", "1").env(name, value);
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap()
}

fn command(repo: &Repo, args: &[&str]) -> Command {
    let mut command = repo.command(binary());
    command.args(args);
    command
}

/// Lets a run finish and lists its writes.
pub fn failpoints(repo: &Repo, args: &[&str]) -> Vec<Failpoint> {
    failpoints_of(command(repo, args), &repo.home().join("failpoints"))
}

pub fn failpoints_of(command: Command, log: &Path) -> Vec<Failpoint> {
    let status = run(command, ("CANONRY_FAILPOINT_LOG", log.to_str().unwrap()));
    assert_eq!(status.code(), Some(0));
    let log = std::fs::read_to_string(log).unwrap();
    log.lines().enumerate().map(|(at, write)| Failpoint { number: at + 1, write: write.to_owned() }).collect()
}

/// Runs up to a failpoint.
pub fn kill(repo: &Repo, args: &[&str], failpoint: &Failpoint) {
    kill_command(command(repo, args), failpoint);
}

pub fn kill_command(command: Command, failpoint: &Failpoint) {
    let status = run(command, ("CANONRY_FAILPOINT", &format!("kill@{}", failpoint.number)));
    assert_eq!(status.signal(), Some(SIGABRT), "{failpoint:?}: {status}");
}

/// Runs with one write failing with `error`, such as `ENOSPC`.
pub fn fail(repo: &Repo, args: &[&str], failpoint: &Failpoint, error: &str) -> ExitStatus {
    run(command(repo, args), ("CANONRY_FAILPOINT", &failpoint.error(error)))
}

/// Runs with an interruption such as `kill@3` or `ENOSPC@3`, at a write that the run may not reach.
pub fn interrupt(repo: &Repo, args: &[&str], interruption: &str) -> ExitStatus {
    run(command(repo, args), ("CANONRY_FAILPOINT", interruption))
}

/// Runs with a shell script that is executed before a write, as by somebody who works at the same time.
pub fn run_with(repo: &Repo, args: &[&str], failpoint: &Failpoint, script: &str) -> ExitStatus {
    let file = repo.home().join("script");
    std::fs::write(&file, script).unwrap();
    run(command(repo, args), ("CANONRY_FAILPOINT", &format!("{}@{}", file.display(), failpoint.number)))
}

/// Whether a text is in any file of the work tree, or in a backup.
pub fn holds(repo: &Repo, text: &str) -> bool {
    let has = |held: &Held| match held {
        Held::File { bytes, .. } => bytes.windows(text.len()).any(|window| window == text.as_bytes()),
        Held::Folder | Held::Link(_) => false,
    };
    repo.tree().values().chain(repo.tree_of(&[".git/canonry/kept"]).values()).any(has)
}

/// Copies with time stamps, so that the index stays valid.
pub fn copy(template: &Repo) -> Repo {
    let repo = Repo::nowhere(scratch::folder());
    copy_tree(&template.root, &repo.root);
    repo
}

fn copy_tree(from: &Path, to: &Path) {
    let meta = from.symlink_metadata().unwrap();
    if meta.is_symlink() {
        symlink(from.read_link().unwrap(), to).unwrap();
        return;
    }
    if meta.is_dir() {
        std::fs::create_dir(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy_tree(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        std::fs::copy(from, to).unwrap();
    }
    std::fs::set_permissions(to, meta.permissions()).unwrap();
    let times = FileTimes::new().set_modified(meta.modified().unwrap());
    File::open(to).unwrap().set_times(times).unwrap();
}

/// Every third failpoint, for scenarios that combine a kill with something else: the tests of the kill alone try each. All
/// of them with `CANONRY_EVERY_WRITE`, as in `.ci/nightly`.
pub fn sample(failpoints: Vec<Failpoint>) -> Vec<Failpoint> {
    let every = std::env::var_os("CANONRY_EVERY_WRITE").is_some();
    failpoints.into_iter().filter(|failpoint| every || failpoint.number % 3 == 1).collect()
}

/// Tries several failpoints in parallel.
pub fn for_each_failpoint(failpoints: &[Failpoint], test: impl Fn(&Failpoint) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..PARALLEL {
            scope.spawn(|| {
                while let Some(failpoint) = failpoints.get(next.fetch_add(1, Ordering::Relaxed)) {
                    test(failpoint);
                }
            });
        }
    });
}

pub fn is_temporary(path: &str) -> bool {
    path.split('/').any(|name| name.starts_with(".canonry-tmp-"))
}

/// Asserts that each file equals its version before or after the run.
pub fn assert_whole(before: &Tree, now: &Tree, after: &Tree, failpoint: &Failpoint) {
    for (path, held) in now.iter().filter(|(path, held)| !is_temporary(path) && **held != Held::Folder) {
        let whole = before.get(path) == Some(held) || after.get(path) == Some(held);
        assert!(whole || path == "agent/mirrors.lock", "{failpoint:?}: {path} is {held:?}");
    }
}

pub fn interrupt_everywhere(scenario: &Scenario) {
    let template = (scenario.make)();
    let before = template.tree();
    let uninterrupted = copy(&template);
    let failpoints = failpoints(&uninterrupted, scenario.args);
    let after = uninterrupted.tree();
    (scenario.then)(&uninterrupted);
    assert!(before != after && failpoints.len() > 10, "{failpoints:#?}");
    for_each_failpoint(&failpoints, |failpoint| {
        let repo = copy(&template);
        kill(&repo, scenario.args, failpoint);
        assert_whole(&before, &repo.tree(), &after, failpoint);
        let kept = |when: &str| {
            let lost = scenario.precious.iter().find(|text| !holds(&repo, text));
            assert!(lost.is_none(), "{failpoint:?}: {lost:?} is missing {when}");
        };
        kept("after the kill");
        repo.canonry(scenario.args).expect(0);
        kept("after the next run");
        assert_same(&repo.tree(), &after, &format!("after a kill at {failpoint:?}"));
        let own: Vec<String> = repo.tree_of(&[".git/canonry"]).into_keys().collect();
        assert!(own.iter().all(|path| path != ".git/canonry/journal" && !is_temporary(path)), "{failpoint:?}: {own:?}");
        // The work tree is that of the uninterrupted run, so a sample shows that the state beside it is right, too.
        if failpoint.number % 4 == 1 {
            (scenario.then)(&repo);
        }
    });
}
