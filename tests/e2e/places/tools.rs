//! Helpers of the integration tests.

use crate::support::repo::{Ran, Repo};
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

pub const HOOK: &str = ".git/hooks/pre-commit";
pub const SKILL: &str = "agent/skills/release-notes/SKILL.md";
pub const BY_HAND: &str = "canonry check --staged || exit $?";

pub fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

pub fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

pub fn yaml(path: &str) -> serde_json::Value {
    serde_yaml::from_str(&text(&root(path))).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// PATH with these directories first.
pub fn path_with(folders: &[&Path]) -> OsString {
    let others = std::env::var_os("PATH").unwrap();
    let first = folders.iter().map(|folder| folder.to_path_buf());
    std::env::join_paths(first.chain(std::env::split_paths(&others))).unwrap()
}

/// The directory of the tested binary.
pub fn canonry_folder() -> PathBuf {
    assert_cmd::cargo::cargo_bin!("canonry").parent().unwrap().to_owned()
}

pub fn program(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    set_mode(path, 0o755);
}

pub fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

pub fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Checks the status, and that the output contains all words.
#[track_caller]
pub fn expect(ran: &Ran, status: i32, words: &[&str]) {
    let all = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.status, status, "{all}");
    for word in words {
        assert!(all.contains(word), "no `{word}` in:\n{all}");
    }
}

/// Commits the staged files, with the tested binary on PATH.
pub fn commit(repo: &Repo) -> Ran {
    let mut git = repo.command("git");
    git.args(["commit", "-qm", "message"]).env("PATH", path_with(&[&canonry_folder()]));
    git.output().unwrap().into()
}
