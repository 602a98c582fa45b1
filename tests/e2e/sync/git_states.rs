//! States of git in which index and work tree are not alike: skipped entries, sparse checkouts and indexes, unmerged files,
//! and repositories inside the canon.

use crate::support::repo::{Repo, document};

fn synced() -> Repo {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.targets(&["claude", "codex"]);
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    repo
}

/// HEAD is in order, and everybody says so.
#[track_caller]
fn assert_head(repo: &Repo) {
    repo.check(&["--rev", "HEAD"]).expect(0).says_nothing_of(&["mirror-"]);
    assert_eq!(repo.git(&["fsck", "--strict", "--no-dangling"]), "");
}

#[test]
fn mirrors_that_were_staged_and_then_left_out_of_the_checkout_are_committed() {
    for index in ["--no-sparse-index", "--sparse-index"] {
        let repo = synced();
        repo.append("agent/skills/alpha/SKILL.md", "news\n");
        repo.skill("gamma");
        repo.git(&["add", "agent"]);
        repo.sync(&["--staged"]).expect(0);
        repo.git(&["sparse-checkout", "set", index, "agent", ".claude"]);
        assert!(!repo.exists(".codex/skills/gamma"));
        repo.sync(&["--commit"]).expect(0);
        assert_head(&repo);
        assert!(repo.git(&["show", "HEAD:.codex/skills/alpha/SKILL.md"]).ends_with("news"));
        assert_eq!(repo.git(&["status", "--porcelain"]), "");
        assert!(!repo.exists(".codex/skills/gamma"), "the checkout stays sparse");
    }
}

/// `git update-index --skip-worktree` without a sparse checkout: git never commits what is on disk.
#[test]
fn entries_that_git_skips_are_named() {
    let repo = synced();
    repo.git(&["update-index", "--skip-worktree", ".claude/skills/alpha/SKILL.md"]);
    repo.append("agent/skills/alpha/SKILL.md", "news\n");
    repo.sync(&["--commit"]).expect(5).says(&[
        "nothing was committed",
        ".claude/skills/alpha/SKILL.md",
        "skip-worktree",
    ]);
    repo.git(&["update-index", "--no-skip-worktree", ".claude/skills/alpha/SKILL.md"]);
    repo.sync(&["--commit"]).expect(0);
    assert_head(&repo);
    // A person's own version of a canon file.
    repo.git(&["update-index", "--skip-worktree", "agent/skills/alpha/SKILL.md"]);
    repo.append("agent/skills/alpha/SKILL.md", "private\n");
    repo.sync(&["--commit"]).expect(5).says(&["nothing was committed", "skip-worktree"]);
    assert_head(&repo);
    assert!(!repo.git(&["log", "-p", "--all"]).contains("private"));
}

#[test]
fn a_staged_removal_reaches_mirrors_outside_of_the_checkout() {
    for index in ["--no-sparse-index", "--sparse-index"] {
        let repo = synced();
        let cone: &[&str] = match index {
            "--sparse-index" => &["sparse-checkout", "set", index, "agent", ".claude"],
            _ => &["sparse-checkout", "set", "--no-cone", "/*", "!/.codex/"],
        };
        repo.git(cone);
        repo.remove("agent/skills/alpha");
        repo.git(&["add", "-A", "agent"]);
        repo.sync(&["--staged"]).expect(0);
        assert_eq!(repo.git(&["ls-files", ".codex/skills/alpha", ".claude/skills/alpha"]), "");
        assert!(!repo.exists(".claude/skills/alpha"));
        repo.git(&["commit", "-qm", "without alpha"]);
        assert_head(&repo);
        repo.sync(&["--staged"]).expect(0);
        repo.sync(&[]).expect(0);
        assert_eq!(repo.git(&["status", "--porcelain"]), "");
    }
}

/// Both branches edit the same line of alpha; the merge stops.
fn unmerged(conflicts: impl Fn(&Repo, &str)) -> Repo {
    let repo = synced();
    repo.git(&["checkout", "-qb", "other"]);
    conflicts(&repo, "theirs");
    repo.sync(&[]).expect(0);
    repo.commit_all("theirs");
    repo.git(&["checkout", "-q", "main"]);
    conflicts(&repo, "ours");
    repo.sync(&[]).expect(0);
    repo.commit_all("ours");
    assert!(!repo.try_git(&["merge", "-q", "other"]).status.success());
    repo
}

#[test]
fn an_unmerged_canon_is_reported_and_not_staged() {
    let file = "agent/skills/alpha/SKILL.md";
    for resolves_the_mirrors in [false, true] {
        let repo = unmerged(|repo, side| repo.write(file, document("alpha") + side + "\n"));
        if resolves_the_mirrors {
            for path in [".claude/skills/alpha/SKILL.md", ".codex/skills/alpha/SKILL.md", "agent/mirrors.lock"] {
                repo.git(&["checkout", "--ours", path]);
                repo.git(&["add", path]);
            }
        }
        let index = repo.git(&["ls-files", "-s"]);
        repo.check(&["--staged"]).expect(1).says(&[file, "merge-conflict", "git add agent/skills/alpha/SKILL.md"]);
        repo.sync(&["--staged", "--check"]).expect(1).says(&[file]);
        repo.sync(&["--staged"]).expect(5).says(&[file]);
        assert_eq!(repo.git(&["ls-files", "-s"]), index, "nothing was staged");
        repo.write(file, document("alpha") + "both\n");
        repo.git(&["add", file]);
        repo.sync(&[]).expect(0);
        repo.git(&["add", "-A"]);
        repo.sync(&["--staged"]).expect(0);
        repo.git(&["commit", "-qm", "merged"]);
        assert_head(&repo);
    }
}

#[test]
fn a_file_that_one_side_removed_is_unmerged_too() {
    let file = "agent/skills/alpha/SKILL.md";
    let repo = unmerged(|repo, side| match side {
        "ours" => repo.remove("agent/skills/alpha"),
        _ => repo.append(file, "theirs\n"),
    });
    repo.check(&["--staged"]).expect(1).says(&[file, "merge-conflict"]);
    repo.sync(&["--staged"]).expect(5).says(&[file]);
}

#[test]
fn a_lock_in_conflict_is_a_finding_until_a_sync_resolves_it() {
    let repo = synced();
    let lock = "agent/mirrors.lock";
    let text = repo.text(lock);
    repo.write(lock, format!("<<<<<<< ours\n{text}=======\n{text}>>>>>>> theirs\n"));
    repo.check(&[]).expect(1).says(&["mirror-lock", "unresolved merge conflict", "canonry sync"]);
    repo.sync(&["--check"]).expect(1);
    repo.commit_all("markers");
    repo.check(&["--rev", "HEAD"]).expect(1).says(&["mirror-lock"]);
    repo.check(&["--staged"]).expect(1).says(&["mirror-lock"]);
    repo.sync(&["--commit"]).expect(0);
    assert_eq!(repo.text(lock), text);
    assert_head(&repo);
}

/// A sparse index gives the same answers as a full one.
#[test]
fn a_file_beside_a_collapsed_folder_is_committed() {
    let mut answers = Vec::new();
    for index in ["--no-sparse-index", "--sparse-index"] {
        let repo = synced();
        repo.git(&["sparse-checkout", "set", index, "agent/skills/alpha", ".claude", ".codex"]);
        repo.write("agent/skills/beta/SKILL.md", document("beta") + "written in spite of it\n");
        let sync = repo.sync(&["--commit"]);
        let staged = repo.sync(&["--staged"]);
        answers.push((
            sync.status,
            staged.status,
            repo.git(&["rev-parse", "HEAD^{tree}"]),
            repo.git(&["status", "--porcelain"]),
        ));
        assert_head(&repo);
    }
    assert_eq!(answers[0].0, 0);
    assert_eq!(answers[0], answers[1]);
}

/// git adds no file of a repository inside of a repository.
#[test]
fn a_repository_inside_a_skill_is_left_out_by_everybody() {
    let repo = synced();
    let inner = "agent/skills/alpha/vendor";
    repo.write(&format!("{inner}/notes.md"), "theirs\n");
    repo.append("agent/skills/beta/SKILL.md", "news\n");
    repo.git(&["-C", inner, "init", "-q"]);
    let said = ["agent/skills/alpha/vendor", "another repository"];
    let sync = repo.sync(&[]).says(&said);
    assert_eq!(repo.sync(&["--check"]).says(&said).status, 1);
    let commit = repo.sync(&["--commit"]).says(&said);
    assert_eq!((sync.status, commit.status), (1, 1));
    assert!(repo.git(&["show", "HEAD:.claude/skills/beta/SKILL.md"]).ends_with("news"), "the rest is committed");
    assert!(!repo.exists(".claude/skills/alpha/vendor"));
    repo.check(&[]).expect(1).says(&said);
    assert_head(&repo);
    repo.remove(&format!("{inner}/.git"));
    repo.sync(&["--commit"]).expect(0);
    assert!(repo.exists(".claude/skills/alpha/vendor/notes.md"));
    assert_head(&repo);
}

#[test]
fn a_skill_that_is_a_repository_is_left_out_by_everybody() {
    let repo = synced();
    repo.skill("gamma");
    repo.git(&["-C", "agent/skills/gamma", "init", "-q"]);
    let said = ["agent/skills/gamma", "another repository"];
    repo.sync(&[]).expect(1).says(&said);
    repo.sync(&["--commit"]).expect(1).says(&said);
    assert!(!repo.exists(".claude/skills/gamma"));
    repo.check(&[]).expect(1).says(&said);
    assert_head(&repo);
}

/// Names that git accepts in no tree.
#[test]
fn names_that_git_does_not_accept_are_left_out_by_everybody() {
    for name in [".GIT", "git~1", "scripts/.Git"] {
        let repo = synced();
        let file = format!("agent/skills/alpha/{name}");
        repo.write(&file, "x\n");
        repo.append("agent/skills/beta/SKILL.md", "news\n");
        repo.sync(&[]).expect(1).says(&[&file]);
        repo.sync(&["--commit"]).expect(1).says(&[&file]);
        repo.check(&[]).expect(1).says(&[&file]);
        assert!(!repo.exists(&format!(".claude/skills/alpha/{name}")));
        assert!(repo.git(&["show", "HEAD:.claude/skills/beta/SKILL.md"]).ends_with("news"));
        assert_head(&repo);
    }
}

#[test]
fn a_filter_that_fails_for_a_skipped_source_is_reported() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.sync(&["--commit"]).expect(0);
    repo.write(".git/info/attributes", "agent/skills/** filter=broken\n");
    for (key, value) in [("smudge", "false"), ("clean", "cat"), ("required", "true")] {
        repo.git(&["config", &format!("filter.broken.{key}"), value]);
    }
    repo.git(&["sparse-checkout", "set", "--no-cone", "/*", "!/agent/skills"]);
    repo.write("agent/canonry.yaml", "targets: [claude, agents]\n");
    repo.sync(&[]).expect(70).says(&["agent/skills/alpha/SKILL.md: cannot be checked out"]);
    assert!(!repo.exists(".agents/skills/alpha/SKILL.md"));
}

/// Git reads the index that canonry wrote, collapses folders, and must not lose entries.
#[test]
fn a_sparse_index_with_an_intended_file_keeps_its_entries() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/canonry.yaml", "targets: [claude]\nfiles:\n  agents: {context: full}\n");
    repo.write("agent/AGENTS.md", "# Rules\n");
    repo.commit_all("canon");
    repo.git(&["sparse-checkout", "set", "--sparse-index", "agent", ".claude"]);
    repo.skill("beta");
    repo.git(&["add", "-N", "agent/skills/beta"]);
    repo.sync(&["--staged"]);
    let full = repo.git(&["-c", "index.sparse=false", "ls-files"]);
    assert!(full.contains("agent/skills/alpha/SKILL.md"), "{full}");
    assert_eq!(repo.git(&["ls-files"]), full);
}
