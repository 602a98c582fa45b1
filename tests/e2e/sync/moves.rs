//! Canon entries that change their name, place or type, and back; no mirror file is left over.

use crate::support::repo::{Held, MIRRORS, Repo, document};
use std::path::Path;

/// Syncs and asserts that nothing remains to be done, in the work tree and in a commit.
fn sync_and_commit(repo: &Repo) {
    repo.sync(&[]).expect(0);
    repo.sync(&["--check"]).expect(0).says(&["Up to date"]);
    repo.commit_all("settled");
    repo.sync(&["--check"]).expect(0).says(&["Up to date"]);
    repo.check(&["--rev", "HEAD"]).says_nothing_of(&["mirror-"]);
}

/// After a move and its reversal, mirrors and lock are the same as before.
fn there_and_back(names: &[&str], there: impl Fn(&Repo), then: impl Fn(&Repo), back: impl Fn(&Repo)) {
    let repo = Repo::synced(names);
    let mirrors = repo.mirrors();
    let lock = repo.text("agent/mirrors.lock");
    there(&repo);
    sync_and_commit(&repo);
    then(&repo);
    back(&repo);
    sync_and_commit(&repo);
    assert_eq!(repo.mirrors(), mirrors);
    assert_eq!(repo.text("agent/mirrors.lock"), lock);
}

fn rename(from: &'static str, to: &'static str) -> impl Fn(&Repo) {
    move |repo| {
        repo.rename(&format!("agent/skills/{from}"), &format!("agent/skills/{to}"));
        repo.write(&format!("agent/skills/{to}/SKILL.md"), document(to));
    }
}

/// Case: a canonical skill is deleted or renamed.
#[test]
fn a_renamed_skill_is_renamed_in_every_mirror() {
    let then = |repo: &Repo| {
        repo.assert_mirrored(&["gamma", "beta"]);
        assert!(MIRRORS.iter().all(|mirror| !repo.exists(&format!("{mirror}/alpha"))));
    };
    there_and_back(&["alpha", "beta"], rename("alpha", "gamma"), then, |repo| {
        rename("gamma", "alpha")(repo);
        repo.write("agent/skills/alpha/scripts/run.sh", "#!/bin/sh\necho alpha\n");
    });
}

#[test]
fn a_skill_name_may_change_only_in_case() {
    let then = |repo: &Repo| {
        repo.assert_mirrored(&["Alpha"]);
        assert!(!repo.text("agent/mirrors.lock").contains("/alpha/"));
    };
    there_and_back(&["alpha", "beta"], rename("alpha", "Alpha"), then, rename("Alpha", "alpha"));
}

#[test]
fn a_file_name_may_change_only_in_case() {
    let move_to = |from: &'static str, to: &'static str| {
        move |repo: &Repo| {
            repo.rename(&format!("agent/skills/alpha/scripts/{from}"), &format!("agent/skills/alpha/scripts/{to}"));
        }
    };
    let then = |repo: &Repo| repo.assert_mirrored(&["alpha"]);
    there_and_back(&["alpha"], move_to("run.sh", "Run.sh"), then, move_to("Run.sh", "run.sh"));
}

#[test]
fn two_skills_may_swap_their_names() {
    let swap = |repo: &Repo| {
        repo.rename("agent/skills/alpha", "agent/skills/other");
        repo.rename("agent/skills/beta", "agent/skills/alpha");
        repo.rename("agent/skills/other", "agent/skills/beta");
    };
    there_and_back(&["alpha", "beta"], swap, |repo| repo.assert_mirrored(&["alpha", "beta"]), swap);
}

#[test]
fn a_skill_that_moves_into_a_category_keeps_its_mirrors() {
    let repo = Repo::synced(&["alpha", "beta"]);
    let mirrors = repo.mirrors();
    repo.rename("agent/skills/alpha", "agent/skills/cat/sub/alpha");
    repo.sync(&[]).expect(0).says(&["Up to date"]);
    assert_eq!(repo.mirrors(), mirrors, "mirrors do not contain the category");
    repo.rename("agent/skills/cat/sub/alpha", "agent/skills/alpha");
    repo.sync(&[]).expect(0).says(&["Up to date"]);
}

#[test]
fn a_skill_that_moves_into_another_skill_is_mirrored_as_part_of_it() {
    let there = |repo: &Repo| repo.rename("agent/skills/alpha", "agent/skills/beta/alpha");
    let then = |repo: &Repo| {
        repo.assert_mirrored(&["beta"]);
        assert!(repo.exists(".claude/skills/beta/alpha/SKILL.md") && !repo.exists(".claude/skills/alpha"));
    };
    there_and_back(&["alpha", "beta"], there, then, |repo| {
        repo.rename("agent/skills/beta/alpha", "agent/skills/alpha");
    });
}

#[test]
fn a_file_becomes_a_folder_and_a_folder_becomes_a_link() {
    let there = |repo: &Repo| {
        repo.rename("agent/skills/alpha/scripts/run.sh", "agent/skills/alpha/moved");
        repo.remove("agent/skills/alpha/scripts");
        repo.write("agent/skills/alpha/scripts", "now a file\n");
        repo.remove("agent/skills/beta/scripts");
        repo.link("agent/skills/beta/scripts", "../alpha");
    };
    let then = |repo: &Repo| {
        assert_eq!(repo.text(".claude/skills/alpha/scripts"), "now a file\n");
        let link = repo.tree_of(&[".claude/skills/beta/scripts"]).into_values().next();
        assert!(matches!(link, Some(Held::Link(_))), "{link:?}");
        assert!(repo.exists(".claude/skills/beta/scripts/moved"), "it points to the mirror of the same skill");
    };
    there_and_back(&["alpha", "beta"], there, then, |repo| {
        repo.remove("agent/skills/alpha/scripts");
        repo.rename("agent/skills/alpha/moved", "agent/skills/alpha/scripts/run.sh");
        repo.remove("agent/skills/beta/scripts");
        repo.skill("beta");
    });
}

#[test]
fn a_skill_becomes_a_file_and_a_link_becomes_a_skill() {
    let there = |repo: &Repo| {
        repo.rename("agent/skills/alpha", "shared/alpha");
        repo.link("agent/skills/alpha", "../../shared/alpha");
        repo.remove("agent/skills/beta");
        repo.write("agent/skills/beta", "no skill any more\n");
    };
    let then = |repo: &Repo| {
        assert_eq!(repo.text(".claude/skills/alpha/SKILL.md"), document("alpha"));
        assert_eq!(repo.path(".claude/skills/alpha").read_link().unwrap(), Path::new("../../shared/alpha"));
        assert!(!repo.exists(".claude/skills/beta"));
    };
    there_and_back(&["alpha", "beta", "gamma"], there, then, |repo| {
        repo.remove("agent/skills/alpha");
        repo.rename("shared/alpha", "agent/skills/alpha");
        repo.remove("agent/skills/beta");
        repo.skill("beta");
    });
}

#[test]
fn a_mirrored_file_replaced_with_a_link_or_a_folder_is_refused() {
    let repo = Repo::synced(&["alpha", "beta"]);
    let link = ".claude/skills/alpha/SKILL.md";
    let folder = ".codex/skills/alpha/SKILL.md";
    repo.remove(link);
    repo.link(link, "../../../agent/skills/alpha/SKILL.md");
    repo.remove(folder);
    repo.write(&format!("{folder}/mine.md"), "mine\n");
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    let canon = repo.tree_of(&["agent/skills"]);
    repo.sync(&[]).expect(5).says(&[
        &format!("{link}: edited by hand"),
        &format!("a folder stands where a file is needed, and {folder}/mine.md"),
    ]);
    assert!(repo.path(link).read_link().is_ok() && repo.text(&format!("{folder}/mine.md")) == "mine\n");
    // `--force` replaces the link but not its destination; files in a user's folder always stay.
    repo.sync(&["--force"]).expect(5).says(&[&format!("backed up {link}")]);
    assert_eq!(repo.text(link), document("alpha") + "news\n");
    assert_eq!(repo.text(&format!("{folder}/mine.md")), "mine\n");
    repo.remove(folder);
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha", "beta"]);
    assert_eq!(repo.tree_of(&["agent/skills"]), canon);
}

#[test]
fn a_mirror_may_become_a_link_and_a_folder_again() {
    let repo = Repo::synced(&["alpha", "beta"]);
    let lock = repo.text("agent/mirrors.lock");
    let outside = repo.outside("elsewhere");
    for target in [outside.to_str().unwrap(), "../agent/skills", "../.claude/skills", "nowhere"] {
        repo.remove(".codex/skills");
        repo.link(".codex/skills", target);
        let ran = repo.sync(&[]);
        let refused = !target.starts_with("..");
        ran.expect(if refused { 5 } else { 0 });
        assert_eq!(repo.path(".codex/skills").read_link().unwrap(), Path::new(target));
        assert!(std::fs::read_dir(&outside).unwrap().next().is_none(), "nothing is written outside");
        repo.remove(".codex/skills");
        repo.sync(&[]).expect(0);
        repo.assert_mirrored(&["alpha", "beta"]);
        assert_eq!(repo.text("agent/mirrors.lock"), lock, "{target}");
    }
}

#[test]
fn names_of_the_maximum_length_are_mirrored() {
    let skill = "s".repeat(255);
    let file = "f".repeat(252) + ".md";
    let repo = Repo::empty();
    repo.skill(&skill);
    repo.write(&format!("agent/skills/{skill}/{file}"), "x\n");
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&[&skill]);
    repo.commit_all("synced");
    let canon = format!("agent/skills/{skill}/{file}");
    let mirror = format!(".claude/skills/{skill}/{file}");
    repo.write(&canon, "y\n");
    repo.sync(&["--commit"]).expect(0);
    repo.assert_mirrored(&[&skill]);
    repo.write(&mirror, "mine\n");
    repo.sync(&["--force"]).expect(0).says(&["backed up "]);
    repo.write(&mirror, "mine\n");
    repo.sync(&["--adopt", &mirror]).expect(0);
    assert_eq!(repo.text(&canon), "mine\n");
    repo.remove(&format!("agent/skills/{skill}"));
    repo.sync(&[]).expect(0);
    assert!(!repo.exists(".claude/skills"));
}

#[test]
fn read_only_mirror_files_are_replaced() {
    // A rename needs no write permission on the file. Some teams mark copies as read-only.
    let repo = Repo::synced(&["alpha"]);
    for mirror in MIRRORS {
        repo.chmod(&format!("{mirror}/alpha/SKILL.md"), 0o444);
    }
    repo.chmod("agent/skills/alpha/SKILL.md", 0o444);
    repo.sync(&["--check"]).expect(0);
    repo.remove("agent/skills/alpha/SKILL.md");
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
}
