//! `--dry-run` prints exactly the changes that a run makes.

use crate::support::repo::{Repo, Tree, document};
use crate::support::same::assert_same;
use std::io::Write as _;
use std::process::Stdio;

/// Applies a diff with git, without using an index.
fn git_apply(repo: &Repo, diff: &str) {
    let mut child =
        repo.command("git").args(["apply", "--whitespace=nowarn", "-"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(diff.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{diff}");
}

/// Only files: git keeps no empty folders.
fn mirrors(repo: &Repo) -> Tree {
    let mut tree = repo.mirrors();
    tree.retain(|_, held| *held != crate::support::repo::Held::Folder);
    tree
}

/// Asserts that applying the printed diff to `one` gives the same files as the run on `two`.
fn assert_diff_equals_run(make: impl Fn() -> Repo, args: &[&str], status: i32) {
    let one = make();
    let two = make();
    let printed = one.sync(&[&["--dry-run"], args].concat());
    two.sync(args).expect(status);
    assert_eq!(printed.status, status, "{}", printed.stderr);
    assert!(mirrors(&one) != mirrors(&two), "the run changes something");
    git_apply(&one, &printed.stdout);
    assert_same(&mirrors(&one), &mirrors(&two), &printed.stdout);
}

#[test]
fn the_diff_of_a_first_run_equals_the_run() {
    let make = || {
        let repo = Repo::with_skills(&["alpha", "beta"]);
        repo.targets(&["claude", "codex"]);
        repo.write("agent/skills/alpha/references/no end.md", "one\r\ntwo");
        repo.write("agent/skills/alpha/references/empty", "");
        repo.write("agent/skills/alpha/references/caf\u{e9} \"q\".md", "x\n");
        repo.link("agent/skills/alpha/link", "SKILL.md");
        repo.link("agent/skills/alpha/up", "../../../shared.md");
        repo.write("shared.md", "shared\n");
        repo
    };
    assert_diff_equals_run(make, &[], 0);
}

#[test]
fn the_diff_contains_updates_removals_and_modes() {
    let make = || {
        let repo = Repo::with_skills(&["alpha", "beta", "gamma"]);
        repo.targets(&["claude", "codex"]);
        repo.write("agent/skills/alpha/empty", "");
        repo.link("agent/skills/alpha/link", "SKILL.md");
        repo.sync(&[]).expect(0);
        repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news");
        repo.write("agent/skills/alpha/scripts/run.sh", "changed, and no longer to be executed\n");
        repo.chmod("agent/skills/alpha/scripts/run.sh", 0o644);
        repo.remove("agent/skills/alpha/empty");
        repo.remove("agent/skills/alpha/link");
        repo.link("agent/skills/alpha/link", "scripts/run.sh");
        repo.chmod("agent/skills/gamma/scripts/run.sh", 0o644);
        repo.remove("agent/skills/gamma/SKILL.md");
        repo.link("agent/skills/gamma/SKILL.md", "scripts/run.sh");
        repo.remove("agent/skills/beta");
        repo
    };
    assert_diff_equals_run(make, &[], 0);
}

#[test]
fn the_diff_of_a_refused_or_forced_run_equals_the_run() {
    let make = || {
        let repo = Repo::synced(&["alpha", "beta"]);
        repo.write(".claude/skills/alpha/SKILL.md", "mine\n");
        repo.write(".claude/skills/mine/SKILL.md", "mine\n");
        repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
        repo
    };
    assert_diff_equals_run(make, &[], 5);
    assert_diff_equals_run(make, &["--force"], 0);
}

#[test]
fn the_diff_names_a_binary_file() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/skills/alpha/logo.bin", [0u8, 255]);
    repo.sync(&["--dry-run"]).expect(0).says(&["b/.claude/skills/alpha/logo.bin differ"]);
}

#[test]
fn diff_also_shows_refused_edits() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(".claude/skills/alpha/SKILL.md", document("alpha") + "my edit\n");
    let ran = repo.sync(&["--diff"]).expect(1);
    assert!(ran.stdout.contains("\n-my edit\n"), "{}", ran.stdout);
    assert_eq!(repo.sync(&["--dry-run"]).expect(5).stdout, "");
}
