//! Mirrors that git ignores, and mirrors marked as generated.

use crate::support::failpoints::{assert_whole, copy, failpoints, for_each_failpoint, kill};
use crate::support::repo::{Repo, document};
use crate::support::same::assert_same;

const IGNORED: &str = "targets: [claude, cursor]\nfiles:\n  git: {ignore: true}\n";
const LOCK: &str = "agent/mirrors.lock";
const OWN_LOCK: &str = "agent/mirrors.local.lock";

fn clone_of(repo: &Repo) -> Repo {
    let clone = Repo::empty();
    clone.git(&["pull", "-q", &repo.path("").display().to_string(), "main"]);
    clone
}

#[test]
fn ignored_mirrors_are_created_in_each_checkout_and_never_committed() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/canonry.yaml", IGNORED);
    repo.write(".gitignore", "/target\n");
    repo.commit_all("without mirrors");
    repo.sync(&["--commit"]).expect(0);
    repo.assert_copied("alpha", ".claude/skills/alpha");
    let block = "/target\n\n# >>> canonry >>>\n/.claude/skills/*\n/.cursor/skills/*\n/agent/mirrors.local.lock\n# <<< canonry <<<\n";
    assert_eq!(repo.text(".gitignore"), block);
    let committed = repo.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(!committed.contains("/skills/alpha") || committed.contains("agent/skills/alpha"), "{committed}");
    for path in [".claude", ".cursor", OWN_LOCK] {
        assert!(!committed.lines().any(|line| line.starts_with(path)), "{committed}");
    }
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert!(!repo.text(LOCK).contains("skills/alpha") && repo.text(OWN_LOCK).contains(".claude/skills/alpha/SKILL.md"));
    for args in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(args).expect(0).says_nothing_of(&["mirror-"]);
    }
    repo.sync(&["--check"]).expect(0).says(&["Up to date"]);
    // A clone starts without mirrors, which is no drift.
    let clone = clone_of(&repo);
    clone.check(&[]).expect(0).says(&["mirror-never-synced"]).says_nothing_of(&["mirror-missing"]);
    clone.sync(&["--check"]).expect(0).says(&["Not synced"]);
    clone.sync(&[]).expect(0);
    clone.assert_copied("alpha", ".claude/skills/alpha");
    assert_eq!(clone.git(&["status", "--porcelain"]), "");
}

#[test]
fn pulled_changes_are_mirrored_and_hand_edits_are_still_detected() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/canonry.yaml", format!("{IGNORED}  claude: {{context: import}}\n"));
    repo.write("agent/AGENTS.md", "# Map\n");
    repo.sync(&["--commit"]).expect(0);
    let clone = clone_of(&repo);
    clone.sync(&[]).expect(0);
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "More.\n");
    repo.write("agent/canonry.yaml", format!("{IGNORED}  claude: {{context: copy}}\n"));
    repo.sync(&["--commit"]).expect(0);
    clone.git(&["pull", "-q", &repo.path("").display().to_string(), "main"]);
    // The managed part of a committed file came with the pull.
    clone
        .sync(&["--check"])
        .expect(1)
        .says(&["to write  .claude/skills/alpha"])
        .says_nothing_of(&["refused  ", "CLAUDE"]);
    clone.sync(&[]).expect(0);
    clone.assert_copied("alpha", ".claude/skills/alpha");
    clone.write(".claude/skills/alpha/SKILL.md", document("alpha") + "By hand.\n");
    clone.check(&[]).expect(1).says(&["mirror-edited"]);
    clone.sync(&[]).expect(5).says(&["edited by hand"]);
    clone.sync(&["--adopt", ".claude/skills/alpha"]).expect(0);
    assert!(clone.text("agent/skills/alpha/SKILL.md").contains("By hand."));
    assert_eq!(clone.git(&["status", "--porcelain"]), " M agent/skills/alpha/SKILL.md");
}

#[test]
fn committed_mirrors_leave_the_index_and_stay_on_disk_when_ignored() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(".claude/skills/mine/SKILL.md", document("mine"));
    repo.commit_all("mine");
    repo.write("agent/canonry.yaml", "files: {git: {ignore: true}}\n");
    repo.sync(&[]).expect(0).says(&["Git still tracks 10 mirrored files", "canonry sync --staged"]);
    repo.git(&["add", ".gitignore", "agent"]);
    repo.sync(&["--staged"])
        .expect(0)
        .says(&["untracked .claude/skills/alpha (2 files)", "10 untracked"])
        .says_nothing_of(&["removed"]);
    repo.git(&["commit", "-qm", "ignored"]);
    let committed = repo.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(
        !committed.lines().any(|path| path.starts_with('.') && path.ends_with("skills/alpha/SKILL.md")),
        "{committed}"
    );
    assert!(committed.contains(".claude/skills/mine/SKILL.md"), "the user's file stays: {committed}");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    repo.assert_mirrored(&["alpha"]);
    for args in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(args).expect(0).says_nothing_of(&["mirror-missing", "mirror-orphan", "mirror-stale"]);
    }
    repo.sync(&["--check"]).expect(0).says_nothing_of(&["tracks"]);
    // And back: a single lock again, and no block in .gitignore.
    repo.remove("agent/canonry.yaml");
    repo.sync(&["--commit"]).expect(0);
    assert!(!repo.exists(OWN_LOCK) && !repo.exists(".gitignore"));
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    repo.check(&["--rev", "HEAD"]).expect(0);
    let committed = repo.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(committed.contains(".codex/skills/alpha/SKILL.md"), "{committed}");
}

#[test]
fn sync_staged_stages_the_gitignore_block_and_no_mirror() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/canonry.yaml", IGNORED);
    repo.git(&["add", "agent"]);
    repo.sync(&["--staged"]).expect(0);
    let staged = repo.git(&["diff", "--cached", "--name-only"]);
    assert!(staged.contains(".gitignore") && staged.contains(LOCK), "{staged}");
    assert!(!staged.contains(OWN_LOCK) && !staged.lines().any(|path| path.starts_with(".c")), "{staged}");
    repo.check(&["--staged"]).expect(0).says_nothing_of(&["mirror-"]);
}

#[test]
fn generated_files_are_marked_in_gitattributes_and_user_lines_stay() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/canonry.yaml", "targets: [claude]\nfiles: {git: {attributes: true}}\n");
    repo.write(".gitattributes", "*.png binary\r\n");
    repo.sync(&[]).expect(0);
    let marked = |path: &str| repo.git(&["check-attr", "linguist-generated", "--", path]);
    for path in [".claude/skills/alpha/SKILL.md", LOCK] {
        assert_eq!(marked(path), format!("{path}: linguist-generated: set"));
    }
    assert!(marked("agent/skills/alpha/SKILL.md").contains("unspecified"));
    repo.write("agent/canonry.yaml", "targets: [claude]\n");
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text(".gitattributes"), "*.png binary\r\n");
}

#[test]
fn sync_with_ignored_mirrors_survives_a_kill_at_any_write() {
    let template = Repo::with_skills(&["alpha"]);
    template.write("agent/canonry.yaml", "targets: [claude]\n");
    template.sync(&["--commit"]).expect(0);
    template.write("agent/canonry.yaml", "targets: [claude]\nfiles: {git: {ignore: true}}\n");
    template.write("agent/skills/alpha/SKILL.md", document("alpha") + "More.\n");
    let uninterrupted = copy(&template);
    let failpoints = failpoints(&uninterrupted, &["sync"]);
    for_each_failpoint(&failpoints, |failpoint| {
        let repo = copy(&template);
        kill(&repo, &["sync"], failpoint);
        assert_whole(&template.tree(), &repo.tree(), &uninterrupted.tree(), failpoint);
        repo.sync(&[]).expect(0);
        assert_same(&repo.tree(), &uninterrupted.tree(), &format!("after a kill at {failpoint:?}"));
    });
}
