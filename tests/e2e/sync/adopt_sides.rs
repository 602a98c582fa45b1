//! `--adopt` for renamed skills, as a dry run, and with a decision for one side.

use crate::support::repo::{Ran, Repo, document};

const CANON: &str = "agent/skills/alpha/SKILL.md";
const MIRROR: &str = ".claude/skills/alpha/SKILL.md";

fn synced() -> Repo {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.targets(&["claude", "codex"]);
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    repo
}

/// The content of the only backup of a file.
fn backup(ran: &Ran, path: &str) -> String {
    let line = ran.stdout.lines().find(|line| line.starts_with(&format!("backed up {path} to ")));
    let line = line.unwrap_or_else(|| panic!("no backup of {path}:\n{}", ran.stdout));
    std::fs::read_to_string(line.rsplit_once(" to ").unwrap().1).unwrap()
}

#[test]
fn an_edit_of_a_renamed_skill_goes_into_the_renamed_skill() {
    for sync_first in [false, true] {
        let repo = synced();
        repo.write(CANON, document("alpha") + "\n1. One.\n2. Two.\n3. Three.\n4. Four.\n");
        repo.sync(&["--commit"]).expect(0);
        repo.append(MIRROR, "5. By hand.\n");
        repo.rename("agent/skills/alpha", "agent/skills/gamma");
        let renamed = repo.text("agent/skills/gamma/SKILL.md").replace("name: alpha", "name: gamma");
        repo.write("agent/skills/gamma/SKILL.md", &renamed);
        if sync_first {
            repo.sync(&[]).expect(5).says(&[MIRROR, "edited by hand"]);
        }
        repo.sync(&["--adopt", ".claude/skills/alpha"]).expect(0).says(&["adopted   agent/skills/gamma/SKILL.md"]);
        assert_eq!(repo.text("agent/skills/gamma/SKILL.md"), renamed + "5. By hand.\n");
        assert!(!repo.exists("agent/skills/alpha") && !repo.exists(".claude/skills/alpha"));
        repo.assert_copied("gamma", ".claude/skills/gamma");
        repo.sync(&["--check"]).expect(0);
    }
}

#[test]
fn a_skill_that_is_gone_is_not_taken_for_one_with_another_text() {
    let repo = synced();
    repo.write(MIRROR, "---\nname: alpha\ndescription: By hand.\n---\n\nBy hand.\n");
    repo.remove("agent/skills/alpha");
    repo.write(
        "agent/skills/beta/SKILL.md",
        "---\nname: beta\ndescription: Other.\n---\n\n1.\n2.\n3.\n4.\n5.\n6.\n7.\n",
    );
    repo.sync(&["--adopt", ".claude/skills/alpha"]).expect(0).says(&["adopted   agent/skills/alpha/SKILL.md"]);
    repo.assert_copied("alpha", ".codex/skills/alpha");
}

#[test]
fn a_dry_run_shows_what_an_adoption_would_change() {
    let repo = synced();
    repo.append(MIRROR, "by hand\n");
    let before = repo.tree();
    let ran = repo.sync(&["--adopt", ".claude/skills/alpha", "--dry-run"]).expect(0);
    assert!(ran.stdout.contains("+++ b/agent/skills/alpha/SKILL.md") && ran.stdout.contains("+by hand"), "{ran:?}");
    assert!(ran.stderr.contains("to adopt  agent/skills/alpha/SKILL.md"), "{ran:?}");
    assert_eq!(repo.tree(), before);
    repo.write(CANON, document("alpha") + "canon\n");
    let before = repo.tree();
    repo.sync(&["--adopt", ".claude/skills/alpha", "--dry-run"]).expect(5).says(&["change the same lines", "--ours"]);
    assert_eq!(repo.tree(), before);
}

#[test]
fn one_side_wins_a_conflict_and_the_other_is_backed_up() {
    for (side, winner, loser) in [("--ours", "canon\n", MIRROR), ("--theirs", "by hand\n", CANON)] {
        let repo = synced();
        repo.append(MIRROR, "by hand\n");
        repo.append(CANON, "canon\n");
        let given_up = repo.text(loser);
        repo.sync(&["--adopt", ".claude/skills/alpha"]).expect(5).says(&["--ours", "--theirs"]);
        let ran = repo.sync(&["--adopt", ".claude/skills/alpha", side]).expect(0);
        assert_eq!(backup(&ran, loser), given_up);
        assert_eq!(repo.text(CANON), document("alpha") + winner);
        repo.assert_copied("alpha", ".claude/skills/alpha");
        repo.assert_copied("alpha", ".codex/skills/alpha");
        repo.sync(&["--check"]).expect(0);
    }
    let repo = synced();
    repo.sync(&["--ours"]).expect(64);
    repo.sync(&["--adopt", MIRROR, "--ours", "--theirs"]).expect(64);
}

/// An added exec bit is an edit like any other; a lost one is restored, because archives lose it.
#[test]
fn an_exec_bit_that_was_added_in_a_mirror_is_an_edit() {
    let repo = synced();
    repo.chmod(MIRROR, 0o755);
    repo.check(&[]).expect(1).says(&["mirror-edited"]);
    repo.sync(&[]).expect(5).says(&[&format!("{MIRROR}: edited by hand")]);
    assert_eq!(repo.mode(MIRROR) & 0o111, 0o111);
    repo.sync(&["--force"]).expect(0).says(&[&format!("backed up {MIRROR} to ")]);
    assert_eq!(repo.mode(MIRROR) & 0o111, 0);
}
