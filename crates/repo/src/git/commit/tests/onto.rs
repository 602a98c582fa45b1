//! Commits onto a branch that is not checked out.

use super::sandbox::Sandbox;
use crate::git::commit::{
    CommitError, CommitErrorKind, CommitRequest, CommitSelection, Committed, GitHooks, commit_onto, ready_onto,
};
use gix::bstr::BString;

impl Sandbox {
    fn onto(&self, branch: &str, paths: &[&str]) -> Result<Option<Committed>, CommitError> {
        let paths: Vec<BString> = paths.iter().map(|path| BString::from(*path)).collect();
        commit_onto(
            &self.open(),
            branch,
            &CommitRequest { selection: CommitSelection::Literal(&paths), message: "theirs", hooks: GitHooks::Run },
        )
    }
}

#[test]
fn only_the_named_paths_are_committed_onto_the_branch() {
    let repo = Sandbox::new();
    repo.git(&["branch", "other"]);
    repo.write(".gitignore", "ignored/\n");
    repo.write("ignored/x", "x\n");
    repo.write("agent/a.md", "a2\n");
    repo.remove("agent/b.md");
    repo.write("top", "staged\n");
    repo.git(&["add", "top"]);
    let index = std::fs::read(repo.path(".git/index")).unwrap();
    let status = repo.status();
    let made = repo.onto("other", &["ignored/x", "agent/a.md", "agent/b.md", "not/there"]).unwrap().unwrap();
    let changes: Vec<String> = made.changes.iter().map(|change| format!("{:?} {}", change.kind, change.path)).collect();
    assert_eq!(changes, ["Modified agent/a.md", "Deleted agent/b.md", "Added ignored/x"]);
    assert_eq!(repo.git(&["rev-parse", "other"]), made.id.to_string());
    assert_eq!(repo.git(&["ls-tree", "-r", "--name-only", "other"]), "agent/a.md\nignored/x\nsrc/s.c\ntop");
    assert_eq!(repo.git(&["show", "other:top"]), "t");
    assert_eq!(repo.git(&["log", "--format=%s", "other"]), "theirs\ninit");
    assert_eq!(repo.git(&["log", "--format=%s", "main"]), "init");
    assert_eq!(repo.git(&["reflog", "show", "--format=%gs", "-1", "other"]), "commit: theirs");
    assert_eq!(std::fs::read(repo.path(".git/index")).unwrap(), index);
    assert_eq!(repo.status(), status);
    // A second commit has no changes.
    assert_eq!(repo.onto("other", &["ignored/x", "agent/a.md", "agent/b.md"]).unwrap(), None);
    repo.assert_sound();
}

#[test]
fn a_missing_branch_is_created() {
    let repo = Sandbox::new();
    repo.write("agent/a.md", "a2\n");
    assert_eq!(repo.onto("team/other", &["not/there"]).unwrap(), None);
    assert!(!repo.path(".git/refs/heads/team").exists());
    repo.onto("team/other", &["agent/a.md"]).unwrap().unwrap();
    assert_eq!(repo.git(&["ls-tree", "-r", "--name-only", "team/other"]), "agent/a.md");
    assert_eq!(repo.git(&["rev-list", "--parents", "team/other"]).split(' ').count(), 1);
    assert_eq!(repo.git(&["reflog", "show", "--format=%gs", "team/other"]), "commit (initial): theirs");
    repo.assert_sound();
}

#[test]
fn line_endings_are_converted() {
    let repo = Sandbox::new();
    repo.write(".gitattributes", "*.md text eol=crlf\n");
    repo.write("agent/a.md", "a\r\nb\r\n");
    repo.onto("other", &["agent/a.md"]).unwrap().unwrap();
    assert_eq!(repo.git(&["cat-file", "-p", "other:agent/a.md"]), "a\nb");
}

#[test]
fn a_branch_moved_during_the_commit_is_contention() {
    let repo = Sandbox::new();
    let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
    for there in [true, false] {
        let moved = repo.git(&["commit-tree", "-p", "HEAD", "-m", "moved", &tree]);
        if there {
            repo.git(&["branch", "other"]);
        } else {
            repo.git(&["branch", "-D", "other"]);
        }
        repo.write(".gitattributes", "*.md filter=slow\n");
        repo.git(&["config", "filter.slow.clean", &format!("git update-ref refs/heads/other {moved}; cat")]);
        repo.write("agent/a.md", "a2\n");
        let error = repo.onto("other", &["agent/a.md"]).unwrap_err();
        assert_eq!(error.kind(), CommitErrorKind::Contention, "{error}");
        assert!(error.to_string().contains("other moved"), "{error}");
        assert_eq!(repo.git(&["rev-parse", "other"]), moved);
    }
    repo.assert_sound();
}

#[test]
fn a_merge_refuses_a_commit_onto_a_branch_and_an_index_lock_does_not() {
    let repo = Sandbox::new();
    repo.write("agent/a.md", "a2\n");
    std::fs::write(repo.path(".git/index.lock"), "").unwrap();
    ready_onto(&repo.open(), "other").unwrap();
    repo.onto("other", &["agent/a.md"]).unwrap().unwrap();
    // A commit onto the current branch needs the index.
    assert_eq!(ready_onto(&repo.open(), "main").unwrap_err().kind(), CommitErrorKind::Contention);
    std::fs::remove_file(repo.path(".git/index.lock")).unwrap();
    std::fs::write(repo.path(".git/MERGE_HEAD"), repo.git(&["rev-parse", "HEAD"])).unwrap();
    repo.write("agent/a.md", "a3\n");
    for error in [ready_onto(&repo.open(), "other").unwrap_err(), repo.onto("other", &["agent/a.md"]).unwrap_err()] {
        assert_eq!(error.kind(), CommitErrorKind::Refused, "{error}");
    }
}

#[test]
fn a_branch_checked_out_elsewhere_is_refused() {
    let repo = Sandbox::new();
    let linked = repo.root.with_file_name("linked");
    repo.git(&["worktree", "add", "-q", "-b", "other", linked.to_str().unwrap()]);
    repo.write("agent/a.md", "a2\n");
    let error = repo.onto("other", &["agent/a.md"]).unwrap_err();
    assert_eq!(error.kind(), CommitErrorKind::Refused, "{error}");
    assert!(error.to_string().contains("linked"), "{error}");
    assert_eq!(repo.git(&["log", "-1", "--format=%s", "other"]), "init");
    // A work tree whose folder is gone does not count.
    std::fs::remove_dir_all(&linked).unwrap();
    repo.onto("other", &["agent/a.md"]).unwrap().unwrap();
    repo.assert_sound();
}

/// With the program that git would call.
#[test]
#[ignore = "needs ssh-keygen"]
fn needs_ssh_keygen_a_commit_onto_a_branch_is_signed_if_configured() {
    let repo = Sandbox::new();
    let key = repo.home().join("key");
    let made = repo.command("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status();
    assert!(made.unwrap().success());
    let key = key.to_str().unwrap();
    for (name, value) in [("gpg.format", "ssh"), ("user.signingKey", key), ("commit.gpgSign", "true")] {
        repo.git(&["config", name, value]);
    }
    repo.write("agent/a.md", "a2\n");
    repo.onto("other", &["agent/a.md"]).unwrap().unwrap();
    assert!(repo.git(&["cat-file", "commit", "other"]).contains("gpgsig "));
}
