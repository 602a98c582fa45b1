//! Work trees of attempts, with git as the oracle.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gix::ObjectId;

use super::remove::KeptReason;
use super::{
    AttemptName, AttemptTree, Removal, WorktreeError, checkout_detached, commit_all, create, list, remove_if_merged,
    sweep,
};
use crate::git::commit::GitHooks;
use crate::git::commit::tests::sandbox::Sandbox;

const STEPS: [&str; 9] = ["api", "a/b", "a b", "../../up", "-rf", "日本 é", "x.lock", "a.1", "%2F"];

fn name(step: &str, attempt: u64) -> AttemptName {
    AttemptName { plan: "p".to_owned(), step: step.to_owned(), attempt }
}

impl Sandbox {
    fn trees(&self) -> PathBuf {
        self.home().join("trees")
    }

    fn head(&self) -> ObjectId {
        self.git(&["rev-parse", "HEAD"]).parse().unwrap()
    }

    fn try_create(&self, step: &str, attempt: u64) -> Result<AttemptTree, WorktreeError> {
        create(&self.open(), &self.trees(), &name(step, attempt), self.head(), &AtomicBool::new(false))
    }

    fn create(&self, step: &str, attempt: u64) -> AttemptTree {
        self.try_create(step, attempt).unwrap()
    }

    fn remove_tree(&self, tree: &AttemptTree) -> Removal {
        remove_if_merged(&self.open(), tree, self.head()).unwrap()
    }

    /// Asserts that the removal keeps the tree and the branch, and returns why.
    fn kept(&self, tree: &AttemptTree) -> KeptReason {
        let before = (self.git(&["worktree", "list"]), self.git(&["branch"]));
        let Removal::Kept(reason) = self.remove_tree(tree) else { panic!("it was removed") };
        assert_eq!((self.git(&["worktree", "list"]), self.git(&["branch"])), before);
        assert!(tree.folder.is_dir());
        reason
    }

    fn private_dir(&self, tree: &AttemptTree) -> PathBuf {
        PathBuf::from(self.git_in(&tree.folder, &["rev-parse", "--absolute-git-dir"]))
    }
}

fn write(tree: &AttemptTree, path: &str, text: &str) {
    let file = tree.folder.join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

fn files(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

#[test]
fn a_tree_is_created_committed_merged_and_removed_for_any_step_id() {
    let repo = Sandbox::new();
    let trees: Vec<AttemptTree> = STEPS.iter().map(|step| repo.create(step, 1)).collect();
    let listed = list(&repo.open(), "p").unwrap();
    let mut steps: Vec<&str> = listed.iter().map(|attempt| attempt.step.as_str()).collect();
    steps.sort_unstable();
    let mut expected = STEPS;
    expected.sort_unstable();
    assert_eq!(steps, expected);
    for tree in &trees {
        assert!(tree.folder.starts_with(repo.trees().join("p")), "{}", tree.folder.display());
        assert_eq!(repo.git_in(&tree.folder, &["status", "--porcelain"]), "");
        assert_eq!(repo.git_in(&tree.folder, &["branch", "--show-current"]), tree.branch);
        assert!(listed.iter().any(|attempt| attempt.folder.as_ref() == Some(&tree.folder)));
    }
    assert_eq!(repo.git(&["worktree", "list"]).lines().count(), 1 + STEPS.len());
    repo.git(&["worktree", "prune", "--dry-run"]);
    repo.assert_sound();
    for (number, tree) in trees.iter().enumerate() {
        assert_eq!(commit_all(&repo.open(), tree, "nothing", GitHooks::Off).unwrap(), None);
        write(tree, &format!("new/{number}"), "text\n");
        std::fs::remove_file(tree.folder.join("top")).unwrap();
        let id = commit_all(&repo.open(), tree, "work", GitHooks::Off).unwrap().unwrap();
        assert_eq!(repo.git(&["rev-parse", &tree.branch]), id.to_string());
        assert_eq!(repo.git_in(&tree.folder, &["status", "--porcelain"]), "");
        assert_eq!(repo.kept(tree), KeptReason::NotMerged);
        repo.git(&["merge", "-q", "-X", "ours", "-m", "merge", &tree.branch]);
        assert_eq!(repo.remove_tree(tree), Removal::Removed);
        assert_eq!(repo.remove_tree(tree), Removal::Removed, "a second time");
        assert!(!tree.folder.exists());
    }
    assert_eq!(repo.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!(repo.git(&["branch"]), "* main");
    assert_eq!(files(&repo.trees()), 0, "folders of attempts are left");
    assert_eq!(repo.status(), "");
    repo.assert_sound();
}

#[test]
fn a_clean_tree_is_reused_and_anything_else_is_in_the_way() {
    let repo = Sandbox::new();
    let tree = repo.create("api", 1);
    assert_eq!(repo.create("api", 1), tree);
    write(&tree, "untracked", "mine\n");
    let error = repo.try_create("api", 1).unwrap_err();
    assert!(matches!(&error, WorktreeError::Dirty { files, .. } if files.len() == 1), "{error}");
    commit_all(&repo.open(), &tree, "work", GitHooks::Off).unwrap().unwrap();
    let error = repo.try_create("api", 1).unwrap_err();
    assert!(matches!(&error, WorktreeError::BranchTaken { branch, .. } if *branch == tree.branch), "{error}");
    assert_eq!(std::fs::read_to_string(tree.folder.join("untracked")).unwrap(), "mine\n");

    let folder = repo.trees().join("p/web.1");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("notes"), "mine\n").unwrap();
    let error = repo.try_create("web", 1).unwrap_err();
    assert!(error.to_string().contains("web.1"), "{error}");
    assert_eq!(std::fs::read_to_string(folder.join("notes")).unwrap(), "mine\n");
    assert!(!repo.git(&["branch"]).contains("web"), "a branch is left");

    repo.git(&["switch", "-qc", "canonry/p/doc.1"]);
    let error = repo.try_create("doc", 1).unwrap_err();
    assert!(matches!(&error, WorktreeError::CheckedOut { .. }), "{error}");

    let tree = repo.create("gone", 1);
    std::fs::remove_dir_all(&tree.folder).unwrap();
    let error = repo.try_create("gone", 1).unwrap_err();
    assert!(matches!(&error, WorktreeError::FolderTaken { .. }), "{error}");
}

#[test]
fn an_interrupted_creation_is_finished() {
    let repo = Sandbox::new();
    repo.write("sub/deep/file", "deep\n");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "more"]);
    let check = |step: &str, break_it: &dyn Fn(&AttemptTree, &Path)| {
        let tree = repo.create(step, 1);
        break_it(&tree, &repo.private_dir(&tree));
        assert_eq!(repo.create(step, 1), tree, "{step}");
        assert_eq!(repo.git_in(&tree.folder, &["status", "--porcelain"]), "", "{step}");
        assert_eq!(repo.git_in(&tree.folder, &["branch", "--show-current"]), tree.branch, "{step}");
        assert_eq!(std::fs::read_to_string(tree.folder.join("sub/deep/file")).unwrap(), "deep\n", "{step}");
    };
    check("before the index", &|_, private| std::fs::remove_file(private.join("index")).unwrap());
    check("amid the files", &|tree, private| {
        std::fs::remove_file(private.join("index")).unwrap();
        std::fs::remove_dir_all(tree.folder.join("sub")).unwrap();
        std::fs::write(tree.folder.join("top"), "").unwrap();
    });
    check("before the branch was checked out", &|tree, private| {
        std::fs::remove_file(private.join("index")).unwrap();
        std::fs::write(private.join("HEAD"), format!("{}\n", tree.fork)).unwrap();
    });
    check("before HEAD", &|tree, private| {
        for entry in std::fs::read_dir(&tree.folder).unwrap().flatten() {
            match entry.path() {
                path if path.is_dir() => std::fs::remove_dir_all(path).unwrap(),
                path if entry.file_name() != ".git" => std::fs::remove_file(path).unwrap(),
                _ => {}
            }
        }
        std::fs::remove_file(private.join("index")).unwrap();
        std::fs::remove_file(private.join("HEAD")).unwrap();
        std::fs::write(private.join("locked"), "initializing\n").unwrap();
    });
    check("before the tree", &|tree, private| {
        std::fs::remove_dir_all(&tree.folder).unwrap();
        std::fs::remove_dir_all(private).unwrap();
    });
    repo.assert_sound();
}

#[test]
fn work_is_never_removed() {
    let repo = Sandbox::new();
    repo.write(".gitignore", "/target\n");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "ignore"]);
    let tree = repo.create("api", 1);
    // Whatever `locked` is, it is no permission to remove the tree.
    std::fs::create_dir(repo.private_dir(&tree).join("locked")).unwrap();
    assert!(remove_if_merged(&repo.open(), &tree, repo.head()).is_err());
    std::fs::remove_dir(repo.private_dir(&tree).join("locked")).unwrap();
    write(&tree, "agent/untracked", "x\n");
    assert!(matches!(repo.kept(&tree), KeptReason::Dirty { files } if files[0] == "agent/untracked".into()));
    std::fs::remove_file(tree.folder.join("agent/untracked")).unwrap();
    write(&tree, "top", "changed\n");
    assert!(matches!(repo.kept(&tree), KeptReason::Dirty { files } if files[0] == "top".into()));
    repo.git_in(&tree.folder, &["add", "top"]);
    repo.git_in(&tree.folder, &["checkout", "HEAD", "--", "top"]);
    write(&tree, "staged", "x\n");
    repo.git_in(&tree.folder, &["add", "staged"]);
    std::fs::remove_file(tree.folder.join("staged")).unwrap();
    assert!(matches!(repo.kept(&tree), KeptReason::Dirty { .. }));
    repo.git_in(&tree.folder, &["rm", "-q", "--cached", "staged"]);
    // A repository that the worker created.
    std::fs::create_dir(tree.folder.join("nested")).unwrap();
    repo.git_in(&tree.folder.join("nested"), &["init", "-q", "."]);
    assert!(matches!(repo.kept(&tree), KeptReason::Dirty { .. }));
    std::fs::remove_dir_all(tree.folder.join("nested")).unwrap();
    // Commits that only a detached HEAD refers to.
    repo.git_in(&tree.folder, &["checkout", "-q", "--detach"]);
    assert_eq!(repo.kept(&tree), KeptReason::OtherBranch);
    repo.git_in(&tree.folder, &["switch", "-q", "--orphan", "other"]);
    let error = commit_all(&repo.open(), &tree, "work", GitHooks::Off).unwrap_err();
    assert!(matches!(error, WorktreeError::OtherBranch { .. }), "{error}");
    repo.git_in(&tree.folder, &["switch", "-q", &tree.branch]);
    repo.git(&["worktree", "lock", "--reason", "in use", tree.folder.to_str().unwrap()]);
    assert_eq!(repo.kept(&tree), KeptReason::Locked { reason: "in use".to_owned() });
    repo.git(&["worktree", "unlock", tree.folder.to_str().unwrap()]);
    // The user may hide untracked files, which still count.
    repo.git(&["config", "status.showUntrackedFiles", "no"]);
    write(&tree, "hidden", "x\n");
    assert!(matches!(repo.kept(&tree), KeptReason::Dirty { .. }));
    std::fs::remove_file(tree.folder.join("hidden")).unwrap();
    write(&tree, "target/output", "built\n");
    assert_eq!(repo.remove_tree(&tree), Removal::Removed, "ignored files do not keep it");
    repo.assert_sound();
}

#[test]
fn an_interrupted_removal_is_finished() {
    let repo = Sandbox::new();
    let tree = repo.create("api", 1);
    let removing = tree.folder.with_file_name("api.1.removing");
    std::fs::rename(&tree.folder, &removing).unwrap();
    std::fs::remove_file(removing.join("top")).unwrap();
    assert_eq!(repo.remove_tree(&tree), Removal::Removed);
    assert!(!removing.exists());
    assert_eq!(repo.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!(repo.git(&["branch"]), "* main");
}

#[test]
fn the_next_attempt_finishes_an_interrupted_removal() {
    let repo = Sandbox::new();
    let interrupted = [repo.create("one", 1), repo.create("two", 1), repo.create("three", 1)];
    let removing = |tree: &AttemptTree| PathBuf::from(format!("{}.removing", tree.folder.display()));
    let private = repo.private_dir(&interrupted[1]);
    for tree in &interrupted[..2] {
        std::fs::rename(&tree.folder, removing(tree)).unwrap();
    }
    std::fs::remove_dir_all(private).unwrap();
    let next = repo.create("two", 2);
    assert_eq!(repo.git(&["worktree", "list"]).lines().count(), 3);
    assert_eq!(repo.git(&["branch", "--format=%(refname:short)"]), "canonry/p/three.1\ncanonry/p/two.2\nmain");
    assert!(next.folder.is_dir() && interrupted[2].folder.is_dir());
    assert!(!removing(&interrupted[0]).exists() && !removing(&interrupted[1]).exists());
}

#[test]
fn broken_trees_of_others_do_not_matter() {
    let repo = Sandbox::new();
    let broken = repo.path(".git/worktrees/broken");
    std::fs::create_dir_all(&broken).unwrap();
    std::fs::write(broken.join("gitdir"), "/nowhere/.git\n").unwrap();
    let tree = repo.create("api", 1);
    assert_eq!(repo.remove_tree(&tree), Removal::Removed);
    assert!(broken.join("gitdir").exists());
}

#[test]
fn many_trees_are_created_at_once() {
    let repo = Sandbox::new();
    std::thread::scope(|scope| {
        for step in ["a", "b", "c", "d", "e", "f"] {
            let repo = &repo;
            scope.spawn(move || {
                let tree = repo.create(step, 1);
                assert_eq!(repo.remove_tree(&tree), Removal::Removed);
            });
        }
    });
    assert_eq!(repo.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn a_temporary_tree_goes_with_its_owner() {
    let repo = Sandbox::new();
    let folder = repo.trees();
    let never = AtomicBool::new(false);
    let first = checkout_detached(&repo.open(), &folder, repo.head(), &never).unwrap();
    std::fs::write(first.folder.join("made"), "by a command\n").unwrap();
    assert_eq!(repo.git_in(&first.folder, &["rev-parse", "HEAD"]), repo.head().to_string());
    assert_eq!(repo.git_in(&first.folder, &["status", "--porcelain"]), "?? made");
    // The next one leaves those alone whose owner lives.
    let second = checkout_detached(&repo.open(), &folder, repo.head(), &never).unwrap();
    assert!(first.folder.is_dir());
    drop(second);
    let third = checkout_detached(&repo.open(), &folder, repo.head(), &never).unwrap();
    let abandoned = third.folder.clone();
    // As after a kill: the lock is gone, and the folder is not.
    third.abandon();
    // A process that another test forks has a copy of the lock until it starts its program.
    let is_gone = |_| {
        drop(checkout_detached(&repo.open(), &folder, repo.head(), &never).unwrap());
        !abandoned.exists()
    };
    assert!((0..50).any(is_gone) && first.folder.is_dir());
    drop(first);
    assert_eq!(repo.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!(files(&folder), 0);
    repo.assert_sound();
}

#[test]
fn what_a_kill_leaves_of_a_temporary_tree_is_swept() {
    let repo = Sandbox::new();
    let folder = repo.trees();
    let never = AtomicBool::new(false);
    let null = "0".repeat(40);
    for (name, head, is_registered) in [("one", None, true), ("two", Some(null), true), ("three", None, false)] {
        let at = folder.join(format!("verify-{name}"));
        std::fs::create_dir_all(&at).unwrap();
        if is_registered {
            let private = repo.path(".git/worktrees").join(name);
            std::fs::create_dir_all(&private).unwrap();
            std::fs::write(at.join(".git"), format!("gitdir: {}\n", private.display())).unwrap();
            std::fs::write(private.join("gitdir"), format!("{}\n", at.join(".git").display())).unwrap();
            std::fs::write(private.join("commondir"), "../..\n").unwrap();
            std::fs::write(private.join("locked"), "initializing\n").unwrap();
            if let Some(head) = head {
                std::fs::write(private.join("HEAD"), head).unwrap();
            }
        }
    }
    // It has a commit, and no marker yet.
    let tree = checkout_detached(&repo.open(), &folder, repo.head(), &never).unwrap();
    for entry in std::fs::read_dir(repo.path(".git/worktrees")).unwrap().flatten() {
        let _ = std::fs::remove_file(entry.path().join("canonry-temporary"));
    }
    sweep(&repo.open(), &folder).unwrap();
    assert_eq!((repo.git(&["worktree", "list"]).lines().count(), files(&folder)), (1, 0));
    tree.abandon();
    repo.assert_sound();
}

#[test]
fn a_temporary_tree_is_as_new_for_the_next_commit() {
    let repo = Sandbox::new();
    repo.write("kept", "kept\n");
    repo.write("run", "run\n");
    repo.write("folder/file", "file\n");
    repo.link("link", "top");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "first"]);
    let never = AtomicBool::new(false);
    let mut tree = checkout_detached(&repo.open(), &repo.trees(), repo.head(), &never).unwrap();
    repo.write(".gitignore", "/built\n");
    std::fs::remove_dir_all(repo.path("folder")).unwrap();
    repo.write("folder", "now a file\n");
    repo.chmod("run", 0o755);
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "second"]);
    let top = &tree.folder.clone();
    let linked = repo.path("linked");
    std::fs::remove_file(top.join("top")).unwrap();
    std::fs::hard_link(top.join("kept"), &linked).unwrap();
    std::fs::write(top.join("kept"), "changed\n").unwrap();
    std::fs::remove_file(top.join("link")).unwrap();
    std::os::unix::fs::symlink("/", top.join("link")).unwrap();
    std::fs::create_dir_all(top.join("built/deep")).unwrap();
    repo.git_in(top, &["init", "-q", "nested"]);
    repo.git_in(top, &["switch", "-qc", "other"]);
    std::fs::write(top.join("staged"), "staged\n").unwrap();
    repo.git_in(top, &["add", "staged"]);
    std::fs::write(repo.git_in(top, &["rev-parse", "--absolute-git-dir"]) + "/MERGE_HEAD", "0\n").unwrap();

    tree.check_out(&repo.open(), repo.head(), &never).unwrap();
    let new = checkout_detached(&repo.open(), &repo.trees(), repo.head(), &never).unwrap();
    for args in [&["status", "--porcelain=v2", "--branch", "--ignored"][..], &["ls-files", "--stage"]] {
        assert_eq!(repo.git_in(top, args), repo.git_in(&new.folder, args));
    }
    let disk = |top: &Path| {
        let paths = ["kept", "run", "folder", "link", "top", "built", "nested"].map(|path| top.join(path));
        paths.map(|path| std::fs::symlink_metadata(path).ok().map(|disk| (disk.permissions(), disk.file_type())))
    };
    assert_eq!(disk(top), disk(&new.folder));
    assert_eq!(std::fs::read_to_string(top.join("kept")).unwrap(), "kept\n");
    assert_eq!(std::fs::read_to_string(linked).unwrap(), "changed\n", "a file elsewhere was written");

    // Commands then run in another repository.
    std::fs::remove_file(top.join(".git")).unwrap();
    repo.git_in(top, &["init", "-q", "."]);
    tree.check_out(&repo.open(), repo.head(), &never).unwrap_err();
    drop(tree);
    drop(new);
    assert_eq!(files(&repo.trees()), 0);
}

#[test]
fn a_temporary_tree_keeps_no_file_that_may_have_changed() {
    let repo = Sandbox::new();
    repo.write("same", "one\n");
    repo.write("lines", "a\nb\n");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "first"]);
    let never = AtomicBool::new(false);
    let mut tree = checkout_detached(&repo.open(), &repo.trees(), repo.head(), &never).unwrap();
    let same = tree.folder.join("same");
    for round in 0..20 {
        let file = File::options().write(true).open(&same).unwrap();
        let modified = file.metadata().unwrap().modified().unwrap();
        (&file).write_all(b"two\n").unwrap();
        file.set_modified(modified).unwrap();
        tree.check_out(&repo.open(), repo.head(), &never).unwrap();
        assert_eq!(std::fs::read_to_string(&same).unwrap(), "one\n", "round {round}");
        std::thread::sleep(Duration::from_millis(round));
    }
    repo.write(".gitattributes", "lines text eol=crlf\n");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "second"]);
    tree.check_out(&repo.open(), repo.head(), &never).unwrap();
    assert_eq!(std::fs::read_to_string(tree.folder.join("lines")).unwrap(), "a\r\nb\r\n");
}

#[test]
fn filters_links_and_modes_are_as_git_checks_them_out() {
    let repo = Sandbox::new();
    repo.git(&["config", "filter.up.clean", "tr a-z A-Z"]);
    repo.git(&["config", "filter.up.smudge", "tr A-Z a-z"]);
    repo.write(".gitattributes", "*.up filter=up\n*.crlf text eol=crlf\n");
    repo.write("x.up", "hello\n");
    repo.write("sub/y.crlf", "a\r\nb\r\n");
    repo.link("link", "top");
    repo.chmod("agent/a.md", 0o755);
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "kinds"]);
    let tree = repo.create("api", 1);
    for path in ["x.up", "sub/y.crlf", "agent/a.md"] {
        assert_eq!(std::fs::read(tree.folder.join(path)).unwrap(), std::fs::read(repo.path(path)).unwrap(), "{path}");
    }
    assert_eq!(std::fs::read_link(tree.folder.join("link")).unwrap(), Path::new("top"));
    assert_eq!(repo.git_in(&tree.folder, &["status", "--porcelain"]), "");
}
