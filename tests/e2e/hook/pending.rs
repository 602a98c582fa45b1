//! The rows of hooks wait outside the work tree until a dream moves them to the log.

use super::{LOG, NOW, PENDING, failure, hook, piped};
use crate::support::failpoints::{copy, failpoints, for_each_failpoint, kill, run_with};
use crate::support::repo::{Repo, binary};
use serde_json::Value;

/// A repository after `init --all` and `sync --commit`.
fn synced() -> Repo {
    let repo = Repo::empty();
    repo.canonry(&["init", "--all", "--tools", "claude"]).expect(0);
    repo.commit_all("canon");
    repo.canonry(&["sync", "--commit"]).expect(0);
    assert_eq!(status(&repo), "");
    repo
}

fn status(repo: &Repo) -> String {
    repo.git(&["status", "--porcelain"])
}

/// Runs the command that the settings of Claude Code name for a failed call.
fn fail_in_session(repo: &Repo, command: &str, error: &str) {
    let settings: Value = serde_json::from_str(&repo.text(".claude/settings.json")).unwrap();
    let hook = settings.pointer("/hooks/PostToolUseFailure/0/hooks/0/command").unwrap().as_str().unwrap();
    let folder = repo.tmp().join("bin");
    if !folder.exists() {
        std::fs::create_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink(binary(), folder.join("canonry")).unwrap();
    }
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut shell = repo.command("/bin/sh");
    shell.args(["-c", hook]).env("PATH", path);
    let ran = piped(shell, failure(command, error).as_bytes());
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
}

fn lines(text: &str, word: &str) -> usize {
    text.lines().filter(|line| line.contains(word)).count()
}

#[test]
fn a_failed_call_leaves_the_work_tree_clean_until_a_dream_commits_its_row() {
    let repo = synced();
    fail_in_session(&repo, "make widgets", "no rule to make target");
    assert_eq!(status(&repo), "");
    assert_eq!((lines(&repo.text(PENDING), "make widgets"), repo.text(LOG).as_str()), (1, ""));
    for args in [&["recall", "widgets"][..], &["context", "--for", "make widgets"]] {
        repo.canonry(args).expect(0).says(&["make widgets"]);
    }
    let overview: Value =
        serde_json::from_str(&repo.canonry(&["memory", "status", "--format", "json"]).expect(0).stdout).unwrap();
    assert_eq!(overview["log"]["rows"], 1, "{overview}");
    let planned: Value = serde_json::from_str(&repo.canonry(&["dream", "--dry-run"]).expect(0).stdout).unwrap();
    assert_eq!((planned["kept"].clone(), repo.exists(PENDING)), (1.into(), true), "{planned}");
    fail_in_session(&repo, "make gadgets", "no rule to make target");
    assert_eq!(status(&repo), "");
    for _ in 0..2 {
        repo.canonry(&["dream"]).expect(0);
        let log = repo.text(LOG);
        assert_eq!((lines(&log, "make widgets"), lines(&log, "make gadgets"), log.lines().count()), (1, 1, 2));
        assert_eq!((repo.exists(PENDING), status(&repo).as_str()), (false, ""));
    }
    assert_eq!(repo.git(&["log", "-1", "--format=%s"]), "dream cycle: promoted 0, decayed 0, kept 2");
    assert_eq!(repo.head_changes(), [format!("M {LOG}")]);
    repo.canonry(&["recall", "widgets"]).expect(0).says(&["make widgets"]);
}

#[test]
fn a_dream_that_archives_and_teaches_takes_the_rows_first() {
    let repo = synced();
    let row = |command: &str, now: &str| {
        let ran = hook(&repo, &["failure", "--tool", "claude", "--now", now], &failure(command, "no"));
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    };
    row("old call", "2025-01-01T00:00:00Z");
    row("new call", NOW[1]);
    // A dream that is refused moves nothing.
    repo.canonry(&["dream", "--now", "2099-01-01T00:00:00Z"]).expect(5).says(&["nothing was written"]);
    assert_eq!((repo.text(PENDING).lines().count(), repo.text(LOG).as_str()), (2, ""));
    repo.canonry(&["dream", "--now", NOW[1], "--trust-clock"]).expect(0);
    assert_eq!((lines(&repo.text(LOG), "new call"), repo.text(LOG).lines().count()), (1, 1));
    assert_eq!(lines(&repo.text("agent/memory/episodic/snapshots/2025-01.jsonl"), "old call"), 1);
    assert_eq!((repo.exists(PENDING), status(&repo).as_str()), (false, ""));
    // An undo returns the archived row to the log.
    repo.canonry(&["memory", "undo"]).expect(0);
    assert_eq!(
        (lines(&repo.text(LOG), "old call"), repo.text(LOG).lines().count(), repo.exists(PENDING)),
        (1, 2, false)
    );
}

#[test]
fn a_kill_at_any_write_neither_loses_nor_repeats_a_row() {
    let template = synced();
    let event = |repo: &Repo, command: &str| {
        hook(repo, &["failure", "--tool", "claude", NOW[0], NOW[1]], &failure(command, "no"));
    };
    ["one call", "two call"].iter().for_each(|command| event(&template, command));
    let dream = ["dream", "--now", NOW[1], "--trust-clock"];
    let writes = failpoints(&copy(&template), &dream);
    assert!(writes.iter().any(|at| at.write == "unlink"), "{writes:?}");
    for_each_failpoint(&writes, |failpoint| {
        let repo = copy(&template);
        kill(&repo, &dream, failpoint);
        let kept = repo.text(LOG) + &repo.text_if_any(PENDING);
        assert!(lines(&kept, "one call") > 0 && lines(&kept, "two call") > 0, "{failpoint:?}: {kept}");
        // A session goes on after the kill.
        event(&repo, "late call");
        repo.canonry(&dream).expect(0);
        let log = repo.text(LOG);
        for command in ["one call", "two call", "late call"] {
            assert_eq!(lines(&log, command), 1, "{failpoint:?}: {log}");
        }
        assert_eq!((repo.exists(PENDING), status(&repo).as_str()), (false, ""), "{failpoint:?}");
    });
}

/// A hook that fires while a dream moves the rows waits for it, or its row stays for the next dream.
#[test]
fn a_row_that_is_logged_at_any_write_of_a_dream_is_kept() {
    let template = synced();
    hook(&template, &["failure", "--tool", "claude", NOW[0], NOW[1]], &failure("one call", "no"));
    let dream = ["dream", "--now", NOW[1], "--trust-clock"];
    let writes = failpoints(&copy(&template), &dream);
    for_each_failpoint(&writes, |failpoint| {
        let repo = copy(&template);
        let event = repo.home().join("event.json");
        std::fs::write(&event, failure("late call", "no")).unwrap();
        // The dream waits for the script: a hook that it keeps waiting too long must try again.
        let script = format!(
            "unset CANONRY_FAILPOINT; (until {} hook failure --tool claude <'{}' 2>&1 | wc -c | grep -qx 0; do :; done; touch '{}') &",
            binary().display(),
            event.display(),
            repo.home().join("logged").display()
        );
        run_with(&repo, &dream, failpoint, &script);
        while !repo.home().join("logged").exists() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        repo.canonry(&dream).expect(0);
        let log = repo.text(LOG);
        assert_eq!((lines(&log, "one call"), lines(&log, "late call")), (1, 1), "{failpoint:?}: {log}");
        assert!(!repo.exists(PENDING), "{failpoint:?}");
    });
}

#[test]
fn the_work_trees_of_a_clone_share_the_pending_rows() {
    let repo = synced();
    repo.git(&["worktree", "add", "-q", "-b", "other", "../linked"]);
    let linked = repo.path("../linked");
    let mut event = serde_json::from_str::<Value>(&failure("make widgets", "no")).unwrap();
    event["cwd"] = linked.to_str().unwrap().into();
    hook(&repo, &["failure", "--tool", "claude", NOW[0], NOW[1]], &event.to_string());
    assert_eq!(lines(&repo.text(PENDING), "make widgets"), 1);
    assert_eq!(
        (repo.git(&["-C", "../linked", "status", "--porcelain"]), status(&repo)),
        (String::new(), String::new())
    );
    repo.canonry_in(&linked, &["recall", "widgets"]).expect(0).says(&["make widgets"]);
    repo.canonry(&["dream", "--now", NOW[1], "--trust-clock"]).expect(0);
    assert_eq!((lines(&repo.text(LOG), "make widgets"), repo.exists(PENDING)), (1, false));
}

#[test]
fn an_episode_of_a_person_goes_to_the_log() {
    let repo = synced();
    repo.canonry(&["log", "--action", "released by hand"]).expect(0);
    assert_eq!((lines(&repo.text(LOG), "released by hand"), repo.exists(PENDING)), (1, false));
}
