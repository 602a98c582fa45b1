//! Sync writes nothing without a change; commits and the index are checked without the work tree.

use crate::support::repo::{Repo, document};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Inode, times and size of everything below a folder, including `.git`.
fn stamps(folder: &Path, into: &mut BTreeMap<PathBuf, (u64, i64, i64, u64)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let meta = path.symlink_metadata().unwrap();
        into.insert(path.clone(), (meta.ino(), meta.mtime(), meta.mtime_nsec() + meta.ctime_nsec(), meta.size()));
        if meta.is_dir() {
            stamps(&path, into);
        }
    }
}

fn stamps_of(repo: &Repo) -> BTreeMap<PathBuf, (u64, i64, i64, u64)> {
    let mut all = BTreeMap::new();
    stamps(&repo.root, &mut all);
    // Opening the lock does not change it; git's own folder is excluded.
    all.retain(|path, _| !path.starts_with(repo.path(".git/canonry")) && path != &repo.path(".git"));
    all
}

/// Case: no change.
#[test]
fn sync_without_a_change_writes_nothing_and_keeps_time_stamps() {
    let repo = Repo::synced(&["alpha", "beta"]);
    let before = stamps_of(&repo);
    for args in [&[][..], &["--force"], &["--check"], &["--dry-run"], &["--diff"], &["--commit"], &["--adopt", "--all"]]
    {
        repo.sync(args).expect(0);
        let after = stamps_of(&repo);
        for (path, stamp) in &after {
            assert_eq!(before.get(path), Some(stamp), "{args:?}: {}", path.display());
        }
        assert_eq!(before.len(), after.len(), "{args:?}");
    }
}

#[test]
fn read_only_commands_write_nothing() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    repo.write(".claude/skills/beta/SKILL.md", "mine\n");
    repo.remove(".codex/skills/beta");
    repo.remove(".git/canonry");
    let before = stamps_of(&repo);
    for args in [&["--check"][..], &["--dry-run"], &["--diff"], &["--check", "--diff"], &["--dry-run", "--force"]] {
        repo.sync(args);
        assert_eq!(stamps_of(&repo), before, "{args:?}");
        assert!(!repo.exists(".git/canonry"), "{args:?}");
    }
    repo.check(&[]).expect(1);
    assert_eq!(stamps_of(&repo), before);
}

#[test]
fn the_lock_has_one_sorted_line_per_mirrored_file() {
    let repo = Repo::synced(&["beta", "alpha"]);
    let text = repo.text("agent/mirrors.lock");
    let paths: Vec<&str> = text.lines().map(|line| line.splitn(3, ' ').nth(2).unwrap()).collect();
    assert!(paths.is_sorted(), "{text}");
    // The owned parts of a shared file: an entry, the list created for it, and the file.
    let (parts, files): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.contains('#'));
    assert_eq!(parts.len(), 3, "{text}");
    assert_eq!(files.len(), 2 * 2 * 5);
    for line in files {
        let mut parts = line.splitn(3, ' ');
        let id = parts.next().unwrap();
        let mode = parts.next().unwrap();
        let path = parts.next().unwrap();
        assert_eq!(repo.git(&["ls-files", "-s", path]), format!("{mode} {id} 0\t{path}"));
    }
}

/// Case: check in CI.
#[test]
fn check_rev_reads_the_commit_and_not_the_work_tree() {
    let repo = Repo::synced(&["alpha"]);
    repo.check(&["--rev", "HEAD"]).expect(0);
    // The work tree is repaired; the commit still has the edit.
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    repo.git(&["commit", "-qam", "without its mirrors"]);
    repo.sync(&[]).expect(0);
    repo.check(&[]).expect(0);
    repo.check(&["--staged"]).expect(1).says(&["mirror-stale"]);
    repo.check(&["--rev", "HEAD"]).expect(1).says(&["mirror-stale", ".antigravity/skills/alpha/SKILL.md"]);
    repo.commit_all("with them");
    // The reverse: a clean commit and an edited work tree.
    repo.write(".claude/skills/alpha/SKILL.md", "mine\n");
    repo.remove(".codex");
    repo.check(&[]).expect(1);
    repo.check(&["--rev", "HEAD"]).expect(0);
    repo.check(&["--staged"]).expect(0);
    repo.check(&["--rev", "HEAD~1"]).expect(1).says(&["mirror-stale"]);
}

/// Case: check in CI.
#[test]
fn an_edit_committed_in_a_mirror_is_found() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(".claude/skills/alpha/SKILL.md", document("alpha") + "mine\n");
    repo.git(&["add", "-f", ".claude"]);
    repo.check(&["--staged"]).expect(1).says(&["mirror-edited"]);
    repo.check(&["--rev", "HEAD"]).expect(0);
    repo.git(&["commit", "-qm", "edit"]);
    repo.git(&["checkout", "-q", "HEAD~1", "--", ".claude"]);
    repo.check(&["--staged"]).expect(0);
    repo.check(&["--rev", "HEAD"]).expect(1).says(&["mirror-edited", ".claude/skills/alpha/SKILL.md"]);
}

#[test]
fn a_lost_exec_bit_and_an_orphan_are_found_in_a_commit() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.git(&["update-index", "--chmod=-x", ".claude/skills/alpha/scripts/run.sh"]);
    repo.git(&["rm", "-rq", "--cached", "agent/skills/beta"]);
    repo.check(&["--staged"]).expect(1).says(&["mirror-stale", "mirror-orphan"]);
    repo.git(&["commit", "-qm", "both"]);
    repo.check(&["--rev", "HEAD"]).expect(1).says(&["mirror-stale", "mirror-orphan"]);
}

#[test]
fn a_revision_is_checked_in_a_bare_clone() {
    let repo = Repo::synced(&["alpha"]);
    let bare = repo.outside("bare.git");
    repo.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    repo.canonry_in(&bare, &["check", "--rev", "HEAD"]).expect(0);
    repo.canonry_in(&bare, &["check"]).expect(65).says(&["bare", "--rev"]);
    repo.canonry_in(&bare, &["sync"]).expect(65).says(&["bare"]);
}
