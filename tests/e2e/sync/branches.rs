//! Merges of branches, and what git leaves of them in lock, canon and mirrors.

use crate::support::repo::{MIRRORS, Repo, document};

const EDITED: &str = ".claude/skills/alpha/SKILL.md";
const CANON: &str = "agent/skills/alpha/SKILL.md";

/// Two branches that each change skills, sync and commit; then one is merged into the other, as far as git can.
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
fn a_conflict_in_the_lock_alone_is_resolved_by_a_sync() {
    // Neighbours in the lock, and nowhere else.
    let repo = merged(&["beta"], |repo| repo.skill("alpha"), |repo| repo.skill("ant"));
    let lock = repo.text("agent/mirrors.lock");
    assert!(lock.contains("<<<<<<<") && lock.contains(">>>>>>>"), "{lock}");
    repo.check(&[]).expect(65).says(&["run `canonry sync`"]);
    repo.sync(&["--check"]).expect(1).says(&["to write  agent/mirrors.lock"]);
    assert_eq!(repo.text("agent/mirrors.lock"), lock);
    repo.sync(&[]).expect(0).says(&["wrote     agent/mirrors.lock", "`git add agent/mirrors.lock`"]);
    let resolved = repo.text("agent/mirrors.lock");
    assert!(["alpha", "ant", "beta"].iter().all(|name| resolved.contains(&format!(".claude/skills/{name}/SKILL.md"))));
    let (parts, files): (Vec<&str>, Vec<&str>) = resolved.lines().partition(|line| line.contains("skills.json#"));
    // Besides the mirrors there is the pointer for Antigravity, once.
    assert_eq!((files.len(), parts.len()), (30, 3), "{resolved}");
    finish(&repo, &["alpha", "ant", "beta"]);
    // What came from either side is ours: it goes with its skill.
    repo.remove("agent/skills/alpha");
    repo.remove("agent/skills/ant");
    repo.sync(&[]).expect(0);
    assert!(MIRRORS.iter().all(|mirror| !repo.exists(&format!("{mirror}/alpha"))));
    assert!(MIRRORS.iter().all(|mirror| !repo.exists(&format!("{mirror}/ant"))));
}

#[test]
fn a_conflict_in_the_lock_in_the_diff3_style_is_resolved_too() {
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
fn a_lock_that_is_unmerged_in_the_index_alone_counts_with_both_sides() {
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
    assert!(!lock.contains("<<<<<<<") && !lock.contains("/ant/"), "git left our side of it: {lock}");
    repo.sync(&[]).expect(0);
    assert!(repo.text("agent/mirrors.lock").contains(".claude/skills/ant/SKILL.md"));
    finish(&repo, &["alpha", "ant", "beta"]);
    repo.remove("agent/skills/ant");
    repo.sync(&[]).expect(0);
    assert!(!repo.exists(".claude/skills/ant"));
}

#[test]
fn a_conflict_in_a_skill_waits_for_a_person_and_its_mirrors_then_follow() {
    let change = |text: &'static str| move |repo: &Repo| repo.write(CANON, document("alpha") + text);
    let repo = merged(&["alpha", "beta"], change("main\n"), change("other\n"));
    assert!(repo.text(CANON).contains("<<<<<<<") && repo.text(EDITED).contains("<<<<<<<"));
    repo.write("agent/skills/beta/SKILL.md", document("beta") + "news\n");
    // The skill holds a conflict: its mirrors stay as they are, with a conflict or without, and the others are synced.
    repo.write(".codex/skills/alpha/SKILL.md", document("alpha") + "main\n");
    let before = repo.tree_of(&[".claude/skills/alpha", ".codex/skills/alpha"]);
    for args in [&[][..], &["--force"]] {
        repo.sync(args).expect(1).says(&[CANON, "contains a merge conflict"]);
        assert_eq!(repo.tree_of(&[".claude/skills/alpha", ".codex/skills/alpha"]), before);
        repo.assert_mirrored(&["beta"]);
    }
    repo.write(CANON, document("alpha") + "main and other\n");
    // Its mirrors need no one's hand; what git left there is kept aside like all that is not ours to the letter.
    repo.sync(&[]).expect(0).says(&[&format!("backed up {EDITED} to ")]);
    finish(&repo, &["alpha", "beta"]);
}

#[test]
fn a_mirror_in_conflict_that_a_person_resolved_by_hand_is_theirs() {
    let change = |text: &'static str| move |repo: &Repo| repo.write(CANON, document("alpha") + text);
    let repo = merged(&["alpha"], change("main\n"), change("other\n"));
    repo.write(CANON, document("alpha") + "main and other\n");
    repo.write(EDITED, document("alpha") + "mine\n");
    repo.sync(&[]).expect(5).says(&[EDITED, "edited by hand"]);
    assert_eq!(repo.text(EDITED), document("alpha") + "mine\n");
    repo.assert_copied("alpha", ".codex/skills/alpha");
}

#[test]
fn a_conflict_in_a_mirror_that_is_not_ours_stays() {
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
fn a_skill_that_one_side_deleted_and_the_other_changed_follows_the_canon() {
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
