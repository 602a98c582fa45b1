//! What the user who runs canonry may not read. Root may read all, so the runs are another user's there.

use crate::support::repo::{Ran, Repo, binary, document};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::Path;

const NOBODY: u32 = 65534;

fn give_away(path: &Path) {
    std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if path.symlink_metadata().unwrap().is_dir() {
        std::fs::read_dir(path).unwrap().for_each(|entry| give_away(&entry.unwrap().path()));
    }
}

/// Runs as someone for whom modes count; `None` with the reason printed where that cannot be.
fn run(repo: &Repo, args: &[&str]) -> Option<Ran> {
    let is_root = chown(repo.home(), Some(0), None).is_ok();
    let mut command = repo.command(binary());
    if is_root {
        give_away(repo.root.parent().unwrap());
        command.uid(NOBODY).gid(NOBODY);
    }
    match command.args(args).output() {
        Ok(output) => Some(Ran::of(output)),
        Err(e) => {
            eprintln!("skipped: the binary cannot be run as another user than root: {e}");
            None
        }
    }
}

#[test]
fn a_file_that_may_not_be_read_is_named_and_its_mirrors_stay() {
    let repo = Repo::synced(&["alpha", "beta"]);
    // The index must not know it: then its content has to be read.
    repo.write("agent/skills/alpha/scripts/run.sh", "changed\n");
    repo.write("agent/skills/beta/SKILL.md", document("beta") + "news\n");
    let before = repo.tree_of(&[".claude/skills/alpha"]);
    repo.chmod("agent/skills/alpha/scripts/run.sh", 0);
    let Some(ran) = run(&repo, &["sync"]) else { return };
    repo.chmod("agent/skills/alpha/scripts/run.sh", 0o755);
    ran.expect(1).says(&["agent/skills/alpha/scripts/run.sh", "cannot be read"]);
    assert_eq!(repo.tree_of(&[".claude/skills/alpha"]), before);
    repo.assert_mirrored(&["beta"]);
}

#[test]
fn a_document_that_may_not_be_read_is_named_and_its_mirrors_stay() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    let before = repo.tree_of(&[".claude/skills/alpha"]);
    repo.chmod("agent/skills/alpha/SKILL.md", 0);
    let (Some(synced), Some(checked)) = (run(&repo, &["sync"]), run(&repo, &["check"])) else { return };
    repo.chmod("agent/skills/alpha/SKILL.md", 0o644);
    synced.expect(1).says(&["agent/skills/alpha/SKILL.md", "cannot be read"]);
    checked.expect(1).says(&["agent/skills/alpha/SKILL.md", "cannot be read"]);
    assert_eq!(repo.tree_of(&[".claude/skills/alpha"]), before);
}

#[test]
fn a_folder_that_may_not_be_read_is_named_and_no_mirror_is_removed() {
    for folder in ["agent/skills/alpha", "agent/skills/alpha/scripts", "agent/skills/cat", "agent/skills"] {
        let repo = Repo::synced(&["alpha", "beta", "cat/gamma"]);
        let before = repo.mirrors();
        repo.chmod(folder, 0);
        let (Some(synced), Some(checked)) = (run(&repo, &["sync"]), run(&repo, &["check"])) else { return };
        repo.chmod(folder, 0o755);
        synced.expect(1).says(&[folder, "cannot be read"]);
        checked.expect(1).says(&[folder, "cannot be read"]);
        assert_eq!(repo.mirrors(), before, "{folder}");
        repo.sync(&["--check"]).expect(0);
    }
}

#[test]
fn a_mirror_that_may_not_be_read_is_not_written_over() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write(".claude/skills/alpha/SKILL.md", "mine\n");
    repo.chmod(".claude/skills/alpha/SKILL.md", 0);
    let Some(ran) = run(&repo, &["sync"]) else { return };
    repo.chmod(".claude/skills/alpha/SKILL.md", 0o644);
    ran.expect(5).says(&[".claude/skills/alpha/SKILL.md"]);
    assert_eq!(repo.text(".claude/skills/alpha/SKILL.md"), "mine\n");
}

#[test]
fn a_mirror_that_may_not_be_written_fails_and_the_next_run_converges() {
    let repo = Repo::synced(&["alpha"]);
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    repo.chmod(".codex/skills/alpha", 0o555);
    let Some(ran) = run(&repo, &["sync"]) else { return };
    repo.chmod(".codex/skills/alpha", 0o755);
    ran.expect(70).says(&[".codex/skills/alpha/SKILL.md", "cannot be written", "run this again"]);
    run(&repo, &["sync"]).unwrap().expect(0);
    repo.assert_mirrored(&["alpha"]);
}
