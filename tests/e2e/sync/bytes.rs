//! Exact bytes and modes, and equality as git defines it.

use crate::support::repo::{MIRRORS, Repo, document};

/// Case: CRLF or BOM, unknown frontmatter, no final newline, binary.
#[test]
fn every_byte_is_copied_unchanged() {
    let repo = Repo::with_skills(&["alpha"]);
    let odd = "\u{feff}---\r\nname: alpha\r\ndescription: Does. Use when.\r\nx-unknown: {a: [1]}\r\n---\r\nno end";
    repo.write("agent/skills/alpha/SKILL.md", odd);
    repo.write("agent/skills/alpha/assets/logo.bin", [0u8, 255, 13, 10, 0, 13]);
    repo.write("agent/skills/alpha/assets/empty", "");
    repo.write("agent/skills/alpha/assets/mixed.txt", "a\r\nb\nc\r");
    repo.write("agent/skills/alpha/na\u{ef}ve name.md", "x");
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
    repo.sync(&["--check"]).expect(0);
    repo.commit_all("all");
    repo.sync(&["--check"]).expect(0);
    repo.check(&["--rev", "HEAD"]);
}

/// Only line endings changed: check finds no drift, and sync writes nothing.
fn assert_quiet(repo: &Repo) {
    let before = repo.tree();
    repo.sync(&["--check"]).expect(0).says(&["Up to date"]);
    repo.sync(&[]).expect(0).says(&["Up to date"]);
    assert_eq!(repo.tree(), before);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

/// Case: a checkout with CRLF only.
#[test]
fn a_fresh_crlf_clone_has_no_drift() {
    let origin = Repo::synced(&["alpha"]);
    let repo = Repo::empty();
    repo.remove("");
    let from = origin.root.to_str().unwrap();
    let output = repo
        .command("git")
        .current_dir(repo.home())
        .args([
            "-c",
            "core.autocrlf=true",
            "clone",
            "-q",
            "-c",
            "core.autocrlf=true",
            from,
            repo.root.to_str().unwrap(),
        ])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(repo.text(".claude/skills/alpha/SKILL.md").contains("\r\n"));
    assert!(repo.text("agent/mirrors.lock").contains("\r\n"));
    assert_quiet(&repo);
}

/// Case: a checkout with CRLF only.
#[test]
fn a_crlf_checkout_by_attributes_has_no_drift() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(".gitattributes", "*.md text eol=crlf\n*.lock text eol=crlf\n");
    repo.commit_all("attributes");
    for path in repo.git(&["ls-files", "agent", ".claude"]).lines() {
        repo.remove(path);
    }
    repo.git(&["checkout", "-q", "--", "."]);
    assert!(repo.text("agent/skills/alpha/SKILL.md").contains("\r\n"));
    assert!(!repo.text(".codex/skills/alpha/SKILL.md").contains("\r\n"));
    assert_quiet(&repo);
}

#[test]
fn an_edit_in_a_crlf_checkout_is_mirrored_and_commits_clean() {
    let repo = Repo::synced(&["alpha"]);
    repo.git(&["config", "core.autocrlf", "true"]);
    repo.write("agent/skills/alpha/SKILL.md", (document("alpha") + "news\n").replace('\n', "\r\n"));
    repo.sync(&["--check"]).expect(1);
    repo.sync(&[]).expect(0);
    repo.sync(&["--check"]).expect(0);
    repo.commit_all("news");
    assert_eq!(
        repo.git(&["rev-parse", "HEAD:agent/skills/alpha"]),
        repo.git(&["rev-parse", "HEAD:.claude/skills/alpha"])
    );
    repo.check(&["--rev", "HEAD"]).expect(0);
}

#[test]
fn attributes_for_one_side_do_not_make_mirrors_look_edited() {
    for attributes in ["agent/** text\n", "agent/** text eol=crlf\n", ".claude/** text eol=crlf\n", "agent/** ident\n"]
    {
        let repo = Repo::with_skills(&["alpha"]);
        repo.write(".gitattributes", attributes);
        repo.write("agent/skills/alpha/windows.txt", "a\r\nb\r\n$Id$\r\n");
        repo.sync(&[]).expect(0);
        repo.sync(&["--check"]).expect(0);
        repo.sync(&[]).expect(0);
        repo.commit_all("all");
        repo.sync(&["--check"]).expect(0);
        repo.write("agent/skills/alpha/windows.txt", "c\r\n");
        repo.sync(&[]).expect(0);
        repo.sync(&["--check"]).expect(0);
        let before = repo.tree();
        repo.sync(&["--force"]).expect(0).says(&["Up to date"]);
        assert_eq!(repo.tree(), before);
        repo.write(".claude/skills/alpha/windows.txt", "mine\r\n");
        repo.sync(&[]).expect(5).says(&[".claude/skills/alpha/windows.txt"]);
        repo.write(".claude/skills/alpha/windows.txt", "c\r\n");
        repo.remove("agent/skills/alpha");
        repo.sync(&[]).expect(0);
        assert!(!repo.exists(".claude/skills/alpha"), "{attributes}");
    }
}

#[test]
fn attributes_added_later_do_not_make_mirrors_look_edited() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/skills/alpha/windows.txt", "a\r\nb\r\n");
    repo.commit_all("canon");
    repo.write(".gitattributes", "* text\n");
    for text in ["a\r\n", "b\r\n"] {
        repo.sync(&[]).expect(0);
        repo.sync(&["--check"]).expect(0).says(&["Up to date"]);
        repo.write("agent/skills/alpha/windows.txt", text);
    }
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
}

/// Case: exec bit lost on a mirrored script.
#[test]
fn a_lost_exec_bit_is_drift_and_sync_restores_it() {
    let repo = Repo::synced(&["alpha"]);
    for mirror in MIRRORS {
        repo.chmod(&format!("{mirror}/alpha/scripts/run.sh"), 0o644);
    }
    repo.sync(&["--check"]).expect(1).says(&[".claude/skills/alpha"]);
    repo.check(&[]).expect(1).says(&["mirror-stale"]);
    repo.sync(&[]).expect(0);
    for mirror in MIRRORS {
        assert_eq!(repo.mode(&format!("{mirror}/alpha/scripts/run.sh")), 0o755);
    }
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn an_exec_bit_added_or_removed_in_the_canon_is_mirrored() {
    let repo = Repo::synced(&["alpha"]);
    repo.chmod("agent/skills/alpha/scripts/run.sh", 0o644);
    repo.chmod("agent/skills/alpha/SKILL.md", 0o755);
    repo.sync(&["--check"]).expect(1);
    repo.sync(&[]).expect(0);
    repo.assert_mirrored(&["alpha"]);
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn the_exec_bit_is_no_drift_when_core_filemode_is_off() {
    let repo = Repo::synced(&["alpha"]);
    repo.git(&["config", "core.fileMode", "false"]);
    repo.chmod(".claude/skills/alpha/scripts/run.sh", 0o644);
    repo.sync(&["--check"]).expect(0);
}
