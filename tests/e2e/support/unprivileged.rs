//! Runs the binary as a user without root's permission to ignore file modes.

use crate::support::repo::{Ran, Repo, binary};
use std::os::unix::fs::{chown, lchown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

const NOBODY: u32 = 65534;

fn give_away(path: &Path) {
    lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if path.symlink_metadata().unwrap().is_dir() {
        std::fs::read_dir(path).unwrap().for_each(|entry| give_away(&entry.unwrap().path()));
    }
}

/// Makes a command run as another user if this one is root, and gives that user a folder with everything in it.
pub fn drop_privileges(command: &mut Command, folder: &Path) {
    let is_root = chown(folder, Some(0), None).is_ok();
    if is_root {
        give_away(folder);
        command.uid(NOBODY).gid(NOBODY);
    }
}

pub fn run_unprivileged(repo: &Repo, args: &[&str]) -> Ran {
    let mut command = repo.command(binary());
    drop_privileges(&mut command, repo.root.parent().unwrap());
    Ran::from(
        command.args(args).output().unwrap_or_else(|e| panic!("another user than root cannot run the binary: {e}")),
    )
}
