//! Unusual locations and formats of HEAD, references and the index.

use super::sandbox::Sandbox;

#[test]
fn the_first_commit_creates_the_branch() {
    let repo = Sandbox::unborn();
    repo.write("agent/a.md", "a\n");
    assert_eq!(repo.commit(&["agent/a.md"]), ["A agent/a.md"]);
    assert_eq!(repo.git(&["reflog", "-1", "--format=%gs"]), "commit (initial): ours");
    assert_eq!(repo.status(), "");
}

#[test]
fn the_first_commit_keeps_other_staged_changes() {
    let repo = Sandbox::unborn();
    repo.write("agent/a.md", "a\n");
    repo.write("z", "z\n");
    repo.git(&["add", "z"]);
    assert_eq!(repo.commit(&["agent/a.md"]), ["A agent/a.md"]);
    assert_eq!(repo.status(), "A  z");
}

#[test]
fn the_branch_and_its_reflogs_are_updated() {
    let repo = Sandbox::new();
    let before = repo.git(&["rev-parse", "main"]);
    repo.write("top", "t2\n");
    repo.commit(&["top"]);
    assert_eq!(repo.git(&["rev-parse", "main^"]), before);
    for name in ["HEAD", "main"] {
        assert_eq!(repo.git(&["reflog", name, "-1", "--format=%gs %gn"]), "commit: ours U");
    }
    assert_eq!(repo.git(&["log", "-1", "--format=%an %ae %cn %ce %B"]), "U u@example.com U u@example.com ours");
}

#[test]
fn a_detached_head_is_updated_without_a_branch() {
    let repo = Sandbox::new();
    repo.git(&["checkout", "-q", "--detach"]);
    let main = repo.git(&["rev-parse", "main"]);
    repo.write("top", "t2\n");
    repo.commit(&["top"]);
    assert_eq!(repo.git(&["rev-parse", "main"]), main);
    assert_eq!(repo.git(&["rev-parse", "HEAD^"]), main);
    assert_eq!(repo.git(&["rev-parse", "--abbrev-ref", "HEAD"]), "HEAD");
}

#[test]
fn a_linked_work_tree_commits_to_its_own_branch() {
    let mut repo = Sandbox::new();
    repo.git(&["worktree", "add", "-q", "../linked", "-b", "other"]);
    let main = repo.git(&["rev-parse", "main"]);
    let linked = repo.path("../linked");
    let first = std::mem::replace(&mut repo.root, linked);
    repo.write("agent/a.md", "a2\n");
    repo.write("top", "staged\n");
    repo.git(&["add", "top"]);
    assert!(repo.try_commit(&["agent/a.md"]).unwrap().is_some());
    assert_eq!(repo.status(), "M  top");
    assert_eq!(repo.git(&["rev-parse", "main", "other^"]), format!("{main}\n{main}"));
    assert_eq!(repo.git_in(&first, &["status", "--porcelain"]), "");
    repo.root = first;
    repo.assert_sound();
}

#[test]
fn packed_references_and_objects_are_read() {
    let repo = Sandbox::new();
    repo.git(&["gc", "-q"]);
    repo.git(&["pack-refs", "--all"]);
    repo.write("agent/a.md", "a2\n");
    repo.assert_as_git(&["agent/a.md"]);
}

#[test]
fn a_split_index_and_index_version_4_are_supported() {
    for settings in [&["--split-index"][..], &["--index-version", "4"]] {
        let repo = Sandbox::new();
        repo.git(&[&["update-index"], settings].concat());
        repo.write("src/new.c", "staged\n");
        repo.git(&["add", "src"]);
        repo.write("agent/a.md", "a2\n");
        repo.assert_as_git(&["agent/a.md"]);
    }
}

#[test]
fn an_index_without_a_checksum_stays_without_one() {
    let repo = Sandbox::new();
    repo.git(&["config", "index.skipHash", "true"]);
    repo.write("agent/a.md", "a2\n");
    repo.assert_as_git(&["agent/a.md"]);
    let index = std::fs::read(repo.path(".git/index")).unwrap();
    assert!(index.ends_with(&[0; 20]));
}

#[test]
fn shared_repositories_keep_their_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let repo = Sandbox::new();
    repo.git(&["config", "core.sharedRepository", "group"]);
    repo.write("agent/a.md", "a2\n");
    repo.commit(&["agent/a.md"]);
    let mode = repo.path(".git/index").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o660, 0o660);
}
