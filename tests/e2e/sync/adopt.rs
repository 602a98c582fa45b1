//! `sync --adopt` and `sync --force`: user edits move into the canon, or are backed up and replaced.

use crate::support::repo::{MIRRORS, Repo, document};

/// Case: a mirrored file was edited by hand.
#[test]
fn an_edited_file_is_adopted_into_the_canon_and_mirrored_to_every_target() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write(".claude/skills/alpha/SKILL.md", document("alpha") + "my edit\n");
    repo.sync(&["--adopt", ".claude/skills/alpha/SKILL.md"]).expect(0).says(&["agent/skills/alpha/SKILL.md"]);
    assert_eq!(repo.text("agent/skills/alpha/SKILL.md"), document("alpha") + "my edit\n");
    repo.assert_mirrored(&["alpha", "beta"]);
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn a_link_to_the_same_skill_in_another_mirror_is_not_adopted() {
    let repo = Repo::synced(&["alpha"]);
    repo.link(".claude/skills/mine", "../../.codex/skills/mine");
    let refused = |repo: &Repo| {
        repo.sync(&["--adopt", ".claude/skills/mine"]).expect(5).says(&["it is a link to .codex/skills/mine"]);
        assert!(!repo.exists("agent/skills/mine"));
    };
    refused(&repo);
    repo.write(".codex/skills/mine/SKILL.md", document("mine"));
    refused(&repo);
    repo.remove(".claude/skills/mine");
    repo.sync(&["--adopt", ".codex/skills/mine"]).expect(0);
    repo.assert_mirrored(&["alpha", "mine"]);
}

#[test]
fn an_edited_mode_is_adopted_into_the_canon() {
    let repo = Repo::synced(&["alpha"]);
    repo.chmod(".claude/skills/alpha/SKILL.md", 0o755);
    repo.sync(&["--adopt", ".claude/skills/alpha"]).expect(0);
    assert_eq!(repo.mode("agent/skills/alpha/SKILL.md"), 0o755);
    repo.assert_mirrored(&["alpha"]);
}

#[test]
fn a_skill_that_exists_only_in_a_mirror_is_adopted_into_the_canon() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(".codex/skills/mine/SKILL.md", document("mine"));
    repo.write(".codex/skills/mine/bin/tool", [0u8, 255]);
    repo.chmod(".codex/skills/mine/bin/tool", 0o755);
    repo.link(".codex/skills/mine/tool", "bin/tool");
    let folder = repo.path(".codex/skills/mine/");
    repo.sync(&["--adopt", folder.to_str().unwrap()]).expect(0);
    repo.assert_mirrored(&["alpha", "mine"]);
    repo.remove("agent/skills/mine");
    repo.sync(&[]).expect(0);
    assert!(MIRRORS.iter().all(|mirror| !repo.exists(&format!("{mirror}/mine"))), "sync owns the adopted file");
}

#[test]
fn a_file_of_a_nested_skill_is_adopted_into_that_skill() {
    let repo = Repo::synced(&["cat/deep", "alpha"]);
    repo.write(".gemini/skills/deep/SKILL.md", document("deep") + "my edit\n");
    repo.write(".gemini/skills/deep/references/new.md", "new\n");
    let folder = repo.path(".gemini/skills");
    let ran = repo.canonry_in(&folder, &["sync", "--adopt", "deep/SKILL.md", "--adopt", "deep/references/new.md"]);
    ran.expect(0);
    assert_eq!(repo.text("agent/skills/cat/deep/SKILL.md"), document("deep") + "my edit\n");
    assert_eq!(repo.text("agent/skills/cat/deep/references/new.md"), "new\n");
    for mirror in MIRRORS {
        repo.assert_copied("cat/deep", &format!("{mirror}/deep"));
    }
    assert!(!repo.exists("agent/skills/deep"));
}

#[test]
fn an_adopted_link_of_a_nested_skill_resolves_to_the_same_file_from_every_mirror() {
    let repo = Repo::synced(&["cat/deep", "alpha"]);
    repo.write("shared/note.md", "note\n");
    repo.link(".gemini/skills/deep/note.md", "../../../shared/note.md");
    repo.link(".gemini/skills/deep/run", "scripts/run.sh");
    repo.sync(&["--adopt", ".gemini/skills/deep"]).expect(0);
    assert_eq!(
        repo.path("agent/skills/cat/deep/note.md").read_link().unwrap().to_str(),
        Some("../../../../shared/note.md")
    );
    assert_eq!(repo.path("agent/skills/cat/deep/run").read_link().unwrap().to_str(), Some("scripts/run.sh"));
    for mirror in MIRRORS {
        assert_eq!(repo.text(&format!("{mirror}/deep/note.md")), "note\n");
    }
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn adoption_is_refused_without_changes_when_canon_and_mirror_both_changed() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write(".claude/skills/alpha/SKILL.md", "mine\n");
    repo.write(".claude/skills/beta/SKILL.md", document("beta") + "fine\n");
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    let before = repo.tree();
    repo.sync(&["--adopt", ".claude/skills/alpha", "--adopt", ".claude/skills/beta"]).expect(5).says(&[
        ".claude/skills/alpha/SKILL.md",
        "agent/skills/alpha/SKILL.md",
        "--ours",
    ]);
    assert_eq!(repo.tree(), before, "all or nothing");
}

#[test]
fn adoption_refuses_different_edits_of_the_same_file() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(".claude/skills/alpha/SKILL.md", document("alpha") + "one\n");
    repo.write(".codex/skills/alpha/SKILL.md", document("alpha") + "two\n");
    let before = repo.tree();
    let both = ["--adopt", ".claude/skills/alpha", "--adopt", ".codex/skills/alpha"];
    repo.sync(&both).expect(5).says(&[".claude/skills/alpha/SKILL.md", ".codex/skills/alpha/SKILL.md"]);
    assert_eq!(repo.tree(), before);
    repo.sync(&["--adopt", ".claude/skills/alpha"]).expect(5).says(&[".codex/skills/alpha/SKILL.md"]);
    assert_eq!(repo.text("agent/skills/alpha/SKILL.md"), document("alpha") + "one\n");
    assert_eq!(repo.text(".codex/skills/alpha/SKILL.md"), document("alpha") + "two\n");
    repo.assert_copied("alpha", ".gemini/skills/alpha");
}

#[test]
fn adopt_all_after_a_lost_lock_claims_files_that_equal_the_canon() {
    let repo = Repo::synced(&["alpha", "beta"]);
    let lock = repo.text("agent/mirrors.lock");
    repo.write(".claude/skills/mine/SKILL.md", "mine\n");
    repo.remove("agent/mirrors.lock");
    repo.check(&[]).expect(1).says(&["mirror-lock"]);
    repo.sync(&["--check"]).expect(1).says(&["agent/mirrors.lock"]);
    repo.sync(&["--adopt", "--all"]).expect(0).says(&["20 files"]);
    assert_eq!(repo.text("agent/mirrors.lock"), lock);
    assert!(!repo.exists("agent/skills/mine"));
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn adopt_all_does_not_claim_files_that_differ() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(".claude/skills/alpha/SKILL.md", "mine\n");
    repo.remove("agent/mirrors.lock");
    repo.sync(&["--adopt", "--all"]).expect(5).says(&[".claude/skills/alpha/SKILL.md"]);
    assert_eq!(repo.text(".claude/skills/alpha/SKILL.md"), "mine\n");
    assert!(!repo.text("agent/mirrors.lock").contains(".claude/skills/alpha/SKILL.md"));
}

#[test]
fn adoption_reports_paths_that_cannot_be_adopted() {
    let repo = Repo::synced(&["alpha"]);
    let before = repo.tree();
    for (path, status) in [("agent/skills/alpha", 5), (".claude/skills/none", 5), ("README.md", 5), ("/", 65)] {
        repo.sync(&["--adopt", path]).expect(status);
    }
    repo.sync(&["--adopt"]).expect(64).says(&["--adopt", "--all"]);
    repo.sync(&["--adopt", ".claude", "--check"]).expect(64);
    assert_eq!(repo.tree(), before);
}

#[test]
fn adopting_from_a_folder_that_is_not_a_target_names_the_missing_target() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(".agents/skills/mine/SKILL.md", document("mine"));
    let before = repo.tree();
    for path in [".agents/skills/mine", ".agents/skills", ".agents"] {
        repo.sync(&["--adopt", path]).expect(5).says(&[
            "`agents` is not among the targets",
            "targets: [claude, gemini, cursor, codex, antigravity, agents]",
        ]);
    }
    assert_eq!(repo.tree(), before);
    repo.targets(&["claude", "agents"]);
    repo.sync(&["--adopt", ".agents/skills/mine"]).expect(0);
    repo.assert_copied("mine", ".claude/skills/mine");
}

#[test]
fn a_file_name_with_a_newline_is_not_adopted() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(".claude/skills/mine/SKILL.md", document("mine"));
    repo.write(".claude/skills/mine/a\nb", "x");
    let before = repo.tree();
    repo.sync(&["--adopt", ".claude/skills/mine"]).expect(5).says(&["a\\nb", "control characters"]);
    assert_eq!(repo.tree(), before);
    repo.sync(&[]).expect(0);
}

#[test]
fn a_link_that_leaves_the_repository_is_not_adopted() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(".claude/skills/mine/SKILL.md", document("mine"));
    repo.link(".claude/skills/mine/secret", repo.outside("elsewhere"));
    let before = repo.tree();
    repo.sync(&["--adopt", ".claude/skills/mine"]).expect(5).says(&["mine/secret", "outside the repository"]);
    assert_eq!(repo.tree(), before);
}

#[test]
fn a_failed_adoption_does_not_claim_the_path() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.link(".claude/skills/alpha", "../../elsewhere");
    repo.sync(&["--adopt", ".claude/skills/alpha"]).expect(5).says(&["agent/skills/alpha"]);
    repo.sync(&[]).expect(5);
    repo.remove("agent/skills/alpha");
    repo.sync(&[]).expect(0);
    assert!(repo.exists(".claude/skills/alpha"), "sync must not own it");
}

/// Case: a mirrored file was edited by hand.
#[test]
fn force_backs_up_the_exact_bytes() {
    let repo = Repo::synced(&["alpha", "beta"]);
    let mine = b"\xEF\xBB\xBFmine\r\n\xff\0no end";
    repo.write(".claude/skills/alpha/SKILL.md", mine);
    repo.write(".codex/skills/beta/SKILL.md", "an orphan, edited\n");
    repo.remove("agent/skills/beta");
    repo.remove(".gemini/skills/alpha/SKILL.md");
    repo.link(".gemini/skills/alpha/SKILL.md", "scripts/run.sh");
    let ran = repo.sync(&["--force"]).expect(0);
    repo.assert_mirrored(&["alpha"]);
    assert!(!repo.exists(".codex/skills/beta"));
    let copies: Vec<Vec<u8>> = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with("backed up "))
        .map(|line| std::fs::read(line.rsplit_once(" to ").unwrap().1).unwrap())
        .collect();
    assert_eq!(copies.len(), 3, "{}", ran.stdout);
    for kept in [&mine[..], b"an orphan, edited\n", b"scripts/run.sh"] {
        assert!(copies.iter().any(|copy| copy == kept), "{}", ran.stdout);
    }
}

#[test]
fn force_replaces_a_user_skill_with_the_same_name_and_backs_it_up() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(".claude/skills/alpha/SKILL.md", "mine\n");
    repo.write(".claude/skills/alpha/extra.md", "extra\n");
    let ran = repo.sync(&["--force"]).expect(0).says(&["backed up .claude/skills/alpha/SKILL.md"]);
    assert_eq!(repo.text(".claude/skills/alpha/SKILL.md"), document("alpha"));
    assert_eq!(repo.text(".claude/skills/alpha/extra.md"), "extra\n");
    let copy = ran.stdout.lines().find(|line| line.starts_with("backed up ")).unwrap().rsplit_once(" to ").unwrap().1;
    assert_eq!(std::fs::read(copy).unwrap(), b"mine\n");
}

#[test]
fn force_backs_up_a_file_with_a_very_long_path() {
    let repo = Repo::with_skills(&["alpha"]);
    let deep = format!("{}/{}/{}/x.md", "a".repeat(120), "b".repeat(120), "c".repeat(120));
    repo.write(&format!("agent/skills/alpha/{deep}"), "x\n");
    repo.sync(&[]).expect(0);
    repo.write(&format!(".claude/skills/alpha/{deep}"), "mine\n");
    repo.sync(&["--force"]).expect(0);
    repo.assert_mirrored(&["alpha"]);
}

/// Returns the backup paths in the output of a run, by the original path.
fn copies(ran: &crate::support::repo::Ran) -> Vec<(String, std::path::PathBuf)> {
    let lines = ran.stdout.lines().filter_map(|line| line.strip_prefix("backed up "));
    lines.map(|line| line.split_once(" to ").unwrap()).map(|(path, copy)| (path.into(), copy.into())).collect()
}

#[test]
fn the_printed_commands_restore_files_replaced_by_force() {
    let repo = Repo::synced(&["alpha"]);
    let edited = ".claude/skills/alpha/scripts/run.sh";
    repo.write(edited, "#!/bin/sh\necho mine\n");
    let ran = repo.sync(&["--force"]).expect(0).says(&["copy it back and run `canonry sync --adopt PATH`"]);
    repo.assert_mirrored(&["alpha"]);
    let copies = copies(&ran);
    assert_eq!(copies.len(), 1, "{copies:?}");
    assert!(
        repo.command("cp").args(["-p".as_ref(), copies[0].1.as_os_str(), edited.as_ref()]).status().unwrap().success()
    );
    repo.sync(&["--adopt", edited]).expect(0);
    assert_eq!(repo.text("agent/skills/alpha/scripts/run.sh"), "#!/bin/sh\necho mine\n");
    assert_eq!(repo.mode("agent/skills/alpha/scripts/run.sh"), 0o755);
    repo.assert_mirrored(&["alpha"]);
}

#[test]
fn backups_of_linked_work_trees_are_kept_after_the_work_tree_is_removed() {
    let repo = Repo::synced(&["alpha"]);
    repo.git(&["worktree", "add", "-q", "../linked", "-b", "linked"]);
    let linked = repo.root.parent().unwrap().join("linked");
    let edited = ".claude/skills/alpha/SKILL.md";
    let mut kept = Vec::new();
    for text in ["mine\n", "mine\r\n", "mine too\n", "mine\n"] {
        std::fs::write(linked.join(edited), text).unwrap();
        let ran = repo.canonry_in(&linked, &["sync", "--force"]).expect(0);
        kept.extend(copies(&ran).into_iter().map(|(_, copy)| (text, copy)));
    }
    repo.git(&["worktree", "remove", "--force", linked.to_str().unwrap()]);
    assert_eq!(kept.len(), 4);
    for (text, copy) in kept {
        assert_eq!(std::fs::read_to_string(&copy).unwrap(), text, "{}", copy.display());
    }
}
