//! Operations in progress: those that a commit would disturb, and others.

use crate::git::commit::{CommitErrorKind, ready};

use super::sandbox::Sandbox;

/// A branch `other` whose edit of `top` conflicts with main.
fn diverged() -> Sandbox {
    let repo = Sandbox::new();
    repo.git(&["checkout", "-q", "-b", "other"]);
    repo.write("top", "theirs\n");
    repo.git(&["commit", "-qam", "theirs"]);
    repo.git(&["checkout", "-q", "main"]);
    repo.write("top", "ours\n");
    repo.git(&["commit", "-qam", "ours"]);
    repo
}

#[test]
fn operations_in_progress_refuse_a_commit() {
    for (begin, words) in [
        (&["merge", "other"][..], "a merge"),
        (&["rebase", "other"], "a rebase"),
        (&["cherry-pick", "other"], "a cherry-pick"),
        (&["revert", "main^"], "a revert"),
    ] {
        let repo = diverged();
        if words == "a revert" {
            repo.git(&["revert", "--no-commit", "main"]);
            repo.git(&["update-ref", "REVERT_HEAD", "main"]);
        } else {
            repo.try_git_in(&repo.root, begin);
        }
        repo.write("agent/a.md", "a2\n");
        repo.assert_refused(&["agent/a.md"], CommitErrorKind::Refused, &[words, "finish or abort"]);
        assert_eq!(ready(&repo.open()).unwrap_err().kind(), CommitErrorKind::Refused);
    }
}

#[test]
fn a_bisect_allows_a_commit() {
    let repo = Sandbox::new();
    repo.git(&["bisect", "start"]);
    repo.write("top", "t2\n");
    ready(&repo.open()).unwrap();
    assert_eq!(repo.commit(&["top"]), ["M top"]);
    repo.git(&["update-ref", "REVERT_HEAD", "main"]);
    let error = ready(&repo.open()).unwrap_err();
    assert!(error.to_string().contains("a revert"), "{error}");
}

#[test]
fn conflicts_refuse_only_their_own_paths() {
    let repo = Sandbox::new();
    repo.write("top", "stashed\n");
    repo.git(&["stash", "-q"]);
    repo.write("top", "ours\n");
    repo.git(&["commit", "-qam", "ours"]);
    repo.try_git_in(&repo.root, &["stash", "pop"]);
    assert_eq!(repo.status(), "UU top");
    repo.assert_refused(&["top"], CommitErrorKind::Refused, &["`top`", "conflict"]);
    repo.write("agent/a.md", "a2\n");
    assert_eq!(repo.commit(&["agent/a.md"]), ["M agent/a.md"]);
    assert_eq!(repo.status(), "UU top");
}
