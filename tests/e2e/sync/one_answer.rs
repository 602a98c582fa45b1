//! One state, one answer: by `check` in three views, `sync`, `sync --check` and `status`. What is advised works.

use crate::support::repo::Repo;

const ALPHA: &str = "agent/skills/alpha/SKILL.md";
const MIRROR: &str = ".claude/skills/alpha/SKILL.md";

/// Two synced skills for these targets, committed. The first has several lines.
fn synced(targets: &[&str]) -> Repo {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.targets(targets);
    repo.append(ALPHA, "\none\n\ntwo\n\nthree\n\nfour\n\nfive\n");
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    repo
}

fn edit(repo: &Repo, path: &str, from: &str, to: &str) {
    let text = repo.text(path);
    assert!(text.contains(from), "{path}: {text}");
    repo.write(path, text.replace(from, to));
}

/// Both branches change other lines and sync; only the lock conflicts.
fn merged(repo: &Repo) {
    repo.git(&["checkout", "-q", "-b", "other"]);
    edit(repo, ALPHA, "one", "ONE");
    repo.sync(&[]).expect(0);
    repo.commit_all("other");
    repo.git(&["checkout", "-q", "main"]);
    edit(repo, ALPHA, "five", "FIVE");
    repo.sync(&[]).expect(0);
    repo.commit_all("mine");
    assert!(!repo.try_git(&["merge", "-q", "other"]).status.success());
}

/// Asserts that a sync brings the edited canon into the mirrors.
fn assert_synced(repo: &Repo) {
    repo.sync(&[]).expect(0).says_nothing_of(&["edited by hand"]);
    assert_eq!(repo.text(MIRROR), repo.text(ALPHA));
    repo.commit_all("done");
    for view in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(view).expect(0);
    }
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn an_edit_of_the_canon_during_a_merge_is_synced() {
    let repo = synced(&["claude", "codex"]);
    merged(&repo);
    edit(&repo, ALPHA, "three", "THREE");
    repo.git(&["add", "agent/skills"]);
    assert_synced(&repo);
}

#[test]
fn an_edit_of_the_canon_after_a_merge_with_the_lock_of_one_side_is_synced() {
    for staged_lock in ["--ours", "--theirs"] {
        let repo = synced(&["claude", "codex"]);
        merged(&repo);
        repo.git(&["checkout", staged_lock, "agent/mirrors.lock"]);
        edit(&repo, ALPHA, "three", "THREE");
        repo.commit_all("merged");
        assert_synced(&repo);
    }
}

#[test]
fn an_edit_of_the_canon_during_a_cherry_pick_is_synced() {
    let repo = synced(&["claude", "codex"]);
    repo.git(&["checkout", "-q", "-b", "other"]);
    edit(&repo, ALPHA, "one", "ONE");
    repo.sync(&[]).expect(0);
    repo.commit_all("other");
    repo.git(&["checkout", "-q", "main"]);
    edit(&repo, ALPHA, "five", "FIVE");
    repo.sync(&[]).expect(0);
    repo.commit_all("mine");
    assert!(!repo.try_git(&["cherry-pick", "other"]).status.success());
    edit(&repo, ALPHA, "three", "THREE");
    repo.git(&["add", "agent/skills"]);
    assert_synced(&repo);
}

#[test]
fn an_edit_by_hand_before_a_merge_is_still_refused() {
    let repo = synced(&["claude", "codex"]);
    merged(&repo);
    edit(&repo, MIRROR, "two", "by hand");
    edit(&repo, ALPHA, "three", "THREE");
    repo.git(&["add", "-A"]);
    repo.sync(&[]).expect(5).says(&[MIRROR]);
    assert!(repo.text(MIRROR).contains("by hand"));
    assert_eq!(repo.text(".codex/skills/alpha/SKILL.md"), repo.text(ALPHA));
}

#[test]
fn a_mirror_of_a_removed_target_is_adopted_as_advised() {
    for changes_canon in [false, true] {
        let repo = synced(&["claude", "agents"]);
        let mirror = ".agents/skills/alpha/SKILL.md";
        edit(&repo, mirror, "two", "TWO");
        if changes_canon {
            edit(&repo, ALPHA, "five", "FIVE");
        }
        repo.targets(&["claude"]);
        repo.sync(&[]).expect(5).says(&[mirror, "--adopt"]);
        repo.check(&[]).expect(1).says(&["--adopt"]);
        repo.sync(&["--adopt", mirror]).expect(0);
        let text = repo.text(ALPHA);
        assert!(text.contains("TWO") && text.contains("FIVE") == changes_canon, "{text}");
        assert_eq!(repo.text(MIRROR), text);
        assert!(!repo.exists(mirror), "the tool is no target any more");
        repo.sync(&["--check"]).expect(0);
    }
    // Both changed the same line: the help says how to decide.
    for (side, want) in [("--ours", "canon"), ("--theirs", "mirror")] {
        let repo = synced(&["claude", "agents"]);
        edit(&repo, ".agents/skills/alpha/SKILL.md", "two", "mirror");
        edit(&repo, ALPHA, "two", "canon");
        repo.targets(&["claude"]);
        let adopt = ["--adopt", ".agents/skills/alpha"];
        repo.sync(&adopt).expect(5).says(&["--ours", "--theirs"]);
        repo.sync(&[&adopt[..], &[side]].concat()).expect(0);
        assert!(repo.text(ALPHA).contains(want), "{side}");
        repo.sync(&["--check"]).expect(0);
    }
}

#[test]
fn a_first_sync_that_is_refused_is_reported_by_all() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.targets(&["claude"]);
    repo.write(MIRROR, "mine\n");
    repo.commit_all("not synced");
    repo.sync(&["--check"]).expect(1).says(&[MIRROR, "Not synced"]);
    for view in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(view).expect(1).says(&["mirror-occupied", MIRROR]).says_nothing_of(&["mirror-missing"]);
    }
    repo.sync(&[]).expect(5).says(&[MIRROR]);
    repo.sync(&["--check"]).expect(1).says(&[MIRROR]);
    repo.check(&[]).expect(1).says(&["mirror-occupied", MIRROR]);
    repo.canonry(&["status"]).says(&["2 refused"]);
    assert_eq!(repo.text(MIRROR), "mine\n");
    // What is only new is no drift.
    let repo = Repo::with_skills(&["alpha"]);
    repo.sync(&["--check"]).expect(0).says(&["Not synced"]);
    repo.check(&[]).expect(0).says(&["is not synced"]);
}

#[test]
fn a_deleted_lock_is_reported_by_all() {
    let repo = synced(&["claude", "codex"]);
    repo.git(&["rm", "-q", "agent/mirrors.lock"]);
    repo.git(&["commit", "-qm", "no lock"]);
    for view in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(view).expect(1).says(&["mirror-lock", "canonry sync"]).says_nothing_of(&["is not synced"]);
    }
    repo.sync(&["--check"]).expect(1).says(&["agent/mirrors.lock"]);
    repo.canonry(&["status"]).says_nothing_of(&["not synced", "up to date"]);
    repo.canonry(&["doctor"]).says_nothing_of(&["not synced"]);
    // The same with a change in the canon.
    edit(&repo, ALPHA, "two", "TWO");
    repo.check(&[]).expect(1).says(&["mirror-stale"]);
    assert_synced(&repo);
    assert!(repo.exists("agent/mirrors.lock"));
}

#[test]
fn ignored_mirrors_are_one_finding() {
    let repo = Repo::with_skills(&["alpha", "beta", "gamma"]);
    repo.write(".gitignore", ".claude/\n");
    repo.targets(&["claude", "codex"]);
    repo.canonry(&["init", "--with", "instructions"])
        .expect(0)
        .says(&["git ignores .claude/skills", "git: {ignore: true}"]);
    repo.sync(&[]).expect(0).says(&["Git ignores .claude/skills"]);
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "documented path"]);
    for view in [&["--staged"][..], &["--rev", "HEAD"]] {
        let ran = repo.check(view).expect(1).says(&["git ignores .claude/skills", "git check-ignore -v"]);
        assert_eq!(ran.stdout.matches("[mirror-missing]").count(), 1, "{}", ran.stdout);
    }
    // Both remedies work.
    let config = repo.text("agent/canonry.yaml");
    repo.write("agent/canonry.yaml", format!("{config}\nfiles: {{git: {{ignore: true}}}}\n"));
    repo.sync(&["--commit"]).expect(0);
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "each clone makes its own", "--allow-empty"]);
    repo.check(&["--rev", "HEAD"]).expect(0);
    repo.write("agent/canonry.yaml", config);
    repo.write(".gitignore", "");
    repo.sync(&[]).expect(0);
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "committed mirrors"]);
    repo.check(&["--rev", "HEAD"]).expect(0);
}

/// The index decides about itself: a lock that is only on the disk is in no commit.
#[test]
fn a_lock_that_is_not_staged_does_not_count_in_the_index() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.targets(&["claude"]);
    repo.sync(&[]).expect(0);
    repo.git(&["add", "agent/skills", "agent/canonry.yaml"]);
    repo.git(&["commit", "-qm", "the canon alone"]);
    assert!(repo.exists("agent/mirrors.lock"));
    repo.check(&["--staged"]).expect(0).says_nothing_of(&["mirror-missing", "mirror-lock"]);
    repo.check(&["--rev", "HEAD"]).expect(0).says(&["is not synced"]);
    repo.sync(&["--check", "--staged"]).expect(0).says(&["Not synced"]);
    // What sync writes into the index is found there.
    repo.sync(&["--staged"]).expect(0);
    repo.git(&["commit", "-qm", "with mirrors"]);
    repo.check(&["--rev", "HEAD"]).expect(0);
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn a_staged_sync_names_the_mirrors_that_git_ignores() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/canonry.yaml", "targets:\n  claude:\n  foo: {skills: .foo/skills}\n");
    repo.write(".gitignore", "/.claude/skills/\n/.foo/skills/\n");
    repo.sync(&[]).expect(0);
    repo.git(&["add", "-A"]);
    repo.sync(&["--staged"]).expect(0).says(&["Git ignores .claude/skills, .foo/skills"]);
    repo.sync(&["--staged", "--check"]).expect(1);
    repo.git(&["commit", "-qm", "without mirrors"]);
    for view in [&["--staged"][..], &["--rev", "HEAD"]] {
        let ran = repo.check(view).expect(1).says(&["git ignores .claude/skills, .foo/skills"]);
        assert_eq!(ran.stdout.matches("[mirror-missing]").count(), 1, "{}", ran.stdout);
    }
}

/// Only one of the two skills is staged, and sync skips both.
#[test]
fn a_staged_skill_with_the_name_of_another_one_is_reported() {
    let repo = synced(&["claude"]);
    repo.write("agent/skills/more/beta/SKILL.md", repo.text("agent/skills/beta/SKILL.md"));
    repo.git(&["add", "-A"]);
    for is_committed in [false, true] {
        repo.sync(&["--check", "--staged"]).expect(1).says(&["agent/skills/more/beta"]);
        repo.check(&["--staged"]).expect(1).says(&["skill-name-clash"]);
        if !is_committed {
            repo.git(&["commit", "-qm", "two of a name"]);
        }
    }
    repo.check(&["--rev", "HEAD"]).expect(1).says(&["skill-name-clash"]);
}

/// Each clone makes the tool files that git ignores; no index and no commit has them.
#[test]
fn tool_files_that_git_ignores_are_missing_nowhere() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/canonry.yaml", "targets: [claude]\nfiles: {claude: {hooks: true}}\n");
    repo.write(".gitignore", "/.claude/settings.json\n");
    repo.sync(&[]).expect(0);
    repo.git(&["add", "-A"]);
    repo.sync(&["--check", "--staged"]).expect(0);
    repo.check(&["--staged"]).expect(0);
    repo.git(&["commit", "-qm", "without settings"]);
    repo.check(&["--rev", "HEAD"]).expect(0);
    repo.sync(&["--check", "--staged"]).expect(0);
    repo.sync(&["--check"]).expect(0);
}

/// An index with an unmerged lock has no version of it, but the canon was synced.
#[test]
fn an_unmerged_lock_in_the_index_is_no_missing_lock() {
    let repo = synced(&["claude", "codex"]);
    merged(&repo);
    // Nor are the mirrors in the index.
    repo.git(&["rm", "-rq", "--cached", ".claude", ".codex"]);
    for ran in [repo.check(&["--staged"]), repo.check(&[]), repo.sync(&["--check", "--staged"])] {
        ran.says_nothing_of(&["Not synced"]);
    }
}

/// Git applies the changes of one branch to the mirror under the name that the other branch gave it.
#[test]
fn a_mirror_that_a_merge_renamed_is_not_called_edited() {
    let repo = synced(&["claude", "agents"]);
    repo.git(&["checkout", "-q", "-b", "other"]);
    edit(&repo, ALPHA, "five", "FIVE");
    repo.sync(&[]).expect(0);
    repo.commit_all("other");
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["mv", "agent/skills/alpha", "agent/skills/gamma"]);
    edit(&repo, "agent/skills/gamma/SKILL.md", "name: alpha", "name: gamma");
    repo.sync(&[]).expect(0);
    repo.targets(&["claude"]);
    repo.commit_all("renamed");
    repo.try_git(&["merge", "-q", "other"]);
    repo.git(&["checkout", "--theirs", "agent/mirrors.lock"]);
    repo.commit_all("merged");
    repo.git(&["checkout", "HEAD~1", "--", "agent/mirrors.lock"]);
    assert!(repo.text(".agents/skills/gamma/SKILL.md").contains("FIVE"), "git follows the rename");
    repo.sync(&[]).says_nothing_of(&["edited by hand"]);
}
