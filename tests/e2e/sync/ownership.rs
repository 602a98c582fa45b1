//! Sync never changes files that it did not write, and keeps its own files up to date.

use crate::support::failpoints::holds;
use crate::support::repo::{MIRRORS, Repo, document};

/// Case: a mirrored file was edited by hand.
#[test]
fn a_hand_edit_is_refused_and_kept_and_everything_else_is_synced() {
    let repo = Repo::synced(&["alpha", "beta"]);
    let edited = ".claude/skills/alpha/SKILL.md";
    repo.write(edited, document("alpha") + "my edit\n");
    repo.write("agent/skills/beta/SKILL.md", document("beta") + "news\n");
    let ran = repo.sync(&[]).expect(5).says(&[edited, "edited by hand", "--adopt", "--force", "-my edit"]);
    assert!(ran.stderr.contains("--- a/.claude/skills/alpha/SKILL.md\n"), "{}", ran.stderr);
    assert_eq!(repo.text(edited), document("alpha") + "my edit\n");
    repo.assert_mirrored(&["beta"]);
    repo.assert_copied("alpha", ".codex/skills/alpha");
}

/// Case: a mirrored file was edited by hand.
#[test]
fn a_hand_edit_is_still_refused_when_the_canon_changes() {
    let repo = Repo::synced(&["alpha"]);
    let edited = ".claude/skills/alpha/SKILL.md";
    repo.write(edited, "mine\n");
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    for _ in 0..2 {
        repo.sync(&[]).expect(5).says(&[edited]);
        assert_eq!(repo.text(edited), "mine\n");
        repo.assert_copied("alpha", ".codex/skills/alpha");
    }
    repo.sync(&["--check"]).expect(1).says(&[edited]);
    repo.check(&[]).expect(1).says(&["mirror-edited", ".claude/skills/alpha"]);
}

#[test]
fn a_hand_edit_that_equals_the_new_canon_is_no_conflict() {
    let repo = Repo::synced(&["alpha"]);
    for path in ["agent/skills/alpha/SKILL.md", ".claude/skills/alpha/SKILL.md"] {
        repo.write(path, document("alpha") + "news\n");
    }
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
    repo.sync(&["--check"]).expect(0);
}

/// Case: a user skill is in the mirror.
#[test]
fn a_user_skill_is_always_preserved() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write(".claude/skills/mine/SKILL.md", b"\xEF\xBB\xBFno frontmatter\r\n\xff");
    repo.write(".claude/skills/mine/tool", "x");
    repo.chmod(".claude/skills/mine/tool", 0o755);
    repo.write(".claude/skills/alpha/notes.md", "beside what is mirrored\n");
    repo.link(".claude/skills/linked", "../../elsewhere");
    let mine = [".claude/skills/mine", ".claude/skills/alpha/notes.md", ".claude/skills/linked"];
    let before = repo.tree_of(&mine);
    let kept = |what: &str| assert_eq!(repo.tree_of(&mine), before, "{what}");

    repo.sync(&[]).expect(0).says(&[".claude/skills/mine", "not ours"]);
    kept("a plain run");
    repo.sync(&["--force"]).expect(0);
    kept("--force");
    repo.remove("agent/skills/alpha");
    repo.sync(&[]).expect(0);
    kept("the skill beside it removed");
    repo.targets(&["codex"]);
    repo.sync(&["--force"]).expect(0);
    kept("the target removed");
    assert!(!repo.exists(".claude/skills/beta") && !repo.exists(".gemini/skills"));
    repo.remove("agent/skills/beta");
    repo.sync(&["--force"]).expect(0);
    kept("the canon empty");
    repo.remove("agent/mirrors.lock");
    repo.sync(&["--adopt", "--all"]).expect(0);
    kept("the lock lost");
}

/// Case: the user's skill has the name of a canonical one.
#[test]
fn a_user_skill_with_the_name_of_a_canon_skill_is_refused() {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.write(".claude/skills/alpha/SKILL.md", "mine\n");
    repo.sync(&[]).expect(5).says(&[
        ".claude/skills/alpha/SKILL.md",
        "agent/skills/alpha/SKILL.md",
        ".claude/skills/alpha/scripts/run.sh",
    ]);
    assert_eq!(repo.text(".claude/skills/alpha/SKILL.md"), "mine\n");
    assert!(!repo.exists(".claude/skills/alpha/scripts"), "nothing is written for that skill");
    repo.assert_mirrored(&["beta"]);
    repo.assert_copied("alpha", ".gemini/skills/alpha");
    let lock = repo.text("agent/mirrors.lock");
    assert!(!lock.contains(".claude/skills/alpha"), "{lock}");
    repo.check(&[]).expect(1).says(&["mirror-occupied"]);
}

/// Case: a pre-existing file is byte-identical.
#[test]
fn an_identical_existing_file_is_claimed() {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    for path in ["SKILL.md", "scripts/run.sh"] {
        repo.write(&format!(".claude/skills/alpha/{path}"), repo.read(&format!("agent/skills/alpha/{path}")));
    }
    repo.chmod(".claude/skills/alpha/scripts/run.sh", 0o755);
    repo.sync(&[]).expect(0);
    assert!(repo.text("agent/mirrors.lock").contains(".claude/skills/alpha"));
    repo.sync(&["--check"]).expect(0);
    repo.append("agent/skills/alpha/SKILL.md", "news\n");
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha", "beta"]);
    repo.remove("agent/skills/alpha");
    repo.sync(&[]).expect(0).says(&[".claude/skills/alpha"]);
    assert!(!repo.exists(".claude/skills/alpha") && !repo.exists(".codex/skills/alpha"));
}

/// Case: a pre-existing file is byte-identical.
#[test]
fn an_identical_file_is_claimed_where_its_folder_was_completed() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(".claude/skills/alpha/SKILL.md", document("alpha"));
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
    repo.remove("agent/skills/alpha");
    repo.sync(&[]).expect(0);
    assert!(!repo.exists(".claude/skills/alpha") && !repo.exists(".codex/skills"));
}

/// Case: a canonical skill is deleted or renamed.
#[test]
fn a_deleted_skill_is_removed_from_mirrors_except_user_files() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write(".claude/skills/alpha/SKILL.md", "edited\n");
    repo.write(".claude/skills/alpha/notes.md", "mine\n");
    repo.remove("agent/skills/alpha");
    repo.sync(&["--check"]).expect(1).says(&["alpha"]);
    let ran = repo.sync(&["--format", "json"]).expect(5);
    assert!(ran.stdout.contains("\".claude/skills/alpha/SKILL.md\""), "{}", ran.stdout);
    assert!(ran.stdout.contains("\".claude/skills/alpha/notes.md\""), "{}", ran.stdout);
    assert_eq!(repo.text(".claude/skills/alpha/SKILL.md"), "edited\n");
    assert_eq!(repo.text(".claude/skills/alpha/notes.md"), "mine\n");
    assert!(!repo.exists(".claude/skills/alpha/scripts"), "owned and unedited");
    assert!(MIRRORS[1..].iter().all(|mirror| !repo.exists(&format!("{mirror}/alpha"))));
    repo.assert_mirrored(&["beta"]);
    repo.sync(&[]).expect(5).says(&[".claude/skills/alpha/SKILL.md"]);
}

/// Case: a canonical skill is deleted or renamed.
#[test]
fn a_renamed_skill_moves_in_the_mirrors() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.rename("agent/skills/alpha", "agent/skills/cat/gamma");
    repo.write("agent/skills/cat/gamma/SKILL.md", document("gamma"));
    repo.sync(&["--check"]).expect(1);
    repo.sync(&[]).expect(0);
    for mirror in MIRRORS {
        repo.assert_copied("cat/gamma", &format!("{mirror}/gamma"));
        assert!(!repo.exists(&format!("{mirror}/alpha")) && !repo.exists(&format!("{mirror}/cat")));
    }
    repo.sync(&["--check"]).expect(0);
}

/// Case: one file of a kept skill is deleted in the canon.
#[test]
fn a_deleted_file_of_a_kept_skill_is_removed() {
    let repo = Repo::synced(&["alpha"]);
    repo.remove("agent/skills/alpha/scripts");
    repo.sync(&["--check"]).expect(1).says(&[".claude/skills/alpha"]);
    repo.check(&[]).expect(1).says(&["mirror-orphan"]);
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
    repo.sync(&["--check"]).expect(0);
    repo.check(&[]).expect(0);
}

#[test]
fn a_deleted_mirror_is_written_again() {
    let repo = Repo::synced(&["alpha"]);
    repo.remove(".claude");
    repo.remove(".codex/skills/alpha/scripts/run.sh");
    repo.sync(&["--check"]).expect(1);
    repo.check(&[]).expect(1).says(&["mirror-missing"]);
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
}

#[test]
fn a_file_becomes_a_folder_and_a_folder_a_file() {
    let repo = Repo::synced(&["alpha"]);
    repo.remove("agent/skills/alpha/scripts");
    repo.write("agent/skills/alpha/scripts", "now a file\n");
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
    repo.remove("agent/skills/alpha/scripts");
    repo.write("agent/skills/alpha/scripts/again.sh", "now a folder\n");
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
}

/// The content of each removed file is in HEAD, in the index, or in a backup.
#[test]
fn the_only_copy_of_a_removed_file_is_kept() {
    let repo = Repo::empty();
    repo.targets(&["claude", "codex"]);
    repo.skill("alpha");
    // A person's own file that equals the canon.
    repo.write(".claude/skills/alpha/SKILL.md", document("alpha"));
    repo.sync(&[]).expect(0);
    repo.remove("agent/skills/alpha");
    repo.sync(&[]).expect(0).says(&["kept      2 removed files that git does not have, in "]);
    assert!(!repo.exists(".claude/skills/alpha"));
    for text in [document("alpha"), "#!/bin/sh\necho alpha\n".to_owned()] {
        assert!(holds(&repo, &text), "{text}");
    }
    // What git has is not kept twice.
    let repo = Repo::synced(&["alpha"]);
    repo.remove("agent/skills/alpha");
    repo.sync(&[]).expect(0).says_nothing_of(&["kept", "backed up"]);
    assert!(!repo.exists(".git/canonry/kept"));
}

#[test]
fn without_a_lock_everybody_leaves_a_skill_that_is_gone() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.remove("agent/mirrors.lock");
    repo.remove("agent/skills/alpha");
    let mirrors = repo.tree_of(&MIRRORS);
    assert!(repo.exists(".claude/skills/alpha/SKILL.md"));
    for _ in 0..2 {
        repo.sync(&[]).expect(0).says(&["not ours  .claude/skills/alpha"]).says_nothing_of(&["removed   "]);
        repo.sync(&["--check"]).expect(0);
        assert_eq!(repo.tree_of(&MIRRORS), mirrors);
    }
}

#[test]
fn a_pipe_in_a_mirror_is_said_to_be_one() {
    for (at, blocked) in [(".claude/skills/beta/SKILL.md", 2), (".claude/skills/alpha", 2)] {
        let repo = Repo::with_skills(&["alpha", "beta"]);
        repo.targets(&["claude"]);
        std::fs::create_dir_all(repo.path(at).parent().unwrap()).unwrap();
        assert!(repo.command("mkfifo").arg(at).status().unwrap().success());
        let says = format!("{at} is a pipe, a socket or a device");
        for args in [&[][..], &["--force"]] {
            let ran = repo.sync(args).expect(5).says(&[&says]).says_nothing_of(&["changed during"]);
            assert!(ran.all().matches("refused   ").count() <= blocked, "{}", ran.all());
        }
        repo.sync(&["--check"]).expect(1).says(&[&says]);
        repo.check(&[]).expect(1).says(&["mirror-occupied", "pipe, socket or device"]);
    }
}

/// git stores a mirror with other line endings than the canon.
#[test]
fn line_ending_attributes_of_a_mirror_are_no_edit_in_any_view() {
    let repo = Repo::empty();
    repo.targets(&["claude"]);
    repo.write(".gitattributes", ".claude/** text=auto eol=lf\n");
    repo.write("agent/skills/alpha/SKILL.md", document("alpha").replace('\n', "\r\n"));
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    assert_ne!(
        repo.git(&["rev-parse", "HEAD:.claude/skills/alpha/SKILL.md"]),
        repo.git(&["rev-parse", "HEAD:agent/skills/alpha/SKILL.md"])
    );
    repo.sync(&[]).expect(0).says(&["Up to date"]);
    for view in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(view).says_nothing_of(&["mirror-"]);
    }
    repo.sync(&["--check", "--staged"]).expect(0);
}
