//! `init` adopts skills that tools already have.

use crate::init::{assert_clean, assert_kept, json, paths};
use crate::support::repo::{Repo, document};

fn reasons(document: &serde_json::Value) -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    document["refused"].as_array().unwrap().iter().map(|r| (text(&r["path"]), text(&r["reason"]))).collect()
}

#[test]
fn adopts_skills_of_tools_and_owns_their_mirrors() {
    let repo = Repo::empty();
    for tool in [".claude", ".gemini"] {
        repo.write(&format!("{tool}/skills/deploy/SKILL.md"), document("deploy") + "Run `scripts/run.sh`.\n");
        repo.write(&format!("{tool}/skills/deploy/scripts/run.sh"), "#!/bin/sh\n");
        repo.chmod(&format!("{tool}/skills/deploy/scripts/run.sh"), 0o755);
    }
    repo.write(".cursor/skills/triage/SKILL.md", document("triage") + "crlf\r\n");
    let before = repo.tree();
    let document = json(&repo, &["--all"], 0);
    assert_kept(&before, &repo.tree());
    assert_eq!(
        paths(&document, "adopted"),
        ["agent/skills/deploy/SKILL.md", "agent/skills/deploy/scripts/run.sh", "agent/skills/triage/SKILL.md"]
    );
    assert_eq!(paths(&document, "owned"), [".claude/skills/deploy", ".gemini/skills/deploy", ".cursor/skills/triage"]);
    for tool in [".claude", ".gemini"] {
        repo.assert_copied("deploy", &format!("{tool}/skills/deploy"));
    }
    assert_eq!(repo.text("agent/mirrors.lock").lines().count(), 5);
    assert!(repo.text("agent/canonry.yaml").contains("\ntargets: [claude, gemini, cursor]\n"));
    repo.sync(&[]).expect(0).says(&["5 unchanged"]);
    for root in [".claude", ".gemini", ".cursor"] {
        repo.assert_copied("triage", &format!("{root}/skills/triage"));
    }
    // Owned files follow the canon.
    repo.remove("agent/skills/deploy");
    repo.sync(&[]).expect(0);
    assert!(!repo.exists(".claude/skills/deploy") && !repo.exists(".gemini/skills/deploy"));
}

#[test]
fn refuses_different_skills_with_the_same_name() {
    let repo = Repo::empty();
    repo.write(".claude/skills/odd/SKILL.md", document("odd"));
    repo.write(".gemini/skills/odd/SKILL.md", document("odd") + "more\n");
    repo.write(".codex/skills/odd/SKILL.md", document("odd"));
    repo.write(".codex/skills/odd/extra.md", "extra\n");
    repo.write(".claude/skills/fine/SKILL.md", document("fine"));
    let before = repo.tree();
    let document = json(&repo, &[], 5);
    assert_kept(&before, &repo.tree());
    assert_eq!(paths(&document, "adopted"), ["agent/skills/fine/SKILL.md"]);
    let refused = reasons(&document);
    let wanted = [(".codex/skills/odd", "extra.md differs"), (".gemini/skills/odd", "SKILL.md differs")];
    assert_eq!(refused.len(), wanted.len(), "{refused:?}");
    for ((path, reason), (want, files)) in refused.iter().zip(wanted) {
        assert!(path == want && reason.contains(".claude/skills/odd") && reason.contains(files), "{path}: {reason}");
    }
    assert!(!repo.exists("agent/skills/odd"));
    let before = repo.tree();
    repo.canonry(&["init"]).expect(5).says(&["0 files written", "Make the skills equal, or rename one"]);
    assert_eq!(repo.tree(), before);
    repo.sync(&[]).expect(0);
    repo.remove(".gemini/skills/odd");
    repo.remove(".codex/skills/odd");
    repo.canonry(&["init"]).expect(0).says(&["adopted   odd from .claude/skills"]);
    repo.sync(&[]).expect(0);
    assert_clean(&repo);
}

#[test]
fn team_skill_replaces_the_scaffold_skill() {
    let repo = Repo::empty();
    repo.write(".claude/skills/plan/SKILL.md", document("plan"));
    repo.write(".claude/skills/review/SKILL.md", document("review"));
    repo.write(".gemini/skills/review/SKILL.md", document("review") + "other\n");
    repo.canonry(&["init", "--all"]).expect(5);
    assert_eq!(repo.text("agent/skills/plan/SKILL.md"), document("plan"));
    assert!(!repo.exists("agent/skills/review"), "the scaffold skill would be refused in two mirrors");
    repo.sync(&[]).expect(0);
}

#[test]
fn shared_directory_becomes_a_target() {
    let repo = Repo::empty();
    repo.write(".agents/skills/mine/SKILL.md", document("mine"));
    repo.write(".gemini/skills/other/SKILL.md", document("other"));
    repo.canonry(&["init", "--all"]).expect(0);
    assert!(repo.text("agent/canonry.yaml").contains("\ntargets: [gemini, agents]\n"));
    // Existing files stay, and the check reports their problems.
    repo.check(&[]).expect(0).says(&["seen-twice"]);
    repo.sync(&[]).expect(0);
    repo.check(&[]).expect(0).says(&["seen-twice"]);
    for root in [".gemini", ".agents"] {
        repo.assert_copied("mine", &format!("{root}/skills/mine"));
        repo.assert_copied("plan", &format!("{root}/skills/plan"));
    }
    assert!(!repo.exists(".codex") && !repo.exists(".claude"), "nobody uses them here");
}

#[test]
fn refuses_skills_of_unconfigured_tools() {
    let repo = Repo::empty();
    repo.write("agent/canonry.yaml", "targets: [claude]\n");
    repo.write(".agents/skills/mine/SKILL.md", document("mine"));
    let before = repo.tree();
    let document = json(&repo, &["--all"], 5);
    assert_kept(&before, &repo.tree());
    let refused = reasons(&document);
    assert_eq!(refused[0].0, ".agents/skills");
    assert!(refused[0].1.contains("targets: [claude, agents]"), "{refused:?}");
}

/// The target of a link is not in the canon.
#[test]
fn linked_skills_are_counted_apart() {
    let repo = Repo::empty();
    repo.write("shared/mine/SKILL.md", document("mine"));
    repo.write(".claude/skills/own/SKILL.md", document("own"));
    repo.link(".claude/skills/mine", "../../shared/mine");
    repo.canonry(&["init", "--with", "instructions"]).expect(0).says(&[
        "adopted   mine from .claude/skills, a link to ../../shared/mine\n",
        "1 skill is a link: ",
        "2 skills adopted (1 linked)",
    ]);
}

#[test]
fn owns_mirrors_that_equal_the_canon() {
    let repo = Repo::with_skills(&["alpha", "cat/deep", "beta"]);
    repo.write(".claude/skills/alpha/SKILL.md", document("alpha"));
    repo.write(".claude/skills/deep/SKILL.md", document("deep"));
    repo.write(".claude/skills/beta/SKILL.md", document("beta"));
    repo.write(".claude/skills/beta/extra.md", "extra\n");
    repo.write(".gemini/skills/Alpha/SKILL.md", document("alpha"));
    let before = repo.tree();
    let document = json(&repo, &["--all"], 5);
    assert_kept(&before, &repo.tree());
    assert_eq!(paths(&document, "adopted"), [""; 0]);
    assert_eq!(paths(&document, "owned"), [".claude/skills/deep"]);
    let refused = reasons(&document);
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert!(refused[0].1.contains("agent/skills/beta") && refused[0].1.contains("extra.md"), "{refused:?}");
    assert!(refused[1].1.contains("if case is ignored"), "{refused:?}");
    assert!(!repo.exists("agent/skills/beta/extra.md"), "nothing is added to the team's own skill");
}

#[test]
fn leaves_owned_mirrors_to_sync() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(".claude/skills/alpha/SKILL.md", document("alpha") + "an edit\n");
    repo.write("agent/skills/alpha/SKILL.md", document("alpha") + "news\n");
    repo.write(".claude/skills/new/SKILL.md", document("new"));
    let lock = repo.text("agent/mirrors.lock");
    let document = json(&repo, &["--with", "instructions"], 0);
    assert_eq!(paths(&document, "owned"), [".claude/skills/new"]);
    let after = repo.text("agent/mirrors.lock");
    assert!(lock.lines().all(|line| after.contains(line)) && after.lines().count() == lock.lines().count() + 1);
    repo.check(&[]).expect(1).says(&["mirror-edited", "mirror-missing"]);
}

#[test]
fn copies_links_between_tools_and_refuses_links_out() {
    let repo = Repo::empty();
    repo.write(".claude/skills/mine/SKILL.md", document("mine"));
    repo.link(".gemini/skills/mine", "../../.claude/skills/mine");
    repo.link(".codex/skills", "../.claude/skills");
    repo.link(".claude/skills/out", repo.outside("elsewhere"));
    repo.link(".claude/skills/gone", "../nowhere");
    let document = json(&repo, &[], 5);
    assert_eq!(paths(&document, "adopted"), ["agent/skills/mine/SKILL.md"]);
    assert_eq!(paths(&document, "owned"), [".claude/skills/mine", ".gemini/skills/mine"]);
    let refused = reasons(&document);
    assert_eq!(
        refused.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(),
        [".claude/skills/gone", ".claude/skills/out"]
    );
    repo.remove(".claude/skills/out");
    repo.remove(".claude/skills/gone");
    assert_clean(&repo);
    repo.sync(&[]).expect(0);
    assert_clean(&repo);
    repo.assert_copied("mine", ".gemini/skills/mine");
    assert!(repo.path(".gemini/skills/mine").symlink_metadata().unwrap().is_dir());
}

#[test]
fn keeps_a_link_to_the_canon() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.link(".claude/skills/alpha", "../../agent/skills/alpha");
    repo.canonry(&["init", "--all"]).expect(0);
    repo.sync(&[]).expect(0);
    assert!(repo.path(".claude/skills/alpha").symlink_metadata().unwrap().is_symlink());
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn refuses_a_linked_mirror() {
    let repo = Repo::empty();
    repo.write("shared/skills/mine/SKILL.md", document("mine"));
    repo.link(".claude/skills", "../shared/skills");
    repo.canonry(&["init", "--all"]).expect(5).says(&[".claude/skills", "link to `shared/skills`"]);
    assert!(!repo.exists("agent/skills/mine"));
}

#[test]
fn adopts_an_unreadable_skill_unchanged() {
    let repo = Repo::empty();
    let bytes = b"\xef\xbb\xbf---\nname: : :\r\n\xff\0";
    repo.write(".claude/skills/broken/SKILL.md", bytes);
    repo.canonry(&["init", "--all"]).expect(0).says(&["canonry check"]);
    assert_eq!(repo.read("agent/skills/broken/SKILL.md"), bytes);
    repo.check(&[]).expect(1);
    repo.canonry(&["init", "--all"]).expect(0).says(&["Nothing to add"]);
}

#[test]
fn does_not_adopt_files_that_git_would_ignore() {
    let repo = Repo::empty();
    repo.write(".gitignore", "*.pyc\n.claude/\n");
    repo.write(".claude/skills/mine/SKILL.md", document("mine"));
    repo.write(".claude/skills/mine/scripts/cache.pyc", [0u8, 1]);
    let mut before = repo.tree();
    let document = json(&repo, &["--all"], 0);
    assert_kept(&before, &repo.tree());
    assert_eq!(paths(&document, "adopted"), ["agent/skills/mine/SKILL.md"]);
    // Each clone makes its own mirrors, and the block of the ignore file says so.
    repo.sync(&[]).expect(0);
    before.remove(".gitignore");
    assert_kept(&before, &repo.tree());
}

#[test]
fn ignores_files_next_to_skills() {
    let repo = Repo::empty();
    repo.write(".claude/skills/README.md", "about\n");
    repo.write(".claude/skills/SKILL.md", document("skills"));
    repo.write(".claude/skills/notes/todo.md", "no skill\n");
    repo.write(".cursor/skills/cat/deep/SKILL.md", document("deep"));
    let before = repo.tree();
    let document = json(&repo, &["--all"], 0);
    assert_kept(&before, &repo.tree());
    assert_eq!(paths(&document, "adopted"), ["agent/skills/cat/deep/SKILL.md"]);
    repo.sync(&[]).expect(0);
    repo.assert_copied("cat/deep", ".cursor/skills/deep");
    repo.assert_copied("cat/deep", ".claude/skills/deep");
    assert!(!repo.exists(".cursor/skills/cat"), "it was adopted, one level up");
    repo.canonry(&["init", "--all"]).expect(0).says(&["Nothing to add"]);
}
