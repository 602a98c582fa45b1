//! Overlays: files that one tool gets instead of, or in addition to, a skill's files.

use crate::support::repo::{Repo, document};

const KEYS: &str = "agent/overlays/claude/skills/alpha/SKILL.md";
const CLAUDE: &str = ".claude/skills/alpha/SKILL.md";

/// `alpha` with keys for Claude, `deep` with an extra file for Gemini.
fn repo() -> Repo {
    let repo = Repo::with_skills(&["alpha", "cat/deep"]);
    repo.write(KEYS, "---\nmodel: opus # dear\ndescription: For Claude.\n---\n");
    repo.write("agent/overlays/gemini/skills/deep/scripts/run.sh", "#!/bin/sh\necho gemini\n");
    repo.chmod("agent/overlays/gemini/skills/deep/scripts/run.sh", 0o755);
    repo.write("agent/overlays/gemini/skills/deep/notes.md", "new\n");
    repo
}

fn with_keys() -> String {
    document("alpha").replace(
        "description: Does alpha. Use when alpha is asked for.\n",
        "description: For Claude.\nmodel: opus # dear\n",
    )
}

#[track_caller]
fn assert_shaped(repo: &Repo) {
    assert_eq!(repo.text(CLAUDE), with_keys());
    assert_eq!(repo.text(".gemini/skills/deep/scripts/run.sh"), "#!/bin/sh\necho gemini\n");
    assert_eq!(repo.mode(".gemini/skills/deep/scripts/run.sh") & 0o111, 0o111);
    assert_eq!(repo.text(".gemini/skills/deep/notes.md"), "new\n");
    for mirror in [".gemini", ".cursor", ".codex", ".antigravity"] {
        repo.assert_copied("alpha", &format!("{mirror}/skills/alpha"));
    }
    for mirror in [".claude", ".cursor", ".codex", ".antigravity"] {
        repo.assert_copied("cat/deep", &format!("{mirror}/skills/deep"));
    }
}

#[test]
fn each_tool_gets_its_overlay_and_no_view_has_drift() {
    let repo = repo();
    repo.sync(&[]).expect(0);
    assert_shaped(&repo);
    repo.sync(&[]).expect(0).says(&["Up to date"]);
    repo.commit_all("all");
    for args in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(args).expect(0).says_nothing_of(&["mirror-", "overlay-"]);
    }
    repo.sync(&["--check"]).expect(0).says(&["Up to date"]);
}

/// The git tree of the mirror equals the canon's, but the overlay is missing.
#[test]
fn a_copy_without_its_overlay_is_stale_in_every_view() {
    let repo = Repo::synced(&["alpha", "beta"]);
    repo.write(KEYS, "---\nmodel: opus\n---\n");
    repo.check(&[]).expect(1).says(&["mirror-stale", CLAUDE]);
    repo.git(&["add", "agent/overlays"]);
    repo.check(&["--staged"]).expect(1).says(&["mirror-stale", CLAUDE]);
    repo.git(&["commit", "-qm", "overlay"]);
    repo.check(&["--rev", "HEAD"]).expect(1).says(&["mirror-stale", CLAUDE]).says_nothing_of(&["skills/beta/SKILL.md"]);
    repo.sync(&["--check"]).expect(1).says(&["to write  .claude/skills/alpha (1 file)"]);
    repo.sync(&["--commit"]).expect(0);
    repo.check(&["--rev", "HEAD"]).expect(0);
}

#[test]
fn a_commit_contains_added_and_removed_overlays() {
    let repo = repo();
    repo.write("agent/overlays/README.md", "a note\n");
    repo.sync(&["--commit"]).expect(0);
    let committed = repo.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    for path in [KEYS, "agent/overlays/gemini/skills/deep/notes.md", CLAUDE] {
        assert!(committed.lines().any(|line| line == path), "{path} in\n{committed}");
    }
    assert!(!committed.contains("README.md"), "{committed}");
    repo.check(&["--rev", "HEAD"]).expect(0);
    repo.remove("agent/overlays");
    repo.sync(&["--commit"]).expect(0);
    repo.assert_mirrored(&["alpha"]);
    repo.assert_copied("cat/deep", ".gemini/skills/deep");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    repo.check(&["--rev", "HEAD"]).expect(0);
}

#[test]
fn staged_overlays_are_mirrored_as_staged() {
    let repo = Repo::synced(&["alpha", "cat/deep"]);
    repo.write(KEYS, "---\nmodel: opus # dear\ndescription: For Claude.\n---\n");
    repo.git(&["add", "agent"]);
    repo.write(KEYS, "---\nmodel: haiku\n---\n");
    repo.sync(&["--staged"]).expect(0);
    assert_eq!(repo.git(&["show", &format!(":{CLAUDE}")]) + "\n", with_keys());
    repo.check(&["--staged"]).expect(0);
    repo.git(&["commit", "-qm", "staged"]);
    repo.check(&["--rev", "HEAD"]).expect(0);
    repo.sync(&[]).expect(0);
    assert!(repo.text(CLAUDE).contains("model: haiku\n"));
}

#[test]
fn a_complete_document_replaces_the_one_of_the_skill() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(KEYS, document("alpha") + "Only here.\n");
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text(CLAUDE), document("alpha") + "Only here.\n");
    repo.assert_copied("alpha", ".codex/skills/alpha");
    assert_eq!(repo.text(".claude/skills/alpha/scripts/run.sh"), "#!/bin/sh\necho alpha\n");
    // An edit of the mirror is adopted into the overlay.
    repo.commit_all("all");
    repo.write(CLAUDE, document("alpha") + "Only here, edited.\n");
    repo.sync(&["--adopt", CLAUDE]).expect(0).says(&[KEYS]);
    assert_eq!(repo.text(KEYS), document("alpha") + "Only here, edited.\n");
    assert_eq!(repo.text("agent/skills/alpha/SKILL.md"), document("alpha"));
    repo.sync(&["--check"]).expect(0);
    // Removing its body would turn the document into a merge of keys.
    let edited = "---\nname: alpha\ndescription: Does it.\n---\n";
    repo.write(CLAUDE, edited);
    let before = repo.tree();
    repo.sync(&["--adopt", CLAUDE]).expect(5).says(&["give this tool other content"]);
    assert_eq!(repo.tree(), before);
}

#[test]
fn a_body_edit_is_adopted_into_the_canon_and_a_key_edit_is_refused() {
    let repo = repo();
    repo.sync(&[]).expect(0);
    repo.commit_all("all");
    repo.write(CLAUDE, with_keys() + "by hand\n");
    repo.sync(&["--adopt", CLAUDE]).expect(0).says(&["adopted   agent/skills/alpha/SKILL.md"]);
    assert_eq!(repo.text("agent/skills/alpha/SKILL.md"), document("alpha") + "by hand\n");
    assert_eq!(repo.text(CLAUDE), with_keys() + "by hand\n");
    repo.assert_copied("alpha", ".codex/skills/alpha");
    repo.sync(&["--check"]).expect(0);
    let edited = repo.text(CLAUDE).replace("opus", "haiku");
    repo.write(CLAUDE, &edited);
    let before = repo.tree();
    repo.sync(&["--adopt", CLAUDE]).expect(5).says(&["content that only this tool gets", "--force"]);
    assert_eq!(repo.tree(), before, "nothing is lost");
    repo.sync(&[]).expect(5).says(&["edited by hand"]);
    assert_eq!(repo.text(CLAUDE), edited);
    repo.sync(&["--force"]).expect(0).says(&["backed up"]);
    assert_eq!(repo.text(CLAUDE), with_keys() + "by hand\n");
}

#[test]
fn an_adopted_edit_is_merged_with_a_change_of_the_canon() {
    let repo = Repo::with_skills(&["alpha"]);
    let text = document("alpha") + "\none\ntwo\nthree\nfour\n";
    repo.write("agent/skills/alpha/SKILL.md", &text);
    repo.write(KEYS, "---\nmodel: opus\n---\n");
    repo.sync(&["--commit"]).expect(0);
    repo.write("agent/skills/alpha/SKILL.md", text.replace("one", "ONE"));
    let edited = repo.text(CLAUDE).replace("four", "FOUR");
    repo.write(CLAUDE, edited);
    repo.sync(&["--adopt", CLAUDE]).expect(0);
    let both = text.replace("one", "ONE").replace("four", "FOUR");
    assert_eq!(repo.text("agent/skills/alpha/SKILL.md"), both);
    let keyed = both.replace("asked for.\n---", "asked for.\nmodel: opus\n---");
    assert_eq!(repo.text(CLAUDE), keyed);
    repo.assert_copied("alpha", ".gemini/skills/alpha");
}

#[test]
fn an_overlay_file_adopts_its_edit_and_a_new_file_goes_to_the_skill() {
    let repo = repo();
    repo.sync(&[]).expect(0);
    repo.commit_all("all");
    repo.write(".gemini/skills/deep/notes.md", "edited\n");
    repo.write(".gemini/skills/deep/more.md", "more\n");
    repo.sync(&["--adopt", ".gemini/skills/deep"]).expect(0);
    assert_eq!(repo.text("agent/overlays/gemini/skills/deep/notes.md"), "edited\n");
    assert_eq!(repo.text("agent/skills/cat/deep/more.md"), "more\n");
    assert_eq!(repo.text(".codex/skills/deep/more.md"), "more\n");
    assert!(!repo.exists("agent/skills/deep") && !repo.exists(".codex/skills/deep/notes.md"));
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn a_removed_overlay_removes_its_files_except_edited_ones() {
    let repo = repo();
    repo.sync(&[]).expect(0);
    repo.write(".gemini/skills/deep/notes.md", "mine\n");
    repo.remove("agent/overlays");
    repo.sync(&[])
        .expect(5)
        .says(&[".gemini/skills/deep/notes.md: edited by hand, and its canonical file no longer exists"]);
    assert_eq!(repo.text(".gemini/skills/deep/notes.md"), "mine\n");
    assert_eq!(repo.text(".gemini/skills/deep/scripts/run.sh"), "#!/bin/sh\necho cat/deep\n");
    repo.assert_copied("alpha", ".claude/skills/alpha");
}

#[test]
fn an_unusable_overlay_is_reported_and_the_mirror_stays_unchanged() {
    let repo = repo();
    repo.sync(&[]).expect(0);
    for (overlay, words) in [
        ("---\nmodel: opus\n", "its frontmatter is not closed"),
        ("", "it is empty"),
        ("---\n- model\n---\n", "cannot be merged"),
        ("---\nmodel: a: b\n---\n", "cannot be merged"),
        ("# x\n<!-- canonry: only claude -->\n", "line 2: the section that starts here has no"),
    ] {
        repo.write(KEYS, overlay);
        repo.sync(&[]).expect(1).says(&["refused   agent/skills/alpha: ", KEYS, words]);
        assert_shaped(&repo);
        repo.check(&[]).expect(1).says(&["overlay-unusable", words]).says_nothing_of(&["mirror-"]);
    }
    repo.write(KEYS, "---\nmodel: opus # dear\ndescription: For Claude.\n---\n");
    repo.sync(&[]).expect(0);
    // The overlay has a file where the skill has a folder.
    repo.write("agent/overlays/claude/skills/alpha/scripts", "no folder\n");
    repo.sync(&[]).expect(1).says(&["agent/overlays/claude/skills/alpha/scripts: the skill has a folder at this path"]);
    assert_shaped(&repo);
}

#[test]
fn an_overlay_without_effect_is_reported_by_sync_and_check() {
    let repo = Repo::synced(&["alpha"]);
    for (path, folder, words) in [
        ("claud/skills/alpha/SKILL.md", "claud", "did you mean `claude`?"),
        ("agents/skills/alpha/SKILL.md", "agents", "`agents` is not among the targets"),
        ("claude/skills/alhpa/SKILL.md", "claude/skills/alhpa", "did you mean"),
        ("claude/alpha/SKILL.md", "claude/alpha", "overlays belong in"),
    ] {
        repo.write(&format!("agent/overlays/{path}"), "---\nmodel: opus\n---\n");
        let line = format!("unused    agent/overlays/{folder}");
        repo.sync(&[]).expect(0).says(&[&line, words, "Up to date"]);
        repo.check(&[]).expect(0).says(&["overlay-unusable", words]);
        let json: serde_json::Value = serde_json::from_str(&repo.sync(&["--format", "json"]).stdout).unwrap();
        assert!(json["unused_overlays"][0]["reason"].as_str().unwrap().contains(words), "{json}");
        repo.remove("agent/overlays");
    }
}

#[test]
fn a_renamed_skill_loses_its_overlay() {
    let repo = repo();
    repo.sync(&[]).expect(0);
    repo.rename("agent/skills/alpha", "agent/skills/omega");
    repo.sync(&[]).expect(0).says(&["unused    agent/overlays/claude/skills/alpha"]);
    assert!(!repo.exists(".claude/skills/alpha"));
    repo.rename("agent/overlays/claude/skills/alpha", "agent/overlays/claude/skills/omega");
    repo.sync(&[]).expect(0).says_nothing_of(&["unused"]);
    assert!(repo.text(".claude/skills/omega/SKILL.md").contains("model: opus # dear\n"));
}

#[test]
fn a_skill_with_an_overlay_is_copied_in_symlink_mode() {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.write(
        "agent/canonry.yaml",
        "targets: [claude, codex]\nmirrors: {claude: {mode: symlink}, codex: {mode: symlink}}\n",
    );
    repo.sync(&[]).expect(0);
    assert!(repo.path(".claude/skills/alpha").is_symlink());
    repo.write(KEYS, "---\nmodel: opus # dear\ndescription: For Claude.\n---\n");
    repo.sync(&[]).expect(0);
    assert!(!repo.path(".claude/skills/alpha").is_symlink());
    assert_eq!(repo.text(CLAUDE), with_keys());
    assert!(repo.path(".codex/skills/alpha").is_symlink() && repo.path(".claude/skills/beta").is_symlink());
    repo.sync(&["--check"]).expect(0);
    repo.remove("agent/overlays");
    repo.sync(&[]).expect(0);
    assert!(repo.path(".claude/skills/alpha").is_symlink());
}

#[test]
fn overlays_may_contain_links_and_crlf_files() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.git(&["config", "core.autocrlf", "true"]);
    repo.write("agent/skills/alpha/SKILL.md", document("alpha").replace('\n', "\r\n"));
    repo.write(KEYS, "---\r\nmodel: opus\r\n---\r\n");
    repo.write("agent/overlays/claude/skills/alpha/a.md", "a\n");
    repo.link("agent/overlays/claude/skills/alpha/b.md", "a.md");
    repo.link("agent/overlays/claude/skills/alpha/c.sh", "../../../../skills/alpha/scripts/run.sh");
    repo.sync(&[]).expect(0);
    assert!(repo.text(CLAUDE).contains("\r\nmodel: opus\r\n---\r\n"), "{:?}", repo.text(CLAUDE));
    assert_eq!(repo.path(".claude/skills/alpha/b.md").read_link().unwrap().to_str(), Some("a.md"));
    assert_eq!(repo.text(".claude/skills/alpha/c.sh"), "#!/bin/sh\necho alpha\n");
    repo.commit_all("all");
    for args in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        repo.check(args).says_nothing_of(&["mirror-"]);
    }
    repo.sync(&["--check"]).expect(0);
    repo.link("agent/overlays/claude/skills/alpha/d.md", "/etc/hostname");
    repo.sync(&[]).expect(1).says(&["outside the repository"]);
    assert!(repo.exists(CLAUDE) && !repo.exists(".claude/skills/alpha/d.md"));
}

#[test]
fn a_conflict_in_an_overlay_leaves_the_mirror_until_it_is_resolved() {
    let repo = repo();
    repo.sync(&["--commit"]).expect(0);
    repo.git(&["switch", "-qc", "side"]);
    for (branch, model) in [("side", "haiku"), ("main", "sonnet")] {
        repo.git(&["switch", "-q", branch]);
        repo.write(KEYS, format!("---\nmodel: {model}\n---\n"));
        repo.git(&["commit", "-qam", branch]);
    }
    assert!(!repo.try_git(&["merge", "-q", "side"]).status.success());
    repo.sync(&[]).expect(1).says(&[KEYS, "has an unresolved merge conflict"]);
    assert_eq!(repo.text(CLAUDE), with_keys());
    repo.write(KEYS, "---\nmodel: haiku\n---\n");
    repo.sync(&[]).expect(0);
    assert!(repo.text(CLAUDE).contains("model: haiku\n"));
}

#[test]
fn adopt_all_after_a_lost_lock_claims_overlay_files_too() {
    let repo = repo();
    repo.sync(&[]).expect(0);
    repo.remove("agent/mirrors.lock");
    repo.sync(&["--adopt", "--all"]).expect(0);
    repo.sync(&["--check"]).expect(0);
    repo.remove("agent/overlays");
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
    assert!(!repo.exists(".gemini/skills/deep/notes.md"));
}

#[test]
fn the_sidecar_is_generated_from_the_overlay_and_not_for_a_skipped_skill() {
    const SIDECAR: &str = "agents/openai.yaml";
    let repo = Repo::with_skills(&["alpha", "beta", "gamma"]);
    let config = "files: {codex: {sidecar: true}}\nskills: {gamma: {targets: [claude]}}\n";
    repo.write("agent/canonry.yaml", config);
    repo.write("agent/overlays/codex/skills/alpha/SKILL.md", "---\ndescription: For Codex.\n---\n");
    repo.write(&format!("agent/overlays/codex/skills/beta/{SIDECAR}"), "interface: {}\n");
    repo.sync(&[]).expect(0);
    assert!(repo.text(&format!(".codex/skills/alpha/{SIDECAR}")).contains("For Codex"));
    assert_eq!(repo.text(&format!(".codex/skills/beta/{SIDECAR}")), "interface: {}\n");
    assert!(!repo.exists(".codex/skills/gamma"));
    repo.sync(&["--check"]).expect(0);
}

/// A user's link to the canon shows the tool the canon's text instead of its overlay.
#[test]
fn a_user_link_to_the_canon_does_not_replace_an_overlay() {
    let repo = repo();
    repo.targets(&["claude", "codex"]);
    repo.link(".claude/skills/alpha", "../../agent/skills/alpha");
    repo.link(".codex/skills/alpha", "../../agent/skills/alpha");
    repo.sync(&[])
        .expect(5)
        .says(&["the file .claude/skills/alpha stands where"])
        .says_nothing_of(&["the file .codex/skills/alpha"]);
    assert!(repo.path(".claude/skills/alpha").is_symlink());
    repo.remove(".claude");
    repo.link(".claude/skills", "../agent/skills");
    repo.sync(&[]).expect(5).says(&["the mirror is a link to"]);
    repo.remove("agent/overlays");
    repo.sync(&[]).expect(0);
}
