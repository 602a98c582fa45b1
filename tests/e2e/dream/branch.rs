//! A memory on its own branch (`memory.branch` in the config).

use crate::dream::team::{LESSONS, LOG, QUARANTINE, SNAPSHOTS, WORKSPACE, row, rows};
use crate::support::repo::Repo;
use crate::support::same::assert_same;
use serde_json::json;

const MESSAGE: &str = "dream cycle: promoted 1, decayed 2, kept 3";

/// A code branch that ignores the memory, and a log with some rows.
fn repo_with_memory_branch() -> Repo {
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

    /// State that must not change: HEAD, the bytes of the index, and the status of the work tree.
    fn checkout_state(&self) -> (String, String, Vec<u8>, String) {
        let head = self.git(&["symbolic-ref", "HEAD"]);
        (head, self.head(), self.read(".git/index"), self.git(&["status", "--porcelain"]))
    }
}

#[test]
fn a_dream_commits_to_the_memory_branch_and_not_to_head() {
    let repo = repo_with_memory_branch();
    repo.write("mine.txt", "mine\n");
    repo.git(&["add", "mine.txt"]);
    repo.write("agent/skills/alpha/SKILL.md", "half done\n");
    let checkout_state = repo.checkout_state();
    let did = repo.dream_json(&[]);
    assert_eq!(did["commit"], json!(repo.git(&["rev-parse", "memory"])));
    assert_eq!(repo.checkout_state(), checkout_state);
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
    // The branch has no parent on main.
    assert_eq!(repo.git(&["rev-list", "--count", "memory"]), "1");
    repo.write(LOG, repo.text(LOG) + &row("old3", 150, "z", 1));
    repo.dream(&[]).expect(0);
    assert_eq!(
        repo.git(&["log", "--oneline", "--format=%s", "memory", "--", "agent/memory"]),
        format!("dream cycle: promoted 0, decayed 1, kept 3\n{MESSAGE}")
    );
    assert_eq!(repo.git(&["log", "-1", "--format=%an <%ae>", "memory"]), "U <u@example.com>");
    assert_eq!(repo.checkout_state(), checkout_state);
    let head = repo.git(&["rev-parse", "memory"]);
    repo.dream(&[]).expect(0);
    assert_eq!(repo.git(&["rev-parse", "memory"]), head);
    assert_eq!(repo.git(&["fsck", "--strict"]), "");
}

#[test]
fn the_memory_branch_contains_every_file_that_a_dream_reads_or_writes() {
    let repo = repo_with_memory_branch();
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

/// The age of a workspace comes from the history of the memory branch, as it comes from HEAD without such a branch.
#[test]
fn the_age_of_the_workspace_comes_from_the_memory_branch() {
    let repo = repo_with_memory_branch();
    repo.write(WORKSPACE, "# Busy\n");
    let age = |repo: &Repo, time| {
        std::fs::File::options().write(true).open(repo.path(WORKSPACE)).unwrap().set_modified(time).unwrap();
    };
    let now: jiff::Timestamp = crate::dream::team::NOW.parse().unwrap();
    age(&repo, now.into());
    repo.dream(&[]).expect(0);
    assert_eq!(repo.text(WORKSPACE), "# Busy\n");
    // The tests commit with a date in 2023; on disk the file is new.
    assert_eq!(repo.on("memory", WORKSPACE), "# Busy");
    assert_eq!(repo.dream_json(&["--dry-run"])["workspace_archived"], json!(true));
    repo.git(&["branch", "-q", "-D", "memory"]);
    assert_eq!(repo.dream_json(&["--dry-run"])["workspace_archived"], json!(false));
}

/// Other files on the branch stay.
#[test]
fn an_existing_branch_keeps_its_other_files() {
    let repo = repo_with_memory_branch();
    repo.git(&["branch", "memory"]);
    repo.dream(&[]).expect(0);
    let names = repo.names_on("memory");
    assert!(names.contains(&LOG.to_owned()) && names.contains(&".gitignore".to_owned()), "{names:?}");
    assert_eq!(repo.git(&["rev-parse", "memory~1"]), repo.head());
    assert_eq!(repo.git(&["log", "-1", "--format=%s", "main"]), "begin");
    // A ref that exists only in `packed-refs`.
    repo.git(&["pack-refs", "--all"]);
    repo.write(LOG, repo.text(LOG) + &row("old3", 150, "z", 1));
    repo.dream(&[]).expect(0);
    assert_eq!(repo.git(&["rev-list", "--count", "memory"]), "3");
}

#[test]
fn a_memory_branch_that_is_checked_out_is_committed_normally() {
    let repo = crate::dream::team::team(rows());
    repo.write("agent/canonry.yaml", "memory: {branch: main}\n");
    repo.commit_all("config");
    repo.dream(&[]).expect(0);
    assert_eq!(repo.git(&["log", "--format=%s"]), format!("{MESSAGE}\nconfig\nbegin"));
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert_eq!(repo.git(&["branch", "--format=%(refname:short)"]), "main");
}

#[test]
fn a_branch_checked_out_in_another_work_tree_is_refused() {
    let repo = repo_with_memory_branch();
    let other = repo.outside("other");
    repo.git(&["worktree", "add", "-q", other.join("tree").to_str().unwrap(), "-b", "memory"]);
    let tree = repo.tree();
    let checkout_state = repo.checkout_state();
    repo.dream(&[]).expect(5).says(&["the branch `memory` is checked out at", "other/tree"]);
    assert_same(&repo.tree(), &tree, "refused");
    assert_eq!(repo.checkout_state(), checkout_state);
    repo.dream(&["--no-commit"]).expect(0);
    // From the work tree that has the branch checked out.
    let linked = other.join("tree");
    std::fs::create_dir_all(linked.join(LOG).parent().unwrap()).unwrap();
    std::fs::write(linked.join(LOG), rows()).unwrap();
    std::fs::write(linked.join(".gitignore"), "").unwrap();
    let ran = repo.canonry_in(&linked, &["dream", "--now", crate::dream::team::NOW]).expect(0);
    assert!(ran.stdout.contains("Committed as"), "{}", ran.stdout);
    assert_eq!(repo.git(&["log", "-1", "--format=%s", "memory"]), MESSAGE);
    // The main work tree has it checked out, and the run is in a linked one.
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
fn a_branch_moved_during_the_commit_is_contention() {
    let repo = repo_with_memory_branch();
    repo.write(".git/refs/heads/memory.lock", "");
    repo.dream(&[]).expect(4);
    repo.remove(".git/refs/heads/memory.lock");
    assert!(repo.lines().values().all(|count| *count == 1));
    // The next run completes the dream, and commits it once.
    repo.dream(&[]).expect(0);
    assert_eq!(repo.git(&["log", "--format=%s", "memory"]), MESSAGE);
}

#[test]
fn invalid_branch_names_are_refused() {
    let repo = repo_with_memory_branch();
    for (name, says) in
        [("a..b", "not a valid branch name"), ("refs/heads/x", "only the name of the branch"), ("''", "branch")]
    {
        repo.write("agent/canonry.yaml", format!("memory: {{branch: {name}}}\n"));
        repo.dream(&[]).expect(65).says(&["agent/canonry.yaml", says]);
    }
}

#[test]
fn an_undo_commits_to_the_same_branch() {
    let repo = repo_with_memory_branch();
    let checkout_state = repo.checkout_state();
    repo.dream(&[]).expect(0);
    repo.undo(&[]).expect(0);
    assert_eq!(repo.text(LOG), rows());
    assert_eq!(repo.checkout_state(), checkout_state);
    assert_eq!(repo.git(&["log", "--format=%s", "memory"]), format!("undo {MESSAGE}\n{MESSAGE}"));
    assert_eq!(repo.names_on("memory"), [LOG]);
    assert_eq!(repo.on("memory", LOG), repo.text(LOG).trim_end());
}

/// After a kill at any write, the branch gets exactly one commit with all changes.
#[test]
fn a_dream_onto_a_branch_survives_a_kill_at_any_write() {
    use crate::support::failpoints::{copy, failpoints, for_each_failpoint, kill};
    let line = ["dream", "--now", crate::dream::team::NOW];
    let template = repo_with_memory_branch();
    let uninterrupted = copy(&template);
    let failpoints = failpoints(&uninterrupted, &line);
    let after = uninterrupted.tree();
    let names = uninterrupted.names_on("memory");
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
