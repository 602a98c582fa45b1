//! A repository on disk, created by the git binary. The canonry binary runs in it without the configuration of the
//! machine or the user.

use crate::support::scratch;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub struct Repo {
    temporary: tempfile::TempDir,
}

/// The output of a run and its exit status.
pub struct Ran {
    pub stdout: String,
    pub stderr: String,
    pub status: i32,
}

impl Repo {
    /// An empty repository on the branch `main`, with an identity for commits.
    pub fn new() -> Self {
        let repo = Self::without_git();
        repo.git(&["init", "-q", "-b", "main", "."]);
        let config = repo.path(".git/config");
        let text = std::fs::read_to_string(&config).unwrap();
        std::fs::write(config, text + "[user]\n\tname = U\n\temail = u@example.com\n").unwrap();
        repo
    }

    /// A folder outside of any repository.
    pub fn without_git() -> Self {
        let repo = Self { temporary: scratch::folder() };
        for folder in ["home", "tmp", "repo"] {
            std::fs::create_dir(repo.temporary.path().join(folder)).unwrap();
        }
        repo
    }

    /// A repository with the skill `release-notes`, which has no findings.
    pub fn with_skill() -> Self {
        let repo = Self::new();
        repo.write("agent/skills/release-notes/SKILL.md", GOOD);
        repo.write("agent/skills/release-notes/references/format.md", "# The format\n\nOne line a change.\n");
        repo
    }

    /// The same, mirrored and committed.
    pub fn synced() -> Self {
        let repo = Self::with_skill();
        assert_eq!(repo.run(&["sync", "--commit"]).status, 0);
        repo
    }

    pub fn top(&self) -> PathBuf {
        self.temporary.path().join("repo")
    }

    /// The temporary folder of the runs.
    pub fn tmp(&self) -> PathBuf {
        self.temporary.path().join("tmp")
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.top().join(path)
    }

    pub fn write(&self, path: &str, text: &str) {
        let file = self.path(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    pub fn append(&self, path: &str, text: &str) {
        let before = std::fs::read_to_string(self.path(path)).unwrap();
        self.write(path, &(before + text));
    }

    /// A command without the environment of the tests.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .current_dir(self.top())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.temporary.path().join("home"))
            .env("XDG_CONFIG_HOME", self.temporary.path().join("home/.config"))
            .env("TMPDIR", self.tmp())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_DATE", "1700000000 +0000")
            .env("GIT_COMMITTER_DATE", "1700000000 +0000")
            .env("COLUMNS", "100")
            .stdin(Stdio::null());
        command
    }

    /// The canonry binary without arguments.
    pub fn canonry(&self) -> Command {
        self.command(assert_cmd::cargo::cargo_bin!("canonry"))
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        self.canonry().args(args).output().unwrap().into()
    }

    /// The output of a run as text: stdout, stderr and status, with temporary paths replaced.
    pub fn shown(&self, args: &[&str]) -> String {
        let Ran { stdout, stderr, status } = self.run(args);
        let mut text = format!("$ canonry {}\n{stdout}", args.join(" "));
        if !stderr.is_empty() {
            text.push_str(&format!("--- stderr\n{stderr}"));
        }
        text.push_str(&format!("--- status {status}\n"));
        // On macOS the temporary folder is behind a link, so that output may contain either path.
        let real = std::fs::canonicalize(self.top()).unwrap();
        text.replace(real.to_str().unwrap(), "[REPO]").replace(self.top().to_str().unwrap(), "[REPO]")
    }

    pub fn git(&self, args: &[&str]) -> String {
        // A commit would start a second process that only finds out that nothing needs maintenance.
        let settings = ["-c", "maintenance.auto=false"];
        let Ran { stdout, stderr, status } = self.command("git").args(settings).args(args).output().unwrap().into();
        assert_eq!(status, 0, "git {args:?}: {stderr}");
        stdout.trim_end().to_owned()
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        // Killed by a signal: no exit status, and no test expects that.
        let status = output.status.code().unwrap_or(-1);
        Self { stdout: text(output.stdout), stderr: text(output.stderr), status }
    }
}

pub const GOOD: &str = "---\nname: release-notes\ndescription: Drafts release notes. Use before a release is tagged.\n---\n\n\
                        # Release notes\n\nSort the changes as [the format](references/format.md) says.\n";

/// An unquoted colon that breaks the YAML, a name that differs from its folder, and a broken link.
pub const COLON: &str =
    "---\nname: triage-bug\ndescription: Triage a bug report: reproduce it, name an owner.\n---\n\n# Triage\n";
pub const LINK: &str = "---\nname: deploy-checks\ndescription: Checks a deployment. Use after each deployment.\n---\n\n\
                        # Deployment\n\nGo through [the list](references/list.md).\n";
