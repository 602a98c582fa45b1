//! A separate repository for each test, created and inspected with the real git, and used by the real binary.

use crate::support::scratch;
use assert_cmd::cargo::cargo_bin;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// The mirrors of a repository without configured targets.
pub const MIRRORS: [&str; 5] =
    [".claude/skills", ".gemini/skills", ".cursor/skills", ".codex/skills", ".antigravity/skills"];

pub struct Repo {
    /// Removed when dropped.
    _temporary: tempfile::TempDir,
    pub root: PathBuf,
}

/// The result of a run of the binary.
#[derive(Debug)]
pub struct Ran {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// The content of a path: mode and bytes, or the destination of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    Folder,
    File { executable: bool, bytes: Vec<u8> },
    Link(PathBuf),
}

pub type Tree = BTreeMap<String, Held>;

impl Repo {
    /// A repository without a commit and without a canon.
    pub fn empty() -> Self {
        Self::at(scratch::folder())
    }

    /// The same in this folder, such as the top of a small file system.
    pub fn at(temporary: tempfile::TempDir) -> Self {
        let repo = Self::nowhere(temporary);
        fs::create_dir(&repo.root).unwrap();
        for (path, held) in Self::initialized() {
            match held {
                Held::File { bytes, .. } => fs::write(repo.path(path), bytes).unwrap(),
                Held::Folder => fs::create_dir(repo.path(path)).unwrap(),
                Held::Link(_) => panic!("{path} is a link"),
            }
        }
        repo
    }

    /// Files that `git init` creates, with an identity for commits: the same in each repository, so git runs only
    /// once.
    fn initialized() -> &'static Tree {
        static INITIALIZED: OnceLock<Tree> = OnceLock::new();
        INITIALIZED.get_or_init(|| {
            let repo = Self::nowhere(scratch::folder());
            fs::create_dir(&repo.root).unwrap();
            // Without the sample hooks of the template, which would only slow down copies.
            repo.git(&["init", "-q", "-b", "main", "--template=", "."]);
            repo.append(".git/config", "[user]\n\tname = U\n\temail = u@example.com\n");
            repo.tree_of(&[".git"])
        })
    }

    /// A home directory, and a repository path that does not exist yet.
    pub fn nowhere(temporary: tempfile::TempDir) -> Self {
        let root = temporary.path().canonicalize().unwrap().join("repo");
        let repo = Self { _temporary: temporary, root };
        fs::create_dir(repo.home()).unwrap();
        fs::create_dir(repo.tmp()).unwrap();
        repo
    }

    /// An empty folder outside of any repository.
    pub fn without_git() -> Self {
        let repo = Self::nowhere(scratch::folder());
        fs::create_dir(&repo.root).unwrap();
        repo
    }

    /// A canon with the skill `release-notes`, which has no findings and a reference; not committed.
    pub fn with_skill() -> Self {
        let repo = Self::empty();
        repo.write("agent/skills/release-notes/SKILL.md", GOOD);
        repo.write("agent/skills/release-notes/references/format.md", "# The format\n\nOne line a change.\n");
        repo
    }

    /// The same, mirrored and committed.
    pub fn with_synced_skill() -> Self {
        let repo = Self::with_skill();
        repo.sync(&["--commit"]).expect(0);
        repo
    }

    /// A canon with these skills, not committed.
    pub fn with_skills(names: &[&str]) -> Self {
        let repo = Self::empty();
        names.iter().for_each(|name| repo.skill(name));
        repo
    }

    /// The same, mirrored and committed.
    pub fn synced(names: &[&str]) -> Self {
        let repo = Self::with_skills(names);
        repo.sync(&[]).expect(0);
        repo.commit_all("synced");
        repo
    }

    /// A skill below `agent/skills/`: its document and a script.
    pub fn skill(&self, path: &str) {
        self.write(&format!("agent/skills/{path}/SKILL.md"), document(path));
        let script = format!("agent/skills/{path}/scripts/run.sh");
        self.write(&script, format!("#!/bin/sh\necho {path}\n"));
        self.chmod(&script, 0o755);
    }

    pub fn targets(&self, names: &[&str]) {
        self.write("agent/canonry.yaml", format!("targets: [{}]\n", names.join(", ")));
    }

    pub fn home(&self) -> PathBuf {
        self.root.with_file_name("home")
    }

    /// The temporary folder of the commands.
    pub fn tmp(&self) -> PathBuf {
        self.root.with_file_name("tmp")
    }

    /// The names in the folder around the repository.
    pub fn outside_names(&self) -> Vec<std::ffi::OsString> {
        let entries = fs::read_dir(self.root.parent().unwrap()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    }

    /// A folder next to the repository.
    pub fn outside(&self, name: &str) -> PathBuf {
        let folder = self.root.parent().unwrap().join(name);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// A command without the environment of the tests.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root).env_clear().stdin(Stdio::null());
        for kept in ["PATH", "LLVM_PROFILE_FILE"] {
            command.envs(std::env::var_os(kept).map(|value| (kept, value)));
        }
        command
            .env("HOME", self.home())
            .env("XDG_CONFIG_HOME", self.home().join(".config"))
            .env("TMPDIR", self.tmp())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_DATE", "1700000000 +0000")
            .env("GIT_COMMITTER_DATE", "1700000000 +0000");
        command
    }

    /// The binary without arguments.
    pub fn canonry_command(&self) -> Command {
        self.command(binary())
    }

    pub fn canonry(&self, args: &[&str]) -> Ran {
        self.canonry_in(&self.root, args)
    }

    pub fn canonry_in(&self, folder: &Path, args: &[&str]) -> Ran {
        self.canonry_command().current_dir(folder).args(args).output().unwrap().into()
    }

    /// A run as text: stdout, stderr and status, with `[REPO]` for the repository.
    pub fn shown(&self, args: &[&str]) -> String {
        let Ran { stdout, stderr, status } = self.canonry(args);
        let mut text = format!("$ canonry {}\n{stdout}", args.join(" "));
        if !stderr.is_empty() {
            text.push_str(&format!("--- stderr\n{stderr}"));
        }
        text.push_str(&format!("--- status {status}\n"));
        text.replace(self.root.to_str().unwrap(), "[REPO]")
    }

    pub fn sync(&self, args: &[&str]) -> Ran {
        self.canonry(&[&["sync"], args].concat())
    }

    pub fn check(&self, args: &[&str]) -> Ran {
        self.canonry(&[&["check"], args].concat())
    }

    pub fn try_git(&self, args: &[&str]) -> Output {
        // A commit would start a second process that only finds out that nothing needs maintenance.
        let settings = ["-c", "safe.directory=*", "-c", "maintenance.auto=false"];
        self.command("git").args(settings).args(args).output().unwrap()
    }

    pub fn git(&self, args: &[&str]) -> String {
        let output = self.try_git(args);
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    pub fn commit_all(&self, message: &str) {
        self.git(&["add", "-A", "-f"]);
        self.git(&["commit", "-qm", message]);
    }

    /// Paths changed by HEAD, such as `M path`.
    pub fn head_changes(&self) -> Vec<String> {
        let shown = self.git(&["show", "--no-renames", "--name-status", "--format=", "HEAD"]);
        shown.lines().map(|line| line.replace('\t', " ")).collect()
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub fn exists(&self, path: &str) -> bool {
        self.path(path).symlink_metadata().is_ok()
    }

    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let file = self.path(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }

    pub fn append(&self, path: &str, text: &str) {
        self.write(path, self.text(path) + text);
    }

    pub fn read(&self, path: &str) -> Vec<u8> {
        fs::read(self.path(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
    }

    pub fn text(&self, path: &str) -> String {
        String::from_utf8(self.read(path)).unwrap()
    }

    /// The text of a file; empty if it does not exist.
    pub fn text_if_any(&self, path: &str) -> String {
        if self.exists(path) { self.text(path) } else { String::new() }
    }

    pub fn remove(&self, path: &str) {
        let file = self.path(path);
        let is_folder = file.symlink_metadata().unwrap().is_dir();
        if is_folder { fs::remove_dir_all(file).unwrap() } else { fs::remove_file(file).unwrap() }
    }

    pub fn rename(&self, from: &str, to: &str) {
        fs::create_dir_all(self.path(to).parent().unwrap()).unwrap();
        fs::rename(self.path(from), self.path(to)).unwrap();
    }

    pub fn chmod(&self, path: &str, mode: u32) {
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    pub fn mode(&self, path: &str) -> u32 {
        self.path(path).metadata().unwrap().mode() & 0o777
    }

    pub fn link(&self, path: &str, target: impl AsRef<Path>) {
        let link = self.path(path);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(target, link).unwrap();
    }

    /// All files below some folders.
    pub fn tree_of(&self, folders: &[&str]) -> Tree {
        let mut tree = Tree::new();
        folders.iter().filter(|f| self.exists(f)).for_each(|folder| self.collect(folder, &mut tree));
        tree
    }

    /// All files except `.git`.
    pub fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        self.collect("", &mut tree);
        tree.retain(|path, _| path != ".git" && !path.starts_with(".git/"));
        tree
    }

    /// All mirrors of the default targets and of `agents`.
    pub fn mirrors(&self) -> Tree {
        self.tree_of(&[".claude", ".gemini", ".cursor", ".codex", ".antigravity", ".agents"])
    }

    fn collect(&self, path: &str, tree: &mut Tree) {
        let at = self.path(path);
        let meta = at.symlink_metadata().unwrap();
        let held = if meta.is_symlink() {
            Held::Link(at.read_link().unwrap())
        } else if meta.is_dir() {
            for entry in fs::read_dir(&at).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                let below = if path.is_empty() { name } else { format!("{path}/{name}") };
                self.collect(&below, tree);
            }
            Held::Folder
        } else {
            Held::File { executable: meta.mode() & 0o111 != 0, bytes: fs::read(&at).unwrap() }
        };
        tree.insert(path.to_owned(), held);
    }

    /// Asserts that every mirror has exactly the canon's files of each skill.
    pub fn assert_mirrored(&self, names: &[&str]) {
        for name in names {
            for mirror in MIRRORS {
                self.assert_copied(name, &format!("{mirror}/{name}"));
            }
        }
    }

    /// Asserts that a folder has exactly the files of the skill.
    pub fn assert_copied(&self, skill: &str, folder: &str) {
        let below = |root: &str| -> Tree {
            let tree = self.tree_of(&[root]);
            tree.into_iter().map(|(path, held)| (path[root.len()..].to_owned(), held)).collect()
        };
        assert_eq!(below(folder), below(&format!("agent/skills/{skill}")), "{folder}");
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        // Killed by a signal: no exit status, and no test expects that.
        let status = output.status.code().unwrap_or(-1);
        Self { status, stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Ran {
    /// Asserts the exit status, and that there was no panic.
    #[track_caller]
    pub fn expect(self, status: i32) -> Self {
        assert_eq!(self.status, status, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("internal error"), "{}", self.stderr);
        self
    }

    /// Stdout and stderr.
    pub fn all(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    #[track_caller]
    pub fn says(self, words: &[&str]) -> Self {
        let all = self.all();
        words.iter().for_each(|word| assert!(all.contains(word), "`{word}` is not in:\n{all}"));
        self
    }

    #[track_caller]
    pub fn says_nothing_of(self, words: &[&str]) -> Self {
        let all = self.all();
        words.iter().for_each(|word| assert!(!all.contains(word), "`{word}` is in:\n{all}"));
        self
    }
}

pub fn binary() -> PathBuf {
    cargo_bin!("canonry").to_path_buf()
}

pub fn document(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap();
    format!("---\nname: {name}\ndescription: Does {name}. Use when {name} is asked for.\n---\n\n# {name}\n")
}

pub const GOOD: &str = "---\nname: release-notes\ndescription: Drafts release notes. Use before a release is tagged.\n---\n\n\
                        # Release notes\n\nSort the changes as [the format](references/format.md) says.\n";

/// An unquoted colon that breaks the YAML, a name that differs from its folder, and a broken link.
pub const COLON: &str =
    "---\nname: triage-bug\ndescription: Triage a bug report: reproduce it, name an owner.\n---\n\n# Triage\n";
pub const LINK: &str = "---\nname: deploy-checks\ndescription: Checks a deployment. Use after each deployment.\n---\n\n\
                        # Deployment\n\nGo through [the list](references/list.md).\n";
