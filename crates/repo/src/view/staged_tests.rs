//! Staged changes compared with `git diff --cached`, after any sequence of changes.

use super::{Basis, GitSource, View};
use crate::git::commit::tests::sandbox::Sandbox;
use canonry_text::RepoPath;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn ours(repo: &Sandbox) -> BTreeSet<String> {
    let git = crate::git::open::open(&repo.root).unwrap();
    let top = RepoPath::default();
    let view = View::from_git(GitSource::open(&git, &Basis::Index, &top).unwrap(), &top);
    view.staged_changes().unwrap().iter().map(|path| path.to_display()).collect()
}

fn gits(repo: &Sandbox) -> BTreeSet<String> {
    let diff = repo.git(&["diff", "--cached", "--name-only", "--no-renames", "-z"]);
    diff.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect()
}

fn clear(repo: &Sandbox, path: &str) {
    let at = repo.path(path);
    let _ = if at.is_dir() { std::fs::remove_dir_all(at) } else { std::fs::remove_file(at) };
}

/// Also replaces a file with a folder, and a folder with a file.
fn put(repo: &Sandbox, path: &str, text: &str) {
    let mut above = String::new();
    for part in path.split('/') {
        above = if above.is_empty() { part.to_owned() } else { format!("{above}/{part}") };
        if repo.path(&above).is_file() && above != path {
            clear(repo, &above);
        }
    }
    if repo.path(path).is_dir() {
        clear(repo, path);
    }
    repo.write(path, text);
}

#[derive(Clone, Debug)]
enum StagedStep {
    Put(usize, u8),
    Remove(usize),
    Add(usize),
    AddAll,
    Intend(usize),
    Commit,
    WriteTree,
}

const PATHS: [&str; 9] = ["a", "a/b", "a/b/c", "a/d", "a-b", "a/b.x", "e/f/g", "e/f", "z/é"];

fn steps() -> impl Strategy<Value = Vec<StagedStep>> {
    let at = 0..PATHS.len();
    let step = prop_oneof![
        6 => (at.clone(), 0..3u8).prop_map(|(path, text)| StagedStep::Put(path, text)),
        2 => at.clone().prop_map(StagedStep::Remove),
        3 => at.clone().prop_map(StagedStep::Add),
        3 => Just(StagedStep::AddAll),
        1 => at.prop_map(StagedStep::Intend),
        2 => Just(StagedStep::Commit),
        1 => Just(StagedStep::WriteTree),
    ];
    prop::collection::vec(step, 1..14)
}

fn run(repo: &Sandbox, step: &StagedStep) {
    // Some steps fail in some states; git then changes nothing.
    let git = |args: &[&str]| drop(repo.command("git").args(args).output().unwrap());
    match step {
        StagedStep::Put(path, text) => put(repo, PATHS[*path], &text.to_string()),
        StagedStep::Remove(path) => clear(repo, PATHS[*path]),
        StagedStep::Add(path) => git(&["add", "-A", "--", PATHS[*path]]),
        StagedStep::AddAll => git(&["add", "-A"]),
        StagedStep::Intend(path) => git(&["add", "-N", "--", PATHS[*path]]),
        StagedStep::Commit => git(&["commit", "-qm", "x", "--allow-empty"]),
        StagedStep::WriteTree => git(&["write-tree"]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(canonry_testing::cases(12)))]

    #[test]
    fn staged_changes_equal_git_diff_cached(steps in steps()) {
        let repo = Sandbox::unborn();
        for step in &steps {
            run(&repo, step);
            prop_assert_eq!(ours(&repo), gits(&repo), "{:?} of {:?}", step, &steps);
        }
    }
}

#[test]
fn conflicts_and_a_sparse_index_are_supported() {
    let repo = Sandbox::unborn();
    repo.write("in/a", "1");
    repo.write("out/deep/b", "1");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "1"]);
    repo.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "in"]);
    assert_eq!(ours(&repo), BTreeSet::new());
    repo.write("in/a", "2");
    repo.git(&["add", "-A"]);
    assert_eq!(ours(&repo), BTreeSet::from(["in/a".to_owned()]));
    let repo = Sandbox::unborn();
    repo.write("a", "1");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "1"]);
    for (branch, text) in [("x", "2"), ("y", "3")] {
        repo.git(&["checkout", "-qb", branch, "main"]);
        repo.write("a", text);
        repo.git(&["commit", "-qam", text]);
    }
    assert!(!repo.command("git").args(["merge", "x"]).output().unwrap().status.success());
    assert_eq!(ours(&repo), BTreeSet::from(["a".to_owned()]));
}
