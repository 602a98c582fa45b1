//! Repositories in which a dream cannot run, or not yet.

use crate::dream::team::{LESSONS, LOG, NOW, row, rows, team};
use crate::support::repo::{Ran, Repo};
use crate::support::same::assert_same;
use crate::support::unprivileged::run_unprivileged;

/// Asserts that the run changed nothing.
#[track_caller]
fn assert_deferred(repo: &Repo, status: i32, says: &str) -> Ran {
    let tree = repo.tree();
    let head = repo.try_git(&["rev-parse", "HEAD"]).stdout;
    let ran = repo.dream(&[]).expect(status);
    assert!(ran.stderr.contains(says), "{}", ran.stderr);
    assert_same(&repo.tree(), &tree, "deferred");
    assert_eq!(repo.try_git(&["rev-parse", "HEAD"]).stdout, head);
    ran
}

/// Two branches that both appended rows.
fn diverged() -> Repo {
    let repo = team("");
    repo.git(&["checkout", "-qb", "other"]);
    repo.write(LOG, row("theirs", 1, "a", 9));
    repo.commit_all("theirs");
    repo.git(&["checkout", "-q", "main"]);
    repo.write(LOG, row("ours", 1, "a", 9));
    repo.commit_all("ours");
    repo
}

#[test]
fn a_merge_rebase_or_cherry_pick_defers_a_dream() {
    let repo = diverged();
    assert!(!repo.try_git(&["merge", "other"]).status.success());
    assert_deferred(&repo, 5, "a merge is in progress");
    repo.dream(&["--no-commit"]).expect(5);
    repo.dream(&["--dry-run"]).expect(0);
    let repo = diverged();
    assert!(!repo.try_git(&["rebase", "other"]).status.success());
    assert_deferred(&repo, 5, "a rebase is in progress");
    let repo = diverged();
    assert!(!repo.try_git(&["cherry-pick", "other"]).status.success());
    assert_deferred(&repo, 5, "a cherry-pick is in progress");
}

#[test]
fn committed_conflict_markers_are_quarantined() {
    let repo = diverged();
    assert!(!repo.try_git(&["merge", "other"]).status.success());
    repo.git(&["commit", "-qam", "oh no"]);
    let did = repo.dream_json(&[]);
    assert_eq!(did["invalid"].as_array().unwrap().len(), 3);
    assert_eq!(repo.text(LOG), row("ours", 1, "a", 9) + &row("theirs", 1, "a", 9));
    assert_eq!(did["written"], serde_json::json!(["ours"]));
}

#[test]
fn a_detached_head_and_an_unborn_branch_are_handled() {
    let repo = team(rows());
    repo.git(&["checkout", "-q", "--detach"]);
    repo.dream(&[]).expect(0);
    assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), "2");
    assert_eq!(repo.git(&["rev-list", "--count", "main"]), "1");
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(LOG, rows());
    repo.dream(&[]).expect(0);
    assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), "1");
    assert!(repo.git(&["ls-tree", "-r", "--name-only", "HEAD"]).lines().all(|path| path.starts_with("agent/memory/")));
}

#[test]
fn a_second_concurrent_dream_exits_with_contention() {
    let repo = team(rows());
    std::fs::create_dir_all(repo.path(".git/canonry")).unwrap();
    let lock = std::fs::File::create(repo.path(".git/canonry/lock")).unwrap();
    lock.lock().unwrap();
    assert_deferred(&repo, 4, "another canonry run is active");
    drop(lock);
    repo.dream(&[]).expect(0);
}

#[test]
fn a_locked_git_index_is_contention() {
    let repo = team(rows());
    repo.write(".git/index.lock", "");
    assert_deferred(&repo, 4, "index.lock");
}

#[test]
fn a_missing_git_identity_is_reported() {
    let repo = team(rows());
    repo.git(&["config", "--unset", "user.email"]);
    assert_deferred(&repo, 65, "git config user.email");
    repo.dream(&["--no-commit"]).expect(0);
}

#[test]
fn a_missing_memory_canon_or_repository_is_reported() {
    let repo = team("");
    repo.remove("agent/memory");
    let tree = repo.tree();
    let ran = repo.dream(&[]).expect(0);
    assert_eq!(ran.stdout, "Nothing new: 0 episodes kept.\n");
    assert_same(&repo.tree(), &tree, "nothing to process");
    let repo = Repo::empty();
    repo.dream(&[]).expect(65);
    std::fs::remove_dir_all(repo.path(".git")).unwrap();
    repo.dream(&[]).expect(65);
}

#[test]
fn a_dream_does_not_follow_links() {
    for (link, folder) in [(LOG, false), (LESSONS, false), ("agent/memory/semantic", true), ("agent/memory", true)] {
        let repo = Repo::with_skills(&["alpha"]);
        let target = repo.outside("elsewhere");
        std::fs::write(target.join("file"), rows()).unwrap();
        repo.link(link, if folder { target.clone() } else { target.join("file") });
        assert_deferred(&repo, 65, "link");
        assert_eq!(std::fs::read_dir(target).unwrap().count(), 1);
    }
}

#[test]
fn a_read_only_folder_fails_without_changes() {
    let repo = team(rows());
    repo.chmod("agent/memory/episodic", 0o555);
    let ran = run_unprivileged(&repo, &["dream", "--now", NOW]);
    repo.chmod("agent/memory/episodic", 0o755);
    ran.expect(70).says(&["agent/memory/episodic", "cannot be written"]);
    assert_eq!(repo.text(LOG), rows());
    assert!(!repo.exists(LESSONS), "a partial dream");
    repo.dream(&[]).expect(0);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn invalid_arguments_are_usage_errors() {
    let repo = team("");
    repo.canonry(&["dream", "--now", "tonight"]).expect(64).says(&["RFC 3339"]);
    repo.canonry(&["dream", "--compat", "other"]).expect(64);
    // A time without an offset is UTC.
    let naive = repo.canonry(&["dream", "--dry-run", "--now", "2026-05-01T03:00:00"]).expect(0);
    assert_eq!(naive.stdout, repo.canonry(&["dream", "--dry-run", "--now", NOW]).expect(0).stdout);
}
