//! Two concurrent runs, and a run that is stopped between two files.

use crate::support::failpoints::{copy, failpoints, kill};
use crate::support::repo::{Repo, binary, document};
use std::fs::File;
use std::process::Stdio;

#[test]
fn a_second_concurrent_run_exits_with_contention() {
    let repo = Repo::synced(&["alpha"]);
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    let lock = File::options().write(true).open(repo.path(".git/canonry/lock")).unwrap();
    lock.lock().unwrap();
    let before = repo.tree();
    for args in [&[][..], &["--force"], &["--commit"], &["--adopt", "--all"]] {
        repo.sync(args).expect(4).says(&["another canonry run"]);
        assert_eq!(repo.tree(), before);
    }
    // Read-only runs need no lock.
    repo.sync(&["--check"]).expect(1);
    repo.sync(&["--dry-run"]).expect(0);
    lock.unlock().unwrap();
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
}

#[test]
fn concurrent_runs_end_with_complete_mirrors() {
    let repo = Repo::with_skills(&["alpha", "beta", "gamma"]);
    let begin = |_| repo.command(binary()).arg("sync").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let runs: Vec<_> = (0..6).map(begin).collect();
    for mut run in runs {
        let status = run.wait().unwrap().code();
        assert!(matches!(status, Some(0 | 4)), "{status:?}");
    }
    repo.assert_mirrored(&["alpha", "beta", "gamma"]);
    repo.sync(&["--check"]).expect(0);
}

/// Stops a sync just after it has written its journal.
fn interrupted(repo: &Repo) {
    let failpoints = failpoints(&copy(repo), &["sync"]);
    // The record of what sync has written may be compacted before.
    let renames = (0..failpoints.len()).filter(|at| failpoints[*at].write == "rename");
    let has_journal = |at: &usize| {
        let copy = copy(repo);
        kill(&copy, &["sync"], &failpoints[at + 1]);
        copy.exists(".git/canonry/journal")
    };
    let journal = renames.into_iter().find(has_journal).unwrap();
    let tree = repo.tree();
    kill(repo, &["sync"], &failpoints[journal + 1]);
    assert_eq!(repo.tree(), tree);
    assert!(repo.exists(".git/canonry/journal"));
}

#[test]
fn a_stopped_process_writes_nothing_more_and_the_next_run_converges() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    let path = ".claude/skills/alpha/SKILL.md";
    interrupted(&repo);
    assert!(repo.text(".git/canonry/journal").contains(&format!(" {path}\n")));
    // The next run recognises what the stopped run wrote, and does not treat it as a user edit.
    repo.write(path, document("alpha") + "news\n");
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "other news\n");
    repo.sync(&["--dry-run"]).expect(0);
    repo.sync(&["--check"]).expect(1).says_nothing_of(&["edited by hand"]);
    repo.check(&[]).expect(1).says_nothing_of(&["mirror-edited"]);
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha", "beta"]);
    assert!(!repo.exists(".git/canonry/journal"));
}

#[test]
fn a_user_edit_after_an_interrupted_run_is_preserved() {
    let repo = Repo::synced(&["alpha"]);
    let path = ".claude/skills/alpha/SKILL.md";
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    interrupted(&repo);
    repo.write(path, "mine\n");
    repo.sync(&[]).expect(5).says(&[path]);
    assert_eq!(repo.text(path), "mine\n");
}

#[test]
fn an_interrupted_forced_run_has_backed_up_or_not_replaced_a_user_file() {
    let repo = Repo::synced(&["alpha"]);
    let path = ".claude/skills/alpha/SKILL.md";
    repo.write(path, "mine\n");
    // The backup fails, so the run ends before its first write.
    repo.write(".git/canonry/kept", "a file in the way");
    repo.sync(&["--force"]).expect(70);
    assert_eq!(repo.text(path), "mine\n");
    repo.sync(&[]).expect(5).says(&[path]);
    assert_eq!(repo.text(path), "mine\n");
    repo.remove(".git/canonry/kept");
    repo.sync(&["--force"]).expect(0).says(&["backed up "]);
    repo.assert_mirrored(&["alpha"]);
}

/// A killed run displaced a file, and an editor has written to it since.
#[test]
fn a_displaced_file_that_cannot_be_backed_up_stops_a_run() {
    let repo = Repo::synced(&["alpha"]);
    let displaced = ".git/canonry/displaced/0.1.AGENTS.md";
    repo.write(displaced, "mine\n");
    repo.write(".git/canonry/kept", "a file in the way");
    repo.sync(&[]).expect(70).says(&["displaced files cannot be backed up"]);
    assert_eq!(repo.text(displaced), "mine\n");
    repo.remove(".git/canonry/kept");
    repo.sync(&[]).expect(0);
    assert!(!repo.exists(displaced));
    let kept = repo.tree_of(&[".git/canonry/kept"]);
    assert!(kept.keys().any(|path| path.ends_with("/AGENTS.md")), "{kept:?}");
}

#[test]
fn a_corrupt_journal_does_not_stop_sync() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(".git/canonry/journal", "torn \u{0} nonsense\n- - -");
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
}
