//! A corpus of 621 real skills, including hostile and malformed ones, as the canon of a scratch repository.

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The corpus is in `shared` next to the checkout, or where `CANONRY_SHARED` points to. The tests that use it are
/// ignored by default.
pub fn corpus() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let shared = std::env::var_os("CANONRY_SHARED").map_or_else(beside, PathBuf::from);
    let corpus = shared.join("corpus");
    assert!(corpus.join("labels_dev.jsonl").is_file(), "no corpus in {}", corpus.display());
    corpus
}

/// A repository with the corpus as its canon.
pub struct Scratch {
    pub folder: tempfile::TempDir,
}

impl Scratch {
    pub fn new(corpus: &Path) -> Self {
        let scratch = Self { folder: tempfile::tempdir().unwrap() };
        scratch.git(&["init", "-q", "-b", "main"]);
        scratch.git(&["config", "user.name", "Tester"]);
        scratch.git(&["config", "user.email", "tester@example.com"]);
        copy(&corpus.join("dev"), &scratch.canon());
        scratch
    }

    pub fn canon(&self) -> PathBuf {
        self.folder.path().join("agent/skills")
    }

    fn hermetic(&self, mut command: Command) -> Command {
        command
            .current_dir(self.folder.path())
            .env("HOME", self.folder.path().join(".git"))
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command.env_remove("XDG_CONFIG_HOME");
        command
    }

    pub fn git(&self, args: &[&str]) -> String {
        let output = self.hermetic(Command::new("git")).args(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns the exit status and the JSON document.
    pub fn canonry(&self, args: &[&str]) -> (i32, Value) {
        let output = self.hermetic(Command::cargo_bin("canonry").unwrap()).args(args).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!stderr.contains("internal error"), "{args:?}: {stderr}");
        let document = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}: {stderr}"));
        (output.status.code().unwrap(), document)
    }
}

/// Copies a folder. The export replaced links with files that contain only the target; this restores the links.
fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.unwrap();
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            continue;
        }
        let content = std::fs::read(entry.path()).unwrap();
        match link_text(&content) {
            Some(text) => std::os::unix::fs::symlink(text, &target).unwrap(),
            None => {
                std::fs::write(&target, content).unwrap();
                std::fs::set_permissions(&target, entry.metadata().unwrap().permissions()).unwrap();
            }
        }
    }
}

fn link_text(content: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(content).ok()?;
    (text.starts_with("../") && text.ends_with(".md") && !text.contains('\n')).then_some(text)
}
