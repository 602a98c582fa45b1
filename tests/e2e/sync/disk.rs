//! A file system that fails in the middle of a run.

use crate::support::repo::{MIRRORS, Repo};
use crate::support::small::{Small, fill};

fn assert_no_partial_file(repo: &Repo) {
    for (path, held) in repo.mirrors() {
        let Some(below) = MIRRORS.iter().find_map(|mirror| path.strip_prefix(&format!("{mirror}/"))) else { continue };
        let canon = repo.tree_of(&[&format!("agent/skills/{below}")]);
        assert_eq!(canon.get(&format!("agent/skills/{below}")), Some(&held), "{path}");
    }
}

/// Case: the disk fills up midway.
#[test]
#[ignore = "needs root, to mount a file system"]
fn needs_mount_a_full_disk_leaves_no_partial_file_and_the_next_run_converges() {
    let small = Small::mount("3m");
    let repo = Repo::at(tempfile::tempdir_in(small.0.path()).unwrap());
    for name in ["alpha", "beta", "gamma"] {
        repo.skill(name);
        repo.write(&format!("agent/skills/{name}/assets/large"), name.repeat(50_000));
    }
    let ballast = repo.home().join("ballast");
    // Reduce the free space step by step: enough for nothing, for some mirrors, for everything.
    fill(&ballast);
    for free in [0_u64, 300, 900] {
        let kept = ballast.metadata().unwrap().len().saturating_sub(free * 1024);
        std::fs::File::options().write(true).open(&ballast).unwrap().set_len(kept).unwrap();
        repo.sync(&[]).expect(70).says(&["no file is half-written"]);
        assert_no_partial_file(&repo);
    }
    std::fs::remove_file(&ballast).unwrap();
    for name in ["alpha", "beta", "gamma"] {
        repo.write(&format!("agent/skills/{name}/assets/large"), name.repeat(10_000));
    }
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha", "beta", "gamma"]);
    repo.sync(&["--check"]).expect(0);
}
