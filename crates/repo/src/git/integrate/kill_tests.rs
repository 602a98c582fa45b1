//! A step killed at any of its writes: the next run of the same code finishes it, with the same final state.
//!
//! The killed process is this test binary, which runs [`step`] because of a variable.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::{Integrated, MergeRequest, finish_interrupted, integrate};
use crate::git::commit::GitHooks;
use crate::git::commit::tests::sandbox::Sandbox;
use crate::git::worktrees::{AttemptName, AttemptTree, Removal, commit_all, create, list, remove_if_merged};

/// The repository and the folder for the work trees of the process that is killed.
const PLACE: &str = "CANONRY_TEST_STEP";

/// Not a test of its own: the process that is killed.
#[test]
#[ignore = "runs only in the process that the other tests kill"]
fn step() {
    if let Some(place) = std::env::var_os(PLACE) {
        run_step(Path::new(&place));
    }
}

/// One attempt at one step, as a plan run makes it: a work tree, the work, the commit, the merge, the removal.
fn run_step(place: &Path) {
    let open = || gix::open_opts(place.join("repo"), gix::open::Options::isolated()).unwrap();
    finish_interrupted(&open()).unwrap();
    let repo = open();
    let name = AttemptName { plan: "p".to_owned(), step: "a/b".to_owned(), attempt: 1 };
    let trees = place.join("home/trees");
    let head = repo.head_id().unwrap().detach();
    let folder = name.folder(&trees).unwrap();
    let branch = name.branch().unwrap();
    let mut tree = AttemptTree { folder, branch, fork: head };
    let is_merged = repo.head_tree().unwrap().lookup_entry_by_path("new/file").unwrap().is_some();
    if !is_merged {
        let attempts = list(&repo, "p").unwrap();
        // The branch moved since, so that the merge needs a commit of its own.
        let fork = repo.rev_parse_single("HEAD~1").unwrap().detach();
        if attempts.is_empty() || attempts.iter().any(|attempt| attempt.tip == fork) {
            let in_work = tree.folder.join("new/file").exists();
            if !in_work {
                tree = create(&repo, &trees, &name, fork, &AtomicBool::new(false)).unwrap();
            }
        }
        std::fs::create_dir_all(tree.folder.join("new")).unwrap();
        std::fs::write(tree.folder.join("new/file"), "work\n").unwrap();
        std::fs::write(tree.folder.join("agent/a.md"), "work\n").unwrap();
        let _ = std::fs::remove_file(tree.folder.join("top"));
        commit_all(&repo, &tree, "work", GitHooks::Off).unwrap();
        let tip = list(&repo, "p").unwrap()[0].tip;
        let request = MergeRequest { tip, message: "merged", onto: None, resolved: None };
        let merged = integrate(&repo, &request).unwrap();
        assert!(matches!(merged, Integrated::Merged { .. }), "{merged:?}");
    }
    let into = open().head_id().unwrap().detach();
    assert_eq!(remove_if_merged(&open(), &tree, into).unwrap(), Removal::Removed);
}

fn run(repo: &Sandbox, variable: Option<(&str, &str)>) -> ExitStatus {
    let place = repo.root.parent().unwrap();
    let mut command: Command = repo.command(std::env::current_exe().unwrap());
    command.args(["--exact", "git::integrate::kill_tests::step", "--ignored", "--test-threads=1", "--quiet"]);
    command.env(PLACE, place).envs(variable);
    command.output().unwrap().status
}

fn prepared() -> Sandbox {
    let repo = Sandbox::new();
    repo.write("src/s.c", "changed\n");
    repo.git(&["commit", "-qam", "more"]);
    repo.write("agent/b.md", "mine\n");
    repo.write("staged", "mine\n");
    repo.git(&["add", "staged"]);
    repo
}

fn assert_finished(repo: &Sandbox, when: &str) {
    assert_eq!(repo.status(), " M agent/b.md\nA  staged", "{when}");
    assert_eq!(repo.git(&["log", "--first-parent", "--format=%s"]), "merged\nmore\ninit", "{when}");
    assert_eq!(
        repo.git(&["ls-tree", "-r", "--name-only", "HEAD"]),
        "agent/a.md\nagent/b.md\nnew/file\nsrc/s.c",
        "{when}"
    );
    assert_eq!(std::fs::read_to_string(repo.path("agent/b.md")).unwrap(), "mine\n", "{when}");
    assert_eq!(repo.git(&["branch"]), "* main", "{when}");
    assert_eq!(repo.git(&["worktree", "list"]).lines().count(), 1, "{when}");
    assert_eq!(std::fs::read_dir(repo.home().join("trees")).unwrap().count(), 0, "{when}");
    let walk = walkdir::WalkDir::new(&repo.root).into_iter().flatten();
    let left = walk.into_iter().find(|entry| entry.file_name().to_string_lossy().starts_with(".canonry-"));
    assert!(left.is_none() && !repo.path(".git/canonry/integration").exists(), "{when}: {left:?}");
    repo.assert_sound();
}

/// Interrupts a step at every `stride`-th write with `action`.
fn interrupt(action: &str, stride: usize) {
    let uninterrupted = prepared();
    let log = uninterrupted.home().join("failpoints");
    assert!(run(&uninterrupted, Some(("CANONRY_FAILPOINT_LOG", log.to_str().unwrap()))).success());
    assert_finished(&uninterrupted, "without an interruption");
    let writes: Vec<String> = std::fs::read_to_string(log).unwrap().lines().map(str::to_owned).collect();
    assert!(writes.len() > 40, "{writes:?}");
    let at = AtomicUsize::new(1);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let number = at.fetch_add(stride, Ordering::Relaxed);
                    let Some(write) = writes.get(number - 1) else { return };
                    let when = format!("{action}@{number} of {}, before `{write}`", writes.len());
                    let repo = prepared();
                    let status = run(&repo, Some(("CANONRY_FAILPOINT", &format!("{action}@{number}"))));
                    assert!(action != "kill" || status.signal() == Some(6), "{when}: {status}");
                    assert_eq!(std::fs::read_to_string(repo.path("agent/b.md")).unwrap(), "mine\n", "{when}");
                    assert!(run(&repo, None).success(), "{when}: the next run failed");
                    assert_finished(&repo, &when);
                }
            });
        }
    });
}

#[test]
fn a_step_survives_a_kill() {
    interrupt("kill", 3);
}

#[test]
fn a_step_survives_a_full_disk() {
    interrupt("ENOSPC", 11);
}

#[test]
#[ignore = "slow: run by .ci/nightly"]
fn nightly_a_step_survives_a_kill_at_any_write() {
    interrupt("kill", 1);
    interrupt("ENOSPC", 1);
}
