//! The lock repairs itself: every view reports lines that are missing or out of date, and a sync writes them.

use crate::support::repo::{Repo, document};

const LOCK: &str = "agent/mirrors.lock";
const CANON: &str = "agent/skills/alpha/SKILL.md";
const MIRROR: &str = ".claude/skills/alpha/SKILL.md";

fn synced(names: &[&str]) -> Repo {
    let repo = Repo::with_skills(names);
    repo.targets(&["claude", "codex"]);
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    repo
}

fn clone_of(repo: &Repo) -> Repo {
    let clone = Repo::empty();
    clone.git(&["pull", "-q", repo.root.to_str().unwrap(), "main"]);
    clone
}

/// Every view reports the lock; a sync repairs it, and edits and deletions work afterwards.
fn assert_repaired(repo: &Repo, names: &[&str]) {
    for view in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(view).expect(1).says(&["mirror-lock", LOCK]);
    }
    repo.sync(&["--check"]).expect(1).says(&[&format!("to write  {LOCK}")]);
    repo.sync(&["--staged", "--check"]).expect(1);
    repo.sync(&["--commit"]).expect(0).says(&[&format!("wrote     {LOCK}")]);
    for view in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(view).expect(0).says_nothing_of(&["mirror-"]);
    }
    assert_works(repo, names);
}

fn assert_works(repo: &Repo, names: &[&str]) {
    for name in names {
        repo.append(&format!("agent/skills/{name}/SKILL.md"), "later\n");
    }
    repo.sync(&["--commit"]).expect(0);
    for name in names {
        repo.assert_copied(name, &format!(".codex/skills/{name}"));
        repo.remove(&format!("agent/skills/{name}"));
    }
    repo.sync(&["--commit"]).expect(0);
    assert!(names.iter().all(|name| !repo.exists(&format!(".claude/skills/{name}"))));
    repo.check(&["--rev", "HEAD"]).expect(0).says_nothing_of(&["mirror-"]);
}

#[test]
fn a_lock_that_was_not_committed() {
    let repo = synced(&["alpha"]);
    repo.skill("beta");
    repo.write(CANON, document("alpha") + "news\n");
    repo.sync(&[]).expect(0);
    repo.git(&["add", "agent/skills", ".claude", ".codex"]);
    repo.git(&["commit", "-qm", "without the lock"]);
    repo.git(&["restore", LOCK]);
    assert_repaired(&clone_of(&repo), &["alpha", "beta"]);
    assert_repaired(&repo, &["alpha", "beta"]);
}

#[test]
fn an_edit_before_the_repair_is_synced_on_any_clone() {
    let repo = synced(&["alpha"]);
    repo.skill("beta");
    repo.write(CANON, document("alpha") + "news\n");
    repo.sync(&[]).expect(0);
    repo.git(&["add", "agent/skills", ".claude", ".codex"]);
    repo.git(&["commit", "-qm", "without the lock"]);
    repo.git(&["restore", LOCK]);
    for repo in [clone_of(&repo), repo] {
        repo.append(CANON, "later\n");
        repo.append("agent/skills/beta/SKILL.md", "later\n");
        repo.sync(&["--commit"]).expect(0).says_nothing_of(&["edited", "refused  "]);
        repo.assert_copied("alpha", ".claude/skills/alpha");
        repo.assert_copied("beta", ".codex/skills/beta");
        assert_works(&repo, &["alpha", "beta"]);
    }
}

#[test]
fn a_reverted_lock() {
    let repo = synced(&["alpha"]);
    repo.write(CANON, document("alpha") + "news\n");
    repo.sync(&["--commit"]).expect(0);
    repo.git(&["checkout", "HEAD~1", "--", LOCK]);
    repo.commit_all("revert the lock");
    assert_repaired(&clone_of(&repo), &["alpha"]);
    assert_repaired(&repo, &["alpha"]);
}

#[test]
fn an_emptied_lock() {
    let repo = synced(&["alpha", "beta"]);
    repo.write(LOCK, "");
    repo.commit_all("empty the lock");
    assert_repaired(&clone_of(&repo), &["alpha", "beta"]);
    assert_repaired(&repo, &["alpha", "beta"]);
}

/// The record in git's folder knows the files of a skill that was deleted while the lock was empty.
#[test]
fn a_deletion_while_the_lock_is_empty() {
    let repo = synced(&["alpha", "beta"]);
    repo.write(LOCK, "");
    repo.remove("agent/skills/beta");
    repo.check(&[]).expect(1).says(&["mirror-orphan"]);
    repo.sync(&["--commit"]).expect(0);
    assert!(!repo.exists(".claude/skills/beta") && !repo.exists(".codex/skills/beta"));
    repo.check(&["--rev", "HEAD"]).expect(0).says_nothing_of(&["mirror-"]);
}

#[test]
fn a_conflict_in_the_lock_resolved_with_ours() {
    let repo = synced(&["alpha", "beta"]);
    repo.git(&["checkout", "-qb", "other"]);
    repo.skill("gamma");
    repo.write(CANON, document("alpha") + "other\n");
    repo.sync(&["--commit"]).expect(0);
    repo.git(&["checkout", "-q", "main"]);
    repo.remove("agent/skills/beta");
    repo.skill("delta");
    repo.sync(&["--commit"]).expect(0);
    let _ = repo.try_git(&["merge", "-q", "other"]);
    repo.git(&["checkout", "--ours", LOCK]);
    repo.commit_all("merged");
    assert_repaired(&clone_of(&repo), &["alpha", "gamma", "delta"]);
    assert_repaired(&repo, &["alpha", "gamma", "delta"]);
}

/// Without a lock the repository was never synced; the first sync takes what equals the canon.
#[test]
fn a_first_commit_without_the_lock() {
    let repo = synced(&["alpha"]);
    repo.git(&["rm", "-q", "--cached", LOCK]);
    repo.git(&["commit", "-qm", "no lock"]);
    let clone = clone_of(&repo);
    clone.check(&["--rev", "HEAD"]).expect(1).says(&["mirror-lock"]);
    clone.sync(&["--commit"]).expect(0);
    clone.append(CANON, "later\n");
    clone.sync(&[]).expect(0);
    assert_eq!(clone.text(MIRROR), clone.text(CANON));
}
