//! A memory that has a branch of its own.

use crate::dream::team::{LESSONS, LOG, QUARANTINE, SNAPSHOTS, WORKSPACE, row, rows};
use crate::support::repo::Repo;
use crate::support::same::assert_same;
use serde_json::json;

const MESSAGE: &str = "dream cycle: promoted 1, decayed 2, kept 3";

/// A code branch that ignores the memory, with some rows.
fn apart() -> Repo {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(".gitignore", "agent/memory/\n");
    repo.write("agent/canonry.yaml", "memory: {branch: memory}\n");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "begin"]);
    repo.write(LOG, rows());
    repo
}

impl Repo {
    fn on(&self, branch: &str, path: &str) -> String {
        self.git(&["show", &format!("{branch}:{path}")])
    }

    fn names_on(&self, branch: &str) -> Vec<String> {
        self.git(&["ls-tree", "-r", "--name-only", branch]).lines().map(str::to_owned).collect()
    }

    /// What must not change: HEAD, the index byte for byte, and what git says of the work tree.
    fn here(&self) -> (String, String, Vec<u8>, String) {
        let head = self.git(&["symbolic-ref", "HEAD"]);
        (head, self.head(), self.read(".git/index"), self.git(&["status", "--porcelain"]))
    }
}

#[test]
fn a_dream_is_committed_onto_it() {
    let repo = apart();
    repo.write("mine.txt", "mine\n");
    repo.git(&["add", "mine.txt"]);
    repo.write("agent/skills/alpha/SKILL.md", "half done\n");
    let here = repo.here();
    let did = repo.dreamt(&[]);
    assert_eq!(did["commit"], json!(repo.git(&["rev-parse", "memory"])));
    assert_eq!(repo.here(), here);
    assert_eq!(
        repo.names_on("memory"),
        [
            LOG,
            "agent/memory/episodic/snapshots/2025-12.jsonl",
            "agent/memory/episodic/snapshots/2026-01.jsonl",
            LESSONS
        ]
    );
    for path in [LOG, LESSONS] {
        assert_eq!(repo.on("memory", path), repo.text(path).trim_end());
    }
    // It begins on its own.
    assert_eq!(repo.git(&["rev-list", "--count", "memory"]), "1");
    repo.write(LOG, repo.text(LOG) + &row("old3", 150, "z", 1));
    repo.dream(&[]).expect(0);
    assert_eq!(
        repo.git(&["log", "--oneline", "--format=%s", "memory", "--", "agent/memory"]),
        format!("dream cycle: promoted 0, decayed 1, kept 3\n{MESSAGE}")
    );
    assert_eq!(repo.git(&["log", "-1", "--format=%an <%ae>", "memory"]), "U <u@example.com>");
    assert_eq!(repo.here(), here);
    let head = repo.git(&["rev-parse", "memory"]);
    repo.dream(&[]).expect(0);
    assert_eq!(repo.git(&["rev-parse", "memory"]), head);
    assert_eq!(repo.git(&["fsck", "--strict"]), "");
}

#[test]
fn all_that_a_dream_reads_or_writes_is_on_it() {
    let repo = apart();
    repo.write(LOG, rows() + "oops\n");
    repo.write(WORKSPACE, "# Busy\n");
    repo.write("agent/memory/working/ACTIVE_PLAN.md", "1. dig\n");
    repo.write(&format!("{SNAPSHOTS}/2024-01.jsonl"), row("older", 800, "z", 1));
    repo.write("agent/memory/personal/PREFERENCES.md", "mine\n");
    repo.dream(&[]).expect(0);
    let names = repo.names_on("memory");
    for path in [LOG, LESSONS, QUARANTINE, WORKSPACE, "agent/memory/working/ACTIVE_PLAN.md"] {
        assert!(names.iter().any(|name| name == path), "{path}: {names:?}");
    }
    assert_eq!(names.iter().filter(|name| name.starts_with(SNAPSHOTS)).count(), 3, "{names:?}");
    assert!(!names.iter().any(|name| name.contains("personal")), "{names:?}");
}

/// The branch's history decides what is stale, as that of HEAD does where there is none.
#[test]
fn what_is_stale_is_told_by_its_history() {
    let repo = apart();
    repo.write(WORKSPACE, "# Busy\n");
    let age = |repo: &Repo, time| {
        std::fs::File::options().write(true).open(repo.path(WORKSPACE)).unwrap().set_modified(time).unwrap();
    };
    let now: jiff::Timestamp = crate::dream::team::NOW.parse().unwrap();
    age(&repo, now.into());
    repo.dream(&[]).expect(0);
    assert_eq!(repo.text(WORKSPACE), "# Busy\n");
    // Committed in 2023, as these tests have it, and new on disk.
    assert_eq!(repo.on("memory", WORKSPACE), "# Busy");
    assert_eq!(repo.dreamt(&["--dry-run"])["workspace_archived"], json!(true));
    repo.git(&["branch", "-q", "-D", "memory"]);
    assert_eq!(repo.dreamt(&["--dry-run"])["workspace_archived"], json!(false));
}

/// What else is on the branch stays there.
#[test]
fn a_branch_that_is_there() {
    let repo = apart();
    repo.git(&["branch", "memory"]);
    repo.dream(&[]).expect(0);
    let names = repo.names_on("memory");
    assert!(names.contains(&LOG.to_owned()) && names.contains(&".gitignore".to_owned()), "{names:?}");
    assert_eq!(repo.git(&["rev-parse", "memory~1"]), repo.head());
    assert_eq!(repo.git(&["log", "-1", "--format=%s", "main"]), "begin");
    // As a ref that only the packed file has.
    repo.git(&["pack-refs", "--all"]);
    repo.write(LOG, repo.text(LOG) + &row("old3", 150, "z", 1));
    repo.dream(&[]).expect(0);
    assert_eq!(repo.git(&["rev-list", "--count", "memory"]), "3");
}

#[test]
fn the_branch_that_is_checked_out_is_committed_as_ever() {
    let repo = crate::dream::team::team(rows());
    repo.write("agent/canonry.yaml", "memory: {branch: main}\n");
    repo.commit_all("config");
    repo.dream(&[]).expect(0);
    assert_eq!(repo.git(&["log", "--format=%s"]), format!("{MESSAGE}\nconfig\nbegin"));
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert_eq!(repo.git(&["branch", "--format=%(refname:short)"]), "main");
}

#[test]
fn a_branch_that_another_work_tree_has() {
    let repo = apart();
    let other = repo.outside("other");
    repo.git(&["worktree", "add", "-q", other.join("tree").to_str().unwrap(), "-b", "memory"]);
    let (tree, here) = (repo.tree(), repo.here());
    repo.dream(&[]).expect(5).says(&["the branch `memory` is checked out at", "other/tree"]);
    assert_same(&repo.tree(), &tree, "refused");
    assert_eq!(repo.here(), here);
    repo.dream(&["--no-commit"]).expect(0);
    // From the other one, whose own it is.
    let linked = other.join("tree");
    std::fs::create_dir_all(linked.join(LOG).parent().unwrap()).unwrap();
    std::fs::write(linked.join(LOG), rows()).unwrap();
    std::fs::write(linked.join(".gitignore"), "").unwrap();
    let ran = repo.canonry_in(&linked, &["dream", "--now", crate::dream::team::NOW]).expect(0);
    assert!(ran.stdout.contains("Committed as"), "{}", ran.stdout);
    assert_eq!(repo.git(&["log", "-1", "--format=%s", "memory"]), MESSAGE);
    // The main one has it, and the run is in a linked one.
    repo.git(&["worktree", "remove", "--force", linked.to_str().unwrap()]);
    repo.git(&["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
    repo.git(&["checkout", "-q", "-f", "memory"]);
    std::fs::create_dir_all(linked.join(LOG).parent().unwrap()).unwrap();
    std::fs::write(linked.join(LOG), rows()).unwrap();
    std::fs::write(linked.join("agent/canonry.yaml"), "memory: {branch: memory}\n").unwrap();
    let ran = repo.canonry_in(&linked, &["dream", "--now", crate::dream::team::NOW]).expect(5);
    assert!(ran.stderr.contains("is checked out at"), "{}", ran.stderr);
}

#[test]
fn a_branch_that_someone_moves_at_that_moment() {
    let repo = apart();
    repo.write(".git/refs/heads/memory.lock", "");
    repo.dream(&[]).expect(4);
    repo.remove(".git/refs/heads/memory.lock");
    assert!(repo.lines().values().all(|count| *count == 1));
    // What was begun is finished, and committed once.
    repo.dream(&[]).expect(0);
    assert_eq!(repo.git(&["log", "--format=%s", "memory"]), MESSAGE);
}

#[test]
fn names_that_git_does_not_allow() {
    let repo = apart();
    for (name, says) in
        [("a..b", "not a valid branch name"), ("refs/heads/x", "only the name of the branch"), ("''", "branch")]
    {
        repo.write("agent/canonry.yaml", format!("memory: {{branch: {name}}}\n"));
        repo.dream(&[]).expect(65).says(&["agent/canonry.yaml", says]);
    }
}

#[test]
fn an_undo_goes_onto_the_same_branch() {
    let repo = apart();
    let here = repo.here();
    repo.dream(&[]).expect(0);
    repo.undo(&[]).expect(0);
    assert_eq!(repo.text(LOG), rows());
    assert_eq!(repo.here(), here);
    assert_eq!(repo.git(&["log", "--format=%s", "memory"]), format!("undo {MESSAGE}\n{MESSAGE}"));
    assert_eq!(repo.names_on("memory"), [LOG]);
    assert_eq!(repo.on("memory", LOG), repo.text(LOG).trim_end());
}

/// Killed at any write: one commit in the end, and all of it on the branch.
#[test]
fn killed_anywhere_with_a_branch() {
    use crate::support::failpoints::{copy, failpoints, for_each_failpoint, kill};
    let line = ["dream", "--now", crate::dream::team::NOW];
    let template = apart();
    let uninterrupted = copy(&template);
    let failpoints = failpoints(&uninterrupted, &line);
    let (after, names) = (uninterrupted.tree(), uninterrupted.names_on("memory"));
    assert!(failpoints.len() > 40, "{}", failpoints.len());
    for_each_failpoint(&failpoints, |failpoint| {
        let repo = copy(&template);
        kill(&repo, &line, failpoint);
        for lock in [".git/refs/heads/memory.lock", ".git/packed-refs.lock"] {
            if repo.exists(lock) {
                repo.remove(lock);
            }
        }
        repo.canonry(&line).expect(0);
        assert_same(&repo.tree(), &after, &format!("after a kill at {failpoint:?}"));
        assert_eq!(repo.git(&["log", "--format=%s", "memory"]), MESSAGE, "{failpoint:?}");
        assert_eq!(repo.names_on("memory"), names, "{failpoint:?}");
        assert_eq!(repo.git(&["log", "--format=%s", "main"]), "begin", "{failpoint:?}");
    });
}
