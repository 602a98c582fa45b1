//! The working memory.

use crate::dream::team::{NOW, SNAPSHOTS, WORKSPACE, team};
use crate::support::repo::Repo;
use serde_json::json;
use std::time::{Duration, SystemTime};

const EMPTY: &str = include_str!("../../../crates/model/src/canon/templates/WORKSPACE.md");

/// A workspace committed this many hours before the dream.
fn busy(hours: i64) -> Repo {
    let repo = team("");
    repo.write(WORKSPACE, "# Workspace\n\nBusy.\n");
    repo.git(&["add", "-A"]);
    let now: jiff::Timestamp = NOW.parse().unwrap();
    let at = format!("{} +0000", now.as_second() - hours * 3600);
    let commit = repo.command("git").args(["commit", "-qm", "busy"]).env("GIT_COMMITTER_DATE", at).status();
    assert!(commit.unwrap().success());
    repo
}

fn touch(repo: &Repo, path: &str, hours_before: u64) {
    let now: jiff::Timestamp = NOW.parse().unwrap();
    let time = SystemTime::from(now) - Duration::from_secs(hours_before * 3600);
    std::fs::File::options().write(true).open(repo.path(path)).unwrap().set_modified(time).unwrap();
}

#[test]
fn a_stale_workspace_is_archived_and_reset() {
    let repo = busy(48);
    assert_eq!(repo.dream_json(&[])["workspace_archived"], json!(true));
    assert_eq!(repo.text(WORKSPACE), EMPTY);
    assert_eq!(repo.text(&format!("{SNAPSHOTS}/WORKSPACE-2026-05-01.md")), "# Workspace\n\nBusy.\n");
    assert_eq!(
        repo.head_changes(),
        ["A agent/memory/episodic/snapshots/WORKSPACE-2026-05-01.md", "M agent/memory/working/WORKSPACE.md"]
    );
    let head = repo.head();
    assert_eq!(repo.dream_json(&[])["workspace_archived"], json!(false));
    assert_eq!(repo.head(), head);
}

#[test]
fn the_age_of_a_workspace_is_that_of_its_last_commit() {
    // As in a fresh clone: old in git, new on disk.
    let repo = busy(48);
    touch(&repo, WORKSPACE, 0);
    assert_eq!(repo.dream_json(&["--dry-run"])["workspace_archived"], json!(true));
    // `--compat seed` uses the time on disk.
    assert_eq!(repo.dream_json(&["--dry-run", "--compat", "seed"])["workspace_archived"], json!(false));
    // New in git, old on disk.
    let repo = busy(47);
    touch(&repo, WORKSPACE, 500);
    assert_eq!(repo.dream_json(&["--dry-run"])["workspace_archived"], json!(false));
    // Later commits that do not touch the file do not count.
    let repo = busy(48);
    repo.write("other", "x");
    repo.commit_all("other");
    assert_eq!(repo.dream_json(&["--dry-run"])["workspace_archived"], json!(true));
}

#[test]
fn an_uncommitted_workspace_has_the_age_of_the_file() {
    let repo = busy(100);
    repo.write(WORKSPACE, "# Workspace\n\nBusier.\n");
    touch(&repo, WORKSPACE, 47);
    assert_eq!(repo.dream_json(&["--dry-run"])["workspace_archived"], json!(false));
    touch(&repo, WORKSPACE, 48);
    assert_eq!(repo.dream_json(&["--dry-run"])["workspace_archived"], json!(true));
    // The same applies before the first commit.
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(WORKSPACE, "busy\n");
    touch(&repo, WORKSPACE, 48);
    assert_eq!(repo.dream_json(&[])["workspace_archived"], json!(true));
}

#[test]
fn an_archive_is_never_overwritten() {
    let repo = busy(48);
    repo.write(&format!("{SNAPSHOTS}/WORKSPACE-2026-05-01.md"), "an earlier one\n");
    repo.dream(&[]).expect(0);
    assert_eq!(repo.text(&format!("{SNAPSHOTS}/WORKSPACE-2026-05-01.md")), "an earlier one\n");
    assert_eq!(repo.text(&format!("{SNAPSHOTS}/WORKSPACE-2026-05-01-2.md")), "# Workspace\n\nBusy.\n");
}

#[test]
fn a_stale_plan_is_archived_too() {
    let repo = busy(48);
    repo.write("agent/memory/working/ACTIVE_PLAN.md", "1. dig\n");
    touch(&repo, "agent/memory/working/ACTIVE_PLAN.md", 48);
    repo.dream(&[]).expect(0);
    assert_eq!(repo.text(&format!("{SNAPSHOTS}/ACTIVE_PLAN-2026-05-01.md")), "1. dig\n");
    assert_eq!(repo.text("agent/memory/working/ACTIVE_PLAN.md"), "# Active plan\n\nNo plan is active.\n");
}

#[test]
fn an_empty_or_missing_workspace_is_not_archived() {
    for text in ["", "\n", EMPTY] {
        let repo = team("");
        repo.write(WORKSPACE, text);
        touch(&repo, WORKSPACE, 500);
        assert_eq!(repo.dream_json(&[])["workspace_archived"], json!(false), "{text:?}");
    }
    assert_eq!(team("").dream_json(&[])["workspace_archived"], json!(false));
}
