//! The paths that a selection includes.

use crate::git::commit::{CommitRequest, CommitSelection, GitHooks, commit};

use super::sandbox::Sandbox;

#[test]
fn only_the_named_paths_are_committed() {
    let repo = Sandbox::new();
    repo.write("agent/a.md", "a2\n");
    repo.write("agent/b.md", "b2\n");
    repo.write("src/s.c", "staged\n");
    repo.write("src/new.c", "staged too\n");
    repo.git(&["add", "src"]);
    repo.write("src/s.c", "and edited again\n");
    repo.remove("agent/b.md");
    repo.write("agent/deep/er/n.md", "n\n");
    repo.assert_as_git(&["agent/a.md", "agent/b.md", "agent/deep/er/n.md"]);
}

#[test]
fn a_named_path_is_committed_from_the_work_tree_and_not_from_the_index() {
    let repo = Sandbox::new();
    repo.write("agent/a.md", "staged\n");
    repo.git(&["add", "agent/a.md"]);
    repo.write("agent/a.md", "on disk\n");
    repo.write("agent/b.md", "staged and taken back\n");
    repo.git(&["add", "agent/b.md"]);
    repo.write("agent/b.md", "b\n");
    repo.assert_as_git(&["agent/a.md", "agent/b.md"]);
}

#[test]
fn staged_files_are_committed_like_git_does() {
    let repo = Sandbox::new();
    repo.write("agent/a.md", "staged\n");
    repo.write("agent/new.md", "staged\n");
    repo.git(&["add", "agent"]);
    repo.assert_as_git(&["agent/a.md", "agent/new.md"]);
}

#[test]
fn a_commit_without_changes_changes_nothing() {
    let repo = Sandbox::new();
    repo.write("src/s.c", "staged\n");
    repo.git(&["add", "src"]);
    let before = repo.snapshot();
    assert_eq!(repo.try_commit(&["agent/a.md", "not/there", "top"]).unwrap(), None);
    assert_eq!(repo.try_commit(&[]).unwrap(), None);
    assert_eq!(repo.snapshot(), before);
    repo.assert_sound();
}

#[test]
fn missing_paths_do_not_affect_other_paths() {
    let repo = Sandbox::new();
    repo.write("top", "t2\n");
    assert_eq!(repo.commit(&["not/there", "top", "top/below-a-file", "agent"]), ["M top"]);
    assert_eq!(repo.status(), "");
}

#[test]
fn literal_paths_may_contain_pathspec_characters() {
    let repo = Sandbox::new();
    let named = ["[a].md", "*.md", ":x", ":(top)y", "sp ace é", "back\\slash", "-f"];
    for path in named {
        repo.write(path, "literal\n");
    }
    repo.write("a.md", "would match\n");
    repo.write("x", "would match\n");
    assert_eq!(repo.commit(&named).len(), named.len());
    assert_eq!(repo.status(), "?? a.md\n?? x");
}

#[test]
fn ignored_files_are_skipped_unless_tracked() {
    let repo = Sandbox::new();
    repo.write(".gitignore", "*.log\nbuild/\n");
    repo.write("kept.log", "1\n");
    repo.git(&["add", "-f", ".gitignore", "kept.log"]);
    repo.git(&["commit", "-qm", "ignore"]);
    repo.write("kept.log", "2\n");
    repo.write("new.log", "n\n");
    repo.write("build/out", "n\n");
    repo.write("agent/.gitignore", "local\n");
    repo.write("agent/local", "n\n");
    let paths = ["kept.log", "new.log", "build/out", "agent/local", "agent/.gitignore"];
    assert_eq!(repo.commit(&paths), ["A agent/.gitignore", "M kept.log"]);
    assert_eq!(repo.status(), "");
}

#[test]
fn a_file_removed_only_from_the_index_is_kept() {
    let repo = Sandbox::new();
    repo.git(&["rm", "-q", "--cached", "agent/b.md"]);
    assert_eq!(repo.commit(&["agent/b.md"]), [""; 0]);
    repo.write("agent/b.md", "b2\n");
    repo.assert_as_git(&["agent/b.md"]);
}

#[test]
fn pathspecs_match_folders_and_patterns() {
    let repo = Sandbox::new();
    repo.write("agent/a.md", "a2\n");
    repo.write("agent/deep/new.txt", "n\n");
    repo.remove("agent/b.md");
    repo.write("top", "t2\n");
    let done = |pathspec: &str| {
        let patterns = [pathspec.into()];
        let selection = CommitSelection::Pathspecs(&patterns);
        commit(&repo.open(), &CommitRequest { selection, message: "ours", hooks: GitHooks::Run }).unwrap()
    };
    assert!(done("nothing/*.like").is_none());
    assert!(done("agent/*.txt").is_some());
    assert_eq!(repo.head_changes(), ["A agent/deep/new.txt"]);
    assert!(done("agent").is_some());
    assert_eq!(repo.head_changes(), ["M agent/a.md", "D agent/b.md"]);
    assert_eq!(repo.status(), " M top");
    repo.assert_sound();
}

#[test]
fn no_pathspecs_select_nothing() {
    let repo = Sandbox::new();
    repo.write("top", "t2\n");
    let request = CommitRequest { selection: CommitSelection::Pathspecs(&[]), message: "ours", hooks: GitHooks::Run };
    assert!(commit(&repo.open(), &request).unwrap().is_none());
}
