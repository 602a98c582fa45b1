//! Errors in the canon are reported, and everything else is mirrored.

use crate::support::repo::{MIRRORS, Repo, document};

/// Case: `Gamma/` beside `gamma/`.
#[test]
fn skills_whose_names_differ_only_in_case_are_reported_and_not_written() {
    for (one, other) in [("gamma", "Gamma"), ("cat/gamma", "gamma"), ("caf\u{e9}", "cafe\u{301}")] {
        let repo = Repo::with_skills(&["alpha", one, other]);
        repo.sync(&[]).expect(5).says(&[one, other, "rename one"]);
        for path in repo.mirrors().keys() {
            assert!(!path.to_lowercase().contains("gamma") && !path.contains("caf"), "{path}");
        }
        repo.assert_mirrored(&["alpha"]);
        repo.check(&[]).expect(1).says(&["skill-name-clash"]);
    }
}

#[test]
fn a_skill_with_files_that_differ_only_in_case_keeps_its_mirror() {
    let repo = Repo::synced(&["alpha", "beta"]);
    let before = repo.tree_of(&[".claude/skills/alpha"]);
    repo.write("agent/skills/alpha/docs/Note.md", "one\n");
    repo.write("agent/skills/alpha/Docs/note.md", "other\n");
    repo.write("agent/skills/beta/SKILL.md", document("beta") + "news\n");
    for args in [&[][..], &["--force"]] {
        repo.sync(args).expect(5).says(&["alpha/docs/Note.md", "alpha/Docs/note.md", "rename one"]);
        assert_eq!(repo.tree_of(&[".claude/skills/alpha"]), before);
    }
    repo.assert_mirrored(&["beta"]);
    repo.remove("agent/skills/alpha/Docs");
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
}

#[test]
fn a_case_clash_added_later_keeps_the_existing_mirror() {
    let repo = Repo::synced(&["alpha", "gamma"]);
    let before = repo.tree_of(&[".claude/skills/gamma"]);
    repo.skill("Gamma");
    repo.write("agent/skills/gamma/SKILL.md", document("gamma") + "news\n");
    repo.sync(&[]).expect(5).says(&["agent/skills/Gamma", "agent/skills/gamma"]);
    assert_eq!(repo.tree_of(&[".claude/skills/gamma"]), before);
    assert!(!repo.exists(".claude/skills/Gamma"));
    repo.remove("agent/skills/Gamma");
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha", "gamma"]);
}

/// Case: one bad SKILL.md.
#[test]
fn an_invalid_document_is_reported_and_other_skills_are_synced() {
    for bad in [&b"no frontmatter\n"[..], b"---\nname: [\n---\n", b"---\nname: x\n", b"\xff\xfe\0", b""] {
        let repo = Repo::with_skills(&["alpha", "bad"]);
        repo.write("agent/skills/bad/SKILL.md", bad);
        repo.sync(&[]).expect(1).says(&["agent/skills/bad", "canonry check"]);
        repo.assert_mirrored(&["alpha"]);
        assert!(!repo.exists(".claude/skills/bad"));
        repo.check(&[]).expect(1).says(&["agent/skills/bad/SKILL.md"]);
    }
}

/// Case: one bad SKILL.md.
#[test]
fn a_mirrored_skill_that_becomes_invalid_stays_mirrored() {
    let repo = Repo::synced(&["alpha", "bad"]);
    repo.write("agent/skills/bad/SKILL.md", "no frontmatter\n");
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha", "bad"]);
    // A target that is added now does not get the invalid skill.
    repo.targets(&["claude", "agents"]);
    repo.sync(&[]).expect(1).says(&["agent/skills/bad"]);
    repo.assert_copied("bad", ".claude/skills/bad");
    repo.assert_copied("alpha", ".agents/skills/alpha");
    assert!(!repo.exists(".agents/skills/bad"));
}

#[test]
fn nested_categories_are_flattened_in_mirrors() {
    let repo = Repo::with_skills(&["cat/sub/deep", "alpha"]);
    repo.write("agent/skills/alpha/assets/inner/SKILL.md", document("inner"));
    repo.write("agent/skills/_index.md", "# Index\n");
    repo.write("agent/skills/cat/README.md", "A category.\n");
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
    for mirror in MIRRORS {
        repo.assert_copied("cat/sub/deep", &format!("{mirror}/deep"));
        let names: Vec<_> = std::fs::read_dir(repo.path(mirror)).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
    }
}

#[test]
fn ignored_files_are_not_mirrored() {
    let repo = Repo::with_skills(&["alpha", "secret"]);
    repo.write(".gitignore", "agent/skills/secret/\n*.pyc\n");
    repo.write("agent/skills/alpha/scripts/run.pyc", "x");
    repo.sync(&[]).expect(0);
    for mirror in MIRRORS {
        assert!(!repo.exists(&format!("{mirror}/secret")));
        assert!(!repo.exists(&format!("{mirror}/alpha/scripts/run.pyc")));
    }
}

#[test]
fn a_skill_document_outside_of_skills_is_ignored_by_check_and_sync() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/overlays/claude/skills/alpha/SKILL.md", document("alpha"));
    repo.write("agent/memory/beta/SKILL.md", document("beta"));
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
    assert!(!repo.exists(".claude/skills/beta"));
    repo.sync(&["--check"]).expect(0);
    repo.check(&[]).expect(0);
}

#[test]
fn a_document_beside_the_skills_does_not_hide_them() {
    let repo = Repo::synced(&["alpha", "cat/beta"]);
    let before = repo.mirrors();
    repo.write("agent/skills/SKILL.md", document("skills"));
    repo.write("agent/SKILL.md", document("agent"));
    repo.sync(&[]).expect(0);
    assert!(repo.mirrors() == before);
    repo.sync(&["--check"]).expect(0);
    repo.check(&[]).says_nothing_of(&["mirror-"]);
}

#[test]
fn root_in_the_config_moves_the_canon() {
    for root in [".agent", "tools/agent/", "./.agent"] {
        let repo = Repo::with_skills(&["alpha"]);
        let folder = root.trim_start_matches("./").trim_end_matches('/');
        repo.rename("agent", folder);
        repo.write("canonry.yaml", format!("root: {root}\ntargets: [claude]\n"));
        repo.sync(&[]).expect(0);
        assert_eq!(repo.text(".claude/skills/alpha/SKILL.md"), document("alpha"));
        assert!(repo.exists(&format!("{folder}/mirrors.lock")) && !repo.exists("agent"));
        repo.sync(&["--check"]).expect(0);
        repo.check(&[]).expect(0);
    }
}
