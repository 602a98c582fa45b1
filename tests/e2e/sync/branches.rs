//! Merges of branches, and the state that git leaves in lock, canon and mirrors.

use crate::support::repo::{MIRRORS, Repo, document};

const EDITED: &str = ".claude/skills/alpha/SKILL.md";
const CANON: &str = "agent/skills/alpha/SKILL.md";

/// Two branches each change skills, sync and commit; then `other` is merged into `main`, as far as git can.
fn merged(base: &[&str], main: impl Fn(&Repo), other: impl Fn(&Repo)) -> Repo {
    let repo = Repo::synced(base);
    repo.git(&["checkout", "-qb", "other"]);
    other(&repo);
    repo.sync(&[]).expect(0);
    repo.commit_all("other");
    repo.git(&["checkout", "-q", "main"]);
    main(&repo);
    repo.sync(&[]).expect(0);
    repo.commit_all("main");
    let tried = repo.try_git(&["merge", "-q", "other"]);
    assert!(!tried.status.success(), "git merges it without a conflict");
    repo
}

fn finish(repo: &Repo, names: &[&str]) {
    repo.assert_mirrored(names);
    repo.sync(&["--check"]).expect(0);
    repo.commit_all("merged");
    repo.check(&["--rev", "HEAD"]).expect(0).says_nothing_of(&["mirror-"]);
    repo.sync(&[]).expect(0).says(&["Up to date"]);
}

#[test]
fn sync_resolves_a_conflict_in_the_lock() {
    // The two entries are neighbours in the lock, so that git reports a conflict there and nowhere else.
    let repo = merged(&["beta"], |repo| repo.skill("alpha"), |repo| repo.skill("ant"));
    let lock = repo.text("agent/mirrors.lock");
    assert!(lock.contains("<<<<<<<") && lock.contains(">>>>>>>"), "{lock}");
    repo.check(&[]).expect(1).says(&["run `canonry sync`"]);
    repo.sync(&["--check"]).expect(1).says(&["to write  agent/mirrors.lock"]);
    assert_eq!(repo.text("agent/mirrors.lock"), lock);
    repo.sync(&[]).expect(0).says(&["wrote     agent/mirrors.lock", "`git add agent/mirrors.lock`"]);
    let resolved = repo.text("agent/mirrors.lock");
    assert!(["alpha", "ant", "beta"].iter().all(|name| resolved.contains(&format!(".claude/skills/{name}/SKILL.md"))));
    let (parts, files): (Vec<&str>, Vec<&str>) = resolved.lines().partition(|line| line.contains("skills.json#"));
    // The lock also has an entry for the Antigravity pointer, exactly once.
    assert_eq!((files.len(), parts.len()), (30, 3), "{resolved}");
    finish(&repo, &["alpha", "ant", "beta"]);
    // Sync owns the entries of both sides: they are removed with their skill.
    repo.remove("agent/skills/alpha");
    repo.remove("agent/skills/ant");
    repo.sync(&[]).expect(0);
    assert!(MIRRORS.iter().all(|mirror| !repo.exists(&format!("{mirror}/alpha"))));
    assert!(MIRRORS.iter().all(|mirror| !repo.exists(&format!("{mirror}/ant"))));
}

#[test]
fn sync_resolves_a_diff3_style_conflict_in_the_lock() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.git(&["config", "merge.conflictStyle", "diff3"]);
    repo.git(&["checkout", "-qb", "other"]);
    repo.write("agent/skills/alpha/scripts/run.sh", "#!/bin/sh\necho other\n");
    repo.sync(&[]).expect(0);
    repo.commit_all("other");
    repo.git(&["checkout", "-q", "main"]);
    repo.write(CANON, document("alpha") + "main\n");
    repo.sync(&[]).expect(0);
    repo.commit_all("main");
    assert!(!repo.try_git(&["merge", "-q", "other"]).status.success());
    assert!(repo.text("agent/mirrors.lock").contains("|||||||"));
    repo.sync(&[]).expect(0);
    finish(&repo, &["alpha", "beta"]);
}

#[test]
fn a_lock_unmerged_only_in_the_index_uses_the_entries_of_both_sides() {
    let repo = Repo::empty();
    repo.skill("beta");
    repo.write(".gitattributes", "agent/mirrors.lock -merge\n");
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    repo.git(&["checkout", "-qb", "other"]);
    repo.skill("ant");
    repo.sync(&[]).expect(0);
    repo.commit_all("other");
    repo.git(&["checkout", "-q", "main"]);
    repo.skill("alpha");
    repo.sync(&[]).expect(0);
    repo.commit_all("main");
    assert!(!repo.try_git(&["merge", "-q", "other"]).status.success());
    let lock = repo.text("agent/mirrors.lock");
    assert!(!lock.contains("<<<<<<<") && !lock.contains("/ant/"), "git kept our side: {lock}");
    repo.sync(&[]).expect(0);
    assert!(repo.text("agent/mirrors.lock").contains(".claude/skills/ant/SKILL.md"));
    finish(&repo, &["alpha", "ant", "beta"]);
    repo.remove("agent/skills/ant");
    repo.sync(&[]).expect(0);
    assert!(!repo.exists(".claude/skills/ant"));
}

#[test]
fn mirrors_of_a_skill_in_conflict_follow_once_the_user_resolved_it() {
    let change = |text: &'static str| move |repo: &Repo| repo.write(CANON, document("alpha") + text);
    let repo = merged(&["alpha", "beta"], change("main\n"), change("other\n"));
    assert!(repo.text(CANON).contains("<<<<<<<") && repo.text(EDITED).contains("<<<<<<<"));
    repo.write("agent/skills/beta/SKILL.md", document("beta") + "news\n");
    // Mirrors of the skill in conflict stay unchanged; other skills are synced.
    repo.write(".codex/skills/alpha/SKILL.md", document("alpha") + "main\n");
    let before = repo.tree_of(&[".claude/skills/alpha", ".codex/skills/alpha"]);
    for args in [&[][..], &["--force"]] {
        repo.sync(args).expect(1).says(&[CANON, "contains a merge conflict"]);
        assert_eq!(repo.tree_of(&[".claude/skills/alpha", ".codex/skills/alpha"]), before);
        repo.assert_mirrored(&["beta"]);
    }
    repo.write(CANON, document("alpha") + "main and other\n");
    // Sync replaces the conflicted mirrors by itself, and backs up the text that git left there.
    repo.sync(&[]).expect(0).says(&[&format!("backed up {EDITED} to ")]);
    finish(&repo, &["alpha", "beta"]);
}

#[test]
fn a_mirror_conflict_resolved_by_hand_counts_as_a_user_edit() {
    let change = |text: &'static str| move |repo: &Repo| repo.write(CANON, document("alpha") + text);
    let repo = merged(&["alpha"], change("main\n"), change("other\n"));
    repo.write(CANON, document("alpha") + "main and other\n");
    repo.write(EDITED, document("alpha") + "mine\n");
    repo.sync(&[]).expect(5).says(&[EDITED, "edited by hand"]);
    assert_eq!(repo.text(EDITED), document("alpha") + "mine\n");
    repo.assert_copied("alpha", ".codex/skills/alpha");
}

#[test]
fn a_conflict_in_a_foreign_mirror_file_is_left_alone() {
    let mine = |text: &'static str| {
        move |repo: &Repo| {
            repo.write(".claude/skills/mine/SKILL.md", text);
            repo.skill(if text == "main\n" { "alpha" } else { "ant" });
        }
    };
    let repo = merged(&["beta"], mine("main\n"), mine("other\n"));
    let conflict = repo.text(".claude/skills/mine/SKILL.md");
    assert!(conflict.contains("<<<<<<<"));
    repo.sync(&[]).expect(0);
    repo.sync(&["--force"]).expect(0);
    assert_eq!(repo.text(".claude/skills/mine/SKILL.md"), conflict);
}

#[test]
fn mirrors_follow_the_canon_when_one_branch_deleted_and_the_other_changed_a_skill() {
    for keep in [true, false] {
        let repo = merged(
            &["alpha", "beta"],
            |repo| repo.remove("agent/skills/alpha"),
            |repo| repo.write(CANON, document("alpha") + "other\n"),
        );
        if keep {
            repo.git(&["checkout", "-q", "other", "--", "agent/skills/alpha"]);
        } else {
            repo.git(&["rm", "-rqf", "agent/skills/alpha"]);
        }
        repo.sync(&[]).expect(0);
        finish(&repo, if keep { &["alpha", "beta"] } else { &["beta"] });
        assert_eq!(repo.exists(".claude/skills/alpha"), keep);
    }
}
