//! A file system that fails midway.

use crate::repo::{MIRRORS, Repo};
use std::path::Path;
use std::process::{Command, Stdio};

/// A small file system, unmounted when dropped.
struct Small(tempfile::TempDir);

impl Small {
    /// `None`, with the reason printed, where nothing may be mounted.
    fn mount(size: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let options = format!("size={size}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "canonry-test"]).arg(folder.path()).stderr(Stdio::null());
        if mount.status().is_ok_and(|status| status.success()) {
            return Some(Self(folder));
        }
        eprintln!("skipped: no small file system can be mounted here");
        None
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

fn assert_no_half_file(repo: &Repo) {
    for (path, held) in repo.mirrors() {
        let Some(below) = MIRRORS.iter().find_map(|mirror| path.strip_prefix(&format!("{mirror}/"))) else { continue };
        let canon = repo.tree_of(&[&format!("agent/skills/{below}")]);
        assert_eq!(canon.get(&format!("agent/skills/{below}")), Some(&held), "{path}");
    }
}

#[test]
fn a_full_disk_leaves_no_half_file_and_the_next_run_converges() {
    let Some(small) = Small::mount("3m") else { return };
    let repo = Repo::at(tempfile::tempdir_in(small.0.path()).unwrap());
    for name in ["alpha", "beta", "gamma"] {
        repo.skill(name);
        repo.write(&format!("agent/skills/{name}/assets/large"), name.repeat(50_000));
    }
    let ballast = repo.home().join("ballast");
    // Less and less is free: first for nothing, then for a part of the mirrors, at last for all.
    fill(&ballast);
    for free in [0_u64, 300, 900] {
        let kept = ballast.metadata().unwrap().len().saturating_sub(free * 1024);
        std::fs::File::options().write(true).open(&ballast).unwrap().set_len(kept).unwrap();
        repo.sync(&[]).expect(70).says(&["nothing is half-written"]);
        assert_no_half_file(&repo);
    }
    std::fs::remove_file(&ballast).unwrap();
    for name in ["alpha", "beta", "gamma"] {
        repo.write(&format!("agent/skills/{name}/assets/large"), name.repeat(10_000));
    }
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha", "beta", "gamma"]);
    repo.sync(&["--check"]).expect(0);
}

fn fill(path: &Path) {
    use std::io::Write as _;
    let mut file = std::fs::File::create(path).unwrap();
    let block = [7_u8; 4096];
    while file.write_all(&block).is_ok() {}
}
