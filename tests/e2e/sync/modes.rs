//! `mode: symlink`: links to the canon instead of copies.

use crate::support::repo::{Held, Repo, document};

const LINKED: &str = "targets: [claude, codex]\nmirrors: {claude: {mode: symlink}}\n";

fn link_at(repo: &Repo, path: &str) -> Option<String> {
    match repo.tree_of(&[path]).remove(path) {
        Some(Held::Link(to)) => Some(to.to_str().unwrap().to_owned()),
        _ => None,
    }
}

/// Asserts that no view has drift.
fn assert_in_step(repo: &Repo) {
    repo.commit_all("all");
    assert_committed(repo);
}

/// Asserts that nothing remains to write or to commit.
#[track_caller]
fn assert_committed(repo: &Repo) {
    repo.sync(&["--check"]).expect(0).says(&["Up to date"]);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    for args in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(args).expect(0).says_nothing_of(&["mirror-"]);
    }
}

#[test]
fn mode_symlink_replaces_each_copy_with_a_link_recorded_in_the_lock() {
    let repo = Repo::with_skills(&["alpha", "cat/beta"]);
    repo.write("agent/canonry.yaml", LINKED);
    repo.sync(&[]).expect(0);
    assert_eq!(link_at(&repo, ".claude/skills/alpha").as_deref(), Some("../../agent/skills/alpha"));
    assert_eq!(link_at(&repo, ".claude/skills/beta").as_deref(), Some("../../agent/skills/cat/beta"));
    assert_eq!(repo.text(".claude/skills/alpha/SKILL.md"), document("alpha"));
    repo.assert_copied("alpha", ".codex/skills/alpha");
    let lock = repo.text("agent/mirrors.lock");
    assert!(lock.contains("120000 .claude/skills/alpha\n") && !lock.contains(".claude/skills/alpha/"), "{lock}");
    assert_in_step(&repo);
    // A change of the canon is visible through the link.
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    repo.sync(&[]).expect(0).says(&["1 file written"]);
    assert!(repo.text(".claude/skills/alpha/SKILL.md").ends_with("news\n"));
    // A moved skill gets a new link; the link of a removed skill is removed.
    repo.rename("agent/skills/alpha", "agent/skills/cat/alpha");
    repo.remove("agent/skills/cat/beta");
    repo.sync(&[]).expect(0);
    assert_eq!(link_at(&repo, ".claude/skills/alpha").as_deref(), Some("../../agent/skills/cat/alpha"));
    assert!(!repo.exists(".claude/skills/beta"));
    assert_in_step(&repo);
}

#[test]
fn the_mode_of_a_single_skill_can_differ() {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.write(
        "agent/canonry.yaml",
        "targets: [claude, codex]\nmirrors: {claude: {mode: symlink}}\nskills: {alpha: {mode: copy}, beta: {mode: symlink}}\n",
    );
    repo.sync(&[]).expect(0);
    repo.assert_copied("alpha", ".claude/skills/alpha");
    repo.assert_copied("alpha", ".codex/skills/alpha");
    for mirror in [".claude", ".codex"] {
        assert_eq!(link_at(&repo, &format!("{mirror}/skills/beta")).as_deref(), Some("../../agent/skills/beta"));
    }
}

#[test]
fn changing_the_mode_converts_owned_mirrors_in_both_directions() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.targets(&["claude", "codex"]);
    repo.sync(&[]).expect(0);
    repo.commit_all("two targets");
    repo.write("agent/canonry.yaml", LINKED);
    repo.check(&[]).expect(1).says(&["mirror-missing"]).says_nothing_of(&["mirror-orphan"]);
    repo.check(&["--rev", "HEAD"]).expect(0);
    repo.sync(&["--commit"]).expect(0);
    assert!(link_at(&repo, ".claude/skills/alpha").is_some() && link_at(&repo, ".claude/skills/beta").is_some());
    assert_eq!(repo.git(&["ls-files", "-s", ".claude"]).lines().filter(|l| l.starts_with("120000")).count(), 2);
    assert_eq!(repo.git(&["ls-files", ".claude"]).lines().count(), 2);
    assert_eq!(repo.git(&["fsck", "--strict", "--no-dangling"]), "");
    assert_committed(&repo);
    repo.targets(&["claude", "codex"]);
    repo.check(&[]).expect(1).says(&["mirror-missing"]).says_nothing_of(&["mirror-orphan"]);
    repo.sync(&["--commit"]).expect(0);
    for name in ["alpha", "beta"] {
        repo.assert_copied(name, &format!(".claude/skills/{name}"));
        assert!(repo.exists(&format!("agent/skills/{name}/scripts/run.sh")), "the canon is unchanged");
    }
    assert_eq!(repo.git(&["ls-files", ".claude"]).lines().count(), 4);
    assert_committed(&repo);
}

#[test]
fn a_commit_is_checked_against_its_own_config() {
    let repo = Repo::synced(&["alpha"]);
    repo.write("agent/canonry.yaml", LINKED);
    repo.git(&["add", "agent/canonry.yaml"]);
    // The copies equal the canon byte by byte, but the config asks for links.
    repo.check(&["--staged"]).expect(1).says(&["mirror-missing", ".claude/skills/alpha"]);
    repo.git(&["commit", "-qm", "links, not synced"]);
    repo.check(&["--rev", "HEAD"]).expect(1).says(&["mirror-missing", ".claude/skills/alpha"]);
}

#[test]
fn an_edited_copy_is_not_converted_until_the_user_decides() {
    for (decide, text) in [("--adopt", document("alpha") + "mine\n"), ("--force", document("alpha"))] {
        let repo = Repo::synced(&["alpha", "beta"]);
        repo.write(".claude/skills/alpha/SKILL.md", document("alpha") + "mine\n");
        repo.write("agent/canonry.yaml", LINKED);
        let edited = "alpha/SKILL.md: edited by hand since the last sync";
        repo.sync(&[]).expect(5).says(&[edited, ".claude/skills/alpha: the copy is not replaced by a link", "-mine"]);
        assert!(repo.exists(".claude/skills/alpha/scripts/run.sh"), "the skill is kept complete");
        assert!(link_at(&repo, ".claude/skills/beta").is_some());
        repo.check(&[]).expect(1).says(&["mirror-edited"]);
        let args = [decide, ".claude/skills/alpha/SKILL.md"];
        repo.sync(&args[..if decide == "--adopt" { 2 } else { 1 }]).expect(0);
        assert!(link_at(&repo, ".claude/skills/alpha").is_some(), "{decide}");
        assert_eq!(repo.text("agent/skills/alpha/SKILL.md"), text, "{decide}");
        assert_in_step(&repo);
    }
}

#[test]
fn a_user_file_prevents_the_conversion_of_a_copy_to_a_link() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(".claude/skills/alpha/notes.md", "mine\n");
    repo.write("agent/canonry.yaml", LINKED);
    for args in [&[][..], &["--force"]] {
        repo.sync(args).expect(5).says(&["the copy is not replaced by a link", ".claude/skills/alpha/notes.md"]);
        assert_eq!(repo.text(".claude/skills/alpha/notes.md"), "mine\n");
        assert!(repo.exists(".claude/skills/alpha/SKILL.md"));
    }
    repo.sync(&["--adopt", ".claude/skills/alpha/notes.md"]).expect(0);
    assert!(link_at(&repo, ".claude/skills/alpha").is_some());
    assert_eq!(repo.text("agent/skills/alpha/notes.md"), "mine\n");
}

#[test]
fn a_link_changed_by_the_user_is_not_replaced() {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.write("agent/canonry.yaml", LINKED);
    repo.sync(&[]).expect(0);
    repo.remove(".claude/skills/alpha");
    repo.link(".claude/skills/alpha", "../../agent/skills/beta");
    repo.sync(&[]).expect(5).says(&[".claude/skills/alpha: edited by hand"]);
    repo.check(&[]).expect(1).says(&["mirror-edited"]);
    repo.targets(&["claude", "codex"]);
    repo.sync(&[]).expect(5).says(&[".claude/skills/alpha: edited by hand since the last sync"]);
    assert_eq!(link_at(&repo, ".claude/skills/alpha").as_deref(), Some("../../agent/skills/beta"));
    repo.assert_copied("beta", ".claude/skills/beta");
    repo.sync(&["--force"]).expect(0).says(&["backed up"]);
    repo.assert_copied("alpha", ".claude/skills/alpha");
    assert_eq!(repo.text("agent/skills/beta/SKILL.md"), document("beta"), "nothing was written through the link");
}

#[test]
fn a_user_link_to_the_skill_counts_as_up_to_date() {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.write("agent/canonry.yaml", LINKED);
    repo.link(".claude/skills/alpha", "../../agent/skills/../skills/alpha/");
    repo.link(".claude/skills/beta", "../../agent/skills/alpha");
    repo.sync(&[]).expect(5).says(&["at the mirror path of agent/skills/beta"]).says_nothing_of(&["skills/alpha:"]);
    assert_eq!(link_at(&repo, ".claude/skills/alpha").as_deref(), Some("../../agent/skills/../skills/alpha/"));
    assert!(!repo.text("agent/mirrors.lock").contains(".claude/skills"), "sync owns neither");
}

#[test]
fn a_skill_with_skipped_files_is_copied() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/canonry.yaml", LINKED);
    repo.link("agent/skills/alpha/secret", repo.outside("elsewhere"));
    repo.sync(&[]).expect(1).says(&["outside the repository"]);
    assert!(link_at(&repo, ".claude/skills/alpha").is_none() && repo.exists(".claude/skills/alpha/SKILL.md"));
    assert!(!repo.exists(".claude/skills/alpha/secret"));
}

#[test]
fn links_are_copied_when_core_symlinks_is_off() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/canonry.yaml", LINKED);
    repo.git(&["config", "core.symlinks", "false"]);
    repo.sync(&[]).expect(1).says(&["agent/skills/alpha", "core.symlinks", "mode: copy"]);
    assert!(!repo.exists(".claude/skills/alpha"));
    repo.assert_copied("alpha", ".codex/skills/alpha");
    // git checked out a text file instead of the link: it stays.
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/canonry.yaml", LINKED);
    repo.sync(&["--commit"]).expect(0);
    repo.git(&["config", "core.symlinks", "false"]);
    repo.remove(".claude/skills/alpha");
    repo.git(&["checkout", "-q", "--", ".claude"]);
    assert_eq!(repo.text(".claude/skills/alpha"), "../../agent/skills/alpha");
    repo.sync(&[]).expect(1).says(&["core.symlinks"]);
    assert_eq!(repo.text(".claude/skills/alpha"), "../../agent/skills/alpha");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    repo.check(&["--rev", "HEAD"]).expect(0);
}

/// git checks out a link as a file with its text.
#[test]
fn the_text_of_an_edited_link_is_backed_up_when_core_symlinks_is_off() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.link("agent/skills/alpha/same.md", "SKILL.md");
    repo.sync(&["--commit"]).expect(0);
    repo.git(&["config", "core.symlinks", "false"]);
    let copy = ".claude/skills/alpha/same.md";
    repo.remove(copy);
    repo.write(copy, "mine\n");
    repo.remove("agent/skills/alpha/same.md");
    repo.git(&["rm", "-q", "--cached", "agent/skills/alpha/same.md"]);
    repo.write("agent/skills/alpha/same.md", "regular\n");
    repo.sync(&["--force"]).says(&[&format!("backed up {copy}")]);
    let kept = repo.tree_of(&[".git/canonry/kept"]);
    assert!(kept.values().any(|held| matches!(held, Held::File { bytes, .. } if bytes == b"mine\n")), "{kept:?}");
}

#[test]
fn links_are_claimed_again_after_a_lost_lock() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/canonry.yaml", LINKED);
    repo.sync(&[]).expect(0);
    let lock = repo.text("agent/mirrors.lock");
    repo.remove("agent/mirrors.lock");
    repo.sync(&["--adopt", "--all"]).expect(0);
    assert_eq!(repo.text("agent/mirrors.lock"), lock);
}
