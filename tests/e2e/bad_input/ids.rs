//! Files that the user who runs canonry cannot read.

use crate::support::repo::{Repo, document};
use crate::support::unprivileged::run_unprivileged;

#[test]
fn an_unreadable_file_is_reported_and_its_mirrors_stay() {
    let repo = Repo::synced(&["alpha", "beta"]);
    // The index must not contain the file, so that canonry has to read it.
    repo.write("agent/skills/alpha/scripts/run.sh", "changed\n");
    repo.write("agent/skills/beta/SKILL.md", document("beta") + "news\n");
    let before = repo.tree_of(&[".claude/skills/alpha"]);
    repo.chmod("agent/skills/alpha/scripts/run.sh", 0);
    let ran = run_unprivileged(&repo, &["sync"]);
    repo.chmod("agent/skills/alpha/scripts/run.sh", 0o755);
    ran.expect(1).says(&["agent/skills/alpha/scripts/run.sh", "cannot be read"]);
    assert_eq!(repo.tree_of(&[".claude/skills/alpha"]), before);
    repo.assert_mirrored(&["beta"]);
}

#[test]
fn an_unreadable_document_is_reported_and_its_mirrors_stay() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    let before = repo.tree_of(&[".claude/skills/alpha"]);
    repo.chmod("agent/skills/alpha/SKILL.md", 0);
    let synced = run_unprivileged(&repo, &["sync"]);
    let checked = run_unprivileged(&repo, &["check"]);
    repo.chmod("agent/skills/alpha/SKILL.md", 0o644);
    synced.expect(1).says(&["agent/skills/alpha/SKILL.md", "cannot be read"]);
    checked.expect(1).says(&["agent/skills/alpha/SKILL.md", "cannot be read"]);
    assert_eq!(repo.tree_of(&[".claude/skills/alpha"]), before);
}

#[test]
fn an_unreadable_folder_is_reported_and_no_mirror_is_removed() {
    for folder in ["agent/skills/alpha", "agent/skills/alpha/scripts", "agent/skills/cat", "agent/skills"] {
        let repo = Repo::synced(&["alpha", "beta", "cat/gamma"]);
        let before = repo.mirrors();
        repo.chmod(folder, 0);
        let synced = run_unprivileged(&repo, &["sync"]);
        let checked = run_unprivileged(&repo, &["check"]);
        repo.chmod(folder, 0o755);
        synced.expect(1).says(&[folder, "Permission denied"]);
        checked.expect(1).says(&[folder, "Permission denied"]);
        assert_eq!(repo.mirrors(), before, "{folder}");
        repo.sync(&["--check"]).expect(0);
    }
}

#[test]
fn an_unreadable_mirror_is_not_overwritten() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write(".claude/skills/alpha/SKILL.md", "mine\n");
    repo.chmod(".claude/skills/alpha/SKILL.md", 0);
    let ran = run_unprivileged(&repo, &["sync"]);
    repo.chmod(".claude/skills/alpha/SKILL.md", 0o644);
    ran.expect(5).says(&[".claude/skills/alpha/SKILL.md"]);
    assert_eq!(repo.text(".claude/skills/alpha/SKILL.md"), "mine\n");
}

#[test]
fn a_read_only_mirror_fails_and_the_next_run_converges() {
    let repo = Repo::synced(&["alpha"]);
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    repo.chmod(".codex/skills/alpha", 0o555);
    let ran = run_unprivileged(&repo, &["sync"]);
    repo.chmod(".codex/skills/alpha", 0o755);
    ran.expect(70).says(&[".codex/skills/alpha/SKILL.md", "cannot be written", "run this again"]);
    run_unprivileged(&repo, &["sync"]).expect(0);
    repo.assert_mirrored(&["alpha"]);
}
