//! A refused or failed commit changes nothing.

use crate::git::commit::{CommitErrorKind, CommitRequest, CommitSelection, GitHooks, commit, ready};

use super::sandbox::Sandbox;

#[test]
fn a_held_index_lock_is_contention() {
    let repo = Sandbox::new();
    repo.write("top", "t2\n");
    std::fs::write(repo.path(".git/index.lock"), "someone else's").unwrap();
    repo.assert_refused(&["top"], CommitErrorKind::Contention, &["index.lock", "remove"]);
    assert_eq!(ready(&repo.open()).unwrap_err().kind(), CommitErrorKind::Contention);
    assert_eq!(std::fs::read(repo.path(".git/index.lock")).unwrap(), b"someone else's");
}

#[test]
fn a_held_reference_lock_is_contention() {
    let repo = Sandbox::new();
    repo.write("top", "t2\n");
    let before = repo.snapshot();
    std::fs::write(repo.path(".git/refs/heads/main.lock"), "").unwrap();
    let error = repo.try_commit(&["top"]).unwrap_err();
    assert_eq!(error.kind(), CommitErrorKind::Contention, "{error}");
    std::fs::remove_file(repo.path(".git/refs/heads/main.lock")).unwrap();
    assert_eq!(repo.git(&["log", "-1", "--format=%s"]), "init");
    assert_eq!(std::fs::read(repo.path(".git/index")).unwrap(), before.index());
    assert_eq!(repo.status(), " M top");
    repo.assert_sound();
}

#[test]
fn a_head_moved_during_the_commit_is_contention() {
    let repo = Sandbox::new();
    let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
    let moved = repo.git(&["commit-tree", "-p", "HEAD", "-m", "moved", &tree]);
    repo.write(".gitattributes", "*.md filter=slow\n");
    repo.git(&["config", "filter.slow.clean", &format!("git update-ref HEAD {moved}; cat")]);
    repo.write("agent/a.md", "a2\n");
    let before = repo.snapshot();
    let error = repo.try_commit(&["agent/a.md"]).unwrap_err();
    assert_eq!(error.kind(), CommitErrorKind::Contention, "{error}");
    assert!(error.to_string().contains("HEAD moved"), "{error}");
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), moved);
    assert_eq!(std::fs::read(repo.path(".git/index")).unwrap(), before.index());
    repo.assert_sound();
}

#[test]
fn a_missing_identity_names_the_settings() {
    for missing in ["user.name", "user.email"] {
        let repo = Sandbox::new();
        repo.write("top", "t2\n");
        repo.git(&["config", "--unset", missing]);
        let words = ["git config user.name", "user.email", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL"];
        repo.assert_refused(&["top"], CommitErrorKind::Unreadable, &words);
        assert_eq!(ready(&repo.open()).unwrap_err().kind(), CommitErrorKind::Unreadable);
    }
}

#[test]
fn a_failing_required_filter_is_an_error() {
    let repo = Sandbox::new();
    repo.write(".gitattributes", "*.up filter=up\n");
    repo.git(&["config", "filter.up.clean", "exit 3"]);
    repo.git(&["config", "filter.up.required", "true"]);
    repo.write("x.up", "x\n");
    repo.assert_refused(&["x.up"], CommitErrorKind::Internal, &["`x.up`", "filter"]);
    repo.assert_sound();
}

#[test]
fn paths_that_git_does_not_allow_are_refused() {
    let repo = Sandbox::new();
    for path in ["../outside", "/top", "agent//a.md", "", "agent/", ".git/config", "agent/.GIT/x", "./top"] {
        repo.assert_refused(&[path], CommitErrorKind::Refused, &["cannot be in a commit"]);
    }
}

#[test]
fn files_of_nested_repositories_are_refused() {
    let repo = Sandbox::new();
    repo.git(&["init", "-q", "nested"]);
    repo.write("nested/file", "n\n");
    repo.assert_refused(&["nested/file"], CommitErrorKind::Refused, &["`nested/file`", "`nested`"]);
    assert_eq!(repo.commit(&["nested"]), [""; 0]);
}

#[test]
fn files_in_the_folder_of_an_uninitialised_submodule_are_refused() {
    let repo = Sandbox::new();
    let commit = repo.git(&["rev-parse", "HEAD"]);
    let entry = format!("160000,{commit},lib");
    repo.git(&["update-index", "--add", "--cacheinfo", &entry]);
    repo.git(&["commit", "-qm", "submodule"]);
    repo.write("lib/file", "n\n");
    let error = repo.try_commit(&["lib/file"]).unwrap_err();
    assert_eq!(error.kind(), CommitErrorKind::Refused, "{error}");
    assert_eq!(repo.git(&["log", "-1", "--format=%s"]), "submodule");
}

#[test]
fn a_socket_instead_of_a_file_is_refused() {
    let repo = Sandbox::new();
    repo.remove("top");
    let _socket = std::os::unix::net::UnixListener::bind(repo.path("top")).unwrap();
    repo.assert_refused(&["top"], CommitErrorKind::Refused, &["`top`"]);
}

#[test]
fn an_empty_message_is_refused() {
    let repo = Sandbox::new();
    repo.write("top", "t2\n");
    let paths = ["top".into()];
    let request = CommitRequest { selection: CommitSelection::Literal(&paths), message: " \n\n", hooks: GitHooks::Run };
    assert_eq!(commit(&repo.open(), &request).unwrap_err().kind(), CommitErrorKind::Refused);
}

#[test]
fn a_bare_repository_is_an_error() {
    let repo = Sandbox::new();
    repo.git(&["config", "core.bare", "true"]);
    let error = repo.try_commit(&["top"]).unwrap_err();
    assert_eq!(error.kind(), CommitErrorKind::Internal, "{error}");
    assert!(error.to_string().contains("bare"));
}

#[test]
fn ready_writes_nothing() {
    let repo = Sandbox::new();
    let before = repo.snapshot();
    ready(&repo.open()).unwrap();
    assert_eq!(repo.snapshot(), before);
    repo.assert_sound();
}

#[test]
fn an_inaccessible_file_does_not_count_as_missing() {
    let repo = Sandbox::new();
    let long = "x".repeat(300);
    repo.assert_refused(&[&long], CommitErrorKind::Internal, &["cannot be accessed"]);
}
