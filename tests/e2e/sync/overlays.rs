//! What one tool has in the place of a skill's files, or beside them.

use crate::support::repo::{Repo, document};

const KEYS: &str = "agent/overlays/claude/skills/alpha/SKILL.md";
const CLAUDE: &str = ".claude/skills/alpha/SKILL.md";

/// `alpha` with keys for Claude, `deep` with a file of its own for Gemini.
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
fn a_tool_gets_what_is_its_own_and_every_view_agrees() {
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

/// The subtree of the mirror is that of the canon, and yet it is not what the tool is to have.
#[test]
fn a_copy_where_an_overlay_is_wanted_is_stale_in_every_view() {
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
fn a_commit_holds_the_overlays_that_it_mirrors_and_those_that_are_gone() {
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
fn staged_overlays_are_mirrored_as_they_are_staged() {
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
fn a_whole_document_stands_in_the_place_of_the_skills() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(KEYS, document("alpha") + "Only here.\n");
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text(CLAUDE), document("alpha") + "Only here.\n");
    repo.assert_copied("alpha", ".codex/skills/alpha");
    assert_eq!(repo.text(".claude/skills/alpha/scripts/run.sh"), "#!/bin/sh\necho alpha\n");
    // An edit of it goes back to where it comes from.
    repo.commit_all("all");
    repo.write(CLAUDE, document("alpha") + "Only here, edited.\n");
    repo.sync(&["--adopt", CLAUDE]).expect(0).says(&[KEYS]);
    assert_eq!(repo.text(KEYS), document("alpha") + "Only here, edited.\n");
    assert_eq!(repo.text("agent/skills/alpha/SKILL.md"), document("alpha"));
    repo.sync(&["--check"]).expect(0);
    // What would become keys to merge is no whole document any more.
    let edited = "---\nname: alpha\ndescription: Does it.\n---\n";
    repo.write(CLAUDE, edited);
    let before = repo.tree();
    repo.sync(&["--adopt", CLAUDE]).expect(5).says(&["give this tool other content"]);
    assert_eq!(repo.tree(), before);
}

#[test]
fn an_edit_beside_the_keys_goes_into_the_canon_and_one_of_the_keys_is_refused() {
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
fn an_edit_is_merged_with_what_the_canon_changed_since() {
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
fn a_file_of_an_overlay_takes_its_edit_and_a_new_file_goes_to_the_skill() {
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
fn an_overlay_that_goes_takes_its_files_along_and_leaves_what_was_edited() {
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
fn what_cannot_be_used_leaves_the_mirror_as_it_is_and_is_told() {
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
    // A file where the skill has a folder.
    repo.write("agent/overlays/claude/skills/alpha/scripts", "no folder\n");
    repo.sync(&[]).expect(1).says(&["agent/overlays/claude/skills/alpha/scripts: the skill has a folder at this path"]);
    assert_shaped(&repo);
}

#[test]
fn what_does_nothing_is_told_by_sync_and_check() {
    let repo = Repo::synced(&["alpha"]);
    for (path, folder, words) in [
        ("claud/skills/alpha/SKILL.md", "claud", "did you mean `claude`?"),
        ("agents/skills/alpha/SKILL.md", "agents", "`agents` is not among the targets"),
        ("claude/skills/alhpa/SKILL.md", "claude/skills/alhpa", "did you mean `alpha`?"),
        ("claude/alpha/SKILL.md", "claude/alpha", "overlays belong in"),
    ] {
        repo.write(&format!("agent/overlays/{path}"), "---\nmodel: opus\n---\n");
        let told = format!("unused    agent/overlays/{folder}");
        repo.sync(&[]).expect(0).says(&[&told, words, "Up to date"]);
        repo.check(&[]).expect(0).says(&["overlay-unused", words]);
        let json: serde_json::Value = serde_json::from_str(&repo.sync(&["--format", "json"]).stdout).unwrap();
        assert!(json["unused_overlays"][0]["reason"].as_str().unwrap().contains(words), "{json}");
        repo.remove("agent/overlays");
    }
}

#[test]
fn a_skill_that_is_renamed_leaves_its_overlay_behind() {
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
fn where_links_are_wanted_a_skill_with_an_overlay_is_copied() {
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
fn links_and_line_endings_in_overlays() {
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
fn after_a_lost_lock_what_is_the_tools_own_is_claimed_with_the_rest() {
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
fn a_sidecar_is_that_of_the_tools_own_document_and_none_is_made_of_what_is_left_out() {
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

/// A link that someone made shows a tool the canon's own, which is not what it is to have.
#[test]
fn a_link_of_a_persons_does_not_stand_for_what_is_the_tools_own() {
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
