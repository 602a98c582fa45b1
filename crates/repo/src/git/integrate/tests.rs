//! Merges compared with those of git.

use crate::git::commit::index::HeldIndex;
use crate::git::commit::own_locks::record_index_lock;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

use super::record::IntegrationRecord;
use super::{Integrated, MergeRequest, finish_interrupted, integrate};
use crate::git::commit::GitHooks;
use crate::git::commit::tests::sandbox::Sandbox;
use crate::git::diff::{ChangedFile, changed_files, is_ancestor};
use crate::git::worktrees::{AttemptName, AttemptTree, Removal, commit_all, create, remove_if_merged};
use canonry_text::RepoPath;

impl Sandbox {
    /// Commits what `change` does on the branch `work`, and returns to `main`.
    fn work(&self, change: impl FnOnce()) -> String {
        self.git(&["switch", "-qc", "work"]);
        change();
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", "work"]);
        self.git(&["switch", "-q", "main"]);
        self.git(&["rev-parse", "work"])
    }

    /// Commits what `change` does on `main`.
    fn more(&self, change: impl FnOnce()) {
        change();
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", "more"]);
    }

    fn integrate(&self, tip: &str) -> Integrated {
        let tip = tip.parse().unwrap();
        integrate(&self.open(), &MergeRequest { tip, message: "merged", onto: None, resolved: None }).unwrap()
    }

    /// Merges here and in a copy with git. Asserts that trees, parents, index, files and status are equal.
    fn assert_merged_as_git(&self) {
        let theirs = self.home().join("theirs");
        assert!(Command::new("cp").arg("-a").args([&self.root, &theirs]).status().unwrap().success());
        self.git_in(&theirs, &["merge", "-q", "-m", "merged", "work"]);
        let tip = self.git(&["rev-parse", "work"]);
        let before = self.git(&["rev-parse", "HEAD"]);
        let Integrated::Merged { commit, paths } = self.integrate(&tip) else { panic!("it was not merged") };
        for question in [
            &["rev-parse", "HEAD^{tree}"][..],
            &["log", "-1", "--format=%P %an %ae %B"],
            &["status", "--porcelain", "--untracked-files=all"],
            &["ls-files", "--stage", "-t"],
        ] {
            assert_eq!(self.git(question), self.git_in(&theirs, question), "{question:?}");
        }
        assert_eq!(commit.to_string(), self.git(&["rev-parse", "HEAD"]));
        let range = format!("{before}..HEAD");
        assert_eq!(
            shown(&paths),
            self.git(&["-c", "core.quotePath=off", "diff", "--no-renames", "--name-only", &range])
        );
        assert_eq!(files(&self.root), files(&theirs));
        self.assert_tidy();
        assert_eq!(self.integrate(&tip), Integrated::UpToDate);
    }

    fn assert_tidy(&self) {
        self.assert_sound();
        assert!(!self.path(".git/canonry/integration").exists(), "the record is left");
    }

    /// Everything that a refused merge must not change.
    fn everything(&self) -> (String, Vec<u8>, Vec<(PathBuf, String, u32)>) {
        (self.git(&["rev-parse", "HEAD"]), std::fs::read(self.path(".git/index")).unwrap(), files(&self.root))
    }

    fn assert_dirty(&self, tip: &str, expected: &[&str]) {
        let before = self.everything();
        let Integrated::Dirty { paths } = self.integrate(tip) else { panic!("it was merged") };
        assert_eq!(shown(&paths), expected.join("\n"));
        assert_eq!(self.everything(), before);
        self.assert_tidy();
    }
}

fn shown(paths: &[RepoPath]) -> String {
    paths.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Every file outside of `.git` with its content or target and its executable bit; folders too.
fn files(root: &Path) -> Vec<(PathBuf, String, u32)> {
    use std::os::unix::fs::PermissionsExt as _;
    let walk = walkdir::WalkDir::new(root).sort_by_file_name().into_iter();
    let entries = walk.filter_entry(|entry| entry.file_name() != ".git").map(Result::unwrap);
    let state = |entry: walkdir::DirEntry| {
        let path = entry.path().strip_prefix(root).unwrap().to_owned();
        let content = match entry.file_type() {
            kind if kind.is_dir() => "folder".to_owned(),
            kind if kind.is_symlink() => format!("-> {}", std::fs::read_link(entry.path()).unwrap().display()),
            _ => String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()).into_owned(),
        };
        let mode = if entry.file_type().is_file() { entry.metadata().unwrap().permissions().mode() } else { 0 };
        (path, content, mode)
    };
    entries.map(state).collect()
}

#[test]
fn a_branch_is_merged_as_git_merges_it() {
    for diverged in [false, true] {
        let repo = Sandbox::new();
        repo.work(|| {
            repo.write("agent/a.md", "changed\n");
            repo.write("new/deep/file", "new\n");
            repo.remove("top");
            repo.chmod("src/s.c", 0o755);
            repo.link("link", "agent/a.md");
        });
        if diverged {
            repo.more(|| repo.write("agent/b.md", "ours\n"));
        }
        repo.assert_merged_as_git();
    }
}

#[test]
fn files_folders_and_links_change_places() {
    let repo = Sandbox::new();
    repo.more(|| {
        repo.write("was-file", "file\n");
        repo.write("was-folder/deep/x", "x\n");
        repo.write("was-folder/y", "y\n");
        repo.link("was-link", "top");
        repo.write("becomes-link", "text\n");
        repo.link("link-to-folder", "agent");
    });
    repo.work(|| {
        repo.remove("was-file");
        repo.write("was-file/deep/x", "now a folder\n");
        std::fs::remove_dir_all(repo.path("was-folder")).unwrap();
        repo.write("was-folder", "now a file\n");
        repo.remove("was-link");
        repo.write("was-link", "now a file\n");
        repo.remove("becomes-link");
        repo.link("becomes-link", "nowhere");
        repo.remove("link-to-folder");
        repo.write("link-to-folder/a.md", "not the linked file\n");
        std::fs::remove_dir_all(repo.path("agent")).unwrap();
    });
    // An empty folder is no work.
    std::fs::create_dir_all(repo.path("was-folder/empty/more")).unwrap();
    repo.assert_merged_as_git();
}

#[test]
fn filters_and_line_endings_are_those_of_the_merged_attributes() {
    let repo = Sandbox::new();
    repo.git(&["config", "filter.up.clean", "tr a-z A-Z"]);
    repo.git(&["config", "filter.up.smudge", "tr A-Z a-z"]);
    repo.more(|| {
        repo.write(".gitattributes", "*.old text eol=crlf\n");
        repo.write("a.old", "1\r\n2\r\n");
        repo.write("b.old", "1\r\n2\r\n");
    });
    repo.work(|| {
        repo.write(".gitattributes", "*.up filter=up\n");
        repo.write("sub/.gitattributes", "*.txt text eol=crlf\n");
        repo.write("sub/x.txt", "1\r\n2\r\n");
        repo.write("sub/y.up", "hello\n");
        repo.write("a.old", "1\n2\n3\n");
        repo.remove("b.old");
    });
    repo.git(&["checkout", "-q", "main", "--", "."]);
    assert_eq!(repo.status(), "");
    repo.assert_merged_as_git();
    assert_eq!(std::fs::read(repo.path("sub/x.txt")).unwrap(), b"1\r\n2\r\n");
    assert_eq!(std::fs::read(repo.path("sub/y.up")).unwrap(), b"hello\n");
}

#[test]
fn other_changes_of_the_user_stay_staged_and_unstaged() {
    let repo = Sandbox::new();
    let tip = repo.work(|| repo.write("agent/a.md", "work\n"));
    repo.more(|| repo.write("src/s.c", "ours\n"));
    repo.write("staged", "new\n");
    repo.write("agent/b.md", "staged\n");
    repo.git(&["add", "staged", "agent/b.md"]);
    repo.write("agent/b.md", "staged and changed\n");
    repo.write("top", "unstaged\n");
    repo.write("untracked", "x\n");
    let before = repo.status();
    assert!(matches!(repo.integrate(&tip), Integrated::Merged { .. }));
    assert_eq!(repo.status(), before);
    assert_eq!(std::fs::read_to_string(repo.path("agent/a.md")).unwrap(), "work\n");
    assert_eq!(repo.git(&["show", ":agent/b.md"]), "staged");
    assert_eq!(std::fs::read_to_string(repo.path("agent/b.md")).unwrap(), "staged and changed\n");
    repo.assert_tidy();
}

#[test]
fn changes_in_the_way_refuse_the_merge() {
    let work = |repo: &Sandbox| {
        repo.work(|| {
            repo.write("agent/a.md", "work\n");
            repo.write("new/file", "work\n");
            repo.remove("agent/b.md");
            repo.remove("top");
            repo.write("top/file", "work\n");
            std::fs::remove_dir_all(repo.path("src")).unwrap();
            repo.write("src", "a file\n");
        })
    };
    let check = |in_the_way: &[&str], change: &dyn Fn(&Sandbox)| {
        let repo = Sandbox::new();
        let tip = work(&repo);
        change(&repo);
        repo.assert_dirty(&tip, in_the_way);
    };
    check(&["agent/a.md"], &|repo| repo.write("agent/a.md", "mine\n"));
    check(&["agent/a.md"], &|repo| {
        repo.write("agent/a.md", "mine\n");
        repo.git(&["add", "-A"]);
        repo.write("agent/a.md", "a\n");
    });
    check(&["agent/a.md"], &|repo| repo.remove("agent/a.md"));
    check(&["agent/a.md"], &|repo| drop(repo.git(&["rm", "-q", "--cached", "agent/a.md"])));
    check(&["agent/a.md"], &|repo| repo.chmod("agent/a.md", 0o755));
    check(&["agent/a.md"], &|repo| {
        repo.remove("agent/a.md");
        repo.link("agent/a.md", "b.md");
    });
    check(&["agent/a.md/mine"], &|repo| {
        repo.remove("agent/a.md");
        repo.write("agent/a.md/mine", "x\n");
    });
    check(&["agent/b.md"], &|repo| repo.write("agent/b.md", "mine\n"));
    check(&["new/file"], &|repo| repo.write("new/file", "untracked\n"));
    check(&["new"], &|repo| repo.write("new", "untracked\n"));
    check(&["new"], &|repo| repo.link("new", "agent"));
    check(&["new/file/mine"], &|repo| repo.write("new/file/mine", "untracked\n"));
    check(&["top"], &|repo| repo.write("top", "mine\n"));
    check(&["src/mine"], &|repo| repo.write("src/mine", "untracked\n"));
    check(&["src/mine"], &|repo| {
        repo.write("src/mine", "staged\n");
        repo.git(&["add", "-A"]);
        repo.remove("src/mine");
    });
    check(&["src/s.c"], &|repo| repo.write("src/s.c", "mine\n"));
    check(&["agent/a.md", "agent/b.md", "new/file"], &|repo| {
        repo.write("agent/a.md", "mine\n");
        repo.write("agent/b.md", "mine\n");
        repo.write("new/file", "mine\n");
    });
}

#[test]
fn the_same_change_in_the_work_tree_is_not_in_the_way() {
    let repo = Sandbox::new();
    let tip = repo.work(|| {
        repo.write("agent/a.md", "work\n");
        repo.write("new/file", "work\n");
        repo.remove("top");
    });
    repo.write("agent/a.md", "work\n");
    repo.write("new/file", "work\n");
    repo.git(&["add", "new/file"]);
    repo.remove("top");
    assert!(matches!(repo.integrate(&tip), Integrated::Merged { .. }));
    assert_eq!(repo.status(), "");
    repo.assert_tidy();
}

#[test]
fn a_conflict_lists_the_files_and_changes_nothing() {
    let repo = Sandbox::new();
    let tip = repo.work(|| {
        repo.write("agent/a.md", "theirs\n");
        repo.remove("agent/b.md");
        repo.write("src/s.c", "theirs\n");
        repo.write("new", "theirs\n");
    });
    repo.more(|| {
        repo.write("agent/a.md", "ours\n");
        repo.write("agent/b.md", "ours\n");
        repo.write("new", "ours\n");
    });
    let before = repo.everything();
    let Integrated::Conflict { paths } = repo.integrate(&tip) else { panic!("it was merged") };
    assert_eq!(shown(&paths), "agent/a.md\nagent/b.md\nnew");
    assert_eq!(repo.everything(), before);
    repo.assert_tidy();
}

#[test]
fn attempts_are_merged_one_after_the_other() {
    let repo = Sandbox::new();
    let never = AtomicBool::new(false);
    let attempt = |step: &str| -> AttemptTree {
        let name = AttemptName { plan: "p".to_owned(), step: step.to_owned(), attempt: 1 };
        let tip = repo.git(&["rev-parse", "HEAD"]).parse().unwrap();
        create(&repo.open(), &repo.home().join("trees"), &name, tip, &never).unwrap()
    };
    let trees = [attempt("first"), attempt("second"), attempt("third")];
    let steps = [("agent/a.md", "first\n"), ("agent/b.md", "second\n"), ("agent/a.md", "third\n")];
    let tips: Vec<String> = trees
        .iter()
        .zip(steps)
        .map(|(tree, (path, text))| {
            std::fs::write(tree.folder.join(path), text).unwrap();
            commit_all(&repo.open(), tree, "step", GitHooks::Off).unwrap().unwrap().to_string()
        })
        .collect();
    assert!(matches!(repo.integrate(&tips[0]), Integrated::Merged { .. }));
    assert!(matches!(repo.integrate(&tips[1]), Integrated::Merged { .. }));
    let Integrated::Conflict { paths } = repo.integrate(&tips[2]) else { panic!("it was merged") };
    assert_eq!(shown(&paths), "agent/a.md");
    let into = repo.git(&["rev-parse", "HEAD"]).parse().unwrap();
    let removed: Vec<Removal> = trees.iter().map(|tree| remove_if_merged(&repo.open(), tree, into).unwrap()).collect();
    assert!(matches!(removed[..], [Removal::Removed, Removal::Removed, Removal::Kept(_)]), "{removed:?}");
    assert_eq!(repo.status(), "");
    assert_eq!(repo.git(&["log", "-1", "--format=%P"]), format!("{} {}", tips[0], tips[1]));
    repo.assert_tidy();
}

#[test]
fn a_sparse_checkout_stays_sparse() {
    for index in ["--no-sparse-index", "--sparse-index"] {
        let repo = Sandbox::new();
        repo.work(|| {
            repo.write("agent/a.md", "work\n");
            repo.write("agent/new", "work\n");
            repo.write("src/s.c", "work\n");
            repo.write("src/new", "work\n");
            repo.write("other/new", "work\n");
        });
        repo.git(&["sparse-checkout", "set", "--cone", index, "agent"]);
        let listed = repo.git(&["ls-files", "-t"]);
        assert!(listed.contains("S src"), "{listed}");
        let tip = repo.git(&["rev-parse", "work"]);
        assert!(matches!(repo.integrate(&tip), Integrated::Merged { .. }));
        assert_eq!(repo.status(), "", "{index}");
        assert!(!repo.path("src").exists() && !repo.path("other").exists(), "{index}");
        assert_eq!(std::fs::read_to_string(repo.path("agent/new")).unwrap(), "work\n");
        assert_eq!(repo.git(&["write-tree"]), repo.git(&["rev-parse", "HEAD^{tree}"]));
        repo.assert_tidy();
    }
}

#[test]
fn submodules_are_a_conflict_unless_unchanged() {
    let repo = Sandbox::new();
    let head = repo.git(&["rev-parse", "HEAD"]);
    let add = |path: &str| {
        repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{head},{path}")]);
        std::fs::create_dir_all(repo.path(path)).unwrap();
        repo.git(&["commit", "-qm", "submodule"]);
    };
    add("sub");
    let tip = repo.work(|| repo.write("agent/a.md", "work\n"));
    assert!(matches!(repo.integrate(&tip), Integrated::Merged { .. }));
    assert_eq!(repo.status(), "");
    repo.git(&["switch", "-qc", "other"]);
    add("second");
    repo.git(&["switch", "-q", "main"]);
    let tip = repo.git(&["rev-parse", "other"]);
    let Integrated::Conflict { paths } = repo.integrate(&tip) else { panic!("it was merged") };
    assert_eq!(shown(&paths), "second");
}

#[test]
fn a_linked_work_tree_and_a_detached_head_are_integrated_too() {
    let repo = Sandbox::new();
    let tip = repo.work(|| repo.write("agent/a.md", "work\n"));
    let linked = repo.home().join("linked");
    repo.git(&["worktree", "add", "-q", "-b", "integration", linked.to_str().unwrap()]);
    let open = |path: &Path| gix::open_opts(path, gix::open::Options::isolated()).unwrap();
    let request = MergeRequest { tip: tip.parse().unwrap(), message: "merged", onto: None, resolved: None };
    assert!(matches!(integrate(&open(&linked), &request).unwrap(), Integrated::Merged { .. }));
    assert_eq!(repo.git_in(&linked, &["status", "--porcelain"]), "");
    assert_eq!(repo.git_in(&linked, &["log", "-1", "--format=%s", "integration"]), "work");
    assert_eq!(repo.git(&["log", "-1", "--format=%s"]), "init");
    assert_eq!(repo.status(), "");
    repo.git(&["checkout", "-q", "--detach"]);
    assert!(matches!(repo.integrate(&tip), Integrated::Merged { .. }));
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), tip);
    assert_eq!(repo.status(), "");
    repo.assert_tidy();
}

/// The states that a kill can leave, as the order of the writes allows.
#[test]
fn an_interrupted_integration_is_finished() {
    let check = |name: &str, interrupt: &dyn Fn(&Sandbox, &IntegrationRecord)| {
        let repo = Sandbox::new();
        let tip = repo.work(|| {
            repo.write("agent/a.md", "work\n");
            repo.write("new/file", "work\n");
            repo.remove("top");
        });
        repo.more(|| repo.write("src/s.c", "ours\n"));
        repo.write("staged", "mine\n");
        repo.git(&["add", "staged"]);
        let old = repo.git(&["rev-parse", "HEAD"]);
        let index = std::fs::read(repo.path(".git/index")).unwrap();
        let Integrated::Merged { commit, .. } = repo.integrate(&tip) else { panic!("it was not merged") };
        let expected = (repo.git(&["ls-files", "--stage"]), files(&repo.root));
        // Back to the state before the branch moved, or before the index was replaced.
        let record = IntegrationRecord { old: old.parse().unwrap(), new: commit, tip: tip.parse().unwrap() };
        record.store(&repo.open()).unwrap();
        std::fs::write(repo.path(".git/index"), index).unwrap();
        interrupt(&repo, &record);
        assert!(repo.status() != "A  staged", "{name}: nothing was interrupted");
        let Some(Integrated::Merged { commit: again, .. }) = finish_interrupted(&repo.open()).unwrap() else {
            panic!("{name}: it was not finished")
        };
        assert_eq!((repo.git(&["ls-files", "--stage"]), files(&repo.root)), expected, "{name}");
        assert_eq!(repo.git(&["rev-parse", "HEAD"]), again.to_string(), "{name}");
        assert_eq!(again, commit, "{name}: there are two merge commits");
        assert_eq!(repo.status(), "A  staged", "{name}");
        assert_eq!(finish_interrupted(&repo.open()).unwrap(), None, "{name}");
        assert_eq!(repo.integrate(&tip), Integrated::UpToDate, "{name}");
        repo.assert_tidy();
    };
    let back = |repo: &Sandbox, record: &IntegrationRecord| {
        repo.git(&["update-ref", "refs/heads/main", &record.old.to_string()]);
    };
    check("the index is old", &|_, _| {});
    check("the branch is old", &|repo, record| back(repo, record));
    check("some files are old", &|repo, record| {
        back(repo, record);
        repo.write("agent/a.md", "a\n");
        repo.write("top", "t\n");
        repo.write("new/.canonry-merge-x", "wor");
    });
    check("a folder is missing", &|repo, record| {
        back(repo, record);
        std::fs::remove_dir_all(repo.path("new")).unwrap();
    });
}

#[test]
fn edits_after_an_interruption_are_not_overwritten() {
    let repo = Sandbox::new();
    let tip = repo.work(|| repo.write("agent/a.md", "work\n"));
    let old = repo.git(&["rev-parse", "HEAD"]).parse().unwrap();
    let tip_id = tip.parse().unwrap();
    IntegrationRecord { old, new: tip_id, tip: tip_id }.store(&repo.open()).unwrap();
    repo.write("agent/a.md", "mine\n");
    let Some(Integrated::Dirty { paths }) = finish_interrupted(&repo.open()).unwrap() else { panic!("overwritten") };
    assert_eq!(shown(&paths), "agent/a.md");
    assert_eq!(std::fs::read_to_string(repo.path("agent/a.md")).unwrap(), "mine\n");
    // The user moved the branch meanwhile, and half of the files are written.
    repo.write("agent/a.md", "work\n");
    repo.write("other", "x\n");
    repo.git(&["add", "other"]);
    repo.git(&["commit", "-qm", "by the user"]);
    assert_eq!(finish_interrupted(&repo.open()).unwrap(), None);
    assert!(matches!(repo.integrate(&tip), Integrated::Merged { .. }));
    assert_eq!(repo.status(), "");
    repo.assert_tidy();
}

#[test]
fn a_lock_that_a_killed_integration_left_is_removed_and_no_other() {
    let repo = Sandbox::new();
    let tip = repo.work(|| repo.write("agent/a.md", "work\n"));
    let lock = repo.path(".git/index.lock");
    let record = record_index_lock(&repo.open()).unwrap();
    let held = HeldIndex::acquire_recorded(&repo.open(), &record).unwrap();
    drop(record);
    // As after a kill: the lock file stays.
    std::mem::forget(held);
    assert!(lock.exists());
    assert!(matches!(repo.integrate(&tip), Integrated::Merged { .. }));
    std::fs::write(&lock, "").unwrap();
    let request = MergeRequest {
        tip: repo.git(&["commit-tree", "-m", "x", "HEAD^{tree}"]).parse().unwrap(),
        message: "x",
        onto: None,
        resolved: None,
    };
    let error = integrate(&repo.open(), &request).unwrap_err().to_string();
    assert!(lock.exists(), "{error}");
}

#[test]
fn files_are_put_back_if_the_branch_cannot_move() {
    let repo = Sandbox::new();
    let tip = repo.work(|| {
        repo.write("agent/a.md", "work\n");
        repo.write("new/file", "work\n");
        repo.remove("top");
        std::fs::remove_dir_all(repo.path("src")).unwrap();
        repo.write("src", "a file\n");
    });
    let before = repo.everything();
    std::fs::write(repo.path(".git/refs/heads/main.lock"), "").unwrap();
    let request = MergeRequest { tip: tip.parse().unwrap(), message: "x", onto: None, resolved: None };
    let error = integrate(&repo.open(), &request).unwrap_err();
    assert_eq!(error.kind(), crate::git::commit::CommitErrorKind::Contention, "{error}");
    assert_eq!(repo.everything(), before);
    std::fs::remove_file(repo.path(".git/refs/heads/main.lock")).unwrap();
    repo.assert_tidy();
    assert!(matches!(repo.integrate(&tip), Integrated::Merged { .. }));
    assert_eq!(repo.status(), "");
}

#[test]
fn a_sha256_repository_is_supported() {
    let temporary = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        let output = Command::new("git")
            .args(["-C", temporary.path().to_str().unwrap(), "-c", "user.name=U", "-c", "user.email=u@example.com"])
            .args(args)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    run(&["init", "-q", "-b", "main", "--object-format=sha256", "."]);
    run(&["config", "user.name", "U"]);
    run(&["config", "user.email", "u@example.com"]);
    std::fs::write(temporary.path().join("file"), "1\n").unwrap();
    run(&["add", "-A"]);
    run(&["commit", "-qm", "one"]);
    let repo = gix::open_opts(temporary.path(), gix::open::Options::isolated()).unwrap();
    let name = AttemptName { plan: "p".to_owned(), step: "s".to_owned(), attempt: 1 };
    let trees = tempfile::tempdir().unwrap();
    let head = run(&["rev-parse", "HEAD"]).parse().unwrap();
    let tree = create(&repo, trees.path(), &name, head, &AtomicBool::new(false)).unwrap();
    std::fs::write(tree.folder.join("file"), "2\n").unwrap();
    let tip = commit_all(&repo, &tree, "two", GitHooks::Off).unwrap().unwrap();
    let request = MergeRequest { tip, message: "merged", onto: None, resolved: None };
    let Integrated::Merged { commit, .. } = integrate(&repo, &request).unwrap() else { panic!("not merged") };
    assert_eq!(remove_if_merged(&repo, &tree, commit).unwrap(), Removal::Removed);
    assert_eq!(run(&["status", "--porcelain"]), "");
    run(&["fsck", "--strict"]);
}

#[test]
fn changed_files_count_lines_like_git() {
    let repo = Sandbox::new();
    repo.more(|| {
        repo.write("text", "1\n2\n3\n4\n");
        repo.write("binary", "\0\u{1}");
        repo.write("moved", "a\nb\nc\n");
        repo.write("no-newline", "x");
    });
    let from = repo.git(&["rev-parse", "HEAD"]);
    repo.more(|| {
        repo.write("text", "1\nnew\n3\nmore\nlines\n");
        repo.write("binary", "\0\u{2}");
        std::fs::rename(repo.path("moved"), repo.path("moved-to")).unwrap();
        repo.write("no-newline", "x\ny");
        repo.chmod("top", 0o755);
        repo.remove("agent/a.md");
        repo.link("link", "top");
    });
    let to = repo.git(&["rev-parse", "HEAD"]);
    let changed = changed_files(&repo.open(), from.parse().unwrap(), to.parse().unwrap()).unwrap();
    let line = |file: &ChangedFile| format!("{}\t{}\t{}", file.added, file.removed, file.path);
    let lines: Vec<String> = changed.iter().map(line).collect();
    let git = repo.git(&["diff", "--numstat", "--no-renames", &from, &to]).replace("-\t-\t", "0\t0\t");
    assert_eq!(lines.join("\n"), git);
}

#[test]
fn ancestors_are_found() {
    let repo = Sandbox::new();
    let first = repo.git(&["rev-parse", "HEAD"]);
    repo.more(|| repo.write("x", "x\n"));
    let second = repo.git(&["rev-parse", "HEAD"]);
    let orphan = repo.git(&["commit-tree", "-m", "x", "HEAD^{tree}"]);
    let open = repo.open();
    let ancestor = |a: &str, b: &str| is_ancestor(&open, a.parse().unwrap(), b.parse().unwrap()).unwrap();
    assert!(ancestor(&first, &second) && ancestor(&first, &first));
    assert!(!ancestor(&second, &first) && !ancestor(&orphan, &second));
    assert!(is_ancestor(&open, "1".repeat(40).parse().unwrap(), second.parse().unwrap()).is_err());
}
