//! `canonry install git-hooks` and its removal, with real commits.

use crate::places::tools::{
    BY_HAND, HOOK, SKILL, canonry_folder, commit, expect, mode, path_with, program, set_mode, text,
};
use crate::support::repo::{COLON, GOOD, Repo};

const INSTALL: [&str; 2] = ["install", "git-hooks"];
const UNINSTALL: [&str; 2] = ["uninstall", "git-hooks"];

fn bad() -> String {
    GOOD.replace("notes. Use", "notes: use")
}

#[test]
fn installs_checks_and_uninstalls() {
    let repo = Repo::with_synced_skill();
    expect(&repo.canonry(&INSTALL), 0, &["wrote     .git/hooks/pre-commit", "canonry uninstall git-hooks"]);
    assert_eq!(mode(&repo.path(HOOK)) & 0o111, 0o111);
    let made = text(&repo.path(HOOK));
    expect(&repo.canonry(&INSTALL), 0, &["unchanged .git/hooks/pre-commit"]);
    assert_eq!(text(&repo.path(HOOK)), made);

    repo.write("agent/skills/triage-bug/SKILL.md", COLON);
    repo.git(&["add", "-A"]);
    expect(&commit(&repo), 1, &["yaml-invalid", "triage-bug/SKILL.md:3:33"]);
    repo.git(&["reset", "-q"]);
    std::fs::remove_dir_all(repo.path("agent/skills/triage-bug")).unwrap();
    repo.write("other.txt", "other\n");
    repo.git(&["add", "-A"]);
    expect(&commit(&repo), 0, &[]);

    expect(&repo.canonry(&UNINSTALL), 0, &["removed   .git/hooks/pre-commit"]);
    assert!(!repo.path(HOOK).exists());
    expect(&repo.canonry(&UNINSTALL), 0, &["Nothing to remove"]);
}

/// A repository that uses canonry as a linter only.
#[test]
fn checks_without_a_canon() {
    let repo = Repo::empty();
    expect(&repo.canonry(&INSTALL), 0, &["wrote     .git/hooks/pre-commit"]);
    repo.write(".claude/skills/triage-bug/SKILL.md", COLON);
    repo.write("other.txt", "other\n");
    repo.git(&["add", "-A"]);
    expect(&commit(&repo), 1, &["yaml-invalid", ".claude/skills/triage-bug/SKILL.md:3:33"]);
    repo.git(&["rm", "-q", "--cached", "-r", ".claude"]);
    expect(&commit(&repo), 0, &[]);
}

/// The hook checks the committed content, not the work tree.
#[test]
fn checks_staged_content() {
    let repo = Repo::with_synced_skill();
    expect(&repo.canonry(&INSTALL), 0, &[]);
    repo.write(SKILL, bad());
    repo.git(&["add", SKILL]);
    repo.write(SKILL, GOOD);
    expect(&commit(&repo), 1, &["yaml-invalid"]);
    repo.write("other.txt", "other\n");
    repo.git(&["reset", "-q"]);
    repo.git(&["add", "other.txt"]);
    repo.write(SKILL, bad());
    expect(&commit(&repo), 0, &[]);
    // `git commit PATH` uses a temporary index, which the hook must read.
    let partly = |path: &str| {
        let mut git = repo.command("git");
        git.args(["commit", "-qm", "partly", path]).env("PATH", path_with(&[&canonry_folder()]));
        git.output().unwrap().into()
    };
    expect(&partly(SKILL), 1, &["yaml-invalid"]);
    repo.write("other.txt", "another\n");
    expect(&partly("other.txt"), 0, &[]);
}

/// Without canonry on PATH, the hook fails with a message.
#[test]
fn commits_nothing_without_canonry_on_path() {
    let repo = Repo::with_synced_skill();
    expect(&repo.canonry(&INSTALL), 0, &[]);
    repo.write("other.txt", "other\n");
    repo.git(&["add", "-A"]);
    let folders = std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect::<Vec<_>>();
    let others = folders.into_iter().filter(|folder| !folder.join("canonry").exists());
    let mut git = repo.command("git");
    git.args(["commit", "-qm", "x"]).env("PATH", std::env::join_paths(others).unwrap());
    expect(&git.output().unwrap().into(), 1, &["canonry is not on PATH", "git commit --no-verify"]);
}

#[test]
fn dry_run_prints_a_diff_and_writes_nothing() {
    let repo = Repo::with_synced_skill();
    expect(&repo.canonry(&["install", "git-hooks", "--dry-run"]), 0, &["+++ b/.git/hooks/pre-commit", "+#!/bin/sh"]);
    assert!(!repo.path(HOOK).exists());
    expect(&repo.canonry(&INSTALL), 0, &[]);
    let made = text(&repo.path(HOOK));
    expect(
        &repo.canonry(&["uninstall", "git-hooks", "--dry-run"]),
        0,
        &["--- a/.git/hooks/pre-commit", "+++ /dev/null"],
    );
    assert_eq!(text(&repo.path(HOOK)), made);
}

#[test]
fn existing_hook_still_runs() {
    let repo = Repo::with_synced_skill();
    let hook = "#!/bin/bash\n# Ours.\necho ours ran >&2\n";
    program(&repo.path(HOOK), hook);
    set_mode(&repo.path(HOOK), 0o750);
    expect(&repo.canonry(&INSTALL), 0, &["everything else is unchanged"]);
    assert_eq!(mode(&repo.path(HOOK)), 0o750);
    repo.write("other.txt", "other\n");
    repo.git(&["add", "-A"]);
    expect(&commit(&repo), 0, &["ours ran"]);
    expect(&repo.canonry(&UNINSTALL), 0, &["everything else is unchanged"]);
    assert_eq!((text(&repo.path(HOOK)).as_str(), mode(&repo.path(HOOK))), (hook, 0o750));
}

/// Uses the hooks directory that git uses.
#[test]
fn uses_the_hooks_directory_of_git() {
    let home = |repo: &Repo| repo.tmp().with_file_name("home");
    for (setting, place) in [
        (".githooks", ".githooks/pre-commit"),
        ("sub/../.githooks", ".githooks/pre-commit"),
        ("~/../repo/mine", "mine/pre-commit"),
    ] {
        let repo = Repo::with_synced_skill();
        repo.write("sub/file", "");
        std::fs::create_dir_all(home(&repo)).unwrap();
        repo.git(&["config", "core.hooksPath", setting]);
        let ran = repo.canonry(&["install", "git-hooks", "-C", "sub"]);
        expect(&ran, 0, &[&format!("wrote     {place}")]);
        repo.write("agent/skills/triage-bug/SKILL.md", COLON);
        repo.git(&["add", "-A"]);
        expect(&commit(&repo), 1, &["yaml-invalid"]);
        expect(&repo.canonry(&UNINSTALL), 0, &["removed"]);
    }
}

#[test]
fn linked_work_trees_share_the_hook() {
    let repo = Repo::with_synced_skill();
    let linked = repo.tmp().join("linked");
    repo.git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    let ran = repo.canonry_command().arg("-C").arg(&linked).args(INSTALL).output().unwrap().into();
    expect(&ran, 0, &["/repo/.git/hooks/pre-commit"]);
    assert!(repo.path(HOOK).exists());
    expect(&repo.canonry(&INSTALL), 0, &["unchanged"]);
    // In a linked work tree, git passes its directories to the hook in variables.
    let bad_skill = linked.join("agent/skills/triage-bug/SKILL.md");
    std::fs::create_dir_all(bad_skill.parent().unwrap()).unwrap();
    std::fs::write(bad_skill, COLON).unwrap();
    let git = |args: &[&str]| {
        let mut git = repo.command("git");
        git.current_dir(&linked).args(args).env("PATH", path_with(&[&canonry_folder()])).output().unwrap().into()
    };
    expect(&git(&["add", "-A"]), 0, &[]);
    expect(&git(&["commit", "-qm", "x"]), 1, &["yaml-invalid", "triage-bug/SKILL.md:3:33"]);
    // The hooks of the main work tree apply to all work trees.
    let shared = std::fs::canonicalize(&repo.root).unwrap().join(".githooks");
    repo.git(&["config", "core.hooksPath", shared.to_str().unwrap()]);
    let ran = repo.canonry_command().arg("-C").arg(&linked).args(INSTALL).output().unwrap().into();
    expect(&ran, 0, &["/repo/.githooks/pre-commit"]);
}

/// husky's own script stays unchanged; it runs the user's script.
#[test]
fn installs_into_the_user_hook_of_husky() {
    let repo = Repo::with_synced_skill();
    let stub = "#!/usr/bin/env sh\nsh -e \"$(dirname -- \"$0\")/../pre-commit\"\n";
    program(&repo.path(".husky/_/pre-commit"), stub);
    repo.write(".husky/pre-commit", "echo users ran >&2\n");
    repo.git(&["config", "core.hooksPath", ".husky/_"]);
    expect(&repo.canonry(&INSTALL), 0, &["wrote     .husky/pre-commit"]);
    assert_eq!(text(&repo.path(".husky/_/pre-commit")), stub);
    repo.write("agent/skills/triage-bug/SKILL.md", COLON);
    repo.git(&["add", "-A"]);
    let ran = commit(&repo);
    expect(&ran, 1, &["yaml-invalid"]);
    assert!(!ran.stderr.contains("users ran"), "{}", ran.stderr);
    expect(&repo.canonry(&UNINSTALL), 0, &[]);
    assert_eq!(text(&repo.path(".husky/pre-commit")), "echo users ran >&2\n");
}

#[test]
fn does_not_change_shared_hooks() {
    let repo = Repo::with_synced_skill();
    let home = repo.tmp().with_file_name("home");
    repo.git(&["config", "core.hooksPath", "~/hooks"]);
    for args in [INSTALL, UNINSTALL] {
        expect(&repo.canonry(&args), 5, &["home/hooks", BY_HAND, "git config core.hooksPath .githooks"]);
    }
    assert!(!home.join("hooks").exists());
    repo.git(&["config", "core.hooksPath", "/dev/null"]);
    expect(&repo.canonry(&INSTALL), 5, &["/dev/null", "not a directory"]);
    repo.git(&["config", "core.hooksPath", ""]);
    expect(&repo.canonry(&INSTALL), 65, &["core.hooksPath", "empty"]);
    // A link that leaves the repository is refused like a setting.
    repo.git(&["config", "--unset", "core.hooksPath"]);
    std::os::unix::fs::symlink(&home, repo.path(".git/hooks")).unwrap();
    expect(&repo.canonry(&INSTALL), 5, &[BY_HAND]);
    assert!(!home.join("pre-commit").exists());
}

/// The commit contains the skill and its mirrors, and the check sees both.
#[test]
fn with_sync_a_commit_contains_its_mirrors() {
    let repo = Repo::with_synced_skill();
    let mirror = ".claude/skills/release-notes/SKILL.md";
    expect(&repo.canonry(&INSTALL), 0, &[]);
    let check = text(&repo.path(HOOK));
    repo.write(SKILL, GOOD.replace("Sort", "Order"));
    repo.git(&["add", SKILL]);
    expect(&commit(&repo), 1, &["mirror-stale"]);
    expect(
        &repo.canonry(&["install", "git-hooks", "--sync", "--dry-run"]),
        0,
        &["+  canonry sync --staged || exit $?"],
    );
    expect(
        &repo.canonry(&["install", "git-hooks", "--sync"]),
        0,
        &["canonry sync --staged", "canonry uninstall git-hooks"],
    );
    let both = text(&repo.path(HOOK));
    expect(&commit(&repo), 0, &["staged    .claude/skills/release-notes", "no findings"]);
    assert!(repo.git(&["show", &format!("HEAD:{mirror}")]).contains("Order"));
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    // A commit with a path uses a temporary index.
    repo.write(SKILL, GOOD.replace("Sort", "Sift"));
    let mut git = repo.command("git");
    git.args(["commit", "-qm", "partly", SKILL]).env("PATH", path_with(&[&canonry_folder()]));
    expect(&git.output().unwrap().into(), 0, &[]);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    // Errors still block the commit.
    repo.write(SKILL, bad());
    repo.git(&["add", SKILL]);
    expect(&commit(&repo), 1, &["yaml-invalid"]);
    // An update keeps the mode.
    expect(&repo.canonry(&INSTALL), 0, &["unchanged"]);
    assert_eq!(text(&repo.path(HOOK)), both);
    expect(&repo.canonry(&UNINSTALL), 0, &["removed"]);
    expect(&repo.canonry(&INSTALL), 0, &[]);
    assert_eq!(text(&repo.path(HOOK)), check);
}

#[test]
fn with_sync_uninstall_restores_an_existing_hook() {
    let repo = Repo::with_synced_skill();
    let hook = "#!/bin/bash\n# Ours.\necho ours ran >&2";
    program(&repo.path(HOOK), hook);
    repo.git(&["config", "core.hooksPath", ".git/hooks"]);
    for args in [&["install", "git-hooks", "--sync"][..], &INSTALL] {
        expect(&repo.canonry(args), 0, &[]);
    }
    repo.write(SKILL, GOOD.replace("Sort", "Order"));
    repo.git(&["add", SKILL]);
    expect(&commit(&repo), 0, &["staged", "ours ran"]);
    expect(&repo.canonry(&UNINSTALL), 0, &["everything else is unchanged"]);
    assert_eq!(text(&repo.path(HOOK)), hook);
    // A hook that cannot contain the block gets a command line to add.
    program(&repo.path(HOOK), "#!/usr/bin/env python3\n");
    expect(&repo.canonry(&["install", "git-hooks", "--sync"]), 5, &["canonry sync --staged && canonry check --staged"]);
}
