//! The mode in which git keeps a file.

use super::{Basis, GitSource, View};
use crate::git::commit::tests::sandbox::Sandbox;
use canonry_model::canon::FileMode;
use canonry_text::RepoPath;
use std::os::unix::fs::PermissionsExt;

fn mode(repo: &Sandbox, path: &str) -> Option<FileMode> {
    let git = crate::git::open::open(&repo.root).unwrap();
    let top = RepoPath::default();
    let view = View::from_git(GitSource::open(&git, &Basis::WorkTree, &top).unwrap(), &top);
    view.mode(&RepoPath::from(path))
}

fn chmod(repo: &Sandbox, path: &str, mode: u32) {
    std::fs::set_permissions(repo.path(path), std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn index_knows_the_mode_of_tracked_files() {
    let repo = Sandbox::new();
    repo.write("a.sh", "exit 0\n");
    assert_eq!(mode(&repo, "a.sh"), Some(FileMode::File));
    repo.git(&["add", "."]);
    assert_eq!(mode(&repo, "a.sh"), Some(FileMode::File));
    chmod(&repo, "a.sh", 0o755);
    assert_eq!(mode(&repo, "a.sh"), Some(FileMode::Executable));
    repo.git(&["add", "."]);
    chmod(&repo, "a.sh", 0o644);
    assert_eq!(mode(&repo, "a.sh"), Some(FileMode::Executable));
    assert_eq!(mode(&repo, "none.sh"), None);
}

#[test]
fn modes_on_disk_mean_nothing_if_git_ignores_them() {
    let repo = Sandbox::new();
    repo.write("a.sh", "exit 0\n");
    repo.git(&["add", "."]);
    repo.write("new.sh", "exit 0\n");
    repo.git(&["config", "core.fileMode", "false"]);
    chmod(&repo, "a.sh", 0o755);
    assert_eq!(mode(&repo, "a.sh"), Some(FileMode::File));
    assert_eq!(mode(&repo, "new.sh"), None);
    repo.git(&["update-index", "--chmod=+x", "a.sh"]);
    assert_eq!(mode(&repo, "a.sh"), Some(FileMode::Executable));
}
