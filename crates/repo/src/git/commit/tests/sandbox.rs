//! A separate repository for each test, with git as the oracle.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::git::commit::{
    ChangeKind, CommitError, CommitErrorKind, CommitRequest, CommitSelection, Committed, CommittedChange, GitHooks,
    commit,
};
use gix::bstr::BString;

pub struct Sandbox {
    temporary: tempfile::TempDir,
    pub root: PathBuf,
}

impl Sandbox {
    /// A repository with the commit `init`: `agent/a.md`, `agent/b.md`, `src/s.c`, `top`.
    pub fn new() -> Self {
        let repo = Self::unborn();
        for (path, text) in [("agent/a.md", "a\n"), ("agent/b.md", "b\n"), ("src/s.c", "s\n"), ("top", "t\n")] {
            repo.write(path, text);
        }
        repo.git(&["add", "-A"]);
        repo.git(&["commit", "-qm", "init"]);
        repo
    }

    /// A repository without a commit and without an index.
    pub fn unborn() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().join("repo");
        let repo = Self { temporary, root };
        std::fs::create_dir(repo.home()).unwrap();
        std::fs::create_dir(&repo.root).unwrap();
        repo.git(&["init", "-q", "-b", "main", "."]);
        let config = repo.path(".git/config");
        let text = std::fs::read_to_string(&config).unwrap();
        std::fs::write(config, text + "[user]\n\tname = U\n\temail = u@example.com\n").unwrap();
        repo
    }

    pub fn home(&self) -> PathBuf {
        self.temporary.path().join("home")
    }

    /// A command without the environment of the tests.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.root)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.home())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_DATE", "1700000000 +0000")
            .env("GIT_COMMITTER_DATE", "1700000000 +0000");
        command
    }

    pub fn try_git_in(&self, dir: &Path, args: &[&str]) -> Output {
        self.command("git").current_dir(dir).args(args).output().unwrap()
    }

    pub fn git_in(&self, dir: &Path, args: &[&str]) -> String {
        let output = self.try_git_in(dir, args);
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    pub fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.root, args)
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub fn write(&self, path: &str, text: &str) {
        let file = self.path(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    pub fn remove(&self, path: &str) {
        std::fs::remove_file(self.path(path)).unwrap();
    }

    pub fn chmod(&self, path: &str, mode: u32) {
        std::fs::set_permissions(self.path(path), PermissionsExt::from_mode(mode)).unwrap();
    }

    pub fn link(&self, path: &str, target: &str) {
        std::os::unix::fs::symlink(target, self.path(path)).unwrap();
    }

    /// Opens the repository with its own configuration only.
    pub fn open(&self) -> gix::Repository {
        gix::open_opts(&self.root, gix::open::Options::isolated()).unwrap()
    }

    pub fn try_commit(&self, paths: &[&str]) -> Result<Option<Committed>, CommitError> {
        let paths: Vec<BString> = paths.iter().map(|path| BString::from(*path)).collect();
        let selection = CommitSelection::Literal(&paths);
        commit(&self.open(), &CommitRequest { selection, message: "ours", hooks: GitHooks::Run })
    }

    /// Commits, checks the integrity of the repository, and returns the changes as `A path`.
    pub fn commit(&self, paths: &[&str]) -> Vec<String> {
        let done = self.try_commit(paths).unwrap();
        self.assert_sound();
        done.map(|done| done.changes.iter().map(shown).collect()).unwrap_or_default()
    }

    pub fn assert_sound(&self) {
        assert_eq!(self.git(&["fsck", "--strict", "--no-dangling"]), "");
        assert!(!self.path(".git/index.lock").exists());
    }

    pub fn status(&self) -> String {
        self.git(&["status", "--porcelain"])
    }

    /// Paths changed by HEAD according to git; a change of type counts as a modification.
    pub fn head_changes(&self) -> Vec<String> {
        let shown = self.git(&["show", "--no-renames", "--name-status", "--format=", "HEAD"]);
        let lines = shown.lines().map(|line| line.replace('\t', " "));
        lines.map(|line| line.strip_prefix("T ").map(|path| format!("M {path}")).unwrap_or(line)).collect()
    }

    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            head: self.git(&["rev-parse", "HEAD"]),
            index: std::fs::read(self.path(".git/index")).unwrap(),
            objects: self.git(&["count-objects"]),
        }
    }

    /// Asserts that the commit of `paths` fails with this kind and these words, and changes nothing.
    pub fn assert_refused(&self, paths: &[&str], kind: CommitErrorKind, words: &[&str]) {
        let before = self.snapshot();
        let error = self.try_commit(paths).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        for word in words {
            assert!(error.to_string().contains(word), "`{word}` is not in: {error}");
        }
        assert_eq!(self.snapshot(), before);
    }

    /// Commits `paths` here, and in a copy with `git commit --only`. Asserts that trees, index and status are equal.
    pub fn assert_as_git(&self, paths: &[&str]) {
        let theirs = self.temporary.path().join("theirs");
        let copied = Command::new("cp").arg("-a").args([&self.root, &theirs]).status().unwrap();
        assert!(copied.success());
        let with_paths = |args: &[&str]| {
            let args: Vec<&str> = args.iter().chain(paths).copied().collect();
            self.try_git_in(&theirs, &args)
        };
        for path in paths {
            self.try_git_in(&theirs, &["--literal-pathspecs", "add", "-N", "--", path]);
        }
        let output = with_paths(&["--literal-pathspecs", "commit", "-q", "--only", "-m", "theirs", "--"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let changes = self.commit(paths);
        assert_eq!(changes, self.head_changes());
        for question in [
            &["rev-parse", "HEAD^{tree}"][..],
            &["status", "--porcelain"],
            &["ls-files", "--stage", "-t"],
            &["ls-files", "-v"],
        ] {
            assert_eq!(self.git(question), self.git_in(&theirs, question), "{question:?}");
        }
        // Other staged changes must still be committable.
        for dir in [&self.root, &theirs] {
            self.try_git_in(dir, &["commit", "-qm", "the user's own"]);
        }
        let tree = ["rev-parse", "HEAD^{tree}"];
        assert_eq!(self.git(&tree), self.git_in(&theirs, &tree));
    }
}

/// Everything that a refused commit must not change.
#[derive(Debug, PartialEq)]
pub struct Snapshot {
    head: String,
    index: Vec<u8>,
    objects: String,
}

impl Snapshot {
    pub fn index(&self) -> &[u8] {
        &self.index
    }
}

fn shown(change: &CommittedChange) -> String {
    let letter = match change.kind {
        ChangeKind::Added => 'A',
        ChangeKind::Modified => 'M',
        ChangeKind::Deleted => 'D',
    };
    format!("{letter} {}", change.path)
}
